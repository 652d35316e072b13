"""The Pi's camera as the settings file asks for it."""

from __future__ import annotations

from companion_app.settings import Settings, load_settings
from vision.sources.pi_camera import PiCamera, PiCameraSettings


def pi_source(settings: Settings | None = None, patient: bool = False) -> PiCamera:
    """Return the Pi's camera, not yet opened; with patience it may come later.

    Raises:
        SettingsError: the settings file has mistakes.
    """
    wanted = load_settings() if settings is None else settings
    return PiCamera(
        PiCameraSettings(
            number=wanted.camera_number,
            longest_px=wanted.longest_px,
            frames_a_second=wanted.frames_a_second,
            patient=patient,
        )
    )

"""Opens frame sources by name: ``webcam:0``, ``folder:DIR``, ``demo:7``."""

from __future__ import annotations

import re
from pathlib import Path

from companion_app.answers import InputError
from companion_app.live.demo import DemoSource
from companion_app.settings import Settings, load_settings
from engine.record import Record
from vision.sources import FrameSource, SourceError
from vision.sources.files import FRAMES_A_SECOND, FolderSource, VideoSource
from vision.sources.pi_camera import PiCamera, PiCameraSettings
from vision.sources.webcam import WebcamSource

KNOWN = "pi, webcam:0, video:FILE, folder:DIR and demo[:SEED]"
RUN_ONLY = ("phone", "recorded")
"""Sources that have no frames of their own: ``run`` gets them in other ways."""
ANY_GAME = "schlangennest"


def open_source(
    name: str,
    game: str,
    frames_a_second: float | None = None,
    speed: float = 1.0,
    record: Record | None = None,
    patient: bool = False,
) -> FrameSource:
    """Return the source of that name; the demo table plays the game of ``record`` if given.

    With ``patient``, a camera that is not plugged in is waited for.

    Raises:
        InputError: there is no such source, or it cannot be opened.
    """
    kind, _, rest = name.partition(":")
    try:
        if kind == "folder" or (not rest and Path(name).is_dir()):
            return FolderSource(Path(rest or name), frames_a_second or FRAMES_A_SECOND)
        if kind == "video" or (not rest and Path(name).is_file()):
            return VideoSource(Path(rest or name), frames_a_second)
        if kind == "webcam":
            return WebcamSource(_number(rest or "0", name), patient=patient)
        if name == "phone":
            raise InputError("a phone is a camera for 'snake-eye run' only")
        if kind == "demo":
            return DemoSource(game, _number(rest or "1", name), speed, record=record)
        if name == "pi":
            return pi_source(patient=patient)
    except SourceError as error:
        raise InputError(str(error)) from error
    raise InputError(f"there is no source {name!r}; sources are {KNOWN}")


def check_source(name: str) -> None:
    """Check a source before ``run`` starts with it; a camera may be plugged in later.

    Raises:
        InputError: there is no such source, or its files cannot be read.
    """
    kind, _, rest = name.partition(":")
    if kind == "webcam":
        _number(rest or "0", name)
    elif name not in RUN_ONLY:
        open_source(name, ANY_GAME, patient=True).close()


def _number(text: str, name: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise InputError(f"{name}: write a whole number after the colon")
    return int(text)


def pi_source(settings: Settings | None = None, patient: bool = False) -> PiCamera:
    """Return the Pi's camera, not yet opened; with ``patient`` it is waited for.

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

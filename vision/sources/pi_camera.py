"""The Raspberry Pi's own camera: modules 2, 3 and HQ. No other file knows its library.

The library comes from the system's packages, since it must match the system's libcamera. What it
gives is read by what it reports, never by what was asked: forms, sizes and strides differ from
camera to camera.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from vision.core.types import Frame
from vision.sources import SourceError
from vision.sources.pi_controls import (
    Controls,
    LightWatch,
    Metadata,
    SensorOutput,
    alike,
    locks,
    sensor_mode,
)
from vision.sources.pi_pixels import StreamLayout, bgr_from_buffer

log = logging.getLogger(__name__)

# picamera2 calls blue-first order "RGB888".
BLUE_FIRST = "RGB888"
AF_MANUAL = 0
"""libcamera's number for a lens that stays where it is put."""
STEADY_FRAMES = 10
"""Alike frames in a row that count as settled; a control that is let go takes up to four to act."""
BROKEN = (RuntimeError, OSError, TimeoutError, CancelledError, KeyError, IndexError, AssertionError)
"""What picamera2 raises when a camera goes away under it."""


class PiCameraError(SourceError):
    """The Pi's camera is missing or has stopped; the message says what to do."""


@dataclass(frozen=True, slots=True)
class PiCameraSettings:
    """How the camera is used."""

    number: int = 0
    """Which of the cameras, in the order that the system lists them."""
    longest_px: int = 1920
    """Longer side of the live pictures; stills always have every pixel."""
    frames_a_second: float = 15.0
    """The loop takes about 10 looks a second; slower frames let in more light."""
    settle_s: float = 4.0
    """Exposure and white balance are locked after so long even if they still change."""
    focus_s: float = 6.0
    """A scan of module 3 takes one to two seconds."""
    lost_after_s: float = 3.0
    """Without a frame for so long the camera has stopped; the first frame may take a second."""
    again_after_s: float = 2.0
    """Between two tries to open a camera that was lost."""
    patient: bool = False
    """Whether a camera that is not there at the start is waited for as for one that was lost."""


@dataclass(frozen=True, slots=True)
class CameraFacts:
    """What a camera says of itself, for `doctor` and for people."""

    model: str
    format: str
    size_px: tuple[int, int]
    still_px: tuple[int, int]
    has_autofocus: bool = False
    focused: bool | None = None
    """``None`` where the lens is turned by hand."""
    lens_position: float | None = None
    """Held focus in dioptres: 2 is half a metre."""
    exposure_us: int | None = None
    """Locked exposure time; ``None`` where the camera does not tell."""
    gain: float | None = None
    colour_gains: tuple[float, float] | None = None


def pi_cameras() -> list[str]:
    """Return the models of the cameras that the system's camera library sees."""
    if not has_library():
        return []
    from picamera2 import Picamera2

    return [str(camera.get("Model", "unknown")) for camera in Picamera2.global_camera_info()]


def has_library() -> bool:
    """Say whether the camera library is there, without starting it."""
    return find_spec("picamera2") is not None


class PiCamera:
    """Frames of the Pi's camera, the newest only. Close it, or use ``with``."""

    live = True

    def __init__(
        self,
        settings: PiCameraSettings | None = None,
        open_camera: Callable[[int], Any] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.settings = settings or PiCameraSettings()
        self.facts: CameraFacts | None = None
        """What the camera said when it was opened; ``None`` before."""
        self._open_camera = open_camera or _opened
        self._sleep = sleep
        self._camera: Any = None
        self._sensor: SensorOutput | None = None
        self._held: Controls = {}
        self._focused: bool | None = None
        self._light = LightWatch()
        self._lock = threading.RLock()
        self._start_s: float | None = None
        self._closed = False

    def __enter__(self) -> PiCamera:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def frames(self) -> Iterator[Frame | None]:
        """Yield the newest frame again and again; ``None`` for every try while there is none.

        Raises:
            PiCameraError: there is no camera at the first try, and nobody is patient.
        """
        if not self.settings.patient:
            self.open()
        said = ""
        while not self._closed:
            try:
                frame = self.newest()
            except PiCameraError as error:
                if str(error) != said:
                    log.warning("%s", error)
                said = str(error)
                yield None
                self._sleep(self.settings.again_after_s)
            else:
                said = ""
                yield frame

    def open(self) -> None:
        """Open the camera, focus, and lock exposure and white balance.

        Raises:
            PiCameraError: there is none, or another program has it.
        """
        with self._lock:
            if self._camera is not None:
                return
            try:
                self._camera = self._open_camera(self.settings.number)
                self._sensor = sensor_mode(self._camera, self.settings.frames_a_second)
                self._start_stream()
                self._focus()
                self.settle()
            except BROKEN as error:
                self._drop()
                raise PiCameraError(
                    f"the Pi's camera cannot be opened ({_first_line(error)}); check its ribbon "
                    "cable at both ends, and that no other program uses it"
                ) from error

    def newest(self) -> Frame:
        """Return the newest frame, never one twice, opening the camera where need be.

        Raises:
            PiCameraError: no frame came; the next call tries to open the camera anew.
        """
        with self._lock:
            self.open()
            try:
                frame = self._taken()
                if self._light.has_changed(frame.bgr, frame.taken_at_s):
                    log.info("the light has changed: exposure and white balance settle anew")
                    self.settle()
                    frame = self._taken()
            except BROKEN as error:
                self._drop()
                raise PiCameraError(
                    f"the Pi's camera gives no pictures ({_first_line(error)}); "
                    "check its ribbon cable"
                ) from error
            return frame

    def still(self) -> Frame:
        """Return one picture with every pixel of the sensor, lit and focused as the live ones.

        Raises:
            PiCameraError: no picture came.
        """
        with self._lock:
            self.open()
            try:
                config = self._camera.create_still_configuration(
                    main={"format": BLUE_FIRST}, controls=self._held.copy()
                )
                job = self._camera.switch_mode_capture_request_and_stop(config, wait=False)
                frame = self._frame_of(self._waited(job))
                self._start_stream()
            except BROKEN as error:
                self._drop()
                raise PiCameraError(
                    f"the Pi's camera gave no still ({_first_line(error)}); try again"
                ) from error
            return frame

    def settle(self) -> None:
        """Let exposure and white balance find their place, then lock them."""
        with self._lock:
            free: Controls = {}
            if "AeEnable" in self._held:
                free["AeEnable"] = True
            if "AwbEnable" in self._held:
                free["AwbEnable"] = True
            self._let(free)
            metadata = self._settled_metadata()
            self._hold(locks(metadata, self._camera.camera_controls))
            frame = self._taken()
            self._light.locked(frame.bgr)
            self._tell()

    def close(self) -> None:
        """Give the camera back."""
        self._closed = True
        with self._lock:
            self._drop()

    # --- the camera ------------------------------------------------------------------------------

    def _start_stream(self) -> None:
        camera, fps = self._camera, self.settings.frames_a_second
        controls = self._held.copy()
        if "FrameDurationLimits" in camera.camera_controls:
            controls["FrameDurationLimits"] = (round(1e6 / fps), round(1e6 / fps))
        config = camera.create_video_configuration(
            main={"format": BLUE_FIRST, "size": self._stream_size()},
            # As stills have it: video's own colour space has fewer levels and other colours.
            colour_space=camera.create_still_configuration()["colour_space"],
            controls=controls,
            # Of the frames that nobody took, the newest one alone is kept.
            queue=True,
            **({} if self._sensor is None else {"sensor": self._sensor}),
        )
        camera.configure(config)
        camera.start()

    def _stream_size(self) -> tuple[int, int]:
        """Return a size of the sensor's own shape, so that stills and live pictures agree."""
        width, height = self._camera.sensor_resolution
        share = min(1.0, self.settings.longest_px / max(width, height))
        return (round(width * share / 2) * 2, round(height * share / 2) * 2)

    def _taken(self) -> Frame:
        job = self._camera.capture_request(wait=False)
        return self._frame_of(self._waited(job))

    def _waited(self, job: Any, seconds: float | None = None) -> Any:
        wait_s = self.settings.lost_after_s if seconds is None else seconds
        try:
            return self._camera.wait(job, timeout=wait_s)
        except TimeoutError as error:
            raise TimeoutError(f"nothing came within {wait_s:g} s") from error

    def _frame_of(self, request: Any) -> Frame:
        try:
            layout = _layout(request.config)
            bgr = bgr_from_buffer(request.make_buffer("main"), layout)
            taken_ns = request.get_metadata().get("SensorTimestamp")
        finally:
            request.release()
        taken_at_s = time.monotonic() if taken_ns is None else taken_ns / 1e9
        if self._start_s is None:
            self._start_s = taken_at_s
        return Frame(bgr, taken_at_s - self._start_s)

    def _metadata(self) -> Metadata:
        job = self._camera.capture_metadata(wait=False)
        metadata: Metadata = self._waited(job)
        return metadata

    def _settled_metadata(self) -> Metadata:
        """Return what the camera says of itself once exposure and colours stand still."""
        metadata = self._metadata()
        if "ExposureTime" not in metadata and "ColourGains" not in metadata:
            return metadata
        steady, end_s = 0, time.monotonic() + self.settings.settle_s
        while steady < STEADY_FRAMES and time.monotonic() < end_s:
            before, metadata = metadata, self._metadata()
            steady = steady + 1 if alike(before, metadata) else 0
        return metadata

    def _focus(self) -> None:
        """Find the sharpest place once and stay there: a table does not come closer."""
        if "AfMode" not in self._camera.camera_controls:
            return
        job = self._camera.autofocus_cycle(wait=False)
        self._focused = False
        with suppress(TimeoutError):
            self._focused = bool(self._waited(job, self.settings.focus_s))
        position = self._metadata().get("LensPosition")
        if position is not None:
            self._hold({"AfMode": AF_MANUAL, "LensPosition": float(position)})

    def _hold(self, controls: Controls) -> None:
        self._held.update(controls)
        self._let(controls)

    def _let(self, controls: Controls) -> None:
        if controls:
            self._camera.set_controls(controls.copy())

    def _tell(self) -> None:
        camera, held = self._camera, self._held
        main = camera.camera_configuration()["main"]
        self.facts = CameraFacts(
            model=str(camera.camera_properties.get("Model", "unknown")),
            format=str(main["format"]),
            size_px=tuple(main["size"]),
            still_px=tuple(camera.sensor_resolution),
            has_autofocus="AfMode" in camera.camera_controls,
            focused=self._focused,
            lens_position=held.get("LensPosition"),
            exposure_us=held.get("ExposureTime"),
            gain=held.get("AnalogueGain"),
            colour_gains=held.get("ColourGains"),
        )

    def _drop(self) -> None:
        camera, self._camera = self._camera, None
        self._held, self._focused = {}, None
        if camera is not None:
            with suppress(*BROKEN):
                camera.close()


def _opened(number: int) -> Any:
    if not has_library():
        raise PiCameraError(
            "the Pi's camera library is missing; on Raspberry Pi OS type "
            "'sudo apt install python3-picamera2', then run deploy/install.sh again"
        )
    from picamera2 import Picamera2

    return Picamera2(number)


def _layout(config: Any) -> StreamLayout:
    """Return how the pixels lie, as the camera reports it."""
    main, space = config["main"], config.get("colour_space")
    return StreamLayout(
        format=str(main["format"]),
        size_px=(int(main["size"][0]), int(main["size"][1])),
        stride=int(main["stride"]),
        full_range=space is None or "Limited" not in str(space.range),
        rec709=space is not None and "709" in str(space.ycbcrEncoding),
    )


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]

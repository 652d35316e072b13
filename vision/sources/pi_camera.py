"""The Raspberry Pi's own camera: modules 2, 3 and HQ. No other file uses picamera2.

The library comes from the system's packages, since it must match the system's libcamera. Buffers
are decoded by the layout that the camera reports, never by the requested one: formats, sizes and
strides differ from camera to camera.
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
    Settling,
    freed,
    locks,
    sensor_mode,
)
from vision.sources.pi_pixels import PixelError, StreamLayout, bgr_from_buffer

log = logging.getLogger(__name__)

# picamera2 calls blue-first order "RGB888".
BLUE_FIRST = "RGB888"
AF_MANUAL = 0
"""libcamera's ``AfMode`` for a lens with a fixed position."""
BROKEN = (
    RuntimeError,
    OSError,
    TimeoutError,
    CancelledError,
    KeyError,
    IndexError,
    AssertionError,
    PixelError,
)
"""The exceptions that picamera2 raises when a camera disappears while in use."""


class PiCameraError(SourceError):
    """The Pi's camera is missing or has stopped; the message says what to do."""


@dataclass(frozen=True, slots=True)
class PiCameraSettings:
    """Settings of the camera."""

    number: int = 0
    """The camera's index in the system's list."""
    longest_px: int = 1920
    """Longer side of live frames; stills always have the sensor's full resolution."""
    frames_a_second: float = 15.0
    """Frame rate. The referee takes about 10 looks a second; a lower rate lets in more light."""
    settle_s: float = 4.0
    """Time after which exposure and white balance are locked even if they still change."""
    focus_s: float = 6.0
    """Timeout of the autofocus; a scan of module 3 takes one to two seconds."""
    lost_after_s: float = 3.0
    """Time without a frame after which the camera is lost; the first frame may take a second."""
    again_after_s: float = 2.0
    """Delay between two attempts to open a lost camera."""
    patient: bool = False
    """Whether to wait for a camera that is missing at the start, as for a lost one."""


@dataclass(frozen=True, slots=True)
class CameraFacts:
    """Properties that a camera reports, for `doctor` and for people."""

    model: str
    format: str
    size_px: tuple[int, int]
    still_px: tuple[int, int]
    has_autofocus: bool = False
    focused: bool | None = None
    """Whether the autofocus succeeded; ``None`` for a lens that is focused by hand."""
    lens_position: float | None = None
    """Locked focus in dioptres: 2 is half a metre."""
    exposure_us: int | None = None
    """Locked exposure time; ``None`` if the camera does not report it."""
    gain: float | None = None
    colour_gains: tuple[float, float] | None = None


def pi_cameras() -> list[str]:
    """Return the models of the cameras that the system's camera library sees."""
    if not has_library():
        return []
    from picamera2 import Picamera2

    return [str(camera.get("Model", "unknown")) for camera in Picamera2.global_camera_info()]


def has_library() -> bool:
    """Say whether picamera2 is installed, without importing it."""
    return find_spec("picamera2") is not None


class PiCamera:
    """The newest frames of the Pi's camera. Close it after use, or use ``with``."""

    live = True

    def __init__(
        self,
        settings: PiCameraSettings | None = None,
        open_camera: Callable[[int], Any] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.settings = settings or PiCameraSettings()
        self.facts: CameraFacts | None = None
        """Properties of the camera, updated whenever exposure is locked; ``None`` before."""
        self._open_camera = open_camera or _opened
        self._sleep = sleep
        self._camera: Any = None
        self._sensor: SensorOutput | None = None
        self._lens: Controls = {}
        self._exposure: Controls = {}
        """Exposure and white balance: locked, or free while they settle."""
        self._settling: Settling | None = None
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
        """Yield the newest frame repeatedly; ``None`` for every failed attempt to get one.

        Raises:
            PiCameraError: the camera gives no first frame, and ``patient`` is not set.
        """
        patient, said = self.settings.patient, ""
        while not self._closed:
            try:
                frame = self.newest()
            except PiCameraError as error:
                if self._closed:
                    return
                if not patient:
                    raise
                if str(error) != said:
                    log.warning("%s", error)
                said = str(error)
                yield None
                self._sleep(self.settings.again_after_s)
            else:
                patient, said = True, ""
                yield frame

    def open(self) -> None:
        """Open the camera, focus, and lock exposure and white balance.

        Raises:
            PiCameraError: there is none, another program has it, or this source was closed.
        """
        with self._lock:
            if self._camera is not None:
                return
            if self._closed:
                # Nobody would release a camera that is opened now.
                raise PiCameraError("the Pi's camera was closed")
            try:
                self._camera = self._open_camera(self.settings.number)
                self._sensor = sensor_mode(self._camera, self.settings.frames_a_second)
                self._start_stream()
                self._focus()
                self._settle()
            except BROKEN as error:
                self._drop()
                raise PiCameraError(
                    f"the Pi's camera cannot be opened ({_first_line(error)}); check its ribbon "
                    "cable at both ends, and that no other program uses it"
                ) from error

    def newest(self) -> Frame:
        """Return the newest frame, never the same one twice; open the camera if necessary.

        Raises:
            PiCameraError: no frame came; the next call tries to open the camera anew.
        """
        with self._lock:
            self.open()
            try:
                frame, metadata = self._taken()
                self._heed_light(frame, metadata)
            except BROKEN as error:
                self._drop()
                raise PiCameraError(
                    f"the Pi's camera gives no pictures ({_first_line(error)}); "
                    "check its ribbon cable"
                ) from error
            return frame

    def still(self) -> Frame:
        """Return one full-resolution picture, with the exposure and focus of the live frames.

        Raises:
            PiCameraError: no picture came.
        """
        with self._lock:
            self.open()
            try:
                config = self._camera.create_still_configuration(
                    main={"format": BLUE_FIRST}, controls=self._held()
                )
                job = self._camera.switch_mode_capture_request_and_stop(config, wait=False)
                frame, _ = self._frame_of(self._waited(job))
                self._start_stream()
            except BROKEN as error:
                self._drop()
                raise PiCameraError(
                    f"the Pi's camera gave no still ({_first_line(error)}); try again"
                ) from error
            return frame

    def close(self) -> None:
        """Release the camera."""
        self._closed = True
        with self._lock:
            self._drop()

    # --- the camera ------------------------------------------------------------------------------

    def _start_stream(self) -> None:
        camera, fps = self._camera, self.settings.frames_a_second
        controls = self._held()
        if "FrameDurationLimits" in camera.camera_controls:
            controls["FrameDurationLimits"] = (round(1e6 / fps), round(1e6 / fps))
        config = camera.create_video_configuration(
            main={"format": BLUE_FIRST, "size": self._stream_size()},
            # The colour space of stills: that of video has fewer levels and other colours.
            colour_space=camera.create_still_configuration()["colour_space"],
            controls=controls,
            # picamera2 keeps only the newest of the frames that were not taken.
            queue=True,
            **({} if self._sensor is None else {"sensor": self._sensor}),
        )
        camera.configure(config)
        camera.start()

    def _stream_size(self) -> tuple[int, int]:
        """Return a size with the sensor's aspect ratio, so that stills and live frames agree."""
        width, height = self._camera.sensor_resolution
        share = min(1.0, self.settings.longest_px / max(width, height))
        return (round(width * share / 2) * 2, round(height * share / 2) * 2)

    def _taken(self) -> tuple[Frame, Metadata]:
        job = self._camera.capture_request(wait=False)
        return self._frame_of(self._waited(job))

    def _waited(self, job: Any, seconds: float | None = None) -> Any:
        wait_s = self.settings.lost_after_s if seconds is None else seconds
        try:
            return self._camera.wait(job, timeout=wait_s)
        except TimeoutError as error:
            raise TimeoutError(f"nothing came within {wait_s:g} s") from error

    def _frame_of(self, request: Any) -> tuple[Frame, Metadata]:
        try:
            layout = _layout(request.config)
            bgr = bgr_from_buffer(request.make_buffer("main"), layout)
            metadata: Metadata = request.get_metadata()
        finally:
            request.release()
        taken_ns = metadata.get("SensorTimestamp")
        taken_at_s = time.monotonic() if taken_ns is None else taken_ns / 1e9
        if self._start_s is None:
            self._start_s = taken_at_s
        return Frame(bgr, taken_at_s - self._start_s), metadata

    def _metadata(self) -> Metadata:
        job = self._camera.capture_metadata(wait=False)
        metadata: Metadata = self._waited(job)
        return metadata

    def _settle(self) -> None:
        """Let automatic exposure and white balance adapt, then lock them."""
        settling = Settling(time.monotonic() + self.settings.settle_s)
        metadata = self._metadata()
        while not settling.is_over(metadata, time.monotonic()):
            metadata = self._metadata()
        self._lock_exposure(metadata)
        frame, _ = self._taken()
        self._light.locked(frame.bgr)

    def _heed_light(self, frame: Frame, metadata: Metadata) -> None:
        """Let exposure and white balance adapt to other light while frames go on coming."""
        if self._settling is None:
            if self._light.has_changed(frame.bgr, frame.taken_at_s):
                log.info("the light has changed: exposure and white balance settle anew")
                self._settling = Settling(frame.taken_at_s + self.settings.settle_s)
                self._exposure = freed(self._exposure)
                self._let(self._exposure)
        elif self._settling.is_over(metadata, frame.taken_at_s):
            self._settling = None
            self._lock_exposure(metadata)
            self._light.locked(frame.bgr)

    def _lock_exposure(self, metadata: Metadata) -> None:
        self._exposure = locks(metadata, self._camera.camera_controls)
        self._let(self._exposure)
        self._tell()

    def _focus(self) -> None:
        """Run the autofocus once and lock the lens: the distance to a table does not change."""
        if "AfMode" not in self._camera.camera_controls:
            return
        job = self._camera.autofocus_cycle(wait=False)
        self._focused = False
        with suppress(TimeoutError):
            self._focused = bool(self._waited(job, self.settings.focus_s))
        position = self._metadata().get("LensPosition")
        if position is not None:
            self._lens = {"AfMode": AF_MANUAL, "LensPosition": float(position)}
            self._let(self._lens)

    def _held(self) -> Controls:
        return {**self._lens, **self._exposure}

    def _let(self, controls: Controls) -> None:
        if controls:
            self._camera.set_controls(controls.copy())

    def _tell(self) -> None:
        camera, held = self._camera, self._held()
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
        self._lens, self._exposure, self._settling, self._focused = {}, {}, None, None
        if camera is not None:
            with suppress(*BROKEN):
                camera.close()


def _opened(number: int) -> Any:
    if not has_library():
        raise PiCameraError(
            "the Pi's camera library is missing; on Raspberry Pi OS type "
            "'sudo apt install python3-picamera2', then start Snake Eye again"
        )
    from picamera2 import Picamera2

    return Picamera2(number)


def _layout(config: Any) -> StreamLayout:
    """Return the buffer layout that the camera reports."""
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

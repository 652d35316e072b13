"""A USB webcam through OpenCV: opened by number, and reopened after it was unplugged."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from vision.core.types import Bgr, Frame
from vision.sources import SourceError

log = logging.getLogger(__name__)

RETRY_S = 1.0
"""Delay between two attempts to open a lost camera."""


class Capture(Protocol):
    """The part of ``cv2.VideoCapture`` that is used."""

    def isOpened(self) -> bool: ...  # noqa: D102, N802 - OpenCV's names
    def read(self) -> tuple[bool, Any]: ...  # noqa: D102
    def set(self, what: int, value: float) -> bool: ...  # noqa: D102
    def release(self) -> None: ...  # noqa: D102


def _opened(number: int) -> Capture:
    if sys.platform == "linux" and not Path(f"/dev/video{number}").exists():
        # OpenCV would print a warning for every attempt.
        return cv2.VideoCapture()
    return cv2.VideoCapture(number)


class WebcamSource:
    """A webcam; it yields ``None`` for every failed attempt to open it."""

    live = True

    def __init__(
        self,
        number: int = 0,
        size_px: tuple[int, int] = (1920, 1080),
        open_camera: Callable[[int], Capture] = _opened,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        patient: bool = False,
    ) -> None:
        """Open the camera.

        Args:
            number: the system's number of the camera.
            size_px: the requested frame size; the camera may choose another.
            open_camera: opens a camera by number.
            clock: monotonic clock, in seconds.
            sleep: waits between two attempts.
            patient: wait for a camera that is not there yet, as for one that was unplugged.

        Raises:
            SourceError: there is no such camera, and ``patient`` is false.
        """
        self._number = number
        self._size_px = size_px
        self._open = open_camera
        self._clock, self._sleep = clock, sleep
        self._closed = False
        # OpenCV crashes if one thread releases a camera that another one reads.
        self._using = threading.Lock()
        self._start_s = clock()
        self._camera = self._found()
        if self._camera is None:
            missing = f"there is no camera webcam:{number}; plug one in, or try another number"
            if not patient:
                raise SourceError(missing)
            log.warning("%s", missing)

    def frames(self) -> Iterator[Frame | None]:
        """Yield frames as they arrive; a camera that stops is reopened until it is back."""
        while not self._closed:
            bgr = self._picture()
            if bgr is not None:
                yield Frame(bgr, self._clock() - self._start_s)
                continue
            yield None
            self._sleep(RETRY_S)
            self._look_again()

    def close(self) -> None:
        """Release the camera, once a picture that is being read has come."""
        self._closed = True
        with self._using:
            self._release()

    def _picture(self) -> Bgr | None:
        """Return the next picture; if none comes, release the camera and return ``None``."""
        with self._using:
            there, bgr = self._camera.read() if self._camera else (False, None)
            if there and bgr is not None and getattr(bgr, "ndim", 0) == 3:
                return np.asarray(bgr, np.uint8)
            self._release()
            return None

    def _look_again(self) -> None:
        camera = None if self._closed else self._found()
        if camera is None:
            return
        with self._using:
            self._camera = camera
            if self._closed:
                self._release()
                return
        log.warning("webcam:%d is there", self._number)

    def _found(self) -> Capture | None:
        camera = self._open(self._number)
        if not camera.isOpened():
            camera.release()
            return None
        width, height = self._size_px
        # Without Motion JPEG, cheap cameras give only a few large frames per second.
        camera.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        camera.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        camera.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
        camera.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        return camera

    def _release(self) -> None:
        if self._camera is not None:
            self._camera.release()
            self._camera = None

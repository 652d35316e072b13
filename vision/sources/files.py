"""Stored frames: a video file, or a folder of pictures in the order of their names."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.core.errors import PictureError
from vision.core.types import Bgr, Frame
from vision.intake.picture import MOST_PIXELS, load_picture
from vision.sources import SourceError

FRAMES_A_SECOND = 10.0
"""Frame rate of a folder, or of a video without a plausible one, unless told otherwise."""
PICTURES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif"})


class FolderSource:
    """The pictures of a folder, all of them, in the order of their names."""

    live = False

    def __init__(self, folder: Path, frames_a_second: float = FRAMES_A_SECOND) -> None:
        self._files = sorted(
            (f for f in _listed(folder) if f.suffix.lower() in PICTURES), key=_name_order
        )
        if not self._files:
            raise SourceError(
                f"there is no picture in {folder}; it takes JPEG, PNG, WebP or HEIC files"
            )
        self._step_s = 1 / frames_a_second
        self._closed = False

    def frames(self) -> Iterator[Frame | None]:
        """Yield each picture; ``None`` for one that cannot be read."""
        for number, file in enumerate(self._files):
            if self._closed:
                return
            bgr = _read(file)
            yield None if bgr is None else Frame(bgr, number * self._step_s)

    def close(self) -> None:
        """Stop after the current picture."""
        self._closed = True


class VideoSource:
    """All frames of a video file, timed by its frame rate."""

    live = False

    def __init__(self, file: Path, frames_a_second: float | None = None) -> None:
        if not file.is_file():
            raise SourceError(f"there is no video {file}")
        self._video = cv2.VideoCapture(str(file))
        # OpenCV crashes if one thread releases a video that another one reads.
        self._using = threading.Lock()
        if not self._video.isOpened():
            raise SourceError(f"{file} is no video that can be read; MP4 and AVI files are")
        said = self._video.get(cv2.CAP_PROP_FPS)
        self._step_s = 1 / (frames_a_second or (said if 1 <= said <= 240 else FRAMES_A_SECOND))

    def frames(self) -> Iterator[Frame | None]:
        """Yield every frame."""
        number = 0
        while True:
            with self._using:
                there, bgr = self._video.read()
            if not there:
                return
            yield Frame(np.asarray(bgr, np.uint8), number * self._step_s)
            number += 1

    def close(self) -> None:
        """Close the file."""
        with self._using:
            self._video.release()


def _listed(folder: Path) -> list[Path]:
    try:
        return [file for file in folder.iterdir() if file.is_file()]
    except OSError as error:
        raise SourceError(f"the folder {folder} cannot be read: {error.strerror}") from error


def _name_order(file: Path) -> list[tuple[int, int, str]]:
    """Return a natural sort key: frame 10 comes after frame 9, with or without leading zeros."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d+)", file.name)
        if part
    ]


def _read(file: Path) -> Bgr | None:
    """Return a picture, upright and blue first; ``None`` if it cannot be read."""
    try:
        return load_picture(file, most_pixels=MOST_PIXELS).bgr
    except PictureError:
        return None

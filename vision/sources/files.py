"""Stored frames: a video file, or a folder of pictures in the order of their names."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.core.types import Bgr, Frame
from vision.sources import SourceError

FRAMES_A_SECOND = 10.0
"""Frame rate of a folder, or of a video without a plausible one, unless told otherwise."""
PICTURES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
MOST_PIXELS = 60_000_000


class FolderSource:
    """The pictures of a folder, all of them, in the order of their names."""

    live = False

    def __init__(self, folder: Path, frames_a_second: float = FRAMES_A_SECOND) -> None:
        self._files = sorted(
            (f for f in _listed(folder) if f.suffix.lower() in PICTURES), key=_name_order
        )
        if not self._files:
            raise SourceError(f"there is no picture in {folder}; it takes JPEG, PNG or WebP files")
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
        data = np.frombuffer(file.read_bytes(), np.uint8)
        bgr = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    except (OSError, cv2.error):
        return None
    if bgr is None or bgr.shape[0] * bgr.shape[1] > MOST_PIXELS:
        return None
    return np.asarray(bgr, np.uint8)

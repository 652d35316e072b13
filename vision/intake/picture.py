"""Opens photographs: JPEG, PNG, WebP and HEIC, turned upright, as BGR, in bounded memory.

What a file declares is checked before a pixel is decoded. Large JPEGs are decoded at a half or a
quarter, which is quicker than decoding them whole and shrinking; ``Picture.finer`` gives all
pixels where tiles turn out to be small.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from vision.core.errors import LargePictureError, PictureError
from vision.core.types import Bgr, Points
from vision.intake.decode import Header, HeaderError, decode, looks_grey, read_header

LARGEST_FILE_BYTES = 80 * 1024 * 1024
MOST_PIXELS = 50_500_000
"""Phones' 48 and 50 megapixels fit: decoded at a half they take 120 MB, as HEIC 280 MB."""
MOST_CONVERTED_PIXELS = 16_500_000
CONVERTED = frozenset(["palette", "alpha", "cmyk"])
"""Palettes, transparency and CMYK are held in copies of 4 bytes a pixel: up to 300 MB."""
MOST_KEPT_BYTES = 200_000_000
"""Decoder memory besides the picture: progressive 4:4:4 JPEGs up to 33 megapixels fit."""
FEWEST_PIXELS_ACROSS = 32
WORKING_PIXELS = 5_200_000
"""Enough for nearly every table; 12 megapixels are then decoded at a half, in 40 % of the time."""
NO_COLOURS = "the picture is grey, so colours cannot be told"


@dataclass(frozen=True, eq=False)
class PictureFile:
    """The bytes of a picture that has passed the checks, not decoded yet."""

    name: str
    """The file's name in messages."""
    data: bytes = field(repr=False)
    header: Header

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the upright picture."""
        width, height = self.header.size_px
        return (height, width) if self.header.orientation >= 5 else (width, height)

    def decode(self, most_pixels: int = WORKING_PIXELS) -> Picture:
        """Return the picture, at a half, a quarter or an eighth where it has more pixels.

        Raises:
            PictureError: the data are damaged.
        """
        width, height = self.size_px
        reduce = next((r for r in (1, 2, 4) if width * height <= most_pixels * r * r), 8)
        bgr = decode(self.data, self.header, self.name, reduce)
        grey = self.header.colours == "grey" or looks_grey(bgr)
        return Picture(bgr, self.size_px, grey, (NO_COLOURS,) if grey else (), self)


@dataclass(frozen=True, eq=False)
class Picture:
    """An upright BGR photograph, perhaps with fewer pixels than its file has."""

    bgr: Bgr
    size_px: tuple[int, int]
    """Width and height of the whole upright picture; outlines are given in its pixels."""
    grey: bool = False
    notes: tuple[str, ...] = ()
    """Remarks for the owner about the picture, each without a full stop."""
    source: PictureFile | None = None
    """The file from which more pixels can be decoded."""

    @property
    def scale(self) -> float:
        """Pixels of the whole picture per pixel of ``bgr``."""
        return self.size_px[0] / float(self.bgr.shape[1])

    def whole_px(self, points_px: Points) -> Points:
        """Return points of ``bgr`` in pixels of the whole picture."""
        stretch = np.array(self.size_px) / (self.bgr.shape[1], self.bgr.shape[0])
        return np.asarray((np.asarray(points_px, np.float64) + 0.5) * stretch - 0.5)

    def own_px(self, whole_px: Points) -> Points:
        """Return points of the whole picture in pixels of ``bgr``."""
        stretch = np.array(self.size_px) / (self.bgr.shape[1], self.bgr.shape[0])
        return np.asarray((np.asarray(whole_px, np.float64) + 0.5) / stretch - 0.5)

    def finer(self, most_pixels: int = MOST_CONVERTED_PIXELS) -> Picture:
        """Return the same picture with more pixels, or itself where there are no more."""
        if self.source is None or self.scale <= 1:
            return self
        return self.source.decode(most_pixels)


def load_picture(path: str | Path, *, most_pixels: int = WORKING_PIXELS) -> Picture:
    """Return the photograph in a file.

    Args:
        path: the file; its kind is recognised by content.
        most_pixels: larger pictures are decoded at a half, a quarter or an eighth.

    Raises:
        PictureError: it cannot be read; one sentence with the file's name and what to do.
    """
    return open_picture(path).decode(most_pixels)


def open_picture(path: str | Path) -> PictureFile:
    """Return a file that has been checked but not decoded.

    Raises:
        PictureError: it is missing, no file, no picture, animated, cut short or too large.
    """
    return picture_file(_read_bytes(path), shown(path))


def picture_file(data: bytes, name: str) -> PictureFile:
    """Return bytes from anywhere (a phone, an archive) as a checked picture."""
    if len(data) > LARGEST_FILE_BYTES:
        raise _too_large(name)
    try:
        header = read_header(data)
    except HeaderError as error:
        raise PictureError(f"{name} {error}") from None
    _check_size(header, name)
    return PictureFile(name, data, header)


def shown(path: str | Path) -> str:
    """Return a file's name as printable text, whatever bytes it consists of."""
    return os.fsencode(path).decode(errors="replace")


# --- Reading the file ---


def _read_bytes(path: str | Path) -> bytes:
    name = shown(path)
    try:
        # Non-blocking: a pipe without a writer, and some devices, would block for ever.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(handle)
            if stat.S_ISREG(facts.st_mode):
                if facts.st_size > LARGEST_FILE_BYTES:
                    raise _too_large(name)
                return file.read(LARGEST_FILE_BYTES + 1)
    except IsADirectoryError:
        raise PictureError(f"{name} is a folder; give the pictures in it") from None
    except FileNotFoundError:
        raise PictureError(f"there is no file {name}") from None
    except PermissionError:
        raise PictureError(f"{name} may not be read; change its permissions") from None
    except OSError as error:
        raise PictureError(f"{name} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise PictureError(f"{name!r} is no file name") from None
    raise PictureError(f"{name} is a pipe or a device; give a file")


def _too_large(name: str) -> PictureError:
    return LargePictureError(
        f"{name} is larger than {LARGEST_FILE_BYTES >> 20} MB; save the picture smaller"
    )


def _check_size(header: Header, name: str) -> None:
    width, height = header.size_px
    if min(width, height) < FEWEST_PIXELS_ACROSS:
        raise PictureError(f"{name} is only {width} x {height} pixels; a table needs 640 x 480")
    most = MOST_CONVERTED_PIXELS if header.colours in CONVERTED else MOST_PIXELS
    if width * height > most:
        raise LargePictureError(
            f"{name} has {width * height / 1e6:.0f} megapixels; at most {most // 1_000_000} are "
            f"read from such a file, 12 are plenty: save it smaller"
        )
    if header.kept_bytes > MOST_KEPT_BYTES:
        raise LargePictureError(
            f"{name} has {width * height / 1e6:.0f} megapixels stored in passes, more than fits "
            "in memory: save it smaller, or not progressive"
        )

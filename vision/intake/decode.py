"""Decodes a checked picture to upright BGR: transparency on white, reduced in size on request."""

from __future__ import annotations

import io
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import cv2
import numpy as np

from vision.core.errors import LargePictureError, PictureError
from vision.core.types import Bgr
from vision.intake.headers import Header

CONVERTED = frozenset(["palette", "alpha", "cmyk"])
ROWS_AT_A_TIME = 64
BLUE_FIRST, RED_FIRST = slice(0, 3), slice(2, None, -1)
"""Channel order of a decoder, as the slice that yields blue, green, red."""
GREY_SPREAD, MOST_COLOURED = 3, 0.001
"""Channels of a grey photograph saved as colour differ by at most this much after JPEG, except
in this share of pixels."""
_HEIC_TROUBLE = (
    ValueError,
    EOFError,
    OSError,
    RuntimeError,
    SyntaxError,
    IndexError,
    KeyError,
    TypeError,
)
"""Exceptions that pillow-heif was seen to raise on damaged files, and related ones."""
_REDUCED = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


def decode(data: bytes, header: Header, name: str, reduce: int) -> Bgr:
    """Return the upright picture with both sides divided by ``reduce`` and rounded up.

    Args:
        data: the bytes that ``header`` was read from.
        header: the parsed header.
        name: the file's name in messages.
        reduce: 1, 2, 4 or 8; large JPEGs decode faster with larger values.

    Raises:
        PictureError: the data are damaged, or do not fit in memory.
    """
    bgr = _turned_upright(_stored_pixels(data, header, name, reduce), header.orientation)
    width, height = header.size_px if header.orientation < 5 else header.size_px[::-1]
    if bgr.shape[:2] != (-(-height // reduce), -(-width // reduce)):
        raise _damaged(header, name)
    return bgr


def heic_size(data: bytes, name: str) -> tuple[int, int]:
    """Return the upright size that a HEIC file declares, as its decoder reports it."""
    try:
        width, height = _opened_heic(data).size
    except _HEIC_TROUBLE:
        raise PictureError(
            f"{name} is a damaged HEIC picture; copy it again from the phone"
        ) from None
    return int(width), int(height)


def looks_grey(bgr: Bgr) -> bool:
    """Say whether all channels are alike, as in a grey photograph that was saved as colour."""
    sample = bgr[:: max(1, bgr.shape[0] // 120), :: max(1, bgr.shape[1] // 160)]
    blue, green, red = cv2.split(np.ascontiguousarray(sample))
    spread = cv2.max(cv2.max(blue, green), red) - cv2.min(cv2.min(blue, green), red)
    return float((spread > GREY_SPREAD).mean()) <= MOST_COLOURED


def _stored_pixels(data: bytes, header: Header, name: str, reduce: int) -> Bgr:
    try:
        if header.kind == "HEIC":
            return _shrunk(_heic_pixels(data, header, name), reduce)
        if header.colours in CONVERTED and header.kind != "WebP":
            return _shrunk(_pillow_pixels(data, header, name), reduce)
        # OpenCV averages only JPEGs while decoding; of other formats it would just drop pixels.
        smaller = reduce if header.kind == "JPEG" else 1
        flags = _REDUCED[smaller] | cv2.IMREAD_IGNORE_ORIENTATION
        if header.colours == "alpha":
            flags = cv2.IMREAD_UNCHANGED
        with decoder_talk() as talk:
            bgr = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except MemoryError:
        raise LargePictureError(f"{name} does not fit in memory; save it smaller") from None
    except cv2.error:
        raise _damaged(header, name) from None
    if bgr is None or says_damaged(talk):
        raise _damaged(header, name)
    pixels = _pixels(bgr)
    return _shrunk(_on_white(pixels) if pixels.shape[2] == 4 else pixels, reduce // smaller)


def _damaged(header: Header, name: str) -> PictureError:
    return PictureError(f"{name} is a damaged {header.kind} picture; copy it again from the camera")


def _shrunk(bgr: Bgr, reduce: int) -> Bgr:
    if reduce == 1:
        return bgr
    size = (-(-bgr.shape[1] // reduce), -(-bgr.shape[0] // reduce))
    return _pixels(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA))


def _opened_heic(data: bytes) -> Any:
    import pillow_heif

    # bgr_mode saves a copy. Of a burst, the primary picture is opened.
    return pillow_heif.open_heif(data, bgr_mode=True)


def _heic_pixels(data: bytes, header: Header, name: str) -> Bgr:
    try:
        pixels = np.asarray(_opened_heic(data))
    except _HEIC_TROUBLE:
        raise _damaged(header, name) from None
    if pixels.ndim == 2:
        return np.repeat(pixels[..., None], 3, axis=2)
    if pixels.shape[2] == 4:
        return _on_white(pixels)
    return np.ascontiguousarray(pixels)


def _pillow_pixels(data: bytes, header: Header, name: str) -> Bgr:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=[header.kind]) as opened:
            if header.colours == "cmyk":
                return np.ascontiguousarray(np.asarray(opened.convert("RGB"))[..., ::-1])
            if opened.mode.startswith("I"):
                # 16-bit grey with a transparent level: Pillow would clip instead of scaling.
                grey = (np.asarray(opened) // 257).astype(np.uint8)
                return np.repeat(grey[..., None], 3, axis=2)
            return _on_white(np.asarray(opened.convert("RGBA")), RED_FIRST)
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError):
        raise _damaged(header, name) from None


def _on_white(rgba: Any, order: slice = BLUE_FIRST) -> Bgr:
    """Composite a transparent picture over white, a few rows at a time to save memory."""
    bgr = np.empty((*rgba.shape[:2], 3), np.uint8)
    for top in range(0, len(rgba), ROWS_AT_A_TIME):
        rows = rgba[top : top + ROWS_AT_A_TIME].astype(np.uint16)
        share = rows[..., 3:]
        mixed = (rows[..., order] * share + 255 * (255 - share) + 127) // 255
        bgr[top : top + ROWS_AT_A_TIME] = mixed
    return bgr


def _turned_upright(bgr: Bgr, orientation: int) -> Bgr:
    mirror = {2: 1, 4: 0, 5: 0, 7: 1}
    turn = {
        3: cv2.ROTATE_180,
        5: cv2.ROTATE_90_CLOCKWISE,
        6: cv2.ROTATE_90_CLOCKWISE,
        7: cv2.ROTATE_90_CLOCKWISE,
        8: cv2.ROTATE_90_COUNTERCLOCKWISE,
    }
    if orientation in mirror:
        bgr = _pixels(cv2.flip(bgr, mirror[orientation]))
    if orientation in turn:
        bgr = _pixels(cv2.rotate(bgr, turn[orientation]))
    return bgr


# --- messages of the decoders, which users must not see ---
# libjpeg and libpng write directly to the process's standard error, which is the only place where
# OpenCV reveals that a picture is damaged.

_ONE_AT_A_TIME = threading.Lock()
LONGEST_TALK_BYTES = 65536

DECODERS = re.compile(
    r"jpeg|jfif|adobe|libpng|png |webp|huffman|premature end|progression|sos param|^warning: ", re.I
)
DAMAGE = re.compile(r"corrupt|premature|invalid|inconsistent|error", re.I)
EXTRANEOUS = re.compile(r"(\d+) extraneous bytes")
HARMLESS_BYTES = 1024
"""Extraneous bytes that are no damage: some cameras append a few; a lost part leaves many more."""


@contextmanager
def decoder_talk() -> Iterator[list[str]]:
    """Collect the lines that decoders write to standard error while the block runs.

    The list is filled when the block ends. Lines of other origin go on to standard error.
    """
    lines: list[str] = []
    with _ONE_AT_A_TIME:
        try:
            screen = os.dup(2)
        except OSError:  # Standard error is closed: there is nothing to collect.
            yield lines
            return
        try:
            with _scratch() as kept:
                os.dup2(kept.fileno(), 2)
                try:
                    yield lines
                finally:
                    os.dup2(screen, 2)
                    kept.seek(0)
                    _sort_out(kept.read(LONGEST_TALK_BYTES), lines)
        finally:
            os.close(screen)


def says_damaged(lines: list[str]) -> bool:
    """Say whether a decoder reported damaged picture data."""
    for line in lines:
        extra = EXTRANEOUS.search(line)
        few_left_over = extra is not None and int(extra[1]) <= HARMLESS_BYTES
        # libpng reports broken pixels as errors; its warnings are about profiles and comments.
        if few_left_over or "libpng warning" in line:
            continue
        if DAMAGE.search(line):
            return True
    return False


def _scratch() -> IO[bytes]:
    """Return a temporary file, in memory if the system allows, so that a full disk does no harm."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create(__name__), "w+b")
    return tempfile.TemporaryFile()


def _sort_out(talk: bytes, lines: list[str]) -> None:
    for raw in talk.splitlines(keepends=True):
        line = raw.decode(errors="replace").strip()
        if DECODERS.search(line):
            lines.append(line)
        elif line:
            os.write(2, raw)


def _pixels(of_opencv: Any) -> Bgr:
    """Return OpenCV's result with its element type, which OpenCV's type hints leave open."""
    return np.asarray(of_opencv, np.uint8)

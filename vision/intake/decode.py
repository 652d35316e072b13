"""What a file says about its picture before a pixel is decoded, and the decoding.

JPEGs are decoded by simplejpeg: straight to BGR, at a half, a quarter or an eighth where that is
enough, and it says what is damaged, which Pillow keeps to itself. The rest is Pillow's work.
"""

from __future__ import annotations

import io
import re
import struct
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np
from PIL import Image, JpegImagePlugin, PngImagePlugin, WebPImagePlugin

from vision.core.errors import LargePictureError, PictureError
from vision.core.types import Bgr

Kind = Literal["JPEG", "PNG", "WebP", "HEIC"]
Colours = Literal["colour", "grey", "palette", "alpha", "cmyk"]

READ = "JPEG, PNG, WebP and HEIC pictures are read"
NO_END = "is cut short: the end of the picture is missing"
ANIMATED = "is animated; give a still picture"
OTHER_KINDS = (
    (b"GIF8", "a GIF"),
    (b"BM", "a BMP picture"),
    (b"II*\0", "a TIFF or raw picture"),
    (b"MM\0*", "a TIFF or raw picture"),
    (b"%PDF", "a PDF"),
    (b"PK\3\4", "a ZIP file"),
    (b"\x1aE\xdf\xa3", "a video"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 picture"),
    (b"\xff\x0a", "a JPEG XL picture"),
    (b"\0\0\0\x0cJXL ", "a JPEG XL picture"),
)
"""First bytes and names of formats that people may mistake for a photograph."""
STILL_HEIC = frozenset([b"heic", b"heix", b"heim", b"heis", b"mif1", b"mif2"])
MOVING_HEIC = frozenset([b"hevc", b"hevx", b"hevm", b"hevs", b"msf1"])
AVIF = frozenset([b"avif", b"avis"])
PNG_START, PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"

MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd7\xff]")
"""A JPEG marker that ends the data of a scan: not an escaped FF, a filler, or a restart."""
MOST_MARKERS = 100_000
MOST_SCANS = 100
"""Maximum scans of a progressive JPEG; encoders write 3 to 12, only attacks on decoders more."""
MOST_TAGS = 512
"""Maximum EXIF entries that are examined; phones write about 20."""

ROWS_AT_A_TIME = 64
"""Pillow's pixels are converted so many rows at a time, so that one copy of all is held."""
GREY_SPREAD, MOST_COLOURED = 3, 0.001
"""Channels of a grey photograph saved as colour differ by at most this much after JPEG, except
in this share of pixels."""
DAMAGE = re.compile(r"corrupt|premature|invalid|inconsistent|error", re.I)
EXTRANEOUS = re.compile(r"(\d+) extraneous bytes")
HARMLESS_BYTES = 1024
"""Extraneous bytes that are no damage: some cameras append a few; a lost part leaves many more."""

_FLIPS = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}
"""OpenCV's flip for each EXIF orientation; from 5 on, rows have become columns before."""
_TROUBLE = (
    *(OSError, ValueError, EOFError, RuntimeError, SyntaxError, LookupError, TypeError),
    *(struct.error, cv2.error, Image.DecompressionBombError),
)
"""What Pillow and pillow-heif raise on damaged and forged files."""


class HeaderError(Exception):
    """A file holds no picture that is read; the message continues after the file's name."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says about its picture."""

    kind: Kind
    size_px: tuple[int, int]
    """Width and height as stored, before it is turned upright."""
    orientation: int = 1
    """EXIF orientation, 1 (upright) to 8."""
    colours: Colours = "colour"
    kept_bytes: int = 0
    """Bytes that the decoder must hold besides the picture itself, at any reduction."""


def read_header(data: bytes) -> Header:
    """Return what the bytes of a file say about the picture in them.

    Raises:
        HeaderError: the data are no picture of the four kinds, are animated, or are cut short.
    """
    kind = _kind(data)
    if len(data) > 32 and (
        (kind == "PNG" and PNG_END not in data)
        or (kind == "WebP" and 8 + int.from_bytes(data[4:8], "little") > len(data))
    ):
        raise HeaderError(NO_END)
    try:
        image = _opened(data, kind)
    except _TROUBLE:
        if kind == "HEIC":
            raise HeaderError("is a damaged HEIC picture; copy it again from the phone") from None
        raise HeaderError("is cut short or damaged: no picture follows its header") from None
    if kind == "JPEG":
        _check_passes(data)
    # A phone's JPEG and HEIC may hold a second picture, for depth or light: the first is read.
    elif kind != "HEIC" and getattr(image, "n_frames", 1) > 1:
        raise HeaderError(ANIMATED)
    # libheif has turned its pictures upright.
    exif = b"" if kind == "HEIC" else image.info.get("exif", b"")
    turn = exif_orientation(exif.removeprefix(b"Exif\0\0"))
    return Header(kind, image.size, turn, _colours(image), _kept_bytes(image))


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
    width, height = header.size_px
    try:
        bgr = _jpeg_pixels(data, header, reduce) if header.kind == "JPEG" else None
        bgr = _pillow_pixels(data, header, reduce) if bgr is None else bgr
    except MemoryError:
        raise LargePictureError(f"{name} does not fit in memory; save it smaller") from None
    except _TROUBLE:
        bgr = None
    if bgr is None or bgr.shape != (-(-height // reduce), -(-width // reduce), 3):
        again = f"{name} is a damaged {header.kind} picture; copy it again from the camera"
        raise PictureError(again)
    if header.orientation >= 5:
        bgr = np.asarray(cv2.transpose(bgr), np.uint8)
    if header.orientation in _FLIPS:
        bgr = np.asarray(cv2.flip(bgr, _FLIPS[header.orientation]), np.uint8)
    return bgr


def looks_grey(bgr: Bgr) -> bool:
    """Say whether all channels are alike, as in a grey photograph that was saved as colour."""
    sample = bgr[:: max(1, bgr.shape[0] // 120), :: max(1, bgr.shape[1] // 160)]
    spread = sample.max(axis=2) - sample.min(axis=2)
    return float((spread > GREY_SPREAD).mean()) <= MOST_COLOURED


def exif_orientation(tiff: bytes) -> int:
    """Return the orientation in EXIF data, 1 (upright) if it has no valid one."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None or len(tiff) < 8:
        return 1
    start = struct.unpack_from(order + "I", tiff, 4)[0] + 2
    entries = tiff[start : start + 12 * MOST_TAGS]
    whole = entries[: len(entries) // 12 * 12]
    for tag, kind, _, value, _ in struct.iter_unpack(order + "HHIHH", whole):
        if tag == 0x0112:
            return value if kind == 3 and 1 <= value <= 8 else 1
    return 1


# --- What a file says about itself ---


def _kind(data: bytes) -> Kind:
    """Return the kind of a picture by its first bytes, never by the file's name."""
    if not data:
        raise HeaderError("is empty")
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data.startswith(PNG_START):
        return "PNG"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WebP"
    if data[4:8] == b"ftyp":
        return _heic(data)
    named = next((name for start, name in OTHER_KINDS if data.startswith(start)), "no picture")
    raise HeaderError(f"is {named}; {READ}")


def _heic(data: bytes) -> Kind:
    brands = data[8 : min(max(int.from_bytes(data[:4]), 16), 512)]
    major, compatible = brands[:4], {brands[i : i + 4] for i in range(8, len(brands) - 3, 4)}
    if AVIF & {major, *compatible}:
        raise HeaderError(f"is an AVIF picture; {READ}")
    if major in MOVING_HEIC:
        raise HeaderError(ANIMATED)
    if major not in STILL_HEIC:
        raise HeaderError(f"is a video or no picture; {READ}")
    return "HEIC"


def _opened(data: bytes, kind: Kind) -> Any:
    """Return Pillow's picture, not decoded yet, whatever its size."""
    if kind == "HEIC":
        from pillow_heif import HeifImageFile

        return HeifImageFile(io.BytesIO(data))  # type: ignore[no-untyped-call]
    with warnings.catch_warnings():
        # Pillow warns of damaged EXIF, of which no table needs more than the turn.
        warnings.simplefilter("ignore")
        if kind == "JPEG":
            return JpegImagePlugin.JpegImageFile(io.BytesIO(data))
        opens = PngImagePlugin.PngImageFile if kind == "PNG" else WebPImagePlugin.WebPImageFile
        return opens(io.BytesIO(data))


def _check_passes(data: bytes) -> None:
    """Refuse a JPEG that does not end, or has more scans than anybody waits for."""
    at, scans, marker = 2, 0, 0
    for _ in range(MOST_MARKERS):
        found = MARKER.search(data, at)
        if found is None:
            raise HeaderError(NO_END)
        marker, at = data[found.end() - 1], found.end()
        scans += marker == 0xDA
        if marker == 0xD9 or scans > MOST_SCANS:
            break
        at += int.from_bytes(data[at : at + 2])
    if marker != 0xD9:
        raise HeaderError("is damaged: it is stored in too many passes")


def _colours(image: Any) -> Colours:
    if image.mode in ("P", "CMYK"):
        return "palette" if image.mode == "P" else "cmyk"
    if image.has_transparency_data:
        return "alpha"
    return "grey" if image.mode[0] in "1LI" else "colour"


def _kept_bytes(image: Any) -> int:
    """Return what a JPEG in passes needs: two bytes per coefficient until the last scan."""
    if not image.info.get("progressive"):
        return 0
    across, down = ([max(1, part[side]) for part in image.layer] for side in (1, 2))
    stored = sum(a * d for a, d in zip(across, down, strict=True))
    return int(2 * image.width * image.height * stored // (max(across) * max(down)))


# --- Pixels ---


def _jpeg_pixels(data: bytes, header: Header, reduce: int) -> Bgr | None:
    """Return a JPEG's pixels; ``None`` where Pillow shall decode it: CMYK, a harmless remark."""
    try:
        from simplejpeg import decode_jpeg
    except ModuleNotFoundError:  # An environment that is older than the locks.
        return None
    if header.colours == "cmyk":
        return None
    width, height = (-(-side // reduce) for side in header.size_px)
    try:
        return np.asarray(decode_jpeg(data, "BGR", min_width=width, min_height=height), np.uint8)
    except ValueError as error:
        extra = EXTRANEOUS.search(str(error))
        if DAMAGE.search(str(error)) and (extra is None or int(extra[1]) > HARMLESS_BYTES):
            raise
        return None


def _pillow_pixels(data: bytes, header: Header, reduce: int) -> Bgr:
    webp = header.kind == "WebP"
    if webp:
        # OpenCV needs half of Pillow's memory here; its pixels are blue first already.
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
        image = Image.fromarray(np.asarray(pixels, np.uint8))
    else:
        image = _opened(data, header.kind)
    if header.kind == "JPEG":
        image.draft(None, (image.width // reduce, image.height // reduce))
        reduce = 1
    image.load()
    bgr = np.empty((-(-image.height // reduce), -(-image.width // reduce), 3), np.uint8)
    for top in range(0, image.height, ROWS_AT_A_TIME):
        rows = _plain(image.crop((0, top, image.width, min(top + ROWS_AT_A_TIME, image.height))))
        if reduce > 1:
            rows = rows.reduce(reduce)
        at = top // reduce
        plain = np.asarray(rows)
        bgr[at : at + rows.height] = plain if webp else cv2.cvtColor(plain, cv2.COLOR_RGB2BGR)
    return bgr


def _plain(image: Image.Image) -> Image.Image:
    """Return rows of a picture as RGB of 8 bits, on white where they are transparent."""
    if image.mode.startswith("I"):
        # Pillow would clip 16 bits instead of scaling.
        image = Image.fromarray((np.asarray(image) // 257).astype(np.uint8))
    elif image.has_transparency_data:
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image.convert("RGBA"))
    return image.convert("RGB")

"""Parses picture headers for kind, size, orientation and colours, before any decoding.

No pixel is decoded and every loop is bounded, so that a forged file costs next to nothing. Kinds
are recognised by content, never by the file's name.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["JPEG", "PNG", "WebP", "HEIC"]
Colours = Literal["colour", "grey", "palette", "alpha", "cmyk"]

MOST_SEGMENTS = 100_000
"""Maximum chunks of one file; a 50-megapixel PNG in chunks of 8 kB has about 20,000."""
MOST_SCANS = 100
"""Maximum scans of a progressive JPEG; encoders write 3 to 12, only attacks on decoders more."""
MOST_TAGS = 512
"""Maximum EXIF entries that are examined; phones write about 20."""

MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd7\xff]")
"""A JPEG marker that ends the data of a scan: not an escaped FF, a filler, or a restart."""

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


class HeaderError(Exception):
    """A header is inconsistent or ends too early; the message continues after a file's name."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says about its picture."""

    kind: Kind
    size_px: tuple[int, int]
    """Width and height as stored, before it is turned upright; zeros for HEIC, whose size is read
    with ``heic_size``."""
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
    if not data:
        raise HeaderError("is empty")
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data)
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    if data[4:8] == b"ftyp":
        return _heic(data)
    named = next((name for start, name in OTHER_KINDS if data.startswith(start)), None)
    if named is None:
        raise HeaderError("is no picture; JPEG, PNG, WebP and HEIC pictures are read")
    raise HeaderError(f"is {named}; JPEG, PNG, WebP and HEIC pictures are read")


def exif_orientation(tiff: bytes) -> int:
    """Return the orientation in EXIF data, 1 (upright) if it has no valid one."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None or len(tiff) < 8:
        return 1
    (at,) = struct.unpack_from(order + "I", tiff, 4)
    if at + 2 > len(tiff):
        return 1
    (count,) = struct.unpack_from(order + "H", tiff, at)
    for entry in range(min(count, MOST_TAGS)):
        place = at + 2 + 12 * entry
        if place + 12 > len(tiff):
            break
        tag, kind, _, value = struct.unpack_from(order + "HHIH", tiff, place)
        if tag == 0x0112:
            return value if kind == 3 and 1 <= value <= 8 else 1
    return 1


# --- JPEG ---


def _jpeg(data: bytes) -> Header:
    frame: tuple[int, bytes] | None = None
    orientation = 1
    scans_at = None
    for marker, start, end in _jpeg_segments(data):
        if marker == 0xDA:
            scans_at = end
            break
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            frame = (marker, data[start:end])
        if marker == 0xE1 and data[start : start + 6] == b"Exif\0\0" and orientation == 1:
            orientation = exif_orientation(data[start + 6 : end])
    if frame is None or scans_at is None or len(frame[1]) < 6:
        raise HeaderError("is cut short or damaged: no picture follows its header")
    passes = _more_scans(data, scans_at)
    if passes is None:
        raise HeaderError("is cut short: the end of the picture is missing")
    if passes > MOST_SCANS:
        raise HeaderError("is damaged: it is stored in too many passes")
    return _jpeg_frame(*frame, orientation)


def _jpeg_frame(marker: int, body: bytes, orientation: int) -> Header:
    height, width, parts = struct.unpack_from(">HHB", body, 1)
    if parts not in (1, 3, 4) or len(body) < 6 + 3 * parts:
        raise HeaderError(f"is damaged: a JPEG with {parts} colour channels")
    colours: Colours = {1: "grey", 3: "colour", 4: "cmyk"}[parts]  # type: ignore[assignment]
    kept = 0
    if marker not in (0xC0, 0xC1):
        # A progressive picture is held as two bytes per coefficient until the last scan.
        factors = [divmod(body[7 + 3 * part], 16) for part in range(parts)]
        most = max(1, *(h for h, _ in factors)) * max(1, *(v for _, v in factors))
        kept = 2 * width * height * sum(h * v for h, v in factors) // most
    return Header("JPEG", (width, height), orientation, colours, kept)


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield marker, start and end of each segment up to the first scan."""
    at = 2
    for _ in range(MOST_SEGMENTS):
        while data[at : at + 2] == b"\xff\xff":
            at += 1
        if at + 4 > len(data) or data[at] != 0xFF:
            return
        marker, (length,) = data[at + 1], struct.unpack_from(">H", data, at + 2)
        if length < 2:
            return
        yield marker, at + 4, at + 2 + length
        at += 2 + length


def _more_scans(data: bytes, at: int) -> int | None:
    """Return how many scans follow the first one, in whose data ``at`` lies.

    Whatever follows the picture, such as the film of a motion photo, is not looked at; ``None`` if
    the picture does not end.
    """
    scans = 0
    for _ in range(MOST_SEGMENTS):
        found = MARKER.search(data, at)
        if found is None:
            return None
        marker, at = data[found.end() - 1], found.end()
        if marker == 0xD9:
            return scans
        scans += marker == 0xDA
        at += int.from_bytes(data[at : at + 2])
    return MOST_SEGMENTS


# --- PNG ---


def _png(data: bytes) -> Header:
    if data[12:16] != b"IHDR" or len(data) < 33:
        raise HeaderError("is cut short or damaged: no picture follows its header")
    width, height, _, colour_type = struct.unpack_from(">IIBB", data, 16)
    known: dict[int, Colours] = {0: "grey", 2: "colour", 3: "palette", 4: "alpha", 6: "alpha"}
    if colour_type not in known:
        raise HeaderError(f"is damaged: colour type {colour_type} is unknown in PNG")
    colours, orientation, ended = known[colour_type], 1, False
    for name, start, end in _png_chunks(data):
        if name == b"acTL":
            raise HeaderError("is animated; give a still picture")
        if name == b"tRNS" and colours in ("grey", "colour"):
            colours = "alpha"
        if name == b"eXIf":
            orientation = exif_orientation(data[start : min(end, start + 65536)])
        ended = ended or name == b"IEND"
    if not ended:
        raise HeaderError("is cut short: the end of the picture is missing")
    return Header("PNG", (width, height), orientation, colours)


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    at = 8
    for _ in range(MOST_SEGMENTS):
        if at + 12 > len(data):
            return
        length, name = struct.unpack_from(">I4s", data, at)
        if at + 12 + length > len(data):
            return
        yield name, at + 8, at + 8 + length
        if name == b"IEND":
            return
        at += 12 + length


# --- WebP ---


def _webp(data: bytes) -> Header:
    chunks = list(_webp_chunks(data))
    if not chunks:
        raise HeaderError("is cut short or damaged: no picture follows its header")
    if 8 + struct.unpack_from("<I", data, 4)[0] > len(data):
        raise HeaderError("is cut short: the end of the picture is missing")
    names = {name for name, _, _ in chunks}
    if names & {b"ANIM", b"ANMF"}:
        raise HeaderError("is animated; give a still picture")
    orientation = 1
    for name, start, end in chunks:
        if name == b"EXIF":
            exif = data[start : min(end, start + 65536)]
            orientation = exif_orientation(exif.removeprefix(b"Exif\0\0"))
    picture = next((chunk for chunk in chunks if chunk[0] in (b"VP8 ", b"VP8L")), None)
    if picture is None:
        raise HeaderError("is damaged: it holds no picture")
    width, height, alpha = _webp_size(data, picture)
    colours: Colours = "alpha" if alpha or b"ALPH" in names else "colour"
    return Header("WebP", (width, height), orientation, colours)


def _webp_size(data: bytes, picture: tuple[bytes, int, int]) -> tuple[int, int, bool]:
    name, start, end = picture
    if end - start < 10:
        raise HeaderError("is cut short or damaged: no picture follows its header")
    if name == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, start + 1)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, bool(bits >> 28 & 1)
    width, height = struct.unpack_from("<HH", data, start + 6)
    return width & 0x3FFF, height & 0x3FFF, False


def _webp_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    at = 12
    for _ in range(MOST_SEGMENTS):
        if at + 8 > len(data):
            return
        name, length = struct.unpack_from("<4sI", data, at)
        yield name, at + 8, min(at + 8 + length, len(data))
        at += 8 + length + length % 2


# --- HEIC ---


def _heic(data: bytes) -> Header:
    (length,) = struct.unpack_from(">I", data)
    brands = data[8 : min(max(length, 16), 512)]
    major, compatible = brands[:4], {brands[i : i + 4] for i in range(8, len(brands) - 3, 4)}
    if AVIF & {major, *compatible}:
        raise HeaderError("is an AVIF picture; JPEG, PNG, WebP and HEIC pictures are read")
    if major in MOVING_HEIC:
        raise HeaderError("is animated; give a still picture")
    if major not in STILL_HEIC:
        raise HeaderError("is a video or no picture; JPEG, PNG, WebP and HEIC pictures are read")
    return Header("HEIC", (0, 0))

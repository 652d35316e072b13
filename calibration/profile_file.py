"""Saves and loads profiles: one small JSON file with a format version.

The file is replaced in one step, so that a power cut leaves either the old or the new one. Every
number is checked on loading.
"""

from __future__ import annotations

import base64
import contextlib
import os
import tempfile
from pathlib import Path
from typing import Annotated, Any

import cv2
import msgspec
import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import asdict

from calibration.errors import ProfileError
from calibration.profile import Array, Lens, Light, Profile, TablePlane

FORMAT, VERSION = "snake-eye/profile", 1
LARGEST_FILE_BYTES = 1_000_000
LARGEST_REFERENCE_PX = 1_000

Number = Annotated[float, Meta(ge=-1e9, le=1e9)]
Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Side = Annotated[int, Meta(ge=1, le=20_000)]
Level = Annotated[float, Meta(ge=1, le=255)]
Slope = Annotated[float, Meta(ge=-1.9, le=1.9)]
Row = tuple[Number, Number, Number]


class _Lens(Struct, forbid_unknown_fields=True):
    matrix: tuple[Row, Row, Row]
    distortion: tuple[Number, Number, Number, Number, Number]
    rms_px: Number | None
    used: Count
    pictures: Count


class _Table(Struct, forbid_unknown_fields=True):
    mm_from_px: tuple[Row, Row, Row]
    learnt_from: str
    residual_mm: Number


class _Light(Struct, forbid_unknown_fields=True):
    white_bgr: tuple[Level, Level, Level]
    slope: tuple[Slope, Slope]


class _File(Struct, forbid_unknown_fields=True):
    """What a file says, every key of it; the lens's size is the profile's."""

    format: str
    version: int
    size_px: tuple[Side, Side]
    lens: _Lens | None
    table: _Table | None
    light: _Light | None
    reference_png: str | None


# --- Saving ---


def save_profile(profile: Profile, path: Path) -> None:
    """Write a profile in one step: after a crash the file is either the old or the new one.

    Raises:
        ProfileError: the file cannot be written.
    """
    data = msgspec.json.format(msgspec.json.encode(_written(profile)), indent=1) + b"\n"
    scratch = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(scratch).chmod(0o644)
        Path(scratch).replace(path)
        scratch = None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ProfileError(f"the profile {path} cannot be written: {why}") from None
    finally:
        if scratch is not None:
            with contextlib.suppress(OSError):
                Path(scratch).unlink()


def _written(profile: Profile) -> dict[str, Any]:
    """Return what the file says."""
    said = msgspec.to_builtins(profile, enc_hook=lambda array: array.tolist())
    reference = None
    if profile.reference is not None:
        png = cv2.imencode(".png", profile.reference)[1].tobytes()
        reference = base64.b64encode(png).decode("ascii")
    del said["reference"]
    if said["lens"]:
        del said["lens"]["size_px"]
    return {"format": FORMAT, "version": VERSION, **said, "reference_png": reference}


# --- Loading ---


def load_profile(path: Path) -> Profile:
    """Return a saved profile.

    Raises:
        ProfileError: the file is missing or invalid; the message says what to do.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except FileNotFoundError:
        raise ProfileError(
            f"there is no profile at {path}; 'snake-eye calibrate' makes one"
        ) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ProfileError(f"the profile {path} cannot be read: {why}") from None
    if len(data) > LARGEST_FILE_BYTES:
        raise ProfileError(f"{path} is too large for a profile; was another file meant?")
    try:
        value = msgspec.json.decode(data)
    except (ValueError, RecursionError):
        raise ProfileError(f"{path} is no profile: it is not JSON") from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ProfileError(f"{path} is no profile: its format is not {FORMAT!r}")
    if value.get("version") != VERSION:
        raise ProfileError(
            f"{path} has profile version {value.get('version')!r}, and this program reads "
            f"{VERSION}: calibrate again, or update the program"
        )
    try:
        return _read(value)
    except (ValueError, RecursionError) as error:
        raise ProfileError(f"{path}: {error}; calibrate again to make a new profile") from None


def _read(value: dict[str, Any]) -> Profile:
    """Return the profile that a file describes; a ``ValueError`` says what no camera has."""
    file = msgspec.convert(value, _File)
    lens = table = None
    if file.lens is not None:
        matrix = np.array(file.lens.matrix, np.float64)
        if matrix[2].tolist() != [0, 0, 1] or min(matrix[0, 0], matrix[1, 1]) <= 0:
            raise ValueError("lens.matrix is not what a camera has")
        bent = np.array(file.lens.distortion, np.float64)
        fit = file.lens.rms_px, file.lens.used, file.lens.pictures
        lens = Lens(file.size_px, matrix, bent, *fit)
    if file.table is not None:
        mm = np.array(file.table.mm_from_px, np.float64)
        if abs(np.linalg.det(mm)) < 1e-12 * np.abs(mm).max() ** 3:
            raise ValueError("table.mm_from_px is not what a camera over a table has")
        table = TablePlane(mm, file.table.learnt_from, file.table.residual_mm)
    light = None if file.light is None else Light(**asdict(file.light))
    reference = None if file.reference_png is None else _picture(file.reference_png)
    return Profile(file.size_px, lens, table, light, reference)


def _picture(text: str) -> Array:
    """Return the grey picture that a text holds."""
    data = base64.b64decode(text) if text.isascii() else b""
    # The size in the PNG header is checked before anything is decoded.
    declared = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    sound = data[:4] == b"\x89PNG" and all(0 < side <= LARGEST_REFERENCE_PX for side in declared)
    gray = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE) if sound else None
    if gray is None:
        most = f"{LARGEST_REFERENCE_PX} pixels across"
        raise ValueError(f"reference_png must be a grey PNG of at most {most}, in base64")
    return np.asarray(gray)

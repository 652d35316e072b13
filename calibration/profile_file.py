"""Saves and loads profiles: one small JSON file with a format version.

The file is replaced in one step, so that a power cut leaves either the old or the new one. Every
number is checked on loading.
"""

from __future__ import annotations

import base64
import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np

from calibration.errors import ProfileError
from calibration.profile import Array, Lens, Light, Profile, TablePlane

FORMAT = "snake-eye/profile"
VERSION = 1
LARGEST_FILE_BYTES = 1_000_000
LARGEST_SIDE_PX = 20_000
LARGEST_REFERENCE_PX = 1_000
LARGEST = 1e9
"""Largest absolute value that is accepted for any number of a profile."""
PARTS = {"lens": Lens, "table": TablePlane, "light": Light}


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
    """Return what the file says: the lens's size is the profile's."""
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
    for place in _too_large(value, ""):
        raise ValueError(f"{place} must be a number up to {LARGEST:g}")
    _known(value, {"format", "version", "size_px", *PARTS, "reference_png"}, "")
    for name, kind in PARTS.items():
        if isinstance(part := value.get(name), dict):
            _known(part, {field.name for field in fields(kind)} - {"size_px"}, f"{name}.")
    if isinstance(lens := value.get("lens"), dict):
        lens["size_px"] = value.get("size_px")
    value["reference"] = value.get("reference_png")
    profile = msgspec.convert(value, Profile, dec_hook=_array)
    for name, is_so in _checks(profile):
        if not is_so:
            raise ValueError(f"{name} is not what a camera over a table has")
    return profile


def _too_large(value: object, place: str) -> Iterator[str]:
    """Yield where a number is larger than any of a profile."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _too_large(inner, f"{place}.{key}".lstrip("."))
    elif isinstance(value, int | float) and abs(value) > LARGEST:
        yield place


def _known(part: dict[str, Any], keys: set[str], place: str) -> None:
    for key in sorted(part.keys() ^ keys):
        raise ValueError(f"{place}{key} is {'missing' if key in keys else 'not known'}")


def _array(_: type, value: object) -> Array:
    """Return the numbers of a list, or the picture that a text holds."""
    if not isinstance(value, str):
        return np.array(value, np.float64)
    data = base64.b64decode(value) if value.isascii() else b""
    # The size in the PNG header is checked before anything is decoded.
    declared = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    sound = data[:4] == b"\x89PNG" and all(0 < side <= LARGEST_REFERENCE_PX for side in declared)
    gray = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE) if sound else None
    if gray is None:
        most = f"{LARGEST_REFERENCE_PX} pixels across"
        raise ValueError(f"reference_png must be a grey PNG of at most {most}, in base64")
    return np.asarray(gray)


def _checks(profile: Profile) -> Iterator[tuple[str, bool]]:
    yield "size_px", all(0 < side <= LARGEST_SIDE_PX for side in profile.size_px)
    if (lens := profile.lens) is not None:
        matrix = lens.matrix
        yield "lens.matrix", matrix.shape == (3, 3) and matrix[2].tolist() == [0, 0, 1]
        yield "lens.matrix", bool(min(matrix[0, 0], matrix[1, 1]) > 0)
        yield "lens.distortion", lens.distortion.shape == (5,)
    if (table := profile.table) is not None:
        mm = table.mm_from_px
        turns_round = mm.shape == (3, 3) and abs(np.linalg.det(mm)) >= 1e-12 * np.abs(mm).max() ** 3
        yield "table.mm_from_px", bool(turns_round)
    if (light := profile.light) is not None:
        yield "light.white_bgr", all(1 <= level <= 255 for level in light.white_bgr)
        yield "light.slope", max(map(abs, light.slope)) <= 1.9
    if profile.reference is not None:
        yield "reference_png", profile.reference.dtype == np.uint8

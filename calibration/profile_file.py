"""Saves and loads profiles: one small JSON file with a format version.

The file is replaced atomically, so that a power cut leaves either the old or the new one. Every
number is checked on loading.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
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


# --- Saving ---


def save_profile(profile: Profile, path: Path) -> None:
    """Write a profile atomically: after a crash the file is either the old or the new one.

    Raises:
        ProfileError: the file cannot be written.
    """
    text = json.dumps(profile_to_json(profile), indent=1) + "\n"
    scratch = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
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


def profile_to_json(profile: Profile) -> dict[str, Any]:
    """Return a profile as a JSON-serialisable dictionary."""
    lens, table, light = profile.lens, profile.table, profile.light
    return {
        "format": FORMAT,
        "version": VERSION,
        "size_px": list(profile.size_px),
        "lens": lens
        and {
            "matrix": lens.matrix.tolist(),
            "distortion": lens.distortion.tolist(),
            "rms_px": lens.rms_px,
            "used": lens.used,
            "pictures": lens.pictures,
        },
        "table": table
        and {
            "mm_from_px": table.mm_from_px.tolist(),
            "learnt_from": table.learnt_from,
            "residual_mm": table.residual_mm,
        },
        "light": light and {"white_bgr": list(light.white_bgr), "slope": list(light.slope)},
        "reference_png": None if profile.reference is None else _png_text(profile.reference),
    }


def _png_text(gray: Array) -> str:
    _, data = cv2.imencode(".png", gray)
    return base64.b64encode(data.tobytes()).decode("ascii")


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
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise ProfileError(f"{path} is no profile: it is not JSON") from None
    return profile_from_json(value, str(path))


def profile_from_json(value: object, place: str) -> Profile:
    """Return the profile that a JSON value describes.

    Args:
        value: a value as ``profile_to_json`` returns it.
        place: the name of the profile in messages.

    Raises:
        ProfileError: the value is not a valid profile.
    """
    top = _Reader(place, value)
    if top.get("format") != FORMAT:
        raise ProfileError(f"{place} is no profile: its format is not {FORMAT!r}")
    if top.get("version") != VERSION:
        raise ProfileError(
            f"{place} has profile version {top.get('version')!r}, and this program reads "
            f"{VERSION}: calibrate again, or update the program"
        )
    top.only("format", "version", "size_px", "lens", "table", "light", "reference_png")
    width, height = top.numbers("size_px", 2)
    if not all(n == int(n) and 0 < n <= LARGEST_SIDE_PX for n in (width, height)):
        raise top.wrong("size_px", "width and height in pixels")
    size = (int(width), int(height))
    return Profile(
        size,
        _lens_from(top.part("lens"), size),
        _table_from(top.part("table")),
        _light_from(top.part("light")),
        _reference_from(top),
    )


class _Reader:
    """One JSON object of a profile, with its place for messages."""

    def __init__(self, place: str, value: object) -> None:
        if not isinstance(value, dict):
            raise ProfileError(f"{place} is no profile: a JSON object was expected")
        self.place = place
        self.value: Mapping[str, Any] = value

    def get(self, key: str) -> Any:
        return self.value.get(key)

    def wrong(self, key: str, expected: str) -> ProfileError:
        return ProfileError(
            f"{self.place}: {key!r} must be {expected}; calibrate again to make a new profile"
        )

    def only(self, *keys: str) -> None:
        unknown = sorted(set(self.value) - set(keys))
        if unknown:
            raise ProfileError(f"{self.place}: {unknown[0]!r} is not known in a profile")

    def part(self, key: str) -> _Reader | None:
        value = self.get(key)
        return None if value is None else _Reader(f"{self.place}, {key}", value)

    def numbers(self, key: str, *shape: int) -> Array:
        try:
            array = np.array(self.get(key), np.float64)
        except (ValueError, TypeError, OverflowError):
            array = np.array([])
        if array.shape != shape or not np.isfinite(array).all() or np.abs(array).max() > LARGEST:
            raise self.wrong(key, f"{' x '.join(map(str, shape)) or 'one'} numbers")
        return array

    def number(self, key: str) -> float:
        value = self.get(key)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not abs(value) <= LARGEST
        ):
            raise self.wrong(key, "a number")
        return float(value)


def _lens_from(part: _Reader | None, size_px: tuple[int, int]) -> Lens | None:
    if part is None:
        return None
    part.only("matrix", "distortion", "rms_px", "used", "pictures")
    matrix = part.numbers("matrix", 3, 3)
    if matrix[0, 0] <= 0 or matrix[1, 1] <= 0 or matrix[2].tolist() != [0, 0, 1]:
        raise part.wrong("matrix", "a camera matrix")
    rms = None if part.get("rms_px") is None else part.number("rms_px")
    used, pictures = int(part.number("used")), int(part.number("pictures"))
    return Lens(size_px, matrix, part.numbers("distortion", 5), rms, used, pictures)


def _table_from(part: _Reader | None) -> TablePlane | None:
    if part is None:
        return None
    part.only("mm_from_px", "learnt_from", "residual_mm")
    mm_from_px = part.numbers("mm_from_px", 3, 3)
    if abs(np.linalg.det(mm_from_px)) < 1e-12 * np.abs(mm_from_px).max() ** 3:
        raise part.wrong("mm_from_px", "a map that can be turned round")
    return TablePlane(mm_from_px, str(part.get("learnt_from")), part.number("residual_mm"))


def _light_from(part: _Reader | None) -> Light | None:
    if part is None:
        return None
    part.only("white_bgr", "slope")
    blue, green, red = (float(v) for v in part.numbers("white_bgr", 3))
    across, down = (float(v) for v in part.numbers("slope", 2))
    if not all(1 <= v <= 255 for v in (blue, green, red)) or max(abs(across), abs(down)) > 1.9:
        raise part.wrong("white_bgr", "the colour of white paper")
    return Light((blue, green, red), (across, down))


def _reference_from(top: _Reader) -> Array | None:
    text = top.get("reference_png")
    if text is None:
        return None
    expected = f"a grey PNG of at most {LARGEST_REFERENCE_PX} pixels across"
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise top.wrong("reference_png", expected) from None
    # The size in the PNG header is checked before anything is decoded.
    declared = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if data[:4] != b"\x89PNG" or not all(0 < side <= LARGEST_REFERENCE_PX for side in declared):
        raise top.wrong("reference_png", expected)
    gray = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    if gray is None:
        raise top.wrong("reference_png", expected)
    return np.asarray(gray)

"""From photographs of a pattern to a profile: lens, table, light and a reference picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from calibration.errors import PatternError
from calibration.lens import LensFit, learn_lens
from calibration.moved import remembered
from calibration.pattern import Pattern
from calibration.profile import Light, Profile, times
from calibration.sheet import Sighting
from calibration.table import light_from_sheet, plane_from_sheet


@dataclass(frozen=True, eq=False)
class Photo:
    """One photograph; ``bgr`` may have fewer pixels than the file."""

    name: str
    bgr: Any
    size_px: tuple[int, int]
    """Width and height of the full-size picture; the profile uses its pixels."""


@dataclass(frozen=True, eq=False)
class Learnt:
    """The profile learnt from photographs, and which photographs were not used."""

    pictures: int
    """Number of photographs."""
    profile: Profile | None = None
    """``None`` if no photograph shows the pattern."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Name and reason of each picture that was not used."""
    notes: tuple[str, ...] = ()

    @property
    def used(self) -> int:
        """Number of photographs that the lens was learnt from."""
        return self.pictures - len(self.left_out)


@dataclass(frozen=True, eq=False)
class _Seen:
    name: str
    size_px: tuple[int, int]
    sighting: Sighting
    light: Light | None
    reference: Any


def learn_profile(photos: Iterable[Photo], pattern: Pattern) -> Learnt:
    """Learn a profile from photographs of a pattern.

    The last photograph that shows the printed sheet gives the table and the light: the sheet must
    lie flat on the table there, and the camera must hang as it will in play.

    Args:
        photos: processed one at a time, so that they need not fit in memory together.
        pattern: the pattern that they show.
    """
    seen: list[_Seen] = []
    left_out: list[tuple[str, str]] = []
    pictures = 0
    for photo in photos:
        pictures += 1
        found = _look_at(photo, pattern)
        if found is None:
            left_out.append((photo.name, f"{pattern.words} is not seen in it"))
        else:
            seen.append(found)
    if not seen:
        return Learnt(pictures, left_out=tuple(left_out))
    size_px = Counter(one.size_px for one in seen).most_common(1)[0][0]
    left_out += [
        (one.name, f"it has {times(one.size_px)} pixels, the others {times(size_px)}")
        for one in seen
        if one.size_px != size_px
    ]
    alike = [one for one in seen if one.size_px == size_px]
    fit = learn_lens([one.sighting for one in alike], size_px)
    left_out += [
        (one.name, f"it contradicts the others by {error:.1f} pixels")
        for one, used, error in zip(alike, fit.used, fit.rms_px, strict=True)
        if not used
    ]
    kept = [one for one, used in zip(alike, fit.used, strict=True) if used]
    profile, notes = _profile(fit, kept[-1], pattern, pictures)
    return Learnt(pictures, profile, tuple(left_out), notes)


def _look_at(photo: Photo, pattern: Pattern) -> _Seen | None:
    gray = cv2.cvtColor(photo.bgr, cv2.COLOR_BGR2GRAY)
    sighting = pattern.find(gray)
    if sighting is None:
        return None
    light = light_from_sheet(photo.bgr, sighting) if pattern.in_millimetres else None
    stretch = np.array(photo.size_px) / (gray.shape[1], gray.shape[0])
    whole = sighting.in_pixels_of((sighting.seen_px + 0.5) * stretch - 0.5)
    return _Seen(photo.name, photo.size_px, whole, light, remembered(gray))


def _profile(
    fit: LensFit, last: _Seen, pattern: Pattern, pictures: int
) -> tuple[Profile, tuple[str, ...]]:
    lens = replace(fit.lens, pictures=pictures)
    profile = Profile(last.size_px, lens, light=last.light, reference=last.reference)
    if not pattern.in_millimetres:
        return profile, fit.notes
    try:
        return replace(profile, table=plane_from_sheet(last.sighting, lens)), fit.notes
    except PatternError as error:
        return profile, (*fit.notes, str(error))

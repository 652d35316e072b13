"""Learns a lens from sightings of a board, or assumes an ordinary one if there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.errors import PatternError
from calibration.profile import Lens
from calibration.sheet import Sighting

USUAL_FOCAL = 0.8
"""Focal length as a share of the longer side: phones and the Pi's cameras have 0.72 to 0.88."""
FOR_EVERYTHING, FOR_BENDING = 5, 3
"""Sightings needed to learn all five distortion coefficients, and to learn any distortion."""
REACH_FOR_K3, REACH_FOR_K2 = 0.6, 0.4
"""How far from the centre the board must have been seen, as a share of the half diagonal, to learn
``k3`` and ``k2``; fitted to the middle alone, they put the corners off by 7 px of 960."""
BAD_PX, BAD_TIMES = 2.0, 5.0
"""A picture is left out if its error exceeds both this many pixels and this multiple of the median.
OpenCV's own photos, refined in too wide a window, reach 1.2 px and 6 times: they are kept."""
MOST_LEFT_OUT = 1 / 3
FOCAL_DOUBT = 0.05
"""Relative standard error of the focal length above which it is assumed, not learnt: boards that
are all parallel to the sensor do not determine it."""
FOCAL_RANGE = (0.3, 10.0)
FOCAL_ONLY = (
    cv2.CALIB_FIX_PRINCIPAL_POINT
    | cv2.CALIB_FIX_ASPECT_RATIO
    | cv2.CALIB_ZERO_TANGENT_DIST
    | cv2.CALIB_FIX_K1
    | cv2.CALIB_FIX_K2
    | cv2.CALIB_FIX_K3
)


@dataclass(frozen=True, eq=False)
class LensFit:
    """A learnt lens, and which sightings it was learnt from."""

    lens: Lens
    used: tuple[bool, ...]
    rms_px: tuple[float, ...]
    """Reprojection error of each sighting; for those left out, the error that excluded it."""
    notes: tuple[str, ...] = ()


def assumed_lens(size_px: tuple[int, int]) -> Lens:
    """Return the lens of an ordinary camera without distortion."""
    width, height = size_px
    focal = USUAL_FOCAL * max(size_px)
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
    return Lens(size_px, matrix, np.zeros(5))


def learn_lens(sightings: Sequence[Sighting], size_px: tuple[int, int]) -> LensFit:
    """Return the lens that fits the sightings best.

    Sightings that fit far worse than the others (a bent sheet, a moving camera) are left out one at
    a time, the worst first.

    Raises:
        PatternError: there is no sighting at all.
    """
    if not sightings:
        raise PatternError("no picture shows the pattern")
    kept = list(range(len(sightings)))
    errors = [0.0] * len(sightings)
    while True:
        fit, notes = _fit([sightings[i] for i in kept], size_px)
        for i, error in zip(kept, fit.errors, strict=True):
            errors[i] = error
        worst = max(kept, key=lambda i: errors[i])
        limit = max(BAD_PX, BAD_TIMES * float(np.median(fit.errors)))
        room = len(sightings) - len(kept) < int(len(sightings) * MOST_LEFT_OUT)
        if errors[worst] <= limit or not room:
            break
        kept.remove(worst)
    used = tuple(i in kept for i in range(len(sightings)))
    lens = Lens(size_px, fit.matrix, fit.distortion, fit.rms, len(kept), len(sightings))
    return LensFit(lens, used, tuple(errors), notes)


@dataclass(frozen=True, eq=False)
class _Fit:
    rms: float
    matrix: Any
    distortion: Any
    errors: list[float]


def _fit(sightings: list[Sighting], size_px: tuple[int, int]) -> tuple[_Fit, tuple[str, ...]]:
    """Return the lens that as many sightings can determine, and what to tell about it."""
    if len(sightings) >= FOR_EVERYTHING:
        flags = _unseen_bending(sightings, size_px)
    elif len(sightings) >= FOR_BENDING:
        flags = cv2.CALIB_FIX_K3 | cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_PRINCIPAL_POINT
    else:
        flags = FOCAL_ONLY
    fit = _solve(sightings, size_px, flags)
    if fit is not None:
        few = "few pictures: at least 5, tilted differently, would show how the lens bends"
        return fit, (few,) if len(sightings) < FOR_EVERYTHING else ()
    flags = FOCAL_ONLY | cv2.CALIB_FIX_FOCAL_LENGTH
    fixed = _solve(sightings, size_px, flags, doubt=False)
    assert fixed is not None
    flat = "all pictures show the pattern flat to the camera: an ordinary focal length is assumed"
    return fixed, (flat,)


def _unseen_bending(sightings: list[Sighting], size_px: tuple[int, int]) -> int:
    """Return OpenCV's flags that fix the coefficients which boards near the middle cannot show."""
    middle = (np.array(size_px) - 1) / 2
    seen_px = np.concatenate([sighting.seen_px for sighting in sightings])
    reach = np.linalg.norm(seen_px - middle, axis=1).max() / np.linalg.norm(middle)
    k3 = 0 if reach >= REACH_FOR_K3 else cv2.CALIB_FIX_K3
    return k3 | (0 if reach >= REACH_FOR_K2 else cv2.CALIB_FIX_K2)


def _solve(
    sightings: list[Sighting], size_px: tuple[int, int], flags: int, *, doubt: bool = True
) -> _Fit | None:
    """Return OpenCV's solution; ``None`` if its focal length is unreliable."""
    matrix: Any = None
    distortion: Any = None
    if flags:
        distortion = np.zeros(5)
        matrix = assumed_lens(size_px).matrix.copy()
        flags |= cv2.CALIB_USE_INTRINSIC_GUESS
    try:
        rms, matrix, distortion, _, _, deviations, _, errors = cv2.calibrateCameraExtended(
            [s.board.astype(np.float32) for s in sightings],
            [s.seen_px.astype(np.float32).reshape(-1, 1, 2) for s in sightings],
            size_px,
            matrix,
            distortion,
            flags=flags,
        )
    except cv2.error:
        if doubt:
            return None
        raise PatternError(
            "the pattern was seen, but no lens explains its corners; take the photos again"
        ) from None
    focal, doubtful = float(matrix[0, 0]), float(deviations.reshape(-1)[0])
    sane = FOCAL_RANGE[0] * max(size_px) < focal < FOCAL_RANGE[1] * max(size_px)
    if doubt and not (sane and np.isfinite(rms) and doubtful < FOCAL_DOUBT * focal):
        return None
    return _Fit(
        float(rms),
        np.asarray(matrix, np.float64),
        np.asarray(distortion, np.float64).ravel()[:5],
        [float(e) for e in errors.reshape(-1)],
    )

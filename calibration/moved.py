"""Detects whether the camera was knocked since its profile was made, from any later frame.

Small pieces of the profile's reference picture are matched separately in the new frame, so that a
hand, a lamp or new tiles spoil only a few pieces. If enough pieces stayed in place against the
common movement, things on the table were moved, not the camera.
"""

from __future__ import annotations

from typing import Any, Literal

import cv2
import numpy as np

from calibration.profile import Profile, mapped

REFERENCE_PX = 480
"""Longer side of the reference picture: about 100 kB, and a piece is located to 0.1 px."""
PIECE_PX, STEP_PX = 40, 28
REACH_PX = 20
"""Search radius of a piece; harder knocks are found by matching features."""
FEWEST_DETAIL = 6.0
"""Least contrast of a piece in its weaker direction, in grey levels; others are not matched."""
SURE_MATCH = 0.75
DISTINCT = 0.06
"""Least lead of a piece's best match over the second best; repeated patterns do not reach it."""
SAME_PX = 0.6
"""Inlier distance of a piece to a common movement: 0.1 px of noise, and some for the tiles'
thickness in a changed view."""
FEWEST_PIECES = 8
FOR_PERSPECTIVE = 20
"""Least points to fit a homography; with fewer, only a shift, a turn and a scale are fitted."""
STAYED, FOLLOWING, STAYED_AGAINST = 0.8, 0.4, 0.2
"""Shares of the pieces: above the first the camera stands still, below the second there is no
common movement, and from the third on pieces that stayed put show that things were moved."""
MOVED_PX = 0.75
"""Least movement that counts, in pixels of the reference: 3 pixels of 1920."""
FEATURES, FEWEST_FEATURES, FEATURE_SHARE = 1500, 25, 0.25
FEATURES_PX = 2.0
"""Inlier distance of a feature to a common movement."""

Verdict = Literal["still", "moved", "unsure"]


def remembered(bgr: Any) -> Any:
    """Return the small grey reference picture that a profile keeps of its table."""
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY) if bgr.ndim == 3 else bgr
    scale = REFERENCE_PX / max(gray.shape)
    if scale >= 1:
        return gray.copy()
    return cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def movement_since(profile: Profile, bgr: Any) -> Verdict:
    """Say whether the camera moved since the profile's picture was taken.

    Args:
        profile: the profile; without a reference picture the answer is unsure.
        bgr: a later frame of the same aspect ratio, of any size.
    """
    then = profile.reference
    if then is None:
        return "unsure"
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    now = cv2.resize(gray, then.shape[::-1], interpolation=cv2.INTER_AREA)
    start, shift = _pieces(then, now)
    if len(start) >= FEWEST_PIECES:
        stayed = np.linalg.norm(shift, axis=1) < SAME_PX
        moved, follows = _common(start, start + shift, SAME_PX)
        against = (stayed & ~follows).sum() >= max(FEWEST_PIECES // 2, STAYED_AGAINST * len(start))
        if stayed.mean() > STAYED or against:
            return "still"
        if follows.sum() >= max(FEWEST_PIECES, FOLLOWING * len(start)):
            return "moved" if moved >= MOVED_PX else "still"
    start, shift = _features(then, now)
    if len(start) < FEWEST_FEATURES:
        return "unsure"
    moved, follows = _common(start, start + shift, FEATURES_PX)
    if follows.sum() < max(FEWEST_FEATURES, FEATURE_SHARE * len(start)):
        return "unsure"
    return "moved" if moved >= MOVED_PX else "still"


def _common(start: Any, end: Any, reach_px: float) -> tuple[float, Any]:
    """Return how far the movement of most points goes at most, and which points follow it."""
    if len(start) < FOR_PERSPECTIVE:
        turn, _ = cv2.estimateAffinePartial2D(start, end, ransacReprojThreshold=reach_px)
        common = None if turn is None else np.vstack([turn, [0.0, 0.0, 1.0]])
    else:
        common, _ = cv2.findHomography(start, end, cv2.USAC_MAGSAC, reach_px, maxIters=5000)
    if common is None:
        return 0.0, np.zeros(len(start), bool)
    there = mapped(common, start)
    follows = np.linalg.norm(there - end, axis=1) < 2 * reach_px
    # Measured at the matched points, not at the picture's corners, where the map extrapolates.
    return float(np.linalg.norm(there - start, axis=1)[follows].max(initial=0.0)), follows


# --- Small movements: pieces ---


def _pieces(then: Any, now: Any) -> tuple[Any, Any]:
    """Return the centres of pieces that were found again, and the shift of each."""
    height, width = then.shape
    starts, shifts = [], []
    for top in range(0, height - PIECE_PX + 1, STEP_PX):
        for left in range(0, width - PIECE_PX + 1, STEP_PX):
            piece = then[top : top + PIECE_PX, left : left + PIECE_PX]
            shift = _shift_of(piece, now, left, top) if _detail(piece) >= FEWEST_DETAIL else None
            if shift is not None:
                starts.append((left + (PIECE_PX - 1) / 2, top + (PIECE_PX - 1) / 2))
                shifts.append(shift)
    return np.array(starts).reshape(-1, 2), np.array(shifts).reshape(-1, 2)


def _detail(piece: Any) -> float:
    """Return the contrast of a piece in its weaker direction: the smaller structure eigenvalue."""
    across = np.diff(piece.astype(np.float32), axis=1)[:-1].ravel()
    down = np.diff(piece.astype(np.float32), axis=0)[:, :-1].ravel()
    spread = np.array([[across @ across, across @ down], [across @ down, down @ down]])
    return float(np.sqrt(max(np.linalg.eigvalsh(spread / across.size)[0], 0.0))) * 2


def _shift_of(piece: Any, now: Any, left: int, top: int) -> Any:
    """Return how far a piece has shifted; ``None`` if it is not found or found twice."""
    low_x, low_y = max(0, left - REACH_PX), max(0, top - REACH_PX)
    area = now[low_y : top + PIECE_PX + REACH_PX, low_x : left + PIECE_PX + REACH_PX]
    match = cv2.matchTemplate(area, piece, cv2.TM_CCOEFF_NORMED)
    _, best, _, (x, y) = cv2.minMaxLoc(match)
    rows, columns = match.shape
    if best < SURE_MATCH or not (0 < x < columns - 1 and 0 < y < rows - 1):
        return None
    fine_x = _peak(match[y, x - 1 : x + 2])
    fine_y = _peak(match[y - 1 : y + 2, x])
    match[max(0, y - 3) : y + 4, max(0, x - 3) : x + 4] = -1
    if float(match.max()) > best - DISTINCT:
        return None
    return (low_x + x + fine_x - left, low_y + y + fine_y - top)


def _peak(three: Any) -> float:
    """Return the subpixel offset of a peak, from a parabola through three neighbours."""
    before, middle, after = (float(v) for v in three)
    bend = before - 2 * middle + after
    return 0.0 if bend >= 0 else float(np.clip((before - after) / (2 * bend), -0.5, 0.5))


# --- Hard knocks: features ---


def _features(then: Any, now: Any) -> tuple[Any, Any]:
    """Return the places of features that were found again, and the shift of each."""
    finder, light = cv2.ORB.create(FEATURES, fastThreshold=7), cv2.createCLAHE(2.0, (6, 6))
    places_then, words_then = finder.detectAndCompute(light.apply(then), None)
    places_now, words_now = finder.detectAndCompute(light.apply(now), None)
    if words_then is None or words_now is None or len(words_now) < 2:
        return np.zeros((0, 2)), np.zeros((0, 2))
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(words_then, words_now, k=2)
    good = [p[0] for p in pairs if len(p) == 2 and p[0].distance < 0.8 * p[1].distance]
    start = np.array([places_then[m.queryIdx].pt for m in good]).reshape(-1, 2)
    return start, np.array([places_now[m.trainIdx].pt for m in good]).reshape(-1, 2) - start

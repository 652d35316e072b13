"""Detects whether the camera was knocked since its profile was made, from any later frame.

Small pieces of the profile's reference picture are matched separately in the new frame, so that a
hand, a lamp or new tiles spoil only a few pieces. If enough pieces stayed in place against the
common movement, things on the table were moved, not the camera.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np

from calibration.profile import Profile, mapped

REFERENCE_PX = 480
"""Longer side of the reference picture: about 100 kB, and a piece is located to 0.1 px."""
PIECE_PX = 40
STEP_PX = 28
REACH_PX = 20
"""Search radius of a piece; harder knocks are found by matching features."""
REACH_AGAIN_PX = 8
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
STAYED_SHARE = 0.2
MOVED_PX = 0.75
"""Least movement that counts, in pixels of the reference: 3 pixels of 1920."""
FEATURES = 1500
FEWEST_FEATURES = 25
FEATURE_SHARE = 0.25


@dataclass(frozen=True, eq=False)
class Movement:
    """Whether a camera moved, and how its pictures moved with it."""

    verdict: Literal["still", "moved", "unsure"]
    shift_px: float = 0.0
    """Largest shift of any matched point, in pixels of the profile's size."""
    now_from_then: Any = None
    """Homography between straightened pixels of the profile's size; ``None`` when unsure."""


def remembered(bgr: Any) -> Any:
    """Return the small grey reference picture that a profile keeps of its table."""
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY) if bgr.ndim == 3 else bgr
    scale = REFERENCE_PX / max(gray.shape)
    if scale >= 1:
        return gray.copy()
    return cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def movement_since(profile: Profile, bgr: Any) -> Movement:
    """Say whether the camera moved since the profile's picture was taken.

    Args:
        profile: the profile; without a reference picture the answer is unsure.
        bgr: a later frame of the same aspect ratio, of any size.
    """
    if profile.reference is None:
        return Movement("unsure")
    then = profile.reference
    size = (then.shape[1], then.shape[0])
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    now = cv2.resize(gray, size, interpolation=cv2.INTER_AREA)
    scale = np.array(profile.size_px) / size
    start, end, still = _followed_pieces(then, now)
    if still:
        return Movement("still", 0.0, np.eye(3))
    if start is None:
        start, end = _followed_features(then, now)
    if start is None:
        return Movement("unsure")
    start, end = _looked_again(then, now, start, end)
    return _movement(profile, (start + 0.5) * scale - 0.5, (end + 0.5) * scale - 0.5, scale)


def _looked_again(then: Any, now: Any, start: Any, end: Any) -> tuple[Any, Any]:
    """Undo the estimated movement and match the pieces again, to refine it."""
    now_from_then = _common_map(start, end)
    if now_from_then is None:
        return start, end
    size = (then.shape[1], then.shape[0])
    back = cv2.warpPerspective(
        now, now_from_then, size, flags=cv2.WARP_INVERSE_MAP + cv2.INTER_LINEAR
    )
    again, shift = _pieces(then, back, reach=REACH_AGAIN_PX)
    close = np.linalg.norm(shift, axis=1) < REACH_AGAIN_PX - 1
    if close.sum() < max(FEWEST_PIECES, len(start) // 4):
        return start, end
    return again[close], mapped(now_from_then, (again + shift)[close])


def _common_map(start: Any, end: Any, reach: float = 3 * SAME_PX) -> Any:
    """Return the map that most points follow: a homography, or a similarity for few points."""
    if len(start) < FOR_PERSPECTIVE:
        turn, _ = cv2.estimateAffinePartial2D(start, end, ransacReprojThreshold=reach)
        return None if turn is None else np.vstack([turn, [0.0, 0.0, 1.0]])
    homography, _ = cv2.findHomography(start, end, cv2.USAC_MAGSAC, reach, maxIters=5000)
    return homography


def _movement(profile: Profile, start_px: Any, end_px: Any, scale: Any) -> Movement:
    """Return the movement of matched points, given in pixels of the profile's size."""
    then, now = profile.straight_px(start_px), profile.straight_px(end_px)
    now_from_then = _common_map(then, now, 2 * SAME_PX * float(scale.mean()))
    if now_from_then is None:
        return Movement("unsure")
    # Measured at the matched points, not at the picture's corners, where the map extrapolates.
    shift = float(np.linalg.norm(mapped(now_from_then, then) - then, axis=1).max())
    if not np.isfinite(shift) or shift > 2 * max(profile.size_px):
        return Movement("unsure")
    if shift < MOVED_PX * float(scale.mean()):
        return Movement("still", shift, np.eye(3))
    return Movement("moved", shift, np.asarray(now_from_then))


# --- Small movements: pieces ---


def _followed_pieces(then: Any, now: Any) -> tuple[Any, Any, bool]:
    """Return the old and new places of pieces, and whether they show that nothing moved."""
    start, shift = _pieces(then, now)
    if len(start) < FEWEST_PIECES:
        return None, None, False
    stayed = np.linalg.norm(shift, axis=1) < SAME_PX
    if stayed.mean() > 0.8:
        return None, None, True
    common = _common_map(start, start + shift, SAME_PX)
    follows = np.zeros(len(start), bool)
    if common is not None:
        follows = np.linalg.norm(mapped(common, start) - start - shift, axis=1) < 2 * SAME_PX
    # Pieces that stayed in place although the common movement would have shifted them.
    against = stayed & ~follows
    if against.sum() >= max(FEWEST_PIECES // 2, STAYED_SHARE * len(start)):
        return None, None, True
    if follows.sum() < max(FEWEST_PIECES, 0.4 * len(start)):
        return None, None, False
    return start[follows], (start + shift)[follows], False


def _pieces(then: Any, now: Any, reach: int = REACH_PX) -> tuple[Any, Any]:
    """Return the centres of pieces that were found again, and the shift of each."""
    height, width = then.shape
    starts, shifts = [], []
    for top in range(0, height - PIECE_PX + 1, STEP_PX):
        for left in range(0, width - PIECE_PX + 1, STEP_PX):
            piece = then[top : top + PIECE_PX, left : left + PIECE_PX]
            if _detail(piece) < FEWEST_DETAIL:
                continue
            shift = _found_again(piece, now, left, top, reach)
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


def _found_again(piece: Any, now: Any, left: int, top: int, reach: int) -> Any:
    low_x, low_y = max(0, left - reach), max(0, top - reach)
    area = now[low_y : top + PIECE_PX + reach, low_x : left + PIECE_PX + reach]
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


def _followed_features(then: Any, now: Any) -> tuple[Any, Any]:
    """Return the old and new places of matched features; ``None`` twice if too few agree."""
    finder = cv2.ORB.create(FEATURES, fastThreshold=7)
    light = cv2.createCLAHE(2.0, (6, 6))
    places_then, words_then = finder.detectAndCompute(light.apply(then), None)
    places_now, words_now = finder.detectAndCompute(light.apply(now), None)
    if words_then is None or words_now is None or len(words_now) < 2:
        return None, None
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(words_then, words_now, k=2)
    good = [p[0] for p in pairs if len(p) == 2 and p[0].distance < 0.8 * p[1].distance]
    if len(good) < FEWEST_FEATURES:
        return None, None
    start = np.array([places_then[m.queryIdx].pt for m in good])
    end = np.array([places_now[m.trainIdx].pt for m in good])
    homography, common = cv2.findHomography(start, end, cv2.USAC_MAGSAC, 2.0, maxIters=5000)
    if homography is None:
        return None, None
    follows = common.reshape(-1) > 0
    if follows.sum() < max(FEWEST_FEATURES, FEATURE_SHARE * len(good)):
        return None, None
    return start[follows], end[follows]

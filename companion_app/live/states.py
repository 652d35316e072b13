"""Detects from frames alone whether the scene is still, moving, dark or jolted, or has a hand.

A downscaled picture of each frame is compared with the previous one, to see movement, and with
the last settled one, to see new things. Arms reach in over the picture's border while cups and
tiles do not, which tells a resting arm from a thing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion_app.live.changed_view import (
    as_if_knocked,
    carried_over,
    in_light_of,
    is_other_light,
    is_shifted,
)
from companion_app.live.seats import Reach, reach_of
from vision import Bgr, Frame

Small = NDArray[np.float32]
Levels = NDArray[np.float32]
Mask = NDArray[np.bool_]

# Levels are colour values of 0 to 255, shares are of the downscaled picture.
REMEMBERED = 4
"""Reference pictures kept: when an arm taken for a thing leaves, an older one matches again."""
WIDTH_PX = 320
"""Width of the downscaled picture: 24 pixels of 1280, a tile, become 6; noise averages out."""
MOVING_LEVELS = 14.0
MOVING_SHARE = 0.0012
"""Share of moving pixels, about 70 of 57,600: a finger, but not the flicker of a lamp."""
NEW_LEVELS = 20.0
CHANGED_SHARE = 0.0004
"""Share of clearly new pixels, about 20 of 57,600: a part of a tile."""
FAINT_LEVELS = 9.0
"""Faintest new thing, a brown arm over a brown table; noise usually stays below 5 levels."""
DIM_LEVELS = 3.5
"""``FAINT_LEVELS`` for dim pixels: a black sleeve over a black floor."""
DIM_BELOW = 40.0
"""Level below which a pixel is dim."""
ABOVE_NOISE = 7.0
"""Factor on the median difference, the noise, that a difference must exceed to count."""
GAP_PX = 5
"""Widest gap that is closed in a shape, such as sleeve stripes that look like the table."""
HAND_SHARE = 0.0012
"""Smallest hand: the fingers that lay a tile close to the picture's border."""
JOLT_SHARE = 0.45
"""Share of clearly new pixels above which light or camera has changed; no hand is so large."""
DARK_LEVEL = 16.0
ABSORB_S = 1.5
"""Seconds after which a motionless shape at the border is light or a thing: hands tremble."""
TREMBLING_LEVELS = 7.0
PARTING_S = 0.25
"""Seconds within which a hand that no longer touches the border must have trembled."""
LEFT_SHARE = 0.6
"""Share of a hand's largest size above which it is still there, even off the border: its
sleeve may look like the floor."""
STILL_S = 0.35
"""Seconds without movement before a sudden change can be a lamp or a knocked camera."""
TREMBLING_SHARE = 0.02
"""Share of a shape's pixels that must have changed lately for it to be a hand."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What one frame says about the scene."""

    moving: bool = False
    hand: bool = False
    dark: bool = False
    jolt: bool = False
    """Most of the picture differs from the settled one."""
    changed: bool = True
    """Whether anything differs from the settled picture."""
    reach: Reach | None = None
    """From where the hand reaches in, if it is the only one."""

    @property
    def still(self) -> bool:
        """Say whether the table can be looked at."""
        return not (self.moving or self.hand or self.dark)


class Watcher:
    """Keeps the reference pictures that each frame is compared with."""

    def __init__(self) -> None:
        self._before: Small | None = None
        self._settled: deque[Small] = deque(maxlen=REMEMBERED)
        """Pictures of the table without a hand, newest last."""
        self._changed_s: Small | None = None
        """By pixel: the time of its last change, in seconds."""
        self._largest = 0
        """Largest number of new pixels since a hand came in; 0 without a hand."""
        self._begins = False
        """Whether something faint reaches in: the tip of an arm, or the edge of a sunbeam."""
        self._begun = False
        """The value of ``_begins`` when the newest picture without a hand was taken."""

    def see(self, frame: Frame) -> Glimpse:
        """Return what a frame shows, and keep it to compare the next frame with."""
        small = self._small(frame.bgr)
        before, self._before = self._before, small
        if self._is_dark(small):
            return Glimpse(dark=True)
        if any(old.shape != small.shape for old in self._settled):
            self._settled.clear()
        if before is None or before.shape != small.shape or self._is_dark(before):
            return Glimpse(moving=True)
        off = _apart(small, before * gain_between(small, before))
        moved = off > self._above_noise(off, MOVING_LEVELS)
        self._note_changes(small, before, off, frame.taken_at_s)
        if not self._settled:
            moving = self._is_much(moved)
            if not moving:
                # No reference without a hand is known yet, so the first still frame becomes it.
                self._settled.append(small)
            return Glimpse(moving=moving)
        lit = in_light_of(small, self._settled[-1])
        off = _apart(small, lit)
        new = self._new(small, lit, off)
        # Movement counts only where the table differs from the reference; elsewhere it has left.
        moving = self._is_much(moved & new)
        clearly = float((off > NEW_LEVELS).mean())
        changed = clearly > CHANGED_SHARE
        reaching = self._reaching_in(new)
        self._begins = not changed and bool(reaching.any())
        if not changed:
            # A sunbeam's edge is this faint all over, a hand is not.
            self._largest = 0
            return Glimpse(moving, changed=False)
        now_s = frame.taken_at_s
        jolt = clearly > JOLT_SHARE
        jolt = jolt or (not moving and self._is_knocked(small, reaching, now_s))
        hand = not jolt and self._has_hand(small, new, reaching, now_s)
        return Glimpse(moving, hand, jolt=jolt, reach=reach_of(reaching) if hand else None)

    def recall(self, bgr: Bgr) -> None:
        """Use a kept picture as the reference without a hand, before any frame is seen."""
        self._settled.append(self._small(bgr))

    def settle(self) -> None:
        """Use the newest frame as the reference without a hand.

        If something faint reaches in, the older reference is kept too: it may be the tip of an arm.
        """
        if self._before is not None:
            if self._settled and (self._begun or not self._begins):
                self._settled.pop()
            self._settled.append(self._before)
            self._begun = self._begins

    def forget(self) -> None:
        """Drop all reference pictures: the camera has moved."""
        self._settled.clear()

    def _is_dark(self, small: Small) -> bool:
        return float(small.mean()) < DARK_LEVEL

    def _small(self, bgr: Bgr) -> Small:
        height, width = bgr.shape[:2]
        size = WIDTH_PX, max(1, round(WIDTH_PX * height / width))
        small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        return np.asarray(cv2.GaussianBlur(small, (0, 0), 1.0), np.float32)

    def _is_much(self, moved: Mask) -> bool:
        return float(moved.mean()) > MOVING_SHARE

    def _is_knocked(self, small: Small, reaching: Mask, now_s: float) -> bool:
        """Say whether the camera was knocked; if so, this picture becomes the only reference.

        A resting arm adds edges of its own, so the rest of the picture must have moved too.
        """
        if not reaching.any():
            return False
        knocked = is_shifted(small, self._settled[-1], reaching)
        if not knocked and self._was_still(now_s):
            knocked = any(self._is_turned(small, old) for old in self._settled)
        if knocked:
            self._settled.clear()
            self._settled.append(small)
        return knocked

    def _is_turned(self, small: Small, old: Small) -> bool:
        """Say whether a knocked camera explains the difference to an older picture, with no arm."""
        both = as_if_knocked(small, old)
        if both is None:
            return False
        lit = in_light_of(*both)
        off = _apart(both[0], lit)
        if self._above_noise(off, FAINT_LEVELS) > FAINT_LEVELS:
            return False
        return not self._reaching_in(self._new(both[0], lit, off)).any()

    def _above_noise(self, off: Levels, levels: float) -> float:
        """Return the level above which a difference exceeds the noise; at least ``levels``."""
        return max(levels, ABOVE_NOISE * float(np.median(off.ravel()[::13])))

    def _new(self, small: Small, lit: Small, off: Levels) -> Mask:
        """Return where a picture differs from the reference, adjusted to the current light."""
        new = np.asarray(off > self._above_noise(off, FAINT_LEVELS))
        # Dim pixels get a threshold of their own, so that a black sleeve is not lost in the noise.
        dim = _strongest(np.asarray(cv2.max(small, lit))) < DIM_BELOW
        if dim.any():
            new[dim] = off[dim] > self._above_noise(off[dim], DIM_LEVELS)
        return new

    def _reaching_in(self, new: Mask) -> Mask:
        """Return where something new and large enough reaches in over the border."""
        gap = np.ones((GAP_PX,) * 2, np.uint8)
        joined = cv2.morphologyEx(new.astype(np.uint8), cv2.MORPH_CLOSE, gap)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
        # Closing extends shapes to the border that are only near it, so look at new pixels alone.
        own = np.where(new, labels, 0)
        rim = np.unique(np.concatenate([own[0], own[-1], own[:, 0], own[:, -1]]))
        least = HAND_SHARE * new.size
        large = [k for k in rim if 0 < k < count and stats[k, cv2.CC_STAT_AREA] > least]
        return np.asarray(np.isin(labels, large)) if large else np.zeros(new.shape, bool)

    def _looks_as_before(self, small: Small) -> bool:
        """Say whether an older reference matches: an arm that was taken for a thing has left."""
        older = (in_light_of(small, old) for old in list(self._settled)[:-1])
        return any(
            not self._reaching_in(self._new(small, lit, _apart(small, lit))).any() for lit in older
        )

    def _has_hand(self, small: Small, new: Mask, reaching: Mask, now_s: float) -> bool:
        """Say whether a hand reaches in, or has reached in and is still over the table."""
        count = int(new.sum())
        if self._reaches_in(small, reaching, now_s):
            self._largest = max(self._largest, count)
            return True
        much = count > LEFT_SHARE * self._largest > 0
        if much and self._trembles(new, now_s, PARTING_S):
            return True
        self._largest = 0
        return False

    def _reaches_in(self, small: Small, reaching: Mask, now_s: float) -> bool:
        """Say whether a shape at the border is a hand; add motionless ones to the reference."""
        if not reaching.any() or self._looks_as_before(small):
            return False
        count, labels = cv2.connectedComponents(reaching.astype(np.uint8))
        parts = [labels == number for number in range(1, count)]
        lying = [p for p in parts if not self._trembles(p, now_s, ABSORB_S)]
        if lying:
            known = in_light_of(small, self._settled[-1])
            for part in lying:
                known[part] = small[part]
            self._settled.append(known)
        return len(lying) < len(parts)

    def _trembles(self, part: Mask, now_s: float, within_s: float) -> bool:
        if self._changed_s is None:
            return True
        lately = self._changed_s[part] > now_s - within_s
        return float(lately.mean()) > TREMBLING_SHARE

    def _note_changes(self, small: Small, before: Small, off: Levels, now_s: float) -> None:
        """Update each pixel's time of change; a change of light is not movement."""
        if self._changed_s is None or self._changed_s.shape != small.shape[:2]:
            self._changed_s = np.full(small.shape[:2], now_s, np.float32)
        elif self._was_still(now_s) and is_other_light(small, before):
            lit = [carried_over(old, before, small) for old in self._settled]
            self._settled.extend(lit)
            return
        self._changed_s[off > self._above_noise(off, TREMBLING_LEVELS)] = now_s

    def _was_still(self, now_s: float) -> bool:
        assert self._changed_s is not None
        lately = self._changed_s > now_s - STILL_S
        return float(lately.mean()) < MOVING_SHARE


def _apart(one: Small, other: Small) -> Levels:
    """Return the largest difference over the colour channels, by pixel.

    Brightness alone would miss a red tile on an equally bright brown table.
    """
    return _strongest(np.asarray(cv2.absdiff(one, other)))


def _strongest(picture: Small) -> Levels:
    """Return the largest value over the channels, by pixel; numpy takes ten times as long."""
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def gain_between(one: NDArray[np.float32], other: NDArray[np.float32]) -> np.float32:
    """Return the gain of one picture over another, from 0.4 to 2.5.

    The median of ratios by pixel ignores an arm that covers less than half of the pixels. Only
    the brighter half is used, since dark pixels are coarsely quantised; every eighth row and
    column is enough.
    """
    now, before = one[::8, ::8], other[::8, ::8]
    bright = before >= max(1.0, float(np.median(before)))
    if not bright.any():
        return np.float32(1.0)
    return np.float32(min(2.5, max(0.4, float(np.median(now[bright] / before[bright])))))

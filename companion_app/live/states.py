"""What goes on above the table, from the frames alone: still, moving, a hand, darkness, a jolt.

A small picture of each frame is held against the one before (does anything move?) and
against the last settled one (is something there that was not?). Arms come in over the picture's
border, cups and tiles do not: that tells them apart, also when an arm lies still.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion_app.live.knocked import as_if_knocked
from companion_app.live.lighting import carried_over, in_light_of, is_other_light, is_shifted
from vision import Bgr, Frame

Small = NDArray[np.float32]
Levels = NDArray[np.float32]
Mask = NDArray[np.bool_]

REMEMBERED = 4
"""A still arm that was taken for a thing and leaves again shows a table seen before."""


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """Thresholds in levels of 255 of a colour, and shares of the small picture."""

    width_px: int = 320
    """At 1280 pixels a tile of 24 is 6 wide here, and sensor noise is averaged away."""
    moving_levels: float = 14.0
    moving_share: float = 0.0012
    """About 70 of 57,600 pixels: a finger, but not the flicker of a lamp."""
    new_levels: float = 20.0
    changed_share: float = 0.0004
    """About 20 pixels that are clearly new: a part of a tile."""
    faint_levels: float = 9.0
    """A brown arm over a brown table; noise of a usual picture stays below 5 levels."""
    dim_levels: float = 3.5
    dim_below: float = 40.0
    """The same where a picture is darker than that: a black sleeve over a black floor."""
    above_noise: float = 7.0
    """In a noisier one so many times what half of the pixels differ by."""
    gap_px: int = 5
    """Stripes of a sleeve that look like the table are not wider."""
    hand_share: float = 0.0012
    """The fingers of a hand that lays a tile close to the picture's border."""
    jolt_share: float = 0.45
    """So much of the picture different at once is light or camera, not a hand."""
    dark_level: float = 16.0
    absorb_s: float = 1.5
    """What lies stone-still at the border for so long is light or a thing: hands tremble."""
    trembling_levels: float = 7.0
    parting_s: float = 0.25
    left_share: float = 0.6
    """A hand that has come in over the border is there as long as so much of it is, and trembles:
    its sleeve may look like the floor."""
    still_s: float = 0.35
    """When a lamp is switched, nothing has moved for so long."""
    trembling_share: float = 0.02
    """So much of what reaches in must change from frame to frame to be a hand."""


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

    @property
    def still(self) -> bool:
        """Say whether the table can be looked at."""
        return not (self.moving or self.hand or self.dark)


class Watcher:
    """Holds the small pictures that a frame is compared with."""

    def __init__(self, settings: WatchSettings | None = None) -> None:
        self.settings = settings or WatchSettings()
        self._before: Small | None = None
        self._settled: deque[Small] = deque(maxlen=REMEMBERED)
        """What the table looked like without a hand, the newest last."""
        self._changed_s: Small | None = None
        """When each pixel changed last."""
        self._largest = 0
        """How many pixels were new at most since a hand came in; 0 without one."""
        self._begins = False
        """Whether something faint reaches in: the first of an arm, or the edge of a sunbeam."""
        self._begun = False
        """Whether it did so already when the table was last taken to be without a hand."""

    def see(self, frame: Frame) -> Glimpse:
        """Return what a frame shows; it becomes the one that the next is compared with."""
        small = self._small(frame.bgr)
        before, self._before = self._before, small
        if self._is_dark(small):
            return Glimpse(dark=True)
        if any(old.shape != small.shape for old in self._settled):
            self._settled.clear()
        if before is None or before.shape != small.shape or self._is_dark(before):
            return Glimpse(moving=True)
        moved = self._moved(small, before)
        self._note_changes(small, before, frame.taken_at_s)
        if not self._settled:
            moving = self._is_much(moved)
            if not moving:
                # Nothing better is known yet to hold a hand against.
                self._settled.append(small)
            return Glimpse(moving=moving)
        lit = in_light_of(small, self._settled[-1])
        off = _apart(small, lit)
        new = self._new(small, lit, off)
        # Where the table looks as it did without a hand, what moved has left.
        moving = self._is_much(moved & new)
        clearly = float((off > self.settings.new_levels).mean())
        changed = clearly > self.settings.changed_share
        self._begins = not changed and bool(self._reaching_in(new).any())
        if not changed:
            # No hand is as faint as that all over, but the edge of a sunbeam is.
            self._largest = 0
            return Glimpse(moving, changed=False)
        now_s = frame.taken_at_s
        jolt = clearly > self.settings.jolt_share
        jolt = jolt or (not moving and self._is_knocked(small, new, now_s))
        return Glimpse(moving, not jolt and self._has_hand(small, new, now_s), jolt=jolt)

    def recall(self, bgr: Bgr) -> None:
        """Take a kept picture as what the table looks like without a hand, before any frame."""
        self._settled.append(self._small(bgr))

    def settle(self) -> None:
        """Take the newest frame as what the table looks like without a hand.

        What faintly reaches in may be the first of an arm: the table without it is remembered too.
        """
        if self._before is not None:
            if self._settled and (self._begun or not self._begins):
                self._settled.pop()
            self._settled.append(self._before)
            self._begun = self._begins

    def forget(self) -> None:
        """Forget what the table looked like: the camera hangs differently now."""
        self._settled.clear()

    def _is_dark(self, small: Small) -> bool:
        return float(small.mean()) < self.settings.dark_level

    def _small(self, bgr: Bgr) -> Small:
        height, width = bgr.shape[:2]
        size = self.settings.width_px, max(1, round(self.settings.width_px * height / width))
        small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        return np.asarray(cv2.GaussianBlur(small, (0, 0), 1.0), np.float32)

    def _moved(self, small: Small, before: Small) -> Mask:
        off = _apart(small, before * gain_between(small, before))
        return np.asarray(off > self._above_noise(off, self.settings.moving_levels))

    def _is_much(self, moved: Mask) -> bool:
        return float(moved.mean()) > self.settings.moving_share

    def _is_knocked(self, small: Small, new: Mask, now_s: float) -> bool:
        """Say whether the camera hangs differently now; go on from how the table looks by now.

        A resting arm has edges of its own: what lies beside it must have moved too.
        """
        reaching = self._reaching_in(new)
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
        """Say whether a picture is an older one as a knocked camera sees it: no arm reaches in."""
        both = as_if_knocked(small, old)
        if both is None:
            return False
        lit = in_light_of(*both)
        off = _apart(both[0], lit)
        if self._above_noise(off, self.settings.faint_levels) > self.settings.faint_levels:
            return False
        return not self._reaching_in(self._new(both[0], lit, off)).any()

    def _above_noise(self, off: Levels, levels: float) -> float:
        """Return from how many levels on a difference is more than the noise of a dim picture."""
        return max(levels, self.settings.above_noise * float(np.median(off.ravel()[::13])))

    def _new(self, small: Small, lit: Small, off: Levels) -> Mask:
        """Return where a picture is not what it would be without a hand, in the same light."""
        new = np.asarray(off > self._above_noise(off, self.settings.faint_levels))
        # What has become dark is no noise, but perhaps a black sleeve.
        dim = np.maximum(small, lit).max(axis=2) < self.settings.dim_below
        if dim.any():
            new[dim] = off[dim] > self._above_noise(off[dim], self.settings.dim_levels)
        return new

    def _reaching_in(self, new: Mask) -> Mask:
        """Return where something new and large enough reaches in over the border."""
        gap = np.ones((self.settings.gap_px,) * 2, np.uint8)
        joined = cv2.morphologyEx(new.astype(np.uint8), cv2.MORPH_CLOSE, gap)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
        # Closing draws what is only near to the border up to it.
        own = np.where(new, labels, 0)
        rim = np.unique(np.concatenate([own[0], own[-1], own[:, 0], own[:, -1]]))
        least = self.settings.hand_share * new.size
        large = [k for k in rim if 0 < k < count and stats[k, cv2.CC_STAT_AREA] > least]
        return np.asarray(np.isin(labels, large)) if large else np.zeros(new.shape, bool)

    def _looks_as_before(self, small: Small) -> bool:
        """Say whether an older picture shows the same: what was taken for a thing has left."""
        older = (in_light_of(small, old) for old in list(self._settled)[:-1])
        return any(
            not self._reaching_in(self._new(small, lit, _apart(small, lit))).any() for lit in older
        )

    def _has_hand(self, small: Small, new: Mask, now_s: float) -> bool:
        """Say whether there is a hand: what reaches in, and what has reached in and goes on."""
        count = int(new.sum())
        if self._reaches_in(small, new, now_s):
            self._largest = max(self._largest, count)
            return True
        much = count > self.settings.left_share * self._largest > 0
        if much and self._trembles(new, now_s, self.settings.parting_s):
            return True
        self._largest = 0
        return False

    def _reaches_in(self, small: Small, new: Mask, now_s: float) -> bool:
        """Say whether what reaches in is a hand; take in what has lain there for a while."""
        reaching = self._reaching_in(new)
        if not reaching.any() or self._looks_as_before(small):
            return False
        count, labels = cv2.connectedComponents(reaching.astype(np.uint8))
        parts = [labels == number for number in range(1, count)]
        lying = [p for p in parts if not self._trembles(p, now_s, self.settings.absorb_s)]
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
        return float(lately.mean()) > self.settings.trembling_share

    def _note_changes(self, small: Small, before: Small, now_s: float) -> None:
        """Note what has changed since the frame before; another light is no movement."""
        if self._changed_s is None or self._changed_s.shape != small.shape[:2]:
            self._changed_s = np.full(small.shape[:2], now_s, np.float32)
        elif self._was_still(now_s) and is_other_light(small, before):
            lit = [carried_over(old, before, small) for old in self._settled]
            self._settled.extend(lit)
            return
        off = _apart(small, before * gain_between(small, before))
        self._changed_s[off > self._above_noise(off, self.settings.trembling_levels)] = now_s

    def _was_still(self, now_s: float) -> bool:
        assert self._changed_s is not None
        lately = self._changed_s > now_s - self.settings.still_s
        return float(lately.mean()) < self.settings.moving_share


def _apart(one: Small, other: Small) -> Levels:
    """Return how far pictures are apart; all colours count.

    A red tile on a brown table may be as bright as the table.
    """
    blue, green, red = cv2.split(cv2.absdiff(one, other))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def gain_between(one: NDArray[np.float32], other: NDArray[np.float32]) -> np.float32:
    """Return how much brighter one picture is as a whole; every eighth pixel will do.

    Pixel by pixel, so that an arm over a table that fills half of the picture is no other light; by
    the brighter half, since dark pixels come in few steps.
    """
    now, before = one[::8, ::8], other[::8, ::8]
    bright = before >= max(1.0, float(np.median(before)))
    if not bright.any():
        return np.float32(1.0)
    return np.float32(min(2.5, max(0.4, float(np.median(now[bright] / before[bright])))))

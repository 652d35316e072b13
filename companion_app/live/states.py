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

from vision.types import Frame

Small = NDArray[np.float32]

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
    hand_share: float = 0.006
    """A finger tip over the border is smaller; a hand that reaches a tile is larger."""
    jolt_share: float = 0.45
    """So much of the picture different at once is light or camera, not a hand."""
    dark_level: float = 16.0
    absorb_s: float = 1.5
    """What lies stone-still at the border for so long is light or a thing: hands tremble."""
    trembling_levels: float = 8.0
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

    def see(self, frame: Frame) -> Glimpse:
        """Return what a frame shows; it becomes the one that the next is compared with."""
        small = self._small(frame)
        before, self._before = self._before, small
        if float(small.mean()) < self.settings.dark_level:
            return Glimpse(dark=True)
        if before is None or before.shape != small.shape:
            self._settled.clear()
            return Glimpse(moving=True)
        differs = self._differs(small, before, self.settings.moving_levels)
        moving = float(differs.mean()) > self.settings.moving_share
        self._note_changes(small, before, frame.taken_at_s)
        if not self._settled:
            return Glimpse(moving=moving)
        new = self._differs(small, self._settled[-1], self.settings.new_levels)
        jolt = float(new.mean()) > self.settings.jolt_share
        hand = not jolt and self._has_hand(small, new, frame.taken_at_s)
        return Glimpse(moving, hand, jolt=jolt, changed=float(new.mean()) > 0.0004)

    def settle(self) -> None:
        """Take the newest frame as what the table looks like without a hand."""
        if self._before is not None:
            if self._settled:
                self._settled.pop()
            self._settled.append(self._before)

    def forget(self) -> None:
        """Forget what the table looked like: the camera hangs differently now."""
        self._settled.clear()

    def _small(self, frame: Frame) -> Small:
        height, width = frame.bgr.shape[:2]
        size = self.settings.width_px, max(1, round(self.settings.width_px * height / width))
        small = cv2.resize(frame.bgr, size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(small, (0, 0), 1.0), np.float32)

    def _differs(self, one: Small, other: Small, levels: float) -> NDArray[np.bool_]:
        """Return where pictures differ after one gain for all, since exposure hunts."""
        # A red tile on a brown table may be as bright as the table: every colour is looked at.
        lit = cv2.multiply(other, np.full(4, gain_between(one, other)))
        blue, green, red = cv2.split(cv2.absdiff(one, lit))
        return np.asarray(cv2.max(cv2.max(blue, green), red) > levels)

    def _reaching_in(self, new: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return where something new and large enough reaches in over the border."""
        count, labels, stats, _ = cv2.connectedComponentsWithStats(new.astype(np.uint8))
        rim = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
        least = self.settings.hand_share * new.size
        large = [k for k in rim if 0 < k < count and stats[k, cv2.CC_STAT_AREA] > least]
        return np.asarray(np.isin(labels, large)) if large else np.zeros(new.shape, bool)

    def _looks_as_before(self, small: Small) -> bool:
        """Say whether an older picture shows the same: what was taken for a thing has left."""
        return any(
            not self._reaching_in(self._differs(small, old, self.settings.new_levels)).any()
            for old in list(self._settled)[:-1]
        )

    def _has_hand(self, small: Small, new: NDArray[np.bool_], now_s: float) -> bool:
        """Say whether what reaches in is a hand; take in what has lain there for a while."""
        reaching = self._reaching_in(new)
        if not reaching.any() or self._looks_as_before(small):
            return False
        count, labels = cv2.connectedComponents(reaching.astype(np.uint8))
        hand = False
        for number in range(1, count):
            part = labels == number
            if self._trembles(part, now_s):
                hand = True
            else:
                known = self._settled[-1].copy()
                known[part] = small[part] / gain_between(small, known)
                self._settled.append(known)
        return hand

    def _trembles(self, part: NDArray[np.bool_], now_s: float) -> bool:
        if self._changed_s is None:
            return True
        lately = self._changed_s[part] > now_s - self.settings.absorb_s
        return float(lately.mean()) > self.settings.trembling_share

    def _note_changes(self, small: Small, before: Small, now_s: float) -> None:
        if self._changed_s is None or self._changed_s.shape != small.shape[:2]:
            self._changed_s = np.full(small.shape[:2], now_s, np.float32)
        self._changed_s[self._differs(small, before, self.settings.trembling_levels)] = now_s


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

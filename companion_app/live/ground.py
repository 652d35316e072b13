"""The bare table: whether a place where a tile lay is empty now, or something lies over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion_app.live.states import gain_between
from vision.types import Frame


class Ground:
    """What the bare table looks like where tiles lie now, remembered from before they lay there."""

    WIDTH_PX = 480
    SAME_LEVELS = 22.0
    """Difference of colour up to which a pixel looks as bare as it did."""
    BARE_SHARE = 0.8
    """So much of a place must look bare: a cup need not stand on all of a tile."""
    KNOWN_SHARE = 0.5
    LIKE_THE_REST = 0.7
    """So much of a place must have the table's colours where nobody saw it bare before."""
    AROUND = 1.5
    """How far around such a place the table's colours are taken, in widths of the place."""

    def __init__(self) -> None:
        self._bgr: NDArray[np.float32] | None = None
        self._known: NDArray[np.bool_] | None = None
        self._close: tuple[NDArray[np.float32], NDArray[np.bool_]] | None = None
        """The same up to the very edge of the tiles: with their shadows on it, and where known."""
        self._last: tuple[Frame, NDArray[np.float32]] | None = None

    def forget(self) -> None:
        """Forget the table: the camera hangs differently now."""
        self._bgr = self._known = self._close = None

    def learn(self, frame: Frame, outlines: list[Any]) -> None:
        """Remember what a settled frame shows beside the tiles."""
        bgr, scale = self._small(frame)
        if self._bgr is None or self._known is None or self._bgr.shape != bgr.shape:
            self._bgr, self._known = bgr.copy(), np.zeros(bgr.shape[:2], bool)
            self._close = None
        bare = _mask(outlines, bgr.shape, scale, grow=3) == 0
        self._bgr[bare] = bgr[bare]
        self._known |= bare
        beside = _mask(outlines, bgr.shape, scale, grow=0) == 0
        if self._close is None:
            self._close = bgr.copy(), np.zeros(beside.shape, bool)
        self._close[0][beside] = bgr[beside]
        self._close[1][beside] = True

    def follow(self, old_px: Any, new_px: Any, frame: Frame) -> None:
        """Move what is remembered along with the camera, by points seen before and after."""
        scale = self.WIDTH_PX / frame.bgr.shape[1]
        self._close = None
        if self._bgr is None or self._known is None or len(old_px) < 4:
            self.forget()
            return
        old, new = np.asarray(old_px, np.float64) * scale, np.asarray(new_px, np.float64) * scale
        moved, _ = cv2.findHomography(old, new, cv2.RANSAC, 3.0)
        if moved is None:
            self.forget()
            return
        size = self._bgr.shape[1], self._bgr.shape[0]
        self._bgr = np.asarray(cv2.warpPerspective(self._bgr, moved, size), np.float32)
        known = cv2.warpPerspective(self._known.astype(np.uint8), moved, size)
        self._known = np.asarray(cv2.erode(known, np.ones((3, 3), np.uint8)) > 0)

    def is_bare(self, frame: Frame, outline: Any, seen: Sequence[Any] = ()) -> bool | None:
        """Say whether a place looks as it did without a tile; ``None`` where nobody knows.

        What lies under tiles that are ``seen`` now is left out: one may have been moved on a bit.
        """
        bgr, scale = self._small(frame)
        if self._bgr is None or self._known is None or self._bgr.shape != bgr.shape:
            return None
        part = _window(outline, bgr.shape, scale)
        inside = _mask([outline], bgr.shape, scale, grow=-1)[part] > 0
        if seen:
            inside &= _mask(list(seen), bgr.shape, scale, grow=1)[part] == 0
        if not inside.any():
            return None
        if self._is_as_it_was(bgr, part, inside):
            return True
        known = inside & self._known[part]
        gain = gain_between(bgr, self._bgr)
        if known.sum() < self.KNOWN_SHARE * inside.sum():
            around = _window(outline, bgr.shape, scale, room=self.AROUND)
            rest = self._bgr[around][self._known[around]] * gain
            return self._looks_like_the_rest(bgr[part][inside], rest)
        return self._is_same(bgr[part][known], self._bgr[part][known] * gain)

    def _is_as_it_was(
        self, bgr: NDArray[np.float32], part: tuple[slice, slice], inside: NDArray[np.bool_]
    ) -> bool:
        """Say whether a place looks as when it was last seen with no tile, also among others.

        A single cell between tiles has no pixel that is far from all of them; and what is near to
        one was last seen far from all in another light, maybe.
        """
        if self._close is None:
            return False
        picture, seen = self._close
        known = inside & seen[part]
        if known.sum() < self.KNOWN_SHARE * inside.sum():
            return False
        return self._is_same(bgr[part][known], picture[part][known] * gain_between(bgr, picture))

    def _is_same(self, now: NDArray[np.float32], before: NDArray[np.float32]) -> bool:
        off = np.abs(now - before).mean(axis=1)
        return float((off < self.SAME_LEVELS).mean()) > self.BARE_SHARE

    def _looks_like_the_rest(
        self, place: NDArray[np.float32], bare: NDArray[np.float32]
    ) -> bool | None:
        """Say whether a place has the colours of the bare table around it."""
        if not len(bare):
            return None
        low, high = np.percentile(bare, (2, 98), axis=0)
        within = (place > low - self.SAME_LEVELS) & (place < high + self.SAME_LEVELS)
        return float(within.all(axis=1).mean()) > self.LIKE_THE_REST

    def _small(self, frame: Frame) -> tuple[NDArray[np.float32], float]:
        height, width = frame.bgr.shape[:2]
        scale = self.WIDTH_PX / width
        if self._last is None or self._last[0] is not frame:
            size = self.WIDTH_PX, max(1, round(height * scale))
            small = cv2.resize(frame.bgr, size, interpolation=cv2.INTER_AREA)
            self._last = frame, np.asarray(cv2.GaussianBlur(small, (0, 0), 1.0), np.float32)
        return self._last[1], scale


def _window(
    outline: Any, shape: tuple[int, ...], scale: float, room: float = 0.0
) -> tuple[slice, slice]:
    """Return the rows and columns that hold an outline, and so many of its widths around it."""
    points = np.asarray(outline, np.float64) * scale
    away = room * np.ptp(points, axis=0)
    low = np.clip(np.floor(points.min(axis=0) - away).astype(int) - 1, 0, None)
    high = np.ceil(points.max(axis=0) + away).astype(int) + 2
    return slice(low[1], min(high[1], shape[0])), slice(low[0], min(high[0], shape[1]))


def _mask(
    outlines: list[Any], shape: tuple[int, ...], scale: float, grow: int
) -> NDArray[np.uint8]:
    """Return where outlines lie, grown or shrunk by so many pixels."""
    mask = np.zeros(shape[:2], np.uint8)
    for outline in outlines:
        points = np.round(np.asarray(outline, np.float64) * scale).astype(np.int32)
        if len(points) >= 3:
            cv2.fillPoly(mask, [points.reshape(-1, 1, 2)], 255)
    if grow:
        kernel = np.ones((2 * abs(grow) + 1,) * 2, np.uint8)
        change = cv2.dilate if grow > 0 else cv2.erode
        mask = np.asarray(change(mask, kernel), np.uint8)
    return mask

"""The bare table's appearance: tells whether a tile's place is empty now or covered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion_app.live.places import Point
from companion_app.live.states import gain_between
from vision import Frame

Part = tuple[slice, slice]
"""Rows and columns of the downscaled picture."""
Remembered = tuple[NDArray[np.float32], NDArray[np.bool_]]
"""A picture, and the mask of its pixels that showed the bare table."""
Moved = Callable[[Sequence[Point]], tuple[Point, ...]]
"""A function that returns where places lie after a knock."""
STEP, STEPS = 8, 32
"""Width in levels, and number per channel, of the colour histogram's bins."""
RARE = 0.001
"""Share of pixels below which a colour in the histogram is noise."""
DIM = 4.0
"""Levels added before colours are divided: ratios of nearly black pixels mean nothing."""


class Ground:
    """A picture of the bare table, collected while no tile lay in each place."""

    WIDTH_PX = 480
    SAME_LEVELS = 22.0
    """Difference in levels up to which a pixel looks as bare as before."""
    BARE_SHARE = 0.8
    """Share of a place that must look bare: a cup need not cover all of a tile."""
    KNOWN_SHARE = 0.5
    """Share of a place that must have been seen bare to compare it with that picture."""
    LIKE_THE_REST = 0.7
    """Share of a place never seen bare that must have the surrounding table's colours."""
    AROUND = 1.5
    """Margin around a place in which the table's colours and light are measured, in its widths."""
    OTHER_TINT = 0.08
    """Relative spread of the colour channels' gains, against the surroundings, that shows a thing
    as bright as the table; a shadow dims all channels alike."""

    def __init__(self) -> None:
        self._bgr: NDArray[np.float32] | None = None
        self._known: NDArray[np.bool_] | None = None
        self._close: Remembered | None = None
        """The bare table up to the tiles' edges, with the shadows that they cast."""
        self._last: tuple[Frame, NDArray[np.float32]] | None = None

    def forget(self) -> None:
        """Forget the table: the camera has moved."""
        self._bgr = self._known = self._close = None

    def learn(self, frame: Frame, outlines: list[Any]) -> None:
        """Update the picture of the bare table from a settled frame, except at the tiles."""
        bgr, scale = self._small(frame)
        if self._bgr is None or self._known is None or self._bgr.shape != bgr.shape:
            self._bgr, self._known = bgr.copy(), np.zeros(bgr.shape[:2], bool)
            self._close = None
        bare = _mask(outlines, bgr.shape, scale, grow=3) == 0
        cv2.copyTo(bgr, bare.view(np.uint8), self._bgr)
        self._known |= bare
        beside = _mask(outlines, bgr.shape, scale, grow=0) == 0
        if self._close is None:
            self._close = bgr.copy(), np.zeros(beside.shape, bool)
        cv2.copyTo(bgr, beside.view(np.uint8), self._close[0])
        self._close[1][beside] = True

    def follow(self, old_px: Any, new_px: Any, frame: Frame) -> Moved | None:
        """Warp the remembered picture by the homography of points seen before and after a knock.

        Return how places have moved; ``None`` if that, or the bare table, is not known.
        """
        scale = self.WIDTH_PX / frame.bgr.shape[1]
        self._close = None
        if self._bgr is None or self._known is None or len(old_px) < 4:
            self.forget()
            return None
        old, new = np.asarray(old_px, np.float64) * scale, np.asarray(new_px, np.float64) * scale
        moved, _ = cv2.findHomography(old, new, cv2.RANSAC, 3.0)
        if moved is None:
            self.forget()
            return None
        size = self._bgr.shape[1], self._bgr.shape[0]
        self._bgr = np.asarray(cv2.warpPerspective(self._bgr, moved, size), np.float32)
        known = cv2.warpPerspective(self._known.astype(np.uint8), moved, size)
        self._known = np.asarray(cv2.erode(known, np.ones((3, 3), np.uint8)) > 0)
        return partial(_carried, np.asarray(moved, np.float64), scale)

    def is_bare(self, frame: Frame, outline: Any, seen: Sequence[Any] = ()) -> bool | None:
        """Say whether a place looks as it did without a tile; ``None`` if that is not known.

        Pixels of tiles that are ``seen`` now are left out: a tile may have moved slightly.
        """
        bgr, scale = self._small(frame)
        if self._bgr is None or self._known is None or self._bgr.shape != bgr.shape:
            return None
        around = _window(outline, bgr.shape, scale, room=self.AROUND)
        free = _mask(list(seen), bgr.shape, scale, grow=1)[around] == 0
        inside = (_mask([outline], bgr.shape, scale, grow=-1)[around] > 0) & free
        if not inside.any():
            return None
        beside = free & (_mask([outline], bgr.shape, scale, grow=1)[around] == 0)
        if self._is_as_it_was(bgr, around, inside, beside):
            return True
        now, picture, known = bgr[around], self._bgr[around], self._known[around]
        gain = gain_between(bgr, self._bgr)
        if (inside & known).sum() < self.KNOWN_SHARE * inside.sum():
            tint = _change(now, picture, beside & known) if (beside & known).any() else gain
            return self._looks_like_the_rest(now[inside], picture[known] * tint)
        same = self._is_same(now[inside & known], picture[inside & known] * gain)
        return same and not self._is_tinted(now, picture, inside & known, beside & known)

    def _is_as_it_was(
        self,
        bgr: NDArray[np.float32],
        around: Part,
        inside: NDArray[np.bool_],
        beside: NDArray[np.bool_],
    ) -> bool:
        """Say whether a place looks as when it was last seen empty, even close to other tiles.

        A single cell between tiles has no pixel far from all of them, and the picture without
        pixels near tiles may date from another light.
        """
        if self._close is None:
            return False
        now, picture, seen = bgr[around], self._close[0][around], self._close[1][around]
        known = inside & seen
        if known.sum() < self.KNOWN_SHARE * inside.sum():
            return False
        gain = gain_between(bgr, self._close[0])
        same = self._is_same(now[known], picture[known] * gain)
        return same and not self._is_tinted(now, picture, known, beside & seen)

    def _is_tinted(
        self,
        now: NDArray[np.float32],
        picture: NDArray[np.float32],
        inside: NDArray[np.bool_],
        beside: NDArray[np.bool_],
    ) -> bool:
        """Say whether a place has changed its colour, and not only its brightness.

        The change of light is measured on the table next to it; with too little of that in view
        the answer is no. A channel in which a tint is less than a level, such as the green of a
        purple cloth, shows only noise.
        """
        if beside.sum() < inside.sum():
            return False
        tint = _change(now, picture, inside) / _change(now, picture, beside)
        level = np.median(np.maximum(now, picture)[inside], axis=0)
        tint = tint[level * self.OTHER_TINT >= 1]
        return len(tint) > 0 and float(np.ptp(tint) / tint.mean()) > self.OTHER_TINT

    def _is_same(self, now: NDArray[np.float32], before: NDArray[np.float32]) -> bool:
        off = np.abs(now - before).mean(axis=1)
        return float((off < self.SAME_LEVELS).mean()) > self.BARE_SHARE

    def _looks_like_the_rest(
        self, place: NDArray[np.float32], bare: NDArray[np.float32]
    ) -> bool | None:
        """Say whether a place has the colours of the bare table around it."""
        if not len(bare):
            return None
        seen = _colours_in(bare)
        found = seen[tuple(np.clip(place / STEP, 0, STEPS - 1).astype(int).T)]
        return float(found.mean()) > self.LIKE_THE_REST

    def _small(self, frame: Frame) -> tuple[NDArray[np.float32], float]:
        height, width = frame.bgr.shape[:2]
        scale = self.WIDTH_PX / width
        if self._last is None or self._last[0] is not frame:
            size = self.WIDTH_PX, max(1, round(height * scale))
            small = cv2.resize(frame.bgr, size, interpolation=cv2.INTER_AREA)
            self._last = frame, np.asarray(cv2.GaussianBlur(small, (0, 0), 1.0), np.float32)
        return self._last[1], scale


def _carried(
    moved: NDArray[np.float64], scale: float, places: Sequence[Point]
) -> tuple[Point, ...]:
    """Return places in pixels after a homography of the downscaled picture."""
    points = np.asarray(places, np.float64).reshape(-1, 1, 2) * scale
    sent = cv2.perspectiveTransform(points, moved).reshape(-1, 2) / scale
    return tuple((float(x), float(y)) for x, y in sent)


def _change(
    now: NDArray[np.float32], before: NDArray[np.float32], where: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return the median gain of each colour channel over the pixels of a mask."""
    ratio = (now[where] + DIM) / (before[where] + DIM)
    return np.asarray(np.median(ratio, axis=0), np.float32)


def _colours_in(pixels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which bins of a BGR histogram are filled or next to a filled one."""
    places = np.clip(pixels / STEP, 0, STEPS - 1).astype(int)
    count = np.zeros((STEPS,) * 3, np.int32)
    np.add.at(count, tuple(places.T), 1)
    seen = count > RARE * len(pixels)
    for axis in range(3):
        before, after = np.roll(seen, 1, axis), np.roll(seen, -1, axis)
        np.moveaxis(before, axis, 0)[0] = False
        np.moveaxis(after, axis, 0)[-1] = False
        seen = seen | before | after
    return seen


def _window(outline: Any, shape: tuple[int, ...], scale: float, room: float) -> Part:
    """Return the rows and columns around an outline, with a margin of ``room`` of its widths."""
    points = np.asarray(outline, np.float64) * scale
    away = room * np.ptp(points, axis=0)
    low = np.clip(np.floor(points.min(axis=0) - away).astype(int) - 1, 0, None)
    high = np.ceil(points.max(axis=0) + away).astype(int) + 2
    return slice(low[1], min(high[1], shape[0])), slice(low[0], min(high[0], shape[1]))


def _mask(
    outlines: list[Any], shape: tuple[int, ...], scale: float, grow: int
) -> NDArray[np.uint8]:
    """Return a mask of outlines, dilated (or eroded, below 0) by ``grow`` pixels."""
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

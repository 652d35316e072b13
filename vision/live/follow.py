"""Two ways to follow a table: square tiles by their outlines, hex games by their boards.

Each can read a whole picture, or read only its changed parts and reuse the rest.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.profile import Profile
from engine.tiles import TileSet
from vision.classify.reader import Reader
from vision.classify.reading import CellReading
from vision.core.crop import Pyramid
from vision.core.request import ReadRequest
from vision.core.tables import TableState
from vision.core.types import BESIDE, SAME_PLACE, Bgr, Detection, Detections, Points
from vision.detect.detect import DEFAULT, detect_tiles
from vision.hexes.cells import CellReadings
from vision.hexes.models import HexModels, shipped_models
from vision.hexes.plane import FIXED, HexBoard
from vision.hexes.read import MOST_BOARDS, boards_of, cells_of, read_hex_table
from vision.layout.quality import leaves
from vision.read import AnyReader, Stages, read_cells, read_table, stages_for

Small = NDArray[np.float32]
Mask = NDArray[np.bool_]
Places = NDArray[np.complex128]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels of the whole picture; right and bottom are outside."""

WIDTH_PX = 480
"""Width of the small picture: a tile of 24 pixels in 1280 is 9 wide there, and sensor noise is
averaged out."""
LEVELS = 9.0
"""Least difference that counts as a change, in levels of 255; usual noise stays below 5."""
ABOVE_NOISE = 9.0
"""In noisy pictures a change must exceed this multiple of the median difference: about six standard
deviations."""
MOST_NOISE = 8.0
"""A larger median difference is not noise: the whole picture has changed."""
LEAST_PX = 5
"""Smaller specks of the small picture are noise: a tile of 24 pixels has 81."""
AROUND = 1.0
"""Outlines and boards within this distance of a change are read again, in tile or cell widths:
shadows reach as far."""
ROOM_TILES = 2.0
"""Margin of unchanged picture around a change that the network gets as context, in tile widths."""
MUCH = 0.45
"""If a larger share of the picture or of the boards has changed, all is read again, at no more
cost. If that share of a board's area has changed beside the boards, a new board may lie there."""
FEW_TILES = 3
"""Least number of known tiles to conclude, if most have changed, that the camera has moved."""
MOVED_SHARE = 0.3
"""If a larger share of the picture or of a board's rim has changed, light or camera have."""
STAYED_CELLS = 0.25
"""A board whose fixed points all moved by less, in cells, has not been moved."""


class Follower(Protocol):
    """Reads a whole picture, then only the changed parts of later ones."""

    def whole(self, bgr: Bgr) -> TableState:
        """Read all of a picture."""
        ...

    def part(self, bgr: Bgr, changed: Mask, afresh: bool = False) -> TableState | None:
        """Read the parts that changed since ``keep``; ``None`` if that is too much.

        With ``afresh``, readings of tiles that seem unchanged are not reused either.
        """
        ...

    def moved(self, bgr: Bgr, changed: Mask) -> bool:
        """Say whether so much has changed along known edges that the camera must have moved."""
        ...

    def keep(self) -> None:
        """Keep the last result as the reference for ``part``."""
        ...

    def forget(self) -> None:
        """Drop the kept result, since the camera was moved; tiles to ignore stay ignored."""
        ...

    def leave_out(self, outlines: Sequence[Points]) -> None:
        """Ignore tiles at these places from now on if they touch no other: stocks, piles."""
        ...


def follower_for(request: ReadRequest) -> Follower:
    """Return the follower for the request's box."""
    if request.shape == "hex" and request.game is not None:
        return HexFollower(request)
    return TileFollower(request)


@dataclass
class TileFollower:
    """Keeps the outlines of tiles; new ones are detected only where something has changed."""

    request: ReadRequest
    _kept: Detections | None = None
    _last: Detections | None = None
    _stages: Stages | None = None
    _cells: dict[Detection, CellReading] = field(default_factory=dict)
    """Cached readings of the kept outlines."""
    _last_cells: dict[Detection, CellReading] = field(default_factory=dict)
    _kept_shows: Hashable = None
    """What the kept result shows."""
    _last_shows: Hashable = None
    _beside: list[Points] = field(default_factory=list)
    """Centres of tiles to ignore, which belong to no layout."""

    def whole(self, bgr: Bgr) -> TableState:
        """Read all of a picture."""
        found = self._own_stages().detect(bgr, self.request)
        self._follow_beside(found)
        return self._read(bgr, found)

    def part(self, bgr: Bgr, changed: Mask, afresh: bool = False) -> TableState | None:
        """Detect and read outlines where something has changed; ``None`` if that is too much."""
        kept = self._kept
        if kept is None or not kept.found or self.request.grid is not None:
            return None
        if not changed.any():
            return self._read(bgr, kept)
        width = float(np.median([d.across_px for d in kept.found]))
        scale = changed.shape[1] / bgr.shape[1]
        near = grown(changed, AROUND * width * scale)
        boxes = boxes_around(near, ROOM_TILES * width, (bgr.shape[1], bgr.shape[0]))
        if _area(boxes) > MUCH * bgr.shape[0] * bgr.shape[1]:
            return None
        stay = [d for d in kept.found if not _lies_on(d, near, scale)]
        middles = np.array([d.centre_px for d in stay]).reshape(-1, 2)
        seen = [d for box in boxes for d in self._detect(bgr, box, width)]
        fresh = [d for d in seen if _lies_on(d, near, scale) and not _is_one_of(d, middles)]
        found = replace(kept, found=(*stay, *fresh))
        state = self._read(bgr, found, None if afresh else self._known(stay))
        if afresh:
            # One noisy picture can turn a card into another: it is read again at every look.
            otherwise = {d for d, last in self._cells.items() if _differ(last, self._last_cells, d)}
            self._cells = {d: r for d, r in self._last_cells.items() if d not in otherwise}
            if state.contents() == self._kept_shows and self._overlooks(bgr, found, near):
                return None
        return state

    def _overlooks(self, bgr: Bgr, found: Detections, near: Mask) -> bool:
        """Say whether the whole picture shows an outline that a change in it does not show alone.

        The network sees a burnt or blurred tile better in the company of others.
        """
        scale, middles = near.shape[1] / bgr.shape[1], [d.centre_px for d in found.found]
        seen = self._own_stages().detect(bgr, self.request).found
        taken = np.array(middles).reshape(-1, 2)
        return any(_lies_on(d, near, scale) and not _is_one_of(d, taken) for d in seen)

    def moved(self, bgr: Bgr, changed: Mask) -> bool:
        """Say whether most of the known tiles have changed at once."""
        found = self._kept.found if self._kept is not None else ()
        scale = changed.shape[1] / bgr.shape[1]
        hit = [_has_changed(d, changed, scale) for d in found]
        return len(found) >= FEW_TILES and sum(hit) > len(found) / 2

    def keep(self) -> None:
        """Keep the outlines and readings of the last picture."""
        self._kept, self._cells = self._last, self._last_cells
        self._kept_shows = self._last_shows

    def forget(self) -> None:
        """Drop all outlines."""
        self._kept = None

    def leave_out(self, outlines: Sequence[Points]) -> None:
        """Ignore tiles at these places, as long as no tile in play touches them."""
        self._beside += [np.asarray(outline, np.float64).mean(axis=0) for outline in outlines]
        self._kept = None

    def _follow_beside(self, found: Detections) -> None:
        """Move the places of ignored tiles to where they lie now: a camera is knocked, or sinks."""
        if not self._beside or self._last is None or not found.found:
            return
        motion = motion_between(self._last, found) if self._kept is None else None
        turn, shift = motion or (found.size_px[0] / self._last.size_px[0], 0.0)
        places, seen = turn * _complex(self._beside) + shift, _middles(found)
        away = np.abs(places[:, None] - seen)
        there = away.min(axis=1) < _same_place_px(found)
        places[there] = seen[away.argmin(axis=1)[there]]
        self._beside = [np.array([place.real, place.imag]) for place in places]

    def _known(self, stay: Sequence[Detection]) -> dict[Detection, CellReading]:
        """Return the cached readings of unchanged outlines."""
        return {d: self._cells[d] for d in stay if d in self._cells}

    def _detect(self, bgr: Bgr, box: Box, width: float) -> list[Detection]:
        """Return the outlines in a part of the picture, detected at the scale of a whole one."""
        left, top, right, bottom = box
        part = np.ascontiguousarray(bgr[top:bottom, left:right])
        scale = min(1.0, DEFAULT.wanted_wide_px / width)
        settings = replace(DEFAULT, first_long_px=max(32, round(max(part.shape[:2]) * scale)))
        found = detect_tiles(part, self.request.shape, settings=settings).found
        moved = [(d.corners_px + np.array([left, top]), d.confidence) for d in found]
        size_px = bgr.shape[1], bgr.shape[0]
        return [Detection(corners, sure, leaves(corners, size_px)) for corners, sure in moved]

    def _read(
        self, bgr: Bgr, found: Detections, same: Mapping[Detection, CellReading] | None = None
    ) -> TableState:
        """Read a table with these outlines; ``same`` has the readings of unchanged ones."""
        cells = dict(same or {})

        def read(
            bgr: Bgr,
            outlines: Sequence[Detection],
            reader: AnyReader | None,
            profile: Profile | None,
        ) -> Sequence[CellReading]:
            if not isinstance(reader, Reader):
                # The reader of a taught box adapts to all tiles of a picture: no caching.
                return read_cells(bgr, outlines, reader, profile)
            fresh = [d for d in outlines if d not in cells]
            seen = read_cells(bgr, fresh, reader, profile) if fresh else ()
            cells.update(zip(fresh, seen, strict=True))
            return [cells[d] for d in outlines]

        shown = replace(found, found=tuple(self._in_play(found.found)))
        stages = replace(self._own_stages(), detect=lambda bgr, request: shown, cells=read)
        state = read_table(bgr, self.request, stages)
        self._last, self._last_cells, self._last_shows = found, cells, state.contents()
        return state

    def _in_play(self, found: Sequence[Detection]) -> Sequence[Detection]:
        """Return the outlines without the ignored ones that touch no tile in play."""
        if not self._beside:
            return found
        middles = [d.centre_px for d in found]
        beside = [
            any(
                float(np.hypot(*(middle - other))) < SAME_PLACE * d.across_px
                for other in self._beside
            )
            for d, middle in zip(found, middles, strict=True)
        ]
        played = [middle for middle, out in zip(middles, beside, strict=True) if not out]
        return [
            d
            for d, middle, out in zip(found, middles, beside, strict=True)
            if not out
            or any(float(np.hypot(*(middle - other))) < BESIDE * d.across_px for other in played)
        ]

    def _own_stages(self) -> Stages:
        if self._stages is None:
            self._stages = stages_for(self.request)
        return self._stages


def _area(boxes: Sequence[Box]) -> int:
    return sum((right - left) * (bottom - top) for left, top, right, bottom in boxes)


def _lies_on(detection: Detection, mask: Mask, scale: float) -> bool:
    """Say whether the centre of an outline lies in a mask of the small picture."""
    x, y = (np.asarray(detection.centre_px) * scale).astype(int)
    inside = 0 <= x < mask.shape[1] and 0 <= y < mask.shape[0]
    return bool(inside and mask[y, x])


def _has_changed(detection: Detection, changed: Mask, scale: float) -> bool:
    """Say whether any pixel inside an outline has changed."""
    corners = detection.corners_px * scale
    low, high = corners.min(axis=0), corners.max(axis=0)
    left, top = np.maximum(low - 1, 0).astype(int)
    right, bottom = np.maximum(high + 2, 0).astype(int)
    if not changed[top:bottom, left:right].any():
        return False
    return bool((changed & painted_on([detection.corners_px], changed.shape, scale)).any())


def _differ(last: CellReading, now: Mapping[Detection, CellReading], detection: Detection) -> bool:
    """Say whether an outline that is read now shows another tile, or another turn of it."""
    readings = last, now.get(detection, last)
    return len({(g.tile, g.turns) for one in readings for g in one.guesses[:1]}) > 1


def _is_one_of(detection: Detection, middles: Points) -> bool:
    near = SAME_PLACE * detection.across_px
    return bool((np.hypot(*(middles - detection.centre_px).T) < near).any())


def motion_between(before: Detections, now: Detections) -> tuple[complex, complex] | None:
    """Return turn and shift by which most outlines have moved together; ``None`` if they have not.

    Places are complex numbers here, so that a turn, with a change of scale, is a factor. Pairing
    begins at the shift at which old and new outlines overlap most: each old outline belongs to the
    new one in its place.
    """
    turn, shift = _overlapping(before, now)
    old, new = _middles(before), _middles(now)
    paired = 0
    while True:
        away = np.abs((turn * old + shift)[:, None] - new)
        there = away.min(axis=1) < _same_place_px(now)
        if there.sum() <= paired:
            break
        paired = int(there.sum())
        rows = np.stack([old[there], np.ones(paired)], axis=1)
        turn, shift = np.linalg.lstsq(rows, new[away.argmin(axis=1)[there]], rcond=None)[0]
    return (turn, shift) if len(old) >= FEW_TILES and paired > len(old) / 2 else None


def _overlapping(before: Detections, now: Detections) -> tuple[complex, complex]:
    """Return scale and shift at which the outlines of two pictures overlap most."""
    zoom, scale = now.size_px[0] / before.size_px[0], WIDTH_PX / now.size_px[0]
    shape = max(1, round(now.size_px[1] * scale)), WIDTH_PX
    one, other = (
        np.fft.fft2(painted_on([d.corners_px for d in some.found], shape, own))
        for some, own in ((before, zoom * scale), (now, scale))
    )
    overlap = np.fft.ifft2(other * one.conj()).real
    # Shifts are cyclic: those beyond half of the picture lead to the left, or up.
    down, across = (
        (int(at) + size // 2) % size - size // 2
        for at, size in zip(np.unravel_index(int(overlap.argmax()), shape), shape, strict=True)
    )
    return complex(zoom), complex(across, down) / scale


def _middles(found: Detections) -> Places:
    return _complex([d.centre_px for d in found.found])


def _complex(points: Sequence[Points]) -> Places:
    return np.asarray(np.array(points).reshape(-1, 2) @ np.array([1, 1j]))


def _same_place_px(found: Detections) -> float:
    return SAME_PLACE * float(np.median([d.across_px for d in found.found]))


@dataclass
class HexFollower:
    """Keeps the positions of the boards; the cells of a board that changed are read again."""

    request: ReadRequest
    _kept: tuple[HexBoard, ...] | None = None
    _last: tuple[HexBoard, ...] | None = None
    _cells: dict[int, CellReadings] = field(default_factory=dict)
    """Cached readings of the cells of each kept board, by its index in ``_kept``."""
    _last_cells: dict[int, CellReadings] = field(default_factory=dict)

    def whole(self, bgr: Bgr) -> TableState:
        """Find the boards and read them."""
        request = self.request
        assert request.tile_set is not None and request.game is not None
        most = MOST_BOARDS[request.game]
        found = boards_of(Pyramid(bgr), request.tile_set, most, shipped_models())
        return self._read(bgr, tuple(self._steadier(board) for board in found))

    def part(self, bgr: Bgr, changed: Mask, afresh: bool = False) -> TableState | None:
        """Read the cells of the boards that changed, at their kept positions."""
        del afresh  # A board that a hand was over has changed somewhere, and is read whole.
        if not self._kept:
            return None
        scale = changed.shape[1] / bgr.shape[1]
        masks = [painted_on([board.outline()], changed.shape, scale) for board in self._kept]
        boards = np.logical_or.reduce(masks)
        if float((changed & boards).sum()) > MUCH * float(boards.sum()):
            return None
        if float((changed & ~boards).sum()) > MUCH * float(boards.sum()) / len(masks):
            # A new board, or one that an arm covered during the last whole look, may be visible.
            return None
        near = grown(changed, AROUND * self._kept[0].cell_px() * scale)
        same = {n: r for n, r in self._cells.items() if not (masks[n] & near).any()}
        return self._read(bgr, self._kept, same)

    def moved(self, bgr: Bgr, changed: Mask) -> bool:
        """Say whether the rim of any board has changed."""
        scale = changed.shape[1] / bgr.shape[1]
        for board in self._kept or ():
            inside = painted_on([board.outline()], changed.shape, scale)
            rim = grown(inside, 1.0) & grown(~inside, 1.0)
            if float((changed & rim).sum()) > MOVED_SHARE * float(rim.sum()):
                return True
        return False

    def keep(self) -> None:
        """Keep the boards and readings of the last picture."""
        self._kept, self._cells = self._last, self._last_cells

    def forget(self) -> None:
        """Drop all boards."""
        self._kept = None

    def leave_out(self, outlines: Sequence[Points]) -> None:
        """Do nothing: tiles beside a board are never read as part of it."""

    def _steadier(self, found: HexBoard) -> HexBoard:
        """Return the kept pose of an unmoved board if it is more exact, say before a cup hid it."""
        near = STAYED_CELLS * found.cell_px()
        for known in self._kept or ():
            away = np.hypot(*(found.px(FIXED) - known.px(FIXED)).T)
            if float(away.max()) < near and known.unsteady < found.unsteady:
                return known
        return found

    def _read(
        self, bgr: Bgr, boards: tuple[HexBoard, ...], same: Mapping[int, CellReadings] | None = None
    ) -> TableState:
        """Read the cells of boards; ``same`` has the readings of unchanged ones."""
        request = self.request
        assert request.tile_set is not None and request.game is not None
        cells = dict(same or {})

        def read(
            pyramid: Pyramid, boards: Sequence[HexBoard], tile_set: TileSet, models: HexModels
        ) -> list[CellReadings]:
            fresh = [n for n in range(len(boards)) if n not in cells]
            seen = cells_of(pyramid, [boards[n] for n in fresh], tile_set, models)
            cells.update(zip(fresh, seen, strict=True))
            return [cells[n] for n in range(len(boards))]

        state = read_hex_table(bgr, request.tile_set, request.game, boards=boards, read=read)
        self._last, self._last_cells = boards, cells
        return state


# --- Differences between two pictures of one table, compensated for exposure and white balance ---


def shrunk(bgr: Bgr) -> Small:
    """Return a copy of a picture, ``WIDTH_PX`` wide and blurred."""
    height, width = bgr.shape[:2]
    size = WIDTH_PX, max(1, round(WIDTH_PX * height / width))
    small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (5, 5), 1.0), np.float32)


def in_its_light(old: Small, new: Small) -> Small:
    """Return an older picture with the exposure and white balance of a newer one."""
    # Every sixth pixel is enough. Channels have separate gains, since lamps differ in tint.
    one, other = new[::6, ::6].reshape(-1, 3), old[::6, ::6].reshape(-1, 3)
    gains = np.clip(np.median((one + 4) / (other + 4), axis=0), 0.1, 10.0)
    return np.asarray(cv2.transform(old, np.diag(gains).astype(np.float32)), np.float32)


def changed_between(old: Small, new: Small) -> Mask:
    """Return the mask of where two small pictures differ, without specks."""
    blue, green, red = cv2.split(cv2.absdiff(new, in_its_light(old, new)))
    off = cv2.max(cv2.max(blue, green), red)
    noise = float(np.median(off[::6, ::6]))
    if noise > MOST_NOISE:
        return np.ones(off.shape, bool)
    mask = np.asarray(off > max(LEVELS, ABOVE_NOISE * noise), np.uint8)
    if not mask.any():
        return mask.astype(bool)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    large = stats[:, cv2.CC_STAT_AREA] >= LEAST_PX
    large[0] = False
    return np.asarray(large[labels])


def grown(mask: Mask, by_px: float) -> Mask:
    """Return a mask dilated by a radius in pixels of the small picture."""
    radius = max(1, round(by_px))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel) > 0)


def boxes_around(mask: Mask, room_px: float, size_px: tuple[int, int]) -> list[Box]:
    """Return boxes around the connected parts of a mask, with a margin; overlapping ones merged.

    Args:
        mask: a mask of the small picture.
        room_px: the margin around each part, in pixels of the full-size picture.
        size_px: width and height of the full-size picture.
    """
    scale = size_px[0] / mask.shape[1]
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    boxes = []
    for left, top, width, height, _ in stats[1:].tolist():
        low_x, low_y = left * scale - room_px, top * scale - room_px
        high_x, high_y = (left + width) * scale + room_px, (top + height) * scale + room_px
        boxes.append(
            (
                max(0, int(low_x)),
                max(0, int(low_y)),
                min(size_px[0], int(high_x) + 1),
                min(size_px[1], int(high_y) + 1),
            )
        )
    return _merged(boxes)


def _merged(boxes: list[Box]) -> list[Box]:
    done: list[Box] = []
    for box in boxes:
        meeting = [other for other in done if _meet(box, other)]
        lows, highs = zip(*((b[:2], b[2:]) for b in (box, *meeting)), strict=True)
        (left, top), (right, bottom) = (
            map(min, zip(*lows, strict=True)),
            map(max, zip(*highs, strict=True)),
        )
        done = [*(other for other in done if other not in meeting), (left, top, right, bottom)]
    return done if len(done) == len(boxes) else _merged(done)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def painted_on(outlines: list[Points], shape: tuple[int, ...], scale: float) -> Mask:
    """Return a mask of the small picture in which outlines of the full-size one are filled."""
    mask = np.zeros(shape[:2], np.uint8)
    for outline in outlines:
        points = np.round(np.asarray(outline, np.float64) * scale).astype(np.int32)
        cv2.fillPoly(mask, [points.reshape(-1, 1, 2)], 1)
    return np.asarray(mask > 0)

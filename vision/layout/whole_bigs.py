"""Recovers cards of two cells for which the detector found only one square outline.

At the far end of a steep view a big card is foreshortened to almost a square. The detector then
finds one outline around its middle, or around one half and a little of the other, which looks like
nothing in the box. A search along the outline's axes finds the two halves of the card side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.classify.reading import CellGuess, CellReading
from vision.core.lattice import cell_axes, turned_cell
from vision.core.stages import stage
from vision.core.types import EXPECTED, SAME_PLACE, SURE, Detection, Detections, Points
from vision.layout.quality import leaves

Array = NDArray[np.float64]
Look = Callable[[Sequence[Detection]], Sequence[CellReading]]

MOST_LOOKED_AT = 8
"""Most suspects, an outline with an axis each, that are searched per picture and list."""
HALF_PLACE = 0.5
"""Outlines nearer to a half, in widths, are of the same card, unless they surely show another."""
BESIDE = 2.0
"""Cards whose centres are nearer to that of an outline, in its widths, lie beside it."""
SURELY_SEEN = 0.7
"""Least detection confidence of a faint outline to be searched."""
FIRST_LENGTHS, LENGTHS = (0.87, 0.68), (1.15, 1.0, 0.87)
"""Lengths of a half to try, as shares of the outline's axis, since an outline across both halves is
15 to 50 % too long; and the refinement around the first length that showed both halves."""
AS_LONG = 0.9
"""If the axes' length ratio is at least this, either axis may be the card's long one."""
STEPS = 6
"""Number of places tried per length of a half."""
NEARER = (-0.08, 0.0, 0.08)
"""Offsets of the refinement around the best place, as shares of the outline's axis."""


@dataclass(frozen=True, eq=False)
class _Half:
    """A candidate place of a half, and its reading."""

    outline: Points
    reading: CellReading

    @property
    def guess(self) -> CellGuess | None:
        """The best guess, or ``None``."""
        return self.reading.guesses[0] if self.reading.guesses else None


Pair = tuple[_Half, _Half]


@stage("whole-bigs", without=lambda detections, readings, *_: (detections, readings))
def with_whole_bigs(
    detections: Detections, readings: Sequence[CellReading], tile_set: TileSet, look: Look
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines and readings; those across a big card are replaced by its two halves.

    Args:
        detections: the outlines.
        readings: what each of them shows.
        tile_set: the box.
        look: reads outlines.
    """
    bigs = {kind.name for kind in tile_set.kinds.values() if len(kind.cells) == 2}
    if not bigs:
        return detections, readings
    found, said = list(detections.found), list(readings)
    suspects = _suspects(found, said, tile_set, bigs)[:MOST_LOOKED_AT]
    for one, axis in [*suspects, *_faint(detections, said)[:MOST_LOOKED_AT]]:
        if all(one is not other for other in (*found, *detections.faint)):
            continue
        pair = _pair(one, axis, bigs, look)
        if pair is None:
            continue
        kept = [k for k, other in enumerate(found) if not _same(other, said[k], pair, one)]
        halves = [_found(half, one, detections.size_px) for half in pair]
        found = [*(found[k] for k in kept), *halves]
        said = [*(said[k] for k in kept), *(half.reading for half in pair)]
    return replace(detections, found=tuple(found)), said


def _found(half: _Half, one: Detection, size_px: tuple[int, int]) -> Detection:
    return Detection(half.outline, max(EXPECTED, one.confidence), leaves(half.outline, size_px))


def _suspects(
    found: Sequence[Detection], readings: Sequence[CellReading], tile_set: TileSet, bigs: set[str]
) -> list[tuple[Detection, int]]:
    """Return outlines that may lie across a big card, each with the card's possible long axis.

    Halves without their partner come first, then odd outlines beside surely read cards, then other
    odd ones: on a brick wall many outlines are odd, and only the first few are searched.
    """
    lone, odd = [], []
    for one, reading in zip(found, readings, strict=True):
        best = reading.guesses[0] if reading.guesses else None
        if best is not None and best.tile in bigs and reading.best >= SURE:
            step = to_partner(best, tile_set)
            if not _has_partner(one, best, step, found, readings):
                lone.append((one, 0 if step[0] else 1))
        elif reading.odd and reading.best < SURE:
            odd += [(one, axis) for axis in _axes_along(one)]
    sure = [one.centre_px for one, said in zip(found, readings, strict=True) if is_read(said)]
    far = {one: not _is_beside(one, sure) for one, _ in odd}
    return [*lone, *sorted(odd, key=lambda suspect: (far[suspect[0]], -suspect[0].confidence))]


def _faint(detections: Detections, readings: Sequence[CellReading]) -> list[tuple[Detection, int]]:
    """Return faint outlines beside a card that may lie across a big card, each with an axis."""
    pairs = zip(detections.found, readings, strict=True)
    sure = [one.centre_px for one, said in pairs if is_read(said)]
    middles = [one.centre_px for one in detections.found]
    return [
        (one, axis)
        for one in detections.faint
        if one.confidence >= SURELY_SEEN
        and _is_beside(one, sure)
        and not _is_beside(one, middles, HALF_PLACE)
        for axis in _axes_along(one)
    ]


def _axes_along(one: Detection) -> list[int]:
    """Return the possible long axes of the card under an outline, the likelier one first."""
    lengths = np.linalg.norm(cell_axes(one.corners_px[None], "square")[0], axis=0)
    shorter = int(lengths.argmin())
    return [shorter, 1 - shorter] if lengths.min() >= AS_LONG * lengths.max() else [shorter]


def _is_beside(one: Detection, middles: Sequence[Points], far: float = BESIDE) -> bool:
    """Say whether any card's centre is nearer to an outline than ``far`` of its widths."""
    return any(np.linalg.norm(one.centre_px - middle) < far * one.across_px for middle in middles)


def to_partner(half: CellGuess, tile_set: TileSet) -> Cell:
    """Return the step from one half of a card to the other, in the axes of the half's outline."""
    cells = tile_set[half.tile].cells
    (x, y), (u, v) = cells[half.cell], cells[1 - half.cell]
    return turned_cell((u - x, v - y), half.turns)


def _has_partner(
    one: Detection,
    half: CellGuess,
    step: Cell,
    found: Sequence[Detection],
    readings: Sequence[CellReading],
) -> bool:
    """Say whether the other half of a card was found at its predicted place."""
    axes = cell_axes(one.corners_px[None], "square")[0]
    there = one.centre_px + axes @ np.array(step, float)
    for other, reading in zip(found, readings, strict=True):
        best = reading.guesses[0] if reading.guesses else None
        near = np.linalg.norm(other.centre_px - there) < SAME_PLACE * one.across_px
        if near and best is not None and (best.tile, best.cell) == (half.tile, 1 - half.cell):
            return True
    return False


def _pair(one: Detection, axis: int, bigs: set[str], look: Look) -> Pair | None:
    """Return the two halves of the card under an outline along an axis; ``None`` if none fit."""
    places = np.arange(-STEPS, STEPS + 1) / STEPS
    for length in FIRST_LENGTHS:
        row = _looked_at(one, axis, length, places, look)
        pairs = [pair for pair in zip(row, row[STEPS:], strict=False) if _one_card(pair, bigs)]
        if pairs:
            best = min(pairs, key=_off)
            nearer = _nearer(one, axis, best, length, bigs, look)
            if nearer is not None:
                return nearer
    return None


def _nearer(
    one: Detection, axis: int, pair: Pair, first: float, bigs: set[str], look: Look
) -> Pair | None:
    """Return the halves after a finer search around a first place; ``None`` if they stay unsure."""
    step = cell_axes(one.corners_px[None], "square")[0][:, axis]
    middle = (pair[0].outline + pair[1].outline).mean(axis=0) / 2 - one.centre_px
    at = float(middle @ step / (step @ step))
    tried = [pair]
    for length in (first * share for share in LENGTHS):
        places = [(at + off) / length + side for off in NEARER for side in (-0.5, 0.5)]
        row = _looked_at(one, axis, length, np.array(places), look)
        tried += [pair for pair in zip(row[::2], row[1::2], strict=True) if _one_card(pair, bigs)]
    best = min(tried, key=_off)
    sure = all(not half.reading.odd and half.reading.best >= SURE for half in best)
    return best if sure else None


def _looked_at(
    one: Detection, axis: int, length: float, places: Array, look: Look
) -> tuple[_Half, ...]:
    """Return the readings of outlines of some length, at places along an axis (in lengths)."""
    outlines = list(_moved(one, axis, length, places))
    readings = look([Detection(outline, EXPECTED) for outline in outlines])
    return tuple(_Half(o, r) for o, r in zip(outlines, readings, strict=True))


def _moved(one: Detection, axis: int, length: float, places: Array) -> Iterator[Points]:
    """Yield an outline scaled to ``length`` along one of its axes, at each place along it."""
    step = cell_axes(one.corners_px[None], "square")[0][:, axis]
    toward = np.array([(-1, 1, 1, -1), (-1, -1, 1, 1)][axis], float)[:, None]
    shorter = one.corners_px - toward * step * (1 - length) / 2
    for place in places:
        yield shorter + place * length * step


def _one_card(pair: Pair, bigs: set[str]) -> bool:
    return are_halves(pair[0].guess, pair[1].guess, bigs)


def are_halves(one: CellGuess | None, other: CellGuess | None, bigs: set[str]) -> bool:
    """Say whether two guesses are the two halves of one big card."""
    return (
        one is not None
        and other is not None
        and one.tile in bigs
        and (one.tile, one.turns) == (other.tile, other.turns)
        and one.cell != other.cell
    )


def is_read(reading: CellReading) -> bool:
    """Say whether an outline surely shows a card that lies face up."""
    return reading.best >= SURE and not reading.odd and not reading.is_back


def _off(pair: Pair) -> float:
    """Return the larger ``far`` of the two halves: the distance to the expected appearance."""
    return max(half.reading.far for half in pair)


def _same(other: Detection, reading: CellReading, pair: Pair, one: Detection) -> bool:
    """Say whether an outline belongs to the card of the two halves, and is to be replaced."""
    if other is one:
        return True
    near = any(
        np.linalg.norm(other.centre_px - half.outline.mean(axis=0)) < HALF_PLACE * other.across_px
        for half in pair
    )
    guess = pair[0].guess
    same = guess is not None and bool(reading.guesses) and reading.guesses[0].tile == guess.tile
    return near and (same or reading.odd or reading.best < SURE)

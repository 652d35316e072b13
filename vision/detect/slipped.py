"""Lays cards of a row anew whose outlines slipped along it.

Cards that are pushed together in bright light show no seam between them, and outlines are found on
two halves of neighbours, or one too many. Such an outline looks less like its card than the others.
The table's plane says how far apart cards lie, and those at the ends of the row where it starts:
what is seen at the places between says whether cards lie there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.classify.reader import CellReading
from vision.core.lattice import fit_outlines, mapped
from vision.core.outline import Forms
from vision.core.plane import TablePlane
from vision.core.stages import stage
from vision.core.types import Detection, Detections, LatticeFit
from vision.layout.quality import leaves

Array = NDArray[np.float64]
Look = Callable[[Sequence[Detection]], Sequence[CellReading]]

FAR, CLEAR = 0.35, 0.3
"""Outlines further from every look may have slipped, nearer ones have not."""
LIKELY, SURE = 0.5, 0.9
"""How surely an outline that slipped is read, and every card where it is laid anew."""
BETTER = 0.6
"""How much nearer to their looks they must be."""
FEWEST = 6
"""Cards that are needed to tell the plane."""
BESIDE_ROW, NEXT, BEYOND = 0.35, 0.6, 2.0
"""An outline that no other expects ends a row, if it lies so little beside it, and at least and at
most so far from its last card, in widths."""
AROUND, SLIPPED, FREE = 1.9, 0.75, 0.7
"""Cards nearer to an outline that slipped beside its row say where others lie, so far off at most,
and so far from all others at least, in widths."""
IN_REACH = BEYOND + BESIDE_ROW
"""What lies further from every card belongs to no row."""
MOST_ROWS = 6
MOST_UNEVEN = 0.15
"""Cards lie that much nearer or further than the plane says, in widths: laid by hand."""
STEPS = (0.9, 0.95, 1.0, 1.05, 1.1)
"""How far apart cards of a row may lie that ends nowhere."""
FOUND = 0.8
"""How sure it is that they lie there."""

Row = tuple[list[int], list[int], list[int]]
"""Outlines that may have slipped, in order, and the card before and the one after them, if any."""


@stage("slipped", without=lambda detections, readings, look: (detections, readings))
def with_rows_laid(
    detections: Detections, readings: Sequence[CellReading], look: Look
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines, such as slipped along their row replaced by the cards that lie there.

    Args:
        detections: the outlines of squares.
        readings: what each of them shows.
        look: reads outlines.
    """
    good = np.array([_is_clear(one) for one in readings])
    if good.sum() < FEWEST or not _any_in_reach(detections.found, readings, good):
        return detections, readings
    corners = np.stack([one.corners_px for one in detections.found])
    weights = np.array([one.confidence for one in detections.found]) ** 2 * good
    plane = TablePlane.of(Forms.of(corners, "square"), weights, detections.size_px)
    table = _Table(detections, readings, plane, look)
    fits = _with_lone(fit_outlines(corners, "square"), detections.found, readings)
    for slipped, before, after in list(_rows(fits, detections.found, readings)):
        if not table.gone.intersection((*slipped, *before, *after)):
            row = table.places[[*before, *slipped, *after]]
            along = row[-1] - row[0]
            table.lay(
                slipped, [plane.squares(places, along) for places in _tries(row, bool(after))]
            )
    for k, both in enumerate(zip(detections.found, readings, strict=True)):
        if k not in table.gone and _may_have_slipped(*both):
            table.lay([k], table.expected(k))
    return table.all()


def _any_in_reach(
    found: Sequence[Detection], readings: Sequence[CellReading], good: NDArray[np.bool_]
) -> bool:
    """Say whether an outline that may have slipped lies near to a card that has not."""
    slipped = [one for one, said in zip(found, readings, strict=True)
               if _may_have_slipped(one, said)]  # fmt: skip
    if not slipped:
        return False
    cards = np.stack([one.centre_px for one, is_good in zip(found, good, strict=True) if is_good])
    return any(
        np.linalg.norm(cards - one.centre_px, axis=1).min() < IN_REACH * one.across_px
        for one in slipped
    )


class _Table:
    """Outlines and what they show, and those that are laid anew."""

    def __init__(
        self, detections: Detections, readings: Sequence[CellReading], plane: TablePlane, look: Look
    ) -> None:
        self.detections, self.readings = detections, readings
        self.plane, self.look = plane, look
        self.places = plane.on_table(np.stack([one.centre_px for one in detections.found]))
        self.gone: set[int] = set()
        self.laid: list[tuple[Detection, CellReading]] = []

    def lay(self, slipped: Sequence[int], tries: Sequence[Array]) -> None:
        """Replace outlines by the best of some tries, if that is much better."""
        worst = min(CLEAR, BETTER * float(np.mean([self.readings[k].far for k in slipped])))
        laid = _laid(tries, worst, self.look, self.detections.size_px)
        self.gone.update(slipped if laid else ())
        self.laid += laid
        for one, _ in laid:
            apart = np.linalg.norm(self.places - self._place_of(one), axis=1)
            self.gone.update(np.nonzero(apart < FREE)[0].tolist())

    def expected(self, k: int) -> list[Array]:
        """Return where the cards around an outline expect others instead of it: two, or one."""
        others = [n for n in range(len(self.places)) if n != k and n not in self.gone]
        laid = [self._place_of(one) for one, _ in self.laid]
        taken = [*self.places[others], *laid]
        cards: list[Array] = []
        for place, way in self._ways([n for n in others if _is_clear(self.readings[n])], k):
            if np.linalg.norm(np.array(taken) - place, axis=1).min() > FREE:
                taken.append(place)
                cards.append(self.plane.squares(place[None], way))
        return [np.concatenate(cards), *cards] if len(cards) == 2 else cards

    def _place_of(self, one: Detection) -> Array:
        return np.asarray(self.plane.on_table(one.centre_px[None])[0])

    def _ways(self, cards: Sequence[int], k: int) -> Iterator[tuple[Array, Array]]:
        """Yield places beside cards that are near to an outline, and the ways that lead there."""
        for n in cards:
            if np.linalg.norm(self.places[n] - self.places[k]) < AROUND:
                corners = self.plane.on_table(self.detections.found[n].corners_px)
                right = corners[1] + corners[2] - corners[0] - corners[3]
                down = corners[2] + corners[3] - corners[0] - corners[1]
                for way in (right, -right, down, -down):
                    place = self.places[n] + way / max(float(np.linalg.norm(way)), 1e-9)
                    if np.linalg.norm(place - self.places[k]) < SLIPPED:
                        yield place, way

    def all(self) -> tuple[Detections, Sequence[CellReading]]:
        """Return all outlines as they are now, and what they show."""
        kept = [k for k in range(len(self.readings)) if k not in self.gone]
        found = (*(self.detections.found[k] for k in kept), *(one for one, _ in self.laid))
        said = [*(self.readings[k] for k in kept), *(said for _, said in self.laid)]
        return replace(self.detections, found=found), said


def _with_lone(
    fits: Sequence[LatticeFit], found: Sequence[Detection], said: Sequence[CellReading]
) -> list[LatticeFit]:
    """Return the lattices, outlines alone that may have slipped in the rows that they end."""
    lone = [k for fit in fits if len(fit.cells) == 1 for k in fit.cells.values()]
    lone = [k for k in lone if _may_have_slipped(found[k], said[k])]
    grown = []
    for fit in fits:
        cells = dict(fit.cells)
        for k in lone if len(cells) > 1 else ():
            back = np.asarray(np.linalg.inv(fit.px_from_cell), np.float64)
            place = mapped(back, found[k].centre_px[None])[0]
            cell = _beyond(place, cells)
            if cell is not None:
                cells[cell] = k
        grown.append(replace(fit, cells=cells))
    return grown


def _beyond(place: Array, cells: Mapping[Cell, int]) -> Cell | None:
    """Return the free cell beside others that an outline lies at or a little beyond."""
    for x, y in cells:
        off = place - (x, y)
        axis = int(np.abs(off).argmax())
        if abs(off[1 - axis]) < BESIDE_ROW and NEXT <= abs(off[axis]) < BEYOND:
            step = int(np.sign(off[axis]))
            cell = (x + step, y) if axis == 0 else (x, y + step)
            if cell not in cells:
                return cell
    return None


def _is_clear(reading: CellReading) -> bool:
    return reading.far < CLEAR and reading.best >= SURE and not reading.is_back


def _may_have_slipped(one: Detection, reading: CellReading) -> bool:
    """Say whether an outline shows a card poorly: what shows none is a hole or a brick."""
    return (
        reading.far >= FAR and reading.why is None and reading.best >= LIKELY
        and not reading.is_back and not reading.covered and not one.cut_off
    )  # fmt: skip


def _rows(
    fits: Sequence[LatticeFit], found: Sequence[Detection], said: Sequence[CellReading]
) -> Iterator[Row]:
    """Yield the parts of rows that may have slipped, at least one end of which has not."""
    count = 0
    for fit in fits:
        for cell in sorted(fit.cells):
            for step in ((1, 0), (0, 1)):
                back = (cell[0] - step[0], cell[1] - step[1])
                slipped = [] if _is_bad(back, fit, said) else list(_onward(cell, step, fit, said))
                if not any(_may_have_slipped(found[k], said[k]) for k in slipped):
                    continue
                before = [fit.cells[back]] if back in fit.cells else []
                end = (cell[0] + step[0] * len(slipped), cell[1] + step[1] * len(slipped))
                after = [fit.cells[end]] if end in fit.cells else []
                if before or after:
                    yield (slipped, before, after) if before else (slipped[::-1], after, [])
                    count += 1
                if count >= MOST_ROWS:
                    return


def _is_bad(cell: Cell, fit: LatticeFit, said: Sequence[CellReading]) -> bool:
    return cell in fit.cells and not _is_clear(said[fit.cells[cell]])


def _onward(cell: Cell, step: Cell, fit: LatticeFit, said: Sequence[CellReading]) -> Iterator[int]:
    """Yield the outlines from a cell on along a row, up to one that is clear."""
    while _is_bad(cell, fit, said):
        yield fit.cells[cell]
        cell = (cell[0] + step[0], cell[1] + step[1])


def _tries(row: Array, closed: bool) -> list[Array]:
    """Return where the cards of a row may lie on the table instead, each try N x 3.

    Args:
        row: where outlines lie; the first of them has not slipped.
        closed: whether the last has not, either.
    """
    apart = float(np.linalg.norm(row[-1] - row[0]))
    along = (row[-1] - row[0]) / max(apart, 1e-9)
    if closed:
        numbers = [n for n in range(2, int(apart) + 3) if abs(apart / n - 1) <= MOST_UNEVEN]
        tries: list[Array] = [np.arange(1.0, n) * (apart / n) for n in numbers]
    else:
        tries = [np.arange(1.0, n + 1) * step for n in (len(row), len(row) - 1) for step in STEPS]
    return [row[0] + along * steps[:, None] for steps in tries]


def _laid(
    tries: Sequence[Array], worst: float, look: Look, size_px: tuple[int, int]
) -> list[tuple[Detection, CellReading]]:
    """Return the cards that the best of some tries shows, nothing where none is good.

    Args:
        tries: outlines of all cards, each N x 4 x 2; more cards are better than fewer.
        worst: how far they may be from their looks on average.
        look: reads outlines.
        size_px: width and height of the picture.
    """
    # All at once: one look at many outlines takes far less time than many looks.
    flat = [outline for outlines in tries for outline in outlines]
    cards = [Detection(outline, FOUND, leaves(outline, size_px)) for outline in flat]
    read = iter(zip(cards, look(cards), strict=True)) if cards else iter(())
    best: list[tuple[Detection, CellReading]] = []
    for outlines in tries:
        seen = [next(read) for _ in outlines]
        far = float(np.mean([said.far for _, said in seen]))
        good = far < worst and all(_is_card(said) for _, said in seen)
        if good and len(seen) >= len(best):
            best, worst = seen, far
    return best


def _is_card(reading: CellReading) -> bool:
    return reading.is_whole(SURE) and not reading.is_back

"""Looks for a taught box's own tiles where they are expected: the reader knows what they look like.

What finds outlines has never seen the box. A print with a line across it is found as two tiles that
lie half beside the real one, and some tiles are seen too faintly to count, all of a picture's at
worst. But what the reader is sure of says where the others lie; an outline there that shows a kind
of the box as clearly as these do is a tile, and what lay half on it is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.classify.reader import CellReading
from vision.classify.strangers import STRANGE, rectangle_in, usual_far
from vision.core.ground import Ground
from vision.core.lattice import HEX_SIDES, SQUARE_SIDES, fit_outlines, mapped
from vision.core.outline import agreed_outlines
from vision.core.stages import stage
from vision.core.types import Detection, Detections, LatticeFit

Array = NDArray[np.float64]
Look = Callable[[Sequence[Detection]], Sequence[CellReading]]
Glance = Callable[[Sequence[Detection], Sequence[Detection]], Sequence[CellReading]]
"""Reads the second outlines by the light of the first."""

SURE = 0.98
"""How surely a tile must be read to say where others lie, or to be taken for one."""
KNOWN = 0.6
"""Where no tile was found at all, faint outlines further from their look, as a share of what is
known, are none: those of nine tiles had 0.48 at most."""
PROBABLY = 0.8
"""How surely the tiles of a short layout must be read, each of which several looks agree on."""
FEWEST = 4
"""Tiles that must be read so before others are looked for."""
EXPECTED = 0.8
"""How sure it is that such a tile lies there."""
WELL = 1.5
"""Times as far from its look as tiles usually are here, and one that is read so surely is outlined
well. Others are looked for at its own cell too: where a print has a line across it, some outlines
lie beside their tiles and are read for all that. On one table of 44 tiles 22 cells were wrong."""
MOST_WAVES = 3
"""Steps beyond the last tile that was found."""
SAME_PLACE = 0.7
"""Nearer to each other, in widths, no two tiles lie."""
HARDLY_TABLE = 0.5
"""Cells whose colours are seen so much more rarely than the table's may hold a tile. Others may if
an outline was seen there, however faintly: bare cloth can look like a print that is faint itself,
and was read as one on four of 400 tables."""
SQUARE_CORNERS = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
_ANGLES = np.arange(6) * np.pi / 3 - np.pi / 6
HEX_CORNERS = np.stack(
    [np.cos(_ANGLES) / np.sqrt(3) - np.sin(_ANGLES) / 3, np.sin(_ANGLES) * 2 / 3], axis=1
)
"""Corners of a cell by the steps of its lattice."""


@dataclass(frozen=True, eq=False)
class Eyes:
    """What a picture with a taught box's tiles can be looked at with."""

    look: Look
    glance: Glance
    few: Callable[[], Sequence[Detection]]
    """Finds the tiles of a short layout, which takes long."""
    ground: Ground
    """The table beside what was found."""


@stage("own-tiles", without=lambda detections, readings, eyes: (detections, readings))
def with_own_tiles(
    detections: Detections, readings: Sequence[CellReading], eyes: Eyes
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines with the box's tiles that were missed, without what lies on these.

    Args:
        detections: the outlines, none of them twice.
        readings: what each of them shows.
        eyes: what to look with.
    """
    if not detections.found:
        detections = replace(detections, found=_by_their_print(detections, eyes))
        readings = eyes.look(detections.found)
    elif faint := _apart_from(_clear(detections.faint, eyes.look, SURE), detections.found):
        detections = replace(detections, found=(*detections.found, *faint))
        readings = eyes.look(detections.found)
    surely = _Surely.of(readings)
    if surely is None:
        return detections, readings
    read = list(zip(detections.found, readings, strict=True))
    own = tuple(one for one, said in read if surely.shows_well(said))
    doubtful = [one for one, said in read if not surely.shows_well(said)]
    missed = _missed(replace(detections, found=own), doubtful, surely, eyes)
    if not missed:
        return detections, readings
    gone = set(doubtful) - set(_apart_from(doubtful, missed))
    found = (*(one for one in detections.found if one not in gone), *missed)
    return replace(detections, found=found), eyes.look(found)


@dataclass(frozen=True)
class _Surely:
    """From how far on a reading of this picture is no tile."""

    most_far: float
    well: float
    """And from how far on its outline may lie beside the tile."""

    @classmethod
    def of(cls, readings: Sequence[CellReading]) -> _Surely | None:
        usual = usual_far(readings)
        return None if usual is None else cls(min(STRANGE * usual, 1.0), min(WELL * usual, 1.0))

    def shows(self, said: CellReading) -> bool:
        """Say whether a reading surely is one of the box's tiles."""
        return said.why is None and said.best >= SURE and said.far <= self.most_far

    def shows_well(self, said: CellReading) -> bool:
        """Say whether a reading surely is one, in an outline that fits."""
        return self.shows(said) and said.far <= self.well


def _by_their_print(detections: Detections, eyes: Eyes) -> tuple[Detection, ...]:
    """Return outlines that show tiles of the box, where nothing was found for sure."""
    clear = _clear(detections.faint, eyes.look, SURE)
    if len(clear) >= FEWEST:
        corners = np.stack([one.corners_px for one in clear])
        sure = np.array([one.confidence for one in clear])
        outlines, _, _ = agreed_outlines(corners, sure**2, detections.shape, detections.size_px)
        return tuple(replace(one, corners_px=o) for one, o in zip(clear, outlines, strict=True))
    # On a bare table nothing is seen even faintly.
    few = eyes.few() if detections.shape == "square" and len(detections.faint) > 1 else ()
    clear = _clear(few, eyes.look, PROBABLY)
    return tuple(clear) if len(clear) == len(few) else ()


def _clear(some: Sequence[Detection], look: Look, least: float) -> list[Detection]:
    """Return those outlines that show tiles of the box so surely."""
    read = zip(some, look(some), strict=True)
    return [one for one, said in read if said.best >= least and said.far <= KNOWN]


def _missed(
    own: Detections, doubtful: Sequence[Detection], surely: _Surely, eyes: Eyes
) -> list[Detection]:
    """Return tiles of the box that lie on the lattices of those that were found.

    Args:
        own: the tiles of the box.
        doubtful: outlines that may be others.
        surely: what shows one.
        eyes: what to look with.
    """
    if len(own.found) < FEWEST:
        return []
    missed: list[Detection] = []
    corners = np.stack([one.corners_px for one in own.found])
    for fit in fit_outlines(corners, own.shape, FEWEST):
        laid = _Laid(fit, own)
        for _ in range(MOST_WAVES):
            free = _apart_from(laid.beside(), [*own.found, *missed])
            expected = _not_table(free, (*doubtful, *own.faint), eyes.ground)
            if not expected:
                break
            said = eyes.glance(own.found, expected)
            seen = [one for one, r in zip(expected, said, strict=True) if surely.shows(r)]
            if not seen:
                break
            missed += seen
            laid.add(seen)
    return missed


def _not_table(
    free: Sequence[Detection], doubtful: Sequence[Detection], ground: Ground
) -> list[Detection]:
    """Return the outlines that show other colours than the table, or lie where another one was."""
    if not free:
        return []
    apart = set(_apart_from(free, doubtful))
    other = ground.hidden(np.stack([rectangle_in(one.corners_px) for one in free]), HARDLY_TABLE)
    return [one for one, is_other in zip(free, other, strict=True)
            if is_other or one not in apart]  # fmt: skip


class _Laid:
    """The tiles of one lattice, and where others would lie beside them."""

    def __init__(self, fit: LatticeFit, own: Detections) -> None:
        self._fit, self._shape, self._size_px = fit, own.shape, own.size_px
        self._cells = dict.fromkeys(fit.cells)
        self._tried: dict[Cell, Detection] = {}
        back = np.asarray(np.linalg.inv(fit.px_from_cell), np.float64)
        middles = np.stack([own.found[number].centre_px for number in fit.cells.values()])
        self._at = np.array(list(fit.cells), float)
        self._off = mapped(back, middles) - self._at

    def beside(self) -> list[Detection]:
        """Return outlines, all in the picture, of cells beside the tiles not returned before."""
        sides = SQUARE_SIDES if self._shape == "square" else HEX_SIDES
        cells = {(x + dx, y + dy) for x, y in self._cells for dx, dy in sides}
        new = sorted(cells - self._cells.keys() - self._tried.keys())
        outlines = [Detection(one, EXPECTED) for one in self._outlines(new)]
        self._tried.update(zip(new, outlines, strict=True))
        return [one for one in outlines if self._is_inside(one)]

    def add(self, seen: Iterable[Detection]) -> None:
        """Count outlines as tiles."""
        cells = {one: cell for cell, one in self._tried.items()}
        self._cells.update(dict.fromkeys(cells[one] for one in seen))

    def _outlines(self, cells: Sequence[Cell]) -> list[Array]:
        """Return outlines of cells as the nearest tile lies."""
        corners = SQUARE_CORNERS if self._shape == "square" else HEX_CORNERS
        places = []
        for cell in cells:
            nearest = np.linalg.norm(self._at - cell, axis=1).argmin()
            places.append(cell + self._off[nearest] + corners)
        return [mapped(self._fit.px_from_cell, place) for place in places]

    def _is_inside(self, one: Detection) -> bool:
        corners = one.corners_px
        return bool((corners >= 0).all() and (corners < np.array(self._size_px)).all())


def _apart_from(some: Iterable[Detection], others: Sequence[Detection]) -> list[Detection]:
    """Return those outlines that lie on none of the others."""
    if not others:
        return list(some)
    middles = np.stack([one.centre_px for one in others])
    return [
        one for one in some
        if np.linalg.norm(middles - one.centre_px, axis=1).min() >= SAME_PLACE * one.across_px
    ]  # fmt: skip

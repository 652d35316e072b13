"""Tiles of a taught box: read twice, looked for where they are expected, told from what is none.

An outline that misses by a tenth of a tile shows a print that nobody has taught. Built-in boxes
have learnt that from thousands of pictures; an owner gives two. So doubtful tiles are looked at a
little beside their outlines, and shining ones with the shine taken off.

What finds outlines has never seen the box. A print with a line across it is found as two tiles that
lie half beside the real one, and some tiles are seen too faintly to count, all of a picture's at
worst. But what the reader is sure of says where the others lie; an outline there that shows a kind
of the box as clearly as these do is a tile, and what lay half on it is none.

All tiles on a table lie in the same light, so what is much further from every look than they are is
strange; and where a strange outline has the table's own colours, it is the table. A pattern that is
rare on its cloth is told by how poorly its outline was found, and by how poorly it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.classify.embedding import described
from vision.classify.reader import CellReading, Reader
from vision.core.crop import Patches, cut
from vision.core.ground import AS_TABLE, HARDLY_TABLE, HIDDEN, Ground
from vision.core.lattice import (
    HEX_CORNERS,
    HEX_SIDES,
    SQUARE_CORNERS,
    SQUARE_SIDES,
    LaidCells,
    fit_outlines,
)
from vision.core.outline import agreed_outlines
from vision.core.stages import stage
from vision.core.types import (
    BESIDE,
    CLEAR,
    EXPECTED,
    LIKELIER,
    NEAREST,
    SURE,
    TOLD,
    Bgr,
    Detection,
    Detections,
    LatticeFit,
    Points,
)
from vision.light.picture_light import without_shine
from vision.light.same_light import FEWEST_SURE, in_these_colours, in_this_light

Floats = NDArray[np.float32]
Look = Callable[[Sequence[Detection]], Sequence[CellReading]]
Glance = Callable[[Sequence[Detection], Sequence[Detection]], Sequence[CellReading]]
"""Reads the second outlines by the light of the first."""

STEPS = (-0.09, 0.0, 0.09)
FAR = 0.18
"""Shifts in widths of a tile; on drawn tables outlines miss by 0.02 on average, 0.15 at worst."""
SHIFTS = (
    *((x, y) for x in STEPS for y in STEPS),
    (-FAR, 0.0), (FAR, 0.0), (0.0, -FAR), (0.0, FAR),
)  # fmt: skip
EXPLAINED = 0.8
"""Tiles that are not outlined well may shine; if they do, they are nearer by that without."""
USUALLY_OFF = 0.06
AWAY = (np.array(SHIFTS) ** 2).sum(axis=1) / USUALLY_OFF**2
"""What speaks against a shift, in units of the reader's doubt: without it a print that is hardly
seen was read wherever it looked most like something. Of 341 tiles of six boxes 7 were wrong and
sure then, 4 with it."""
KNOWN = 0.6
"""Where no tile was found at all, faint outlines further from their look, as a share of what is
known, are none: those of nine tiles had 0.48 at most."""
WELL = 1.5
"""Times as far from its look as tiles usually are here, and one that is read so surely is outlined
well. Others are looked for at its own cell too: where a print has a line across it, some outlines
lie beside their tiles and are read for all that. On one table of 44 tiles 22 cells were wrong."""
MOST_WAVES = 3
"""Steps beyond the last tile that was found."""
STRANGE = 2.5
"""Times as far as these on average, and it may be none: of 300 tiles on fourteen drawn tables two
were further, by 2.6 at most; six holes and a pattern of the cloth were, by 2.65 at least."""
CERTAIN = 0.995
"""Strange outlines that are not likelier than not are no tiles, unless they are read so surely: an
outline that misses looks strange and may be looked at a little beside. Two tiles of 60 tables were
lost so, read at 0.998; the one pattern there was read at 0.4."""
ALL_CLOTH = 0.9
"""Share of a strange outline in colours of the table, if rare ones, from which it is a patch of
cloth with its print. Four holes on two tables had 0.94 and more, tiles that light makes strange
0.86 at most."""
SURELY_OUTLINED = 0.95
"""Outlines so sure that lie beside a tile, by their widths, are tiles whatever they show: under a
lamp's shine a tile may have the table's colour. Of ten holes and patterns on twenty tables none was
surer than 0.92."""
UPRIGHT_PART = (5, 1, 2, 4)
"""Corners of a hex that make a rectangle."""


def read_taught(
    bgr: Bgr, found: Sequence[Detection], reader: Reader, lit: Callable[[Patches], Patches]
) -> list[CellReading]:
    """Return what each outline shows of a taught box: in the picture's light, and looked at twice.

    Args:
        bgr: the picture.
        found: the outlines.
        reader: of the taught box.
        lit: shows patches as they would look in white light.
    """
    if not found:
        return []
    across = [one.across_px for one in found]
    patches = lit(cut(bgr, [one.corners_px for one in found]))
    rows = described(patches)
    reader = in_this_light(reader, rows, across)
    distances = _looked_at_twice(bgr, found, rows, reader, lit)
    distances, patches = _without_shine(reader, distances, patches, across)
    readings = reader.readings(in_these_colours(reader, distances, patches, across))
    if reader.evidence is None:
        return readings
    return reader.evidence.weighed(reader, patches, readings, across)


@stage("taught: shine", without=lambda reader, distances, patches, _: (distances, patches))
def _without_shine(
    reader: Reader, distances: Floats, patches: Patches, across_px: Sequence[float]
) -> tuple[Floats, Patches]:
    """Return distances and patches, of tiles that shine without that if it explains them.

    Tiles of one land differ by more than a shine does: of these nothing is said.

    Args:
        reader: of the taught box, in the light of the picture.
        distances: N x looks.
        patches: the tiles.
        across_px: how wide each was in its picture.
    """
    readings = reader.readings(distances)
    usual = usual_far(readings)
    if usual is None or reader.prints is None:
        return distances, patches
    distances, patches = distances.copy(), patches.copy()
    for number, reading in enumerate(readings):
        if reading.best >= CLEAR and reading.far <= WELL * usual:
            continue
        dull = without_shine(patches[number])
        if len(dull):
            less = reader.distances_of(described(dull), [across_px[number]] * len(dull))
            best = int(less.min(axis=1).argmin())
            if less[best].min() <= EXPLAINED * distances[number].min():
                distances[number], patches[number] = less[best], dull[best]
    return distances, patches


def glanced(
    bgr: Bgr, known: Sequence[Detection], some: Sequence[Detection], reader: Reader,
    lit: Callable[[Patches], Patches],
) -> list[CellReading]:  # fmt: skip
    """Return what some outlines show, quickly: kinds that differ by a shade are not told apart.

    Args:
        bgr: the picture.
        known: tiles that surely lie there; these say what its light does.
        some: outlines to read.
        reader: of the taught box.
        lit: shows patches as they would look in white light.
    """
    rows = described(lit(cut(bgr, [one.corners_px for one in (*known, *some)])))
    reader = in_this_light(reader, rows[: len(known)], [one.across_px for one in known])
    return reader.readings(_looked_at_twice(bgr, some, rows[len(known) :], reader, lit))


def _looked_at_twice(
    bgr: Bgr, found: Sequence[Detection], rows: Floats, reader: Reader,
    lit: Callable[[Patches], Patches],
) -> Floats:  # fmt: skip
    """Return how far outlines are from each look, doubtful ones wherever around them they lie."""
    distances = reader.distances_of(rows, [one.across_px for one in found])
    for number, reading in enumerate(reader.readings(distances)):
        if reading.best < CLEAR:
            beside = lit(cut(bgr, _shifted(found[number].corners_px)))
            distances[number] = _anywhere(reader, reader.distances(beside))
    return distances


def _anywhere(reader: Reader, distances: Floats) -> Floats:
    """Return how far each look is, wherever the tile may lie."""
    doubt = 2 * reader.temperature
    energies = (distances + reader.temperature * AWAY[:, None]) / doubt
    return np.asarray(-doubt * np.logaddexp.reduce(-energies, axis=0), np.float32)


def _shifted(corners: Points) -> list[Points]:
    """Return the outline moved along its own axes."""
    middle = corners.mean(axis=0)
    across = corners[0] + corners[1] - 2 * middle
    along = np.array([-across[1], across[0]])
    return [corners + x * along + y * across for x, y in SHIFTS]


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
    elif faint := _apart_from(_clear(detections.faint, eyes.look, CLEAR), detections.found):
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
        return said.why is None and said.best >= CLEAR and said.far <= self.most_far

    def shows_well(self, said: CellReading) -> bool:
        """Say whether a reading surely is one, in an outline that fits."""
        return self.shows(said) and said.far <= self.well


def _by_their_print(detections: Detections, eyes: Eyes) -> tuple[Detection, ...]:
    """Return outlines that show tiles of the box, where nothing was found for sure."""
    clear = _clear(detections.faint, eyes.look, CLEAR)
    if len(clear) >= FEWEST_SURE:
        corners = np.stack([one.corners_px for one in clear])
        sure = np.array([one.confidence for one in clear])
        outlines, _, _ = agreed_outlines(corners, sure**2, detections.shape, detections.size_px)
        return tuple(replace(one, corners_px=o) for one, o in zip(clear, outlines, strict=True))
    # On a bare table nothing is seen even faintly.
    few = eyes.few() if detections.shape == "square" and len(detections.faint) > 1 else ()
    clear = _clear(few, eyes.look, TOLD)
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
    if len(own.found) < FEWEST_SURE:
        return []
    missed: list[Detection] = []
    corners = np.stack([one.corners_px for one in own.found])
    for fit in fit_outlines(corners, own.shape, FEWEST_SURE):
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
        self._shape, self._size_px = own.shape, own.size_px
        self._cells = set(fit.cells)
        self._tried: dict[Cell, Detection] = {}
        middles = np.stack([own.found[number].centre_px for number in fit.cells.values()])
        self._laid = LaidCells.of(fit.px_from_cell, [[cell] for cell in fit.cells], middles)

    def beside(self) -> list[Detection]:
        """Return outlines, all in the picture, of cells beside the tiles not returned before."""
        sides = SQUARE_SIDES if self._shape == "square" else HEX_SIDES
        cells = {(x + dx, y + dy) for x, y in self._cells for dx, dy in sides}
        new = sorted(cells - self._cells - self._tried.keys())
        if self._laid is None or not new:
            return []
        corners = SQUARE_CORNERS if self._shape == "square" else HEX_CORNERS
        laid = self._laid.outlines(np.array(new, float), corners)
        outlines = [Detection(one, EXPECTED) for one in laid]
        self._tried.update(zip(new, outlines, strict=True))
        return [one for one in outlines if self._is_inside(one)]

    def add(self, seen: Iterable[Detection]) -> None:
        """Count outlines as tiles."""
        cells = {one: cell for cell, one in self._tried.items()}
        self._cells.update(cells[one] for one in seen)

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
        if np.linalg.norm(middles - one.centre_px, axis=1).min() >= NEAREST * one.across_px
    ]  # fmt: skip


def tiles_only(bgr: Bgr, found: Sequence[Detection], readings: Sequence[CellReading]) -> list[bool]:
    """Return for each outline whether it may be a tile."""
    usual = usual_far(readings)
    # Where too few tiles say what is usual here, what the box knows must do.
    limit, doubtful = (1.0, 1.0) if usual is None else (STRANGE * usual, WELL * usual)
    read = list(zip(found, readings, strict=True))
    asked = [
        n for n, (one, said) in enumerate(read)
        if said.far > limit
        or (said.far > doubtful and said.best < CERTAIN and one.confidence < TOLD)
    ]  # fmt: skip
    kept = [True] * len(found)
    if not asked:
        return kept
    ground = Ground(bgr, [one.corners_px for one in found])
    places = np.stack([rectangle_in(found[n].corners_px) for n in asked])
    sure = [one for one, said in read if said.best >= SURE]
    for n, share, cloth in zip(asked, ground.shown(places), ground.covered(places), strict=True):
        if readings[n].far > limit:
            kept[n] = _is_shown(*read[n], share, cloth) or _is_laid(found[n], sure)
        else:
            kept[n] = bool(share < AS_TABLE)
    return kept


def _is_shown(one: Detection, said: CellReading, share: float, cloth: float) -> bool:
    """Say whether a strange outline is a tile all the same.

    Args:
        one: the outline.
        said: what it shows.
        share: how often the table has its colours, as a share of a usual place.
        cloth: share of it in colours that the table has at all.
    """
    read = said.best >= CERTAIN
    outlined = one.confidence >= LIKELIER and cloth < ALL_CLOTH
    return bool((read and one.confidence > TOLD) or (share < HIDDEN and (read or outlined)))


def _is_laid(one: Detection, sure: Sequence[Detection]) -> bool:
    """Say whether an outline beyond doubt lies beside a tile: light may hide what is on it."""
    if one.confidence < SURELY_OUTLINED or not sure:
        return False
    apart = np.linalg.norm(np.stack([o.centre_px for o in sure]) - one.centre_px, axis=1)
    return bool(((apart > NEAREST * one.across_px) & (apart < BESIDE * one.across_px)).any())


def usual_far(readings: Sequence[CellReading]) -> float | None:
    """Return how far from their looks tiles are on this table; nothing of too few."""
    sure = [one.far for one in readings if one.best >= SURE]
    return float(np.median(sure)) if len(sure) >= FEWEST_SURE else None


def rectangle_in(corners: Points) -> Points:
    """Return four corners of an outline, all of a square's."""
    return corners if len(corners) == 4 else corners[list(UPRIGHT_PART)]

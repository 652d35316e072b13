"""Reads tiles of a taught box, finds missed ones on their lattice, and rejects strangers.

An outline that is off by a tenth of a tile shows a shifted print. Readers of built-in boxes learnt
such shifts from thousands of pictures; an owner gives two. So doubtful tiles are also read at
shifted outlines, and shining ones with the shine removed.

The detector has never seen the box. It may find a print with a line across it as two tiles, each
half beside the real one, and may find some or all tiles only faintly. But surely read tiles predict
the lattice; an outline there that shows a kind of the box as clearly as they do is a tile, and
outlines that overlap it by half are dropped.

All tiles on a table share one light, so an outline much farther from every look than the others is
strange; a strange outline in the table's colours is the table. A pattern that is rare on its cloth
is recognised by its low detection confidence and its low reading confidence.
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
"""Reads the outlines of the second argument in the light estimated from those of the first."""

STEPS = (-0.09, 0.0, 0.09)
FAR = 0.18
"""Shifts in tile widths; on drawn tables outlines are off by 0.02 on average, 0.15 at worst."""
SHIFTS = (
    *((x, y) for x in STEPS for y in STEPS),
    (-FAR, 0.0), (FAR, 0.0), (0.0, -FAR), (0.0, FAR),
)  # fmt: skip
EXPLAINED = 0.8
"""A poorly read tile shines if removing the shine reduces its distance to this share or less."""
USUALLY_OFF = 0.06
AWAY = (np.array(SHIFTS) ** 2).sum(axis=1) / USUALLY_OFF**2
"""Gaussian prior on shifts, in units of the reader's temperature: without it a barely visible print
was read at the shift where it resembled anything most. Of 341 tiles of six boxes 7 were wrong and
sure without the prior, 4 with it."""
KNOWN = 0.6
"""If no tile was found, faint outlines with a larger ``far`` are dropped; those of nine tiles had
0.48 at most."""
WELL = 1.5
"""A clear tile whose ``far`` is at most this multiple of the table's median is outlined well. Cells
of other tiles are searched too: with a line across the print, an outline beside its tile may still
be read surely. On one table of 44 tiles 22 cells were wrong."""
MOST_WAVES = 3
"""Most rings of cells beyond the last found tile."""
STRANGE = 2.5
"""An outline whose ``far`` is above this multiple of the table's median may be no tile. Of 300
tiles on 14 drawn tables two were above, by 2.6 at most; six holes and a pattern of the cloth were,
by 2.65 at least."""
CERTAIN = 0.995
"""Strange outlines with a detection confidence below ``LIKELIER`` are no tiles, unless read this
surely: an outline that is off looks strange but may be read at a shift. Two tiles of 60 tables were
lost without this, read at 0.998; the one pattern there was read at 0.4."""
ALL_CLOTH = 0.9
"""A strange outline with this share or more in colours of the table, even rare ones, is a patch of
printed cloth. Four holes on two tables had 0.94 and more, tiles made strange by light 0.86 at
most."""
SURELY_OUTLINED = 0.95
"""Outlines with this detection confidence beside a tile are tiles, whatever they show: under glare
a tile may have the table's colour. Of ten holes and patterns on 20 tables none was above 0.92."""
UPRIGHT_PART = (5, 1, 2, 4)
"""Indices of the corners of a hex that form a rectangle."""


def read_taught(
    bgr: Bgr, found: Sequence[Detection], reader: Reader, lit: Callable[[Patches], Patches]
) -> list[CellReading]:
    """Return what each outline shows, adapted to the picture's light; doubtful ones read twice.

    Args:
        bgr: the picture.
        found: the outlines.
        reader: the reader of the taught box.
        lit: converts patches to white light.
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
    """Return distances and patches, with the shine removed from tiles that it explains.

    Boxes of lands (without prints) are left alone: tiles of one land differ more than by a shine.

    Args:
        reader: the reader of the taught box, adapted to the picture's light.
        distances: N x looks.
        patches: the tiles.
        across_px: the width of each tile in its picture.
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
    """Return a quick reading of outlines, without shine, colour and evidence checks.

    Args:
        bgr: the picture.
        known: surely read tiles, from which the picture's light is estimated.
        some: outlines to read.
        reader: the reader of the taught box.
        lit: converts patches to white light.
    """
    rows = described(lit(cut(bgr, [one.corners_px for one in (*known, *some)])))
    reader = in_this_light(reader, rows[: len(known)], [one.across_px for one in known])
    return reader.readings(_looked_at_twice(bgr, some, rows[len(known) :], reader, lit))


def _looked_at_twice(
    bgr: Bgr, found: Sequence[Detection], rows: Floats, reader: Reader,
    lit: Callable[[Patches], Patches],
) -> Floats:  # fmt: skip
    """Return the distances of outlines from each look, for doubtful ones over all shifts."""
    distances = reader.distances_of(rows, [one.across_px for one in found])
    for number, reading in enumerate(reader.readings(distances)):
        if reading.best < CLEAR:
            beside = described(lit(cut(bgr, _shifted(found[number].corners_px))))
            wide = [found[number].across_px] * len(beside)
            distances[number] = _anywhere(reader, reader.distances_of(beside, wide))
    return distances


def _anywhere(reader: Reader, distances: Floats) -> Floats:
    """Return the distance of each look, marginalised over all shifts."""
    doubt = 2 * reader.temperature
    energies = (distances + reader.temperature * AWAY[:, None]) / doubt
    return np.asarray(-doubt * np.logaddexp.reduce(-energies, axis=0), np.float32)


def _shifted(corners: Points) -> list[Points]:
    """Return the outline at each of ``SHIFTS``, along its own axes."""
    middle = corners.mean(axis=0)
    across = corners[0] + corners[1] - 2 * middle
    along = np.array([-across[1], across[0]])
    return [corners + x * along + y * across for x, y in SHIFTS]


@dataclass(frozen=True, eq=False)
class Eyes:
    """Callbacks that search a picture for tiles of a taught box."""

    look: Look
    glance: Glance
    few: Callable[[], Sequence[Detection]]
    """Slow detector for layouts of few tiles."""
    ground: Ground
    """The table's appearance beside the outlines that were found."""


@stage("own-tiles", without=lambda detections, readings, eyes: (detections, readings))
def with_own_tiles(
    detections: Detections, readings: Sequence[CellReading], eyes: Eyes
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines with missed tiles added, without outlines that overlap those.

    Args:
        detections: the outlines, without duplicates.
        readings: what each of them shows.
        eyes: the callbacks that search the picture.
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
    """Thresholds on ``far`` for the readings of one picture."""

    most_far: float
    """Largest ``far`` of a tile."""
    well: float
    """Largest ``far`` of a tile in an outline that fits."""

    @classmethod
    def of(cls, readings: Sequence[CellReading]) -> _Surely | None:
        usual = usual_far(readings)
        return None if usual is None else cls(min(STRANGE * usual, 1.0), min(WELL * usual, 1.0))

    def shows(self, said: CellReading) -> bool:
        """Say whether a reading is surely a tile of the box."""
        return said.why is None and said.best >= CLEAR and said.far <= self.most_far

    def shows_well(self, said: CellReading) -> bool:
        """Say whether a reading is surely a tile of the box, in an outline that fits."""
        return self.shows(said) and said.far <= self.well


def _by_their_print(detections: Detections, eyes: Eyes) -> tuple[Detection, ...]:
    """Return outlines that show tiles of the box, if the detector found only faint ones."""
    clear = _clear(detections.faint, eyes.look, CLEAR)
    if len(clear) >= FEWEST_SURE:
        corners = np.stack([one.corners_px for one in clear])
        sure = np.array([one.confidence for one in clear])
        outlines, _, _ = agreed_outlines(corners, sure**2, detections.shape, detections.size_px)
        return tuple(replace(one, corners_px=o) for one, o in zip(clear, outlines, strict=True))
    # A bare table has no faint outlines, so the slow detector is skipped there.
    few = eyes.few() if detections.shape == "square" and len(detections.faint) > 1 else ()
    clear = _clear(few, eyes.look, TOLD)
    return tuple(clear) if len(clear) == len(few) else ()


def _clear(some: Sequence[Detection], look: Look, least: float) -> list[Detection]:
    """Return the outlines that show tiles of the box, at least that surely."""
    read = zip(some, look(some), strict=True)
    return [one for one, said in read if said.best >= least and said.far <= KNOWN]


def _missed(
    own: Detections, doubtful: Sequence[Detection], surely: _Surely, eyes: Eyes
) -> list[Detection]:
    """Return missed tiles of the box on the lattices of those that were found.

    Args:
        own: the tiles of the box that were found.
        doubtful: outlines that may be further tiles.
        surely: the thresholds for a tile.
        eyes: the callbacks that search the picture.
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
    """Return the outlines that do not have the table's colours, or overlap a doubtful outline."""
    if not free:
        return []
    apart = set(_apart_from(free, doubtful))
    other = ground.hidden(np.stack([rectangle_in(one.corners_px) for one in free]), HARDLY_TABLE)
    return [one for one, is_other in zip(free, other, strict=True)
            if is_other or one not in apart]  # fmt: skip


class _Laid:
    """The tiles of one lattice, and the predicted outlines of their neighbours."""

    def __init__(self, fit: LatticeFit, own: Detections) -> None:
        self._shape, self._size_px = own.shape, own.size_px
        self._cells = set(fit.cells)
        self._tried: dict[Cell, Detection] = {}
        middles = np.stack([own.found[number].centre_px for number in fit.cells.values()])
        self._laid = LaidCells.of(fit.px_from_cell, [[cell] for cell in fit.cells], middles)

    def beside(self) -> list[Detection]:
        """Return the outlines of neighbouring cells that lie in the picture and are new."""
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
        """Add outlines that ``beside`` returned to the tiles."""
        cells = {one: cell for cell, one in self._tried.items()}
        self._cells.update(cells[one] for one in seen)

    def _is_inside(self, one: Detection) -> bool:
        corners = one.corners_px
        return bool((corners >= 0).all() and (corners < np.array(self._size_px)).all())


def _apart_from(some: Iterable[Detection], others: Sequence[Detection]) -> list[Detection]:
    """Return the outlines that overlap none of the others."""
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
    # With too few sure tiles for a median, the reader's own limit (``far`` of 1) applies.
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
    """Say whether a strange outline is a tile nevertheless.

    Args:
        one: the outline.
        said: what it shows.
        share: how often its colours occur on the table, relative to a usual table sample.
        cloth: the share of its area in colours that occur on the table at all.
    """
    read = said.best >= CERTAIN
    outlined = one.confidence >= LIKELIER and cloth < ALL_CLOTH
    return bool((read and one.confidence > TOLD) or (share < HIDDEN and (read or outlined)))


def _is_laid(one: Detection, sure: Sequence[Detection]) -> bool:
    """Say whether a very sure outline lies beside a sure tile; glare may hide its print."""
    if one.confidence < SURELY_OUTLINED or not sure:
        return False
    apart = np.linalg.norm(np.stack([o.centre_px for o in sure]) - one.centre_px, axis=1)
    return bool(((apart > NEAREST * one.across_px) & (apart < BESIDE * one.across_px)).any())


def usual_far(readings: Sequence[CellReading]) -> float | None:
    """Return the median ``far`` of the sure readings; ``None`` if there are too few."""
    sure = [one.far for one in readings if one.best >= SURE]
    return float(np.median(sure)) if len(sure) >= FEWEST_SURE else None


def rectangle_in(corners: Points) -> Points:
    """Return a square's corners, or four corners of a hex that form a rectangle."""
    return corners if len(corners) == 4 else corners[list(UPRIGHT_PART)]

"""Reads tiles of a taught box, and finds missed ones on their lattice.

An outline that is off by a tenth of a tile shows a shifted print. Readers of built-in boxes learnt
such shifts from thousands of pictures; an owner gives two. So doubtful tiles are also read at
shifted outlines.

The detector has never seen the box. It may find a print with a line across it as two tiles, each
half beside the real one, and may miss some tiles. But surely read tiles predict the lattice; an
outline there that shows a kind of the box as clearly as they do is a tile, and outlines that
overlap it by half are dropped.

All tiles on a table share one light, so an outline much farther from every look than the others is
strange; a strange outline in the table's colours is the table. A pattern that is rare on its cloth
is recognised by its low detection confidence and its low reading confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.classify.embedding import described
from vision.classify.reading import CellReading
from vision.classify.taught_looks import TaughtReader
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
    Points,
)
from vision.light.same_light import FEWEST_SURE, in_these_colours, in_this_light

Floats = NDArray[np.float32]
Look = Callable[[Sequence[Detection]], Sequence[CellReading]]

STEPS = (-0.09, 0.0, 0.09)
FAR = 0.18
"""Shifts in tile widths; on drawn tables outlines are off by 0.02 on average, 0.15 at worst."""
SHIFTS = (
    *((x, y) for x in STEPS for y in STEPS),
    (-FAR, 0.0),
    (FAR, 0.0),
    (0.0, -FAR),
    (0.0, FAR),
)
USUALLY_OFF = 0.06
AWAY = (np.array(SHIFTS) ** 2).sum(axis=1) / USUALLY_OFF**2
"""Gaussian prior on shifts, in units of the reader's temperature: without it a barely visible print
was read at the shift where it resembled anything most. Of 341 tiles of six boxes 7 were wrong and
sure without the prior, 4 with it."""
WELL = 1.5
"""A clear tile whose ``far`` is at most this multiple of the table's median is outlined well. Cells
of other tiles are searched too: with a line across the print, an outline beside its tile may still
be read surely. On one table of 44 tiles 22 cells were wrong."""
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
    bgr: Bgr, found: Sequence[Detection], reader: TaughtReader, lit: Callable[[Patches], Patches]
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
    distances = reader.distances_of(rows, across)
    for number, reading in enumerate(reader.readings(distances)):
        if reading.best < CLEAR:
            beside = described(lit(cut(bgr, _shifted(found[number].corners_px))))
            wide = [across[number]] * len(beside)
            distances[number] = _anywhere(reader, reader.distances_of(beside, wide))
    readings = reader.readings(in_these_colours(reader, distances, patches, across))
    if reader.evidence is None:
        return readings
    return reader.evidence.weighed(reader, patches, readings, across)


def _anywhere(reader: TaughtReader, distances: Floats) -> Floats:
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


@stage("own-tiles", without=lambda detections, readings, *_: (detections, readings))
def with_own_tiles(
    detections: Detections,
    readings: Sequence[CellReading],
    look: Look,
    glance: Look,
    ground: Ground,
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines with missed tiles added, without outlines that overlap those.

    Args:
        detections: the outlines, without duplicates.
        readings: what each of them shows.
        look: reads outlines.
        glance: reads outlines without evidence, which holds shining tiles for strangers.
        ground: the table's appearance beside the outlines.
    """
    usual = usual_far(readings)
    if usual is None:
        return detections, readings
    own = [_shows(one, WELL * usual) for one in readings]
    pairs = list(zip(detections.found, own, strict=True))
    doubtful = [one for one, is_own in pairs if not is_own]
    known = replace(detections, found=tuple(one for one, is_own in pairs if is_own))
    missed = _missed(known, doubtful, STRANGE * usual, glance, ground)
    if not missed:
        return detections, readings
    gone = set(doubtful) - set(_apart_from(doubtful, missed))
    found = (*(one for one in detections.found if one not in gone), *missed)
    return replace(detections, found=found), look(found)


def _shows(reading: CellReading, most_far: float) -> bool:
    """Say whether a reading is surely a tile of the box."""
    return reading.why is None and reading.best >= CLEAR and reading.far <= most_far


def _missed(
    own: Detections, doubtful: Sequence[Detection], most_far: float, glance: Look, ground: Ground
) -> list[Detection]:
    """Return missed tiles of the box on the lattices of those that were found.

    Args:
        own: the tiles of the box that were found.
        doubtful: outlines that may be further tiles.
        most_far: largest ``far`` of a tile.
        glance: reads outlines.
        ground: the table's appearance beside the outlines.
    """
    if len(own.found) < FEWEST_SURE:
        return []
    sides = SQUARE_SIDES if own.shape == "square" else HEX_SIDES
    missed: list[Detection] = []
    for fit in fit_outlines(np.stack([d.corners_px for d in own.found]), own.shape, FEWEST_SURE):
        middles = np.stack([own.found[number].centre_px for number in fit.cells.values()])
        laid = LaidCells.of(fit.px_from_cell, [[cell] for cell in fit.cells], middles)
        if laid is None:
            continue
        cells, tried = set(fit.cells), set(fit.cells)
        while new := sorted({(x + dx, y + dy) for x, y in cells for dx, dy in sides} - tried):
            tried.update(new)
            at = _in_picture(laid, new, own)
            free = _apart_from(at, [*own.found, *missed])
            expected = _not_table(free, (*doubtful, *own.faint), ground)
            # The light is estimated from the tiles that were found.
            said = glance((*own.found, *expected))[len(own.found) :] if expected else ()
            seen = [one for one, r in zip(expected, said, strict=True) if _shows(r, most_far)]
            missed += seen
            cells.update(at[one] for one in seen)
    return missed


def _in_picture(laid: LaidCells, cells: Sequence[Cell], own: Detections) -> dict[Detection, Cell]:
    """Return the outlines of cells that lie in the picture, each with its cell."""
    corners = SQUARE_CORNERS if own.shape == "square" else HEX_CORNERS
    outlines = laid.outlines(np.array(cells, float), corners)
    return {
        Detection(one, EXPECTED): cell
        for one, cell in zip(outlines, cells, strict=True)
        if (one >= 0).all() and (one < own.size_px).all()
    }


def _not_table(
    free: Sequence[Detection], doubtful: Sequence[Detection], ground: Ground
) -> list[Detection]:
    """Return the outlines that do not have the table's colours, or overlap a doubtful outline."""
    if not free:
        return []
    apart = set(_apart_from(free, doubtful))
    other = ground.hidden(np.stack([rectangle_in(one.corners_px) for one in free]), HARDLY_TABLE)
    return [one for one, is_other in zip(free, other, strict=True) if is_other or one not in apart]


def _apart_from(some: Iterable[Detection], others: Sequence[Detection]) -> list[Detection]:
    """Return the outlines that overlap none of the others."""
    if not others:
        return list(some)
    middles = np.stack([one.centre_px for one in others])
    return [
        one
        for one in some
        if np.linalg.norm(middles - one.centre_px, axis=1).min() >= NEAREST * one.across_px
    ]


def tiles_only(bgr: Bgr, found: Sequence[Detection], readings: Sequence[CellReading]) -> list[bool]:
    """Return for each outline whether it may be a tile."""
    usual = usual_far(readings)
    # With too few sure tiles for a median, the reader's own limit (``far`` of 1) applies.
    limit, doubtful = (1.0, 1.0) if usual is None else (STRANGE * usual, WELL * usual)
    read = list(zip(found, readings, strict=True))
    asked = [
        n
        for n, (one, said) in enumerate(read)
        if said.far > limit
        or (said.far > doubtful and said.best < CERTAIN and one.confidence < TOLD)
    ]
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

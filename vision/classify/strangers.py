"""Tells tiles of a taught box from what only has their outline: holes in a layout, patterned cloth.

Of a taught box nobody knows anything but its looks. All tiles on a table lie in the same light, so
what is much further from every look than they are is strange; and where a strange outline has the
table's own colours, it is the table. A pattern that is rare on its cloth is told by how poorly its
outline was found, and by how poorly it is read.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.classify.reader import CellReading
from vision.core.confidences import SURE
from vision.core.ground import HIDDEN, Ground
from vision.core.types import Bgr, Detection, Points

FEWEST_SURE = 4
"""So many tiles that are surely read say how far from their looks tiles are on this table."""
STRANGE = 2.5
"""Times as far as these on average, and it may be none: of 300 tiles on fourteen drawn tables two
were further, by 2.6 at most; six holes and a pattern of the cloth were, by 2.65 at least."""
HARDLY_FOUND, CLEARLY = 0.5, 0.99
"""Strange outlines that are less sure than that are no tiles, unless they are read beyond doubt: an
outline that misses looks strange and may be looked at a little beside. Two tiles of 60 tables were
lost so, read at 0.998; the one pattern there was read at 0.4."""
SURELY_FOUND = 0.8
"""Surer outlines that are read beyond doubt are tiles, though the table has such colours too: five
tiles of two tables were lost so, found at 0.84 and more, and read at 1."""
ALL_CLOTH = 0.9
"""Share of a strange outline in colours of the table, if rare ones, from which it is a patch of
cloth with its print. Four holes on two tables had 0.94 and more, tiles that light makes strange
0.86 at most."""
SURELY_OUTLINED, NEAREST, BESIDE = 0.95, 0.8, 1.25
"""Outlines so sure that lie beside a tile, by their widths, are tiles whatever they show: under a
lamp's shine a tile may have the table's colour. Of ten holes and patterns on twenty tables none was
surer than 0.92."""
HARDLY_KNOWN, BEYOND_DOUBT, AS_TABLE = 1.5, 0.998, 0.8
"""Outlines that are hardly found, a little strange, read less surely than the second, and have the
table's colours as often as this share of a usual place: holes of wood that look like a print."""
UPRIGHT_PART = (5, 1, 2, 4)
"""Corners of a hex that make a rectangle."""


def tiles_only(bgr: Bgr, found: Sequence[Detection], readings: Sequence[CellReading]) -> list[bool]:
    """Return for each outline whether it may be a tile."""
    kept = [True] * len(found)
    usual = usual_far(readings)
    # Where too few tiles say what is usual here, what the box knows must do.
    limit = 1.0 if usual is None else STRANGE * usual
    doubtful = limit if usual is None else HARDLY_KNOWN * usual
    strange = [n for n, said in enumerate(readings) if said.far > limit]
    holes = [
        n for n, (one, said) in enumerate(zip(found, readings, strict=True))
        if doubtful < said.far <= limit and said.best < BEYOND_DOUBT
        and one.confidence < SURELY_FOUND
    ]  # fmt: skip
    if not strange and not holes:
        return kept
    ground = Ground(bgr, [one.corners_px for one in found])
    places = np.stack([rectangle_in(found[n].corners_px) for n in (*strange, *holes)])
    shown, covered = ground.shown(places), ground.covered(places)
    sure = [one for one, said in zip(found, readings, strict=True) if said.best >= SURE]
    for n, share, cloth in zip(strange, shown, covered, strict=False):
        read = readings[n].best >= CLEARLY
        surely = read and found[n].confidence > SURELY_FOUND
        other = share < HIDDEN and found[n].confidence >= HARDLY_FOUND and cloth < ALL_CLOTH
        kept[n] = surely or bool(other or (read and share < HIDDEN)) or _is_laid(found[n], sure)
    for n, share in zip(holes, shown[len(strange) :], strict=True):
        kept[n] = bool(share < AS_TABLE)
    return kept


def _is_laid(one: Detection, sure: Sequence[Detection]) -> bool:
    """Say whether an outline beyond doubt lies beside a tile: light may hide what is on it."""
    if one.confidence < SURELY_OUTLINED or not sure:
        return False
    apart = np.linalg.norm(np.stack([o.centre_px for o in sure]) - one.centre_px, axis=1)
    return bool(((apart > NEAREST * one.across_px) & (apart < BESIDE * one.across_px)).any())


def usual_far(readings: Sequence[CellReading]) -> float | None:
    """Return how far from their looks tiles are on this table; nothing of too few."""
    sure = [r.far for r in readings if r.guesses and r.guesses[0].confidence >= SURE]
    return float(np.median(sure)) if len(sure) >= FEWEST_SURE else None


def rectangle_in(corners: Points) -> Points:
    """Return four corners of an outline, all of a square's."""
    return corners if len(corners) == 4 else corners[list(UPRIGHT_PART)]

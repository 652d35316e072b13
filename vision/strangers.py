"""Tells tiles of a taught box from what only has their outline: holes in a layout, patterned cloth.

Built-in boxes know the paper they are printed on (``vision.holes``); of a taught one nobody knows
anything but its looks. All tiles on a table lie in the same light, so what is much further from
every look than they are is strange; and where a strange outline has the table's own colours, it is
the table. A pattern that is rare on its cloth is told by how poorly its outline was found, and by
how poorly it is read.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.classify import CellReading
from vision.ground import Ground
from vision.types import Bgr, Detection, Points

SURE, FEWEST_SURE = 0.9, 4
"""So many tiles that are read so surely say how far from their looks tiles are on this table."""
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
UPRIGHT_PART = (5, 1, 2, 4)
"""Corners of a hex that make a rectangle."""


def tiles_only(bgr: Bgr, found: Sequence[Detection], readings: Sequence[CellReading]) -> list[bool]:
    """Return for each outline whether it may be a tile."""
    kept = [True] * len(found)
    usual = _usual(readings)
    # Where too few tiles say what is usual here, what the box knows must do.
    limit = 1.0 if usual is None else STRANGE * usual
    strange = [n for n, reading in enumerate(readings) if reading.far > limit]
    if not strange:
        return kept
    ground = Ground(bgr, [one.corners_px for one in found])
    hidden = ground.hidden(np.stack([_rectangle(found[n].corners_px) for n in strange]))
    for n, is_hidden in zip(strange, hidden, strict=True):
        sure, read = found[n].confidence, readings[n].best >= CLEARLY
        surely = read and sure > SURELY_FOUND
        kept[n] = surely or (bool(is_hidden) and (read or sure >= HARDLY_FOUND))
    return kept


def _usual(readings: Sequence[CellReading]) -> float | None:
    sure = [r.far for r in readings if r.guesses and r.guesses[0].confidence >= SURE]
    return float(np.median(sure)) if len(sure) >= FEWEST_SURE else None


def _rectangle(corners: Points) -> Points:
    return corners if len(corners) == 4 else corners[list(UPRIGHT_PART)]

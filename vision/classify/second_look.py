"""Looks again at tiles of taught boxes that were read with doubt: a little beside their outlines.

An outline that misses by a tenth of a tile shows a print that nobody has taught. Built-in boxes
have learnt that from thousands of pictures; an owner gives two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.classify.embedding import described
from vision.classify.reader import CellReading, Reader
from vision.classify.strangers import usual_far
from vision.core.crop import Patches, cut
from vision.core.stages import stage
from vision.core.types import Bgr, Detection, Points
from vision.light.same_light import in_this_light
from vision.light.same_paint import in_these_colours
from vision.light.shine import without_shine

Floats = NDArray[np.float32]

SURE = 0.98
STEPS = (-0.09, 0.0, 0.09)
FAR = 0.18
"""Shifts in widths of a tile; on drawn tables outlines miss by 0.02 on average, 0.15 at worst."""
SHIFTS = (
    *((x, y) for x in STEPS for y in STEPS),
    (-FAR, 0.0), (FAR, 0.0), (0.0, -FAR), (0.0, FAR),
)  # fmt: skip
SHINY, EXPLAINED = 1.5, 0.8
"""Tiles so many times as far from their look as usual may shine; if they do, they are nearer by
that without. Of 60 such tiles on eighteen tables 7 were, all of them shining ones, two of which had
been read as other kinds."""
USUALLY_OFF = 0.06
AWAY = (np.array(SHIFTS) ** 2).sum(axis=1) / USUALLY_OFF**2
"""What speaks against a shift, in units of the reader's doubt: without it a print that is hardly
seen was read wherever it looked most like something. Of 341 tiles of six boxes 7 were wrong and
sure then, 4 with it."""


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
    distances = reader.distances_of(rows, across)
    for number, reading in enumerate(reader.readings(distances)):
        if reading.best < SURE:
            beside = lit(cut(bgr, _shifted(found[number].corners_px)))
            distances[number] = _anywhere(reader, reader.distances(beside))
    distances, patches = _without_shine(reader, distances, patches, across)
    return reader.readings(in_these_colours(reader, distances, patches, across))


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
        if reading.best >= SURE and reading.far <= SHINY * usual:
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
    across = [one.across_px for one in (*known, *some)]
    reader = in_this_light(reader, rows[: len(known)], across[: len(known)])
    distances = reader.distances_of(rows[len(known) :], across[len(known) :])
    for number, reading in enumerate(reader.readings(distances)):
        if reading.best < SURE:
            beside = lit(cut(bgr, _shifted(some[number].corners_px)))
            distances[number] = _anywhere(reader, reader.distances(beside))
    return reader.readings(distances)


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

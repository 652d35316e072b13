"""Tells holes in a layout from cards: through a hole the table is seen, and no card's paper.

A hole between cards has the outline of a card, and a patterned tablecloth in it looks a little like
some print. Cards of one box are printed on one paper, in the same light where they lie side by
side; a card that is partly covered shows what is left of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.classify.reader import CellReading
from vision.core.confidences import SURE
from vision.core.crop import cut
from vision.core.looks import BACK
from vision.core.types import Bgr, Detection

Array = NDArray[np.float64]

AROUND = 3.2
"""Cards whose middles are nearer than that, in widths, say what paper looks like."""
MOST_AROUND = 8
SURELY_COVERED = 0.98
"""A card that is read so surely from its halves is one, though what covers it may shade its paper.
On 290 drawn tables 55 cards were read from halves, and nothing else."""
PATCH_PX, INNER = 32, slice(4, 28)
"""Patches without their rims: around a hole these are its neighbours'."""
PAPER = 0.9
"""Nine tenths of a card's pixels are darker than its paper."""
AS_BRIGHT = 0.2
"""What is darker than paper in any colour by more, as a natural logarithm, is none."""
DARKEST = 12.0
LEAST_PAPER = 0.25
"""Share of the paper that cards around show which an outline must show to be a card too. The
five holes among the tables that this was found on showed an eighth at most, cards of which three
fifths or more were seen two fifths at least."""


def shows_paper(
    bgr: Bgr, found: Sequence[Detection], readings: Sequence[CellReading], tile_set: TileSet
) -> list[bool]:
    """Return for each outline whether it may be a card; only odd ones are looked at.

    Big cards are printed on grounds of their own and show no paper.
    """
    shown = [True] * len(found)
    odd = [i for i, one in enumerate(readings) if one.odd and not _clear(one, tile_set)]
    cards = [i for i, reading in enumerate(readings) if _is_card(found[i], reading)]
    if not odd or not cards:
        return shown
    middles = np.stack([found[i].centre_px for i in cards])
    around = {}
    for i in odd:
        apart = np.linalg.norm(middles - found[i].centre_px, axis=1) / found[i].across_px
        around[i] = [cards[k] for k in np.argsort(apart)[:MOST_AROUND] if apart[k] < AROUND]
    looked_at = sorted({*around, *(k for near in around.values() for k in near)})
    inner = dict(zip(looked_at, _inner(bgr, [found[k] for k in looked_at]), strict=True))
    for i, near in around.items():
        if near:
            shown[i] = _alike(inner[i], np.stack([inner[k] for k in near]))
    return shown


def _clear(reading: CellReading, tile_set: TileSet) -> bool:
    """Say whether paper is not asked for: no table looks like a half of a card."""
    return _big(reading, tile_set) or (reading.covered and reading.best >= SURELY_COVERED)


def _big(reading: CellReading, tile_set: TileSet) -> bool:
    best = reading.guesses[0] if reading.guesses else None
    return best is not None and best.tile in tile_set and len(tile_set[best.tile].cells) > 1


def _is_card(one: Detection, reading: CellReading) -> bool:
    best = reading.guesses[0] if reading.guesses else None
    return (
        best is not None and not reading.odd and reading.why is None and not one.cut_off
        and best.confidence >= SURE and best.tile != BACK
    )  # fmt: skip


def is_paper(bgr: Bgr, one: Detection, cards: Sequence[Detection]) -> bool:
    """Say whether an outline shows the paper of cards around it."""
    logs = _inner(bgr, [one, *cards])
    return _alike(logs[0], logs[1:])


def _inner(bgr: Bgr, found: Sequence[Detection]) -> Array:
    """Return what outlines show without their rims, as logarithms, N x 3 x pixels."""
    patches = cut(bgr, [one.corners_px for one in found], PATCH_PX)[:, INNER, INNER]
    planes = patches.reshape(len(found), -1, 3).transpose(0, 2, 1)
    return np.asarray(np.log(np.ascontiguousarray(planes, np.float64) + DARKEST))


def _alike(one: Array, cards: Array) -> bool:
    """Say whether an outline shows as much of the cards' paper as they do, or enough of it."""
    place = round(PAPER * (cards.shape[2] - 1))
    paper = np.median(np.partition(cards, place, axis=2)[..., place], axis=0)
    every = np.concatenate([one[None], cards])
    shares = ((every - paper[:, None]).min(axis=1) > -AS_BRIGHT).mean(axis=1)
    return bool(shares[0] >= LEAST_PAPER * float(np.median(shares[1:])))

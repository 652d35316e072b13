"""Finds big cards of Sssnake that nothing was found of, beside the only cards that touch them.

On a cloth with a loud pattern a card with a picture is easily lost. A small card that lies alone
says where a big one would lie that it was laid to, and the reader knows both of its halves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.classify.reader import CellGuess, CellReading
from vision.core.confidences import EXPECTED, SURE
from vision.core.lattice import SQUARE_SIDES, cell_axes
from vision.core.types import Detection, Points
from vision.layout.quality import leaves

Look = Callable[[Sequence[Detection]], Sequence[CellReading]]
Seen = tuple[Detection, CellReading]

MOST_LOOKED_BESIDE = 6
"""Cards of one picture."""
ALONE = 1.5
"""Nothing that is surely read lies nearer to a card alone, in widths."""


def touching_bigs(
    found: Sequence[Detection], readings: Sequence[CellReading], tile_set: TileSet, look: Look,
    size_px: tuple[int, int],
) -> list[Seen]:  # fmt: skip
    """Return the halves of big cards that lie beside cards which seem to lie alone.

    Args:
        found: the outlines.
        readings: what each of them shows.
        tile_set: the box.
        look: reads outlines.
        size_px: width and height of the picture.
    """
    bigs = {kind.name for kind in tile_set.kinds.values() if len(kind.cells) == 2}
    seen = {said.guesses[0].tile for said in readings if is_read(said)}
    halves: list[Seen] = []
    for one in cards_alone(found, readings, bigs)[:MOST_LOOKED_BESIDE]:
        pairs = [[Detection(outline, EXPECTED, leaves(outline, size_px)) for outline in pair]
                 for pair in pairs_beside(one.corners_px)]  # fmt: skip
        said = look([half for pair in pairs for half in pair])
        for pair, shown in zip(pairs, zip(said[::2], said[1::2], strict=True), strict=True):
            # Each big card is in the box once.
            if not all(map(is_read, shown)):
                continue
            first, second = (half.guesses[0] for half in shown)
            if are_halves(first, second, bigs) and first.tile not in seen:
                seen.add(first.tile)
                halves += zip(pair, shown, strict=True)
    return halves


def cards_alone(
    found: Sequence[Detection], readings: Sequence[CellReading], bigs: Collection[str]
) -> list[Detection]:
    """Return small cards that nothing is seen beside, the surest first."""
    pairs = [(one, said) for one, said in zip(found, readings, strict=True) if is_read(said)]
    middles = np.array([one.centre_px for one, _ in pairs]).reshape(-1, 2)
    alone = [one for one, said in pairs
             if said.guesses[0].tile not in bigs and _is_alone(one, middles)]  # fmt: skip
    return sorted(alone, key=lambda card: -card.confidence)


def is_read(reading: CellReading) -> bool:
    """Say whether an outline surely shows a card that lies face up."""
    return reading.best >= SURE and not reading.odd and not reading.is_back


def _is_alone(one: Detection, middles: NDArray[np.float64]) -> bool:
    """Say whether none of some cards, of which it is one, lies near a card."""
    near = np.linalg.norm(middles - one.centre_px, axis=1) < ALONE * one.across_px
    return int(near.sum()) == 1


def pairs_beside(outline: Points) -> Iterator[tuple[Points, Points]]:
    """Yield where the halves of a big card lie that touches a card, at each of its sides."""
    axes = cell_axes(outline[None], "square")[0]
    for side in SQUARE_SIDES:
        step = axes @ np.array(side, float)
        yield outline + step, outline + 2 * step


def are_halves(one: CellGuess | None, other: CellGuess | None, bigs: set[str]) -> bool:
    """Say whether two places show the two halves of one big card."""
    return (
        one is not None and other is not None and one.tile in bigs
        and (one.tile, one.turns) == (other.tile, other.turns) and one.cell != other.cell
    )  # fmt: skip

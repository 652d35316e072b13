"""Looks for big cards of Sssnake that were not seen and must lie on the table.

Players take the big cards in order, and nobody plays alone: where one before another was not found,
or only one was, it lies somewhere. Half under a hand, far off, or on a table with a loud pattern
its outline may be poor or lacking. So the reader looks a little around outlines that show nothing,
and beside cards that seem to lie alone; a half that is covered is read from what is seen of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from engine.tiles import TileSet
from vision.classify.reader import CellReading
from vision.core.confidences import CLEAR, EXPECTED
from vision.core.lattice import SQUARE_SIDES, cell_axes
from vision.core.stages import stage
from vision.core.types import Detection, Detections, Points
from vision.layout.cards import BIG, SEEN
from vision.layout.layout import FEWEST_FIELDS
from vision.layout.quality import leaves
from vision.layout.whole_bigs import are_halves, is_read, to_partner

Look = Callable[[Sequence[Detection]], Sequence[CellReading]]
Seen = tuple[Detection, CellReading]

MOST_ODD, MOST_FAINT, MOST_BESIDE = 6, 8, 8
"""Places of each sort that are looked at."""
SHIFTS = np.array([(0.0, 0.0), (-0.125, 0.0), (0.125, 0.0), (0.0, -0.125), (0.0, 0.125)])
"""Where a half may lie around such a place, in widths: an outline is nearly right."""
NEAR, BESIDE = 0.3, 1.3
"""How near to its look a half must be that is seen without the other one, and how near to a card
that is surely read, in widths."""
ALONE = 1.5
"""Nothing that is surely read lies nearer to a card alone, in widths."""
SAME_PLACE = 0.5
"""Outlines nearer to a half, in widths, are of the same card, unless they surely show another."""


@stage("missing-bigs", without=lambda detections, readings, *_: (detections, readings))
def with_missing_bigs(
    detections: Detections, readings: Sequence[CellReading], tile_set: TileSet, look: Look
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines with the halves of big cards that were missing.

    Args:
        detections: the outlines.
        readings: what each of them shows.
        tile_set: the box.
        look: reads outlines, covered ones too.
    """
    bigs = [kind.name for kind in tile_set.kinds.values() if kind.role == BIG]
    pairs = list(zip(detections.found, readings, strict=True)) if bigs else []
    sure = [(one, said) for one, said in pairs if is_read(said)]
    missing = _missing(sure, bigs) if sure else set()
    best: dict[str, list[Seen]] = {}
    for place in _poor_places(detections, readings, bigs) if missing else ():
        halves = _halves_at(place, missing, sure, detections.size_px, tile_set, look)
        if halves:
            name = halves[0][1].guesses[0].tile
            best[name] = min(halves, best.get(name, halves), key=_doubt)
    added = [half for halves in best.values() for half in halves]
    every = [
        (one, said) for one, said in pairs
        if is_read(said) or not any(_lies_on(one, half) for half, _ in added)
    ] + added  # fmt: skip
    if not added:
        return detections, readings
    return replace(detections, found=tuple(one for one, _ in every)), [said for _, said in every]


def _missing(sure: Sequence[Seen], bigs: Sequence[str]) -> set[str]:
    """Return the names of big cards that must lie on the table and were not seen."""
    seen = {said.guesses[0].tile for _, said in sure}
    last = max((bigs.index(name) for name in seen.intersection(bigs)), default=0)
    return {*bigs[: max(last + 1, FEWEST_FIELDS)]} - seen


def _poor_places(
    detections: Detections, readings: Sequence[CellReading], bigs: Collection[str]
) -> Iterator[Points]:
    """Yield outlines that show nothing, and what lies beside cards alone."""
    pairs = list(zip(detections.found, readings, strict=True))
    odd = [one for one, said in pairs if not is_read(said)]
    for some, most in ((odd, MOST_ODD), (detections.faint, MOST_FAINT)):
        for one in sorted(some, key=lambda one: -one.confidence)[:most]:
            yield one.corners_px
    sure = [(one, said.guesses[0].tile in bigs) for one, said in pairs if is_read(said)]
    middles = np.array([one.centre_px for one, _ in sure]).reshape(-1, 2)
    alone = [one for one, big in sure if not big and _is_alone(one, middles)]
    alone.sort(key=lambda one: -one.confidence)
    yield from islice((there for one in alone for there in _beside(one.corners_px)), MOST_BESIDE)


def _is_alone(one: Detection, middles: Points) -> bool:
    """Say whether none of some cards, of which it is one, lies near a card."""
    near = np.linalg.norm(middles - one.centre_px, axis=1) < ALONE * one.across_px
    return int(near.sum()) == 1


def _beside(outline: Points) -> Iterator[Points]:
    """Yield the cells at the sides of a card."""
    axes = cell_axes(outline[None], "square")[0]
    yield from (outline + axes @ np.array(side, float) for side in SQUARE_SIDES)


def _halves_at(
    place: Points, wanted: Collection[str], sure: Sequence[Seen], size_px: tuple[int, int],
    tile_set: TileSet, look: Look,
) -> list[Seen]:  # fmt: skip
    """Return the halves of a wanted card around a place, the one that is seen best first."""
    clear = [
        (one, said) for one, said in _looked_around(place, size_px, look)
        if said.best >= CLEAR and _is_seen(said) and said.guesses[0].tile in wanted
    ]  # fmt: skip
    if not clear:
        return []
    half = min(clear, key=lambda seen: seen[1].far)
    guess = half[1].guesses[0]
    axes = cell_axes(half[0].corners_px[None], "square")[0]
    there = half[0].corners_px + axes @ np.array(to_partner(guess, tile_set), float)
    others = [
        (one, said) for one, said in _looked_around(there, size_px, look)
        if said.best >= SEEN and _is_seen(said) and are_halves(guess, said.guesses[0], {guess.tile})
    ]  # fmt: skip
    if others:
        return [half, min(others, key=lambda seen: seen[1].far)]
    return [half] if half[1].far <= NEAR and _counts_alone(half[0], there, sure, size_px) else []


def _counts_alone(
    half: Detection, there: Points, sure: Sequence[Seen], size_px: tuple[int, int]
) -> bool:
    """Say whether a half counts without the other, which the edge cuts, or beside a sure card."""
    apart = min(np.linalg.norm(one.centre_px - half.centre_px) for one, _ in sure)
    return leaves(there, size_px) or bool(apart < BESIDE * half.across_px)


def _looked_around(place: Points, size_px: tuple[int, int], look: Look) -> list[Seen]:
    axes = cell_axes(place[None], "square")[0]
    outlines = [place + axes @ shift for shift in SHIFTS]
    found = [Detection(one, EXPECTED, leaves(one, size_px)) for one in outlines]
    return list(zip(found, look(found), strict=True))


def _is_seen(said: CellReading) -> bool:
    """Say whether a place shows a card, or what is seen of a covered one."""
    return said.why is None and (not said.odd or said.covered)


def _doubt(halves: Sequence[Seen]) -> tuple[int, float]:
    """Return how little speaks for a card: one half says less than two."""
    return -len(halves), halves[0][1].far


def _lies_on(one: Detection, half: Detection) -> bool:
    return bool(np.linalg.norm(one.centre_px - half.centre_px) < SAME_PLACE * one.across_px)

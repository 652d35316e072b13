"""Looks for big cards of Sssnake that were not seen and must lie on the table, or may.

Players take the big cards in order, and nobody plays alone: where one before another was not found,
or only one was, the next lies somewhere. Until its owner's first turn another may lie beside the
fields. Half under a hand, far off, or on a table with a loud pattern its outline may be poor or
lacking. So the reader looks a little around outlines that show nothing, beside cards that seem to
lie alone, and where something lies beside the fields; a half that is covered is read from what is
seen of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.classify.reader import CellReading
from vision.core.ground import Ground
from vision.core.lattice import cell_axes
from vision.core.stages import stage
from vision.core.types import Detection, Detections, Points
from vision.layout.anchors import BIG
from vision.layout.big_fields import FEWEST_FIELDS, MOST_A_TURN
from vision.layout.quality import leaves
from vision.layout.things_beside import things_beside
from vision.layout.touching_bigs import are_halves, cards_alone, is_read, pairs_beside
from vision.layout.whole_bigs import to_partner

Look = Callable[[Sequence[Detection]], Sequence[CellReading]]
Seen = tuple[Detection, CellReading]

MOST_ODD, MOST_FAINT, MOST_BESIDE = 6, 4, 8
"""Places of each sort that are looked at."""
MOST_THINGS, MOST_LIKE_CARDS = 16, 4
"""Things beside the fields that are looked at, and such as look most like cards, more closely."""
ACROSS, AROUND = (
    np.array([(0.0, 0.0), (-0.125, 0.0), (0.125, 0.0), (0.0, -0.125), (0.0, 0.125)]),
    np.array([(x, y) for x in (-0.17, 0.0, 0.17) for y in (-0.17, 0.0, 0.17)]),
)
"""Where a half may lie around such a place, in widths: an outline is nearly right, a thing is not
all of a half."""
CLEARLY, NEAR = 0.98, 0.3
"""How surely the half that is seen best must be read, and how near to its look it must be where
nothing else speaks for it."""
SURE = 0.9
"""How surely the other half must be read."""
FOUND = 0.8
"""How sure it is that such a card lies there."""
BESIDE = 1.3
"""A half without the other one must lie nearer to a card that is surely read, in widths."""
BOTH = 2
"""Halves that must be seen of a card that may lie nowhere."""
SAME_PLACE = 0.5
"""Outlines nearer to a half, in widths, are of the same card, unless they surely show another."""


@dataclass(frozen=True, eq=False)
class BigSight:
    """What to look for big cards with."""

    whole: Look
    """Reads outlines of whole cards."""
    covered: Look
    """Reads covered ones too, by their halves."""
    ground: Ground


@dataclass(frozen=True, eq=False)
class _Place:
    """Where a half may lie, about."""

    outline: Points
    shifts: NDArray[np.float64]
    look: Look


@stage("missing-bigs", without=lambda detections, readings, *_: (detections, readings))
def with_missing_bigs(
    detections: Detections, readings: Sequence[CellReading], tile_set: TileSet, sight: BigSight
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines with the halves of big cards that were missing.

    Args:
        detections: the outlines.
        readings: what each of them shows.
        tile_set: the box.
        sight: what to look with.
    """
    bigs = [kind.name for kind in tile_set.kinds.values() if kind.role == BIG]
    pairs = list(zip(detections.found, readings, strict=True)) if bigs else []
    sure = [(one, said) for one, said in pairs if is_read(said)]
    if not sure:
        return detections, readings
    missing, further = _missing(sure, bigs)
    places = [*_things(sure, bigs, detections.size_px, sight)] if missing or further else []
    places += _poor_places(detections, readings, bigs, sight) if missing else []
    best: dict[str, list[Seen]] = {}
    for place in places:
        halves = _halves_at(place, {*missing, *further}, sure, detections.size_px, tile_set)
        name = halves[0][1].guesses[0].tile if halves else None
        if name in missing or (name in further and len(halves) == BOTH):
            best[name] = min(halves, best.get(name, halves), key=_doubt)
    added = [half for halves in best.values() for half in halves]
    kept = [
        (one, said) for one, said in pairs
        if is_read(said) or not any(_lies_on(one, half) for half, _ in added)
    ]  # fmt: skip
    every = [*kept, *added]
    return replace(detections, found=tuple(one for one, _ in every)), [said for _, said in every]


def _missing(sure: Sequence[Seen], bigs: Sequence[str]) -> tuple[set[str], set[str]]:
    """Return the names of big cards that must lie on the table and were not seen, and that may."""
    seen = {said.guesses[0].tile for _, said in sure}
    last = max((bigs.index(name) for name in seen.intersection(bigs)), default=0)
    count = max(last + 1, FEWEST_FIELDS)
    early = len(_laid(sure, bigs)) <= MOST_A_TURN * count
    return {*bigs[:count]} - seen, {*bigs[count : count + 1]} if early else set()


def _laid(sure: Sequence[Seen], bigs: Collection[str]) -> list[Detection]:
    """Return the small cards that do not lie alone."""
    every, readings = [one for one, _ in sure], [said for _, said in sure]
    alone = set(cards_alone(every, readings, bigs))
    return [one for one, said in sure if said.guesses[0].tile not in bigs and one not in alone]


def _things(
    sure: Sequence[Seen], bigs: Collection[str], size_px: tuple[int, int], sight: BigSight
) -> Iterator[_Place]:
    """Yield where something lies beside the fields."""
    big = [one for one, said in sure if said.guesses[0].tile in bigs]
    if big:
        cards = [*big, *_laid(sure, bigs)]
        outlines = things_beside(cards, [one for one, _ in sure], size_px, sight.ground)
        things = [Detection(outline, FOUND) for outline in outlines[:MOST_THINGS]]
        far = [said.far for said in sight.whole(things)]
        for k in np.argsort(far)[:MOST_LIKE_CARDS]:
            yield _Place(things[k].corners_px, AROUND, sight.whole)


def _poor_places(
    detections: Detections, readings: Sequence[CellReading], bigs: Collection[str], sight: BigSight
) -> Iterator[_Place]:
    """Yield outlines that show nothing, and what lies beside cards alone."""
    odd = [one for one, said in zip(detections.found, readings, strict=True) if not is_read(said)]
    for some, most in ((odd, MOST_ODD), (detections.faint, MOST_FAINT)):
        for one in sorted(some, key=lambda one: -one.confidence)[:most]:
            yield _Place(one.corners_px, ACROSS, sight.covered)
    alone = cards_alone(detections.found, readings, bigs)
    beside = (pair[0] for one in alone for pair in pairs_beside(one.corners_px))
    yield from (_Place(outline, ACROSS, sight.covered) for outline in islice(beside, MOST_BESIDE))


def _halves_at(
    place: _Place, wanted: Collection[str], sure: Sequence[Seen], size_px: tuple[int, int],
    tile_set: TileSet,
) -> list[Seen]:  # fmt: skip
    """Return the halves of a wanted card around a place, the one that is seen best first."""
    clear = [
        (one, said) for one, said in _looked_around(place, size_px)
        if said.best >= CLEARLY and _is_seen(said) and said.guesses[0].tile in wanted
    ]  # fmt: skip
    if not clear:
        return []
    half = min(clear, key=lambda seen: seen[1].far)
    guess = half[1].guesses[0]
    axes = cell_axes(half[0].corners_px[None], "square")[0]
    there = half[0].corners_px + axes @ np.array(to_partner(guess, tile_set), float)
    others = [
        (one, said) for one, said in _looked_around(replace(place, outline=there), size_px)
        if said.best >= SURE and _is_seen(said) and are_halves(guess, said.guesses[0], {guess.tile})
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


def _looked_around(place: _Place, size_px: tuple[int, int]) -> list[Seen]:
    axes = cell_axes(place.outline[None], "square")[0]
    outlines = [place.outline + axes @ shift for shift in place.shifts]
    found = [Detection(one, FOUND, leaves(one, size_px)) for one in outlines]
    return list(zip(found, place.look(found), strict=True))


def _is_seen(said: CellReading) -> bool:
    """Say whether a place shows a card, or what is seen of a covered one."""
    return said.why is None and (not said.odd or said.covered)


def _doubt(halves: Sequence[Seen]) -> tuple[int, float]:
    """Return how little speaks for a card: one half says less than two."""
    return -len(halves), halves[0][1].far


def _lies_on(one: Detection, half: Detection) -> bool:
    return bool(np.linalg.norm(one.centre_px - half.centre_px) < SAME_PLACE * one.across_px)

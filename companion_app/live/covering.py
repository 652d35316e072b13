"""What lies under something: known tiles that a look does not see, though they are not gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf

from companion_app.live.places import Point, Sighting, Spot, contents, spots_of
from engine.placement import Layout

NEAR_HEXES = 4
"""So far from a tile that something stands on, single hexes may be a part of that thing."""
SEVERAL = 3
"""So many tiles no cup hides at once."""
AROUND = 2.0
"""How much wider than a hex what is around it is looked at."""


def with_covered(
    look: Sighting, known: Layout, is_bare: Callable[[Spot], bool | None],
    is_clear: Callable[[Spot], bool | None] = lambda spot: None,
) -> Sighting:  # fmt: skip
    """Return a look with the known tiles marked that something lies over or stands on.

    Args:
        look: what is seen.
        known: what lay there last.
        is_bare: whether a place looks like the bare table; ``None`` where nobody knows.
        is_clear: the same of what is around a tile that is seen.
    """
    missing = contents(known).keys() - look.beliefs.keys()
    covered = {spot for spot in missing if is_bare(spot) is False}
    for piece in known.pieces if look.half_hidden else ():
        if not look.half_hidden.isdisjoint(spots_of(piece)):
            covered |= missing.intersection(spots_of(piece))
    if covered and known.pieces:
        near = _single_near(look.beliefs.keys() - contents(known).keys(), covered)
        look = _without(look, frozenset(spot for spot in near if is_clear(spot) is not True))
    hidden = {spot for spot, belief in look.beliefs.items() if belief.why == "covered"}
    return replace(look, covered=look.covered | covered | hidden)


def misses_board(look: Sighting, known: Layout) -> bool:
    """Say whether nothing is seen of a board on which several tiles are known to lie."""
    lying = Counter(piece.board or 0 for piece in known.pieces)
    seen = {spot[0] for spot in look.beliefs}
    return any(count >= SEVERAL for board, count in lying.items() if board not in seen)


def is_adrift(look: Sighting, known: Layout) -> bool:
    """Say whether no known card of a field is seen, and not all of them lie under something."""
    lying = {spot for spot in contents(known) if spot[0] in look.unmoored}
    return not lying <= look.covered


def grown_outline(outline: Sequence[Point]) -> tuple[Point, ...]:
    """Return an outline that takes in half of what lies around it."""
    x, y = (sum(point[axis] for point in outline) / max(1, len(outline)) for axis in (0, 1))
    return tuple((x + AROUND * (px - x), y + AROUND * (py - y)) for px, py in outline)


def _without(look: Sighting, specks: frozenset[Spot]) -> Sighting:
    """Leave out single hexes that are seen on whatever covers a tile: a cup is wide and high."""
    return replace(
        look,
        beliefs={spot: belief for spot, belief in look.beliefs.items() if spot not in specks},
        pieces=frozenset(p for p in look.pieces if specks.isdisjoint(spots_of(p))),
    )


def _single_near(spots: Iterable[Spot], covered: Iterable[Spot]) -> frozenset[Spot]:
    """Return the hexes that have no neighbour among their like and lie near what is covered."""
    listed, around = frozenset(spots), frozenset(covered)
    alone = {s for s in listed if not any(_hexes_apart(s, other) == 1 for other in listed)}
    return frozenset(s for s in alone if any(_hexes_apart(s, o) <= NEAR_HEXES for o in around))


def _hexes_apart(one: Spot, other: Spot) -> float:
    """Return how many steps there are between two hexes of a board; infinite between boards."""
    if one[0] != other[0]:
        return inf
    q, r = one[1] - other[1], one[2] - other[2]
    return max(abs(q), abs(r), abs(q + r))

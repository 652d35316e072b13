"""What lies under something: known tiles that a look does not see, though they are not gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf

from companion_app.live.places import Sighting, Spot, contents, spots_of
from engine.placement import Layout

NEAR_HEXES = 4
"""So far from a tile that something stands on, single hexes may be a part of that thing."""


def with_covered(look: Sighting, known: Layout, is_bare: Callable[[Spot], bool | None]) -> Sighting:
    """Return a look with the known tiles marked that something lies over or stands on.

    Args:
        look: what is seen.
        known: what lay there last.
        is_bare: whether a place looks like the bare table; ``None`` where nobody knows.
    """
    missing = contents(known).keys() - look.beliefs.keys()
    covered = {spot for spot in missing if is_bare(spot) is False}
    for piece in known.pieces if look.half_hidden else ():
        if not look.half_hidden.isdisjoint(spots_of(piece)):
            covered |= missing.intersection(spots_of(piece))
    if covered and known.pieces:
        look = _without_specks(look, known, covered)
    hidden = {spot for spot, belief in look.beliefs.items() if belief.why == "covered"}
    return replace(look, covered=frozenset(covered | hidden)) if covered | hidden else look


def _without_specks(look: Sighting, known: Layout, covered: set[Spot]) -> Sighting:
    """Leave out single hexes that are seen on whatever covers a tile: a cup is wide and high."""
    specks = _single_near(look.beliefs.keys() - contents(known).keys(), covered)
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

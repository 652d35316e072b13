"""Covered tiles: known tiles that a look does not see although they are not gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf

from companion_app.live.places import Point, Sighting, Spot, contents, spots_of
from engine.placement import Layout

NEAR_HEXES = 4
"""Distance in hexes from a covered tile within which a single hex may be part of the cover."""
SEVERAL = 3
"""Number of tiles from which on a cup cannot hide them all at once."""
AROUND = 2.0
"""Factor by which an outline is enlarged to look at its surroundings."""


def with_covered(
    look: Sighting,
    known: Layout,
    is_bare: Callable[[Spot], bool | None],
    is_clear: Callable[[Spot], bool | None] = lambda spot: None,
) -> Sighting:
    """Return a look with the known tiles marked that something lies over or stands on.

    Args:
        look: what is seen.
        known: the last known layout.
        is_bare: whether a spot looks like the bare table; ``None`` if that is not known.
        is_clear: whether the surroundings of a seen tile look bare; ``None`` if not known.
    """
    lying = contents(known).keys()
    missing = lying - look.beliefs.keys()
    covered = {spot for spot in missing if is_bare(spot) is False}
    for piece in known.pieces if look.half_hidden else ():
        if not look.half_hidden.isdisjoint(spots_of(piece)):
            covered |= missing.intersection(spots_of(piece))
    if known.pieces and (covered or look.half_hidden):
        near = _single_near(look.beliefs.keys() - lying, covered)
        single = {spot for p in look.pieces if len(p.cells) == 1 for spot in spots_of(p)}
        specks = {spot for spot in near if is_clear(spot) is not True}
        # A single hex at the edge of a cup may be no tile at all.
        look = _without(look, look.half_hidden & single - lying | specks)
    hidden = {spot for spot, belief in look.beliefs.items() if belief.why == "covered"}
    return replace(look, covered=look.covered | covered | hidden)


def misses_board(look: Sighting, known: Layout) -> bool:
    """Say whether no tile is seen on a board on which several tiles are known to lie."""
    lying = Counter(piece.board or 0 for piece in known.pieces)
    seen = {spot[0] for spot in look.beliefs}
    return any(count >= SEVERAL for board, count in lying.items() if board not in seen)


def is_adrift(look: Sighting, known: Layout) -> bool:
    """Say whether a field without a visible known card has known cards that are not covered."""
    lying = {spot for spot in contents(known) if spot[0] in look.unmoored}
    return not lying <= look.covered


def grown_outline(outline: Sequence[Point]) -> tuple[Point, ...]:
    """Return an outline enlarged by ``AROUND`` about its centre."""
    x, y = (sum(point[axis] for point in outline) / max(1, len(outline)) for axis in (0, 1))
    return tuple((x + AROUND * (px - x), y + AROUND * (py - y)) for px, py in outline)


def _without(look: Sighting, specks: frozenset[Spot]) -> Sighting:
    """Leave out single hexes that are read on the object which covers a tile, such as a cup."""
    return replace(
        look,
        beliefs={spot: belief for spot, belief in look.beliefs.items() if spot not in specks},
        pieces=frozenset(p for p in look.pieces if specks.isdisjoint(spots_of(p))),
    )


def _single_near(spots: Iterable[Spot], covered: Iterable[Spot]) -> frozenset[Spot]:
    """Return the hexes without a neighbour in ``spots`` that lie near a covered spot."""
    listed, around = frozenset(spots), frozenset(covered)
    alone = {s for s in listed if not any(_hexes_apart(s, other) == 1 for other in listed)}
    return frozenset(s for s in alone if any(_hexes_apart(s, o) <= NEAR_HEXES for o in around))


def _hexes_apart(one: Spot, other: Spot) -> float:
    """Return the distance of two hexes of a board in steps; infinite between boards."""
    if one[0] != other[0]:
        return inf
    q, r = one[1] - other[1], one[2] - other[2]
    return max(abs(q), abs(r), abs(q + r))

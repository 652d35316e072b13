"""Drills between boards of Snekagon 5G: the clay that marks them, and a snake's direction.

This module implements rulings 2, 4 and 5 of the game. Boards lie in a ring; a drill joins the same
cell on two adjacent boards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, product

from engine.hexsnakes import (
    MOST_NEIGHBOURS,
    Drill,
    Drilled,
    Spot,
    drilled_from,
    neighbours,
    side_towards,
    touching,
)
from engine.lattice import HEX_SIDE_NAMES, Cell
from engine.placement import Clay

SIDES = len(HEX_SIDE_NAMES)
WIDEST_TURN = 1
"""The widest turn of a snake over a drill, in sides of 60 degrees (ruling 5)."""


def boards_beside(board: int, boards: int) -> tuple[int, ...]:
    """Return the boards of the ring that touch ``board``: two, or one in a ring of two."""
    return tuple(sorted({(board - 1) % boards, (board + 1) % boards} - {board}))


def drill(one: Spot, other: Spot) -> Drill:
    """Return the drill between two spots."""
    return (one, other) if one < other else (other, one)


# --- clay ----------------------------------------------------------------------------------------


def clay_on(spot: Spot, own: Collection[Spot], drilled: Drilled) -> Clay | None:
    """Return the clay that ruling 4 puts on a hex.

    A drilled hex with a body carries an open piece, a hex that is drilled both ways a closed
    piece. A single hex with one drill and no body yet carries none.
    """
    board, q, r = spot
    ways = len(drilled.get(spot, ()))
    if ways >= MOST_NEIGHBOURS:
        return Clay(board, (q, r), "closed")
    body = touching(spot, own)
    if not ways or not body:
        return None
    return Clay(board, (q, r), "open", HEX_SIDE_NAMES[side_towards(spot, body[0])])


def clay_of(own: Collection[Spot], drills: Iterable[Drill]) -> frozenset[Clay]:
    """Return all the clay on the hexes of one colour."""
    drilled = drilled_from(drills)
    laid = (clay_on(spot, own, drilled) for spot in drilled)
    return frozenset(clay for clay in laid if clay is not None)


def unlike(expected: Iterable[Clay], seen: Iterable[Clay]) -> frozenset[Spot]:
    """Return the spots where clay differs; the opening direction counts only where it was seen."""
    wanted = {_spot(clay): clay for clay in expected}
    there = {_spot(clay): clay for clay in seen}
    return frozenset(
        spot
        for spot in wanted.keys() | there.keys()
        if not _alike(wanted.get(spot), there.get(spot))
    )


def _spot(clay: Clay) -> Spot:
    return (clay.board, *clay.cell)


def _alike(expected: Clay | None, seen: Clay | None) -> bool:
    if expected is None or seen is None:
        return expected is seen
    opens_as_seen = seen.opens is None or seen.kind == "closed" or seen.opens == expected.opens
    return expected.kind == seen.kind and opens_as_seen


@dataclass(frozen=True, slots=True)
class Drilling:
    """The drills of one colour, as inferred from the clay on a table."""

    ways: tuple[frozenset[Drill], ...]
    """Every set of drills that explains the clay best; several where the clay is ambiguous."""
    amiss: frozenset[Spot] = frozenset()
    """The spots where clay is wrong or missing."""


def find_drills(own: Collection[Spot], clay: Collection[Clay], boards: int) -> Drilling:
    """Infer the drills of one colour from its hexes and the clay on them."""
    fields = sorted({piece.cell for piece in clay})
    found = [_drills_on_field(field, own, clay, boards) for field in fields]
    return Drilling(
        tuple(frozenset(chain(*way)) for way in product(*(drilling.ways for drilling in found))),
        frozenset(chain(*(drilling.amiss for drilling in found))),
    )


def _drills_on_field(
    field: Cell, own: Collection[Spot], clay: Iterable[Clay], boards: int
) -> Drilling:
    """Infer the drills on one cell by trying every subset; at most one drill for each board."""
    seen = [piece for piece in clay if piece.cell == field]
    marked = {_spot(piece) for piece in seen}
    column = [spot for board in range(boards) if (spot := (board, *field)) in own]
    possible = [
        drill(one, other)
        for one, other in combinations(column, 2)
        if other[0] in boards_beside(one[0], boards)
        # Every drill leaves clay at one end at least (ruling 4).
        and (one in marked or other in marked)
    ]
    ways = [frozenset(way) for n in range(len(possible) + 1) for way in combinations(possible, n)]
    faults = {way: _faults(way, own, seen) for way in ways}
    best = min(faults.values())
    chosen = tuple(way for way in ways if faults[way] == best)
    return Drilling(chosen, unlike(clay_of(own, chosen[0]), seen))


def _faults(way: Collection[Drill], own: Collection[Spot], seen: Iterable[Clay]) -> tuple[int, int]:
    drilled = drilled_from(way)
    crowded = [s for s in drilled if len(neighbours(s, own, drilled)) > MOST_NEIGHBOURS]
    return len(unlike(clay_of(own, way), seen)), len(crowded)


# --- directions ----------------------------------------------------------------------------------


def turns_back(
    own: Collection[Spot], drills: Iterable[Drill], new: Collection[Spot] | None = None
) -> list[tuple[Spot, ...]]:
    """Return the rows of hexes in which a snake turns by more than 60 degrees at a drill.

    A row begins with the hex before the drill's first end and closes with the hex after its last
    end. Consecutive drills through single hexes count as one. A drill with no hex before or after
    it restricts nothing (ruling 5).

    Args:
        own: all hexes of a colour.
        drills: all drills of that colour.
        new: return only rows with one of these hexes; ``None`` for all rows.
    """
    drilled = drilled_from(drills)
    found = []
    for shaft in _shafts(own, drilled):
        for before, after in product(touching(shaft[0], own), touching(shaft[-1], own)):
            row = (before, *shaft, after)
            turn = side_towards(before, shaft[0]) - side_towards(shaft[-1], after)
            straight_enough = min(turn % SIDES, -turn % SIDES) <= WIDEST_TURN
            if not straight_enough and (new is None or any(spot in new for spot in row)):
                found.append(row)
    return found


def heading_into(spot: Spot, own: Collection[Spot], drilled: Drilled) -> list[int]:
    """Return the directions in which a snake arrives at an end, through consecutive drills too.

    A drill from that end must keep these directions; without any, it may take every direction.
    """
    shaft = _walk_drills(spot, own, drilled)
    return [side_towards(before, shaft[-1]) for before in touching(shaft[-1], own)]


def _shafts(own: Collection[Spot], drilled: Drilled) -> Iterator[tuple[Spot, ...]]:
    """Yield each row of consecutive drills once, from one hex with a body to another."""
    for start in sorted(drilled):
        if touching(start, own):
            for second in drilled[start]:
                shaft = (start, *_walk_drills(second, own, drilled, came_from=start))
                if shaft[0] < shaft[-1]:
                    yield shaft


def _walk_drills(
    spot: Spot, own: Collection[Spot], drilled: Drilled, came_from: Spot | None = None
) -> tuple[Spot, ...]:
    """Return the hexes from ``spot`` through consecutive drills, up to one with a body."""
    row = [spot]
    seen = {spot, came_from}
    while not touching(row[-1], own):
        further = [other for other in drilled.get(row[-1], ()) if other not in seen]
        if not further:
            break
        row.append(further[0])
        seen.add(further[0])
    return tuple(row)


def by_colour(clay: Iterable[Clay], own: Mapping[str, Collection[Spot]]) -> dict[str, list[Clay]]:
    """Return the clay on each colour's hexes; clay elsewhere is left out."""
    pieces = list(clay)
    return {
        colour: [piece for piece in pieces if _spot(piece) in spots]
        for colour, spots in own.items()
    }

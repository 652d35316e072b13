"""Checks the tiles of a set file against the rules, by their lattice and their roles.

Only in Carnival does the role decide what a tile does. Owners may add kinds to that box, so tiles
are checked by role, never by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.tiles import GREY, TileKind

Mistake = tuple[str, str]
"""The key in the set file, and the problem with its value."""

CARNIVAL = "carnival"
LATTICES: Mapping[str, str] = {
    "schlangennest": "square",
    "snekagon": "hex",
    "snekagon5g": "hex",
    "sssnake": "square",
    "carnival": "square",
}
CARNIVAL_COLOURS = ("yellow", "violet", "black", "red")
STRANDS: Mapping[str, tuple[int, ...]] = {
    "plain": (2,),
    "diamond": (2,),
    "knot": (2,),
    "sore": (2,),
    "head": (1,),
    "log": (2,),
    "crossing-log": (2, 2),
    "house": (),
    "gift": (),
    "trouble": (),
    "hat": (),
}
"""By role: the number of edges of each strand."""
COLOURED = frozenset({"plain", "diamond", "knot", "sore", "head"})
MOST_POINTS = 1000
WITHOUT_POINTS = frozenset({"log", "crossing-log", "house"})
IN_WORDS = {
    (): "no strands",
    (1,): 'one strand with one edge, such as [{ edges = "W", colour = "own", cap = "head" }]',
    (2,): 'one strand with two edges, such as [{ edges = "WE" }]',
    (2, 2): 'two straight strands, [{ edges = "WE" }, { edges = "NS" }]',
}


def tile_mistake(game: object, kind: TileKind) -> Mistake | None:
    """Return the first mistake in a tile of a game's box, ``None`` without any."""
    if game != CARNIVAL:
        return None
    if kind.role not in STRANDS:
        return "role", f"must be one of {', '.join(STRANDS)}, not {kind.role or 'missing'}"
    return _wrong_colour(kind) or _wrong_strands(kind) or _wrong_house(kind) or _wrong_points(kind)


def lattice_mistake(game: object, lattice: str) -> Mistake | None:
    """Return what is wrong with the lattice of a game's box; other games may have any."""
    wanted = LATTICES.get(str(game), lattice)
    return None if lattice == wanted else ("lattice", f'must be "{wanted}", as in {game}')


def box_mistake(
    game: object, colours: Iterable[str], kinds: Iterable[TileKind], data: Mapping[str, Any]
) -> Mistake | None:
    """Return the first mistake in a game's box as a whole, ``None`` without any."""
    if game != CARNIVAL:
        return None
    listed = tuple(colours)
    if not set(listed) <= set(CARNIVAL_COLOURS):
        return "colours", f"the snakes of this game are {', '.join(CARNIVAL_COLOURS)}"
    houses = [kind for kind in kinds if kind.role == "house"]
    if len(houses) != 1:
        return (
            "tile",
            f"there must be exactly one tile with the role house, but there are {len(houses)}",
        )
    if sorted(leaving.name for leaving in houses[0].exits) != sorted(listed):
        return "exits", f"the house needs one exit for each of {', '.join(listed)}"
    for key in ("diamond_points", "gift_points"):
        if key in data and not (type(data[key]) is int and abs(data[key]) <= MOST_POINTS):
            return key, f"must be a whole number of at most {MOST_POINTS}"
    return None


def _wrong_colour(kind: TileKind) -> Mistake | None:
    if kind.role in COLOURED and kind.colour is None:
        return "role", f'a {kind.role} tile belongs to a colour; add colours = "each"'
    if kind.role not in COLOURED and kind.colour is not None:
        return "colours", f"a {kind.role} has no colours, since it belongs to no player"
    return None


def _wrong_strands(kind: TileKind) -> Mistake | None:
    wanted = STRANDS[kind.role]
    if tuple(len(strand.edges) for strand in kind.strands) != wanted:
        return _key(kind), f"a {kind.role} has {IN_WORDS[wanted]}"
    if kind.role == "crossing-log" and any(abs(s.edges[0] - s.edges[1]) != 2 for s in kind.strands):
        return "strands", f"a {kind.role} has {IN_WORDS[wanted]}"
    if any(strand.colour != (kind.colour or GREY) for strand in kind.strands):
        return "strands", f'the strand of a {kind.role} has colour = "own"'
    if any(strand.cap == "tail" for strand in kind.strands):
        return "strands", 'a head has cap = "head"'
    return None


def _key(kind: TileKind) -> str:
    return "strands" if kind.strands else "role"


def _wrong_house(kind: TileKind) -> Mistake | None:
    if kind.role != "house" and kind.exits:
        return "exits", "only the house has exits"
    if kind.role == "house" and kind.count != 1:
        return "count", "there is only one house in a box"
    if len(kind.cells) > 1:
        return "cells", f"a {kind.role} covers one cell"
    return None


def _wrong_points(kind: TileKind) -> Mistake | None:
    if kind.role in WITHOUT_POINTS and kind.points:
        return "points", f"a {kind.role} has no points"
    if kind.role == "trouble" and not kind.points:
        return _key(kind), "a trouble costs points; add points = -2"
    return None

"""Compares layouts and rows of moves for the referee."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from companion_app.live.explain import Foul, Row
from companion_app.live.match import Match
from companion_app.live.places import Content, Spot, contents
from engine.game import Change, Move
from engine.placement import Layout, Piece, Placement

Replacement = tuple[Spot, Content | None, Content | None]
"""A spot, what lay there, and what lies there instead; ``None`` for nothing."""


def same(one: Layout, other: Layout) -> bool:
    """Say whether layouts have the same tiles; clay is ignored, as it may be laid later."""
    return one.cards == other.cards and one.pieces == other.pieces


def key(layout: Layout) -> object:
    """Return a hashable key of a layout's tiles, without clay."""
    return (layout.cards, layout.pieces)


def gone(known: Layout, table: Layout, foul: Foul | None = None) -> set[Spot]:
    """Return the spots that became empty; none if the foul is a move that lifts tiles itself."""
    gone = contents(known).keys() - contents(table).keys()
    return set(gone) if foul is None or foul.move.do == "place" else set()


def changed_spots(one: Layout, other: Layout) -> frozenset[Spot]:
    """Return the spots in which two layouts have other tiles, or one of them none."""
    return frozenset(spot for spot, _, _ in changes(one, other))


def changes(one: Layout, other: Layout) -> frozenset[Replacement]:
    """Return what lies in each spot in which two layouts differ, in the one and in the other."""
    before, after = contents(one), contents(other)
    both = ((s, before.get(s), after.get(s)) for s in before.keys() | after.keys())
    return frozenset(change for change in both if change[1] != change[2])


def moves_seen(layouts: Sequence[Layout]) -> int:
    """Return how many of the consecutive layouts differ from the one before, without clay."""
    return sum(not same(one, other) for one, other in pairwise(layouts))


def last_laid(layouts: Sequence[Layout]) -> set[Placement | Piece]:
    """Return the tiles that the last visible move laid, without clay."""
    for after, before in pairwise(reversed(layouts)):
        if not same(before, after):
            return {*(after.cards - before.cards), *(after.pieces - before.pieces)}
    return set()


def clay_seen(layout: Layout) -> set[tuple[int, tuple[int, int]]]:
    """Return the boards and cells on which clay lies."""
    return {(clay.board, clay.cell) for clay in layout.clay}


def differ_by_drill(rows: list[Row]) -> bool:
    """Say whether rows are the same but for where a snake is drilled."""
    flat = {tuple(replace(move, origin=None, to=None) for move in row.moves) for row in rows}
    return len(flat) == 1 and len(rows) > 1


def differ_by_player(rows: list[Row]) -> bool:
    """Say whether rows are the same but for who laid cards on whose snake."""
    same = {tuple(replace(move, player="") for move in row.moves) for row in rows}
    return len(same) == 1 and all(move.snake for row in rows for move in row.moves)


def differ_by_tile(rows: list[Row]) -> bool:
    """Say whether rows cut the same hexes into different tiles."""
    return len({frozenset((m.tile, m.cells) for m in row.moves if m.cells) for row in rows}) > 1


def cells_of(rows: Iterable[Row]) -> set[tuple[int, ...]]:
    """Return every cell that some rows of moves lay a tile on."""
    found: set[tuple[int, ...]] = set()
    for row in rows:
        for move in row.moves:
            if move.at is not None:
                found.add(move.at)
            board = () if move.board is None else (move.board,)
            found.update((*board, *cell) for cell in move.cells or ())
    return found


def drill_shown(match: Match, table: Layout) -> tuple[int, Move] | None:
    """Return the last tile as the drill that new clay marks, with its number; else ``None``.

    Clay that lay there before may be missed or misread, so only clay in new cells counts.
    """
    n = len(match.accepted)
    while n and match.accepted[n - 1].move.do == "pass":
        n -= 1
    if not n:
        return None
    before, lay = match.positions[n - 1], clay_seen(match.layouts[n - 1])
    fresh = frozenset(clay for clay in table.clay if (clay.board, clay.cell) not in lay)
    laid = Layout(pieces=match.layout.pieces - match.layouts[n - 1].pieces, clay=fresh)
    if clay_seen(laid) <= clay_seen(match.layout):
        return None
    found = []
    for move in match.game.readings(before, Change(laid, Layout())):
        marks = clay_seen(match.game.layout(match.game.apply(before, move)))
        if match.game.judge(before, move).legal and lay < marks <= lay | clay_seen(laid):
            found.append(move)
    if len(found) != 1 or found[0] == match.accepted[n - 1].move:
        return None
    return n, found[0]

"""What layouts and rows of moves have in common, as far as the referee needs it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from companion_app.live.explain import Foul, Row
from companion_app.live.match import Match
from companion_app.live.places import Spot, contents
from engine.game import Move
from engine.placement import Layout, Piece


def same(one: Layout, other: Layout) -> bool:
    """Say whether the same tiles lie there; clay may be laid a moment later."""
    return one.cards == other.cards and one.pieces == other.pieces


def key(layout: Layout) -> object:
    """Return what tells layouts apart when clay does not count."""
    return (layout.cards, layout.pieces)


def gone(known: Layout, table: Layout, foul: Foul | None = None) -> set[Spot]:
    """Return the spots that are empty now; those that a foul itself empties do not count."""
    gone = contents(known).keys() - contents(table).keys()
    return set(gone) if foul is None or foul.move.do == "place" else set()


def newly_laid(before: Any, match: Match) -> frozenset[Piece]:
    """Return the hex tiles that a match has and an earlier position had not."""
    return match.layout.pieces - match.game.layout(before).pieces


def clay_places(match: Match, before: Any, move: Move) -> set[tuple[int, tuple[int, int]]]:
    """Return where clay lies after a move."""
    clay = match.game.layout(match.game.apply(before, move)).clay
    return {(one.board, one.cell) for one in clay}


def differ_by_drill(rows: list[Row]) -> bool:
    """Say whether rows are the same but for where a snake is drilled."""
    flat = {
        tuple(replace(move, origin=None, to=None) for move in row.moves) for row in rows
    }  # fmt: skip
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

"""Draws the table of a match: the current one, an earlier one, or one with a foul marked."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from companion_app.games.entries import Line, Moves, kind_and_body
from companion_app.games.play import Game, Pending, opened
from companion_app.web.drawing.table import table_in_words
from companion_app.web.speech import Speech
from engine.game import Json, Move, Place, ScoreLine, Violation
from engine.placement import Layout
from engine.record import Record

SHOWN_ONLY = "alone"
"""The key of a match that is in no store."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The content of a drawing."""

    layout: Layout
    marked: tuple[Place, ...]
    """The places of broken rules."""
    last: tuple[Place, ...]
    """The places of the last move that left something on the table."""


def shown(match: Game, upto: int | None = None, instead: Move | None = None) -> Shown:
    """Return the content of a drawing, now or after ``upto`` moves, the last one replaced."""
    count = len(match.accepted) if upto is None else max(0, min(upto, len(match.accepted)))
    if instead is not None:
        changed = match.game.apply(match.position_after(count - 1), instead)
        return Shown(match.game.layout(changed), (), tuple(match.cells_of(instead)))
    moved = (match.cells_of(one.move) for one in reversed(match.accepted[:count]))
    return Shown(match.layout_after(count), (), tuple(next(filter(None, moved), ())))


def shown_now(match: Game, pending: Pending | None) -> Shown:
    """Return the table as it lies; the places of an announced foul on it are marked."""
    if pending is None:
        return shown(match)
    last = match.cells_of(pending.move)
    marked = [place for broken in pending.violations for place in pointed(broken, match)]
    return Shown(pending.layout, tuple(marked or last), tuple(last))


def match_to_show(record: Record, moves: list[Json]) -> Game:
    """Return a game that is only shown, by its start and its moves."""
    made = Line(1, SHOWN_ONLY, *kind_and_body(Moves(1, moves)), 0.0)
    return opened(SHOWN_ONLY, record).follow(made)


def mark_of(match: Game, pending: Pending | None) -> str:
    """Return a checksum of what the drawing shows; it changes when a redraw is needed."""
    now = shown_now(match, pending)
    seen = (match.key, now.layout.placements(), sorted(now.marked), sorted(now.last))
    return f"{zlib.crc32(repr(seen).encode()):08x}"


def pointed(one: Violation | ScoreLine, match: Game) -> list[Place]:
    """Return the places of a violation or of points, each prefixed with its field or board."""
    if one.snake in match.start.players and match.game.facts.several_fields:
        field = match.start.players.index(one.snake)
        return [(field, *cell) for cell in one.cells]
    return [cell if len(cell) == 3 else (0, *cell) for cell in one.cells]


def drawing(
    match: Game, speech: Speech, what: Shown, *, stacked: bool = False, title: str = ""
) -> str:
    """Return a table of a match as SVG; its title is that of the game unless one is given."""
    return table_in_words(
        match.box,
        what.layout,
        match.start.players,
        speech,
        title or match.game.facts.title,
        marked=what.marked,
        last=what.last,
        stacked=stacked,
    )

"""Views that read the table on request: the self-test, and taking up a game in its middle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, request

from companion_app.web import frames
from companion_app.web.context import speech, svg_answer
from companion_app.web.drawing.table import spot, table_in_words
from companion_app.web.game_asked import record_asked
from companion_app.web.lessons.selftest import compared, tiles_to_lay
from companion_app.web.serving.exchange import Doc, Views, asked
from companion_app.web.speech import Speech
from engine.errors import EngineError
from engine.game import Place, Start
from engine.games import several_boards, several_fields
from engine.placement import Layout, Piece, Placement
from engine.record import Record, layout_to_json, parse_table
from engine.tiles import TileSet

views = Views("trial", __name__)


# --- the self-test -------------------------------------------------------------------------------


@views.reads("/api/selftest.svg")
def tiles_as_shown() -> Response:
    """Return a drawing of the ten tiles to lay."""
    record = record_asked({"game": request.args.get("game"), "set": request.args.get("set")})
    return svg_answer(_drawn(record.tile_set, tiles_to_lay(record.tile_set), speech({})))


@views.changes("/api/selftest")
def selftest() -> Doc:
    """Read the tiles that people laid; return how many are right, and which are not."""
    record = record_asked(asked())
    box = record.tile_set
    wanted = tiles_to_lay(box)
    seen = frames.read(frames.of_layout(record, wanted), record)
    result = compared(wanted, seen["table"]["tiles"], box)
    words = speech({})
    marked = [place for one, _ in result.wrong for place in _places(one)]
    return {
        "right": len(result.right),
        "of": len(result.right) + len(result.wrong),
        "wrong": [
            {"label": words.tile(one.tile), "spots": [spot(place) for place in _places(one)],
             "seen": words.tile(seen) if seen is not None and seen in box else None}
            for one, seen in result.wrong
        ],
        "advice": _advice(seen, words),
        "svg": _drawn(box, wanted, words, marked),
    }  # fmt: skip


def _places(one: Placement | Piece) -> list[Place]:
    return list(one.cells) if isinstance(one, Piece) else [one.at]


def _drawn(box: TileSet, layout: Layout, words: Speech, marked: list[Place] | None = None) -> str:
    several = several_fields(box.game) or several_boards(box.game)
    pointed = [(0, *place) if several else place for place in marked or ()]
    return table_in_words(box, layout, ("",), words, words.page("selftest"), marked=pointed)


def _advice(seen: Mapping[str, Any], words: Speech) -> list[str]:
    return [words.page(f"camera-{what}") for what in seen["advice"]]


# --- a game that already lies there --------------------------------------------------------------


@views.changes("/api/table")
def table() -> Doc:
    """Read the table as it lies, to take up a game in its middle."""
    record = record_asked(asked())
    seen = frames.read(frames.newest(record), record)
    written = seen["table"]
    words = speech({})
    layout, _ = parse_table(record.game, record.tile_set, written)
    lying = layout_to_json(layout)
    return {
        "table": {"format": written["format"], "version": written["version"], **lying},
        "tiles": len(layout.placements()),
        "unsure": seen["unsure"],
        "advice": _advice(seen, words),
        "svg": table_in_words(
            record.tile_set, layout, record.start.players, words, record.game.facts.title
        ),
        **_taken_up(record, layout, words),
    }  # fmt: skip


def _taken_up(record: Record, layout: Layout, words: Speech) -> dict[str, Any]:
    """Return whether a game can start from a layout, and the rules that the layout breaks."""
    game = record.game
    start = Start(record.start.players, record.start.options, layout, midgame=True)
    try:
        position = game.opening(start, record.tile_set)
    except EngineError as error:
        return {"broken": [str(error)], "possible": False}
    broken = [words.violation(game.facts.name, one) for one in game.inspect(position)]
    return {"broken": broken, "possible": True}

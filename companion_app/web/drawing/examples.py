"""Four pictures that explain a game: tables from an example game that ships with the program."""

import json
from functools import cache
from importlib.resources import files

from companion_app.web.drawing.table import table_in_words
from companion_app.web.speech import Speech
from engine.game import AnyGame, Move, Place, Position
from engine.record import Record, parse_record

PARTS = {"goal": 0.75, "turn": 0.35, "end": 1.0, "scoring": 1.0}
"""The share of the example's moves played in the picture of each part of a summary."""


@cache
def example(game: str) -> Record:
    """Return the example of a game: a short one, played to its end."""
    file = files("companion_app") / "demo" / f"example_{game}.json"
    return parse_record(json.loads(file.read_text(encoding="utf-8")))


@cache
def example_drawing(game: str, part: str, language: str) -> str:
    """Return the SVG for one part of a summary; the last move or the scoring cells are marked."""
    record, words = example(game), Speech(language)
    moves = record.moves[: round(PARTS[part] * len(record.moves))]
    position = record.game.opening(record.start, record.tile_set)
    for move in moves:
        position = record.game.apply(position, move)
    layout = record.game.layout(position)
    marked = _counting(record, position) if part == "scoring" else _last(moves, record)
    title = words.page(f"rules-{part}")
    players = record.start.players
    return table_in_words(record.tile_set, layout, players, words, title, last=marked)


def _last(moves: tuple[Move, ...], record: Record) -> list[Place]:
    """Return the places of the last tile that was laid."""
    for move in reversed(moves):
        if move.cells is not None:
            several = record.game.facts.several_boards
            return [(move.board or 0, *cell) if several else cell for cell in move.cells]
        if move.at is not None:
            return [_of_snake(move.at, move.snake or move.player, record)]
    return []


def _counting(record: Record, position: Position) -> list[Place]:
    """Return the places that score for the winners; those of the last move where there are none."""
    game: AnyGame = record.game
    outcome = game.outcome(position)
    lines = [line for winner in outcome.winners for line in outcome.lines.get(winner, ())]
    places = [_of_snake(cell, line.snake, record) for line in lines for cell in line.cells]
    return list(dict.fromkeys(places)) or _last(record.moves, record)


def _of_snake(place: Place, snake: str | None, record: Record) -> Place:
    """Return a place as drawings name it: in a game of several fields with the field in front."""
    if not record.game.facts.several_fields or snake is None:
        return place
    return (record.start.players.index(snake), place[-2], place[-1])

"""Four pictures that explain a game: tables from an example game that ships with the program."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files

from companion_app.games.play import Game
from companion_app.web.drawing.match import drawing, match_to_show, pointed, shown
from companion_app.web.speech import Speech
from engine.record import Record, move_to_json, parse_record

PARTS = {"goal": 0.75, "turn": 0.35, "end": 1.0, "scoring": 1.0}
"""The share of the example's moves played in the picture of each part of a summary."""


@cache
def example(game: str) -> Record:
    """Return the example of a game: a short one, played to its end."""
    file = files("companion_app") / "demo" / f"example_{game}.json"
    return parse_record(json.loads(file.read_text(encoding="utf-8")))


@cache
def _played(game: str) -> Game:
    record = example(game)
    return match_to_show(record, [move_to_json(move) for move in record.moves])


@cache
def example_drawing(game: str, part: str, language: str) -> str:
    """Return the SVG for one part of a summary; the last move or the scoring cells are marked."""
    match, words = _played(game), Speech(language)
    what = shown(match, round(PARTS[part] * len(match.accepted)))
    if part == "scoring":
        outcome = match.game.outcome(match.position)
        lines = [line for winner in outcome.winners for line in outcome.lines.get(winner, ())]
        places = dict.fromkeys(place for line in lines for place in pointed(line, match))
        what = replace(what, last=tuple(places) or what.last)
    return drawing(match, words, what, title=words.page(f"rules-{part}"))

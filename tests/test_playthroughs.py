"""Whole games kept as files and replayed line by line; no game and no rule goes without one.

A file holds ``about`` and one game, or several under ``games``. A game is a ``record`` with what
the referee must say as ``expect``, or, for rules that only a table taken up as it lies can break,
a ``table`` with ``game``, ``players`` and ``options`` beside it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.game import Start
from engine.games import GAMES
from engine.record import find_set, parse_options, parse_record, parse_table
from engine.referee import referee_record, score_table

FOLDER = Path(__file__).parent / "playthroughs"
FILES = sorted(FOLDER.glob("*.json"))


def games_in(path: Path) -> list[dict[str, Any]]:
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["about"].endswith(".")
    games: list[dict[str, Any]] = data.get("games", [data])
    return games


def all_games(name: str) -> list[dict[str, Any]]:
    return [
        game
        for path in FILES
        for game in games_in(path)
        if game.get("record", game)["game"] == name
    ]


def answer_to(game: dict[str, Any]) -> dict[str, Any]:
    if "record" in game:
        return referee_record(parse_record(game["record"]))
    rules = GAMES[game["game"]]
    box = find_set(rules, None)
    layout, _ = parse_table(rules, box, game["table"])
    options = parse_options(rules, game["options"])
    start = Start(tuple(game["players"]), options, layout, midgame=True)
    return score_table(rules, box, start)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_playthrough_is_judged_as_it_was_written_down(path):
    for game in games_in(path):
        answer = answer_to(game)

        for number, (said, expected) in enumerate(
            zip(answer.get("moves", ()), game["expect"].get("moves", ()), strict=True)
        ):
            assert said == expected, f"move {number}: {game['record']['moves'][number]}"
        assert answer == game["expect"]


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_playthrough_to_its_end(name):
    assert any(game["expect"]["over"] for game in all_games(name))


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        (name, rule.id)
        for name, game in GAMES.items()
        for rule in game.facts.rules
        if rule.can_be_broken
    ],
)
def test_every_rule_is_broken_in_some_playthrough(name, rule):
    broken = {
        violation["rule"]
        for game in all_games(name)
        for judged in game["expect"].get("moves", [game["expect"]])
        for violation in judged["violations"]
    }
    assert rule in broken


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option.name) for name, game in GAMES.items() for option in game.facts.options],
)
def test_every_option_is_chosen_in_some_playthrough(name, option):
    assert any(option in game.get("record", game).get("options", {}) for game in all_games(name))

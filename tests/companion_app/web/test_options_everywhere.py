"""An option is declared once, in its game's facts, and everything that tells of options has it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from companion_app.cli.arguments import games_in_words
from companion_app.cli.main import main
from companion_app.web.speech import LANGUAGES, Speech
from engine.games import GAMES
from engine.options import flag, one_of
from engine.record import parse_options
from engine.referee import rules_to_json
from tests.engine.playing import variants

README = (Path(__file__).parents[3] / "engine" / "README.md").read_text(encoding="utf-8")
GAME = "snekagon"


@pytest.fixture
def invented(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give Snekagon two options that nobody else knows of."""
    facts = GAMES[GAME].facts
    weather = one_of("weather", "It is dry, wet or windy.", "dry", "wet", 3, players=(2,))
    rain = flag("rain", "It rains.", only_with={"weather": ("wet",)})
    told = replace(facts, options=(*facts.options, weather, rain))
    monkeypatch.setattr(type(GAMES[GAME]), "facts", told)


def missing_in_readme() -> set[str]:
    """Return the options and values that the README of the engine does not tell of."""
    listed = {
        written
        for game in GAMES.values()
        for option in game.facts.options
        for written in (option.name, *(v for v in option.values if isinstance(v, str)))
    }
    return {written for written in listed if not re.search(rf'`"?{written}"?`', README)}


def test_the_readme_tells_of_every_option_and_value():
    assert missing_in_readme() == set()


def test_every_default_is_the_first_of_the_values_and_allowed():
    for game in GAMES.values():
        names = {option.name for option in game.facts.options}
        for option in game.facts.options:
            assert option.default == option.values[0]
            assert len(option.values) > 1 or option.more
            allowed = [value for value in option.values if value is not None]
            assert [option.parse(value) for value in allowed] == allowed
            assert set(option.laid_before) <= set(map(_hashable, option.values))
            assert set(option.only_with) <= names - {option.name}


def _hashable(value: object) -> object:
    return value if not isinstance(value, list) else str(value)


@pytest.mark.usefixtures("invented")
def test_an_invented_option_is_on_the_command_line_and_in_the_rules(capsys):
    main(["rules", "--game", GAME])
    text = capsys.readouterr().out
    told = {one["name"]: one for one in rules_to_json(GAMES[GAME].facts)["options"]}

    assert 'weather = "dry" or "wet" or 3 ["dry"]' in games_in_words()
    assert 'weather = "dry" or "wet" or 3 ["dry"]: It is dry, wet or windy.' in text
    assert told["weather"]["values"] == ["dry", "wet", 3]
    assert told["rain"] == {
        "name": "rain",
        "default": False,
        "values": [False, True],
        "text": "It rains.",
    }
    assert parse_options(GAMES[GAME], {"weather": 3, "rain": True}) == {"weather": 3, "rain": True}


@pytest.mark.usefixtures("invented")
def test_an_invented_option_is_offered_by_the_wizard(played):
    games = played.guest().client.get("/api/games").get_json()["games"]
    listed = {o["name"]: o for game in games if game["game"] == GAME for o in game["options"]}

    assert listed["weather"]["values"] == [
        {"value": "dry", "word": "dry"},
        {"value": "wet", "word": "wet"},
        {"value": 3, "word": "3"},
    ]
    assert (listed["weather"]["players"], listed["weather"]["default"]) == ([2], "dry")
    assert listed["rain"]["only_with"] == {"weather": ["wet"]}


@pytest.mark.usefixtures("invented")
def test_an_invented_option_is_played_at_random_and_missed_in_readme_and_languages():
    played = [variant.options for variant in variants() if variant.game is GAMES[GAME]]

    assert {"weather": "wet"} in played
    assert {"weather": 3} in played
    assert {"weather": "wet", "rain": True} in played
    assert missing_in_readme() == {"weather", "rain", "dry", "wet"}
    assert all(
        not Speech(language).option(GAME, "rain", "") for language in LANGUAGES if language != "en"
    )
    assert json.dumps(Speech("en").option_question("weather")) == '"weather"'

"""What somebody laid, in a sentence of every language; and the pictures of the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import companion_app
from companion_app.web.drawing.examples import PARTS, example, example_drawing
from companion_app.web.speech import LANGUAGES, Speech
from engine.game import Move
from engine.games import GAMES
from engine.record import find_set
from engine.referee import referee_record

FRENCH = Path(companion_app.__file__).parent / "locales" / "fr.json"


@pytest.mark.parametrize(
    ("language", "own", "other"),
    [
        ("en", "Red laid a tail", "Red laid a blue head"),
        ("de", "Rot legt einen Schwanz", "Rot legt einen blauen Kopf"),
        ("fr", "Rouge pose une queue", "Rouge pose une tête bleue"),
        ("cs", "Červený pokládá ocas", "Červený pokládá modrou hlavu"),
        ("ru", "Красный кладёт хвост", "Красный кладёт синюю голову"),
    ],
)
def test_foul_is_named_in_a_sentence(language, own, other):
    speech = Speech(language)

    assert speech.laid(Move("red", "place", tile="red/tail"), coloured=True) == own
    assert speech.laid(Move("red", "place", tile="blue/head"), coloured=True) == other


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_tile_can_be_said(game, language):
    speech = Speech(language, {"x": "Anna"})
    for tile in find_set(GAMES[game], None).counts:
        said = speech.laid(Move("x", "place", tile=tile), coloured=True)
        assert said.startswith("Anna ")
        assert "{" not in said


def test_french_signs_stand_with_their_word():
    text = FRENCH.read_text(encoding="utf-8")

    assert re.findall(r'[^"\s] [:;?!»]|« ', text) == []


@pytest.mark.parametrize("game", GAMES)
def test_pictures_of_the_rules_are_of_a_legal_game_to_its_end(game):
    answer = referee_record(example(game))

    assert all(move["legal"] for move in answer["moves"])
    assert answer["over"]
    assert len({example_drawing(game, part, "en") for part in PARTS}) >= 3


def test_page_shows_the_pictures_of_the_rules(played):
    client = played.guest().client

    shown = {part: client.get(f"/api/rules/carnival/{part}.svg").data for part in PARTS}

    assert all(svg.startswith(b"<svg") for svg in shown.values())
    assert client.get("/api/rules/carnival/other.svg").status_code == 404
    assert client.get("/api/rules/chess/goal.svg").status_code == 404

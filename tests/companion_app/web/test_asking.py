"""Every question in every language has its sentence, and answers that the referee takes."""

from __future__ import annotations

import pytest

from companion_app.live.questions import Question, as_shown
from companion_app.web.asking import question_in_words
from companion_app.web.speech import LANGUAGES, Speech
from engine.record import move_to_json
from tests.companion_app.web.conftest import playthrough


def asked(played, about, guesses, **more):
    return Question(1, about, ("key",), tuple(guesses), **more)


def in_words(played, question):
    match = played.desk.match
    return question_in_words(as_shown(question, match), match.now, Speech("en", {}))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_question_has_words(played, script, language):
    played.begin(script.record)
    match, words = played.desk.match, Speech(language, {})
    move = move_to_json(script.record.moves[0])
    questions = [
        asked(played, "tile", [["blue/curve", 0.6, 1], ["red/curve", 0.4]], spot=(0, 1, 2)),
        asked(played, "tile", [["blue/curve", 0.5], ["none", 0.5]], spot=(0, 1, 2)),
        asked(played, "tile", [["blue/curve", 0.5]], spot=(0, 1, 2), choices={"hidden": True}),
        asked(played, "roll", [1, 2, 3]),
        asked(played, "order", [[move], "taken-back"]),
        asked(played, "hand", ["no-own-tile", "own-tile"], choices={"no-own-tile": None}),
        asked(played, "hand", ["pass", "foul"], choices={"pass": None}),
        asked(played, "hand", [["blue/curve", 0.5]], choices={"discard": True}),
        asked(played, "next", ["blue", "red"]),
    ]

    for question in questions:
        said = question_in_words(as_shown(question, match), match, words)
        assert said["text"]
        assert all(answer["label"] for answer in said["answers"])


def test_guess_at_a_card_is_shown_as_it_lies(played, script):
    played.begin(script.record)
    question = asked(played, "tile", [["blue/curve", 0.6, 3]], spot=(0, 0, 0))

    (answer,) = in_words(played, question)["answers"]

    assert (answer["tile"], answer["turns"]) == ("blue/curve", 3)
    assert answer["value"] == {"tile": "blue/curve", "turns": 3}


def test_guess_at_a_hex_cell_is_a_colour_with_a_picture(played):
    played.begin(playthrough("snekagon_tie"))
    question = asked(played, "tile", [["red", 0.6]], spot=(0, 0, 0))

    (answer,) = in_words(played, question)["answers"]

    assert (answer["value"], answer["label"], answer["tile"]) == ("red", "red", "red/1")


def test_card_that_was_put_away_is_answered_by_its_name(played):
    played.begin(playthrough("sssnake_evening"))
    question = asked(played, "hand", [["curve", 0.5]], choices={"discard": True})

    (answer,) = in_words(played, question)["answers"]

    assert (answer["value"], answer["tile"]) == ("curve", "curve")

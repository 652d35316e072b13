"""What is given in JSON: every mistake gets a short sentence of our own."""

from __future__ import annotations

import json

import pytest

from engine.errors import RecordError
from engine.given import a_name, load_json, meant, shown

MISTAKES: dict[str, tuple[str | bytes, str]] = {
    "a key twice": ('{"moves": [], "moves": [1]}', 'the key "moves" is given twice'),
    "a key twice within": ('[{"a": {"b": 1, "c": 2, "b": 3}}]', 'the key "b" is given twice'),
    "5,000 digits": ("[" + "9" * 5000 + "]", "at most 40 digits, not 5000"),
    "5,000 digits below zero": ("-" + "9" * 5000, "at most 40 digits, not 5001"),
    "NaN": ("[NaN]", "NaN is not a number in JSON"),
    "minus infinity": ("-Infinity", "-Infinity is not a number in JSON"),
    "too large a number": ("1e999", "the number 1e999 is too large"),
    "half a letter": ('["\\ud83d"]', "a broken character"),
    "half a letter in a key": ('{"\\udc00": 1}', "a broken character"),
    "deep": ("[" * 100_000, "too many brackets"),
    "deep and whole": ("[" * 60 + "]" * 60, "too many brackets"),
    "not UTF-8": (b'"\xff"', "not UTF-8"),
    "too long": (" " * (8 << 20) + "1", "larger than 8 MB"),
    "no JSON": ("{]", "not JSON"),
    "nothing": ("", "not JSON"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_json_is_told_with_its_file(name):
    text, said = MISTAKES[name]

    with pytest.raises(RecordError) as error:
        load_json(text, "game.json")
    assert str(error.value).startswith("game.json: ")
    assert said in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_of_any_editor_is_read(encoding):
    assert load_json('{"name": "Zoë 👩‍👧"}'.encode(encoding)) == {"name": "Zoë 👩‍👧"}


@pytest.mark.parametrize("name", ["Zoë", "שרה", "李", "👨‍👩‍👧", "O’Neil-Smith", "نیما‌جان"])
def test_a_name_is_of_any_script(name):
    assert a_name(name, "players[0]") == name


@pytest.mark.parametrize(
    "name",
    ["a\nb", "a\x07", "a\u202eb", "\u2066a", "a\u200f", "\ufeffa", "a\u2028b", "\x7f", "\ud800"],
)
def test_a_name_hides_nothing(name):
    with pytest.raises(RecordError, match="may not have hidden characters") as error:
        a_name(name, "players[0]")
    assert str(error.value).isprintable()


@pytest.mark.parametrize("name", ["", "  ", None, 3, ["a"], "a" * 41, "a" * 5_000_000])
def test_what_is_no_name_is_told_shortly(name):
    with pytest.raises(RecordError) as error:
        a_name(name, "players[0]")
    assert len(str(error.value)) < 150


def test_a_word_that_comes_near_is_suggested():
    assert meant("mvoes", ("moves", "players")) == "; did you mean moves?"
    assert meant("x" * 5_000_000, ("moves", "game")) == "; known: game, moves"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "null"),
        (True, "true"),
        ([0, "x"], '[0, "x"]'),
        ({"a": 1}, "an object"),
        ([[]], "a list of 1"),
        (list(range(9)), "a list of 9"),
        ("a", '"a"'),
    ],
)
def test_a_value_is_shown_shortly(value, said):
    assert shown(value) == said


def test_a_value_nested_beyond_all_measure_is_shown_shortly():
    deep = json.loads("[" * 900 + "]" * 900)

    assert shown(deep) == "a list of 1"

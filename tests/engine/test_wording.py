"""Sentences are filled with words for people, and counted in the right form."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from engine.games import GAMES
from engine.sentences import english, rules_of, why
from engine.wording import FORMS, in_english, in_form, plural_form

ENGINE = Path(engine.__file__).parent
CARDS = {"one": "{n} card", "other": "{n} cards"}


@pytest.mark.parametrize(
    ("language", "count", "form"),
    [
        ("en", 1, "one"),
        ("en", 0, "other"),
        ("en", 2, "other"),
        ("de", 0, "other"),
        ("fr", 0, "one"),
        ("fr", 2, "other"),
        ("cs", 1, "one"),
        ("cs", 4, "few"),
        ("cs", 5, "other"),
        ("cs", 0, "other"),
        ("ru", 1, "one"),
        ("ru", 21, "one"),
        ("ru", 11, "many"),
        ("ru", 3, "few"),
        ("ru", 12, "many"),
        ("ru", 24, "few"),
        ("ru", 5, "many"),
        ("ru", 0, "many"),
    ],
)
def test_number_takes_the_form_of_its_language(language, count, form):
    assert plural_form(language, count) == form


@pytest.mark.parametrize("language", FORMS)
def test_every_number_has_one_of_the_forms_of_its_language(language):
    assert {plural_form(language, n) for n in range(130)} == set(FORMS[language])


def test_counted_sentence_says_one_card_and_two_cards():
    assert in_english(CARDS, {"n": "1"}) == "1 card"
    assert in_english(CARDS, {"n": "2"}) == "2 cards"
    assert in_form("a card", "ru", {}) == "a card"


def test_tile_is_said_in_words_and_a_name_stays_as_it_is():
    said = in_english("{player} lays a {tile}.", {"player": "Anne-Marie/2", "tile": "blue/curve"})

    assert said == "Anne-Marie/2 lays a blue curve."


def test_sentence_begins_with_a_capital_also_where_a_name_stands_first():
    assert in_english("{player} passes.", {"player": "red"}) == "Red passes."


def codes_of(source: str) -> Iterator[tuple[str, str]]:
    """Yield the codes of sentences that a module names: ``say.CODE`` and ``why.CODE``."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(ast.Name("say" | "why" as kind), code):
                yield kind, code


def test_every_code_of_a_rule_or_a_reason_has_words():
    found = set()
    for path in ENGINE.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        game = re.search(r'^say = rules_of\("(\w+)"\)', source, re.MULTILINE)
        for kind, code in codes_of(source):
            assert code in vars(why if kind == "why" else rules_of(game[1] if game else "")), path
            found.add(code)

    assert len(found) > 50


def test_a_code_without_words_is_refused_with_those_that_have_some():
    with pytest.raises(AttributeError, match=r"BIGGEST has no words .* NOT_YOUR_TURN"):
        _ = rules_of("snekagon").BIGGEST


@pytest.mark.parametrize("game", GAMES)
def test_every_sentence_of_a_game_belongs_to_a_rule_or_an_option(game):
    words = english()

    assert set(words["rules"][game]) <= set(words["printed"][game])
    assert set(words["options"][game]) == {option.name for option in GAMES[game].facts.options}

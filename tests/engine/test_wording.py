"""Sentences are filled with words for people, and counted in the right form."""

from __future__ import annotations

import pytest

from engine.wording import FORMS, in_english, in_form, plural_form

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

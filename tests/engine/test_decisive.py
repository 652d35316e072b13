"""Every sentence of a rulebook that decides a move or a point is carried by a rule of ours.

The rulebooks are not part of the project: their sentences stand here in a few of their own words.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from engine.games import GAMES
from tests.engine.test_rulings import NUMBERS
from tests.engine.test_sources import BOOKS

SHARED = os.environ.get("SNAKE_EYE_SHARED")

SENTENCES: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "decisive_sentences.json").read_text(encoding="utf-8")
)
"""By game: a sentence that decides something, and the ids of the rules that carry it."""

NOT_OF_PLAY = {"snekagon": {5, 6}}
"""Rulings about what a picture shows; no move and no point hangs on them."""


def plain(text: str) -> str:
    """Return a text without marks of emphasis and line ends."""
    return re.sub(r"\s+", " ", re.sub(r"[*_`]|\[([^]]*)\]\([^)]*\)", r"\1", text))


@pytest.mark.parametrize("name", GAMES)
def test_every_decisive_sentence_is_carried_by_rules_of_its_game(name):
    known = {rule.id for rule in GAMES[name].facts.rules}

    assert all(SENTENCES[name].values())
    assert {rule for carried in SENTENCES[name].values() for rule in carried.split()} <= known


@pytest.mark.parametrize("name", GAMES)
def test_rules_that_nobody_can_break_are_there_for_a_sentence_or_a_ruling(name):
    carried = {rule for ids in SENTENCES[name].values() for rule in ids.split()}
    rules = [rule for rule in GAMES[name].facts.rules if not rule.can_be_broken]

    assert len(rules) >= 1
    assert [rule.id for rule in rules if rule.id not in carried and not rule.rulings] == []


@pytest.mark.parametrize("name", GAMES)
def test_every_ruling_that_decides_a_move_or_a_point_is_cited_by_a_rule(name):
    cited = {number for rule in GAMES[name].facts.rules for number in rule.rulings}

    assert NUMBERS[name] - cited == NOT_OF_PLAY.get(name, set())


@pytest.mark.skipif(SHARED is None, reason="the rulebooks are not part of the project")
@pytest.mark.parametrize("name", GAMES)
def test_the_sentences_are_those_of_the_rulebooks(name):
    assert SHARED is not None
    (book,) = (Path(SHARED) / "rules" / "rulebooks").glob(f"{BOOKS[name]:03d}_*.txt")
    text = plain(book.read_text(encoding="utf-8"))

    assert [said for said in SENTENCES[name] if plain(said) not in text] == []

"""Every rule stands where it says: its headings are headings of its own game's rulebook."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from engine.games import GAMES

HEADINGS = json.loads(
    (Path(__file__).parent / "rulebook_headings.json").read_text(encoding="utf-8")
)
BOOKS = {"schlangennest": 0, "snekagon": 1, "sssnake": 2, "snekagon5g": 3, "carnival": 4}
"""The number that each rulebook's file name begins with."""
PLACE = re.compile(
    r"rulebook, (?P<headings>[^;]+)|rulings? \d+(?: (?:and|to) \d+)?|option (?P<option>\w+)"
)
SHARED = os.environ.get("SNAKE_EYE_SHARED")


def plain(heading: str) -> str:
    """Return a heading without its number, its marks and what stands in brackets."""
    text = re.sub(r"[#*]|\([^)]*\)|\?!", "", heading).strip()
    text = re.sub(r"^(?:\d+\.|[A-Z]\)) ", "", text)
    return text.rstrip(": .").casefold()


@pytest.mark.parametrize("name", GAMES)
def test_every_source_names_headings_of_the_games_own_rulebook(name):
    facts = GAMES[name].facts
    known = {plain(heading) for heading in HEADINGS[name]}
    for rule in facts.rules:
        for part in rule.source.split("; "):
            place = PLACE.fullmatch(part)
            assert place, (rule.id, part)
            if place["headings"]:
                assert {plain(h) for h in place["headings"].split(", ")} <= known, rule.id
            if place["option"]:
                assert place["option"] in {option.name for option in facts.options}, rule.id


@pytest.mark.skipif(SHARED is None, reason="the rulebooks are not part of the project")
@pytest.mark.parametrize("name", GAMES)
def test_the_headings_are_those_of_the_rulebooks(name):
    assert SHARED is not None
    (book,) = (Path(SHARED) / "rules" / "rulebooks").glob(f"{BOOKS[name]:03d}_*.txt")
    lines = book.read_text(encoding="utf-8").splitlines()
    steps = {f"step {step[1]}" for line in lines if (step := re.match(r"(\d)\. ", line))}
    missing = {plain(heading) for heading in HEADINGS[name]} - {plain(line) for line in lines}

    assert missing - steps == set()

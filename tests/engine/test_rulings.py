"""The rulings page: every ruling has a number and a mark, and every number that is cited exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.game import cited
from engine.games import GAMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "engine" / "RULINGS.md").read_text(encoding="utf-8")
RULING = re.compile(r'^(\d+)\. <a id="(\w+)-(\d+)"></a>(.*(?:\n {3,}.*)*)', re.MULTILINE)
MARKS = ("found", "deduced", "decided")
NUMBERS = {
    name: {int(number) for number, game, _, _ in RULING.findall(PAGE) if game == name}
    for name in GAMES
}
MODULES = {
    "schlangennest": ("nest", "schlangennest"),
    "snekagon5g": ("drill", "snekagon5g", "clay"),
    "sssnake": ("sssnake", "fields", "routes", "draws"),
    "carnival": ("carnival",),
}
"""By game: what the path of a file has in it that cites the game's rulings alone."""


def game_of(path: Path) -> str | None:
    """Return the game whose rulings a file cites; ``None`` where it may be one of several."""
    where = path.relative_to(ROOT).with_suffix("").as_posix().lower()
    return next((g for g, parts in MODULES.items() if any(part in where for part in parts)), None)


def citations() -> list[tuple[Path, str | None, int]]:
    """Return every number that code or tests cite, with the file and the game."""
    files = [
        path
        for folder in ("engine", "vision", "companion_app", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    files += (ROOT / "engine").rglob("*.md")
    found = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        if path.parent.name == "naive":
            text = re.sub(r"\b[Rr]ule(s?) (?=\d)", r"ruling\1 ", text)
        if path != Path(__file__) and "ruling 99" not in text:
            found += [(path, game_of(path), number) for number in cited(text)]
    return found


@pytest.mark.parametrize("name", GAMES)
def test_rulings_are_numbered_from_one_and_each_is_marked(name):
    of_game = [found for found in RULING.findall(PAGE) if found[1] == name]

    assert f'<a id="{name}"></a>' in PAGE
    assert [int(number) for number, *_ in of_game] == list(range(1, len(of_game) + 1))
    assert all(number == place for number, _, place, _ in of_game)
    unmarked = [n for n, *_, text in of_game if not re.search(rf"\((?:{'|'.join(MARKS)})", text)]
    assert unmarked == []


@pytest.mark.parametrize("name", GAMES)
def test_rules_cite_rulings_of_their_own_game(name):
    for rule in GAMES[name].facts.rules:
        assert ("ruling" in rule.source) == bool(rule.rulings), rule.id
        assert set(rule.rulings) <= NUMBERS[name], rule.id


def test_every_number_that_is_cited_anywhere_exists():
    everywhere = citations()
    missing = [
        (path.relative_to(ROOT).as_posix(), number)
        for path, game, number in everywhere
        if not any(number in NUMBERS[name] for name in ([game] if game else GAMES))
    ]

    assert missing == []
    assert len(everywhere) > 150


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("ruling 4", (4,)),
        ("rulebook, Бревно; rulings 3 to 5", (3, 4, 5)),
        ("rulings 10 and 11", (10, 11)),
        ("rulings 7, 8 and 10", (7, 8, 10)),
        ("rulebook, step 6", ()),
    ],
)
def test_citations_are_read_as_people_write_them(said, numbers):
    assert cited(said) == numbers

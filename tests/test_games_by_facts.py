"""Games are told apart by their facts: no code but the rule books compares a game's name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.games import GAMES, has_die, several_boards, several_fields

ROOT = Path(__file__).parent.parent
PACKAGES = ("engine", "calibration", "vision", "models", "companion_app")
MAY = frozenset([Path("engine/games"), Path("engine/sets"), Path("models/lab/scenes")])
"""Rule books, boxes, and the data that scenes are drawn from."""


def names_compared(source: str) -> Iterator[int]:
    """Yield the lines on which something is compared with the name of a game."""
    if not any(name in source for name in GAMES):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare | ast.MatchValue):
            inside = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
            if any(isinstance(value, str) and value in GAMES for value in inside):
                yield node.lineno


def test_no_game_is_told_apart_by_its_name():
    found = [
        f"{file}:{line}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if MAY.isdisjoint((file := path.relative_to(ROOT)).parents)
        for line in names_compared(path.read_text(encoding="utf-8"))
    ]

    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'a == "sssnake"',
        'a != "snekagon5g"',
        'a in ("carnival", "snekagon")',
        'match a:\n    case "carnival":\n        pass',
    ],
)
def test_compared_name_is_found(source):
    assert list(names_compared(source)) != []


def test_facts_say_who_has_boards_fields_and_a_die():
    assert [name for name in GAMES if several_boards(name)] == ["snekagon5g"]
    assert [name for name in GAMES if several_fields(name)] == ["sssnake"]
    assert [name for name in GAMES if has_die(name)] == ["sssnake"]


def test_game_that_is_not_listed_has_none_of_them():
    assert not any(has("my-own-game") for has in (several_boards, several_fields, has_die))

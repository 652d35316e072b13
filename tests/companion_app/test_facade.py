"""What each room of the application shows to the others: some files are its front, others not."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import companion_app

ROOT = Path(companion_app.__file__).parents[1]
FRONT = {
    "cli": frozenset(["arguments", "main"]),
    "eye": frozenset[str](),
    "hands": frozenset(["errors", "pool", "work"]),
    "line": frozenset(["commands", "eye", "hub", "standing", "wire"]),
    "live": frozenset(
        [
            "damage",
            "demo",
            "errors",
            "former_store",
            "loop",
            "machine",
            "match",
            "opening",
            "places",
            "questions",
            "reading",
            "referee",
            "settle",
            "store",
        ]
    ),
    "web": frozenset(
        [
            "bgstats",
            "card",
            "doctor_words",
            "drawing.match",
            "lessons.lesson_form",
            "lessons.photo_reading",
            "place",
            "scoring",
            "serving.errors",
            "serving.exchange",
            "serving.gate",
            "serving.guard",
            "serving.limits",
            "serving.page_file",
            "serving.routes",
            "serving.sessions",
            "serving.shared",
            "serving.streams",
            "serving.web_server",
            "snapshot",
            "speech",
        ]
    ),
}
"""By room, the files that other rooms may use; the eye is a process, reached by the line alone."""


@cache
def taken() -> list[tuple[Path, str, str]]:
    """Return who takes which name from which module of the application."""
    return list(_taken())


def _taken() -> Iterator[tuple[Path, str, str]]:
    for path in sorted((ROOT / "companion_app").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("companion_app."):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    is_module = (ROOT / Path(*whole.split("."))).with_suffix(".py").is_file()
                    module = whole if is_module else str(node.module)
                    yield path.relative_to(ROOT), module, "" if is_module else alias.name


def from_outside(room: str) -> dict[str, str]:
    """Return the files of a room that others use, each with one that does."""
    inside = f"companion_app.{room}."
    return {
        module.removeprefix(inside): str(path)
        for path, module, _ in taken()
        if module.startswith(inside) and not path.is_relative_to(f"companion_app/{room}")
    }


@pytest.mark.parametrize("room", FRONT)
def test_no_other_room_reaches_past_the_front_of_one(room):
    used = from_outside(room)

    assert {file: by for file, by in used.items() if file not in FRONT[room]} == {}


@pytest.mark.parametrize("room", FRONT)
def test_front_of_a_room_has_no_file_that_nobody_outside_uses(room):
    assert FRONT[room] - from_outside(room).keys() == frozenset()


def test_no_module_takes_what_another_keeps_to_itself():
    assert [one for one in taken() if one[2].startswith("_")] == []

"""The walks of the documents: every file and every name on the way is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WALKS = (ROOT / "docs" / "walks.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"^\d+\. \[`(?P<file>[^`]+)`\]\(\.\./(?P<link>[^)]+)\) (?P<names>(?:`[^`]+`(?:, )?)+): "
)
TITLES = (
    'The rule "three snakes on one square"',
    "Why a tile was read as it was",
    "Where a verdict becomes a sentence in German",
    "What happens when the disk is full",
    "How to teach a box",
)


def steps() -> list[tuple[str, str, list[str]]]:
    found = [STEP.match(line) for line in WALKS.splitlines()]
    return [
        (step["file"], step["link"], re.findall("`([^`]+)`", step["names"]))
        for step in found
        if step
    ]


def names_in(file: Path) -> set[str]:
    """Return what a file defines or imports, by name."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {
                    inner.id
                    for target in targets
                    for inner in ast.walk(target)
                    if isinstance(inner, ast.Name)
                }
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.ImportFrom(names=imported):
                names |= {one.name for one in imported}
            case _:
                pass
    return names


def test_the_five_walks_are_there():
    assert tuple(re.findall(r"^## (.+)$", WALKS, re.MULTILINE)) == TITLES


def test_every_numbered_line_is_a_step_with_a_file_and_names():
    numbered = [line for line in WALKS.splitlines() if re.match(r"\d+\.", line)]

    assert len(steps()) == len(numbered) > 25


@pytest.mark.parametrize(("file", "link", "names"), steps())
def test_file_and_names_of_a_step_exist(file, link, names):
    path = ROOT / file

    assert link == file
    assert path.is_file()
    if path.suffix == ".py":
        assert set(names) <= names_in(path)
    else:
        text = path.read_text(encoding="utf-8")
        assert [name for name in names if name not in text] == []


def test_name_that_is_not_in_a_file_is_found(tmp_path):
    (tmp_path / "a.py").write_text("from b import c\nD, E = 1, 2\ndef f(): ...\n", encoding="utf-8")

    assert names_in(tmp_path / "a.py") == {"c", "D", "E", "f"}

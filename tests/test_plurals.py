"""No English sentence puts a number before a noun without forms for one and for several."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLACES = ("engine", "companion_app", "calibration", "models/teaching")
NOUNS = re.compile(
    r" (?:\w+ )?(?:boards?|boxes|box|cards?|cells?|colours?|faces?|fields?|files?|games?|kinds?|"
    r"letters?|moves?|photos?|pictures?|pieces?|players?|points?|sequences?|snakes?|tiles?|times)\b"
)
"""What our sentences count, at most one word after the number."""
COUNTED = "n", "number", "laid", "lifted", "seats", "depth", "nodes"
NEVER_ONE = "kinds", "examples", "mapped.examples"
"""Teaching needs several kinds, and so several tiles."""


def counted_nouns(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the words of each place where an f-string counts things."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            is_text = isinstance(text, ast.Constant) and NOUNS.match(str(text.value))
            if is_text and isinstance(value, ast.FormattedValue) and _is_a_count(value.value):
                yield node.lineno, str(text.value)  # type: ignore[attr-defined]


def _is_a_count(value: ast.expr) -> bool:
    """Say whether a number is filled in that is not the same every time."""
    if isinstance(value, ast.Call):
        is_len = isinstance(value.func, ast.Name) and value.func.id == "len"
        return is_len and ast.unparse(value.args[0]) not in NEVER_ONE
    return isinstance(value, ast.Name) and value.id in COUNTED


@pytest.mark.parametrize("text", ["{n} tiles", "{len(tiles)} labelled tiles", "{laid} tile were"])
def test_a_counted_noun_without_forms_is_found(text):
    assert list(counted_nouns(f"said = f'{text}'"))


def test_numbers_and_nouns_agree_in_english():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {words}"
        for place in PLACES
        for path in sorted((ROOT / place).rglob("*.py"))
        for line, words in counted_nouns(path.read_text(encoding="utf-8"))
    ]

    assert found == []

"""Counts the numbers in the reader: ``python -m models.lab.evaluate.house``.

Every number that somebody chose, by what it is. How large each room is, and how many files a photo
passes, counts ``make size``.

A number counts wherever it is written down to be compared with something later: in a constant of a
module, a field of a class, a default of a function, or in the midst of a comparison. Nothing is
chosen by a zero; in a comparison 1 and 2 are counts of things rather than limits.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from models.lab.evaluate.harness import ROOT, say

Number = int | float
Chosen = tuple[str, Number, bool]
"""Name of what a number is the value of (none in a comparison), the number, and whether it is
geometry or a budget instead of a decision by hand."""

LATTICE_WORDS = re.compile(
    "SIDES|CORNERS|QUARTERS|SIXTHS|HALF|UNIT|NEIGHBOURS|ANGLES|STRIDE|TURNS?|GREY|SIZE|PATCH"
    "|CHANNELS|AXES|DIRECTIONS|NORMALS|PLANES?|ORDERS|VERSION|FORMAT"
)
"""A name with one of these is about a lattice, a byte, a network's input or a form of file."""
BUDGET_WORDS = re.compile("S|MS|MB|BYTES|DIGITS|PIXELS|THREADS|FRAMES|BUDGET|TAGS")
"""A name with one of these is about time, memory or the size of what is written."""
OWN_NUMBERS = frozenset([30, 45, 60, 90, 120, 180, 360, 127.5, 128, 255, 256])
"""Angles of the lattices and levels of a byte."""
COORDINATES = 4
"""Least count of small whole numbers and halves in one constant that makes them coordinates."""


def chosen_numbers(source: str) -> list[Chosen]:
    """Return the numbers that somebody chose in a source."""
    tree = ast.parse(source)
    named = [*_values(tree.body)]
    compared: list[Number] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            named += _values(node.body)
        elif isinstance(node, ast.FunctionDef | ast.Lambda):
            named += _defaults(node.args)
        elif isinstance(node, ast.Compare):
            sides = [_number(side) for side in (node.left, *node.comparators)]
            compared += [n for n in sides if n is not None and abs(n) not in (1, 2)]
    out = [("", n, n in OWN_NUMBERS) for n in compared]
    for name, value in named:
        # The operand of a minus is visited by itself already.
        own = [n for node in ast.walk(value) if (n := _number(node)) is not None and n > 0]
        out += [(name, n, n in OWN_NUMBERS or _is_geometry(name, own)) for n in own]
    return out


def _values(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield what each name of a module or class is set to; ``A, B = 1, 2`` gives both."""
    for node in body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            yield ast.unparse(node.target), node.value
        elif isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                yield from zip(map(ast.unparse, target.elts), value.elts, strict=True)
            else:
                yield ast.unparse(target), value


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    places = [*arguments.posonlyargs, *arguments.args]
    last = places[len(places) - len(arguments.defaults) :]
    pairs = [*zip(last, arguments.defaults, strict=True)]
    for place, value in [*pairs, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]:
        if value is not None:
            yield place.arg, value


def _number(node: ast.AST) -> Number | None:
    """Return the number that an expression is, if it is one and no zero."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value or None


def _is_geometry(name: str, values: Sequence[Number]) -> bool:
    words = name.upper().split("_")
    if any(LATTICE_WORDS.fullmatch(word) or BUDGET_WORDS.fullmatch(word) for word in words):
        return True
    return len(values) >= COORDINATES and all(v * 2 == int(v * 2) and v <= 8 for v in values)


def counts(root: Path) -> dict[str, int]:
    """Return all counts of a tree."""
    reader, trained = root / "vision", root / "models" / "trained"
    sources = [path.read_text("utf-8") for path in sorted(reader.rglob("*.py"))]
    numbers = [number for source in sources for number in chosen_numbers(source)]
    data = [path for end in ("toml", "json", "npz") for path in reader.rglob(f"*.{end}")]
    written, by_hand = sum(map(_data_numbers, data)), sum(not number[2] for number in numbers)
    manifests = [path.read_text("utf-8") for path in trained.glob("*.json")]
    models = [path for path in trained.glob("*") if path.suffix in (".onnx", ".npz")]
    fitted = [path for path in models if any(path.stem in text for text in manifests)]
    return {
        "numbers": len(numbers) + written,
        "numbers: in data that no command fits": written,
        "numbers: geometry or budget": len(numbers) - by_hand,
        "numbers: hand-set decisions": by_hand + written,
        "files that a command fits, with a manifest": len(fitted),
    }


def _data_numbers(path: Path) -> int:
    """Return how many numbers a file of data holds; one that is not text counts its bytes."""
    try:
        words = path.read_text("utf-8").replace(",", " ").replace("]", " ").split()
    except UnicodeDecodeError:
        return path.stat().st_size
    return sum(word.lstrip("-[").replace(".", "", 1).isdigit() for word in words)


if __name__ == "__main__":
    say("| counted | now |", "|---|--:|", *(f"| {k} | {v} |" for k, v in counts(ROOT).items()))

"""Counts the numbers in the reader: ``python -m models.lab.evaluate.house [--before COMMIT]``.

Every number that somebody chose, by what it is. With ``--before`` a commit stands beside the
working tree. How large each room is, and how many files a photo passes, counts ``make size``.

A number counts wherever it is written down to be compared with something later: in a constant of a
module, a field of a class, a default of a function, or in the midst of a comparison. Nothing is
chosen by a zero; in a comparison 1 and 2 are counts of things rather than limits.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from models.lab.evaluate.harness import ROOT, parser_of, say

READER = "vision"

Purpose = Literal["geometry or budget", "hand-set"]
Kind = Literal["constant", "field", "comparison", "default"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Number = int | float

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


@dataclass(frozen=True, slots=True)
class Chosen:
    """One number in the code."""

    kind: Kind
    name: str
    """Name of what it is the value of; empty in a comparison."""
    value: Number
    purpose: Purpose


def chosen_numbers(source: str) -> list[Chosen]:
    """Return the numbers that somebody chose in a source."""
    tree = ast.parse(source)
    found: list[Chosen] = []
    for name, value in _named_values(tree.body):
        found += _numbers("constant", name, value)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for name, value in _named_values(node.body):
                found += _numbers("field", name, value)
        elif isinstance(node, ast.FunctionDef | ast.Lambda):
            for name, value in _defaults(node.args):
                found += _numbers("default", name, value)
        elif isinstance(node, ast.Compare):
            sides = [_number(side) for side in (node.left, *node.comparators)]
            found += [
                Chosen("comparison", "", n, _purpose("", [n], n))
                for n in sides
                if n is not None and abs(n) not in (1, 2)
            ]
    return found


def _named_values(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
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
    yield from ((a.arg, value) for a, value in zip(last, arguments.defaults, strict=True))
    for place, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if value is not None:
            yield place.arg, value


def _numbers(kind: Kind, name: str, value: ast.expr) -> list[Chosen]:
    found = [n for node in ast.walk(value) if (n := _number(node)) is not None]
    # The operand of a minus was visited by itself already.
    values = [n for n in found if n > 0]
    return [Chosen(kind, name, n, _purpose(name, values, n)) for n in values]


def _number(node: ast.AST) -> Number | None:
    """Return the number that an expression is, if it is one and no zero."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    plain = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    value = node.value if isinstance(node, ast.Constant) and plain else None
    return value if isinstance(value, int | float) and value else None


def _purpose(name: str, beside: Sequence[Number], value: Number) -> Purpose:
    words = name.upper().split("_")
    places = len(beside) >= COORDINATES and all(v * 2 == int(v * 2) and v <= 8 for v in beside)
    named = any(LATTICE_WORDS.fullmatch(word) or BUDGET_WORDS.fullmatch(word) for word in words)
    return "geometry or budget" if named or places or value in OWN_NUMBERS else "hand-set"


def counts(root: Path) -> dict[str, str]:
    """Return all counts of a tree, as text."""
    sources = [path.read_text("utf-8") for path in sorted((root / READER).rglob("*.py"))]
    numbers = [one for source in sources for one in chosen_numbers(source)]
    written = sum(_data_numbers(path) for path in _unfitted(root))
    kinds, purposes = Counter(n.kind for n in numbers), Counter(n.purpose for n in numbers)
    return {
        "numbers": str(len(numbers) + written),
        **{f"numbers: {kind}s": str(kinds[kind]) for kind in KINDS},
        "numbers: in data that no command fits": str(written),
        "numbers: geometry or budget": str(purposes["geometry or budget"]),
        "numbers: hand-set decisions": str(purposes["hand-set"] + written),
        "files that a command fits, with a manifest": str(len(_fitted(root))),
    }


def _fitted(root: Path) -> list[Path]:
    """Return the trained files that have a manifest: one beside them names them."""
    trained = root / "models" / "trained"
    manifests = [path.read_text("utf-8") for path in trained.glob("*.json")]
    return [
        path
        for path in sorted(trained.glob("*"))
        if path.suffix in (".onnx", ".npz")
        and any(path.name in text or path.stem in text for text in manifests)
    ]


def _unfitted(root: Path) -> list[Path]:
    """Return data beside the reader's code, which nothing fits and no manifest is about."""
    return [
        path
        for path in sorted((root / READER).rglob("*"))
        if path.suffix in (".toml", ".json", ".npz")
    ]


def _data_numbers(path: Path) -> int:
    """Return how many numbers a file of data holds; one that is not text counts its bytes."""
    try:
        words = path.read_text("utf-8").replace(",", " ").replace("]", " ").split()
    except UnicodeDecodeError:
        return path.stat().st_size
    return sum(word.lstrip("-[").replace(".", "", 1).isdigit() for word in words)


def table(now: Mapping[str, str], before: Mapping[str, str] | None) -> str:
    """Return the counts as a table, side by side where there is something to compare with."""
    if before is None:
        lines = ["| counted | now |", "|---|--:|", *(f"| {k} | {v} |" for k, v in now.items())]
    else:
        rows = [f"| {key} | {before[key]} | {value} |" for key, value in now.items()]
        lines = ["| counted | before | now |", "|---|--:|--:|", *rows]
    return "\n".join(lines)


def _commit(name: str, folder: Path) -> Path:
    """Return a folder with the tree of a commit."""
    packed = subprocess.run(
        ["git", "-C", str(ROOT), "archive", name], capture_output=True, check=True
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Count as the command line asks."""
    parser = parser_of("house", __doc__, out=None)
    parser.add_argument("--before", metavar="COMMIT", help="a commit to compare with")
    asked = parser.parse_args(arguments)
    before = None
    if asked.before:
        with tempfile.TemporaryDirectory() as folder:
            before = counts(_commit(asked.before, Path(folder)))
    say(table(counts(ROOT), before))
    return 0


if __name__ == "__main__":
    sys.exit(main())

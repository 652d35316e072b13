"""Counts the reader's house: ``python -m models.lab.evaluate.house [--before COMMIT]``.

Every number that somebody chose, by what it is; functions that do too much; lines that stand twice
in ``vision/`` and ``models/``; dictionaries between stages; and who imports whom. With ``--before``
a commit stands beside the working tree. How large each room is counts ``make size``.

A number counts wherever it is written down to be compared with something later: in a constant of a
module, a field of a class, a default of a function, or in the midst of a comparison. Nothing is
chosen by a zero; in a comparison 1 and 2 are counts of things rather than limits.
"""

from __future__ import annotations

import ast
import io
import keyword
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

from models.lab.evaluate.harness import ROOT, parser_of, say

READER = "vision"
PACKAGES = (READER, "models")
WRITES_JSON = Path("core/tables.py")
"""The one file whose purpose is to write dictionaries."""
MOST_BRANCHES = 15
SAME_LINES = 6
"""Consecutive lines of one shape in two functions that make a pair."""

Purpose = Literal["geometry or budget", "hand-set"]
Number = int | float

LATTICE_WORDS = frozenset(
    [
        "SIDES",
        "CORNERS",
        "QUARTERS",
        "SIXTHS",
        "HALF",
        "UNIT",
        "NEIGHBOURS",
        "ANGLES",
        "STRIDE",
        "TURN",
        "TURNS",
        "GREY",
        "SIZE",
        "PATCH",
        "CHANNELS",
        "AXES",
        "DIRECTIONS",
        "NORMALS",
        "PLANE",
        "PLANES",
        "ORDERS",
        "VERSION",
        "FORMAT",
    ]
)
"""A name with one of these is about a lattice, a byte, a network's input or a form of file."""
BUDGET_WORDS = frozenset(
    [
        "S",
        "MS",
        "MB",
        "BYTES",
        "DIGITS",
        "PIXELS",
        "THREADS",
        "FRAMES",
        "BUDGET",
        "TAGS",
    ]
)
"""A name with one of these is about time, memory or the size of what is written."""
OWN_NUMBERS = frozenset([30, 45, 60, 90, 120, 180, 360, 127.5, 128, 255, 256])
"""Angles of the lattices and levels of a byte."""
COORDINATES = 4
"""Least count of small whole numbers and halves in one constant that makes them coordinates."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One number in the code."""

    kind: Literal["constant", "field", "comparison", "default"]
    name: str
    """Name of what it is the value of; empty in a comparison."""
    value: Number
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class Busy:
    """A function with many branches."""

    name: str
    branches: int


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


def _numbers(
    kind: Literal["constant", "field", "default"], name: str, value: ast.expr
) -> list[Chosen]:
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
    words = set(name.upper().split("_"))
    places = len(beside) >= COORDINATES and all(v * 2 == int(v * 2) and v <= 8 for v in beside)
    named = words & (LATTICE_WORDS | BUDGET_WORDS)
    return "geometry or budget" if named or places or value in OWN_NUMBERS else "hand-set"


def busy_functions(source: str, most: int = MOST_BRANCHES) -> list[Busy]:
    """Return the functions whose cyclomatic complexity, after McCabe, is above ``most``."""
    tree = ast.parse(source)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    counted = [Busy(function.name, 1 + _branches(function)) for function in functions]
    return [one for one in counted if one.branches > most]


def _branches(function: ast.FunctionDef) -> int:
    count = 0
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.For | ast.While | ast.ExceptHandler | ast.IfExp):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        elif isinstance(node, ast.match_case):
            count += 1
    return count


def same_shaped(sources: Mapping[Path, str]) -> list[tuple[str, str]]:
    """Return the pairs of places in functions where ``SAME_LINES`` lines have one shape.

    Names, numbers and texts may differ; longer runs are one pair. Docstrings,
    comments, blank lines and imports do not count, nor do constants and fields.
    """
    found: dict[tuple[str, ...], list[tuple[Path, int, int]]] = defaultdict(list)
    for path, source in sources.items():
        lines = list(_shapes(source).items())
        for first in range(len(lines) - SAME_LINES + 1):
            shape = tuple(text for _, text in lines[first : first + SAME_LINES])
            found[shape].append((path, first, lines[first][0]))
    both = {
        (one, other)
        for places in found.values()
        for one, other in combinations(places, 2)
        if one[0] != other[0] or other[1] - one[1] >= SAME_LINES
    }
    starts = {(one[:2], other[:2]) for one, other in both}
    return sorted(
        (f"{a}:{line}", f"{b}:{other}")
        for (a, i, line), (b, j, other) in both
        if ((a, i - 1), (b, j - 1)) not in starts
    )


def _shapes(source: str) -> dict[int, str]:
    """Return the shape of each line that stands in a function, by its number."""
    inside: set[int] = set()
    beside: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            inside |= set(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            beside |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    wanted = inside - beside
    shapes: dict[int, str] = defaultdict(str)
    kinds = {tokenize.NUMBER: "0", tokenize.STRING: "s", tokenize.OP: ""}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line = token.start[0]
        if line not in wanted or token.type not in (*kinds, tokenize.NAME):
            continue
        chosen = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
        shapes[line] += f" {'n' if chosen else kinds.get(token.type) or token.string}"
    return shapes


def dictionary_places(source: str) -> int:
    """Return the number of fields, parameters and results that are dictionaries of anything."""
    tree = ast.parse(source)
    aliases = {
        ast.unparse(node.targets[0])
        for node in tree.body
        if isinstance(node, ast.Assign) and _is_dictionary(node.value, frozenset())
    }
    places: list[ast.expr | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            places += [argument.annotation for argument in every] + [node.returns]
        elif isinstance(node, ast.ClassDef):
            places += [part.annotation for part in node.body if isinstance(part, ast.AnnAssign)]
    return sum(place is not None and _is_dictionary(place, frozenset(aliases)) for place in places)


def _is_dictionary(annotation: ast.expr, aliases: frozenset[str]) -> bool:
    """Say whether a type contains a mapping from strings to anything."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "(str, Any)":
            return True
        if isinstance(node, ast.Name) and node.id in aliases:
            return True
    return False


def arrows(sources: Mapping[Path, str], package: str) -> set[tuple[str, str]]:
    """Return which room imports which; a file that lies beside the rooms is a room of its own.

    Args:
        sources: source texts by path inside the package.
        package: name of the package.
    """
    found = set()
    for path, source in sources.items():
        for module in _imported(source):
            top, _, inner = module.partition(".")
            if top == package and inner:
                found.add((path.with_suffix("").parts[0], inner.partition(".")[0]))
    return {(one, other) for one, other in found if one not in (other, "__init__")}


def _imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def counts(root: Path) -> dict[str, str]:
    """Return all counts of a tree, as text."""
    rows: dict[str, str] = {}
    for package in PACKAGES:
        sources = _sources(root / package)
        pairs = same_shaped(sources)
        rows[f"{package}: pairs of {SAME_LINES} lines of one shape"] = str(len(pairs))
    reader = _sources(root / READER)
    numbers = [one for source in reader.values() for one in chosen_numbers(source)]
    written = sum(_data_numbers(path) for path in _unfitted(root))
    kinds, purposes = Counter(n.kind for n in numbers), Counter(n.purpose for n in numbers)
    rows["numbers"] = str(len(numbers) + written)
    rows |= {
        f"numbers: {kind}s": str(kinds[kind])
        for kind in ("constant", "field", "comparison", "default")
    }
    rows["numbers: in data that no command fits"] = str(written)
    rows["numbers: geometry or budget"] = str(purposes["geometry or budget"])
    rows["numbers: hand-set decisions"] = str(purposes["hand-set"] + written)
    rows["files that a command fits, with a manifest"] = str(len(_fitted(root)))
    busy = [one for source in reader.values() for one in busy_functions(source)]
    rows[f"functions above complexity {MOST_BRANCHES}"] = str(len(busy))
    stages = {path: source for path, source in reader.items() if path != WRITES_JSON}
    rows["dictionaries between stages"] = str(sum(map(dictionary_places, stages.values())))
    rows["id() as identity"] = str(sum(map(_identities, reader.values())))
    rows["arrows between rooms"] = str(len(arrows(reader, READER)))
    return rows


def _identities(source: str) -> int:
    return sum(
        isinstance(node, ast.Name) and node.id == "id" and isinstance(node.ctx, ast.Load)
        for node in ast.walk(ast.parse(source))
    )


def _sources(folder: Path) -> dict[Path, str]:
    return {
        path.relative_to(folder): path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))
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
    parser.add_argument("--pairs", action="store_true", help="list every pair as well")
    asked = parser.parse_args(arguments)
    before = None
    if asked.before:
        with tempfile.TemporaryDirectory() as folder:
            before = counts(_commit(asked.before, Path(folder)))
    say(table(counts(ROOT), before))
    if asked.pairs:
        for package in PACKAGES:
            for one_place, other in same_shaped(_sources(ROOT / package)):
                say(f"{package}: {one_place} and {other}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

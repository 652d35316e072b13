"""Which test holds which promise: ``python -m tests.promises [WORD]``.

Promises are the threats of SECURITY, with the tests that it names, the addresses and options of
INTERFACE, with the test files that speak of them, and the faults of the soak, with the files of its
short forms. With a word only promises that have it are printed.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faults.soak import PARTS

ROOT = Path(__file__).parent.parent
SECURITY = ROOT / "deploy/SECURITY.md"
INTERFACE = ROOT / "companion_app/INTERFACE.md"
EXAMPLES = "tests/test_cli.py::test_the_examples_of_a_command_can_be_called"
NAMED = re.compile(r"`(tests/[\w/.]+?\.py)(?:::(\w+))?`")
ADDRESS = re.compile(r"(?<![\w.])(/(?:api|print|overlay|health|guide)[\w/.<>-]*)")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+)")


@dataclass(frozen=True, slots=True)
class Promise:
    """Something that others may rely on, and the tests that hold it."""

    page: str
    text: str
    tests: tuple[str, ...]


def promises(root: Path = ROOT) -> list[Promise]:
    """Return all promises, in the order of their pages."""
    sources = {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for path in sorted((root / "tests").rglob("*.py"))
        if path != Path(__file__)
    }
    # The rows of the command line are its test's.
    sources["tests/test_cli.py"] += (root / "tests/examples/commands.json").read_text("utf-8")
    return [*_threats(), *_spoken_of(sources), *_faults(sources)]


def missing_tests(found: Sequence[Promise]) -> list[str]:
    """Return the tests that promises name and that are not there."""
    return [name for one in found for name in one.tests if not _is_there(name)]


def _is_there(name: str) -> bool:
    file, _, test = name.partition("::")
    path = ROOT / file
    return path.is_file() and f"def {test}" in path.read_text(encoding="utf-8") if test else True


def _threats() -> Iterator[Promise]:
    for line in SECURITY.read_text(encoding="utf-8").splitlines():
        tests = tuple("::".join(filter(None, found)) for found in NAMED.findall(line))
        if line.startswith("| ") and tests:
            yield Promise("SECURITY", line.split(" | ")[0].removeprefix("| "), tests)


def _spoken_of(sources: Mapping[str, str]) -> Iterator[Promise]:
    """Yield every address and option of INTERFACE; what stands for a name may be anything."""
    text = "\n".join(re.findall(r"`([^`\n]+)`", INTERFACE.read_text(encoding="utf-8")))
    for address in dict.fromkeys(ADDRESS.findall(text)):
        parts = [part for part in re.split(r"<.*?(?:>|$)|\b[A-Z]+\b", address) if len(part) > 1]
        ends = re.compile(re.escape(parts[-1].rstrip("/")) + r"(?![a-z])")
        tests = [
            name
            for name, source in sources.items()
            if all(part in source for part in parts[:-1]) and ends.search(source)
        ]
        yield Promise("INTERFACE", address, tuple(tests))
    for option in dict.fromkeys(OPTION.findall(text)):
        told = re.compile(re.escape(option) + r"(?![a-z-])")
        tests = [name for name, source in sources.items() if told.search(source)]
        # Every example that a command prints is called by a test.
        tests += [EXAMPLES] * any(told.search(source) for source in _examples())
        yield Promise("INTERFACE", option, tuple(tests))


def _examples() -> list[str]:
    """Return the examples of all commands."""
    return [
        part.value
        for path in (ROOT / "companion_app/cli").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.List)
        for part in node.elts
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def _faults(sources: Mapping[str, str]) -> Iterator[Promise]:
    """Yield every fault of the soak, with the files that do it and its short form."""
    for part in PARTS:
        family = part.name.partition("-")[0] + "-{"
        tests = [
            file
            for file, source in sources.items()
            if f'"{part.name}"' in source or family in source
        ]
        yield Promise("faults", f"{part.name}: {part.about}", tuple(tests))


def main(words: Sequence[str]) -> int:
    """Print the promises that have all the words; status 1 where one of them has no test."""
    shown = [one for one in promises() if all(word in one.text for word in words)]
    for one in shown:
        tests = one.tests[:6] + ((f"and {len(one.tests) - 6} more",) * (len(one.tests) > 6))
        sys.stdout.write(f"{one.page}: {one.text}\n  {', '.join(tests) or 'NO TEST'}\n")
    bare = [one for one in shown if not one.tests]
    sys.stdout.write(f"{len(shown)} promises, {len(bare)} without a test\n")
    return int(bool(bare))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

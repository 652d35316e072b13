"""What a change can break, in under a minute: ``make quick FILES="engine/lattice.py"``.

Form and lint of the files, then the tests that reach them by imports, the nearest first: the test
of that name, tests that import the file, tests that import what imports it. Of files that are not
Python those tests count that name them. Without files, what differs from the last commit. What a
test took is kept, so that long ones come last; when the minute is over, it says what did not run.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOK = ROOT / ".cache" / "quick.json"
SECONDS = 45.0
UNKNOWN_S = 3.0
"""What a file of tests is thought to take that never ran here."""
OURS = ("calibration", "companion_app", "deploy", "engine", "models", "tests", "vision")
FORM = ("ruff format --check", "ruff check")
SHOWN = 12


class Minute:
    """Ends a run of pytest when its time is over, and notes what each file of tests took."""

    def __init__(self, seconds: float) -> None:
        self._until_s = time.monotonic() + seconds
        self.took_s: defaultdict[str, float] = defaultdict(float)
        self.begun: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a test took."""
        self.took_s[report.nodeid.partition("::")[0]] += report.duration

    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """Begin no other test after the end of the time."""
        self.begun.add(item.nodeid.partition("::")[0])
        if nextitem is not None and time.monotonic() > self._until_s:
            item.session.shouldstop = "the minute is over"


def changed_files() -> list[str]:
    """Return what differs from the last commit; where nothing does, what that changed."""
    asked = ("diff --name-only HEAD", "ls-files --others --exclude-standard")
    found = [line for words in asked for line in _git(words)]
    return found or list(_git("diff --name-only HEAD~1 HEAD"))


def _git(words: str) -> list[str]:
    return subprocess.check_output(["git", *words.split()], cwd=ROOT, text=True).splitlines()


def reached_by(files: Iterable[str], root: Path = ROOT) -> dict[str, int]:
    """Return the files of tests that a change reaches, each with the steps between."""
    texts = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for folder in OURS
        for path in (root / folder).rglob("*.py")
    }
    importers = _importers(texts)
    steps: dict[str, int] = {}
    ahead = deque((file, 0) for file in files)
    for file, _ in list(ahead):
        if not file.endswith(".py"):
            # The file by its name, and what a test of the page calls the part that it makes.
            for step, word in enumerate((Path(file).name, Path(file).stem), start=1):
                named = re.compile(rf"\b{re.escape(word)}\b")
                ahead += [
                    (path, step)
                    for path, text in texts.items()
                    if (step == 1 or path.startswith("tests/browser/")) and named.search(text)
                ]
        twin = f"test_{Path(file).stem}.py"
        ahead += [(path, 0) for path in texts if path.endswith(f"/{twin}")]
    while ahead:
        file, step = ahead.popleft()
        if step < steps.get(file, step + 1):
            steps[file] = step
            ahead += [(path, step + 1) for path in importers[file]]
    return {file: step for file, step in steps.items() if Path(file).name.startswith("test_")}


def _importers(texts: Mapping[str, str]) -> defaultdict[str, set[str]]:
    """Return for each file those that import it."""
    module_of = {path.removesuffix(".py").removesuffix("/__init__"): path for path in texts}
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for path, text in texts.items():
        for module, names in re.findall(
            r"^\s*(?:from|import) ([\w.]+)(?: import (\([^)]*\)|[^\n]*))?", text, re.MULTILINE
        ):
            place = module.replace(".", "/")
            inside = [f"{place}/{name}" for name in re.findall(r"\w+", names)]
            # A package is meant only where none of its modules is.
            meant = [one for one in inside if one in module_of] or [place]
            for one in meant:
                if one in module_of:
                    importers[module_of[one]].add(path)
    return importers


def in_time(steps: Mapping[str, int], took_s: Mapping[str, float], most_s: float) -> list[str]:
    """Return the files of tests to run, the nearest first and the quick before the slow."""
    chosen, left_s = [], most_s
    for file in sorted(steps, key=lambda one: (steps[one], took_s.get(one, UNKNOWN_S), one)):
        if took_s.get(file, UNKNOWN_S) <= left_s:
            chosen.append(file)
            left_s -= took_s.get(file, UNKNOWN_S)
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files that the command line names, and what they can break."""
    files = [str(Path(one)) for one in (sys.argv[1:] if arguments is None else arguments)]
    files = files or changed_files()
    began_s = time.monotonic()
    code = [file for file in files if file.endswith(".py") and (ROOT / file).exists()]
    wrong = [_said(*words.split(), *code) for words in FORM if code]
    steps = reached_by(files)
    known: dict[str, float] = json.loads(TOOK.read_text("utf-8")) if TOOK.exists() else {}
    chosen = in_time(steps, known, SECONDS - (time.monotonic() - began_s))
    minute = Minute(SECONDS - (time.monotonic() - began_s))
    status = 0
    if chosen:
        status = int(pytest.main(["--quiet", *(str(ROOT / one) for one in chosen)], [minute]))
    TOOK.parent.mkdir(exist_ok=True)
    ran = {file: took_s for file, took_s in minute.took_s.items() if file in chosen}
    TOOK.write_text(json.dumps(known | ran, indent=1, sort_keys=True) + "\n", "utf-8")
    left = sorted(set(steps) - minute.begun, key=lambda file: steps[file])
    _say(f"{len(minute.begun)} of {len(steps)} files of tests that the change reaches have run")
    if left:
        more = f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
        _say(f"not run: {' '.join(left[:SHOWN])}{more}; types and all tests: make test")
    # 2 is what pytest says of a run that was ended, as at the end of the minute.
    return int(any(wrong) or status not in (0, 2, 5))


def _said(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, check=False).returncode


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())

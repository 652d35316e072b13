"""What every test shares: the same random choices, a data folder of its own, times by folder."""

import gc
import io
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from werkzeug.routing import Rule

# One thread for each test process, and for each process that it begins: there are more of them than
# cores, and threads that wait for one another burn the processor.
for library in ("OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"):
    os.environ.setdefault(library, "1")

# The same examples on every machine: what passes tonight passes in CI. There is no deadline, since
# a Pi is slow and that is no fault; and no database, since it would remember one machine's luck.
settings.register_profile("snake-eye", derandomize=True, deadline=None, database=None)
settings.load_profile("snake-eye")


class TimeByFolder:
    """Adds up how long the tests of each folder take, and what was left out for want of what."""

    def __init__(self) -> None:
        self._took_s: defaultdict[str, float] = defaultdict(float)
        self._left_out: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test's set-up, call or tear-down; workers send theirs here."""
        folders = PurePosixPath(report.nodeid.partition("::")[0]).parts[1:-1]
        self._took_s[folders[0] if folders else "tests"] += report.duration
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a whole file of tests that was left out."""
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple):
            self._left_out[report.longrepr[2].removeprefix("Skipped: ")] += 1

    def rows(self) -> list[tuple[str, float]]:
        """Return the folders with their seconds, the longest first."""
        return sorted(self._took_s.items(), key=lambda row: -row[1])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was left out and why, and the times where tests of several folders ran."""
        for reason, count in self._left_out.most_common():
            terminalreporter.write_line(f"Left out {count:5}  {reason}")
        if len(self._took_s) < 2:
            return
        terminalreporter.write_line("Seconds by folder, all test processes together:")
        for folder, took_s in self.rows():
            terminalreporter.write_line(f"{took_s:9.1f}  {folder}")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the time, in the process that prints it."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(TimeByFolder())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs a Raspberry Pi where there is none."""
    model = Path("/proc/device-tree/model")
    if model.exists() and "Raspberry" in model.read_text():
        return
    for item in items:
        if item.get_closest_marker("pi"):
            item.add_marker(pytest.mark.skip(reason="needs a Raspberry Pi"))


def pytest_collection_finish() -> None:
    """Spare the thousands of tests the garbage collector's walk over all that was collected."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests away from the games of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SNAKE_EYE_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session", autouse=True)
def addresses_compiled_once() -> Iterator[None]:
    """Keep what Werkzeug compiles of each address: most of the time that a page takes to begin."""
    compiled, kept = Rule._compile_builder, {}

    def once(rule: Rule, append_unknown: bool = True) -> Any:
        key = (rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown)
        if key not in kept:
            kept[key] = compiled(rule, append_unknown)
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", once)
        yield


class Ran(NamedTuple):
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def documents(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run a command as ``snake-eye`` does."""
    from companion_app.cli.main import main

    def ran(*arguments: object, stdin: str | bytes = "") -> Ran:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = int(stop.code or 0)
        return Ran(status, *capfd.readouterr())

    return ran


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Write a record, or anything as it stands, and return the name of its file."""

    def write_file(document: object, name: str = "record.json") -> str:
        text = document if isinstance(document, str | bytes) else json.dumps(document)
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(tmp_path / name)

    return write_file

"""A run of the tests says how long each folder took."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import TimeByFolder

HOOKS = Path(__file__).with_name("conftest.py")


def run(folder: Path, *options: str) -> list[str]:
    """Run the tests below a folder as ``make test`` does; return what is printed."""
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, check=True, cwd=folder, capture_output=True, timeout=120)
    return done.stdout.decode().splitlines()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with tests in two folders and beside them."""
    for name in ("engine/deep/test_a", "vision/test_b", "test_c"):
        file = tmp_path / "tests" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("def test_it():\n    pass\n")
    (tmp_path / "tests" / "conftest.py").write_text(HOOKS.read_text(encoding="utf-8"))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_every_part_of_a_test_is_added_to_its_folder():
    times = TimeByFolder()
    for file, took_s in (
        ("engine/test_a.py", 2.0),
        ("browser/test_b.py", 0.5),
        ("browser/more/test_c.py", 2.25),
        ("test_d.py", 0.125),
    ):
        nodeid = f"tests/{file}::test_it"
        times.pytest_runtest_logreport(
            pytest.TestReport(nodeid, ("", 0, ""), {}, "passed", None, "call", duration=took_s)
        )

    assert times.rows() == [("browser", 2.75), ("engine", 2.0), ("tests", 0.125)]


@pytest.mark.parametrize("options", [(), ("--numprocesses", "2", "--dist", "worksteal")])
def test_time_is_told_by_folder_before_the_closing_line(project, options):
    printed = run(project, *options)

    rows = [row.split() for row in printed if re.fullmatch(r" +\d+\.\d  \w+", row)]
    assert {name for _, name in rows} == {"engine", "vision", "tests"}
    assert re.fullmatch(r"3 passed in [\d.]+s", printed[-1])


def test_tests_of_one_folder_are_told_no_times(project):
    printed = run(project, "tests/vision")

    assert not any("by folder" in line for line in printed)
    assert re.fullmatch(r"1 passed in [\d.]+s", printed[-1])

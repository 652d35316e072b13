"""The house rules: dependencies with reasons, locks with hashes, the promised commands, READMEs."""

import json
import os
import re
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LOCKS = ("requirements/run.lock", "requirements/dev.lock", "requirements/hall.lock")
TARGETS = (
    "setup",
    "run",
    "hall",
    "check",
    "size",
    "test",
    "bench",
    "evaluate",
    "pictures",
    "release",
    "lock",
    "clean",
)
FOLDERS = ("engine", "calibration", "vision", "models", "companion_app", "deploy", "docs", "tests")
ONE_SCREEN_LINES = 60
MOST_UNFORMATTED = 40


@dataclass(frozen=True, slots=True)
class Locked:
    """One library in a lock: an exact version and the files that may be it."""

    name: str
    version: str
    marker: str | None
    """Where it is needed; everywhere when ``None``."""

    hashes: frozenset[str]


# --- Dependencies and their reasons ---


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def requirements_in(pyproject: str) -> dict[str, list[str]]:
    """Return all requirement lines of a ``pyproject.toml`` by where they stand."""
    settings = tomllib.loads(pyproject)
    return {
        "build-system": settings.get("build-system", {}).get("requires", []),
        "run": settings["project"].get("dependencies", []),
        **settings["project"].get("optional-dependencies", {}),
        **settings.get("dependency-groups", {}),
    }


def without_reason(pyproject: str) -> list[str]:
    """Return the requirements that have no comment of at least two words on their line."""
    every = {line for lines in requirements_in(pyproject).values() for line in lines}
    reasoned = re.compile(r'^\s*"(?P<line>[^"]+)",?\s*# \S+ \S+', re.MULTILINE)
    written = [match["line"] for match in reasoned.finditer(pyproject)]
    return sorted(line for line in every if line not in written)


def test_every_dependency_has_its_reason_beside_it():
    assert without_reason(text_of("pyproject.toml")) == []


def test_dependency_without_a_reason_is_found():
    pyproject = """
[project]
dependencies = [
    "flask>=3", # the page
    "numpy>=2",
    "tqdm>=4", #
]
"""

    assert without_reason(pyproject) == ["numpy>=2", "tqdm>=4"]


def test_every_dependency_has_a_lowest_version():
    lines = requirements_in(text_of("pyproject.toml"))

    bare = [line for group in lines.values() for line in group if ">=" not in line]

    assert bare == []


# --- Locks ---


def read_lock(text: str) -> dict[str, Locked]:
    """Return what a lock holds, by name.

    Raises:
        ValueError: at a line that is neither a comment, a pinned library nor a hash.
    """
    libraries: dict[str, Locked] = {}
    for entry in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        if not entry.strip() or entry.strip().startswith("#"):
            continue
        match = re.fullmatch(
            r"(?P<name>[a-z0-9-]+)==(?P<version>[0-9a-z.]+)"
            r"(?: ; (?P<marker>.*?))?(?P<hashes>(?: --hash=sha256:[0-9a-f]{64})+)",
            entry,
        )
        if match is None:
            raise ValueError(f"not a pinned library with its hashes: {entry[:100]!r}")
        libraries[match["name"]] = Locked(
            match["name"], match["version"], match["marker"], frozenset(match["hashes"].split())
        )
    return libraries


def lock_of(name: str) -> dict[str, Locked]:
    return read_lock(text_of(name))


HASH = "--hash=sha256:" + "0" * 64


def test_lock_is_read_with_versions_markers_and_hashes():
    lock = read_lock(
        f"# made by us\nflask==3.1 ; sys_platform == 'linux' \\\n    {HASH}\n    # via\n"
    )

    assert lock == {"flask": Locked("flask", "3.1", "sys_platform == 'linux'", frozenset([HASH]))}


@pytest.mark.parametrize(
    "line",
    [
        "flask==3.1",
        f"flask>=3.1 {HASH}",
        "flask==3.1 --hash=md5:0",
        f"flask @ file:///wheels/flask.whl {HASH}",
        "--index-url somewhere",
        "-r other.txt",
    ],
)
def test_line_that_pins_nothing_is_refused(line):
    with pytest.raises(ValueError, match="not a pinned library"):
        read_lock(line)


@pytest.mark.parametrize("name", LOCKS)
def test_lock_has_hashes_and_no_address(name):
    assert lock_of(name)
    assert "://" not in text_of(name)


def test_no_lock_repeats_what_a_game_needs_and_all_agree():
    run, dev, hall = (lock_of(name) for name in LOCKS)

    assert not run.keys() & (dev.keys() | hall.keys())
    shared = dev.keys() & hall.keys()
    assert {name: dev[name].version for name in shared} == {
        name: hall[name].version for name in shared
    }


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (LOCKS[:1], ("run", "build")),
        (LOCKS[:2], ("run", "build", "dev")),
        (LOCKS[::2], ("run", "build", "hall")),
    ],
)
def test_locks_hold_what_pyproject_asks_for(names, groups):
    lock = {library: one for name in names for library, one in lock_of(name).items()}
    lines = requirements_in(text_of("pyproject.toml"))

    for requirement in (Requirement(line) for group in groups for line in lines[group]):
        locked = lock[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(locked.version), requirement
        assert bool(locked.marker) == bool(requirement.marker), requirement


def test_what_a_game_needs_brings_no_tools_along():
    dev_only = {
        Requirement(line).name for line in requirements_in(text_of("pyproject.toml"))["dev"]
    }

    # onnxruntime needs this one too.
    dev_only.discard("packaging")

    assert dev_only.isdisjoint(lock_of(LOCKS[0]))


@pytest.mark.parametrize("name", LOCKS)
def test_what_depends_on_the_machine_is_not_locked(name):
    assert {"torch", "picamera2"}.isdisjoint(lock_of(name))


# --- Commands ---


def planned_by_make(folder: Path, target: str) -> str:
    """Return what ``make`` would do for a target in a fresh clone, without doing it."""
    for name in ("Makefile", "pyproject.toml", "package.json", "package-lock.json", *LOCKS):
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text_of(name), encoding="utf-8")
    return run_in(folder, ["make", "--dry-run", target]).stdout


def run_in(
    folder: Path, command: list[str], programs: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command with ``programs``, name and shell script, in place of the real ones."""
    stand_ins = folder / "stand-ins"
    stand_ins.mkdir(exist_ok=True)
    for name, script in (programs or {}).items():
        (stand_ins / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (stand_ins / name).chmod(0o755)
    # What an outer `make` left behind would change what the inner one does.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    kept.pop("SNAKE_EYE_SHARED", None)
    kept["PATH"] = f"{stand_ins}:{kept['PATH']}"
    return subprocess.run(
        command, cwd=folder, env=kept, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("target", TARGETS)
def test_makefile_has_the_promised_target(target):
    assert re.search(rf"^{target}:", text_of("Makefile"), re.MULTILINE)


def test_run_sets_up_what_a_game_needs_and_no_more(tmp_path):
    plan = planned_by_make(tmp_path, "run")

    assert "-r requirements/run.lock" in plan
    assert "requirements/dev.lock" not in plan
    assert "requirements/hall.lock" not in plan
    assert ".venv/bin/snake-eye run" in plan


def test_hall_sets_up_what_it_needs_beyond_a_game(tmp_path):
    plan = planned_by_make(tmp_path, "hall")

    assert "-r requirements/run.lock" in plan
    assert "-r requirements/hall.lock" in plan
    assert ".venv/bin/snake-eye hall --demo 12" in plan


def test_test_runs_every_check_and_every_test(tmp_path):
    plan = planned_by_make(tmp_path, "test")

    for part in ("run.lock", "dev.lock", "ruff format --check .", "ruff check .", "mypy", "pytest"):
        assert part in plan
    assert "prettier" in plan


def test_lock_of_the_javascript_tools_names_no_registry():
    lock = json.loads(text_of("package-lock.json"))

    assert [name for name, one in lock["packages"].items() if "resolved" in one] == []
    assert all("integrity" in one for name, one in lock["packages"].items() if name)


def test_few_places_are_left_out_of_formatting():
    skipped = re.compile(r"#\s*fmt: (?:skip|off)")
    lines = [
        line
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if skipped.search(line)
    ]

    assert len(lines) <= MOST_UNFORMATTED


def test_no_recipe_of_make_passes_over_a_failure():
    # A dash before a command, or `|| ...` after it, would hide that it failed.
    makefile = text_of("Makefile")
    hiding = re.findall(r"^\t@?-.*", makefile, re.MULTILINE)
    for target in ("test", "suite", "check"):
        recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)*)", makefile, re.MULTILINE)
        assert recipe is not None
        hiding += [line for line in recipe[1].splitlines() if "||" in line]

    assert hiding == []


@pytest.mark.parametrize("status", [0, 3])
def test_ci_is_make_test_and_ends_as_it_does(tmp_path, status):
    script = tmp_path / "project/.ci/run"
    script.parent.mkdir(parents=True)
    script.write_text(text_of(".ci/run"), encoding="utf-8")
    (tmp_path / "shared").mkdir()
    make = f'echo "make $* in $PWD with $SNAKE_EYE_SHARED"; exit {status}'

    ran = run_in(tmp_path, ["bash", str(script)], {"make": make})

    assert ran.stdout == f"make test in {tmp_path}/project with {tmp_path}/shared\n"
    assert ran.returncode == status


@pytest.mark.parametrize("name", [".ci/run", "deploy/system-packages.sh", "deploy/make-venv.sh"])
def test_script_can_be_called(name):
    assert os.access(ROOT / name, os.X_OK)


# --- Packages of the system ---

SYSTEM_PACKAGES = str(ROOT / "deploy/system-packages.sh")


def test_what_is_there_is_not_installed_again(tmp_path):
    ran = run_in(tmp_path, [SYSTEM_PACKAGES, "true", "chromium"], {"apt-get": "exit 9"})

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_what_is_missing_is_installed_by_root(tmp_path):
    programs = {"id": "echo 0", "apt-get": 'echo "$*" >> asked; touch "$PWD/chromium"'}

    ran = run_in(tmp_path, [SYSTEM_PACKAGES, "test -e chromium", "chromium"], programs)

    assert ran.returncode == 0
    assert (tmp_path / "asked").read_text().splitlines() == [
        "-qq update",
        "-qq install --yes --no-install-recommends chromium",
    ]


def test_user_who_may_not_install_is_told_what_to_type(tmp_path):
    programs = {"id": "echo 1000", "sudo": "exit 1", "apt-get": "exit 9"}

    ran = run_in(tmp_path, [SYSTEM_PACKAGES, "false", "python3", "python3-venv"], programs)

    assert ran.returncode == 1
    assert ran.stderr == (
        "Snake Eye needs python3 python3-venv; "
        "type: sudo apt-get install --yes python3 python3-venv\n"
    )


def test_installation_that_did_not_help_is_an_error(tmp_path):
    programs = {"id": "echo 0", "apt-get": "true"}

    ran = run_in(tmp_path, [SYSTEM_PACKAGES, "test -e chromium", "chromium"], programs)

    assert ran.returncode == 1
    assert "this still fails: test -e chromium" in ran.stderr


# --- Folders ---


@pytest.mark.parametrize("folder", FOLDERS)
def test_folder_states_its_law_on_one_screen(folder):
    readme = text_of(f"{folder}/README.md")

    assert len(readme.splitlines()) <= ONE_SCREEN_LINES
    assert "import" in readme


def test_licence_is_mit():
    assert text_of("LICENSE").startswith("MIT License\n")
    assert "Snake Eye contributors" in text_of("LICENSE")

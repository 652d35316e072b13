"""The wheel has all that it needs: built, installed apart from the checkout, run from nowhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PARTS = (
    "engine",
    "calibration",
    "vision",
    "models",
    "companion_app",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)
LARGEST_WHEEL = 17_000_000
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def run(*command: str | Path, at: Path) -> str:
    ran = subprocess.run(
        command,
        cwd=at,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(at), "SNAKE_EYE_HOME": str(at / "home")},
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel of this checkout, built in a copy of it: nothing is left behind here."""
    copy = tmp_path_factory.mktemp("source")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, copy / name)
    run(
        *PIP,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        copy / "out",
        copy,
        at=copy,
    )
    (made,) = (copy / "out").glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment of its own that has the wheel, and sees our libraries."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    # A path that is named here is only looked through: what it says itself about paths, such as
    # where this checkout lies, does not count.
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    run(
        *PIP,
        "--python",
        folder / "bin/python",
        "install",
        "--no-deps",
        "--no-index",
        wheel,
        at=folder,
    )
    return folder


@pytest.fixture
def command(installed: Path) -> Path:
    return installed / "bin" / "snake-eye"


def test_wheel_has_this_version_and_the_guide_with_its_pictures(wheel):
    assert wheel.name == f"snake_eye-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()

    for folder in ("en/*.md", "de/*.md", "pictures/*.webp"):
        for file in (ROOT / "docs").glob(folder):
            assert f"companion_app/guide/{file.relative_to(ROOT / 'docs')}" in names
    left_out = ("docs/", "tests/", "deploy/", "models/lab/")
    assert not [name for name in names if name.startswith(left_out)]
    assert wheel.stat().st_size <= LARGEST_WHEEL


def test_command_says_its_version_from_an_empty_folder(command, tmp_path):
    assert run(command, "--version", at=tmp_path) == f"snake-eye {VERSION}\n"


def test_code_of_the_wheel_runs_and_not_that_of_the_checkout(installed, tmp_path):
    told = run(
        installed / "bin/python",
        "-c",
        "import companion_app, models, vision; "
        "print(companion_app.__file__, models.__file__, vision.__file__)",
        at=tmp_path,
    )

    assert all(place.startswith(str(installed)) for place in told.split())


def test_written_game_is_refereed_and_a_photo_read(command, tmp_path):
    record = run(
        command, "referee", ROOT / "tests/examples/two_players.json", "--json", at=tmp_path
    )
    table = run(
        command,
        "read",
        ROOT / "tests/examples/table.jpg",
        "--game",
        "schlangennest",
        "--json",
        at=tmp_path,
    )

    assert all(move["legal"] for move in json.loads(record)["moves"])
    assert json.loads(table)["tiles"]


def test_guide_is_found_where_it_was_installed(installed, tmp_path):
    told = run(
        installed / "bin/python",
        "-c",
        "from companion_app.web.guide import chapter; print(chapter('de', 'light').html)",
        at=tmp_path,
    )

    assert "<h1>Licht</h1>" in told


def test_newest_release_of_the_changelog_is_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", text, re.MULTILINE)

    assert releases[0][0] == VERSION
    assert [name for name, _ in releases][-1] == "0.1.0"
    assert [day for _, day in releases] == sorted((day for _, day in releases), reverse=True)
    assert len(releases) == text.replace("\n## Unreleased\n", "", 1).count("\n## ")

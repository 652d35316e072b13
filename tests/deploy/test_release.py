"""A release can be checked: archive and wheel of one version, its parts, its sums, signed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.deploy.test_scripts import DEPLOY, have, made_key

PROJECT = """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "snake-eye"
version = "9.8.7"

[tool.setuptools.packages.find]
include = ["engine*"]
"""
LOCK = f"flask==3.1.3 \\\n    --hash=sha256:{'0' * 64}\n"
FILES = ("snake-eye-9.8.7.tar.gz", "snake_eye-9.8.7-py3-none-any.whl", "snake-eye-9.8.7.cdx.json")


REPORT = "**Moves lost in all: 0.**\n"


def git(at: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *who, *arguments], cwd=at, check=True, capture_output=True)


@pytest.fixture(scope="module")
def released(tmp_path_factory) -> tuple[Path, Path]:
    """Return what a release of a small project wrote, and the public key it is signed by."""
    have("minisign", "minisign")
    pytest.importorskip("cyclonedx_py", reason="cyclonedx-bom writes the list of parts")
    root = tmp_path_factory.mktemp("project")
    for name in ("engine", "deploy", "requirements"):
        (root / name).mkdir()
    (root / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (root / "engine/__init__.py").write_text("", encoding="utf-8")
    (root / "requirements/run.lock").write_text(LOCK, encoding="utf-8")
    shutil.copy(DEPLOY / "make-release.sh", root / "deploy")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "all of it")
    (root / "engine/not_committed.py").write_text("", encoding="utf-8")
    (root / "build/soak").mkdir(parents=True)
    (root / "build/soak/REPORT.md").write_text(REPORT + "![seen](seen.jpg)\n", encoding="utf-8")
    key = made_key(tmp_path_factory.mktemp("keys"), "maintainer")
    subprocess.run(
        [root / "deploy/make-release.sh", "dist", key],
        cwd=root,
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHON": sys.executable, "ARCHITECTURES": ""},
    )
    return root / "dist", key.with_suffix(".pub")


def test_archive_and_wheel_hold_what_is_committed_and_no_more(released):
    out, _ = released
    with tarfile.open(out / FILES[0]) as archive:
        packed = archive.getnames()
    with zipfile.ZipFile(out / FILES[1]) as wheel:
        installed = wheel.namelist()

    assert "snake-eye-9.8.7/pyproject.toml" in packed
    assert "engine/__init__.py" in installed
    assert not [name for name in (*packed, *installed) if "not_committed" in name]


def test_list_of_parts_names_each_library_with_its_version(released):
    out, _ = released
    parts = json.loads((out / FILES[2]).read_text(encoding="utf-8"))

    assert parts["bomFormat"] == "CycloneDX"
    assert parts["metadata"]["component"]["version"] == "9.8.7"
    assert [part["purl"] for part in parts["components"]] == ["pkg:pypi/flask@3.1.3"]


def test_sums_are_those_of_all_files(released):
    out, _ = released
    sums = (out / "SHA256SUMS").read_text(encoding="utf-8").splitlines()

    assert sums == [
        f"{hashlib.sha256((out / name).read_bytes()).hexdigest()}  {name}"
        for name in (*FILES, "soak.md")
    ]


def test_reports_of_what_was_counted_lie_beside_it_without_their_pictures(released):
    out, _ = released

    assert (out / "soak.md").read_text(encoding="utf-8") == REPORT
    assert not (out / "fuzz.md").exists()


def test_sums_are_signed(released):
    out, key = released

    subprocess.run(
        ["minisign", "-V", "-q", "-p", key, "-m", out / "SHA256SUMS"],
        check=True,
        capture_output=True,
    )

"""Releases are signed: unsigned ones, other keys, changed files and older versions are refused."""

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.deploy.test_scripts import DEPLOY, have, made_key


def release(path: Path, version: str = "1.2.0") -> Path:
    data = f'[project]\nname = "snake-eye"\nversion = "{version}"\n'.encode()
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo(f"snake-eye-{version}/pyproject.toml")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return path


@pytest.fixture(scope="module")
def secrets(tmp_path_factory):
    have("minisign", "minisign")
    folder = tmp_path_factory.mktemp("secrets")
    made_key(folder, "maintainer")
    made_key(folder, "stranger")
    return folder


@pytest.fixture
def keys(tmp_path, secrets):
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/maintainer.pub").write_bytes((secrets / "maintainer.pub").read_bytes())
    return tmp_path / "keys"


def sign(file: Path, key: Path) -> None:
    subprocess.run(["minisign", "-S", "-W", "-s", key, "-m", file], check=True, capture_output=True)


def checked(file: Path, keys: Path, runs: str = "1.1.0", *options: str) -> tuple[int, str]:
    said = subprocess.run(
        [DEPLOY / "check-release.sh", *options, file, keys, runs],
        capture_output=True,
        text=True,
        check=False,
    )
    return said.returncode, said.stdout + said.stderr


def test_signed_release_is_taken_and_its_signer_named(tmp_path, keys, secrets):
    file = release(tmp_path / "snake-eye-1.2.0.tar.gz")
    sign(file, secrets / "maintainer.key")

    assert checked(file, keys) == (0, "snake-eye-1.2.0.tar.gz is signed by maintainer.\n")
    assert checked(file, keys, "1.2.0")[0] == 0
    assert checked(file, keys, "")[0] == 0


def test_unsigned_release_is_refused_unless_told_knowingly(tmp_path, keys):
    file = release(tmp_path / "snake-eye-1.2.0.tar.gz")

    status, said = checked(file, keys)

    assert status == 1
    assert "is not signed" in said
    assert checked(file, keys, "1.1.0", "--unsigned")[0] == 0


def test_release_that_a_stranger_signed_is_refused(tmp_path, keys, secrets):
    file = release(tmp_path / "snake-eye-1.2.0.tar.gz")
    sign(file, secrets / "stranger.key")

    status, said = checked(file, keys)

    assert status == 1
    assert "signed by nobody whose key lies" in said


def test_release_changed_after_it_was_signed_is_refused(tmp_path, keys, secrets):
    file = release(tmp_path / "snake-eye-1.2.0.tar.gz")
    sign(file, secrets / "maintainer.key")
    release(file, "1.3.0")

    assert checked(file, keys)[0] == 1


def test_signature_of_another_release_is_refused(tmp_path, keys, secrets):
    old, new = release(tmp_path / "old.tar.gz", "1.1.0"), release(tmp_path / "new.tar.gz")
    sign(old, secrets / "maintainer.key")
    (tmp_path / "new.tar.gz.minisig").write_bytes((tmp_path / "old.tar.gz.minisig").read_bytes())

    assert checked(new, keys)[0] == 1


def test_machine_that_trusts_nobody_takes_nothing(tmp_path, secrets):
    file = release(tmp_path / "snake-eye-1.2.0.tar.gz")
    sign(file, secrets / "maintainer.key")

    assert checked(file, tmp_path / "no-keys")[0] == 1


@pytest.mark.parametrize(
    ("version", "runs"), [("1.2.0", "1.10.0"), ("0.9.9", "1.0.0"), ("1.2.0", "1.2.1")]
)
def test_older_release_is_refused_unless_told_knowingly(tmp_path, keys, secrets, version, runs):
    file = release(tmp_path / f"snake-eye-{version}.tar.gz", version)
    sign(file, secrets / "maintainer.key")

    status, said = checked(file, keys, runs)

    assert status == 1
    assert f"older than {runs}" in said
    assert checked(file, keys, runs, "--downgrade")[0] == 0
    assert checked(file, keys, runs, "--unsigned")[0] == 1


def test_version_counts_in_the_release_and_not_in_its_name(tmp_path, keys, secrets):
    file = release(tmp_path / "snake-eye-9.9.9.tar.gz", "0.1.0")
    sign(file, secrets / "maintainer.key")

    assert checked(file, keys, "1.0.0")[0] == 1


@pytest.mark.parametrize("data", [b"", b"no archive", b"\x1f\x8b\x08\x00"])
def test_what_is_no_release_is_refused(tmp_path, keys, data):
    file = tmp_path / "snake-eye-1.2.0.tar.gz"
    file.write_bytes(data)

    assert checked(file, keys, "1.0.0", "--unsigned")[0] == 1


def test_update_checks_before_it_unpacks_or_changes_anything():
    steps = (DEPLOY / "update.sh").read_text(encoding="utf-8")

    order = [
        steps.index(text)
        for text in (
            '"$here/check-release.sh" $knowingly',
            'tar -C "$work/release"',
            '"$2" backup "$3"',
            'if ! "$source/deploy/install.sh"',
        )
    ]
    assert order == sorted(order)
    assert '-xzf "$copy"' in steps

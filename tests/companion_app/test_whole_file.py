"""A file is written in one step, or not at all."""

import os
import stat

import pytest

from companion_app.whole_file import write_whole


@pytest.mark.parametrize(("data", "there"), [("ä\n", b"\xc3\xa4\n"), (b"\x00\xff", b"\x00\xff")])
def test_a_file_takes_the_place_of_the_old_one(tmp_path, data, there):
    file = tmp_path / "kept.json"
    file.write_text("old")

    write_whole(file, data)

    assert file.read_bytes() == there
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path):
    file = tmp_path / "kept.json"
    file.write_text("old")
    (tmp_path / "kept.new").mkdir()

    with pytest.raises(OSError):
        write_whole(file, "new")

    assert file.read_text() == "old"


def test_a_disk_that_fills_up_leaves_no_half_file(tmp_path, monkeypatch):
    file = tmp_path / "kept.json"

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(file, "new")

    assert list(tmp_path.iterdir()) == []


def test_a_file_with_secrets_is_for_its_owner_alone(tmp_path):
    write_whole(tmp_path / "pin.json", "{}", 0o600)

    assert stat.S_IMODE((tmp_path / "pin.json").stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write for others")
def test_a_file_that_root_writes_belongs_to_the_owner_of_its_folder(tmp_path):
    os.chown(tmp_path, 1234, 2345)

    write_whole(tmp_path / "page.json", "{}")

    found = (tmp_path / "page.json").stat()
    assert (found.st_uid, found.st_gid) == (1234, 2345)

"""Backup and restore from the page: made, brought back by parts, refused with a reason."""

from __future__ import annotations

import io
import resource
import zipfile
from pathlib import Path

import pytest

from companion_app.backup import BY_PAGE, TAKEN_IN
from companion_app.hands.errors import TooMuch
from companion_app.live.store import FILE, Store
from companion_app.web.speech import LANGUAGES
from tests.companion_app.web.conftest import Played


@pytest.fixture
def kept(tmp_path):
    """Return a desk whose home has room beside it."""
    table = Played(tmp_path / "home")
    yield table
    table.desk.close()
    table.store.close()


def send(host, at: int, data: bytes):
    """Send one part of a backup; return the response."""
    return host.client.post(
        f"/api/backup/part?at={at}",
        data=data,
        content_type="application/octet-stream",
        headers={"X-Snake-Eye": host.token},
    )


def bring(host, data: bytes, part: int = 700):
    for at in range(0, len(data), part):
        assert send(host, at, data[at : at + part]).status_code == 200


def taken_in(kept: Played) -> Path:
    """Return where the parts are put together."""
    return kept.companion.home / BY_PAGE / TAKEN_IN


def made(host) -> bytes:
    assert host.post("/api/backup").get_json()["bytes"] > 0
    with host.client.get("/api/backup.zip") as answer:
        return bytes(answer.data)


def test_a_backup_is_made_fetched_and_restored_and_the_pin_stays(kept, script, tmp_path):
    kept.begin(script.record)
    kept.play(script.record)
    key = kept.desk.match.key
    host = kept.host()
    data = made(host)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert FILE in archive.namelist()
        assert not any(name.startswith(BY_PAGE) for name in archive.namelist())
    begun_again = []
    kept.eye.end_eye = lambda: begun_again.append("eye")
    own = (tmp_path / "home" / "page.json").read_bytes()

    bring(host, data, part=max(1, len(data) // 3))
    done = host.post("/api/backup/restore")

    assert done.status_code == 200, done.get_json()
    assert done.get_json()["files"] > 0
    assert begun_again == ["eye"]
    with Store(tmp_path / "home") as store:
        assert key in store.games()
    assert (tmp_path / "home.before-restore-1").is_dir()
    assert not (tmp_path / "home.before-restore-1" / BY_PAGE).exists()
    assert (tmp_path / "home" / "page.json").read_bytes() == own


def test_nothing_is_restored_while_a_game_is_on(kept, script):
    kept.begin(script.record)
    host = kept.host()
    bring(host, made(host), part=1 << 20)

    refused = host.post("/api/backup/restore")

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (409, "restore-game")
    assert not taken_in(kept).exists()
    kept.play(script.record, 1)
    assert len(kept.desk.match.accepted) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_that_is_no_backup_is_refused_without_a_path_and_nothing_changes(kept, language):
    host = kept.host()
    bring(host, b"no backup")

    refused = host.post(f"/api/backup/restore?lang={language}")

    said = refused.get_json()["error"]
    assert (refused.status_code, said["code"], said["detail"]) == (422, "bad-backup", "")
    assert "/" not in said["text"]
    assert kept.store.games() == []


def test_a_part_that_does_not_follow_the_last_one_is_refused(kept):
    host = kept.host()
    bring(host, b"begun")

    late = send(host, 99, b"x")

    assert late.get_json()["error"]["code"] == "backup-parts"
    assert taken_in(kept).read_bytes() == b"begun"


def test_parts_are_refused_and_deleted_before_the_game_has_no_room(kept, monkeypatch):
    host = kept.host()
    bring(host, b"begun")
    monkeypatch.setattr("companion_app.restore.SPARE_BYTES", 1 << 60)

    refused = send(host, len(b"begun"), b"more")

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (507, "backup-no-room")
    assert not taken_in(kept).exists()


def test_part_that_is_cut_off_by_the_disk_leaves_nothing(kept):
    host = kept.host()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
    try:
        cut_off = send(host, 0, bytes(2 << 20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert cut_off.status_code >= 500
    assert not taken_in(kept).exists()


def test_nothing_of_a_backup_is_checked_in_the_tables_own_process(kept, tmp_path, monkeypatch):
    kept.store.append("g1", "started", {"game": "schlangennest"})
    host = kept.host()
    data = made(host)
    bring(host, data, part=1 << 20)
    for check in ("_checked", "_unpack", "check_games", "leave_out_unusable"):
        monkeypatch.setattr(f"companion_app.restore.{check}", lambda *_: pytest.fail("here"))

    done = host.post("/api/backup/restore")

    assert done.status_code == 200, done.get_json()
    with Store(tmp_path / "home") as store:
        assert store.games() == ["g1"]


def test_backup_that_is_too_much_for_a_worker_changes_nothing(kept, tmp_path, monkeypatch):
    host = kept.host()
    bring(host, b"a backup made to harm")
    beside = tmp_path / "home.restoring-cut-off"

    def too_much(*_):
        beside.mkdir()
        raise TooMuch("restore")

    monkeypatch.setattr("companion_app.eye.commands.done_apart", too_much)

    refused = host.post("/api/backup/restore")

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (413, "hands-much")
    assert not beside.exists()
    assert kept.store.games() == []

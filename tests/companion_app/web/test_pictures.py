"""Kept pictures: never more than the owner has room for; a full disk loses no game."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from errno import ENOSPC

import pytest

from companion_app.eye.desk import Desk
from companion_app.live.store import Store, _said
from companion_app.web.app import create_app
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.speech import LANGUAGES, Speech
from tests.companion_app.web.conftest import Guest
from tests.near import near_companion


def with_pictures(played, script, count, size=400_000):
    played.begin(script.record)
    for move in script.record.moves[:count]:
        played.desk.match.accept((move,), picture=os.urandom(size))


def kept(played):
    return sum(
        len(played.store.picture(one.seq, "after") or b"") for one in played.desk.match.accepted
    )


def test_the_oldest_pictures_go_when_the_room_is_used_up(played, script):
    with_pictures(played, script, 5)

    played.host().post("/api/settings", {"pictures_mb": 1})

    accepted = played.desk.match.accepted
    assert kept(played) == 800_000
    assert played.store.picture(accepted[0].seq, "after") is None
    assert played.store.picture(accepted[4].seq, "after") is not None
    assert len(accepted) == 5


def test_every_verdict_keeps_to_the_limit(played, script):
    with_pictures(played, script, 1)
    played.host().post("/api/settings", {"pictures_mb": 1})
    for move in script.record.moves[1:4]:
        played.desk.match.accept((move,), picture=os.urandom(400_000))

    played.lay(script.record.moves[4])

    assert kept(played) <= 1_000_000


def test_without_room_no_picture_is_kept(played, script):
    with_pictures(played, script, 2)

    played.host().post("/api/settings", {"pictures_mb": 0})

    assert kept(played) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_full_disk_is_said_in_every_language(played, script, language, tmp_path):
    played.begin(script.record)
    full = _said(OSError(ENOSPC, "No space left on device"), tmp_path)

    played.desk.emit({"event": "trouble", "text": str(full), "t": 0.0})

    trouble = played.guest().get(f"/api/state?lang={language}")["trouble"]
    assert trouble == Speech(language, {}).page("trouble-disk-full")


@pytest.fixture
def small_disk(tmp_path):
    """Return a folder on a disk of 2 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_is_said_clearly_and_loses_nothing(small_disk, tmp_path, script):
    store = Store(small_disk)
    desk = Desk(store)
    settings = SettingsFile(tmp_path / "page.json")
    settings.change_pin("424242")
    app = create_app(near_companion(desk, settings)[0])
    match = desk.begin(replace(script.record, moves=()))
    host = Guest(app.test_client()).be_host()
    match.accept(script.record.moves[:3])
    filler = small_disk / "filler"
    with filler.open("wb") as file, pytest.raises(OSError, match="space"):
        while True:
            file.write(bytes(65536))
            file.flush()

    refused = host.post("/api/undo")

    assert refused.status_code == 507
    assert refused.get_json()["error"]["code"] == "not-kept"
    assert "full" in refused.get_json()["error"]["detail"]
    assert len(host.get("/api/state")["moves"]) == 3
    filler.unlink()
    assert host.post("/api/undo").status_code == 200
    assert len(host.get("/api/state")["moves"]) == 2
    desk.close()
    store.close()

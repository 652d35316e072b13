"""Backup and restore: what went in comes out, and a file made to harm changes nothing."""

import json
import resource
import sqlite3
import stat
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion_app import backup as backups
from companion_app.backup import BackupError, make_backup
from companion_app.games.entries import Line, written
from companion_app.live.store import Store
from companion_app.restore import restore_backup
from companion_app.web.serving.page_file import SettingsFile
from models.teaching.store import game_file
from tests.companion_app.live.of_1_0_0 import keep_as_1_0_0

OWN_PAGE = {"secret": "ab" * 32, "pin_hash": f"scrypt$16384${'0' * 32}${'0' * 64}"}
MINE = game_file("mine", "schlangennest")
LOG_LINE = "INSERT INTO log VALUES (9, 'g1', 'move', '{}')"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a folder with a game of two moves, a taught set and the page's own file."""
    folder = tmp_path / "home"
    with Store(folder) as store:
        store.append("g1", "started", {"game": "schlangennest"})
        store.append("g1", "move", {"n": 1}, {"after": b"jpeg"})
    (folder / "sets").mkdir()
    (folder / "sets/mine.toml").write_text(MINE, encoding="utf-8")
    (folder / "page.json").write_text(json.dumps(OWN_PAGE), encoding="utf-8")
    return folder


@pytest.fixture
def backup(home: Path, tmp_path: Path) -> Path:
    file = tmp_path / "games.zip"
    make_backup(home, file)
    return file


def moves(folder: Path) -> list[str]:
    with Store(folder) as store:
        return [line.kind for line in store.lines("g1")]


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# --- What goes in comes out ---


def test_what_was_backed_up_comes_back(home, backup, tmp_path):
    other = tmp_path / "other"

    restored = restore_backup(other, backup, with_secrets=True)

    assert (restored.files, restored.kept, restored.left_out) == (4, None, ())
    assert moves(other) == ["started", "move"]
    assert (other / "sets/mine.toml").read_text() == MINE
    assert json.loads((other / "page.json").read_text()) == OWN_PAGE


def test_nobody_becomes_host_of_another_machine_by_a_backup(home, backup, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    own = {"page.json": '{"secret": "this machine"}', "sessions.json": "{}"}
    for name, text in own.items():
        (other / name).write_text(text)
    (home / "sessions.json").write_text("{}")
    (home / "snake-eye.toml").write_text("[mqtt]\nhost = 'elsewhere.example'\n")
    backup.unlink()
    make_backup(home, backup)

    restored = restore_backup(other, backup)

    assert restored.own
    assert {name: (other / name).read_text() for name in own} == own
    assert not (other / "snake-eye.toml").exists()
    assert stat.S_IMODE((other / "page.json").stat().st_mode) == 0o600
    assert moves(other) == ["started", "move"]


def with_a_hall(home: Path, key: str) -> None:
    (home / "hall-table").mkdir(parents=True)
    (home / "hall-table/hall.json").write_text(key)


@pytest.mark.parametrize(
    ("own", "with_secrets", "left"),
    [("mine", False, "mine"), (None, False, None), ("mine", True, "theirs")],
)
def test_table_stays_in_its_hall_and_takes_nobody_elses_place(
    own, with_secrets, left, home, tmp_path
):
    with_a_hall(home, "theirs")
    make_backup(home, tmp_path / "b.zip")
    other = tmp_path / "other"
    if own is not None:
        with_a_hall(other, own)

    restore_backup(other, tmp_path / "b.zip", with_secrets=with_secrets)

    hall = other / "hall-table/hall.json"
    assert (hall.read_text() if hall.exists() else None) == left


@pytest.mark.parametrize("with_secrets", [False, True])
def test_phones_trust_the_machine_after_a_restore_as_before(with_secrets, home, backup):
    (home / "tls").mkdir()
    (home / "tls/authority.pem").write_text("trusted")

    restore_backup(home, backup, with_secrets=with_secrets)

    assert (home / "tls/authority.pem").read_text() == "trusted"


def test_machine_without_a_pin_gets_none_from_a_backup(backup, tmp_path):
    restore_backup(tmp_path / "other", backup)

    assert not (tmp_path / "other/page.json").exists()
    assert SettingsFile(tmp_path / "other/page.json", pin_cost=2).made_pin is not None


UNUSABLE = {
    "sets/evil.json": b'{"format": ' + b"9" * 5000 + b"}",
    "sets/evil.toml": b"name = 'evil'\n",
    "corrections/evil.json": b'{"photos": {"../../page.json": [{"tile": "x"}]}}',
    "profiles/evil.json": b"[" * 100_000,
    "lesson/lesson.json": b'{"shape": "square"}',
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_cannot_be_used_is_left_out_and_named(name, home, backup):
    harm = rebuilt(backup, with_file(name, UNUSABLE[name]))

    restored = restore_backup(home, harm)

    assert [one.partition(":")[0] for one in restored.left_out] == [name]
    assert not (home / name).exists()
    assert (home / "sets/mine.toml").exists()
    assert moves(home) == ["started", "move"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("page.json", b'{"secret": 7}'),
        ("page.json", b'{"a": ' + b"9" * 5000 + b"}"),
        ("sessions.json", b'{"x": {}}'),
        ("sessions.json", b"{" * 50_000),
        ("snake-eye.toml", b"[page]\nport = 'x'\n"),
        ("snake-eye.toml", b"\xff\xfe"),
    ],
)
def test_secrets_that_cannot_be_used_refuse_the_backup(name, data, home, backup):
    def change(entries, manifest):
        entries[:] = [one for one in entries if one[0].filename != name]
        manifest["files"] = [one for one in manifest["files"] if one["path"] != name]
        with_file(name, data)(entries, manifest)

    before = everything(home)

    with pytest.raises(BackupError, match=name):
        restore_backup(home, rebuilt(backup, change), with_secrets=True)
    assert everything(home) == before


def test_what_was_there_is_kept_beside_it(home, backup):
    with Store(home) as store:
        store.append("g1", "move", {"n": 2})

    restored = restore_backup(home, backup)

    assert moves(home) == ["started", "move"]
    assert restored.kept == home.with_name("home.before-restore-1")
    assert moves(home.with_name("home.before-restore-1")) == ["started", "move", "move"]
    assert restore_backup(home, backup).kept == home.with_name("home.before-restore-2")


@pytest.mark.parametrize("older", [False, True])
def test_lines_after_a_restore_have_numbers_that_were_never_given(older, home, backup):
    if older:
        backup = rebuilt(backup, with_games("DROP TABLE numbers", "PRAGMA user_version = 2"))
    with Store(home) as store:
        last = [store.append("g1", "move", {"n": n}).seq for n in (2, 3)][-1]

    restore_backup(home, backup)

    with Store(home) as store:
        assert store.append("g2", "started", {}).seq == last + 1


def test_backup_is_made_while_a_game_is_on(home, tmp_path):
    file = tmp_path / "live.zip"

    with Store(home) as store:
        store.append("g1", "move", {"n": 2})
        make_backup(home, file)
        store.append("g1", "move", {"n": 3})

    restore_backup(tmp_path / "other", file)
    assert moves(tmp_path / "other") == ["started", "move", "move"]


def test_backup_is_for_its_owner_alone(backup, tmp_path):
    restore_backup(tmp_path / "other", backup)

    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o700


def test_links_locks_and_keys_are_left_out(home, tmp_path):
    (home / "link").symlink_to("/etc/passwd")
    (home / "tls").mkdir()
    (home / "tls/key.pem").write_text("secret")

    kept = make_backup(home, tmp_path / "b.zip")

    assert [one.path for one in kept] == [
        "games/g1/2-after.jpg",
        "games/g1/log",
        "page.json",
        "sets/mine.toml",
    ]


def test_backup_into_the_folder_itself_does_not_hold_itself(home):
    make_backup(home, home / "b.zip")

    assert "b.zip" not in zipfile.ZipFile(home / "b.zip").namelist()


def test_picture_that_is_deleted_meanwhile_is_left_out(home, tmp_path, monkeypatch):
    copied = backups._still_copy

    def vanishing(path, copy):
        if path.suffix == ".jpg":
            path.unlink()
        return copied(path, copy)

    monkeypatch.setattr(backups, "_still_copy", vanishing)

    kept = make_backup(home, tmp_path / "b.zip")

    assert [one.path for one in kept if one.path.startswith("games/")] == ["games/g1/log"]
    assert zipfile.ZipFile(tmp_path / "b.zip").testzip() is None


def test_games_of_a_backup_of_1_0_0_are_restored_and_taken_over(tmp_path, backup):
    line = Line(1, "g1", "started", {}, 0.0)
    keep_as_1_0_0(tmp_path / "old", [(line, {"after": b"jpeg"})])
    make_backup(tmp_path / "old", tmp_path / "old.zip")
    assert zipfile.ZipFile(tmp_path / "old.zip").namelist()[0] == "games.sqlite3"

    restore_backup(tmp_path / "home", tmp_path / "old.zip")

    with Store(tmp_path / "home") as store:
        assert (store.games(), store.lines("g1"), store.damage) == (["g1"], [line], None)
        assert store.picture(1, "after") == b"jpeg"
        assert store.append("g1", "ended", {}).seq == 3, "the games before had two lines"


def test_half_a_decision_in_a_backup_is_no_damage(home, tmp_path):
    with (home / "games/g1/log").open("ab") as log:
        log.write(b'{"snake-eye-log": 1, "se')
    make_backup(home, tmp_path / "b.zip")

    restore_backup(tmp_path / "other", tmp_path / "b.zip")

    assert moves(tmp_path / "other") == ["started", "move"]


def test_backup_without_room_for_the_games_is_refused_and_leaves_nothing(home, tmp_path):
    file = tmp_path / "b.zip"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Store(home) as store:
        store.append("g1", "move", {"n": 2}, {"after": Random(1).randbytes(4 << 20)})
        # The games take more than a file may here, packed as well.
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
        try:
            with pytest.raises(BackupError, match="cannot be written"):
                make_backup(home, file)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert list(tmp_path.iterdir()) == [home]


def test_backup_needs_no_room_where_temporary_files_are_kept(home, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "full"))
    make_backup(home, tmp_path / "b.zip")

    assert sorted(tmp_path.iterdir()) == [tmp_path / "b.zip", home]


def test_file_that_exists_or_cannot_be_is_refused_and_not_overwritten(home, tmp_path):
    (tmp_path / "diary.zip").write_text("dear diary")

    for name, reason in (("diary.zip", "exists already"), ("a" * 300, "File name too long")):
        with pytest.raises(BackupError, match=reason):
            make_backup(home, tmp_path / name)

    assert (tmp_path / "diary.zip").read_text() == "dear diary"


def test_nothing_to_back_up_is_said(tmp_path):
    with pytest.raises(BackupError, match="nothing to back up"):
        make_backup(tmp_path / "none", tmp_path / "b.zip")


# --- Files made to harm, or harmed: nothing is touched ---

Change = Callable[[list[tuple[zipfile.ZipInfo, bytes]], dict[str, Any]], None]


def entry(name: str, mode: int = stat.S_IFREG | 0o600) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def rebuilt(backup: Path, change: Change) -> Path:
    """Return a backup whose entries and manifest were changed by hand."""
    with zipfile.ZipFile(backup) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        entries = [
            (info, archive.read(info))
            for info in archive.infolist()
            if info.filename != "manifest.json"
        ]
    change(entries, manifest)
    made = backup.with_name("harm.zip")
    with zipfile.ZipFile(made, "w") as archive:
        for info, data in entries:
            archive.writestr(info, data)
        archive.writestr("manifest.json", json.dumps(manifest))
    return made


def with_file(name: str, data: bytes = b"x", mode: int = stat.S_IFREG | 0o600) -> Change:
    def change(entries: list[tuple[zipfile.ZipInfo, bytes]], manifest: dict[str, Any]) -> None:
        entries.append((entry(name, mode), data))
        listed = {"path": name, "size": len(data), "sha256": sha256(data).hexdigest()}
        manifest["files"].append(listed)

    return change


def with_games(*commands: str) -> Change:
    """Add the games of 1.0.0, changed by commands of SQL."""
    with tempfile.TemporaryDirectory() as folder:
        keep_as_1_0_0(Path(folder), [(Line(1, "g1", "started", {}, 0.0), {})])
        with closing(sqlite3.connect(Path(folder) / "games.sqlite3")) as database:
            for command in commands:
                database.execute(command)
            database.commit()
        return with_file("games.sqlite3", (Path(folder) / "games.sqlite3").read_bytes())


def with_lines(game: str, *texts: str) -> Change:
    """Add the log of a game."""
    return with_file(f"games/{game}/log", "".join(f"{text}\n" for text in texts).encode())


def setting(**values: Any) -> Change:
    return lambda _entries, manifest: manifest.update(values)


def flip(entries: list[tuple[zipfile.ZipInfo, bytes]], _manifest: dict[str, Any]) -> None:
    info, data = entries[-1]
    entries[-1] = (info, bytes([data[0] ^ 1]) + data[1:])


def drop(entries: list[tuple[zipfile.ZipInfo, bytes]], _manifest: dict[str, Any]) -> None:
    entries.pop()


def smuggle(entries: list[tuple[zipfile.ZipInfo, bytes]], _manifest: dict[str, Any]) -> None:
    entries.append((entry("extra"), b"x"))


def lie_about_size(_entries: list[tuple[zipfile.ZipInfo, bytes]], manifest: dict[str, Any]) -> None:
    manifest["files"][-1]["size"] += 1


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


HARM = {
    "climbs out": (with_file("../evil"), "would lie elsewhere"),
    "climbs out later": (with_file("sets/../../evil"), "would lie elsewhere"),
    "absolute": (with_file("/etc/cron.d/evil"), "would lie elsewhere"),
    "backslashes": (with_file("sets\\..\\evil"), "would lie elsewhere"),
    "a dot": (with_file("./evil"), "would lie elsewhere"),
    "a drive": (with_file("C:evil"), "would lie elsewhere"),
    "a line break": (with_file("evil\nname"), "would lie elsewhere"),
    "very deep": (with_file("/".join("a" * 40)), "would lie elsewhere"),
    "a lock": (with_file("games.lock"), "would lie elsewhere"),
    "a write-ahead file": (with_file("games.sqlite3-wal"), "would lie elsewhere"),
    "a key": (with_file("tls/key.pem"), "would lie elsewhere"),
    "a link": (with_file("evil", b"/etc/passwd", stat.S_IFLNK | 0o777), "no plain file"),
    "a device": (with_file("evil", b"", stat.S_IFBLK | 0o600), "no plain file"),
    "a folder": (with_file("evil/", b""), "would lie elsewhere"),
    "a file in a file": (with_file("page.json/evil"), "a file inside a file"),
    "a changed byte": (flip, "damaged"),
    "a file missing": (drop, "does not hold the files"),
    "a file unlisted": (smuggle, "does not hold the files"),
    "a wrong size": (lie_about_size, "disagree on the size"),
    "another format": (setting(format="zip"), "no backup of Snake Eye"),
    "a newer format": (setting(version=2), "newer Snake Eye"),
    "a list of nothing": (setting(files=[1]), "broken manifest"),
    "a negative size": (setting(files=[{"path": "a", "size": -1, "sha256": ""}]), "broken"),
    "newer games": (with_games("PRAGMA user_version = 99"), "newer Snake Eye"),
    "a line that is none": (with_games(LOG_LINE), "line 9 is not what was kept"),
    "a line of another game": (
        with_games("INSERT INTO log SELECT 9, 'g2', kind, line FROM log WHERE seq = 1"),
        "line 9 is not what was kept",
    ),
    "a line that is nested": (
        with_games("INSERT INTO log VALUES (9, 'g1', 'move', '" + "[" * 9000 + "')"),
        "a line that is none",
    ),
    "a list of a digit too many": (setting(files=[{"path": "a", "size": 10**41}]), "broken"),
    "a list that is nested": (setting(files=nested(100)), "broken"),
    "a name too long for a disk": (with_file("sets/" + "a" * 300), "would lie elsewhere"),
    "a log of no lines": (with_lines("g2", "{}"), "games are damaged"),
    "a log of another game": (
        with_lines("g2", written(Line(1, "g1", "started", {}, 0.0))),
        "games are damaged",
    ),
    "a log of deep lines": (
        with_lines("g2", written(Line(9, "g2", "started", {"deep": nested(100)}, 0.0))),
        "a line that is none",
    ),
    "a log of large numbers": (
        with_lines("g2", written(Line(1 << 60, "g2", "started", {}, 0.0))),
        "games are damaged",
    ),
    "a script among the games": (with_file("games/g1/evil.sh"), "a file that Snake Eye never made"),
    "an index": (with_file("games.index"), "would lie elsewhere"),
    "a view in the games": (with_games("CREATE VIEW v AS SELECT 1"), "never made"),
}


@pytest.mark.parametrize("name", HARM)
def test_harmful_backup_is_refused_and_nothing_is_touched(name, home, backup, tmp_path):
    change, said = HARM[name]
    harm = rebuilt(backup, change)
    before, beside = everything(home), sorted(tmp_path.iterdir())

    with pytest.raises(BackupError, match=said):
        restore_backup(home, harm)

    assert everything(home) == before
    assert sorted(tmp_path.iterdir()) == beside


def test_bomb_is_stopped_by_the_size_it_promised(home, backup):
    bomb = rebuilt(backup, with_file("bomb", b"\0" * (4 << 20)))
    data = bomb.read_bytes()
    # Both headers of the zip file, and the manifest, say one byte; four million come out.
    large, small = (4 << 20).to_bytes(4, "little"), (1).to_bytes(4, "little")
    data = data.replace(large + b"\x04\x00", small + b"\x04\x00").replace(b"4194304", b"1      ")
    bomb.write_bytes(data)

    with pytest.raises(BackupError):
        restore_backup(home, bomb)

    assert not list(home.parent.glob("*restoring*"))


def test_backup_larger_than_the_disk_is_refused(home, backup):
    before = everything(home)

    with pytest.raises(BackupError, match="does not fit on the disk: 10 MB are free"):
        restore_backup(home, backup, free_bytes=lambda _: 10 << 20)

    assert everything(home) == before


def test_two_files_of_one_name_are_refused(home, backup):
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(backup, "a") as archive,
    ):
        archive.writestr("page.json", "{}")

    with pytest.raises(BackupError, match="two files of one name"):
        restore_backup(home, backup)


@pytest.mark.parametrize("data", [b"", b"PK", b"no zip at all", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_zip_is_refused(home, tmp_path, data):
    (tmp_path / "file.zip").write_bytes(data)

    with pytest.raises(BackupError, match="no backup of Snake Eye"):
        restore_backup(home, tmp_path / "file.zip")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_backup_cut_short_is_refused(home, backup, share):
    data = backup.read_bytes()
    backup.write_bytes(data[: int(len(data) * share)])
    before = everything(home)

    with pytest.raises(BackupError):
        restore_backup(home, backup)

    assert everything(home) == before


def test_missing_file_is_said(home, tmp_path):
    with pytest.raises(BackupError, match="No such file"):
        restore_backup(home, tmp_path / "none.zip")


def test_nothing_is_restored_while_a_game_is_on(home, backup, tmp_path):
    beside = sorted(tmp_path.iterdir())

    with Store(home), pytest.raises(BackupError, match="stop it first"):
        restore_backup(home, backup)

    assert moves(home) == ["started", "move"]
    assert sorted(tmp_path.iterdir()) == beside


@pytest.mark.parametrize("name", ["page.json", "sessions.json", "keys", "tls", "tls/inner.pem"])
def test_restore_follows_no_link_out_of_the_folder(name, home, backup, tmp_path):
    secret = tmp_path / "elsewhere"
    (secret / "inner").mkdir(parents=True)
    (secret / "secret").write_text("not ours", encoding="utf-8")
    (home / "tls").mkdir(exist_ok=True)
    link = home / name
    if link.is_dir():
        link.rmdir()
    link.unlink(missing_ok=True)
    link.symlink_to(secret if link.suffix == "" else secret / "secret")

    restore_backup(home, backup)

    assert "not ours" not in [
        path.read_text(encoding="utf-8", errors="replace")
        for path in home.rglob("*")
        if path.is_file() and not path.is_symlink()
    ]
    assert (secret / "secret").read_text(encoding="utf-8") == "not ours"

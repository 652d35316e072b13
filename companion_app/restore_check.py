"""Checks every file of a backup before it is restored: its content must be usable here.

With damaged games the whole backup is refused. A taught box, a correction, a camera profile or a
lesson that cannot be used is left out and named, and everything else is restored.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from calibration.errors import CalibrationError
from calibration.profile_file import load_profile
from companion_app.answers import InputError
from companion_app.backup import BackupError
from companion_app.games.entries import read_line
from companion_app.games.log import LOG, PICTURE, PUT_ASIDE, folders, read_log
from companion_app.help_orders import FOLDER as HALL_FOLDER
from companion_app.labelled import read_photos
from companion_app.live.former_store import FORMER_FILE, NEWEST_VERSION
from companion_app.settings import FILE as SETTINGS_FILE
from companion_app.settings import load_settings
from companion_app.web.lessons.lesson_form import is_lesson
from companion_app.web.serving.page_file import read_settings
from companion_app.web.serving.sessions import read_sessions
from engine.errors import EngineError
from engine.given import load_json, read_json

OWN = ("page.json", "sessions.json", SETTINGS_FILE)
"""Files with this machine's access rights and secrets: the PIN, the key that signs cookies, the
join code, phones that have joined, the broker and its password."""
OWN_FOLDERS = ("keys", HALL_FOLDER)
"""Folders of the same kind: keys that this machine's owner trusts; the hall that it joined, its
key there and the hall's orders."""
LONGEST_PICTURE_NAME = 80
LARGEST_PICTURE = 24 << 20


def check_own(staging: Path, file: Path) -> None:
    """Refuse a backup whose settings, PIN or sessions cannot be used."""
    checks: dict[str, Callable[[Path], Any]] = {
        "page.json": read_settings,
        "sessions.json": read_sessions,
        SETTINGS_FILE: load_settings,
    }
    for name, check in checks.items():
        if (staging / name).exists():
            try:
                check(staging / name)
            except (EngineError, InputError, OSError, ValueError) as error:
                raise BackupError(f"{file}: {name} cannot be used: {error}") from error


def leave_out_unusable(staging: Path) -> tuple[str, ...]:
    """Delete unpacked files that cannot be used; return a sentence for each."""
    out = [*_unusable_boxes(staging / "sets")]
    for path in sorted((staging / "corrections").glob("*.json")):
        out += _tried(path, read_photos)
    for path in sorted((staging / "profiles").glob("*.json")):
        out += _tried(path, load_profile)
    lesson = staging / "lesson" / "lesson.json"
    if lesson.exists():
        out += _tried(lesson, _check_lesson)
        if not lesson.exists():
            shutil.rmtree(lesson.parent)
    return tuple(out)


def _unusable_boxes(folder: Path) -> list[str]:
    from models.teaching.shelf import refused

    found = refused(folder, outdated=False)
    for name in found:
        (folder / name).unlink()
    return [f"sets/{name}: {why}" for name, why in found.items()]


def _tried(path: Path, check: Callable[[Path], object]) -> list[str]:
    try:
        check(path)
    except (EngineError, CalibrationError, BackupError, OSError) as error:
        path.unlink()
        return [f"{path.parent.name}/{path.name}: {error}"]
    return []


def _check_lesson(path: Path) -> None:
    if not is_lesson(read_json(path)):
        raise BackupError("this is no lesson that the page prepared")


def check_games(staging: Path, file: Path) -> None:
    """Refuse a backup whose games are damaged, from a newer version, or not by Snake Eye."""
    for folder in folders(staging):
        found = read_log(folder)
        if found.damaged:
            raise BackupError(f"{file}: its games are damaged: {folder.name[:80]!r}")
        for _, text in found.texts:
            _check_text(text, file)
        for path in folder.iterdir():
            _check_file(path, file)
    former = staging / FORMER_FILE
    if not former.exists():
        return
    try:
        address = f"{former.as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as database:
            (number,) = database.execute("PRAGMA user_version").fetchone()
            (answer,) = database.execute("PRAGMA integrity_check(1)").fetchone()
            views = database.execute("SELECT 1 FROM sqlite_master WHERE type = 'view'").fetchall()
            if number > NEWEST_VERSION:
                raise BackupError(f"{file}: its games were kept by a newer Snake Eye; update first")
            if answer != "ok":
                raise BackupError(f"{file}: its games are damaged: {str(answer)[:80]}")
            # A view could stand for any question; triggers never run, since nothing is written.
            if views:
                raise BackupError(f"{file}: its games lie in tables that Snake Eye never made")
            _check_lines(database, file)
    except sqlite3.Error as error:
        raise BackupError(f"{file}: its games cannot be read: {error}") from error


def _check_file(path: Path, file: Path) -> None:
    """Refuse a file that the store never wrote."""
    is_own = path.name == LOG or PUT_ASIDE.fullmatch(path.name)
    is_picture = PICTURE.fullmatch(path.name) and path.stat().st_size <= LARGEST_PICTURE
    if not is_own and not is_picture:
        raise BackupError(f"{file}: its games hold a file that Snake Eye never made")


def _check_text(text: str, file: Path) -> None:
    try:
        load_json(text)
    except EngineError as error:
        raise BackupError(f"{file}: its games hold a line that is none: {error}") from error


def _check_lines(database: sqlite3.Connection, file: Path) -> None:
    """Refuse lines and pictures that the store of 1.0.0 never wrote."""
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'log'").fetchall():
        return
    for seq, game, kind, text in database.execute("SELECT seq, game, kind, line FROM log"):
        line = read_line(text)
        _check_text(text, file)
        if line is None or (line.seq, line.game, line.kind) != (seq, game, kind):
            raise BackupError(f"{file}: its games are damaged: line {seq} is not what was kept")
    too_large = database.execute(
        "SELECT 1 FROM pictures WHERE length(name) > ? OR length(jpeg) > ? LIMIT 1",
        (LONGEST_PICTURE_NAME, LARGEST_PICTURE),
    )
    if too_large.fetchall():
        raise BackupError(f"{file}: its games hold a picture that is none")

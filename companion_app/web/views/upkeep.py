"""Maintenance views: the check-up, backup and restore.

No code comes through the page: the system's packages bring it.

A backup is uploaded in parts, so that a phone can show progress and no request is larger than a
photo. The eye validates the whole backup and restores it; then eye and page restart.
"""

from __future__ import annotations

import shutil
import threading
from contextlib import suppress
from datetime import date
from pathlib import Path

from flask import Blueprint, Response, current_app, request, send_file

from companion_app.backup import BY_PAGE, TAKEN_IN, BackupError, make_backup
from companion_app.doctor_machine import Finding
from companion_app.hands.work import BACKUP, LOOK
from companion_app.line.commands import EyeAway, EyeCommands
from companion_app.version import version
from companion_app.web import frames, looking
from companion_app.web.context import companion
from companion_app.web.doctor_words import report, title
from companion_app.web.serving.errors import BadRequest, NotFound, TooLarge, WebError
from companion_app.web.serving.exchange import Doc, asked, language
from companion_app.web.serving.shared import Lately

views = Blueprint("upkeep", __name__)
FRESH_S = 5.0
"""How long a check-up is cached for all phones, in seconds."""
MADE = "made.zip"
LARGEST_BYTES = 8 << 30
ANSWERED_S = 1.0
"""Delay before the page restarts, in seconds, so that the answer still reaches the phone."""
_TAKING = threading.Lock()


@views.get("/api/health")
def health() -> Doc:
    """Return every check of the check-up, in the guest's language where it is translated."""
    said = report(_checkup(), language())
    for check in said["checks"]:
        check["title"] = title(check["name"], language())
    return said | {"version": version()}


def _checkup() -> list[Finding]:
    """Return what doctor finds, at most ``FRESH_S`` old."""
    last: Lately[list[Finding]] = current_app.extensions.setdefault("snake-eye-checkup", Lately())
    return last.answer(FRESH_S, _examined)


def _examined() -> list[Finding]:
    """Return what doctor finds, on the camera in use by its newest frame."""
    one = companion()
    standing = one.eye.standing()
    kind = "" if standing.kind in ("none", "recorded") else standing.kind
    still = frames.newest() if kind and standing.seeing != "camera-lost" else None
    return one.hands.do(LOOK, looking.examined, one.home, kind, still)


# --- backup and restore --------------------------------------------------------------------------


@views.post("/api/backup")
def make() -> Doc:
    """Write all stored data into one file, to be downloaded; return its size."""
    file = _folder() / MADE
    file.unlink(missing_ok=True)
    try:
        companion().hands.do(BACKUP, make_backup, companion().home, file, whose="host")
    except BackupError as error:
        raise WebError(code=error.code) from error
    return {"bytes": file.stat().st_size}


@views.get("/api/backup.zip")
def fetch() -> Response:
    """Return the backup that was made last."""
    file = _folder() / MADE
    if not file.is_file():
        raise NotFound
    name = f"snake-eye-{date.today().isoformat()}.zip"
    return send_file(file, "application/zip", as_attachment=True, download_name=name)


@views.post("/api/backup/part")
def take_in() -> Doc:
    """Append an uploaded part of a backup (the body) at a byte (``at``); 0 starts a new file."""
    at = request.args.get("at", type=int)
    data = request.get_data()
    if at is None or not data:
        raise BadRequest("send a part, and say at which byte it begins")
    if at + len(data) > LARGEST_BYTES:
        raise TooLarge
    file = _folder() / TAKEN_IN
    with _TAKING:
        if at == 0:
            file.unlink(missing_ok=True)
        elif not file.is_file() or file.stat().st_size != at:
            raise WebError(code="backup-parts")
        try:
            _append(file, data)
        except (OSError, WebError):
            file.unlink(missing_ok=True)
            raise
    return {"bytes": at + len(data)}


def _append(file: Path, data: bytes) -> None:
    """Append a part to a backup, unless the disk would then have too little room for games."""
    # Imported late: it loads what checks a backup, which only the eye does.
    from companion_app.restore import SPARE_BYTES

    if shutil.disk_usage(file.parent).free < len(data) + SPARE_BYTES:
        raise WebError(code="backup-no-room", status=507)
    with file.open("ab") as handle:
        file.chmod(0o600)
        handle.write(data)


@views.post("/api/backup/restore")
def restore() -> Doc:
    """Restore the uploaded backup, then restart eye and page.

    The eye refuses while people are playing. A refused backup is deleted: the game needs the room.
    """
    file = _folder() / TAKEN_IN
    if not file.is_file():
        raise WebError(code="backup-parts")
    try:
        with_secrets = asked().get("with_secrets") is True
        done = companion().eye.ask(EyeCommands.restore, with_secrets)
    finally:
        file.unlink(missing_ok=True)
    with suppress(EyeAway):
        companion().eye.ask(EyeCommands.start_again)
    again = threading.Timer(ANSWERED_S, companion().start_again)
    again.daemon = True
    again.start()
    return done


def _folder() -> Path:
    folder = companion().home / BY_PAGE
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder

"""Backup and restore from the page, for the host.

A backup comes in by parts, so that a phone can say how far it is and no request is larger than a
photo. The eye checks all of it and puts it in place; then eye and page are started again.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import date
from pathlib import Path

from flask import Blueprint, Response, jsonify, request, send_file

from companion_app.backup import BY_PAGE, TAKEN_IN, BackupError, make_backup
from companion_app.hands.work import BACKUP
from companion_app.line.ends import EyeAway
from companion_app.web.context import companion
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound, TooLarge, WebError
from companion_app.web.serving.exchange import asked

blueprint = Blueprint("backups", __name__)
MADE = "made.zip"
LARGEST_BYTES = 8 << 30
RESTORE_S = 900.0
ANSWERED_S = 1.0
"""After so long the answer has reached the phone, and the page may go."""
_TAKING = threading.Lock()


@blueprint.post("/api/backup")
@access.must_be_host
def make() -> Response:
    """Write everything that is kept into one file, to be fetched; return its size."""
    file = _folder() / MADE
    file.unlink(missing_ok=True)
    try:
        companion().hands.do(BACKUP, make_backup, companion().home, file, whose="host")
    except BackupError as error:
        raise WebError(code=error.code) from error
    return jsonify({"bytes": file.stat().st_size})


@blueprint.get("/api/backup.zip")
@access.must_be_host
def fetch() -> Response:
    """Return the backup that was made."""
    file = _folder() / MADE
    if not file.is_file():
        raise NotFound
    name = f"snake-eye-{date.today().isoformat()}.zip"
    return send_file(file, "application/zip", as_attachment=True, download_name=name)


@blueprint.post("/api/backup/part")
@access.must_be_host
@access.takes_files
def take_in() -> Response:
    """Take in a part of a backup (the body) at a byte (``at``); the first one begins anew."""
    at = request.args.get("at", type=int)
    data = request.get_data()
    if at is None or not data:
        raise BadRequest("send a part, and say at which byte it begins")
    if at + len(data) > LARGEST_BYTES:
        raise TooLarge
    file = _folder() / TAKEN_IN
    with _TAKING:
        if at != 0 and (not file.is_file() or file.stat().st_size != at):
            raise WebError(code="backup-parts")
        with file.open("wb" if at == 0 else "ab") as handle:
            file.chmod(0o600)
            handle.write(data)
    return jsonify({"bytes": at + len(data)})


@blueprint.post("/api/backup/restore")
@access.must_be_host
def restore() -> Response:
    """Put the backup that was taken in where everything is kept, and start again.

    Refused while a game of people is on.
    """
    if not (_folder() / TAKEN_IN).is_file():
        raise WebError(code="backup-parts")
    wish = {"with_secrets": asked().get("with_secrets") is True}
    done = companion().eye.ask("restore", wish, within_s=RESTORE_S).body
    with suppress(EyeAway):
        companion().eye.ask("start-again")
    again = threading.Timer(ANSWERED_S, companion().start_again)
    again.daemon = True
    again.start()
    return jsonify(done)


def _folder() -> Path:
    folder = companion().home / BY_PAGE
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder

"""The health view: what `snake-eye doctor` says, on the page, and one file to send for help."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, request

from companion_app.hands.work import LOOK
from companion_app.help_file import write_help_file
from companion_app.web import frames, looking
from companion_app.web.context import companion
from companion_app.web.doctor_words import in_words
from companion_app.web.serving import access
from companion_app.web.serving.exchange import language
from companion_app.web.speech import Speech

blueprint = Blueprint("health", __name__)
FRESH_S = 5.0
"""However many phones ask, everything is looked at once in so many seconds."""
LOST = "The camera gives no pictures; check its cable"


class Checkup:
    """The last time that everything was looked at."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._at_s = float("-inf")
        self._answer: Mapping[str, Any] = {}

    def answer(self) -> Mapping[str, Any]:
        """Return what doctor says, at most some seconds old."""
        with self._lock:
            if self._clock() - self._at_s >= FRESH_S:
                self._answer = _examined()
                self._at_s = self._clock()
            return self._answer


@blueprint.get("/api/health")
@access.part_of("watching")
def health() -> Response:
    """Return every check, in the guest's language as far as its sentences go."""
    answer = _checkup().answer()
    chosen = language()
    words = Speech(chosen)
    checks = [
        {
            **check, "title": _title(words, check["name"]),
            "text": in_words(check["text"], chosen), "fix": in_words(check["fix"], chosen),
        }
        for check in answer["checks"]
    ]  # fmt: skip
    return jsonify({"ok": answer["ok"], "checks": checks})


@blueprint.get("/api/help.zip")
@access.must_be_host
def help_file() -> Response:
    """Return one file to send for help; a picture of the table only where the host asks for it."""
    asked = request.args.get("picture") == "1" and companion().eye.standing().is_fed
    jpeg = companion().eye.ask("picture").data or None if asked else None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "help.zip"
        write_help_file(file, _checkup().answer(), jpeg)
        answer = Response(file.read_bytes(), mimetype="application/zip")
    answer.headers["Content-Disposition"] = 'attachment; filename="snake-eye-help.zip"'
    return answer


def _checkup() -> Checkup:
    found: Checkup = current_app.extensions.setdefault("snake-eye-checkup", Checkup())
    return found


def _examined() -> Mapping[str, Any]:
    """Return what doctor says, with the camera that the game has as it is right now."""
    one = companion()
    standing = one.eye.standing()
    kind = "" if standing.kind in ("none", "recorded") else standing.kind
    lost = standing.seeing == "camera-lost"
    still = frames.newest() if kind and not lost else None
    trouble = LOST if kind and still is None else ""
    return one.hands.do(LOOK, looking.examined, one.home, kind, trouble, still)


def _title(words: Speech, name: str) -> str:
    kind, _, rest = name.partition(" ")
    return f"{words.page(f'check-{kind}')} {rest}".strip()

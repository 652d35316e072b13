"""The application factory: joins desk, settings and blueprints; every refusal says why."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response, current_app, jsonify, request
from werkzeug.exceptions import HTTPException

from calibration.learn import Photo
from companion_app.live.errors import LiveError, StoreError
from companion_app.web.camera import TableCamera
from companion_app.web.checking import Checker
from companion_app.web.corrections import Corrections
from companion_app.web.desk import Desk, Feeder
from companion_app.web.serving import access
from companion_app.web.serving.errors import WebError
from companion_app.web.serving.https_front import HttpsOffer
from companion_app.web.serving.limits import Limiter
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.sessions import Sessions
from companion_app.web.serving.shared import Packer, SharedAnswers
from companion_app.web.speech import LANGUAGES, Speech, best_language
from engine.errors import EngineError
from engine.record import Record
from vision.core.errors import VisionError

log = logging.getLogger(__name__)
COMPRESSED = ("application/json", "image/svg+xml", "text/html", "text/css", "text/javascript")
WORTH_COMPRESSING_BYTES = 1400
"""Less than that goes out in one packet anyway."""

MakeFeeder = Callable[[Record], Feeder | None]
"""What shows tables to a new game: the camera, or a recorded game."""
ReadPhoto = Callable[[bytes, str, str], Mapping[str, Any]]
"""Reads a photo of a table: its bytes, the game and the set; returns a table state."""


@dataclass
class Companion:
    """Everything that the page stands on."""

    desk: Desk
    settings: SettingsFile
    make_feeder: MakeFeeder = lambda _record: None
    read_photo: ReadPhoto | None = None
    """``None`` where no picture can be read on this machine."""
    address: str = ""
    """Where phones find the page, for the QR code."""
    limiter: Limiter = field(default_factory=Limiter)
    sessions: Sessions = field(default_factory=Sessions)
    """Phones that showed the PIN or the join code."""
    camera: TableCamera | None = None
    """``None`` where only written games are shown."""
    checker: Checker = field(default_factory=Checker)
    photos: list[Photo] = field(default_factory=list)
    """Of the calibration sheet, since the camera was chosen."""
    https: HttpsOffer | None = None
    corrections: Corrections | None = None
    """Labelled pictures of what people put right; ``None`` where none are kept."""

    shared: SharedAnswers = field(default_factory=SharedAnswers)
    packer: Packer = field(default_factory=Packer)

    def __post_init__(self) -> None:
        self.desk.pictures_mb = lambda: self.settings.now.pictures_mb


def create_app(companion: Companion) -> Flask:
    """Return the application."""
    from companion_app.web.views import (
        api,
        at_table,
        control,
        events,
        games,
        health,
        overlay,
        pages,
        phone_upload,
        photos,
        privacy,
        series,
        teaching,
        trial,
        update,
        wizard,
    )

    app = Flask("companion_app", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.extensions["snake-eye"] = companion
    access.protect(
        app, companion.settings, companion.limiter, companion.sessions,
        lambda address, port: companion.https.peer(address, port) if companion.https else None,
    )  # fmt: skip
    for part in (
        api, control, events, games, privacy, photos, pages, series, wizard, trial, phone_upload,
        overlay, health, update, teaching, at_table,
    ):  # fmt: skip
        app.register_blueprint(part.blueprint)
    app.register_error_handler(Exception, _refused)
    app.after_request(_compressed)
    return app


def companion() -> Companion:
    """Return what the page stands on."""
    found: Companion = current_app.extensions["snake-eye"]
    return found


def language() -> str:
    """Return the guest's language: asked for, chosen before, or what the browser reads."""
    wanted = request.args.get("lang") or request.cookies.get("language")
    return best_language(wanted, [name for name, _ in request.accept_languages])


def speech(names: Mapping[str, str] | None = None) -> Speech:
    """Return the words for this guest."""
    return Speech(language(), companion().desk.names if names is None else names)


def _refused(error: Exception) -> Response:
    """Answer a request that failed: the status, a code, and a sentence."""
    status, code, detail, wait = 500, "broken", "", None
    if isinstance(error, WebError):
        status, code, detail, wait = error.status, error.code, error.detail, error.retry_after_s
    elif isinstance(error, StoreError):
        status, code, detail = 507, "not-kept", str(error)
    elif isinstance(error, VisionError):
        status, code, detail = 422, "no-photo", str(error)
    elif isinstance(error, (LiveError, EngineError)):
        status, code, detail = 409, getattr(error, "code", "cannot-be"), str(error)
    elif isinstance(error, HTTPException):
        status = error.code or 500
        code = {404: "not-found", 405: "wrong-method", 413: "too-large"}.get(status, "bad-request")
    else:
        log.exception("a request failed: %s %s", request.method, request.path)
    words = Speech(language())
    text = words.page(f"error-{code}", n=wait or 0, address=companion().address)
    if code == "other-name" and request.accept_mimetypes.accept_html:
        return Response(text, status, mimetype="text/plain")
    answer = jsonify({"error": {"code": code, "text": text, "detail": detail}})
    answer.status_code = status
    if wait is not None:
        answer.headers["Retry-After"] = str(wait)
    return answer


def _compressed(response: Response) -> Response:
    if (
        response.mimetype in COMPRESSED
        and not response.is_streamed
        and "gzip" in request.headers.get("Accept-Encoding", "")
        and "Content-Encoding" not in response.headers
        and len(response.get_data()) >= WORTH_COMPRESSING_BYTES
    ):
        response.set_data(companion().packer.packed(response.get_data()))
        response.headers["Content-Encoding"] = "gzip"
        response.headers.add("Vary", "Accept-Encoding")
    return response


__all__ = ["LANGUAGES", "Companion", "companion", "create_app", "language", "speech"]

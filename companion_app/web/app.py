"""The application factory: registers access control, blueprints and the error handler."""

from __future__ import annotations

import logging
from errno import EDQUOT, ENOSPC, EROFS

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from companion_app.refusal import refusal_of
from companion_app.web.context import Companion, companion
from companion_app.web.serving import access
from companion_app.web.serving.exchange import compressed, language, of_http, refused
from companion_app.web.speech import Speech
from companion_app.web.views import (
    api,
    at_table,
    control,
    events,
    games,
    hall,
    machine,
    overlay,
    pages,
    photos,
    teaching,
    upkeep,
    wizard,
)

log = logging.getLogger(__name__)
NO_ROOM = (ENOSPC, EDQUOT, EROFS)
"""Error numbers of a full disk, and of a failing disk that was remounted read-only."""


def create_app(companion: Companion) -> Flask:
    """Return the application."""
    app = Flask("companion_app", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.extensions["snake-eye"] = companion
    access.protect(
        app, companion.settings, companion.limiter, companion.sessions, companion.sitting
    )
    for part in (
        api,
        at_table,
        control,
        events,
        games,
        hall,
        machine,
        overlay,
        pages,
        photos,
        teaching,
        upkeep,
        wizard,
    ):
        app.register_blueprint(part.views)
    app.register_error_handler(Exception, _refused)
    app.after_request(lambda response: compressed(response, companion.packer))
    return app


def _refused(error: Exception) -> Response:
    """Answer a request that failed: the status, a code, and a sentence."""
    refusal = refusal_of(error)
    status, code, detail, wait = 500, "broken", "", None
    if refusal is not None:
        status, code, detail = refusal.status, refusal.code, refusal.detail
        wait = refusal.retry_after_s
    elif isinstance(error, OSError) and error.errno in NO_ROOM:
        status, code, detail = 507, "not-kept", error.strerror or ""
        log.error("a request cannot be kept: %s %s: %s", request.method, request.path, error)
    elif isinstance(error, HTTPException):
        status, code = of_http(error)
    else:
        log.exception("a request failed: %s %s", request.method, request.path)
    words = Speech(language())
    text = words.page(f"error-{code}", n=wait or 0, address=companion().address)
    if code == "other-name" and request.accept_mimetypes.accept_html:
        return Response(text, status, mimetype="text/plain")
    return refused(status, code, text, detail, wait)

"""The application factory of the hall's page; every refusal says why."""

from __future__ import annotations

import logging

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from companion_app.hall.errors import DatabaseError, FullHallError
from companion_app.hall.store.hall_store import MOST_EMBEDDED
from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.web import (
    arbiter_moves,
    arbiter_views,
    director_views,
    feed_views,
    join_views,
    page_views,
    photo_views,
    player_views,
    tournament_views,
)
from companion_app.hall.web.arbiters import protect
from companion_app.hall.web.hall import Hall, hall
from companion_app.web.serving.errors import WebError
from companion_app.web.serving.exchange import compressed, language, of_http, refused
from companion_app.web.speech import Speech
from engine.errors import EngineError

log = logging.getLogger(__name__)


def create_hall_app(the_hall: Hall) -> Flask:
    """Return the application."""
    app = Flask("companion_app.hall.web", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.extensions["snake-eye-hall"] = the_hall
    protect(app, the_hall)
    for part in (
        feed_views,
        arbiter_views,
        join_views,
        photo_views,
        tournament_views,
        director_views,
        arbiter_moves,
        player_views,
        page_views,
    ):
        app.register_blueprint(part.blueprint)
    app.register_error_handler(Exception, _refused)
    app.after_request(_compressed)
    return app


def _refused(error: Exception) -> Response:
    """Answer a request that failed: the status, a code, and a sentence."""
    status, code, detail, wait, count = 500, "broken", "", None, 0
    if isinstance(error, WebError):
        status, code, detail, wait = error.status, error.code, error.detail, error.retry_after_s
    elif isinstance(error, FullHallError):
        status, code, count = 409, "hall-full", MOST_EMBEDDED
    elif isinstance(error, DatabaseError):
        status, code, wait = 503, "hall-no-database", 2
    elif isinstance(error, EngineError):
        status, code, detail = 409, "cannot-be", str(error)
    elif isinstance(error, HTTPException):
        status, code = of_http(error)
    elif not isinstance(error, TournamentError):
        log.exception("a request failed: %s %s", request.method, request.path)
    if isinstance(error, TournamentError):
        status, code = 403 if error.code == "not-allowed" else 409, f"tournament-{error.code}"
        text = error.in_words(language())
    else:
        text = Speech(language()).page(f"error-{code}", n=wait or count, address=hall().address)
    return refused(status, code, text, detail, wait)


def _compressed(response: Response) -> Response:
    return compressed(response, hall().packer)

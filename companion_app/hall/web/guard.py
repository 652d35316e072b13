"""Who may do what in the hall: everybody watches, arbiters decide, tables join by the code."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flask import Flask, Response, request, session

from companion_app.hall.web import arbiter_sessions
from companion_app.hall.web.hall import Hall, hall, is_pin, secret_of
from companion_app.web.serving.access import (
    CONTENT_SECURITY_POLICY,
    HOME_NAMES,
    LARGEST_JSON_BYTES,
    LARGEST_PICTURE_BYTES,
    check_own_page,
)
from companion_app.web.serving.errors import BadRequest, NotHost, NotYours, TooLarge, TooOften
from companion_app.web.serving.limits import network_of

log = logging.getLogger(__name__)
POSTS, POSTS_WINDOW_S = 60, 10.0
LOOKS, LOOKS_WINDOW_S = 250, 10.0
"""Drawings and replays that one address may request within a window of seconds."""
OPEN, ARBITER, JOINING = "open", "arbiter", "joining"
"""Audiences of a view: everybody; arbiters; tables, which send no token of the page and prove
that they know the code instead."""
FOR = "for_whom"
PUBLIC = "public_feed"
TAKES_FILES = "takes_files"
LONGEST_WHO = 40
View = TypeVar("View", bound=Callable[..., Any])


def open_to(whom: str, *, public: bool = False, files: bool = False) -> Callable[[View], View]:
    """Set a view's audience; other sites may read ``public`` views; ``files`` allows uploads."""

    def marked(view: View) -> View:
        setattr(view, FOR, whom)
        setattr(view, PUBLIC, public)
        setattr(view, TAKES_FILES, files)
        return view

    return marked


def protect(app: Flask, the_hall: Hall) -> None:
    """Configure sessions and limits of an application, and install its request guards."""
    app.config.update(
        SECRET_KEY=secret_of(the_hall.store),
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_NAME="snake_eye_hall",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=int(arbiter_sessions.LASTS_S),
        MAX_CONTENT_LENGTH=LARGEST_PICTURE_BYTES,
        MAX_FORM_MEMORY_SIZE=LARGEST_JSON_BYTES,
        MAX_FORM_PARTS=8,
    )
    app.before_request(lambda: _guard(app))
    app.after_request(lambda response: _with_safe_headers(app, response))


def _guard(app: Flask) -> None:
    _check_own_name()
    view = app.view_functions.get(request.endpoint or "")
    whom = getattr(view, FOR, ARBITER)
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        limit("post", POSTS, POSTS_WINDOW_S)
        if whom != JOINING:
            check_own_page(request)
        takes_files = getattr(view, TAKES_FILES, False)
        most = LARGEST_PICTURE_BYTES if takes_files else LARGEST_JSON_BYTES
        if (request.content_length or 0) > most:
            raise TooLarge
        if request.mimetype != "application/json" and not takes_files:
            raise BadRequest("send application/json")
    if view is not None and whom == ARBITER and arbiter() is None:
        raise NotHost(code="not-arbiter")


def _check_own_name() -> None:
    """Refuse requests to a foreign host name, which prevents DNS rebinding."""
    name = (urlsplit(f"//{request.host}").hostname or "").rstrip(".")
    if not name or "." not in name or ":" in name or name.replace(".", "").isdigit():
        return
    if not name.endswith(HOME_NAMES) and name != (hall().store.fact("name") or ""):
        raise NotYours(code="other-name")


def caller() -> str:
    """Return the client's network, for which a request is counted."""
    return network_of(request.remote_addr or "?")


def limit(what: str, most: int, window_s: float) -> None:
    """Refuse a request beyond ``most`` of its kind by one address within a window."""
    limiter, who = hall().limiter, caller()
    if wait := limiter.wait_s(what, who, most, window_s):
        raise TooOften(retry_after_s=wait)
    limiter.count(what, who)


def limit_looks() -> None:
    """Refuse more drawings and replays than a person can look at."""
    limit("look", LOOKS, LOOKS_WINDOW_S)


def guess(what: str, is_right: Callable[[], bool], code: str) -> None:
    """Refuse a wrong guess, and every guess by an address that has to wait after wrong ones."""
    guesses, who = hall().limiter.guesses, caller()
    if not guesses.tried(what, who, is_right):
        log.warning("wrong %s from %s", what, who)
        raise NotHost(code=code)
    guesses.forget(what, who)


# --- arbiters ------------------------------------------------------------------------------------


def arbiter() -> str | None:
    """Return the name of the arbiter who is signed in; ``None`` for a guest."""
    number = session.get("arbiter")
    return arbiter_sessions.who_has(hall().store, number) if isinstance(number, str) else None


def log_in(pin: str, who: str) -> None:
    """Sign this phone in as an arbiter's.

    Raises:
        NotHost: the PIN is wrong.
        TooOften: too many wrong PINs came from this address.
    """
    name = " ".join(who.split())[:LONGEST_WHO]
    if not name or not name.isprintable():
        raise BadRequest(code="bad-name")
    guess("PIN", lambda: is_pin(hall().store, pin), "wrong-pin")
    session["arbiter"] = arbiter_sessions.begin(hall().store, name)
    session.permanent = True


def log_out() -> None:
    """Sign this phone out, and whoever has a copy of its cookie."""
    number = session.pop("arbiter", None)
    if isinstance(number, str):
        arbiter_sessions.end(hall().store, number)


def _with_safe_headers(app: Flask, response: Response) -> Response:
    headers = response.headers
    headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    headers["X-Frame-Options"] = "DENY"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    view = app.view_functions.get(request.endpoint or "")
    if getattr(view, PUBLIC, False):
        headers["Access-Control-Allow-Origin"] = "*"
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    else:
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers.setdefault("Cache-Control", "no-store")
    return response

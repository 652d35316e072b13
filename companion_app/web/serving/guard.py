"""What every request to a page passes, at a table and in the hall alike.

Its name has to be ours, a change has to come from our own page with its token, one address may ask
so often, and a body may be so large. Who may use which part is then asked of the page's own check.
Wrong guesses are logged, and delay only the address that made them.
"""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, request, session

from companion_app.web.serving.errors import (
    BadRequest,
    NotHost,
    NotYours,
    TooLarge,
    TooOften,
    WebError,
)
from companion_app.web.serving.limits import Limiter, network_of
from companion_app.web.serving.routes import Route, Table

log = logging.getLogger(__name__)
T = TypeVar("T")
POSTS = ("post", 60, 10.0)
"""Rate limit for one address: its name, the number of requests, and the window in seconds."""
UPLOADS = ("upload", 8, 60.0)
LOOKS = ("look", 250, 10.0)
"""Rate limit for drawings and replays; dragging the move slider asks 20 times a second."""
LARGEST_JSON_BYTES = 256 * 1024
LARGEST_PICTURE_BYTES = 24 * 1024 * 1024
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; media-src 'self' blob:; object-src 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; form-action 'self'"
)
SAFE_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=()",
}
OPEN_TO_SITES = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
TRUSTED_HOSTS = ("localhost", "127.0.0.1")
"""Hosts that browsers treat as secure contexts even without https."""
HOME_NAMES = (".local", ".lan", ".home", ".internal", ".localdomain", ".home.arpa")
"""Suffixes of host names in home networks that nobody can register: reserved for local use
(``.local``, ``.home.arpa``, ``.internal``), permanently refused (``.home``) or never delegated
(``.lan``, ``.localdomain``). ``.box``, which some routers use, is on sale and so not listed."""


@dataclass(frozen=True)
class Guard:
    """What a page's requests are checked against."""

    table: Table
    limiter: Limiter
    check: Callable[[Route], None]
    """Refuses a caller whose role does not reach the part of a route."""
    own_names: Callable[[], Collection[str]]
    """Host names that are answered besides ``HOME_NAMES``."""


def protect(app: Flask, guard: Guard, *, secret: str, lasts_s: float) -> None:
    """Configure sessions and limits of an application, and install its checks and headers."""
    app.config.update(
        SECRET_KEY=secret,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        # A response already in flight during login must not overwrite the new session cookie.
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=int(lasts_s),
        MAX_CONTENT_LENGTH=LARGEST_PICTURE_BYTES,
        MAX_FORM_MEMORY_SIZE=LARGEST_JSON_BYTES,
        MAX_FORM_PARTS=8,
    )
    app.extensions["snake-eye-guard"] = guard
    app.before_request(_check)
    app.after_request(_with_safe_headers)


def _guard() -> Guard:
    found: Guard = current_app.extensions["snake-eye-guard"]
    return found


def _route() -> Route | None:
    """Return the route of the current request; ``None`` where its address is not listed."""
    rule = request.url_rule.rule if request.url_rule is not None else ""
    methods = ("POST",) if request.method == "POST" else ("GET", "POST")
    listed = (_guard().table.get((method, rule)) for method in methods)
    return next(filter(None, listed), None)


def _check() -> None:
    _check_own_name()
    route = _route()
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        limit(*POSTS)
        if route is None or not route.part.by_code:
            _check_own_page()
        _check_body(takes_files=route is not None and route.files)
    if route is not None:
        _guard().check(route)
    elif request.url_rule is not None:
        raise NotHost


def _check_own_name() -> None:
    """Refuse a request whose ``Host`` is no name of a home network (DNS rebinding).

    A hostile site can point its own domain at this machine; the browser would then treat that
    site's page as same-origin with ours.
    """
    name = (urlsplit(f"//{request.host}").hostname or "").rstrip(".")
    if "." not in name or ":" in name or name.replace(".", "").isdigit():
        return
    if not name.endswith(HOME_NAMES) and name not in _guard().own_names():
        raise NotYours(code="other-name")


def _check_own_page() -> None:
    """Refuse cross-site requests (CSRF): check origin, fetch metadata and token."""
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.host:
        raise NotYours
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise NotYours
    token, sent = session.get("token"), request.headers.get("X-Snake-Eye", "")
    if not token or not hmac.compare_digest(str(token).encode(), sent.encode()):
        raise NotYours(code="no-token")


def _check_body(*, takes_files: bool) -> None:
    is_json = request.mimetype == "application/json"
    if (request.content_length or 0) > (LARGEST_JSON_BYTES if is_json else LARGEST_PICTURE_BYTES):
        raise TooLarge
    if not is_json and not takes_files:
        raise BadRequest("send application/json")


def own_token() -> str:
    """Return the CSRF token of this guest's session; it is made at the first visit."""
    if "token" not in session:
        session["token"] = secrets.token_urlsafe(24)
        session.permanent = True
    return str(session["token"])


def caller() -> str:
    """Return the key for rate limits: the phone's IPv4 address, or its IPv6 network."""
    return network_of(request.remote_addr or "?")


def is_https() -> bool:
    """Say whether a request came in over https."""
    return request.is_secure


def limit(what: str, most: int, window_s: float) -> None:
    """Count a request of the caller; refuse it where a rate limit is exceeded."""
    limiter, who = _guard().limiter, caller()
    if wait := limiter.wait_s(what, who, most, window_s):
        raise TooOften(retry_after_s=wait)
    limiter.count(what, who)


def guess(
    what: str, check: Callable[[], T], wrong: WebError, *, of: object = "", frees: bool = True
) -> T:
    """Return what the check of a guess gives; refuse a wrong one, and all while the caller waits.

    Args:
        what: what is guessed, such as the PIN.
        check: brings something true where the guess is right.
        wrong: the refusal of a wrong guess.
        of: what distinguishes this PIN or code from the one before it, whose guesses do not count.
        frees: whether a right guess resets the count.
    """
    guesses, who, about = _guard().limiter.guesses, caller(), f"{what} {of}"
    try:
        right = guesses.tried(about, who, check)
    except TooOften as error:
        log.warning("%s guessing from %s is slowed for %d s", what, who, error.retry_after_s)
        raise
    if not right:
        log.warning("wrong %s from %s", what, who)
        raise wrong
    if frees:
        guesses.forget(about, who)
    return right


def _with_safe_headers(response: Response) -> Response:
    route = _route()
    is_public = route is not None and route.part.public
    response.headers.update(SAFE_HEADERS | (OPEN_TO_SITES if is_public else {}))
    if is_https() or request.host.partition(":")[0] in TRUSTED_HOSTS:
        # In an insecure context browsers ignore this header and log an error.
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
    return response

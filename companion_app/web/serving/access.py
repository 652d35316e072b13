"""Who may do what: roles, PIN and join code, cross-site protection, rate limits, safe headers.

Watchers look on, seats act for their own colour, and the host PIN gives full control; ``roles``
lists both roles and parts. Every change is a same-origin POST with a CSRF token that only our own
page knows. Wrong guesses are logged, and delay only the address that made them.
"""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flask import Flask, Request, Response, current_app, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature

from companion_app.web.serving.errors import (
    BadRequest,
    NotHost,
    NotSeated,
    NotYours,
    TooLarge,
    TooOften,
    WebError,
)
from companion_app.web.serving.limits import FREE_GUESSES, Limiter, network_of
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.roles import HOST, PARTS, SEAT, WATCHER, reaches
from companion_app.web.serving.sessions import LASTS_S, Session, Sessions

log = logging.getLogger(__name__)

PIN_TRIES = FREE_GUESSES
"""Wrong PINs or codes that one address may send before it has to wait, each time longer."""
POSTS = ("post", 60, 10.0)
"""Rate limit for one address: its name, the number of requests, and the window in seconds."""
UPLOADS = ("upload", 8, 60.0)
LOOKS = ("look", 200, 10.0)
"""Rate limit for requests about kept games; dragging the move slider asks 20 times a second."""
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
TRUSTED_HOSTS = ("localhost", "127.0.0.1")
"""Hosts that browsers treat as secure contexts even without https."""
HOME_NAMES = (".local", ".lan", ".home", ".internal", ".localdomain", ".home.arpa")
"""Suffixes of host names in home networks that nobody can register: reserved for local use
(``.local``, ``.home.arpa``, ``.internal``), permanently refused (``.home``) or never delegated
(``.lan``, ``.localdomain``). ``.box``, which some routers use, is on sale and so not listed."""
DEVICES = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "CrOS", "Linux")
COOKIE, SECURE_COOKIE = "snake_eye", "__Host-snake_eye"
View = TypeVar("View", bound=Callable[..., Any])
PART = "part_of"
"""Attribute of a view function: the part of the page it belongs to, by its name in ``PARTS``."""
TAKES_FILES = "takes_files"
"""Attribute of a view function that accepts a form with a file; all others accept only JSON."""


def protect(app: Flask, settings: SettingsFile, limiter: Limiter, sessions: Sessions) -> None:
    """Install sessions, request checks and security headers in an application."""
    app.config.update(
        SECRET_KEY=settings.now.secret,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        # A response already in flight during login must not overwrite the new session cookie.
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=int(LASTS_S),
        MAX_CONTENT_LENGTH=LARGEST_PICTURE_BYTES,
        MAX_FORM_MEMORY_SIZE=LARGEST_JSON_BYTES,
        MAX_FORM_PARTS=8,
    )
    app.session_interface = _Cookies()
    app.extensions["snake-eye-settings"] = settings
    app.extensions["snake-eye-sessions"] = sessions
    app.before_request(lambda: _guard(app, limiter))
    app.after_request(_with_safe_headers)


class _Cookies(SecureCookieSessionInterface):
    """Sessions in one cookie for http and a separate ``Secure`` cookie for https.

    A host's phone that is redirected from http to https for its camera stays host.
    """

    def get_cookie_name(self, app: Flask) -> str:
        return SECURE_COOKIE if is_https() else COOKIE

    def get_cookie_secure(self, app: Flask) -> bool:
        return is_https()

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        found = super().open_session(app, request)
        plain = request.cookies.get(COOKIE)
        signer = self.get_signing_serializer(app)
        if found or plain is None or signer is None or not is_https():
            return found
        try:
            taken = self.session_class(signer.loads(plain, max_age=int(LASTS_S)))
        except BadSignature:
            return found
        taken.modified = True
        return taken


def _guard(app: Flask, limiter: Limiter) -> None:
    check_own_name(request)
    view = app.view_functions.get(request.endpoint or "")
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        limit(limiter, *POSTS)
        check_own_page(request)
        is_json = request.mimetype == "application/json"
        largest = LARGEST_JSON_BYTES if is_json else LARGEST_PICTURE_BYTES
        if (request.content_length or 0) > largest:
            raise TooLarge
        if not is_json and not getattr(view, TAKES_FILES, False):
            raise BadRequest("send application/json")
    if view is not None:
        check_part(part_of_view(view))


def part_of_view(view: Callable[..., Any]) -> str:
    """Return the part of the page that a view belongs to; an unmarked view is for the host."""
    return str(getattr(view, PART, "hosting"))


def check_part(part: str) -> None:
    """Refuse a guest whose role does not reach a part of the page."""
    least = _settings().now.least(part)
    if not reaches(role(), least):
        raise NotHost if least == HOST else NotSeated


def caller() -> str:
    """Return the key for rate limits: the phone's IPv4 address, or its IPv6 network."""
    return network_of(request.remote_addr or "?")


def is_https() -> bool:
    """Say whether a request came in over https."""
    return request.is_secure


def limit(limiter: Limiter, what: str, most: int, window_s: float) -> None:
    """Count a request of the caller; refuse it where a rate limit is exceeded."""
    who = caller()
    if wait := limiter.wait_s(what, who, most, window_s):
        raise TooOften(retry_after_s=wait)
    limiter.count(what, who)


def limit_uploads(limiter: Limiter) -> None:
    """Apply the rate limit for uploaded pictures."""
    limit(limiter, *UPLOADS)


def limit_looks(limiter: Limiter) -> None:
    """Apply the rate limit for requests about kept games."""
    limit(limiter, *LOOKS)


def check_own_name(asked: Request) -> None:
    """Refuse a request whose ``Host`` is no name of a home network (DNS rebinding).

    A hostile site can point its own domain at this machine; the browser would then treat that
    site's page as same-origin with ours.
    """
    name = (urlsplit(f"//{asked.host}").hostname or "").rstrip(".")
    if "." not in name or ":" in name or name.replace(".", "").isdigit():
        return
    if not name.endswith(HOME_NAMES) and name not in _settings().now.names:
        raise NotYours(code="other-name")


def check_own_page(asked: Request) -> None:
    """Refuse cross-site requests (CSRF): check origin, fetch metadata and token."""
    origin = asked.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != asked.host:
        raise NotYours
    if asked.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise NotYours
    token = session.get("token")
    if not token or not hmac.compare_digest(
        str(token).encode(), asked.headers.get("X-Snake-Eye", "").encode()
    ):
        raise NotYours(code="no-token")


def own_token() -> str:
    """Return the CSRF token of this guest's session; it is made at the first visit."""
    if "token" not in session:
        session["token"] = secrets.token_urlsafe(24)
        session.permanent = True
    return str(session["token"])


# --- identity and sessions -----------------------------------------------------------------------


def role() -> str:
    """Return the highest role that this guest holds."""
    if is_host():
        return HOST
    return SEAT if seats() else WATCHER


def is_host() -> bool:
    """Say whether this guest has shown the PIN that is valid now."""
    return _session().host == _settings().now.pin_number


def has_joined() -> bool:
    """Say whether this guest has shown the join code that is valid now."""
    return _session().code == _settings().now.join_number


def seats() -> tuple[str, ...]:
    """Return the players that this guest may act for."""
    return _session().seats if has_joined() else ()


def _settings() -> SettingsFile:
    found: SettingsFile = current_app.extensions["snake-eye-settings"]
    return found


def _sessions() -> Sessions:
    found: Sessions = current_app.extensions["snake-eye-sessions"]
    return found


def _session() -> Session:
    """Return the server-side session of this guest, or a fresh one without rights."""
    if "known" not in g:
        id_ = session.get("id")
        found = _sessions().find(id_) if isinstance(id_, str) else None
        g.known = found or _sessions().fresh(_device())
    known: Session = g.known
    return known


def _grant(**changes: Any) -> None:
    """Change this guest's rights; the session gets a new id, which prevents session fixation."""
    known = replace(_session(), **changes)
    g.known = replace(known, made_s=known.seen_s)
    before = session.get("id")
    session["id"] = _sessions().begin(g.known)
    session.permanent = True
    if isinstance(before, str):
        _sessions().end(before)


def stay_host() -> None:
    """Keep this guest host after changing the PIN."""
    _grant(host=_settings().now.pin_number)


def sit(held: tuple[str, ...]) -> None:
    """Let this guest act for exactly these players."""
    _grant(seats=held)


def end_others() -> None:
    """End every session but this guest's."""
    _sessions().end_others(str(session["id"]))


def log_out() -> None:
    """End this guest's session, on the server too."""
    if isinstance(id_ := session.pop("id", None), str):
        _sessions().end(id_)
    g.pop("known", None)


def _device() -> str:
    """Return the kind of device that the browser's user agent names, or an empty text."""
    agent = request.user_agent.string
    return next((name for name in DEVICES if name in agent), "")


# --- decorators for views ------------------------------------------------------------------------


def part_of(part: str) -> Callable[[View], View]:
    """Return a decorator that assigns a view to a part of the page, which sets who may call it."""
    assert part in PARTS, part

    def marked(view: View) -> View:
        setattr(view, PART, part)
        return view

    return marked


def takes_files(view: View) -> View:
    """Mark a view that takes a form with a file."""
    setattr(view, TAKES_FILES, True)
    return view


# --- PIN and code --------------------------------------------------------------------------------


def try_pin(pin: str, settings: SettingsFile, limiter: Limiter) -> None:
    """Make this guest the host by the PIN.

    Raises:
        NotHost: the PIN is wrong.
        TooOften: too many wrong ones from here; says how long to wait.
    """
    number = settings.now.pin_number
    _guess("PIN", number, lambda: settings.is_pin(pin), limiter, NotHost(code="wrong-pin"))
    _grant(host=number)


def try_card(code: str, settings: SettingsFile, limiter: Limiter) -> None:
    """Make this guest the host by the code that the phone read from the host card.

    Raises:
        NotHost: the code is not the one on the valid card.
        TooOften: too many wrong ones from here; says how long to wait.
    """
    number = settings.now.pin_number
    _guess("card", number, lambda: settings.is_card(code), limiter, NotHost(code="wrong-card"))
    _grant(host=number)


def try_code(code: str, settings: SettingsFile, limiter: Limiter) -> None:
    """Let this guest join the table by the join code.

    Raises:
        NotSeated: the code is wrong.
        TooOften: too many wrong ones from here; says how long to wait.
    """
    now, told = settings.now, code.strip().upper().encode(errors="replace")
    _guess(
        "code",
        now.join_number,
        lambda: hmac.compare_digest(told, now.join_code.encode()),
        limiter,
        NotSeated(code="wrong-code"),
    )
    _grant(code=now.join_number)


def _guess(
    what: str, number: int, is_right: Callable[[], bool], limiter: Limiter, wrong: WebError
) -> None:
    """Refuse a wrong guess, and every guess while the caller has to wait; others never wait.

    Wrong guesses count for one PIN or code; a changed PIN or code resets the count.
    """
    who, about = caller(), f"{what} {number}"
    try:
        right = limiter.guesses.tried(about, who, is_right)
    except TooOften as error:
        log.warning("%s guessing from %s is slowed for %d s", what, who, error.retry_after_s)
        raise
    if not right:
        log.warning("wrong %s from %s", what, who)
        raise wrong
    limiter.guesses.forget(about, who)


def _with_safe_headers(response: Response) -> Response:
    response.headers.update(SAFE_HEADERS)
    if is_https() or request.host.partition(":")[0] in TRUSTED_HOSTS:
        # In an insecure context browsers ignore this header and log an error.
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
    return response

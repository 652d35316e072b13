"""Who may do what: host PIN, sessions, cross-site protection, rate limits, safe headers.

Anyone with the link looks. The host PIN controls. Every change is a POST with a token that only
our own page knows, from our own address. PIN guesses are slowed for the guesser and, when many
guess at once, for everybody, and are logged.
"""

from __future__ import annotations

import hmac
import json
import logging
import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flask import Flask, Request, Response, current_app, request, session

from companion_app.web.serving.errors import BadRequest, NotHost, NotYours, TooLarge, TooOften

log = logging.getLogger(__name__)

PIN_TRIES, PIN_WINDOW_S = 5, 60.0
"""So many wrong PINs a minute from one address; then it waits the minute out."""
PIN_TRIES_ALL, PIN_WINDOW_ALL_S = 40, 600.0
"""The same for all addresses together, since a guest may have several: at 40 in ten minutes a
million PINs take half a year."""
POSTS, POSTS_WINDOW_S = 60, 10.0
UPLOADS, UPLOADS_WINDOW_S = 8, 60.0
LOOKS, LOOKS_WINDOW_S = 200, 10.0
"""Old games looked at or listed by one address: a slider drawn through a game asks 20 times a
second."""
MOST_ADDRESSES = 4096
"""Addresses that are counted each for itself; while there are more, newcomers share one count."""
LONGEST_WINDOW_S = PIN_WINDOW_ALL_S
LARGEST_JSON_BYTES = 256 * 1024
LARGEST_PICTURE_BYTES = 24 * 1024 * 1024
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; media-src 'self' blob:; object-src 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; form-action 'self'"
)
HOME_NAMES = (".local", ".lan", ".home", ".box", ".internal", ".localdomain", ".home.arpa")
"""How names end that routers give to machines at home; nobody else can have one of these."""
View = TypeVar("View", bound=Callable[..., Any])
MUST_BE_HOST = "must_be_host"
"""Attribute of a view function that only the host may call."""
TAKES_FILES = "takes_files"
"""Attribute of a view function that takes a form with a file; all others take JSON alone."""


@dataclass(frozen=True)
class Settings:
    """What is kept between starts, on this device only."""

    secret: str
    """Signs the session cookies."""
    pin: str
    pin_number: int = 1
    """Grows with every change of the PIN, so that old sessions end."""
    players_answer: bool = True
    """Whether anyone at the table may answer questions, tell rolls and pass."""
    pictures_mb: int = 500
    """How much room kept pictures may take."""
    source: str = ""
    """The camera that was chosen on the page; empty: the first that is found."""


class SettingsFile:
    """The settings and the file they are kept in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.now = self._read()

    def change(self, **changes: object) -> Settings:
        """Change settings and keep them."""
        with self._lock:
            self.now = replace(self.now, **changes)  # type: ignore[arg-type]
            self._write()
        return self.now

    def change_pin(self, pin: str) -> None:
        """Change the PIN; everybody else who was host is no longer."""
        if not (pin.isascii() and pin.isdigit() and 4 <= len(pin) <= 12):
            raise BadRequest(code="bad-pin")
        self.change(pin=pin, pin_number=self.now.pin_number + 1)

    def _read(self) -> Settings:
        fresh = Settings(secrets.token_hex(32), f"{secrets.randbelow(10**6):06d}")
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            known = {k: v for k, v in kept.items() if k in asdict(fresh)}
            return replace(fresh, **known)
        except (OSError, ValueError, TypeError, AttributeError):
            self.now = fresh
            self._write()
            return fresh

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        beside = self._path.with_suffix(".new")
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(self.now), file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self._path)


class Limiter:
    """Counts what an address did lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._done: dict[tuple[str, str], deque[float]] = {}
        self._cleaned_s = clock()
        self._lock = threading.Lock()

    def wait_s(self, what: str, who: str, most: int, window_s: float) -> int:
        """Return how long one has to wait; 0 when it is allowed."""
        with self._lock:
            times = self._recent(what, who, window_s)
            return 0 if len(times) < most else max(1, round(times[0] + window_s - self._clock()))

    def count(self, what: str, who: str) -> None:
        """Take note of one more."""
        with self._lock:
            key = self._counted_as(what, who)
            self._done.setdefault(key, deque(maxlen=256)).append(self._clock())

    def forget(self, what: str, who: str) -> None:
        """Begin anew for an address."""
        with self._lock:
            self._done.pop((what, who), None)

    def _recent(self, what: str, who: str, window_s: float) -> deque[float]:
        times = self._done.get(self._counted_as(what, who), deque[float]())
        while times and times[0] <= self._clock() - window_s:
            times.popleft()
        return times

    def _counted_as(self, what: str, who: str) -> tuple[str, str]:
        """Return the place of an address: its own, or with all newcomers while there is none."""
        key, now_s = (what, who), self._clock()
        if key in self._done or len(self._done) < MOST_ADDRESSES:
            return key
        if now_s - self._cleaned_s >= 1.0:
            self._cleaned_s = now_s
            since_s = now_s - LONGEST_WINDOW_S
            self._done = {k: v for k, v in self._done.items() if v and v[-1] > since_s}
        return key if len(self._done) < MOST_ADDRESSES else (what, "")


def protect(app: Flask, settings: SettingsFile, limiter: Limiter) -> None:
    """Put the guards around an application."""
    app.config.update(
        SECRET_KEY=settings.now.secret,
        SESSION_COOKIE_NAME="snake_eye",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        # Answers on their way when the PIN is shown must not bring the older session back.
        SESSION_REFRESH_EACH_REQUEST=False,
        MAX_CONTENT_LENGTH=LARGEST_PICTURE_BYTES,
        MAX_FORM_MEMORY_SIZE=LARGEST_JSON_BYTES,
        MAX_FORM_PARTS=8,
    )
    app.before_request(lambda: _guard(app, limiter))
    app.after_request(_with_safe_headers)


def _guard(app: Flask, limiter: Limiter) -> None:
    check_own_name(request)
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    limit(limiter, "post", POSTS, POSTS_WINDOW_S)
    check_own_page(request)
    length = request.content_length or 0
    if length > (
        LARGEST_JSON_BYTES if request.mimetype == "application/json" else LARGEST_PICTURE_BYTES
    ):
        raise TooLarge
    view = app.view_functions.get(request.endpoint or "")
    if request.mimetype != "application/json" and not getattr(view, TAKES_FILES, False):
        raise BadRequest("send application/json")
    if getattr(view, MUST_BE_HOST, False) and not is_host():
        raise NotHost


def limit(limiter: Limiter, what: str, most: int, window_s: float) -> None:
    """Refuse what an address does more often than it may."""
    who = request.remote_addr or "?"
    if wait := limiter.wait_s(what, who, most, window_s):
        raise TooOften(retry_after_s=wait)
    limiter.count(what, who)


def limit_uploads(limiter: Limiter) -> None:
    """Refuse more pictures a minute than anybody needs."""
    limit(limiter, "upload", UPLOADS, UPLOADS_WINDOW_S)


def limit_looks(limiter: Limiter) -> None:
    """Refuse more looks at old games than anybody can look at."""
    limit(limiter, "look", LOOKS, LOOKS_WINDOW_S)


def check_own_name(asked: Request) -> None:
    """Refuse what was sent to a name that no machine at home has.

    A site elsewhere may let its own name point at this machine; its page would then pass for ours
    in the eyes of a browser.
    """
    name = (urlsplit(f"//{asked.host}").hostname or "").rstrip(".")
    if not name or "." not in name or ":" in name or name.replace(".", "").isdigit():
        return
    if not name.endswith(HOME_NAMES):
        raise NotYours("open the page by its address, or as snake-eye.local")


def check_own_page(asked: Request) -> None:
    """Refuse what another site's page sends in a guest's name."""
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
    """Return the token of this guest's page; made at the first visit."""
    if "token" not in session:
        session["token"] = secrets.token_urlsafe(24)
        session.permanent = True
    return str(session["token"])


def is_host() -> bool:
    """Say whether this guest has shown the PIN that is valid now."""
    settings: SettingsFile = current_app.extensions["snake-eye-settings"]
    return session.get("host") == settings.now.pin_number


def must_be_host(view: View) -> View:
    """Mark a view that only the host may call."""
    setattr(view, MUST_BE_HOST, True)
    return view


def takes_files(view: View) -> View:
    """Mark a view that takes a form with a file."""
    setattr(view, TAKES_FILES, True)
    return view


def try_pin(pin: str, settings: SettingsFile, limiter: Limiter) -> None:
    """Make this guest the host, or say why not.

    Raises:
        NotHost: the PIN is wrong.
        TooOften: too many wrong ones; says how long to wait.
    """
    who = request.remote_addr or "?"
    wait = max(
        limiter.wait_s("pin", who, PIN_TRIES, PIN_WINDOW_S),
        limiter.wait_s("pin", "everybody", PIN_TRIES_ALL, PIN_WINDOW_ALL_S),
    )
    if wait:
        log.warning("PIN guessing from %s is slowed for %d s", who, wait)
        raise TooOften(retry_after_s=wait)
    if not hmac.compare_digest(pin.encode(), settings.now.pin.encode()):
        limiter.count("pin", who)
        limiter.count("pin", "everybody")
        log.warning("wrong PIN from %s", who)
        raise NotHost(code="wrong-pin")
    limiter.forget("pin", who)
    session["host"] = settings.now.pin_number


def _with_safe_headers(response: Response) -> Response:
    headers = response.headers
    headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    headers["X-Frame-Options"] = "DENY"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(self), microphone=(), geolocation=()"
    headers.setdefault("Cache-Control", "no-store")
    return response

"""Who a guest at a table is: watchers look on, seats act for their own colour, a host has the PIN.

What each role may do is listed in ``access.toml``.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flask import Flask, Request, current_app, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature

from companion_app.games.people import Sitting
from companion_app.web.serving import guard
from companion_app.web.serving.errors import NotHost, NotSeated, WebError
from companion_app.web.serving.guard import is_https
from companion_app.web.serving.limits import Limiter
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.routes import HOST, SEAT, TABLE, WATCHER, Route, Table, reaches
from companion_app.web.serving.sessions import LASTS_S, Session, Sessions

DEVICES = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "CrOS", "Linux")
COOKIE, SECURE_COOKIE = "snake_eye", "__Host-snake_eye"


def protect(
    app: Flask,
    settings: SettingsFile,
    limiter: Limiter,
    sessions: Sessions,
    sitting: Callable[[], Sitting],
    table: Table = TABLE,
) -> None:
    """Install sessions, request checks and security headers in an application.

    Seats are those of the game that is on; ``sitting`` returns who sits at it.
    """
    app.session_interface = _Cookies()
    app.extensions["snake-eye-sitting"] = sitting
    app.extensions["snake-eye-settings"] = settings
    app.extensions["snake-eye-sessions"] = sessions
    checks = guard.Guard(table, limiter, _check_role, lambda: settings.now.names)
    guard.protect(app, checks, secret=settings.now.secret, lasts_s=LASTS_S)


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


def _check_role(route: Route) -> None:
    """Refuse a guest whose role does not reach a part of the page."""
    least = _settings().now.least(route.part.name)
    if not reaches(role(), least):
        raise NotHost if least == HOST else NotSeated


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
    held = _session()
    if not (has_joined() and held.seats):
        return ()
    return held.at(sitting()).seats


def asks_who() -> bool:
    """Say whether this phone sat at the game before, and nobody of its people sits at this one."""
    held = _session()
    if not (has_joined() and held.seats and held.game):
        return False
    return held.game != sitting().key and bool(sitting().people) and not seats()


def sitting() -> Sitting:
    """Return who sits at the game that is on."""
    if "sitting" not in g:
        g.sitting = current_app.extensions["snake-eye-sitting"]()
    now: Sitting = g.sitting
    return now


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
    """Let this guest act for exactly these players, and in later games for the same people."""
    now = _session().seated(held, sitting())
    _grant(seats=now.seats, people=now.people, game=now.game)


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


# --- PIN and code --------------------------------------------------------------------------------


def try_pin(pin: str) -> None:
    """Make this guest the host by the PIN.

    Raises:
        NotHost: the PIN is wrong.
        TooOften: too many wrong ones from here; says how long to wait.
    """
    _be_host("PIN", lambda: _settings().is_pin(pin), NotHost(code="wrong-pin"))


def try_card(code: str) -> None:
    """Make this guest the host by the code that the phone read from the host card.

    Raises:
        NotHost: the code is not the one on the valid card.
        TooOften: too many wrong ones from here; says how long to wait.
    """
    _be_host("card", lambda: _settings().is_card(code), NotHost(code="wrong-card"))


def _be_host(what: str, is_right: Callable[[], bool], wrong: WebError) -> None:
    number = _settings().now.pin_number
    guard.guess(what, is_right, wrong, of=number)
    _grant(host=number)


def try_code(code: str) -> None:
    """Let this guest join the table by the join code.

    Raises:
        NotSeated: the code is wrong.
        TooOften: too many wrong ones from here; says how long to wait.
    """
    now, told = _settings().now, code.strip().upper().encode(errors="replace")
    guard.guess(
        "code",
        lambda: hmac.compare_digest(told, now.join_code.encode()),
        NotSeated(code="wrong-code"),
        of=now.join_number,
    )
    _grant(code=now.join_number)

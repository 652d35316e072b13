"""Who is an arbiter: whoever has shown the hall's PIN. ``access.toml`` lists what arbiters may."""

from __future__ import annotations

from flask import Flask, session

from companion_app.hall.web import arbiter_sessions
from companion_app.hall.web.hall import Hall, hall, is_pin, secret_of
from companion_app.web.serving import guard
from companion_app.web.serving.errors import BadRequest, NotHost
from companion_app.web.serving.routes import ARBITER, HALL, Route

LONGEST_WHO = 40


def protect(app: Flask, the_hall: Hall) -> None:
    """Install sessions, request checks and security headers in an application."""
    app.config["SESSION_COOKIE_NAME"] = "snake_eye_hall"
    store = the_hall.store
    checks = guard.Guard(HALL, the_hall.limiter, _check_role, lambda: (store.fact("name") or "",))
    guard.protect(app, checks, secret=secret_of(store), lasts_s=arbiter_sessions.LASTS_S)


def _check_role(route: Route) -> None:
    if route.part.least == ARBITER and arbiter() is None:
        raise NotHost(code="not-arbiter")


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
    guard.guess("PIN", lambda: is_pin(hall().store, pin), NotHost(code="wrong-pin"))
    session["arbiter"] = arbiter_sessions.begin(hall().store, name)
    session.permanent = True


def log_out() -> None:
    """Sign this phone out, and whoever has a copy of its cookie."""
    number = session.pop("arbiter", None)
    if isinstance(number, str):
        arbiter_sessions.end(hall().store, number)

"""Who may do what: roles, PIN and join code, cross-site protection, rate limits, safe headers.

Watchers look, seats speak for their own colour, the host PIN controls; ``roles`` has the list.
Every change is a POST with a token that only our own page knows, from our own address. Guesses are
slowed for the guesser alone, and are logged.
"""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Callable, Iterable
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
from companion_app.web.serving.page_file import Settings, SettingsFile
from companion_app.web.serving.roles import HOST, PARTS, SEAT, WATCHER, reaches
from companion_app.web.serving.sessions import LASTS_S, Session, Sessions

log = logging.getLogger(__name__)

PIN_TRIES = FREE_GUESSES
"""So many wrong PINs or codes from one address; then it waits, each time longer."""
POSTS = ("post", 60, 10.0)
"""What one address may do, how often, in how many seconds."""
UPLOADS = ("upload", 8, 60.0)
LOOKS = ("look", 200, 10.0)
"""Old games looked at or listed: a slider drawn through a game asks 20 times a second."""
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
"""Browsers take these for as safe as https."""
HOME_NAMES = (".local", ".lan", ".home", ".internal", ".localdomain", ".home.arpa")
"""How names end that routers give to machines at home and that nobody can buy: reserved for homes
(``.local``, ``.home.arpa``, ``.internal``), refused for good (``.home``) or never given out
(``.lan``, ``.localdomain``). ``.box``, which some routers use, is sold to anybody."""
DEVICES = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "CrOS", "Linux")
COOKIE, SECURE_COOKIE = "snake_eye", "__Host-snake_eye"
View = TypeVar("View", bound=Callable[..., Any])
PART = "part_of"
"""Attribute of a view function: the part of the page it belongs to, by its name in ``PARTS``."""
OverHttps = Callable[[str, int], str | None]
"""Returns the phone behind a line of the https front, by where the line comes from."""
TAKES_FILES = "takes_files"
"""Attribute of a view function that takes a form with a file; all others take JSON alone."""


def protect(
    app: Flask, settings: SettingsFile, limiter: Limiter, sessions: Sessions, over_https: OverHttps
) -> None:
    """Put the guards around an application."""
    app.config.update(
        SECRET_KEY=settings.now.secret,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        # Answers on their way when the PIN is shown must not bring the older session back.
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=int(LASTS_S),
        MAX_CONTENT_LENGTH=LARGEST_PICTURE_BYTES,
        MAX_FORM_MEMORY_SIZE=LARGEST_JSON_BYTES,
        MAX_FORM_PARTS=8,
    )
    app.session_interface = _Cookies()
    app.extensions["snake-eye-settings"] = settings
    app.extensions["snake-eye-sessions"] = sessions
    app.extensions["snake-eye-over-https"] = over_https
    app.before_request(lambda: _guard(app, limiter))
    app.after_request(_with_safe_headers)


class _Cookies(SecureCookieSessionInterface):
    """One cookie for http; one of its own for https, which never goes over a plain line.

    A phone that was host over http stays so when it is sent to https for its camera.
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
    """Return the part of the page that a view belongs to; what says nothing is the host's."""
    return str(getattr(view, PART, "hosting"))


def check_part(part: str) -> None:
    """Refuse whoever may not do what belongs to a part of the page."""
    least = _settings().now.least(part)
    if not reaches(role(), least):
        raise NotHost if least == HOST else NotSeated


def caller() -> str:
    """Return whom a request counts for: the phone's address, or its network."""
    return network_of(_behind_https() or request.remote_addr or "?")


def is_https() -> bool:
    """Say whether a request came in over https."""
    return _behind_https() is not None


def _behind_https() -> str | None:
    over_https: OverHttps = current_app.extensions["snake-eye-over-https"]
    port = str(request.environ.get("REMOTE_PORT"))
    return over_https(request.remote_addr or "", int(port) if port.isdigit() else 0)


def limit(limiter: Limiter, what: str, most: int, window_s: float) -> None:
    """Refuse what an address does more often than it may."""
    who = caller()
    if wait := limiter.wait_s(what, who, most, window_s):
        raise TooOften(retry_after_s=wait)
    limiter.count(what, who)


def limit_uploads(limiter: Limiter) -> None:
    """Refuse more pictures a minute than anybody needs."""
    limit(limiter, *UPLOADS)


def limit_looks(limiter: Limiter) -> None:
    """Refuse more looks at old games than anybody can look at."""
    limit(limiter, *LOOKS)


def check_own_name(asked: Request) -> None:
    """Refuse what was sent to a name that no machine at home has.

    A site elsewhere may let its own name point at this machine; its page would then pass for ours
    in the eyes of a browser.
    """
    name = (urlsplit(f"//{asked.host}").hostname or "").rstrip(".")
    if "." not in name or ":" in name or name.replace(".", "").isdigit():
        return
    if not name.endswith(HOME_NAMES) and name not in _settings().now.names:
        raise NotYours(code="other-name")


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


# --- who it is -----------------------------------------------------------------------------------


def role() -> str:
    """Return what this guest is: the most of the roles that he may claim."""
    if is_host():
        return HOST
    return SEAT if seats() else WATCHER


def is_host() -> bool:
    """Say whether this guest has shown the PIN that is valid now."""
    settings = _settings().now
    if "host" in session:
        _take_over_old_cookie(settings)
    return _session().host == settings.pin_number


def has_joined() -> bool:
    """Say whether this guest has shown the join code that is valid now."""
    return _session().code == _settings().now.join_number


def seats() -> tuple[str, ...]:
    """Return the players that this guest speaks for."""
    return _session().seats if has_joined() else ()


def _settings() -> SettingsFile:
    found: SettingsFile = current_app.extensions["snake-eye-settings"]
    return found


def _sessions() -> Sessions:
    found: Sessions = current_app.extensions["snake-eye-sessions"]
    return found


def _session() -> Session:
    """Return what the server knows of this guest's phone."""
    if "known" not in g:
        id_ = session.get("id")
        found = _sessions().find(id_) if isinstance(id_, str) else None
        g.known = found or _sessions().fresh(_device())
    known: Session = g.known
    return known


def _grant(**changes: Any) -> None:
    """Let this guest do more; the number in his cookie is another from now on."""
    known = replace(_session(), **changes)
    g.known = replace(known, made_s=known.seen_s)
    before = session.get("id")
    session["id"] = _sessions().begin(g.known)
    session.permanent = True
    if isinstance(before, str):
        _sessions().end(before)


def _take_over_old_cookie(settings: Settings) -> None:
    """Make a session of a cookie of version 0.1.0, which was good for itself."""
    if session.pop("host") == settings.old_cookies == settings.pin_number:
        _grant(host=settings.pin_number)


def stay_host() -> None:
    """Keep the host who changed the PIN."""
    _grant(host=_settings().now.pin_number)


def sit(held: tuple[str, ...]) -> None:
    """Let this guest speak for these players, and no others."""
    _grant(seats=held)


def end_others() -> None:
    """End every session but this guest's."""
    if _settings().now.old_cookies:
        _settings().change(old_cookies=0)
    _sessions().end_others(str(session["id"]))


def log_out() -> None:
    """End this guest's session, on the server too."""
    was_host = is_host()
    if isinstance(id_ := session.pop("id", None), str):
        _sessions().end(id_)
    g.pop("known")
    if was_host and _settings().now.old_cookies:
        # Cookies of version 0.1.0 cannot be told apart; a copy of this one must end too.
        _settings().change(old_cookies=0)


def _device() -> str:
    """Return what kind of phone a browser says it runs on."""
    agent = request.user_agent.string
    return next((name for name in DEVICES if name in agent), "")


# --- what views say ------------------------------------------------------------------------------


def part_of(part: str) -> Callable[[View], View]:
    """Mark a view as belonging to a part of the page, and so open to those that the part is."""
    assert part in PARTS, part

    def marked(view: View) -> View:
        setattr(view, PART, part)
        return view

    return marked


def must_be_host(view: View) -> View:
    """Mark a view that only the host may call."""
    return part_of("hosting")(view)


def takes_files(view: View) -> View:
    """Mark a view that takes a form with a file."""
    setattr(view, TAKES_FILES, True)
    return view


# --- PIN and code --------------------------------------------------------------------------------


def try_pin(pin: str, settings: SettingsFile, limiter: Limiter) -> None:
    """Make this guest the host, or say why not.

    Raises:
        NotHost: the PIN is wrong.
        TooOften: too many wrong ones from here; says how long to wait.
    """
    number = settings.now.pin_number
    _guess("PIN", number, lambda: settings.is_pin(pin), limiter, NotHost(code="wrong-pin"))
    _grant(host=number)


def try_card(code: str, settings: SettingsFile, limiter: Limiter) -> None:
    """Make this guest the host by the code that his phone read from the card.

    Raises:
        NotHost: it is not the one on the card that is valid.
        TooOften: too many wrong ones from here; says how long to wait.
    """
    number = settings.now.pin_number
    _guess("card", number, lambda: settings.is_card(code), limiter, NotHost(code="wrong-card"))
    _grant(host=number)


def try_cards_seen(codes: Iterable[str], settings: SettingsFile) -> None:
    """Make this guest the host where the camera sees the card; looking is no guess.

    Raises:
        NotHost: the card is not among the codes that it sees.
    """
    number = settings.now.pin_number
    if not any(settings.is_card(code) for code in codes):
        raise NotHost(code="card-not-seen")
    _grant(host=number)


def phone_code(make: Callable[[], str]) -> str:
    """Return the code that this phone shows to the camera, so that no other one is meant."""
    if "phone" not in session:
        session["phone"] = make()
        session.permanent = True
    return str(session["phone"])


def forget_phone_code() -> None:
    """Let this phone show another code next time."""
    session.pop("phone", None)


def try_code(code: str, settings: SettingsFile, limiter: Limiter) -> None:
    """Let this guest join the table, or say why not.

    Raises:
        NotSeated: the code is wrong.
        TooOften: too many wrong ones from here; says how long to wait.
    """
    now, told = settings.now, code.strip().upper().encode(errors="replace")
    _guess("code", now.join_number, lambda: hmac.compare_digest(told, now.join_code.encode()),
           limiter, NotSeated(code="wrong-code"))  # fmt: skip
    _grant(code=now.join_number)


def _guess(
    what: str, number: int, is_right: Callable[[], bool], limiter: Limiter, wrong: WebError
) -> None:
    """Refuse a wrong guess, and any while the guesser has to wait; nobody else waits for it.

    Guesses count for one PIN or code; at another one everybody begins anew.
    """
    who, about = caller(), f"{what} {number}"
    if wait := limiter.guesses.wait_s(about, who):
        log.warning("%s guessing from %s is slowed for %d s", what, who, wait)
        raise TooOften(retry_after_s=wait)
    if not is_right():
        limiter.guesses.wrong(about, who)
        log.warning("wrong %s from %s", what, who)
        raise wrong
    limiter.guesses.forget(about, who)


def _with_safe_headers(response: Response) -> Response:
    response.headers.update(SAFE_HEADERS)
    if is_https() or request.host.partition(":")[0] in TRUSTED_HOSTS:
        # Elsewhere browsers ignore it, and say so in red.
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
    return response

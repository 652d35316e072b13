"""What views need: what the page stands on, the guest's language and words, and what was sent.

Imports no view; the factory in ``app.py`` joins them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Response, current_app, request

from calibration.learn import Photo
from companion_app.hands.pool import Hands
from companion_app.web.camera import TableCamera
from companion_app.web.checking import Checker
from companion_app.web.corrections import Corrections
from companion_app.web.desk import Desk
from companion_app.web.feeder import Feeder
from companion_app.web.replays import Place
from companion_app.web.scoring import ReadPhoto
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.https_front import HttpsOffer
from companion_app.web.serving.limits import Limiter
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.sessions import Sessions
from companion_app.web.serving.shared import Packer, SharedAnswers
from companion_app.web.speech import Speech, best_language
from companion_app.web.summaries import Summaries
from engine.errors import RecordError
from engine.given import load_json
from engine.record import Record

MakeFeeder = Callable[[Record], Feeder | None]
"""What shows tables to a new game: the camera, or a recorded game."""


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

    hands: Hands = field(default_factory=Hands)
    """Does the heavy work of guests, apart from the game."""
    shared: SharedAnswers = field(default_factory=SharedAnswers)
    packer: Packer = field(default_factory=Packer)

    def __post_init__(self) -> None:
        self.summaries = Summaries(lambda: self.place, self.hands)
        self.desk.pictures_mb = lambda: self.settings.now.pictures_mb

    @property
    def place(self) -> Place:
        """Where games and their boxes lie, for those that read them without the desk."""
        return Place(self.desk.store.path, self.desk.set_folders)


def companion() -> Companion:
    """Return what the page stands on."""
    found: Companion = current_app.extensions["snake-eye"]
    return found


def language() -> str:
    """Return the guest's language: asked for, chosen before, or what the browser reads."""
    wanted = request.args.get("lang") or request.cookies.get("language")
    return best_language(wanted, [name for name, _ in request.accept_languages])


def join_code_shown() -> str | None:
    """Return the join code for whoever may hand it on: the host, and who has joined by it."""
    known = access.is_host() or access.has_joined()
    return companion().settings.now.join_code if known else None


def speech(names: Mapping[str, str] | None = None) -> Speech:
    """Return the words for this guest."""
    return Speech(language(), companion().desk.names if names is None else names)


def asked() -> Mapping[str, Any]:
    """Return the JSON object that was sent."""
    try:
        sent = load_json(request.get_data()) if request.content_length else {}
    except RecordError as error:
        raise BadRequest(error.problem) from None
    if not isinstance(sent, dict):
        raise BadRequest("send one JSON object")
    return sent


def camera() -> TableCamera:
    """Return the camera over the table."""
    found = companion().camera
    if found is None:
        raise NotFound(code="no-camera")
    return found


def svg_answer(drawn: str) -> Response:
    """Return a drawing."""
    answer = Response(drawn, mimetype="image/svg+xml")
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    return answer.make_conditional(request)  # type: ignore[return-value]

"""What views need: what the page stands on, the guest's language and words, and what was sent.

Imports no view; the factory in ``app.py`` joins them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import Response, current_app

from companion_app.hands.pool import Hands
from companion_app.help_orders import help_is_off
from companion_app.kept_looks import KeptLooks
from companion_app.labelled import LabelledPictures
from companion_app.line.ends import Eye
from companion_app.line.hub import Hub
from companion_app.live.kept import Kept
from companion_app.live.match import Match
from companion_app.refusal import Refusal
from companion_app.seat.player import NoPlayer, Player
from companion_app.web import snapshot
from companion_app.web.alone import AloneGames
from companion_app.web.drawing.table import warm_up
from companion_app.web.looked_over import LookedOver
from companion_app.web.looking import Check
from companion_app.web.place import Place
from companion_app.web.replica import Now, Replica
from companion_app.web.scoring import ReadPhoto
from companion_app.web.serving import access
from companion_app.web.serving.exchange import fresh, language
from companion_app.web.serving.https_front import HttpsOffer
from companion_app.web.serving.limits import Limiter
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.sessions import Sessions
from companion_app.web.serving.shared import Lately, Packer, SharedAnswers
from companion_app.web.speech import Speech
from companion_app.web.summaries import Summaries


@dataclass
class Companion:
    """Everything that the page stands on."""

    eye: Eye
    """Owns the game; what is changed is changed there."""
    settings: SettingsFile
    place: Place
    """Where games and their boxes lie, to be read."""
    hub: Hub = field(default_factory=Hub)
    read_photo: ReadPhoto | None = None
    """``None`` where no picture can be read on this machine."""
    address: str = ""
    """Where phones find the page, for the QR code."""
    limiter: Limiter = field(default_factory=Limiter)
    sessions: Sessions = field(default_factory=Sessions)
    """Phones that showed the PIN or the join code."""
    checker: Lately[Check | None] = field(default_factory=Lately)
    """Whether the camera's picture will do, asked of the hands once for all phones."""
    photos: list[bytes] = field(default_factory=list)
    """Of the calibration sheet, since the camera was chosen."""
    https: HttpsOffer | None = None
    hands: Hands = field(default_factory=Hands)
    """Does the heavy work of guests, apart from the game."""
    start_again: Callable[[], None] = lambda: None
    """Ends this page; whoever looks after it starts it again."""
    player: Player = field(default_factory=NoPlayer)
    """Thinks for the machine: hints, games looked over, games of one phone."""
    shared: SharedAnswers = field(default_factory=SharedAnswers)
    """What phones ask about the table."""
    of_games: SharedAnswers = field(default_factory=SharedAnswers)
    """What they ask about all kept games."""
    packer: Packer = field(default_factory=Packer)

    def __post_init__(self) -> None:
        self.summaries = Summaries(lambda: self.place, self.hands, self._keep_summaries)
        self.looked_over = LookedOver(lambda: self.player, lambda: KeptLooks(self.home))
        self.alone = AloneGames(lambda: self.player)
        self._replica = Replica(lambda: self.place, _draw_once)

    @property
    def home(self) -> Path:
        """The folder of everything that is kept."""
        return self.place.file.parent

    @property
    def corrections(self) -> LabelledPictures:
        """Labelled pictures of what people put right."""
        return LabelledPictures(self.home / "corrections")

    def allow_help(self) -> None:
        """Let the machine help; every way to its help passes here.

        Raises:
            Refusal: the hall has switched help off, as in rated rounds.
        """
        if help_is_off(self.home):
            raise Refusal(code="help-off", status=409)

    def now(self) -> Now:
        """Return how the table stands.

        Raises:
            EyeAway: nothing is known yet.
        """
        # First the events: a standing that comes meanwhile makes what is shown newer, not older.
        version = self.hub.version
        return self._replica.now(self.eye.standing(), version, self.eye.is_there)

    def _keep_summaries(self, made: Mapping[str, Kept], made_by: str) -> None:
        said = {key: [one.seq, dict(one.summary)] for key, one in made.items()}
        self.eye.ask("keep-summaries", {"made": said, "by": made_by})


def _draw_once(match: Match) -> None:
    """Let the first drawings of a game come as fast as the later ones."""
    drawing = (match.box, len(match.start.players))
    threading.Thread(target=warm_up, args=drawing, daemon=True).start()


def companion() -> Companion:
    """Return what the page stands on."""
    found: Companion = current_app.extensions["snake-eye"]
    return found


def done(what: str, told: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Have something done; return the state after it, so that who asked sees it at once."""
    companion().eye.ask(what, told)
    return snapshot.state(companion().now(), speech())


def join_code_shown() -> str | None:
    """Return the join code for whoever may hand it on: the host, and who has joined by it."""
    known = access.is_host() or access.has_joined()
    return companion().settings.now.join_code if known else None


def speech(names: Mapping[str, str] | None = None) -> Speech:
    """Return the words for this guest."""
    return Speech(language(), companion().eye.standing().names if names is None else names)


def svg_answer(drawn: str) -> Response:
    """Return a drawing."""
    return fresh(Response(drawn, mimetype="image/svg+xml"))

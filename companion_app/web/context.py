"""What every view needs: the objects behind the page, and sentences in the guest's language.

Imports no view; the application factory in ``app.py`` registers them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate

from flask import Response, current_app

from companion_app.games.kept import Kept, KeptGames
from companion_app.games.people import Sitting, sitting_at
from companion_app.games.play import Game, Games
from companion_app.hands.pool import Hands
from companion_app.help_orders import help_is_off
from companion_app.kept_looks import KeptLooks
from companion_app.labelled import LabelledPictures
from companion_app.line.commands import EyeCommands, Given
from companion_app.line.eye import Eye
from companion_app.line.hub import Hub
from companion_app.line.standing import Standing
from companion_app.live.errors import StoreError
from companion_app.refusal import Refusal
from companion_app.seat.player import NoPlayer, Player
from companion_app.web import snapshot
from companion_app.web.alone import AloneGames
from companion_app.web.drawing.table import warm_up
from companion_app.web.looked_over import LookedOver
from companion_app.web.looking import Check
from companion_app.web.own_boxes import OwnBoxes
from companion_app.web.place import Place
from companion_app.web.scoring import ReadPhoto
from companion_app.web.serving import access
from companion_app.web.serving.certificate import HttpsOffer
from companion_app.web.serving.exchange import fresh, language
from companion_app.web.serving.limits import Limiter
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.sessions import Sessions
from companion_app.web.serving.shared import Lately, Packer, SharedAnswers
from companion_app.web.snapshot import Now
from companion_app.web.speech import Speech
from companion_app.web.summaries import Summaries
from engine.game import EMPTY


@dataclass
class Companion:
    """The state and services shared by all views of the page."""

    eye: Eye
    """The process that owns the game; every change goes through it."""
    settings: SettingsFile
    place: Place
    """The match store and the folders of tile sets; the page only reads them."""
    hub: Hub = field(default_factory=Hub)
    read_photo: ReadPhoto | None = None
    """Reads an uploaded photo; ``None`` where this machine cannot read pictures."""
    address: str = ""
    """The page's URL for phones, shown as a QR code."""
    limiter: Limiter = field(default_factory=Limiter)
    sessions: Sessions = field(default_factory=Sessions)
    """Phones that showed the PIN or the join code."""
    checker: Lately[Check | None] = field(default_factory=Lately)
    """Caches the check of the camera's picture, so that the hands do it once for all phones."""
    photos: list[bytes] = field(default_factory=list)
    """Photos of the calibration sheet taken since the camera was chosen."""
    https: HttpsOffer | None = None
    hands: Hands = field(default_factory=Hands)
    """The worker pool for guests' CPU-heavy requests, separate from the running game."""
    start_again: Callable[[], None] = lambda: None
    """Ends the page's process; the supervisor then restarts it."""
    player: Player = field(default_factory=NoPlayer)
    """Computes for the machine: hints, reviews of games, games of one phone."""
    shared: SharedAnswers = field(default_factory=SharedAnswers)
    """Caches answers about the table until the next event."""
    of_games: SharedAnswers = field(default_factory=SharedAnswers)
    """Caches answers about all kept games."""
    own_boxes: OwnBoxes = field(default_factory=OwnBoxes)
    """Lists of the owner's boxes, read by a worker."""
    packer: Packer = field(default_factory=Packer)

    def __post_init__(self) -> None:
        self.summaries = Summaries(lambda: self.place, self.hands, self._keep_summaries)
        self.looked_over = LookedOver(lambda: self.player, lambda: KeptLooks(self.home))
        self.alone = AloneGames(lambda: self.player)
        self._games = Games[str](most=1)

    @property
    def home(self) -> Path:
        """The folder that holds all stored data."""
        return self.place.file.parent

    @property
    def corrections(self) -> LabelledPictures:
        """Labelled pictures made from people's corrections."""
        return LabelledPictures(self.home / "corrections")

    def allow_help(self) -> None:
        """Check that the machine may help; every request for its help calls this.

        Raises:
            Refusal: the hall has switched help off, as in rated rounds.
        """
        if help_is_off(self.home):
            raise Refusal(code="help-off", status=409)

    def now(self) -> Now:
        """Return the current state of the table.

        Raises:
            EyeAway: nothing is known yet.
            StoreError: the file of games cannot be read.
        """
        # Read the version before the standing: a race then shows newer data under an older
        # version, never older data under a newer one.
        version, standing, is_there = self.hub.version, self.eye.standing(), self.eye.is_there
        game = self._game(standing)
        foul, pictures = game.pending if game is not None else None, frozenset[str]()
        if game is not None and foul is not None:
            pictures = KeptGames(self.place.file).pictures_of(game.key, foul.seq)
        return Now(standing, version, game, pictures, is_there)

    def sitting(self) -> Sitting:
        """Return who sits at the game that is on; nobody where its log cannot be read."""
        with suppress(StoreError, Refusal):
            return sitting_at(self._game(self.eye.standing()))
        return Sitting()

    def names(self) -> Mapping[str, str]:
        """Return people's names in the game that is on; none where its log cannot be read."""
        game = None
        with suppress(StoreError):
            game = self._game(self.eye.standing())
        return game.names if game is not None else EMPTY

    def _game(self, standing: Standing) -> Game | None:
        """Return the game that is on, as its log says that it stands."""
        key, seq = standing.key, standing.seq
        if key is None:
            return None
        is_new, kept = not self._games.seq(key), KeptGames(self.place.file)
        game = self._games.at(
            key, lambda after: kept.lines(key, after, seq), seq, self.place.set_folders
        )
        if is_new:
            _draw_once(game)
        return game

    def _keep_summaries(self, made: Mapping[str, Kept], made_by: str) -> None:
        self.eye.ask(EyeCommands.keep_summaries, dict(made), made_by)


def _draw_once(match: Game) -> None:
    """Warm the drawing caches of a game in the background, so that its first drawing is fast."""
    drawing = (match.box, len(match.start.players))
    threading.Thread(target=warm_up, args=drawing, daemon=True).start()


def companion() -> Companion:
    """Return the ``Companion`` of the current application."""
    found: Companion = current_app.extensions["snake-eye"]
    return found


def done(
    change: Callable[Concatenate[EyeCommands, Given], object],
    *given: Given.args,
    **named: Given.kwargs,
) -> dict[str, Any]:
    """Ask the eye for a change; return the state after it, which the caller shows at once."""
    companion().eye.ask(change, *given, **named)
    return snapshot.state(companion().now(), speech())


def join_code_shown() -> str | None:
    """Return the join code for the host and for guests who joined with it; else ``None``."""
    known = access.is_host() or access.has_joined()
    return companion().settings.now.join_code if known else None


def speech(names: Mapping[str, str] | None = None) -> Speech:
    """Return the speech in this guest's language."""
    return Speech(language(), companion().names() if names is None else names)


def svg_answer(drawn: str) -> Response:
    """Return the response for an SVG drawing."""
    return fresh(Response(drawn, mimetype="image/svg+xml"))

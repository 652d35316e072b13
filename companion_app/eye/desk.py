"""The desk: the one thread that owns the current game, its referee and the store.

Everything that changes a game is a deed of this thread: what a camera (or a recorded game) shows,
and what people say on their phones. Deeds are done in the order in which they are asked for. What
takes long (reading pictures, waiting for a camera or for a feeder's end) is done by the threads
that ask.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate

from companion_app.games.entries import (
    HandRaised,
    Machine,
    Names,
    Resumed,
    Source,
    last_of,
)
from companion_app.games.play import Accepted
from companion_app.line.commands import EyeAway, Gained, Given
from companion_app.line.hub import Hub
from companion_app.line.standing import kind_of
from companion_app.live.errors import StoreError, ToldError
from companion_app.live.loop import LiveLoop
from companion_app.live.machine import SILENT
from companion_app.live.match import Match
from companion_app.live.referee import Referee
from companion_app.live.store import Store
from engine.game import EMPTY
from engine.record import Record
from vision import Frame


class GameLeftError(EyeAway):
    """The game was left, another feeder shows it, or the desk is closed: nothing was done."""


class Feeder:
    """Shows tables to the referee. The base class shows none: only people's messages count."""

    kind: str = "none"
    """``camera``, ``demo``, ``phone``, ``recorded`` or ``none``; shown on the page."""
    name: str = ""
    """Name of the source, such as ``webcam:0``; empty if it has none."""
    loop: LiveLoop | None = None
    """The live loop that watches the frames; ``None`` without frames."""
    newest: Frame | None = None
    """The newest frame; ``None`` without frames."""

    def start(self, desk: Desk) -> None:
        """Start to show tables to the desk's referee."""

    def stop(self) -> None:
        """Stop, and wait until it has stopped."""

    def tell(self, message: Mapping[str, Any], referee: Referee, t: float) -> None:
        """Pass on a player's message, timed by ``t`` or by the source's own clock."""
        referee.tell(message, t)

    def picture(self) -> bytes | None:
        """Return the newest frame as JPEG; ``None`` without frames."""
        return None


def owned(
    deed: Callable[Concatenate[Any, Given], Gained],
) -> Callable[Concatenate[Any, Given], Gained]:
    """Let the desk's thread do what a method says, of the desk or of what has its ``do``."""

    @wraps(deed)
    def asked_for(asker: Any, /, *given: Given.args, **named: Given.kwargs) -> Gained:
        gained: Gained = asker.do(lambda: deed(asker, *given, **named))
        return gained

    return asked_for


class Desk:
    """The current game, and the store of all games."""

    def __init__(self, store: Store, set_folders: Iterable[Path] = ()) -> None:
        self.store = store
        self.hub = Hub()
        self.set_folders = tuple(set_folders)
        self._thread = 0
        self._inbox = ThreadPoolExecutor(1, "desk", self._take_place)
        self.referee: Referee | None = None
        self.seeing = "looking"
        self.why: Mapping[str, Any] | None = None
        """The hindrance that has kept the referee from a verdict for a while, as JSON."""
        self.feeder: Feeder = Feeder()
        self.trouble: str | None = None
        """What is wrong right now, as a sentence; ``None`` when all is well."""
        self.pictures_mb: int | None = None
        """Most space for kept pictures in MB; ``None`` for no limit."""
        self.paused = False
        """Whether people have paused the camera."""
        self.by_people = True
        """Whether people have begun the current game; the demo begins its own."""
        self._taken: list[Accepted] = []
        self._began = time.monotonic()

    # --- its thread ------------------------------------------------------------------------

    def do(self, deed: Callable[[], Gained], within_s: float | None = None) -> Gained:
        """Let the desk's thread do something once its turn comes; return what it returns.

        Raises:
            TimeoutError: it is not done ``within_s`` seconds.
            GameLeftError: the desk is closed.
        """
        if threading.get_ident() == self._thread:
            return deed()
        try:
            asked_for = self._inbox.submit(deed)
        except RuntimeError as error:
            raise GameLeftError from error
        return asked_for.result(within_s)

    def do_as(self, feeder: Feeder, deed: Callable[[], Gained]) -> Gained:
        """Let the desk's thread do something that a feeder has seen.

        Raises:
            GameLeftError: this feeder shows no tables to the game any more; nothing was done.
        """

        def unless_left() -> Gained:
            if self.feeder is not feeder:
                raise GameLeftError
            return deed()

        return self.do(unless_left)

    def _take_place(self) -> None:
        self._thread = threading.get_ident()

    # --- games -----------------------------------------------------------------------------

    @property
    def match(self) -> Match | None:
        """The current game."""
        return self.referee.match if self.referee else None

    @property
    def names(self) -> Mapping[str, str]:
        """People's names in the current game, by player."""
        return self.match.now.names if self.match else EMPTY

    @property
    def machine(self) -> Machine:
        """The machine's seats and settings in the current game."""
        return self.match.now.machine if self.match else Machine()

    def begin(
        self,
        record: Record,
        names: Mapping[str, str] | None = None,
        feeder: Feeder | None = None,
        machine: Mapping[str, int] | None = None,
        by_people: bool = True,
    ) -> Match:
        """Begin a new game; its feeder starts at once.

        Args:
            record: the start of the game.
            names: people's names, by player.
            feeder: shows tables to the game.
            machine: the seats of the machine, each with its level.
            by_people: whether people have begun it, and not the demo by itself.
        """
        self.stop_feeding()
        match = self._begun(record, names or {}, machine or {}, by_people)
        self.feed(feeder)
        return match

    @owned
    def _begun(
        self,
        record: Record,
        names: Mapping[str, str],
        machine: Mapping[str, int],
        by_people: bool,
    ) -> Match:
        self.by_people = by_people
        match = Match.begin(self.store, record)
        if names:
            match.note(Names(dict(names)))
        if machine:
            match.note(Machine(dict(machine)))
        self._take_up(match)
        return match

    def resume(self, key: str) -> Match:
        """Resume a kept game.

        Raises:
            StoreError: it cannot be resumed; the current game goes on.
        """
        # A game that cannot be resumed must not stop the current one's camera.
        match = self._known(key)
        self.stop_feeding()
        self._resumed(match)
        self.feed(None)
        return match

    @owned
    def _known(self, key: str) -> Match:
        match = self.match
        if match is None or match.key != key:
            match = Match.resume(self.store, key, self.set_folders)
        return match

    @owned
    def _resumed(self, match: Match) -> None:
        if not self.store.lines(match.key):
            raise StoreError(f"game {match.key} was deleted meanwhile")
        match.reopen()
        if self.store.unfinished() != match.key:
            # Another game was begun after it: after a restart, this one is the one to go on.
            match.note(Resumed())
        self.by_people = not is_demo(match.now.source)
        self._take_up(match)

    def close(self) -> None:
        """Stop feeding, disconnect all listeners, and end the thread once all is done."""
        with suppress(GameLeftError):  # it may be closed already
            self.stop_feeding()
        self.hub.close()
        self._inbox.shutdown()
        self._thread = 0  # its number may soon be another thread's

    def _take_up(self, match: Match) -> None:
        self.trouble = None
        self._taken = []
        referee = Referee(match, self.emit)
        if self.referee is not None and self.referee.match is match:
            referee.take_over(self.referee)
        self.referee = referee
        # The previous game's loop and its pictures form a reference cycle of 9 MB, which would
        # otherwise stay in memory for some games.
        gc.collect()
        self.say("game", key=match.key)
        referee.start(self.now())

    def feed(self, feeder: Feeder | None) -> None:
        """Replace the feeder that shows tables to the current game; ``None`` for no feeder."""
        self.stop_feeding()
        self.paused = False
        if feeder is not None:
            self._fed_by(feeder)
            feeder.start(self)
            self._note_source(feeder.name)

    def pause(self) -> None:
        """Stop showing tables until ``feed`` is called again; the game stays unchanged."""
        self._on()
        self.stop_feeding()
        self.paused = True
        self.say("told")

    @property
    def is_fed(self) -> bool:
        """Whether a feeder shows tables to the current game."""
        return self.feeder.kind != "none"

    @owned
    def _note_source(self, name: str) -> None:
        """Log the game's source, so that no other source resumes it without being asked to."""
        with suppress(StoreError):
            # A full disk is reported by the first move that cannot be saved.
            if name and self.match and self.match.now.source != name:
                self.match.note(Source(name))

    def stop_feeding(self) -> None:
        """Stop the feeder, and wait until it has stopped.

        It may be waiting for this thread, which drops what it has seen from now on: so no deed
        calls this.
        """
        self._fed_by(Feeder()).stop()

    @owned
    def _fed_by(self, feeder: Feeder) -> Feeder:
        """Replace the feeder; return the one before."""
        before, self.feeder = self.feeder, feeder
        return before

    # --- events ----------------------------------------------------------------------------

    def now(self) -> float:
        """Return seconds since the desk was set up."""
        return time.monotonic() - self._began

    def _t(self) -> float:
        """Return the time by the clock of the referee's looks: the camera's, if there is one."""
        loop = self.feeder.loop
        return self.now() if loop is None else loop.now_s

    def say(self, event: str, **what: Any) -> None:
        """Send an event with the current time to every listener."""
        self.emit({"event": event, **what, "t": self.now()})

    @owned
    def emit(self, event: Mapping[str, Any]) -> None:
        """Send an event to every listener, and keep what the standing needs of it."""
        if event["event"] == "state":
            self.seeing, self.why = event["state"], event.get("why")
        elif event["event"] == "trouble":
            self.trouble = event["text"]
        elif event["event"] == "verdict" and event.get("legal"):
            self.trouble = None
            self._taken = []
        self.hub.publish(event)
        if event["event"] == "verdict":
            self.limit_pictures()

    @owned
    def limit_pictures(self) -> None:
        """Delete the oldest pictures if all exceed the owner's limit."""
        if self.pictures_mb is None:
            return
        with suppress(StoreError):
            # A full disk is reported by the move that could not be saved, not here.
            self.store.limit_pictures(self.pictures_mb * 1_000_000)

    # --- what people say -------------------------------------------------------------------

    @owned
    def tell(self, message: Mapping[str, Any]) -> None:
        """Pass on an answer, a roll, an overruling, a correction or a move.

        Raises:
            ToldError: the message cannot be used.
            StoreError: the change could not be saved.
        """
        referee = self._on()
        start = referee.match.start
        self.feeder.tell(message, referee, self.now())
        if "answer" not in message or referee.match.start is not start:
            self._taken = []
        self.say("told")

    @owned
    def undo(self) -> None:
        """Undo the last action: an answer or correction with its effects, or a move."""
        referee = self._on()
        if not referee.can_undo_told:
            self.take_back()
            return
        before, chosen = list(referee.match.accepted), self._chosen(0)
        if not referee.doubts.over:
            # It may have been ended by hand; a game that is over by its rules stays so.
            referee.match.reopen()
        referee.undo_told(self._t())
        left = list(referee.match.accepted)
        gone = before[len(left) :] if before[: len(left)] == left else []
        self._taken = [one for one in chosen if one in gone]
        self.say("told")

    @owned
    def take_back(self, count: int | None = None) -> None:
        """Take back the last moves; they can be redone until another move is made.

        Args:
            count: how many moves; ``None`` for the last one that somebody has chosen, with those
                that the referee made after it for players without a choice, or the machine.
        """
        referee = self._on()
        match = referee.match
        last = len(match.accepted)
        if count is None:
            count = 1
            while count < last and self._is_made_alone(last - count + 1):
                count += 1
        if not 1 <= count <= last:
            raise ToldError("there is no move to take back")
        taken = self._taken + self._chosen(last - count)
        referee.take_back(count, self._t())
        self._taken = taken

    def _is_made_alone(self, n: int) -> bool:
        """Say whether people have not made the nth move: the referee has, or the machine.

        The machine makes its moves without a tile by itself, and would make them again at once.
        """
        referee = self._on()
        move = referee.match.accepted[n - 1].move
        by_machine = move.player in self.machine.seats and move.do in SILENT
        return by_machine or referee.made_alone(n)

    @owned
    def redo(self) -> None:
        """Redo the move that was taken back last."""
        referee = self._on()
        if not self._taken:
            raise ToldError("there is no move to do again")
        *left, gone = self._taken
        match = referee.match
        if not match.game.judge(match.position, gone.move).legal and not gone.violations:
            raise ToldError("the move that was taken back does not fit the game any more")
        referee.accept_again(gone, self._t())
        self._taken = left

    def _chosen(self, after: int) -> list[Accepted]:
        """Return the moves after so many that somebody has chosen, newest first."""
        referee = self._on()
        accepted = referee.match.accepted
        numbers = range(len(accepted), after, -1)
        return [accepted[n - 1] for n in numbers if not self._is_made_alone(n)]

    @property
    def can_undo(self) -> bool:
        """Whether there is a move or a message to undo."""
        referee = self.referee
        return referee is not None and (bool(referee.match.accepted) or referee.can_undo_told)

    @property
    def can_redo(self) -> bool:
        """Whether there is a move to redo."""
        return bool(self._taken)

    @owned
    def take_foul_back(self) -> None:
        """Take back the announced foul: its tile was lifted, or will be."""
        self._on().waive_foul(self.now())

    @owned
    def overrule_pending(self) -> None:
        """Accept the move of the announced foul although it breaks a rule."""
        pending = self._on().doubts.pending
        if pending is None:
            raise ToldError("there is no foul on the table")
        self.tell({"overrule": pending.n})

    @owned
    def agree(self, machine: Machine) -> None:
        """Save people's settings for the machine, and announce them."""
        referee = self._on()
        referee.match.note(machine)
        turn = referee.doubts.machine
        if turn is not None and turn.player not in machine.seats:
            referee.wants(None)
        self.say("machine")

    @owned
    def raise_hand(self, raised: bool) -> None:
        """Log that the hall's arbiter is called, or no longer needed."""
        self._on().match.note(HandRaised(raised))
        self.emit({"event": "settings"})

    def end(self) -> None:
        """End the current game at its current position."""
        self.stop_feeding()
        self._ended()

    @owned
    def _ended(self) -> None:
        referee = self._on()
        referee.end(self.now())
        self._taken = []

    def _on(self) -> Referee:
        if self.referee is None:
            raise ToldError("there is no game yet")
        return self.referee


def source_in(store: Store, key: str | None) -> str:
    """Return a game's last source; empty if it had none."""
    return str(last_of("source", store.lines(key)).get("source", "")) if key else ""


def is_demo(source: str) -> bool:
    """Say whether a source is the demo table."""
    return kind_of(source) == "demo"


def is_real_camera(source: str) -> bool:
    """Say whether a source looks at people's table; the demo table must not play such a game."""
    return source.partition(":")[0] in ("pi", "webcam", "phone")

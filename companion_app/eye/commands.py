"""The commands of the page; ``line/commands.py`` says what each does.

The page authorises commands by role. What depends on the current state of the game, such as whose
question an answer is for, is checked here.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from companion_app.backup import BY_PAGE, TAKEN_IN, BackupError
from companion_app.eye.camera import TableCamera
from companion_app.eye.corrections import Corrections, keep_named, named_by_cells, spots_named
from companion_app.eye.desk import Desk, Feeder, is_demo, owned
from companion_app.eye.ghost import outlines_ahead
from companion_app.eye.machine import MachineSeats
from companion_app.eye.people import call_otherwise
from companion_app.games.entries import Line, Names, Ruling, kind_and_body
from companion_app.games.kept import Kept, KeptGames
from companion_app.games.play import play
from companion_app.hands.errors import HandsError
from companion_app.hands.pool import done_apart
from companion_app.hands.work import RESTORE
from companion_app.help_orders import HELP_OFF, HELP_ON, order_of
from companion_app.kept_looks import KeptLooks
from companion_app.line.commands import Doc, EyeCommands, HallRuling, Still
from companion_app.line.standing import Standing
from companion_app.live.match import Match
from companion_app.live.questions import as_shown, concerns
from companion_app.live.referee import Referee
from companion_app.refusal import Refusal
from engine.record import Record, parse_record

log = logging.getLogger(__name__)
MakeFeeder = Callable[[Record], Feeder | None]
"""Function that returns the feeder of a new game: the camera, or a recorded game."""
CHANGED = ("taken-back", "corrected", "undone", "restarted")
"""Kinds of log lines that change or remove earlier moves."""


class Commands(EyeCommands):
    """Executes the page's commands on a desk, its camera, and the pictures of corrections."""

    def __init__(
        self,
        desk: Desk,
        camera: TableCamera | None,
        corrections: Corrections,
        machine: MachineSeats,
    ) -> None:
        self.desk = desk
        self.camera = camera
        """The camera; ``None`` if only written games are shown."""
        self.corrections = corrections
        """The pictures of corrections."""
        self.make_feeder: MakeFeeder | None = None
        """Returns a new game's feeder; ``None`` for the camera's."""
        self.end_eye: Callable[[], None] = lambda: None
        """Ends this eye; the supervisor starts a new one."""
        self.machine = machine
        """The machine's seats."""
        self.do = desk.do

    @owned
    def standing(self) -> Standing:
        """Return the current standing."""
        desk = self.desk
        referee, loop, match = desk.referee, desk.feeder.loop, desk.match
        asked = referee.doubts.questions.values() if referee else ()
        return Standing(
            at=time.monotonic_ns(),
            key=match.key if match else None,
            seq=match.seq if match else 0,
            seeing=desk.seeing,
            why=desk.why,
            trouble=desk.trouble,
            kind=desk.feeder.kind,
            source=self.camera.name if self.camera else None,
            covered=tuple(sorted(loop.covered)) if loop else (),
            unsure=tuple(sorted(loop.unsure)) if loop else (),
            questions=tuple(as_shown(question, match) for question in asked) if match else (),
            can_undo=desk.can_undo,
            can_redo=desk.can_redo,
            paused=desk.paused,
            by_people=desk.by_people,
            wish=self.machine.wish(),
            looks=loop.looks if loop else 0,
        )

    # --- the game that is on ---------------------------------------------------------------

    @owned
    def tell(self, sent: Doc, is_host: bool, seats: Sequence[str] = ()) -> None:
        """Tell the referee something; its picture is kept where somebody names a tile."""
        desk = self.desk
        if desk.referee is not None and not is_host:
            only_for_oneself(desk.referee, sent, seats, desk.machine.seats)
        if "correct" in sent and desk.match is not None:
            sent = named_by_cells(desk.match, sent)
        spots = spots_named(desk, sent)
        desk.tell(sent)
        try:
            keep_named(self.corrections, desk, sent, spots)
        except OSError as error:
            # What was told counts; only its picture is not learnt from.
            log.error("the picture of a correction is not kept: %s", error)

    def take_foul_back(self) -> None:
        self.desk.take_foul_back()

    def redo(self) -> None:
        self.desk.redo()

    def end(self) -> None:
        self.desk.end()

    def raise_hand(self, raised: bool) -> None:
        self.desk.raise_hand(raised)

    def undo(self, count: int | None) -> None:
        desk, match = self.desk, self.desk.match
        was_ended = match is not None and match.ended
        if count is None:
            desk.undo()
        else:
            desk.take_back(count)
        if match is not None and was_ended and not (match.ended or desk.paused or desk.is_fed):
            desk.feed(self._feeder_again(match))

    def begin(self, record: Doc, names: dict[str, str], machine: dict[str, int]) -> None:
        begun = parse_record(record, self.desk.set_folders)
        with self.camera.or_as_before() if self.camera is not None else nullcontext():
            # The demo's hands play nobody's game unless they are asked to.
            feeder = None if self._is_demo else self._feeder(begun)
        match = self.desk.begin(begun, names, feeder, machine)
        order = order_of(self.desk.store.path.parent)
        if order is not None and not order.help:
            match.note(Ruling(HELP_OFF, order.n))

    def resume(self, key: str | None) -> None:
        desk = self.desk
        if key is None and desk.match is not None:
            key = desk.match.key
        if key not in desk.do(desk.store.games):
            raise Refusal(code="no-game")
        match = desk.resume(key)
        desk.feed(self._feeder_again(match))

    def _feeder(self, record: Record) -> Feeder | None:
        if self.make_feeder is not None:
            return self.make_feeder(record)
        return self.camera.feeder(record) if self.camera is not None else None

    def _feeder_again(self, match: Match) -> Feeder | None:
        """Return the feeder of a game that goes on.

        ``None`` if only the demo table is there, and it has not played this game before: its
        simulated players would play people's game. What looks at it is chosen on the page.
        """
        if self._is_demo and not is_demo(match.now.source):
            return None
        return self._feeder(match.record())

    @property
    def _is_demo(self) -> bool:
        """Whether only the demo table is there."""
        return self.make_feeder is None and self.camera is not None and self.camera.kind == "demo"

    def pause(self, on: bool) -> None:
        desk = self.desk
        if on:
            desk.pause()
        elif desk.match is not None and not desk.match.ended:
            desk.feed(self._feeder_again(desk.match))
            desk.say("told")

    # --- the machine's seats ---------------------------------------------------------------

    @owned
    def seat(self, player: str, level: int | None) -> None:
        self.machine.sit(player, level)

    @owned
    def mute(self, on: bool) -> None:
        self.machine.mute(on)

    @owned
    def show_hand(self, player: str, tiles: Sequence[str] | None) -> None:
        loop = self.desk.feeder.loop
        if tiles is None:
            tiles = tuple(loop.aside) if loop is not None else ()
        self.machine.show_hand(player, tiles)

    @owned
    def draw(self, tiles: Sequence[str]) -> None:
        self.machine.draw(tiles)

    @owned
    def take_hint(self, player: str, most: int) -> int:
        return self.machine.take_hint(player, most)

    # --- kept games ------------------------------------------------------------------------

    @owned
    def rename(self, key: str, player: str, name: str) -> dict[str, str]:
        store, match = self.desk.store, self.desk.match
        lines = store.lines(key)
        if not lines:
            raise Refusal(code="no-game")
        game = play(lines, self.desk.set_folders)
        if player not in game.start.players:
            raise Refusal("player is a player of the game")
        names = {**game.names, player: name}
        if match is not None and match.key == key:
            match.note(Names(names))
        else:
            store.append(key, *kind_and_body(Names(names)))
        self.desk.say("told")
        return names

    @owned
    def call_otherwise(self, name: str, to: str, nobody: str) -> int:
        return call_otherwise(self.desk, name, to, nobody)

    @owned
    def delete_game(self, key: str) -> None:
        desk = self.desk
        if key not in desk.store.games():
            raise Refusal(code="no-game")
        if desk.match is not None and desk.match.key == key:
            raise Refusal(code="game-is-on")
        desk.store.forget(key)
        KeptLooks(desk.store.path.parent).forget(key)

    # --- in a hall -------------------------------------------------------------------------

    def obey(self, ruling: HallRuling) -> None:
        if self._is_carried_out(ruling):
            self.desk.end()

    @owned
    def _is_carried_out(self, ruling: HallRuling) -> bool:
        """Carry out a ruling that is not yet; say whether what is left is to end the game."""
        desk, what = self.desk, ruling.what
        correction = {"correct": ruling.move_n, "move": ruling.move}
        deeds: Mapping[str, Callable[[], None]] = {
            "overrule": desk.overrule_pending,
            "lift": desk.take_foul_back,
            "take-back": desk.take_back,
            "end": lambda: None,
            "lower-hand": lambda: desk.raise_hand(False),
            "correct": lambda: self.tell(correction, is_host=True),
            HELP_OFF: lambda: None,
            HELP_ON: lambda: None,
        }
        match = desk.match
        if match is None or ruling.key != match.key:
            raise Refusal(code="other-game")
        if what not in deeds:
            raise Refusal("an unknown ruling")
        if ruling.ruling in match.now.rulings:
            return False
        if self._is_outdated(ruling, desk.store.lines(match.key)):
            raise Refusal(code="played-on", status=409)
        match.note(Ruling(what, ruling.ruling))
        deeds[what]()
        return what == "end"

    def _is_outdated(self, ruling: HallRuling, lines: Sequence[Line]) -> bool:
        """Say whether a ruling is about a foul or a move that is not the current one any more."""
        what, foul, number = ruling.what, ruling.foul, ruling.number
        if what in ("overrule", "lift"):
            pending = self.desk.referee.doubts.pending if self.desk.referee else None
            return foul is not None and (pending is None or pending.seq != foul)
        others = {"take-back": ("moves", *CHANGED), "correct": CHANGED}.get(what, ())
        return number is not None and any(
            line.seq > number and line.kind in others for line in lines
        )

    # --- the camera ------------------------------------------------------------------------

    def here(self) -> None:
        pass

    def sources(self) -> list[str]:
        return self._table_camera().sources()

    def choose(self, source: str) -> None:
        if source not in self.sources():
            raise Refusal("source is none of those found")
        self._table_camera().choose(source)

    def picture(self) -> bytes | None:
        if self.desk.is_fed:
            return self.desk.feeder.picture()
        return self.camera.picture() if self.camera is not None else None

    def look(self, record: Doc | None) -> Still | None:
        if self.camera is None and self.desk.is_fed:
            frame = self.desk.feeder.newest
        else:
            begun = None if record is None else parse_record(record, self.desk.set_folders)
            frame = self._table_camera().frame(begun)
        if frame is None:
            return None
        height, width = frame.bgr.shape[:2]
        return Still(height, width, frame.taken_at_s, frame.bgr.tobytes())

    @owned
    def seen(self) -> dict[str, Any] | None:
        frame, loop = self.desk.feeder.newest, self.desk.feeder.loop
        if frame is None or loop is None:
            return None
        return {
            "size": [frame.bgr.shape[1], frame.bgr.shape[0]],
            "outlines": [
                [list(spot), [[float(x), float(y)] for x, y in outline]]
                for spot, outline in loop.outlines_px.items()
            ],
            "ghost": outlines_ahead(loop),
        }

    def phone_picture(self, data: bytes, still: bool) -> tuple[int, int]:
        camera = self._table_camera()
        if camera.kind != "phone":
            raise Refusal(code="other-camera")
        return camera.inbox.push(data, still=still)

    def _table_camera(self) -> TableCamera:
        if self.camera is None:
            raise Refusal(code="no-camera", status=404)
        return self.camera

    # --- what is kept ----------------------------------------------------------------------

    @owned
    def limit_pictures(self, most_mb: int | None) -> None:
        self.desk.pictures_mb = most_mb
        self.desk.limit_pictures()

    @owned
    def wipe_pictures(self) -> int:
        return self.desk.store.forget_pictures() + self.corrections.forget()

    @owned
    def forget_corrections(self, file: str | None) -> int:
        return self.corrections.forget(file)

    def keep_summaries(self, made: dict[str, Kept], made_by: str) -> None:
        KeptGames(self.desk.store.path).keep(made, made_by)

    # --- a backup that is restored ---------------------------------------------------------

    def restore(self, with_secrets: bool) -> dict[str, int]:
        # Imported late: it loads the page's modules to check their files.
        from companion_app.restore import put_in_place, sweep, unpacked

        home = self.desk.store.path.parent
        if self._is_played():
            raise Refusal(code="restore-game", status=409)
        try:
            # Checked by a worker: whatever is in the file, the game does not feel it.
            file = home / BY_PAGE / TAKEN_IN
            backup = done_apart(RESTORE, unpacked, home, file, with_secrets)
            restored = put_in_place(home, backup, self._let_go)
        except BackupError as error:
            raise Refusal(code=error.code, status=422) from error
        except HandsError as error:
            sweep(home)
            raise Refusal(code=error.code, status=error.status) from error
        if restored.kept is not None:
            shutil.rmtree(restored.kept / BY_PAGE, ignore_errors=True)
        return {"files": restored.files, "left_out": len(restored.left_out)}

    def start_again(self) -> None:
        self.end_eye()

    def _is_played(self) -> bool:
        """Say whether people are in the middle of a game."""
        match = self.desk.match
        if match is None or match.ended or self.desk.feeder.kind in ("demo", "recorded"):
            return False
        return not match.game.outcome(match.position).over

    def _let_go(self) -> None:
        if self.camera is not None:
            self.camera.release()
        self.desk.stop_feeding()
        self.desk.do(self.desk.store.close)


def only_for_oneself(
    referee: Referee, sent: Doc, seats: Sequence[str], machine: Mapping[str, int]
) -> None:
    """Refuse a seat's message about another colour; for the machine, any seat may speak.

    Raises:
        Refusal: the message concerns other players.
    """
    number = sent.get("answer")
    question = referee.doubts.questions.get(number) if isinstance(number, int) else None
    if "answer" in sent and question is None:
        return  # the question is not open any more, which the referee reports
    if not set(concerns(question, referee.match)).intersection([*seats, *machine]) or not seats:
        raise Refusal(code="not-your-seat", status=403)

"""The commands of the page, by name, with plain data in and out.

The page authorises commands by role. What depends on the current state of the game, such as whose
question an answer is for, is checked here.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import msgspec

from companion_app.backup import BY_PAGE, TAKEN_IN, BackupError
from companion_app.eye.camera import TableCamera
from companion_app.eye.corrections import Corrections, keep_named, named_by_cells, spots_named
from companion_app.eye.desk import Desk, Feeder, is_demo
from companion_app.eye.ghost import outlines_ahead
from companion_app.eye.machine import MachineSeats
from companion_app.games.entries import Line, Names, Ruling, kind_and_body, last_of
from companion_app.hands.errors import HandsError
from companion_app.hands.pool import done_apart
from companion_app.hands.work import RESTORE
from companion_app.help_orders import HELP_OFF, HELP_ON, order_of
from companion_app.kept_looks import KeptLooks
from companion_app.line.ends import Answer
from companion_app.line.standing import Standing
from companion_app.live.kept import Kept, KeptGames
from companion_app.live.match import Match
from companion_app.live.questions import as_shown, concerns
from companion_app.live.referee import Referee
from companion_app.refusal import Refusal
from engine.record import Record, parse_record
from vision import Frame

log = logging.getLogger(__name__)
Doc = Mapping[str, Any]
MakeFeeder = Callable[[Record], Feeder | None]
"""Function that returns the feeder of a new game: the camera, or a recorded game."""
CHANGED = ("taken-back", "corrected", "undone", "restarted")
"""Kinds of log lines that change or remove earlier moves."""


class Commands:
    """Executes the page's commands on a desk, its camera, and the pictures of corrections."""

    CHANGES = frozenset(
        {
            "tell",
            "undo",
            "redo",
            "end",
            "take-foul-back",
            "begin",
            "resume",
            "pause",
            "choose",
            "machine-seat",
            "machine-mute",
            "machine-hand",
            "machine-draw",
            "take-hint",
        }
    )
    """Commands that change the standing: their answer includes the new one."""

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
        self.start_again: Callable[[], None] = lambda: None
        """Ends this eye; the supervisor starts a new one."""
        self.machine = machine
        """The machine's seats."""
        self._number = 0
        self._deeds: Mapping[str, Callable[[Doc], Any]] = {
            "tell": self._tell,
            "redo": lambda _: desk.redo(),
            "take-foul-back": lambda _: desk.take_foul_back(),
            "seen": self._seen,
            "limit-pictures": self._limit_pictures,
            "wipe-pictures": self._wipe_pictures,
            "forget-corrections": lambda body: self.corrections.forget(body["file"]),
            "rename": self._rename,
            "delete-game": self._delete_game,
            "raise-hand": lambda body: desk.raise_hand(body["raised"]),
            "machine-seat": lambda body: self.machine.sit(body["player"], body["level"]),
            "machine-mute": lambda body: self.machine.mute(body["on"]),
            "machine-hand": self._machine_hand,
            "machine-draw": lambda body: self.machine.draw(body["tiles"]),
            "take-hint": lambda body: {
                "left": self.machine.take_hint(body["player"], body["most"])
            },
        }
        """What the desk's thread does, from start to end."""
        self._waiting: Mapping[str, Callable[[Doc], Any]] = {
            "undo": self._undo,
            "end": lambda _: desk.end(),
            "begin": self._begin,
            "resume": self._resume,
            "pause": self._pause,
            "here": lambda _: None,
            "sources": lambda _: self._table_camera().sources(),
            "choose": self._choose,
            "picture": self._picture,
            "frame": self._frame,
            "phone-picture": self._phone_picture,
            "keep-summaries": self._keep_summaries,
            "restore": self._restore,
            "start-again": lambda _: self.start_again(),
            "ruling": self._ruling,
        }
        """What may wait for a camera, a feeder's end or a worker, and so is done by who asks."""

    def answer(self, what: str, body: Doc, data: bytes) -> Answer:
        """Execute a command; bytes sent with it become the body's ``data``."""
        asked = {**body, "data": data}
        if what in self._deeds:
            answer = self.desk.do(lambda: self._deeds[what](asked))
        elif what in self._waiting:
            answer = self._waiting[what](asked)
        else:
            raise Refusal(f"nothing is called {what}")
        return answer if isinstance(answer, Answer) else Answer(answer)

    def standing(self) -> Standing:
        """Return the current standing."""
        return self.desk.do(self._standing)

    def _standing(self) -> Standing:
        desk = self.desk
        self._number += 1
        referee, loop = desk.referee, desk.feeder.loop
        return Standing(
            number=self._number,
            key=referee.match.key if referee else None,
            seq=referee.match.seq if referee else 0,
            names=dict(desk.names),
            seeing=desk.seeing,
            why=desk.why,
            trouble=desk.trouble,
            kind=desk.feeder.kind,
            source=self.camera.name if self.camera else None,
            covered=sorted(map(list, loop.covered)) if loop else [],
            unsure=sorted(map(list, loop.unsure)) if loop else [],
            questions=[
                msgspec.to_builtins(as_shown(question, referee.match))
                for question in referee.state.questions.values()
            ]
            if referee
            else [],
            can_undo=desk.can_undo,
            can_redo=desk.can_redo,
            paused=desk.paused,
            by_people=desk.by_people,
            machine=self.machine.to_json(),
            looks=loop.looks if loop else 0,
        )

    # --- a backup that is restored ---------------------------------------------------------

    def _restore(self, body: Doc) -> Any:
        """Restore the backup that was uploaded to the page; the eye is restarted afterwards."""
        # Imported late: it loads the page's modules to check their files.
        from companion_app.restore import put_in_place, sweep, unpacked

        home = self.desk.store.path.parent
        if self._is_played():
            raise Refusal(code="restore-game", status=409)
        try:
            # Checked by a worker: whatever is in the file, the game does not feel it.
            file = home / BY_PAGE / TAKEN_IN
            backup = done_apart(RESTORE, unpacked, home, file, body["with_secrets"])
            restored = put_in_place(home, backup, self._let_go)
        except BackupError as error:
            raise Refusal(code=error.code, status=422) from error
        except HandsError as error:
            sweep(home)
            raise Refusal(code=error.code, status=error.status) from error
        if restored.kept is not None:
            shutil.rmtree(restored.kept / BY_PAGE, ignore_errors=True)
        return {"files": restored.files, "left_out": len(restored.left_out)}

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

    # --- the game that is on ---------------------------------------------------------------

    def _tell(self, body: Doc) -> None:
        desk, sent = self.desk, body["sent"]
        if desk.referee is not None and not body["host"]:
            only_for_oneself(desk.referee, sent, body["seats"], desk.machine.seats)
        if "correct" in sent and desk.match is not None:
            sent = named_by_cells(desk.match, sent)
        spots = spots_named(desk, sent)
        desk.tell(sent)
        try:
            keep_named(self.corrections, desk, sent, spots)
        except OSError as error:
            # What was told counts; only its picture is not learnt from.
            log.error("the picture of a correction is not kept: %s", error)

    def _undo(self, body: Doc) -> None:
        desk, count = self.desk, body.get("count")
        match = desk.match
        was_ended = match is not None and match.ended
        if count is None:
            desk.undo()
        else:
            desk.take_back(count)
        if match is not None and was_ended and not (match.ended or desk.paused or desk.is_fed):
            desk.feed(self._feeder_again(match))

    def _begin(self, body: Doc) -> None:
        record = parse_record(body["record"], self.desk.set_folders)
        with self.camera.or_as_before() if self.camera is not None else nullcontext():
            # The demo's hands play nobody's game unless they are asked to.
            feeder = None if self._is_demo else self._feeder(record)
        match = self.desk.begin(record, body["names"], feeder, body.get("machine"))
        order = order_of(self.desk.store.path.parent)
        if order is not None and not order.help:
            match.note(Ruling(HELP_OFF, order.n))

    def _resume(self, body: Doc) -> None:
        desk, key = self.desk, body["key"]
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

    def _pause(self, body: Doc) -> None:
        desk = self.desk
        if body["on"]:
            desk.pause()
        elif desk.match is not None and not desk.match.ended:
            desk.feed(self._feeder_again(desk.match))
            desk.say("told")

    # --- the machine's seats ---------------------------------------------------------------

    def _machine_hand(self, body: Doc) -> None:
        """Set an open hand; without tiles in the command, it is what the camera sees aside."""
        tiles, loop = body["tiles"], self.desk.feeder.loop
        if tiles is None:
            tiles = loop.aside if loop is not None else ()
        self.machine.show_hand(body["player"], tiles)

    # --- kept games ------------------------------------------------------------------------

    def _rename(self, body: Doc) -> Any:
        desk, key, player = self.desk, body["key"], body["player"]
        if player not in self._players(key):
            raise Refusal("player is a player of the game")
        before = last_of("names", desk.store.lines(key)).get("names", {})
        names = {**before, player: body["name"]}
        if desk.match is not None and desk.match.key == key:
            desk.match.note(Names(names))
        else:
            desk.store.append(key, *kind_and_body(Names(names)))
        desk.say("told")
        return names

    def _players(self, key: Any) -> list[str]:
        if key not in self.desk.store.games():
            raise Refusal(code="no-game")
        lines = self.desk.store.lines(key)
        begun = [line.body["record"] for line in lines if line.kind == "started"]
        return list(begun[0].get("players", ())) if begun else []

    def _delete_game(self, body: Doc) -> None:
        desk, key = self.desk, body["key"]
        if key not in desk.store.games():
            raise Refusal(code="no-game")
        if desk.match is not None and desk.match.key == key:
            raise Refusal(code="game-is-on")
        desk.store.forget(key)
        KeptLooks(desk.store.path.parent).forget(key)

    # --- in a hall -------------------------------------------------------------------------

    def _ruling(self, body: Doc) -> None:
        """Execute a ruling of the hall's arbiter on the current game, exactly once."""
        if self.desk.do(lambda: self._is_carried_out(body)):
            self.desk.end()

    def _is_carried_out(self, body: Doc) -> bool:
        """Carry out a ruling that is not yet; say whether what is left is to end the game."""
        desk, what = self.desk, body["what"]
        deeds: Mapping[str, Callable[[], None]] = {
            "overrule": desk.overrule_pending,
            "lift": desk.take_foul_back,
            "take-back": desk.take_back,
            "end": lambda: None,
            "lower-hand": lambda: desk.raise_hand(False),
            "correct": lambda: self._correct_as_host(body),
            HELP_OFF: lambda: None,
            HELP_ON: lambda: None,
        }
        match = desk.match
        if match is None or body["key"] != match.key:
            raise Refusal(code="other-game")
        if what not in deeds:
            raise Refusal("an unknown ruling")
        if body["n"] in match.now.rulings:
            return False
        if self._is_outdated(body, desk.store.lines(match.key)):
            raise Refusal(code="played-on", status=409)
        match.note(Ruling(what, body["n"]))
        deeds[what]()
        return bool(what == "end")

    def _is_outdated(self, body: Doc, lines: Sequence[Line]) -> bool:
        """Say whether a ruling is about a foul or a move that is not the current one any more."""
        what, foul, number = body["what"], body.get("foul"), body.get("number")
        if what in ("overrule", "lift"):
            pending = self.desk.referee.state.pending if self.desk.referee else None
            return foul is not None and (pending is None or pending.seq != foul)
        others = {"take-back": ("moves", *CHANGED), "correct": CHANGED}.get(what, ())
        return number is not None and any(
            line.seq > number and line.kind in others for line in lines
        )

    def _correct_as_host(self, body: Doc) -> None:
        sent = {"correct": body["correct"], "move": body["move"]}
        self.answer("tell", {"sent": sent, "host": True}, b"")

    # --- the camera ------------------------------------------------------------------------

    def _table_camera(self) -> TableCamera:
        if self.camera is None:
            raise Refusal(code="no-camera", status=404)
        return self.camera

    def _choose(self, body: Doc) -> None:
        if body["source"] not in self._table_camera().sources():
            raise Refusal("source is none of those found")
        self._table_camera().choose(body["source"])

    def _picture(self, _: Doc) -> Any:
        if self.desk.is_fed:
            jpeg = self.desk.feeder.picture()
        else:
            jpeg = self.camera.picture() if self.camera is not None else None
        return Answer(data=jpeg or b"")

    def _frame(self, body: Doc) -> Any:
        if self.camera is None and self.desk.is_fed:
            return sent_frame(self.desk.feeder.newest)
        return sent_frame(self._table_camera().frame(self._record(body)))

    def _record(self, body: Doc) -> Record | None:
        said = body.get("record")
        return None if said is None else parse_record(said, self.desk.set_folders)

    def _seen(self, _: Doc) -> Any:
        """Return the tiles' outlines in the newest picture; ``None`` before the first one."""
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

    def _phone_picture(self, body: Doc) -> Any:
        camera = self._table_camera()
        if camera.kind != "phone":
            raise Refusal(code="other-camera")
        return list(camera.inbox.push(body["data"], still=body["still"]))

    # --- what is kept ----------------------------------------------------------------------

    def _limit_pictures(self, body: Doc) -> None:
        self.desk.pictures_mb = body["mb"]
        self.desk.limit_pictures()

    def _wipe_pictures(self, _: Doc) -> Any:
        return self.desk.store.forget_pictures() + self.corrections.forget()

    def _keep_summaries(self, body: Doc) -> None:
        made = {key: Kept(seq, summary) for key, (seq, summary) in body["made"].items()}
        KeptGames(self.desk.store.path).keep(made, body["by"])


def only_for_oneself(
    referee: Referee, sent: Doc, seats: list[str], machine: Mapping[str, int]
) -> None:
    """Refuse a seat's message about another colour; for the machine, any seat may speak.

    Raises:
        Refusal: the message concerns other players.
    """
    number = sent.get("answer")
    question = referee.state.questions.get(number) if isinstance(number, int) else None
    if "answer" in sent and question is None:
        return  # the question is not open any more, which the referee reports
    if not set(concerns(question, referee.match)).intersection([*seats, *machine]) or not seats:
        raise Refusal(code="not-your-seat", status=403)


def sent_frame(frame: Frame | None) -> Answer:
    """Return a frame as an answer with raw pixels; empty without a frame."""
    if frame is None:
        return Answer()
    height, width = frame.bgr.shape[:2]
    facts = {"height": height, "width": width, "taken_at_s": frame.taken_at_s}
    return Answer(facts, frame.bgr.tobytes())

"""What the page may have done: each command by its name, with plain data in and out.

Whoever is allowed to ask is decided on the page, by roles; what depends on the game at that very
moment, such as whose question an answer is for, is decided here, where the truth is.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from typing import Any

from companion_app.backup import BY_PAGE, TAKEN_IN, BackupError
from companion_app.eye.camera import TableCamera
from companion_app.eye.correcting import keep_named, named_by_cells, spots_named
from companion_app.eye.corrections import Corrections
from companion_app.eye.desk import Desk, names_in
from companion_app.eye.feeder import Feeder
from companion_app.eye.ghost import outlines_ahead
from companion_app.eye.machine import MachineSeats
from companion_app.help_orders import HELP_OFF, HELP_ON, order_of
from companion_app.kept_looks import KeptLooks
from companion_app.line.ends import Answer
from companion_app.line.forms import layout_from_json, pending_to_json, question_written
from companion_app.line.standing import Standing
from companion_app.live.kept import Kept, KeptGames
from companion_app.live.questions import concerns
from companion_app.live.referee import Referee
from companion_app.refusal import Refusal
from companion_app.seat.player import NoPlayer
from engine.record import Record, parse_record
from vision import Frame

Doc = Mapping[str, Any]
MakeFeeder = Callable[[Record], Feeder | None]
"""What shows tables to a new game: the camera, or a recorded game."""


class Commands:
    """Answers the page for a desk, its camera, and the pictures of corrections."""

    CHANGES = frozenset(
        {"tell", "undo", "redo", "end", "take-foul-back", "begin", "resume", "choose",
         "machine-seat", "machine-mute", "machine-hand", "machine-draw", "take-hint"}
    )  # fmt: skip
    """What changes how the table stands: its answer comes with the new standing."""

    def __init__(
        self, desk: Desk, camera: TableCamera | None = None,
        corrections: Corrections | None = None, make_feeder: MakeFeeder | None = None,
        machine: MachineSeats | None = None,
    ) -> None:  # fmt: skip
        self.desk = desk
        self.camera = camera
        """``None`` where only written games are shown."""
        self.corrections = corrections
        """``None`` where none are kept."""
        self.make_feeder = make_feeder
        """Where a game is not shown by the camera."""
        self.start_again: Callable[[], None] = lambda: None
        """Ends this eye; whoever looks after it starts it again."""
        self.machine = machine or MachineSeats(desk, NoPlayer())
        """The machine's seats."""
        self._number = 0
        self._known: Mapping[str, Callable[[Doc, bytes], Answer]] = {
            "tell": self._tell, "undo": self._undo, "redo": self._redo, "end": self._end,
            "take-foul-back": self._take_foul_back, "begin": self._begin, "resume": self._resume,
            "sources": self._sources, "choose": self._choose, "picture": self._picture,
            "frame": self._frame, "still": self._still, "seen": self._seen,
            "phone-picture": self._phone_picture, "limit-pictures": self._limit_pictures,
            "wipe-pictures": self._wipe_pictures, "forget-corrections": self._forget_corrections,
            "keep-summaries": self._keep_summaries, "pause": self._pause,
            "rename": self._rename, "delete-game": self._delete_game,
            "restore": self._restore, "start-again": self._start_again,
            "raise-hand": self._raise_hand, "ruling": self._ruling,
            "machine-seat": self._machine_seat, "machine-mute": self._machine_mute,
            "machine-hand": self._machine_hand, "machine-draw": self._machine_draw,
            "take-hint": self._take_hint,
        }  # fmt: skip

    def answer(self, what: str, body: Doc, data: bytes) -> Answer:
        """Do what is asked for."""
        if what not in self._known:
            raise Refusal(f"nothing is called {what}")
        return self._known[what](body, data)

    def standing(self) -> Standing:
        """Return how the table stands."""
        desk = self.desk
        with desk.lock:
            self._number += 1
            referee, loop = desk.referee, desk.feeder.loop
            pending = referee.pending if referee else None
            return Standing(
                number=self._number,
                key=referee.match.key if referee else None,
                seq=referee.match.seq if referee else 0,
                names=dict(desk.names), seeing=desk.seeing, why=desk.why, trouble=desk.trouble,
                kind=desk.feeder.kind, source=self.camera.name if self.camera else None,
                covered=sorted(map(list, loop.covered)) if loop else [],
                unsure=sorted(map(list, loop.unsure)) if loop else [],
                pending=pending_to_json(pending) if pending else None,
                questions=list(map(question_written, referee.questions.values())) if referee
                else [],
                can_undo=desk.can_undo, can_redo=desk.can_redo, paused=desk.paused,
                machine=self.machine.to_json(), looks=loop.looks if loop else 0,
            )  # fmt: skip

    # --- a backup that is restored ---------------------------------------------------------

    def _restore(self, body: Doc, _: bytes) -> Answer:
        """Put the backup that the page took in where everything is kept; then start again."""
        # Checks what the page keeps too, and is not wanted otherwise.
        from companion_app.restore import restore_backup

        home = self.desk.store.path.parent
        with self.desk.lock:
            if self._is_played():
                raise Refusal(code="restore-game", status=409)
        try:
            restored = restore_backup(home, home / BY_PAGE / TAKEN_IN, let_go=self._let_go,
                                      with_secrets=body["with_secrets"])  # fmt: skip
        except BackupError as error:
            raise Refusal(code=error.code, status=422) from error
        if restored.kept is not None:
            shutil.rmtree(restored.kept / BY_PAGE, ignore_errors=True)
        return Answer({"files": restored.files, "left_out": len(restored.left_out)})

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
        with self.desk.lock:
            self.desk.store.close()

    def _start_again(self, _body: Doc, _: bytes) -> Answer:
        self.start_again()
        return Answer()

    # --- the game that is on ---------------------------------------------------------------

    def _tell(self, body: Doc, _: bytes) -> Answer:
        desk, sent = self.desk, body["sent"]
        with desk.lock:
            if desk.referee is not None and not body["host"]:
                only_for_oneself(desk.referee, sent, body["seats"], desk.machine.seats)
            if "correct" in sent and desk.match is not None:
                sent = named_by_cells(desk.match, sent)
            spots = spots_named(desk, sent)
            desk.tell(sent)
            if self.corrections is not None:
                keep_named(self.corrections, desk, sent, spots)
        return Answer()

    def _undo(self, body: Doc, _: bytes) -> Answer:
        count = body.get("count")
        if count is None:
            self.desk.undo()
        else:
            self.desk.take_back(count)
        return Answer()

    def _redo(self, _body: Doc, _: bytes) -> Answer:
        self.desk.redo()
        return Answer()

    def _end(self, _body: Doc, _: bytes) -> Answer:
        self.desk.end()
        return Answer()

    def _take_foul_back(self, _body: Doc, _: bytes) -> Answer:
        self.desk.take_foul_back()
        return Answer()

    def _begin(self, body: Doc, _: bytes) -> Answer:
        record = parse_record(body["record"], self.desk.set_folders)
        match = self.desk.begin(record, body["names"], self._feeder(record), body.get("machine"))
        order = order_of(self.desk.store.path.parent)
        if order is not None and not order.help:
            match.note("ruling", {"what": HELP_OFF, "ruling": order.n})
        return Answer()

    def _resume(self, body: Doc, _: bytes) -> Answer:
        desk, key = self.desk, body["key"]
        with desk.lock:
            known = desk.store.games()
            if key is None and desk.match is not None:
                key = desk.match.key
        if key not in known:
            raise Refusal(code="no-game")
        match = desk.resume(key)
        desk.feed(self._feeder(match.record()))
        return Answer()

    def _feeder(self, record: Record) -> Feeder | None:
        if self.make_feeder is not None:
            return self.make_feeder(record)
        return self.camera.feeder(record) if self.camera is not None else None

    def _pause(self, body: Doc, _: bytes) -> Answer:
        desk = self.desk
        if body["on"]:
            desk.pause()
        elif desk.match is not None and not desk.match.ended:
            desk.feed(self._feeder(desk.match.record()))
            desk.emit({"event": "told", "t": desk.now()})
        return Answer()

    # --- the machine's seats ---------------------------------------------------------------

    def _machine_seat(self, body: Doc, _: bytes) -> Answer:
        with self.desk.lock:
            self.machine.sit(body["player"], body["level"])
        return Answer()

    def _machine_mute(self, body: Doc, _: bytes) -> Answer:
        with self.desk.lock:
            self.machine.mute(body["on"])
        return Answer()

    def _machine_hand(self, body: Doc, _: bytes) -> Answer:
        """Take in a hand that was told; without tiles, what the camera sees beside the table."""
        with self.desk.lock:
            tiles, loop = body["tiles"], self.desk.feeder.loop
            if tiles is None:
                tiles = loop.aside if loop is not None else ()
            self.machine.show_hand(body["player"], tiles)
        return Answer()

    def _machine_draw(self, body: Doc, _: bytes) -> Answer:
        with self.desk.lock:
            self.machine.draw(body["tiles"])
        return Answer()

    def _take_hint(self, body: Doc, _: bytes) -> Answer:
        with self.desk.lock:
            return Answer({"left": self.machine.take_hint(body["player"], body["most"])})

    # --- kept games ------------------------------------------------------------------------

    def _rename(self, body: Doc, _: bytes) -> Answer:
        desk, key, player = self.desk, body["key"], body["player"]
        with desk.lock:
            if player not in self._players(key):
                raise Refusal("player is a player of the game")
            names = {**names_in(desk.store, key), player: body["name"]}
            if desk.match is not None and desk.match.key == key:
                desk.match.note("names", {"names": names})
                desk.names = names
            else:
                desk.store.append(key, "names", {"names": names})
            desk.emit({"event": "told", "t": desk.now()})
        return Answer(names)

    def _players(self, key: Any) -> list[str]:
        if key not in self.desk.store.games():
            raise Refusal(code="no-game")
        lines = self.desk.store.lines(key)
        begun = [line.body["record"] for line in lines if line.kind == "started"]
        return list(begun[0].get("players", ())) if begun else []

    def _delete_game(self, body: Doc, _: bytes) -> Answer:
        desk, key = self.desk, body["key"]
        with desk.lock:
            if key not in desk.store.games():
                raise Refusal(code="no-game")
            if desk.match is not None and desk.match.key == key:
                raise Refusal(code="game-is-on")
            desk.store.forget(key)
            KeptLooks(desk.store.path.parent).forget(key)
        return Answer()

    # --- in a hall -------------------------------------------------------------------------

    def _raise_hand(self, body: Doc, _: bytes) -> Answer:
        with self.desk.lock:
            self.desk.raise_hand(body["raised"])
        return Answer()

    def _ruling(self, body: Doc, _: bytes) -> Answer:
        """Do what the arbiter of a hall decided about the game that is on, once."""
        desk, what = self.desk, body["what"]
        deeds: Mapping[str, Callable[[], None]] = {
            "overrule": desk.overrule_pending, "lift": desk.take_foul_back,
            "take-back": desk.take_back, "end": desk.end,
            "lower-hand": lambda: desk.raise_hand(False),
            "correct": lambda: self._correct_as_host(body["correct"], body["move"]),
            HELP_OFF: lambda: None, HELP_ON: lambda: None,
        }  # fmt: skip
        with desk.lock:
            match = desk.match
            if match is None or body["key"] != match.key:
                raise Refusal(code="other-game")
            if what not in deeds:
                raise Refusal("an unknown ruling")
            lines = desk.store.lines(match.key)
            if any(line.kind == "ruling" and line.body["ruling"] == body["n"] for line in lines):
                return Answer()
            match.note("ruling", {"what": what, "ruling": body["n"]})
        deeds[what]()
        return Answer()

    def _correct_as_host(self, n: Any, move: Any) -> None:
        self._tell({"sent": {"correct": n, "move": move}, "host": True, "seats": []}, b"")

    # --- the camera ------------------------------------------------------------------------

    def _table_camera(self) -> TableCamera:
        if self.camera is None:
            raise Refusal(code="no-camera", status=404)
        return self.camera

    def _sources(self, _body: Doc, _: bytes) -> Answer:
        return Answer(self._table_camera().sources())

    def _choose(self, body: Doc, _: bytes) -> Answer:
        camera = self._table_camera()
        if body["source"] not in camera.sources():
            raise Refusal("source is none of those found")
        camera.choose(body["source"])
        return Answer()

    def _picture(self, _body: Doc, _: bytes) -> Answer:
        if self.desk.is_fed:
            jpeg = self.desk.feeder.picture()
        else:
            jpeg = self.camera.picture() if self.camera is not None else None
        return Answer(data=jpeg or b"")

    def _frame(self, body: Doc, _: bytes) -> Answer:
        if self.camera is None and self.desk.is_fed:
            return sent_frame(self.desk.feeder.newest)
        return sent_frame(self._table_camera().frame(self._record(body)))

    def _still(self, body: Doc, _: bytes) -> Answer:
        record = self._record(body)
        assert record is not None
        return sent_frame(self._table_camera().still_of(record, layout_from_json(body["layout"])))

    def _record(self, body: Doc) -> Record | None:
        said = body.get("record")
        return None if said is None else parse_record(said, self.desk.set_folders)

    def _seen(self, _body: Doc, _: bytes) -> Answer:
        """Return what lies where in the newest picture; nothing before the first one."""
        with self.desk.lock:
            frame, loop = self.desk.feeder.newest, self.desk.feeder.loop
            if frame is None or loop is None:
                return Answer()
            return Answer({
                "size": [frame.bgr.shape[1], frame.bgr.shape[0]],
                "outlines": [[list(spot), [[float(x), float(y)] for x, y in outline]]
                             for spot, outline in loop.outlines_px.items()],
                "ghost": outlines_ahead(loop),
            })  # fmt: skip

    def _phone_picture(self, body: Doc, data: bytes) -> Answer:
        camera = self._table_camera()
        if camera.kind != "phone":
            raise Refusal(code="other-camera")
        return Answer(list(camera.inbox.push(data, still=body["still"])))

    # --- what is kept ----------------------------------------------------------------------

    def _limit_pictures(self, body: Doc, _: bytes) -> Answer:
        self.desk.pictures_mb = body["mb"]
        self.desk.limit_pictures()
        return Answer()

    def _wipe_pictures(self, _body: Doc, _: bytes) -> Answer:
        with self.desk.lock:
            wiped = self.desk.store.forget_pictures()
        return Answer(wiped + (self.corrections.forget() if self.corrections is not None else 0))

    def _forget_corrections(self, body: Doc, _: bytes) -> Answer:
        return Answer(self.corrections.forget(body["file"]) if self.corrections is not None else 0)

    def _keep_summaries(self, body: Doc, _: bytes) -> Answer:
        made = {key: Kept(seq, summary) for key, (seq, summary) in body["made"].items()}
        KeptGames(self.desk.store.path).keep(made, body["by"])
        return Answer()


def only_for_oneself(
    referee: Referee, sent: Doc, seats: list[str], machine: Mapping[str, int]
) -> None:
    """Refuse what a seat tells for another colour; for the machine, any seat may speak.

    Raises:
        Refusal: it concerns players whose seat this is not.
    """
    number = sent.get("answer")
    question = referee.questions.get(number) if isinstance(number, int) else None
    if "answer" in sent and question is None:
        return  # nobody waits for it, and the referee says so
    if not set(concerns(question, referee.match)).intersection([*seats, *machine]) or not seats:
        raise Refusal(code="not-your-seat", status=403)


def sent_frame(frame: Frame | None) -> Answer:
    """Return a frame as it goes to whoever reads it; nothing where there is none."""
    if frame is None:
        return Answer()
    height, width = frame.bgr.shape[:2]
    facts = {"height": height, "width": width, "taken_at_s": frame.taken_at_s}
    return Answer(facts, frame.bgr.tobytes())

"""Plays a written game at the desk, as if its tables were seen one after the other.

No picture is made or read here: each table of the record goes to the referee as settled. The page
says so ("recorded game"). A foul is tried before the move whose number it names.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any

from companion_app.eye.desk import Desk, Feeder, GameLeftError
from companion_app.live.errors import LiveError
from companion_app.live.places import Sighting, contents
from companion_app.live.settle import Settled
from engine.errors import EngineError
from engine.game import Move
from engine.placement import Layout, Piece, Placement
from engine.record import Record, move_to_json, parse_move, parse_record

SILENT = ("roll", "discard", "pass", "finale")
"""Moves that leave no trace on the table: they are sent as players' messages."""
MOVE_S, HAND_S = 2.4, 0.7
"""Seconds that a move takes at speed 1, and those of them with a hand over the table."""
FOUL_LIES_S = 8.0
"""Seconds for which a foul stays on the table before its player lifts it again."""


@dataclass(frozen=True)
class Script:
    """A written game with the fouls that are tried in it."""

    record: Record
    fouls: tuple[tuple[int, Move], ...] = ()
    """Fouls, each with the number of moves before it."""


def read_script(data: Mapping[str, Any]) -> Script:
    """Parse the content of a demo file."""
    record = parse_record(data["record"])
    return Script(
        record,
        tuple(
            (
                foul["before"],
                parse_move(
                    record.game, record.tile_set, record.start.players, foul["move"], "fouls"
                ),
            )
            for foul in data.get("fouls", ())
        ),
    )


def shipped_script(game: str) -> Script | None:
    """Return the recorded game that comes with the program; ``None`` if there is none."""
    file = files("companion_app") / "demo" / f"{game}.json"
    return read_script(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def settled_on(layout: Layout) -> Settled:
    """Return settled looks at a layout that lies on the table in plain view."""
    sure = {spot: (content, 0.999) for spot, content in contents(layout).items()}
    return Settled(8, sure, last=Sighting(pieces=layout.pieces, clay=layout.clay))


def laid(layout: Layout, move: Move, field: int | None) -> Layout:
    """Return a layout with the tile of a move laid on it, legal or not."""
    if move.cells is not None:
        piece = Piece(f"{move.player}/{move.tile}", move.cells, move.board)
        return Layout(layout.cards, layout.pieces | {piece}, layout.clay)
    assert move.at is not None
    lying = {card for card in layout.cards if card.at == move.at and card.field == field}
    tile = move.tile or next(card.tile for card in lying)
    new = Placement(tile, move.at, move.turns or 0, field)
    return Layout(layout.cards - lying | {new}, layout.pieces, layout.clay)


class RecordedGame(Feeder):
    """A feeder whose thread plays a script at the desk, without frames."""

    kind = "recorded"

    def __init__(self, script: Script, speed: float = 1.0) -> None:
        self.script = script
        self.speed = speed
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._t = 0.0

    def start(self, desk: Desk) -> None:
        """Start to play."""
        self._thread = threading.Thread(target=self._play, args=(desk,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, and wait for it."""
        self._stop.set()
        if self._thread and self._thread is not threading.current_thread():
            self._thread.join(5)

    def _play(self, desk: Desk) -> None:
        with suppress(GameLeftError):
            self._lay_all(desk)

    def _lay_all(self, desk: Desk) -> None:
        done = len(desk.match.accepted) if desk.match else 0
        for number, move in enumerate(self.script.record.moves[done:], start=done):
            for before, foul in self.script.fouls:
                if before == number:
                    self._lay(desk, foul)
            self._lay(desk, move)
            if self._stop.is_set():
                return

    def _lay(self, desk: Desk, move: Move) -> None:
        if self._pause(MOVE_S - HAND_S):
            return
        if move.do not in SILENT:
            state = {"event": "state", "state": "hand", "t": self._t}
            desk.do_as(self, partial(desk.emit, state))
            if self._pause(HAND_S):
                return
        desk.do_as(self, partial(self._show, desk, move))
        self._wait_for_table(desk)

    def _show(self, desk: Desk, move: Move) -> None:
        self._see(desk, move)
        desk.emit({"event": "state", "state": "settled", "t": self._t})

    def _see(self, desk: Desk, move: Move) -> None:
        referee = desk.referee
        if referee is None or referee.match.ended:
            self._stop.set()
            return
        match = referee.match
        if move.player != match.position.to_move and move.do in ("pass", "finale"):
            return
        self._t += MOVE_S
        try:
            if move.do in SILENT:
                referee.tell({"move": move_to_json(move)}, self._t)
                return
            referee.state.touch()
            several = match.game.facts.several_fields
            after = laid(match.layout, move, match.cells_of(move)[0][0] if several else None)
            if match.game.judge(match.position, move).legal:
                after = match.after(move)
            known = len(match.accepted)
            for _ in range(4):
                self._t += 1.0
                referee.look(settled_on(after), self._t)
                if referee.state.pending or len(match.accepted) > known:
                    return
            referee.tell({"move": move_to_json(move)}, self._t)
        except (LiveError, EngineError) as error:
            desk.emit({"event": "trouble", "text": str(error), "t": self._t})

    def _wait_for_table(self, desk: Desk) -> None:
        """Wait while a foul lies on the table; then lift it, unless the host has overruled it."""
        waited = 0.0
        while not self._stop.is_set():
            referee = desk.referee
            if referee is None or not referee.state.pending:
                return
            if waited >= FOUL_LIES_S:
                desk.do_as(self, desk.take_foul_back)
                return
            waited += 0.2
            self._pause(0.2)

    def _pause(self, seconds: float) -> bool:
        """Wait; return whether it is time to stop."""
        return self._stop.wait(seconds / self.speed)

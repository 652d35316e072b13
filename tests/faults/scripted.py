"""A written game played through the real referee into the real store, and what was announced.

A move is accepted from the moment it was announced. Announcements are taken down here, outside
the store, and compared with what the store gives back after a fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from companion_app.eye.recorded import SILENT, settled_on, shipped_script
from companion_app.eye.starting import opened_store
from companion_app.live.match import Match
from companion_app.live.referee import Referee
from companion_app.live.store import Store
from engine.game import Move
from engine.record import Record, move_to_json, parse_record

PLAYTHROUGHS = Path(__file__).parents[1] / "playthroughs"
Event = Mapping[str, Any]
RELEASED_S = 20.0
"""By then a process that was killed has let go of its games, also on a busy machine."""


def written_game(name: str) -> Record:
    """Return the first whole game of a playthrough, or the recorded game by its own name."""
    if name == "recorded":
        script = shipped_script("schlangennest")
        assert script is not None
        return script.record
    text = (PLAYTHROUGHS / f"{name}.json").read_text(encoding="utf-8")
    return parse_record(json.loads(text)["games"][0]["record"])


@dataclass
class Announced:
    """What was said aloud, kept by whoever listened."""

    moves: dict[int, Any] = field(default_factory=dict)
    """The accepted moves as they stand, by their number."""
    seqs: set[int] = field(default_factory=set)
    """The lines of the log that announcements named: moves and fouls."""
    key: str | None = None
    """The game that they are of, where it was said."""

    def hear(self, event: Event) -> None:
        """Take down one event; a page repeats the last ones to whoever comes late."""
        if event["event"] == "game":
            if self.key not in (None, event["key"]):
                self.moves = {}
            self.key = event["key"]
        if event["event"] == "verdict":
            if "seq" in event:
                self.seqs.add(event["seq"])
            if event.get("legal") and "move" in event:
                self.moves[event["n"]] = event["move"]
        elif event["event"] == "taken-back" and event.get("legal", True):
            self.moves = {n: move for n, move in self.moves.items() if n < event["n"]}


def lost_moves(folder: Path, announced: Announced, key: str | None = None) -> int:
    """Return how many announced moves a store does not give back; opens it as a start would."""
    with opened_store(folder, RELEASED_S) as store:
        games = store.games()
        if not games:
            return len(announced.moves)
        game = key or games[-1]
        kept = [move_to_json(one.move) for one in Match.resume(store, game).accepted]
        seqs = {line.seq for name in games for line in store.lines(name)}
    missing = len(announced.seqs - seqs)
    wrong = sum(n > len(kept) or kept[n - 1] != move for n, move in announced.moves.items())
    return int(max(missing, wrong))


class Player:
    """Lays the tiles of a written game before the referee."""

    def __init__(
        self,
        store: Store,
        record: Record,
        say: Callable[[Event], None],
        jpeg: bytes = b"jpeg",
        key: str = "game",
    ) -> None:
        if key in store.games():
            self.match = Match.resume(store, key)
        else:
            self.match = Match.begin(store, replace(record, moves=()), key)
        self.referee = Referee(self.match, say)
        self._moves = record.moves
        self._jpeg = jpeg
        self._t = 0.0
        self.referee.start(0.0)

    def play(self, upto: int | None = None) -> None:
        """Play from where the match stands; a move that cannot be kept raises and is still due."""
        for move in self.due(upto):
            self.lay(move)

    def due(self, upto: int | None = None) -> Iterator[Move]:
        """Yield the moves that are not accepted yet."""
        for number, move in enumerate(self._moves[:upto]):
            if number >= len(self.match.accepted):
                yield move

    def lay(self, move: Move) -> None:
        """Lay the tile of one move, or tell it where it leaves no trace.

        Raises:
            StoreError: it could not be kept.
        """
        match, known = self.match, len(self.match.accepted)
        if move.do in SILENT:
            if move.player == match.position.to_move and not match.ended:
                self._tell(move)
            return
        self.referee.touch()
        after = match.game.layout(match.game.apply(match.position, move))
        for _ in range(4):
            self._t += 1.0
            self.referee.look(settled_on(after), self._t, lambda: self._jpeg)
            if len(match.accepted) > known:
                return
        self._tell(move)

    def look_again(self) -> None:
        """Look at the table as it lies.

        Raises:
            StoreError: what is still to be said could not be kept.
        """
        self._t += 1.0
        self.referee.look(settled_on(self.match.layout), self._t, lambda: self._jpeg)

    def _tell(self, move: Move) -> None:
        self.referee.tell({"move": move_to_json(move)}, self._t)

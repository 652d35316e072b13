"""The demo goes on without end: when a game of it is over, the next game is begun, all in turn."""

from __future__ import annotations

import threading
from collections.abc import Callable

from companion_app.eye.camera import TableCamera
from companion_app.eye.desk import Desk
from companion_app.eye.feeder import Feeder
from companion_app.live.demo import demo_record
from engine.games import GAMES
from engine.record import Record

ROUND = tuple(GAMES)
"""In which order the games come."""
ADMIRED_S = 15.0
"""So long the end of a game is left on the table."""
KEPT_ROUNDS = 2
"""Finished rounds that can still be looked through; the demo must not fill the disk."""
LISTENING_S = 3600.0


class DemoRounds:
    """Begins one demo game after the other, for as long as nobody begins a game of his own."""

    def __init__(
        self, desk: Desk, feeder: Callable[[Record, int], Feeder | None],
        admired_s: float = ADMIRED_S,
    ) -> None:  # fmt: skip
        """Wait for the first round; ``feeder`` returns what shows a game, by its round."""
        self._desk, self._feeder, self._admired_s = desk, feeder, admired_s
        self._stopped = threading.Event()
        self._rounds: list[str] = []
        """Keys of the games that were begun here."""
        self._number = 0
        self._listener = desk.hub.listen(None)
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self._thread.start()

    def take(self, key: str, game: str) -> None:
        """Count a game that is on as the round that others follow."""
        self._rounds.append(key)
        self._number = ROUND.index(game)

    def close(self) -> None:
        """Begin no more."""
        self._stopped.set()
        self._listener.close()
        self._desk.hub.leave(self._listener)
        self._thread.join(5)

    def _go_on(self) -> None:
        while not self._stopped.is_set():
            events = self._listener.take(LISTENING_S)
            if self._listener.closed:
                return
            over = any(one.body["event"] in ("over", "missed") for one in events)
            if over and self._is_over() and not self._stopped.wait(self._admired_s):
                self._next()

    def _is_over(self) -> bool:
        """Say whether the newest round is on the table, and has ended."""
        with self._desk.lock:
            match = self._desk.match
            if match is None or match.key not in self._rounds[-1:]:
                return False
            return match.ended or match.game.outcome(match.position).over

    def _next(self) -> None:
        if not self._is_over():  # somebody has begun another game, or goes on with this one
            return
        self._number += 1
        record = demo_record(ROUND[self._number % len(ROUND)])
        match = self._desk.begin(record, {}, self._feeder(record, self._number))
        self._rounds.append(match.key)
        for old in self._rounds[: -1 - KEPT_ROUNDS]:
            with self._desk.lock:
                self._desk.store.forget(old)
            self._rounds.remove(old)


def demo_rounds(desk: Desk, camera: TableCamera) -> DemoRounds:
    """Return what goes on with the demo; each round has another game and another seed."""

    def feeder(record: Record, number: int) -> Feeder | None:
        camera.round = number
        return camera.feeder(record)

    return DemoRounds(desk, feeder)

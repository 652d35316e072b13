"""The endless demo: when a demo game is over, the next one begins, all games in turn."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial

from companion_app.eye.camera import TableCamera
from companion_app.eye.desk import Desk, Feeder
from companion_app.line.hub import MISSED
from companion_app.line.standing import kind_of
from companion_app.live.demo import demo_record
from companion_app.live.errors import StoreError
from companion_app.live.store import Store
from engine.games import GAMES
from engine.record import Record

log = logging.getLogger(__name__)
ROUND = tuple(GAMES)
"""The games in the order in which they are played."""
ADMIRED_S = 15.0
"""Seconds for which the end of a game stays on the table."""
KEPT_ROUNDS = 2
"""Finished rounds that stay in the store; the demo must not fill the disk."""
LISTENING_S = 3600.0


class DemoRounds:
    """Begins one demo game after the other until somebody begins a game of their own."""

    def __init__(
        self,
        desk: Desk,
        feeder: Callable[[Record, int], Feeder | None],
        is_on: Callable[[], bool] = lambda: True,
        admired_s: float = ADMIRED_S,
    ) -> None:
        """Wait for the first round.

        Args:
            desk: the desk.
            feeder: returns the feeder of a game, given its round.
            is_on: says whether the demo table is still the one that is looked at.
            admired_s: seconds for which the end of a game stays on the table.
        """
        self._desk, self._feeder, self._is_on, self._admired_s = desk, feeder, is_on, admired_s
        self._stopped = threading.Event()
        self._newest: str | None = None
        """Key of the newest round."""
        self._rounds: list[str] = []
        """Keys of the rounds that were begun since the start; older ones stay in the store."""
        self._number = 0
        self._between = False
        """Whether the last round was over, and no game on the table, when this eye started."""
        self._listener = desk.hub.listen(None)
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self._thread.start()

    def take(self, resumed: str | None) -> None:
        """Register the current game as the newest round; ``resumed`` if it is a resumed one.

        An eye that replaces one killed between two rounds finds a game that is over, or none; the
        next round begins then as well.
        """
        match = self._desk.match
        if match is None:
            self._between = self._was_between_rounds()
        elif _is_demo(self._desk.store, match.key):
            self._newest = match.key
            self._number = ROUND.index(match.game.facts.name)
            if match.key != resumed:
                self._rounds.append(match.key)
        self._listener.put(MISSED)
        self._listener.wake()

    def close(self) -> None:
        """Stop beginning games."""
        self._stopped.set()
        self._listener.close()
        self._desk.hub.leave(self._listener)
        self._thread.join(5)

    def _go_on(self) -> None:
        due = False
        while not self._stopped.is_set():
            events = self._listener.take(self._admired_s if due else LISTENING_S)
            if self._listener.closed:
                return
            due |= any(one.body["event"] in ("over", "missed") for one in events)
            if due and self._is_over() and not self._stopped.wait(self._admired_s):
                try:
                    self._next()
                except StoreError as error:
                    log.warning("the next demo game is tried again: %s", error)
                    continue
            due = False

    def _was_between_rounds(self) -> bool:
        """Say whether the last game that was kept is a round of the demo, or none was."""
        kept = self._desk.store.games()
        if not kept or not _is_demo(self._desk.store, kept[-1]):
            return not kept
        lines = self._desk.store.lines(kept[-1])
        began = (one.body["record"]["game"] for one in lines if one.kind == "started")
        self._number = ROUND.index(next(began, ROUND[0]))
        return True

    def _is_over(self) -> bool:
        """Say whether the newest round is on the table, and has ended."""
        match = self._desk.match
        if match is None:
            return self._between and self._is_on()
        if match.key != self._newest or not self._is_on():
            return False
        return match.ended or match.game.outcome(match.position).over

    def _next(self) -> None:
        if not self._is_over():  # somebody has begun another game, or goes on with this one
            return
        self._number += 1
        record = demo_record(ROUND[self._number % len(ROUND)])
        match = self._desk.begin(record, {}, self._feeder(record, self._number), by_people=False)
        self._newest = match.key
        self._rounds.append(match.key)
        for old in self._rounds[: -1 - KEPT_ROUNDS]:
            self._desk.do(partial(_forget_demo, self._desk.store, old))
            self._rounds.remove(old)


def _is_demo(store: Store, key: str) -> bool:
    """Say whether a game was shown by the demo table alone; people's games have other sources."""
    sources = [line.body["source"] for line in store.lines(key) if line.kind == "source"]
    return bool(sources) and all(kind_of(source) == "demo" for source in sources)


def _forget_demo(store: Store, key: str) -> None:
    if _is_demo(store, key):
        store.forget(key)


def demo_rounds(desk: Desk, camera: TableCamera) -> DemoRounds:
    """Start the endless demo; each round has another game and another seed."""

    def feeder(record: Record, number: int) -> Feeder | None:
        camera.round = number
        return camera.feeder(record)

    return DemoRounds(desk, feeder, lambda: camera.kind == "demo")

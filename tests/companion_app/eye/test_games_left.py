"""A camera's slow look does nothing to a game that was left meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from companion_app.eye.watching import Watched
from engine.placement import Layout
from tests.browser.chromium import wait_until
from tests.companion_app.eye.test_watching import PATIENCE_S, DrawnTable
from vision.core.tables import TableState
from vision.core.types import Frame

LAID_AT = 20
"""The frame in which a hand lays the tile."""


class SlowTable(DrawnTable):
    """A table on which a tile is laid in a frame of its own; one look at it takes long."""

    def __init__(self, laid: Layout, slow_at: int = 0) -> None:
        super().__init__()
        self._laid, self._slow_at = laid, slow_at
        self.looks = 0

    def frames(self) -> Iterator[Frame | None]:
        for number, frame in enumerate(super().frames()):
            if number == LAID_AT:
                self.layout = self._laid
            yield frame

    def read(self, frame: Frame) -> TableState:
        self.looks += 1
        if self.looks == self._slow_at:
            self.go_on.clear()
        return super().read(frame)


def first_move(played, script):
    match = played.desk.match
    return match.game.layout(match.game.apply(match.position, script.record.moves[0]))


def look_that_decides(played, script) -> int:
    """Return the number of the look after which the move counts."""
    played.begin(script.record)
    table = SlowTable(first_move(played, script))
    looks, accept = [], played.desk.match.accept

    def noted(*given: object, **more: object) -> object:
        looks.append(table.looks)
        return accept(*given, **more)

    played.desk.match.accept = noted
    played.desk.feed(Watched("camera", table, table))
    wait_until(lambda: looks)
    return looks[0]


def test_slow_look_writes_nothing_into_a_game_that_was_left(played, script, monkeypatch):
    decisive = look_that_decides(played, script)
    played.begin(script.record)
    table = SlowTable(first_move(played, script), decisive)
    played.desk.feed(Watched("camera", table, table))
    wait_until(lambda: table.looks == decisive)
    left, thread = played.desk.match, played.desk.feeder._thread

    # As if more than the five seconds had passed that it is waited for.
    monkeypatch.setattr(thread, "join", lambda *_: None)
    played.begin(script.record)
    before = played.store.lines(left.key)
    table.go_on.set()
    threading.Thread.join(thread, PATIENCE_S)

    assert played.desk.match.key != left.key
    assert played.store.lines(left.key) == before

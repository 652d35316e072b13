"""The demo table: a simulated camera over a simulated table on which a real game is played.

Pictures are made by the scene maker and read like any other; nothing is short-cut. What players
would tell (rolls, the last round) is told at its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vision.types import Frame

Tell = Callable[[Mapping[str, Any]], None]

FRAMES_A_SECOND = 10.0


class DemoSource:
    """A filmed game; at speed 1 as slow as a real one, faster as asked, never late."""

    live = False

    def __init__(
        self, game: str, seed: int = 1, speed: float = 1.0, size_px: tuple[int, int] = (1280, 720),
        clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep,
        most_moves: int | None = None,
    ) -> None:  # fmt: skip
        from models.scenes.sequence import film

        self._film = film(seed, "held-out", game, FRAMES_A_SECOND, size_px, most_moves=most_moves)
        self._speed = speed
        self._clock, self._sleep = clock, sleep
        self._closed = False
        self.tell: Tell | None = None
        """Called with what players say aloud."""

    @property
    def players(self) -> tuple[str, ...]:
        """Who plays in the demo."""
        return tuple(self._film.script.players)

    def frames(self) -> Iterator[Frame | None]:
        """Yield the frames of the game at their time."""
        start_s = self._clock()
        told = 0
        for shot in self._film.frames():
            if self._closed:
                return
            for event in self._film.events[told:]:
                self._say(event)
            told = len(self._film.events)
            early_s = shot.t / self._speed - (self._clock() - start_s)
            if early_s > 0:
                self._sleep(early_s)
            yield Frame(shot.bgr, shot.t)

    def close(self) -> None:
        """Stop the game."""
        self._closed = True

    def _say(self, event: Mapping[str, Any]) -> None:
        if event["event"] != "told" or self.tell is None:
            return
        move = event["move"]
        if move["do"] == "roll":
            self.tell({"roll": move["value"], "tiles": move.get("tiles")})
        else:
            self.tell({"move": move})

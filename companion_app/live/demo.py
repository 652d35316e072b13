"""The demo table: a simulated camera over a simulated table on which a real game is played.

Pictures are rendered by the scene maker and read like any other; there is no short cut. The
simulated players play sensibly, try a foul now and then, and obey the referee. They tell it what
real players would (rolls, the last round) when it is due.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from companion_app.boxes import some_players
from companion_app.live.referee import Referee
from engine.game import Start
from engine.games import game_named
from engine.placement import Layout
from engine.record import Record, find_set
from vision import Frame

Tell = Callable[[Mapping[str, Any]], None]

FRAMES_A_SECOND = 10.0
HASTY = 4.0
"""Speed from which on fewer frames are made: hands are quicker, and every frame is read."""
HASTY_FRAMES_A_SECOND = 5.0
LARGE_PX = (1280, 720)
SIZES_PX = {"schlangennest": (960, 540), "snekagon": (960, 540)}
"""Smaller frames for games with large tiles, so that a Raspberry Pi can play them too."""
IDLE_S = 0.4
"""Seconds between two frames of a table on which nothing will happen any more."""
SHORT_OPTIONS: Mapping[str, Mapping[str, Any]] = {"schlangennest": {"size": [4, 4]}}
"""Options that make a game short: a newcomer should see a whole game within a minute."""


class DemoSource:
    """A simulated game as frames; at speed 1 as slow as a real one, faster on request."""

    live = False

    def __init__(
        self,
        game: str,
        seed: int = 1,
        speed: float = 1.0,
        size_px: tuple[int, int] | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        record: Record | None = None,
        manners: Any = None,
    ) -> None:
        self.record = record or demo_record(game)
        """The start of the game: players and options."""
        self._seed, self._speed = seed, speed
        self._size_px = size_px or SIZES_PX.get(game, LARGE_PX)
        self._clock, self._sleep = clock, sleep
        self._manners = manners
        """How the players play (``Manners`` of ``models.lab.scenes``); ``None``: as usual."""
        self._standing: Callable[[], Any] | None = None
        self._lift: Callable[[], None] | None = None
        self._closed = False
        self.tell: Tell | None = None
        """Called with the players' messages."""

    def heed(
        self,
        referee: Callable[[], Referee | None],
        lock: AbstractContextManager[object],
        lift: Callable[[], None] | None = None,
    ) -> None:
        """Let the players continue the referee's game from its current position.

        Args:
            referee: returns the current referee.
            lock: held while the referee works.
            lift: called when a player says that the tile of a foul was lifted.
        """
        from models.lab.scenes.games.refereed import Standing

        def standing() -> Any:
            with lock:
                now = referee()
                assert now is not None
                match = now.match
                over = match.ended or match.game.outcome(match.position).over
                moves = tuple(one.move for one in match.accepted)
                return Standing(match.position, moves, now.state.pending is not None, over)

        self._standing, self._lift = standing, lift

    def frames(self) -> Iterator[Frame | None]:
        """Yield the frames of the game, each when it is due."""
        from models.lab.scenes.games.refereed import Book, Manners, RefereedFilm

        start_s = self._clock()
        usual = Manners(pace_s=0.2) if self._speed >= HASTY else Manners()
        film = RefereedFilm(
            Book(self.record, self._standing, self._say, self._lift),
            self._seed,
            HASTY_FRAMES_A_SECOND if self._speed >= HASTY else FRAMES_A_SECOND,
            self._size_px,
            self._manners or usual,
        )
        for shot in film.frames():
            if self._closed:
                return
            early_s = shot.t / self._speed - (self._clock() - start_s)
            if film.idle and self._standing is not None:
                early_s = max(early_s, IDLE_S)
            if early_s > 0:
                self._sleep(early_s)
            yield Frame(shot.bgr, shot.t)

    def close(self) -> None:
        """Stop the game."""
        self._closed = True

    def _say(self, message: Mapping[str, Any]) -> None:
        if self.tell is not None:
            self.tell(message)


class DemoTable:
    """A still demo table: what the camera sees when nobody plays."""

    live = False

    def __init__(
        self,
        game: str,
        layout: Layout,
        players: tuple[str, ...],
        seed: int = 1,
        size_px: tuple[int, int] = (1280, 720),
    ) -> None:
        self._game, self._layout, self._players = game, layout, players
        self._seed, self._size_px = seed, size_px
        self._closed = False

    def frames(self) -> Iterator[Frame | None]:
        """Yield frames of the table, each with its own noise."""
        from models.lab.scenes.games.refereed import still_table

        table = still_table(self._game, self._layout, self._players, self._seed, self._size_px)
        while not self._closed:
            for shot in table.quiet(1.0):
                yield Frame(shot.bgr, shot.t)

    def close(self) -> None:
        """Stop yielding frames."""
        self._closed = True


def halfway(record: Record, seed: int = 1) -> Layout:
    """Return the layout of the demo table halfway through a game."""
    from models.lab.scenes.games.refereed import dice, plan

    game = record.game
    position = game.opening(record.start, record.tile_set)
    moves = plan(game, position, dice(game.facts.name, seed))
    for move in moves[: len(moves) // 2]:
        position = game.apply(position, move)
    return game.layout(position)


def demo_record(game_name: str) -> Record:
    """Return the start of a demo game: few players and a short game."""
    game = game_named(game_name)
    start = Start(some_players(game), SHORT_OPTIONS.get(game_name, {}))
    return Record(game, find_set(game, None), start)

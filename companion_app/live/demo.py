"""The demo table: a simulated camera over a simulated table on which a real game is played.

Pictures are made by the scene maker and read like any other; nothing is short-cut. Its players
play sensibly, try a foul now and then, and heed the referee. What players would tell (rolls, the
last round) is told at its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from companion_app.live.referee import Referee
from engine.game import Start
from engine.games import game_named
from engine.placement import Layout
from engine.record import Record, find_set
from vision import Frame

Tell = Callable[[Mapping[str, Any]], None]

FRAMES_A_SECOND = 10.0
HASTY = 4.0
"""From this speed on fewer frames are made: the hands are quicker, and every frame is read."""
HASTY_FRAMES_A_SECOND = 5.0
LARGE_PX = (1280, 720)
SIZES_PX = {"schlangennest": (960, 540), "snekagon": (960, 540)}
"""Where tiles are large in the picture, half of the work will do: a Raspberry Pi plays it too."""
IDLE_S = 0.4
"""Between two pictures of a table on which nothing will happen any more."""
SHORT_OPTIONS: Mapping[str, Mapping[str, Any]] = {"schlangennest": {"size": [4, 4]}}
"""A newcomer should see a whole game within a minute."""


class DemoSource:
    """A filmed game; at speed 1 as slow as a real one, faster as asked, never late."""

    live = False

    def __init__(
        self, game: str, seed: int = 1, speed: float = 1.0, size_px: tuple[int, int] | None = None,
        clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep,
        record: Record | None = None, manners: Any = None,
    ) -> None:  # fmt: skip
        self.record = record or demo_record(game)
        """Who plays, with which options."""
        self._seed, self._speed = seed, speed
        self._size_px = size_px or SIZES_PX.get(game, LARGE_PX)
        self._clock, self._sleep = clock, sleep
        self._manners = manners
        """How its people play (``models.scenes.games.refereed.Manners``); ``None``: as usual."""
        self._standing: Callable[[], Any] | None = None
        self._lift: Callable[[], None] | None = None
        self._closed = False
        self.tell: Tell | None = None
        """Called with what players say aloud."""

    def heed(
        self, referee: Callable[[], Referee | None], lock: AbstractContextManager[object],
        lift: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        """Let the players play the referee's game, from where it stands.

        Args:
            referee: who judges right now.
            lock: held while he works.
            lift: called when a player says that he has lifted the tile of a foul.
        """
        from models.scenes.games.refereed import Standing

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
        """Yield the frames of the game at their time."""
        from models.scenes.games.refereed import Book, RefereedFilm

        start_s = self._clock()
        film = RefereedFilm(
            Book(self.record, self._standing, self._say, self._lift), self._seed,
            HASTY_FRAMES_A_SECOND if self._speed >= HASTY else FRAMES_A_SECOND, self._size_px,
            self._manners or self._usual_manners(),
        )  # fmt: skip
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

    def _usual_manners(self) -> Any:
        from models.scenes.games.refereed import Manners

        return Manners(pace_s=0.2) if self._speed >= HASTY else Manners()


class DemoTable:
    """A still demo table: what the camera sees when nobody plays."""

    live = False

    def __init__(
        self, game: str, layout: Layout, players: tuple[str, ...], seed: int = 1,
        size_px: tuple[int, int] = (1280, 720),
    ) -> None:  # fmt: skip
        self._game, self._layout, self._players = game, layout, players
        self._seed, self._size_px = seed, size_px
        self._closed = False

    def frames(self) -> Iterator[Frame | None]:
        """Yield pictures of the table, each with the noise of its own."""
        from models.scenes.games.refereed import still_table

        table = still_table(self._game, self._layout, self._players, self._seed, self._size_px)
        while not self._closed:
            for shot in table.quiet(1.0):
                yield Frame(shot.bgr, shot.t)

    def close(self) -> None:
        """Stop."""
        self._closed = True


def halfway(record: Record, seed: int = 1) -> Layout:
    """Return what lies on the demo table half way through a game."""
    from models.scenes.games.refereed import dice, plan

    game = record.game
    position = game.opening(record.start, record.tile_set)
    moves = plan(game, position, dice(game.facts.name, seed))
    for move in moves[: len(moves) // 2]:
        position = game.apply(position, move)
    return game.layout(position)


def demo_record(game_name: str) -> Record:
    """Return the start of a demo game: few players, a field that is full soon."""
    game = game_named(game_name)
    names = game.facts.player_names or ("Anna", "Ben")
    players = names[: game.facts.fewest_players]
    if game.facts.two_sit_opposite:
        players = (names[0], names[2])
    return Record(game, find_set(game, None), Start(players, SHORT_OPTIONS.get(game_name, {})))

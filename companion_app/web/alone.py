"""Games of one phone against the machine, played on the drawing; kept in memory only."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion_app.refusal import Refusal
from companion_app.seat.player import Player
from engine.record import Record, record_to_json

MOST_GAMES, MOST_OF_ONE = 4, 3
"""Games that may run, and those of one address."""
LEFT_AFTER_S = 1800.0
"""Seconds without a move after which a game is removed when another one begins."""


@dataclass(frozen=True, slots=True)
class AloneGame:
    """The state of one game."""

    record: Record
    seat: str
    level: int
    seed: int
    moves: tuple[Any, ...] = ()
    hand: tuple[str, ...] = ()
    legal: tuple[Any, ...] = ()
    over: bool = False
    touched_s: float = 0.0
    whose: str = ""
    """The address of the phone."""


class AloneGames:
    """The running games, by a secret name that only the phone of each game knows."""

    def __init__(self, player: Callable[[], Player]) -> None:
        self._player = player
        self._lock = threading.Lock()
        self._games: OrderedDict[str, AloneGame] = OrderedDict()

    def begin(self, record: Record, seat: str, level: int, whose: str = "") -> str:
        """Begin a game; return its name.

        Raises:
            Refusal: too many are running, in all or of this address; or the machine is away.
        """
        with self._lock:
            old_s = time.monotonic() - LEFT_AFTER_S
            for name in [n for n, one in self._games.items() if one.over or one.touched_s < old_s]:
                del self._games[name]
            of_one = sum(one.whose == whose for one in self._games.values())
            if of_one >= MOST_OF_ONE or len(self._games) >= MOST_GAMES:
                raise Refusal(code="alone-full", status=503, retry_after_s=60)
            name = secrets.token_urlsafe(9)
            seed, now_s = secrets.randbits(30), time.monotonic()
            game = AloneGame(record, seat, level, seed, touched_s=now_s, whose=whose)
            self._games[name] = game
        try:
            self._play_on(name, game, None)
        except Refusal:
            self.leave(name)
            raise
        return name

    def play(self, name: str, move: Mapping[str, Any]) -> None:
        """Make a person's move, and the machine's after it.

        Raises:
            Refusal: there is no such game, or the move cannot be made.
        """
        self._play_on(name, self.game(name), move)

    def game(self, name: str) -> AloneGame:
        """Return a game.

        Raises:
            Refusal: there is no game of that name.
        """
        with self._lock:
            if name not in self._games:
                raise Refusal(code="no-game", status=404)
            return self._games[name]

    def leave(self, name: str) -> None:
        """Forget a game."""
        with self._lock:
            self._games.pop(name, None)

    def _play_on(self, name: str, game: AloneGame, move: Mapping[str, Any] | None) -> None:
        said = self._player().ask(
            "alone",
            {
                "record": record_to_json(game.record),
                "seed": game.seed,
                "seat": game.seat,
                "level": game.level,
                "moves": list(game.moves),
                "move": move,
            },
            within_s=60.0,
        )
        after = replace(
            game,
            moves=tuple(said["moves"]),
            hand=tuple(said["hand"]),
            over=bool(said["over"]),
            legal=tuple(said["legal"]),
            touched_s=time.monotonic(),
        )
        with self._lock:
            # Compare and swap: of two concurrent moves from one position the first wins.
            if self._games.get(name) is game:
                self._games[name] = after

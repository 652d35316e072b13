"""The tournament as it stands: settings, players, rounds, tables, results; they never change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from companion_app.hall.tournament.past import Pair

Source = Literal["referee", "players", "arbiter"]
Stage = Literal["paired", "running", "closed"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a tournament is played; all of it can be changed until the first round is paired."""

    name: str = ""
    game: str = "schlangennest"
    rounds: int = 4
    size: int = 4
    """How many sit at a table where the number of players allows it."""
    fewest: int = 3
    most: int = 4
    points: str = "championship"
    """``championship``, ``wins`` or ``own``."""
    own_points: tuple[tuple[Fraction, ...], ...] = ()
    """Own points by place, one row for each size of table."""
    bye_points: Fraction | None = None
    """Points of a bye; ``None``: a win for two at a table, the mean of a full table otherwise."""
    tie_breaks: tuple[str, ...] = ("share", "score")
    confirmations: int = 2
    """How many at the table must confirm a result that the arbiter did not enter himself."""
    round_minutes: int = 60
    rated: bool = True
    """Whether hints and the machine's help are off in every round."""


@dataclass(frozen=True, slots=True)
class Player:
    """One who entered; everything else speaks of him by ``id`` alone."""

    id: str
    name: str
    nickname: str = ""
    group: str = ""
    """Groups are paired apart and have standings of their own."""
    person: str = ""
    """What makes him the same person on another evening of a league; his name where empty."""
    here: bool = False
    hidden: bool = False
    """His name is shown to the arbiter only."""
    erased: bool = False
    sits_out: tuple[int, ...] = ()
    """Rounds that he asked not to play."""
    from_round: int = 0
    """The first round that was paired after he checked in; 0 before."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a table ended, and who stands by it."""

    scores: Mapping[str, int | None]
    """Points of the game by player; ``None`` where the game gives none."""
    winners: tuple[str, ...]
    source: Source = "referee"
    by: str = ""
    confirmed: tuple[str, ...] = ()
    objected: tuple[str, ...] = ()
    final: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One table of one round."""

    number: int
    players: tuple[str, ...]
    """In seat order: the first starts."""
    group: str = ""
    box: str = ""
    """The machine that watches it."""
    forfeits: tuple[str, ...] = ()
    """Who did not come, or was sent away: last, without points."""
    result: Result | None = None
    help_off: bool | None = None
    """What the box said of its hints: off, still on, or nothing yet."""

    @property
    def playing(self) -> tuple[str, ...]:
        """Everybody at the table but those who forfeited."""
        return tuple(player for player in self.players if player not in self.forfeits)

    @property
    def done(self) -> bool:
        """Whether its result stands."""
        return self.result is not None and self.result.final


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of a round by the hall's clock; what a table's own clock says does not count."""

    started_s: float
    length_s: float
    paused_at_s: float | None = None

    def left_s(self, now_s: float) -> float:
        """Return the seconds left, below 0 when time is over."""
        at = now_s if self.paused_at_s is None else self.paused_at_s
        return self.started_s + self.length_s - at


@dataclass(frozen=True, slots=True)
class Round:
    """One round: who sits where, and how far it is."""

    number: int
    tables: tuple[Table, ...]
    byes: tuple[str, ...] = ()
    rated: bool = True
    stage: Stage = "paired"
    clock: Clock | None = None

    def table_of(self, player: str) -> Table | None:
        """Return where a player sits."""
        return next((table for table in self.tables if player in table.players), None)


@dataclass(frozen=True, slots=True)
class Tournament:
    """Everything that the events so far add up to."""

    settings: Settings = Settings()
    players: Mapping[str, Player] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    forbidden: frozenset[Pair] = frozenset()
    events: int = 0
    """Number of the last event."""
    over: bool = False

    @property
    def round(self) -> Round | None:
        """The newest round."""
        return self.rounds[-1] if self.rounds else None

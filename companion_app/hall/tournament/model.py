"""The state of a tournament as immutable values: settings, players, rounds, tables, results."""

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
    """Preferred number of players at a table."""
    fewest: int = 3
    most: int = 4
    points: str = "championship"
    """``championship``, ``wins`` or ``own``."""
    own_points: tuple[tuple[Fraction, ...], ...] = ()
    """Own points by place, one row for each size of table."""
    bye_points: Fraction | None = None
    """Points of a bye; ``None``: a win at tables of two, the mean of a full table otherwise."""
    tie_breaks: tuple[str, ...] = ("share", "score")
    confirmations: int = 2
    """How many at the table must confirm a result that the arbiter did not enter himself."""
    round_minutes: int = 60
    rated: bool = True
    """Whether hints and the machine's help are off in every round."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player who entered; everything else refers to him by ``id``."""

    id: str
    name: str
    nickname: str = ""
    group: str = ""
    """Groups are paired apart and have standings of their own."""
    person: str = ""
    """Identifies the person on other evenings; the name is used where it is empty."""
    here: bool = False
    hidden: bool = False
    """His name is shown to the arbiter only."""
    erased: bool = False
    sits_out: tuple[int, ...] = ()
    """Rounds that he asked not to play."""
    from_round: int = 0
    """The first round that was paired after he checked in; 0 where there is none yet."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a table, and who confirmed it or objected."""

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
    """Id of the box that watches the table; empty for none."""
    forfeits: tuple[str, ...] = ()
    """Players who did not come or were sent away: ranked last, without points."""
    result: Result | None = None
    help_off: bool | None = None
    """Whether the box reported that its hints are off; ``None`` before it reported."""

    @property
    def playing(self) -> tuple[str, ...]:
        """Everybody at the table but those who forfeited."""
        return tuple(player for player in self.players if player not in self.forfeits)

    @property
    def done(self) -> bool:
        """Whether the result is final."""
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
    """One round: its tables, byes, stage and clock."""

    number: int
    tables: tuple[Table, ...]
    byes: tuple[str, ...] = ()
    rated: bool = True
    stage: Stage = "paired"
    clock: Clock | None = None

    def table_of(self, player: str) -> Table | None:
        """Return the table at which a player sits; ``None`` where he sits at none."""
        return next((table for table in self.tables if player in table.players), None)


@dataclass(frozen=True, slots=True)
class Tournament:
    """The state of a tournament after its events so far."""

    settings: Settings = Settings()
    players: Mapping[str, Player] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    forbidden: frozenset[Pair] = frozenset()
    events: int = 0
    """Number of the last event."""
    over: bool = False

    @property
    def round(self) -> Round | None:
        """The newest round; ``None`` before the first."""
        return self.rounds[-1] if self.rounds else None

"""The one replay: ``play`` makes a game from the lines of its log, for whoever asks.

Referee, page, statistics, reviews and hall all follow a log by it. A ``Game`` never changes: the
next line makes the next one, so that drawing an older one needs no lock.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from companion_app.boxes import box_on_the_table
from companion_app.games import entries
from companion_app.games.entries import CHANGES, KINDS, Line
from companion_app.live.errors import StoreError
from engine.errors import EngineError
from engine.game import EMPTY, AnyGame, Json, Move, Place, Start, Violation
from engine.placement import Layout
from engine.record import Record, parse_move, parse_record
from engine.tiles import TileSet

LEFT_ALONE = "it is left as it is, and a new game can be begun"
BROKEN = (
    EngineError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    AssertionError,
    ArithmeticError,
    RuntimeError,
)
"""Exceptions that rule books may raise on lines that make no game."""
NOTED_LATER = (entries.Names, entries.HandRaised, entries.Ruling, entries.Source)
"""Entries that may be written long after a game: they do not move its end."""
NO_FOUL_AFTER = (
    entries.Moves,
    entries.TakenBack,
    entries.Restarted,
    entries.FoulTakenBack,
    entries.Ended,
    entries.Reopened,
)
"""Entries after which no announced foul lies on the table."""
NEWEST = 2**62
"""A line number above that of any line."""
Mark = TypeVar("Mark", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Accepted:
    """One move of a game."""

    move: Move
    violations: tuple[Violation, ...]
    """Rules that the move breaks: people overruled the referee, or a correction made it illegal."""
    overruled: bool
    seq: int
    """Number of the log line that holds the move and its picture."""
    read: Move | None = field(default=None, compare=False)
    """The move that was accepted before a correction; ``None`` if it was not corrected."""


@dataclass(frozen=True, slots=True)
class Pending:
    """An announced foul that still lies on the table."""

    n: int
    move: Move
    violations: tuple[Violation, ...]
    """The rules that the move breaks; empty in a trusted game."""
    layout: Layout
    """What lies on the table with the foul."""
    seq: int
    """Number of the log line that holds the foul and its pictures."""
    rules: tuple[str, ...] = ()
    """The ids of the rules as its line names them."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game as its log says that it stands."""

    key: str
    game: AnyGame
    """The rule book."""
    box: TileSet
    start: Start
    positions: tuple[Any, ...] = ()
    """The position before the first move and after each; only the last of a trusted game."""
    layouts: tuple[Layout, ...] = ()
    """What lay on the table in each position; empty for a trusted game."""
    seq: int = 0
    """Number of its last line in the log."""
    accepted: tuple[Accepted, ...] = ()
    pending: Pending | None = None
    """The announced foul that still lies on the table."""
    ended: bool = False
    names: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    """People's names, by player."""
    machine: entries.Machine = field(default_factory=entries.Machine)
    sources: tuple[str, ...] = ()
    """What has shown tables to the game, in order."""
    hand: int = 0
    """Number of the line that raised a hand which is still up; 0 for none."""
    rulings: frozenset[int] = frozenset()
    """Rulings of the hall's arbiter that were carried out."""
    fouls: tuple[str, ...] = ()
    """By announced foul: whose it was, also of those that were undone."""
    began_s: float = 0.0
    ended_s: float = 0.0
    """Clock times of its first line, and of the last one that belongs to the play."""
    set_folders: tuple[Path, ...] = ()
    """Where sets that are not built in are found."""
    is_trusted: bool = False
    """Whether its moves were judged elsewhere, so that they are not judged again, and only the
    last position is kept: a hall follows hundreds of tables."""

    # --- what it is ------------------------------------------------------------------------

    @property
    def position(self) -> Any:
        """The last accepted position."""
        return self.positions[-1]

    @property
    def layout(self) -> Layout:
        """The layout after the last accepted move."""
        return self.layout_after(len(self.accepted))

    @property
    def next_n(self) -> int:
        """The number of the next move; moves count from 1."""
        return len(self.accepted) + 1

    @property
    def source(self) -> str:
        """What shows tables to it; empty if nothing has."""
        return self.sources[-1] if self.sources else ""

    def position_after(self, count: int) -> Any:
        """Return the position after the first ``count`` moves."""
        if not self.is_trusted:
            return self.positions[count]
        if count == len(self.accepted):
            return self.position
        position = self.game.opening(self.start, self.box)
        for one in self.accepted[:count]:
            position = self.game.apply(position, one.move)
        return position

    def layout_after(self, count: int) -> Layout:
        """Return what lay on the table after the first ``count`` moves."""
        if not self.is_trusted:
            return self.layouts[count]
        return self.game.layout(self.position_after(count))

    def cells_of(self, move: Move) -> list[Place]:
        """Return the places of a move, with the number of the field or board in front."""
        if move.cells is not None:
            return [(move.board or 0, *cell) for cell in move.cells]
        if move.at is None:
            return []
        several, owner = self.game.facts.several_fields, move.snake or move.player
        return [(self.start.players.index(owner) if several else 0, *move.at)]

    def parsed(self, written: Json, where: str) -> Move:
        """Return a move of this game, parsed from JSON.

        Raises:
            RecordError: the JSON is not a move of this game.
        """
        return parse_move(self.game, self.box, self.start.players, written, where)

    def after(self, move: Move) -> Layout:
        """Return the layout that one more move would lead to."""
        return self.game.layout(self.game.apply(self.position, move))

    def record(self) -> Record:
        """Return the game as a record."""
        return Record(self.game, self.box, self.start, tuple(one.move for one in self.accepted))

    # --- its next lines --------------------------------------------------------------------

    def follow(self, line: Line) -> Game:
        """Return the game after its next line, which is no undoing.

        Raises:
            StoreError: the line does not fit the game.
        """
        with understood(line):
            return self._entered(line.entry(), line)

    def _entered(self, entry: entries.Entry | None, line: Line) -> Game:
        ended_s = self.ended_s if isinstance(entry, NOTED_LATER) else line.at_s
        game = replace(self, seq=line.seq, ended_s=ended_s)
        match entry:
            case entries.Moves():
                overruled = entry.overruled is True
                moves = (self.parsed(move, "moves") for move in entry.moves)
                made = [Accepted(move, (), overruled, line.seq) for move in moves]
                game = game._made(len(self.accepted), made)
            case entries.TakenBack():
                game = game._made(len(self.accepted) - entry.count)
            case entries.Corrected():
                game = game.corrected(entry.n, self.parsed(entry.move, "moves"))
            case entries.Restarted():
                game = game.begun(parse_record(entry.record, self.set_folders).start)
            case entries.FoulCalled():
                fouls = (*self.fouls, str(entry.move["player"]))
                return replace(game, pending=self._foul(entry, line.seq), fouls=fouls)
            case _:
                game = game._noted(entry, line.seq)
        return replace(game, pending=None) if isinstance(entry, NO_FOUL_AFTER) else game

    def _noted(self, entry: entries.Entry | None, seq: int) -> Game:
        game = self
        match entry:
            case entries.Ended() | entries.Reopened():
                game = replace(self, ended=isinstance(entry, entries.Ended))
            case entries.Names():
                game = replace(self, names=entry.names)
            case entries.Machine():
                game = replace(self, machine=entry)
            case entries.Source():
                game = replace(self, sources=(*self.sources, entry.source))
            case entries.HandRaised():
                game = replace(self, hand=seq if entry.raised else 0)
            case entries.Ruling():
                game = replace(self, rulings=self.rulings | {entry.ruling})
        return game

    def begun(self, start: Start) -> Game:
        """Return the game without moves, begun on another table."""
        position = self.game.opening(start, self.box)
        layouts = () if self.is_trusted else (self.game.layout(position),)
        return replace(self, start=start, accepted=(), positions=(position,), layouts=layouts)

    def _made(self, count: int, later: Iterable[Accepted] = ()) -> Game:
        """Return the game with its first ``count`` moves, and others after them."""
        if not 0 <= count <= len(self.accepted):
            raise ValueError(f"number of moves: {len(self.accepted)}, not {count} or more")
        accepted, position = list(self.accepted[:count]), self.position_after(count)
        positions, layouts = list(self.positions[: count + 1]), list(self.layouts[: count + 1])
        for one in later:
            accepted.append(one if self.is_trusted else self._judged(one, position))
            position = self.game.apply(position, one.move)
            if not self.is_trusted:
                positions.append(position)
                layouts.append(self.game.layout(position))
        return replace(
            self,
            accepted=tuple(accepted),
            positions=(position,) if self.is_trusted else tuple(positions),
            layouts=tuple(layouts),
        )

    def _judged(self, one: Accepted, position: Any) -> Accepted:
        broken = self.game.judge(position, one.move).violations
        return replace(one, violations=broken, overruled=one.overruled and bool(broken))

    def _foul(self, entry: entries.FoulCalled, seq: int) -> Pending:
        move = self.parsed(entry.move, "foul")
        broken = () if self.is_trusted else self.game.judge(self.position, move).violations
        layout = self.layout
        with suppress(*BROKEN):  # what no table can hold still is a foul
            layout = self.after(move)
        rules = tuple(str(one["rule"]) for one in entry.violations)
        return Pending(entry.n, move, broken, layout, seq, rules)

    def corrected(self, n: int, move: Move) -> Game:
        """Return the game with another nth move; it and all later ones are judged again."""
        if n < 1:
            raise ValueError("moves count from 1")
        wrong, *later = self.accepted[n - 1 :]
        # A corrected move keeps the log line, and so the picture, of the move that it replaces.
        right = replace(wrong, move=move, read=wrong.read or wrong.move)
        return self._made(n - 1, [right, *later])

    def undone(self, to: Game) -> Game:
        """Return the game with the changes undone that came after it stood as ``to``."""
        return replace(
            self,
            start=to.start,
            accepted=to.accepted,
            positions=to.positions,
            layouts=to.layouts,
            pending=to.pending,
        )


def play(lines: Sequence[Line], set_folders: Iterable[Path] = (), is_trusted: bool = False) -> Game:
    """Return the game that the lines of its log make.

    Raises:
        StoreError: they make none.
    """
    begun = next((line for line in lines if line.kind == "started"), None)
    if begun is None:
        key = lines[0].game if lines else "without lines"
        raise StoreError(f"the log has no beginning of game {key}; {LEFT_ALONE}")
    with understood(begun):
        folders = tuple(set_folders)
        record = parse_record(begun.body["record"], folders)
        game = opened(begun.game, record, folders, is_trusted)
    for line in _not_undone(lines):
        game = game.follow(line)
    # What was undone has happened, too.
    fouls = tuple(str(line.body["move"]["player"]) for line in lines if line.kind == "foul")
    times = [line.at_s for line in lines if KINDS.get(line.kind) not in NOTED_LATER]
    return replace(game, seq=lines[-1].seq, fouls=fouls, began_s=lines[0].at_s, ended_s=times[-1])


def opened(
    key: str, record: Record, set_folders: tuple[Path, ...] = (), is_trusted: bool = False
) -> Game:
    """Return a game before its first line, in the opening of a record."""
    return Game(
        key,
        record.game,
        box_on_the_table(record),
        record.start,
        set_folders=set_folders,
        is_trusted=is_trusted,
    ).begun(record.start)


def _not_undone(lines: Iterable[Line]) -> list[Line]:
    """Return the lines without the changes that a later line undid."""
    kept: list[Line] = []
    for line in lines:
        if line.kind == "undone":
            with understood(line):
                after = msgspec.convert(line.body["after"], int)
            kept = [one for one in kept if one.seq <= after or KINDS.get(one.kind) not in CHANGES]
        else:
            kept.append(line)
    return kept


@contextmanager
def understood(line: Line) -> Iterator[None]:
    """Turn errors into a ``StoreError`` that names the log line and the reason."""
    try:
        yield
    except BROKEN as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise StoreError(
            f"line {line.seq} of game {line.game} ({line.kind}) cannot be understood: {why}; "
            f"{LEFT_ALONE}"
        ) from error


class Games(Generic[Mark]):
    """Games that were asked for lately, each followed line by line; the oldest are forgotten."""

    def __init__(self, most: int, most_lines: int = NEWEST, is_trusted: bool = False) -> None:
        self._most, self._most_lines, self._is_trusted = most, most_lines, is_trusted
        self._games: OrderedDict[Mark, tuple[Game, int]] = OrderedDict()
        """The games, each with the count of its lines."""
        self._lock = threading.RLock()

    def seq(self, mark: Mark) -> int:
        """Return the number of the last line of a game that is known; 0 for none."""
        with self._lock:
            return self._games[mark][0].seq if mark in self._games else 0

    def at(
        self,
        mark: Mark,
        read: Callable[[int], Sequence[Line]],
        upto: int = NEWEST,
        set_folders: Iterable[Path] = (),
    ) -> Game:
        """Return a game as it stood after a line of its log.

        Args:
            mark: names the game here.
            read: returns its lines after a number, up to that line.
            upto: number of that line.
            set_folders: where sets that are not built in are found.

        Raises:
            StoreError: the lines make no game, or are more than people play.
        """
        with self._lock:
            game, count = self._games.pop(mark, (None, 0))
            if game is None or game.seq > upto:
                game, count, lines = None, 0, read(0)
            elif game.seq < upto:
                lines = read(game.seq)
            else:
                lines = ()
            if game is not None and any(line.kind == "undone" for line in lines):
                game, count, lines = None, 0, read(0)
            count += len(lines)
            if count > self._most_lines:
                raise StoreError("no game of people is that long")
            if game is None:
                game = play(lines, set_folders, self._is_trusted)
            else:
                for line in lines:
                    game = game.follow(line)
            self._games[mark] = game, count
            if len(self._games) > self._most:
                self._games.popitem(last=False)
            return game

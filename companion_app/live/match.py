"""A match: a game that goes on; every change is a line of its log before anybody hears of it.

A process that was killed finds the same match when it starts again: the game is what its lines
make, here as everywhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import UNSET

from companion_app.games import entries
from companion_app.games.entries import Entry, Line, kind_and_body
from companion_app.games.play import Accepted, Game, opened, play
from companion_app.live.store import Store
from engine.game import EMPTY, AnyGame, Json, Move, Place, Start, Violation
from engine.placement import Layout
from engine.record import Record, move_to_json, record_to_json
from engine.referee import violation_to_json
from engine.tiles import TileSet

T = TypeVar("T")
Unwritten = tuple[Line, Mapping[str, bytes]]
"""A line of the log, with its pictures by name."""


class OfGame(Generic[T]):
    """An attribute of a match that is the one of its game as it stands."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, match: Match, owner: type) -> T:
        found: T = getattr(match.now, self._name)
        return found


class Match:
    """A game and its log; the game changes only once its next line is on the disk."""

    def __init__(self, store: Store, now: Game, unwritten: list[Unwritten] | None = None) -> None:
        self.store = store
        self.now = now
        """The game as it stands."""
        self.unwritten = unwritten
        """The lines of a decision in the making; ``None`` where each line is written at once."""

    # --- making and finding ----------------------------------------------------------------

    @classmethod
    def begin(cls, store: Store, record: Record, key: str | None = None) -> Match:
        """Return a new match whose start is already saved on the disk."""
        match = cls(store, opened(key or secrets.token_hex(6), record))
        match.note(entries.Started(record_to_json(replace(record, moves=()))))
        match.now = replace(match.now, began_s=match.now.ended_s)
        return match

    @classmethod
    def resume(cls, store: Store, key: str, set_folders: Iterable[Path] = ()) -> Match:
        """Return a match with the game that its lines make.

        Raises:
            StoreError: they make none; they are left unchanged.
        """
        return cls(store, play(store.lines(key), set_folders))

    # --- what it is ------------------------------------------------------------------------

    key = OfGame[str]()
    seq = OfGame[int]()
    game = OfGame[AnyGame]()
    box = OfGame[TileSet]()
    start = OfGame[Start]()
    accepted = OfGame[tuple[Accepted, ...]]()
    positions = OfGame[tuple[Any, ...]]()
    layouts = OfGame[tuple[Layout, ...]]()
    position = OfGame[Any]()
    layout = OfGame[Layout]()
    next_n = OfGame[int]()
    ended = OfGame[bool]()
    cells_of = OfGame[Callable[[Move], list[Place]]]()
    parsed = OfGame[Callable[[Json, str], Move]]()
    after = OfGame[Callable[[Move], Layout]]()
    record = OfGame[Callable[[], Record]]()

    # --- changing it -----------------------------------------------------------------------

    def accept(
        self,
        moves: Sequence[Move],
        picture: bytes | None = None,
        t: float = 0.0,
        overruled: bool = False,
    ) -> Sequence[Accepted]:
        """Append moves as one log line; they are on the disk when this returns."""
        count = len(self.accepted)
        written = [move_to_json(move) for move in moves]
        entry = entries.Moves(self.next_n, written, t, overruled or UNSET)
        self.note(entry, after=picture)
        return self.accepted[count:]

    def take_back(
        self, count: int, picture: bytes | None = None, t: float = 0.0
    ) -> Sequence[Accepted]:
        """Take back the last ``count`` moves; return them, newest first."""
        first = len(self.accepted) - count
        gone = self.accepted[first:]
        self.note(entries.TakenBack(count, first + 1, t), after=picture)
        return gone[::-1]

    def correct(self, n: int, move: Move, t: float = 0.0) -> Sequence[Accepted]:
        """Replace the nth move; return it and all later moves, judged again."""
        self.note(entries.Corrected(n, move_to_json(move), t))
        return self.accepted[n - 1 :]

    def restart(self, start: Start) -> None:
        """Replace the start before any move was made, to join a game in progress."""
        begun = self.now.begun(start)
        entry = entries.Restarted(record_to_json(Record(self.game, self.box, start)))
        line = self._append(entry)
        self.now = replace(begun, pending=None, seq=line.seq, ended_s=line.at_s)

    def go_back(self, to: Game, t: float = 0.0) -> None:
        """Undo the changes since an earlier moment, moves that were taken back included."""
        line = self._append(entries.Undone(to.seq, t))
        self.now = replace(self.now.undone(to), seq=line.seq, ended_s=line.at_s)

    def foul(
        self,
        move: Move,
        violations: Iterable[Violation],
        t: float,
        before: bytes | None = None,
        after: bytes | None = None,
    ) -> int:
        """Log an announced foul with pictures before and after; return its line number."""
        broken = [violation_to_json(one) for one in violations]
        entry = entries.FoulCalled(self.next_n, move_to_json(move), broken, t)
        self.note(entry, before=before, after=after)
        return self.seq

    def end(self) -> None:
        """Log that the match is over."""
        if not self.ended:
            self.note(entries.Ended(len(self.accepted)))

    def reopen(self) -> None:
        """Log that an ended match goes on because its last move was taken back."""
        if self.ended:
            self.note(entries.Reopened())

    def note(self, entry: Entry, **pictures: bytes | None) -> None:
        """Append what happened to the log, with pictures; the game follows.

        Raises:
            StoreError: it cannot be saved, or does not fit the game; nothing has changed.
        """
        grown: list[Game] = []
        kept = {name: jpeg for name, jpeg in pictures.items() if jpeg is not None}
        self._append(entry, kept, lambda line: grown.append(self.now.follow(line)))
        (self.now,) = grown

    def _append(
        self,
        entry: Entry,
        pictures: Mapping[str, bytes] = EMPTY,
        follow: Callable[[Line], object] = lambda line: None,
    ) -> Line:
        line = self.store.coming(self.key, *kind_and_body(entry), len(self.unwritten or ()))
        follow(line)
        if self.unwritten is None:
            self.store.write([(line, pictures)])
        else:
            self.unwritten.append((line, pictures))
        return line

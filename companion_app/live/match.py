"""A match: accepted moves in order, saved as they come, undoable and correctable.

Every change is a line in the store's log and a match is rebuilt by replaying its lines, so a
process that was killed finds the same match when it starts again.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from companion_app.boxes import box_on_the_table
from companion_app.live.errors import StoreError
from companion_app.live.log_line import Line
from companion_app.live.store import Store
from engine.errors import EngineError
from engine.game import AnyGame, Json, Move, Place, Start, Violation
from engine.placement import Layout
from engine.record import Record, move_to_json, parse_move, parse_record, record_to_json
from engine.referee import violation_to_json
from engine.tiles import TileSet

CHANGES = ("moves", "taken-back", "corrected", "restarted")
"""Kinds of log lines that change the game and can be undone."""
LEFT_ALONE = "it is left as it is, and a new game can be begun"


@dataclass(frozen=True, slots=True)
class Accepted:
    """One move of a match."""

    move: Move
    violations: tuple[Violation, ...]
    """Rules that the move breaks: people overruled the referee, or a correction made it illegal."""
    overruled: bool
    seq: int
    """Number of the log line that holds the move and its picture."""
    read: Move | None = field(default=None, compare=False)
    """The move that was accepted before a correction; ``None`` if it was not corrected."""


class Match:
    """Accepted moves in order; a move is added only once it is on the disk."""

    def __init__(self, store: Store, key: str, record: Record) -> None:
        self.store = store
        self.key = key
        self.start: Start = record.start
        self.game: AnyGame = record.game
        self.box: TileSet = box_on_the_table(record)
        self.accepted: list[Accepted] = []
        self.positions: list[Any] = [self.game.opening(self.start, self.box)]
        self.layouts: list[Layout] = [self.game.layout(self.positions[0])]
        """What lay on the table in each position."""
        self.ended = False
        self.seq = 0
        """Number of this match's last line in the log."""
        self._set_folders: tuple[Path, ...] = ()
        """Where sets that are not built in are found."""

    # --- making and finding ----------------------------------------------------------------

    @classmethod
    def begin(cls, store: Store, record: Record, key: str | None = None) -> Match:
        """Return a new match whose start is already saved on the disk."""
        match = cls(store, key or secrets.token_hex(6), record)
        match._append("started", {"record": record_to_json(replace(record, moves=()))})
        return match

    @classmethod
    def resume(cls, store: Store, key: str, set_folders: Iterable[Path] = ()) -> Match:
        """Return a match rebuilt from its lines in the log.

        Raises:
            StoreError: the lines do not make a game; they are left unchanged.
        """
        return cls.of_lines(store, key, store.lines(key), set_folders)

    @classmethod
    def of_lines(
        cls, store: Store, key: str, lines: Sequence[Line], set_folders: Iterable[Path] = ()
    ) -> Match:
        """Return the match that results from replaying lines of a log.

        Raises:
            StoreError: the lines do not make a game.
        """
        folders = tuple(set_folders)
        begun = next((line for line in lines if line.kind == "started"), None)
        if begun is None:
            raise StoreError(f"the log has no beginning of game {key}; {LEFT_ALONE}")
        with _understood(key, begun):
            match = cls(store, key, parse_record(begun.body["record"], folders))
        match._set_folders = folders
        for line in _not_undone(lines):
            match._follow(line)
        match.seq = lines[-1].seq
        return match

    def followed(self, lines: Sequence[Line]) -> Match | None:
        """Return a copy of this match with its next lines applied.

        ``None`` if one of them is an undo: the match must then be rebuilt from all its lines.
        """
        if any(line.kind == "undone" for line in lines):
            return None
        grown = self.copied()
        for line in lines:
            grown._follow(line)
        grown.seq = lines[-1].seq if lines else self.seq
        return grown

    def _follow(self, line: Line) -> None:
        with _understood(self.key, line):
            self._take_in(line, line.body)

    def _take_in(self, line: Line, body: Mapping[str, Any]) -> None:
        if line.kind == "moves":
            moves = [self.parsed(move, "moves") for move in body["moves"]]
            self._apply_moves(moves, body.get("overruled", False), line.seq)
        elif line.kind == "taken-back":
            self._drop(body["count"])
        elif line.kind == "corrected":
            self._put_right(body["n"], self.parsed(body["move"], "moves"))
        elif line.kind == "restarted":
            self._begin_with(parse_record(body["record"], self._set_folders).start)
        elif line.kind in ("ended", "reopened"):
            self.ended = line.kind == "ended"

    # --- what it is ------------------------------------------------------------------------

    @property
    def position(self) -> Any:
        """The last accepted position."""
        return self.positions[-1]

    @property
    def layout(self) -> Layout:
        """The layout after the last accepted move."""
        return self.layouts[-1]

    @property
    def next_n(self) -> int:
        """The number of the next move; moves count from 1."""
        return len(self.accepted) + 1

    def cells_of(self, move: Move) -> list[Place]:
        """Return the places of a move, with the number of the field or board in front."""
        if move.cells is not None:
            return [(move.board or 0, *cell) for cell in move.cells]
        if move.at is None:
            return []
        several, owner = self.game.facts.several_fields, move.snake or move.player
        return [(self.start.players.index(owner) if several else 0, *move.at)]

    def parsed(self, written: Json, where: str) -> Move:
        """Return a move of this match, parsed from JSON.

        Raises:
            RecordError: the JSON is not a move of this match.
        """
        return parse_move(self.game, self.box, self.start.players, written, where)

    def after(self, move: Move) -> Layout:
        """Return the layout that one more move would lead to."""
        return self.game.layout(self.game.apply(self.position, move))

    def record(self) -> Record:
        """Return the match as a record."""
        return Record(self.game, self.box, self.start, tuple(a.move for a in self.accepted))

    # --- changing it -----------------------------------------------------------------------

    def accept(
        self,
        moves: Sequence[Move],
        picture: bytes | None = None,
        t: float = 0.0,
        overruled: bool = False,
    ) -> list[Accepted]:
        """Append moves as one log line; they are on the disk when this returns."""
        body: dict[str, Json] = {
            "n": self.next_n,
            "moves": [move_to_json(move) for move in moves],
            "t": t,
        }
        if overruled:
            body["overruled"] = True
        line = self._append("moves", body, _named(after=picture))
        return self._apply_moves(tuple(moves), overruled, line.seq)

    def take_back(self, count: int, picture: bytes | None = None, t: float = 0.0) -> list[Accepted]:
        """Take back the last ``count`` moves; return them, newest first."""
        body = {"count": count, "n": len(self.accepted) - count + 1, "t": t}
        self._append("taken-back", body, _named(after=picture))
        return self._drop(count)

    def correct(self, n: int, move: Move, t: float = 0.0) -> list[Accepted]:
        """Replace the nth move; return it and all later moves, judged again."""
        # It is made on a copy first: what cannot be replayed must not be saved.
        other = self.copied()
        rejudged = other._put_right(n, move)
        self._append("corrected", {"n": n, "move": move_to_json(move), "t": t})
        self.accepted, self.positions, self.layouts = other.accepted, other.positions, other.layouts
        return rejudged

    def restart(self, start: Start) -> None:
        """Replace the start before any move was made, to join a game in progress."""
        record = Record(self.game, self.box, start)
        self.game.opening(start, self.box)
        self._append("restarted", {"record": record_to_json(record)})
        self._begin_with(start)

    def copied(self) -> Match:
        """Return a copy of the match that later changes to either one do not affect."""
        other = copy(self)
        other.accepted, other.positions = list(self.accepted), list(self.positions)
        other.layouts = list(self.layouts)
        return other

    def go_back(self, mark: Match, t: float = 0.0) -> None:
        """Restore the state saved in ``mark``, including moves that were taken back since."""
        self._append("undone", {"after": mark.seq, "t": t})
        stood = mark.copied()
        self.start, self.accepted = stood.start, stood.accepted
        self.positions, self.layouts = stood.positions, stood.layouts

    def foul(
        self,
        move: Move,
        violations: Iterable[Violation],
        t: float,
        before: bytes | None = None,
        after: bytes | None = None,
    ) -> int:
        """Log an announced foul with pictures before and after; return its line number."""
        body = {
            "n": self.next_n,
            "move": move_to_json(move),
            "t": t,
            "violations": [violation_to_json(broken) for broken in violations],
        }
        return self._append("foul", body, _named(before=before, after=after)).seq

    def note(self, kind: str, body: Mapping[str, Any]) -> None:
        """Log something that changes no move: a question, an answer, a player's message."""
        self._append(kind, body)

    def end(self) -> None:
        """Log that the match is over."""
        if not self.ended:
            self._append("ended", {"n": len(self.accepted)})
            self.ended = True

    def reopen(self) -> None:
        """Log that an ended match goes on because its last move was taken back."""
        if self.ended:
            self._append("reopened", {})
            self.ended = False

    # --- working ---------------------------------------------------------------------------

    def _append(
        self, kind: str, body: Mapping[str, Any], pictures: Mapping[str, bytes] | None = None
    ) -> Line:
        line = self.store.append(self.key, kind, body, pictures)
        self.seq = line.seq
        return line

    def _apply_moves(
        self, moves: Sequence[Move], overruled: bool, seq: int, read: Move | None = None
    ) -> list[Accepted]:
        added = []
        for move in moves:
            broken = self.game.judge(self.position, move).violations
            added.append(Accepted(move, broken, overruled and bool(broken), seq, read))
            self.positions.append(self.game.apply(self.position, move))
            self.layouts.append(self.game.layout(self.position))
        self.accepted += added
        return added

    def _drop(self, count: int) -> list[Accepted]:
        gone = self.accepted[len(self.accepted) - count :]
        del self.accepted[len(self.accepted) - count :]
        del self.positions[len(self.positions) - count :]
        del self.layouts[len(self.layouts) - count :]
        return gone[::-1]

    def _put_right(self, n: int, move: Move) -> list[Accepted]:
        after = self._drop(len(self.accepted) - n + 1)[::-1]
        # A corrected move keeps the log line, and so the picture, of the move that it replaces.
        self._apply_moves([move], after[0].overruled, after[0].seq, after[0].read or after[0].move)
        for old in after[1:]:
            self._apply_moves([old.move], old.overruled, old.seq, old.read)
        return self.accepted[n - 1 :]

    def _begin_with(self, start: Start) -> None:
        self.start = start
        self.accepted.clear()
        self.positions = [self.game.opening(start, self.box)]
        self.layouts = [self.game.layout(self.positions[0])]


def _not_undone(lines: Iterable[Line]) -> list[Line]:
    """Return the lines without the changes that a later line undid."""
    kept: list[Line] = []
    for line in lines:
        if line.kind == "undone":
            kept = [k for k in kept if k.seq <= line.body["after"] or k.kind not in CHANGES]
        else:
            kept.append(line)
    return kept


@contextmanager
def _understood(key: str, line: Line) -> Iterator[None]:
    """Turn parsing errors into a ``StoreError`` that names the log line and the reason."""
    try:
        yield
    except (EngineError, KeyError, TypeError, ValueError, IndexError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise StoreError(
            f"line {line.seq} of game {key} ({line.kind}) cannot be understood: {why}; {LEFT_ALONE}"
        ) from error


def _named(**pictures: bytes | None) -> dict[str, bytes]:
    return {name: jpeg for name, jpeg in pictures.items() if jpeg is not None}

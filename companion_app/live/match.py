"""A match: accepted moves in order, saved as they come, undoable and correctable.

Everything is a line in the store's log and the match is what the lines add up to, so that a
process which was killed finds the same match when it starts again.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion_app.boxes import box_on_the_table
from companion_app.live.errors import StoreError
from companion_app.live.log_line import Line
from companion_app.live.store import Store
from engine.errors import EngineError
from engine.game import AnyGame, Json, Move, Place, Start, Violation
from engine.given import hides
from engine.placement import Layout
from engine.record import Record, move_to_json, parse_move, parse_record, record_to_json
from engine.referee import violation_to_json
from engine.tiles import TileSet

CHANGES = ("moves", "taken-back", "corrected", "restarted")
"""Lines that change the game, and can be undone."""
LEFT_ALONE = "it is left as it is, and a new game can be begun"


@dataclass(frozen=True, slots=True)
class Accepted:
    """One move of a match."""

    move: Move
    violations: tuple[Violation, ...]
    """What it breaks, where the table overruled the referee or a correction made it wrong."""
    overruled: bool
    seq: int
    """The line in the log that holds it, and its picture."""


class Match:
    """Accepted moves in order; what is not on the disk is not in it."""

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
        self._seq = 0
        self._names: Mapping[str, str] = {}
        """Names of a game of 0.1.0 that are read without what they hide."""

    # --- making and finding ----------------------------------------------------------------

    @classmethod
    def begin(cls, store: Store, record: Record, key: str | None = None) -> Match:
        """Return a new match, its start on the disk."""
        match = cls(store, key or secrets.token_hex(6), record)
        match._append("started", {"record": record_to_json(replace(record, moves=()))})
        return match

    @classmethod
    def resume(cls, store: Store, key: str, set_folders: Iterable[Path] = ()) -> Match:
        """Return a match as its lines in the log tell it.

        Raises:
            StoreError: the lines do not make a game; they are left as they are.
        """
        return cls.of_lines(store, key, store.lines(key), set_folders)

    @classmethod
    def of_lines(
        cls, store: Store, key: str, lines: Sequence[Line], set_folders: Iterable[Path] = ()
    ) -> Match:
        """Return what lines of a log add up to.

        Raises:
            StoreError: they do not make a game.
        """
        begun = next((line for line in lines if line.kind == "started"), None)
        if begun is None:
            raise StoreError(f"the log has no beginning of game {key}; {LEFT_ALONE}")
        with _understood(key, begun):
            names = plain_names(begun.body["record"]["players"])
            record = renamed(begun.body["record"], names)
            match = cls(store, key, parse_record(record, set_folders))
        match._names = names
        for line in _not_undone(lines):
            match._follow(line)
        match._seq = lines[-1].seq
        return match

    def followed(self, lines: Sequence[Line]) -> Match | None:
        """Return the match that this one becomes by its next lines; this one stays as it is.

        ``None`` where something was undone: it is then told by all lines together.
        """
        if any(line.kind == "undone" for line in lines):
            return None
        grown = self.copied()
        for line in lines:
            grown._follow(line)
        grown._seq = lines[-1].seq if lines else self._seq
        return grown

    def _follow(self, line: Line) -> None:
        with _understood(self.key, line):
            self._take_in(line, renamed(line.body, self._names))

    def _take_in(self, line: Line, body: Mapping[str, Any]) -> None:
        if line.kind == "moves":
            moves = [self.parsed(move, "moves") for move in body["moves"]]
            self._apply_moves(moves, body.get("overruled", False), line.seq)
        elif line.kind == "taken-back":
            self._drop(body["count"])
        elif line.kind == "corrected":
            self._put_right(body["n"], self.parsed(body["move"], "moves"))
        elif line.kind == "restarted":
            self._begin_with(parse_record(body["record"]).start)
        elif line.kind in ("ended", "reopened"):
            self.ended = line.kind == "ended"

    # --- what it is ------------------------------------------------------------------------

    @property
    def position(self) -> Any:
        """The last accepted position."""
        return self.positions[-1]

    @property
    def seq(self) -> int:
        """The last line of the log that is about this match."""
        return self._seq

    @property
    def layout(self) -> Layout:
        """What lies on the table when it is as accepted."""
        return self.layouts[-1]

    @property
    def next_n(self) -> int:
        """The number of the next move; they count from 1."""
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
        """Return a move that was written of this match.

        Raises:
            RecordError: it is none.
        """
        return parse_move(self.game, self.box, self.start.players, written, where)

    def after(self, move: Move) -> Layout:
        """Return what would lie on the table after one more move."""
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
        """Keep moves that belong together; they are on the disk when this returns."""  # fmt: skip
        body: dict[str, Json] = {
            "n": self.next_n, "moves": [move_to_json(move) for move in moves], "t": t,
        }  # fmt: skip
        if overruled:
            body["overruled"] = True
        line = self._append("moves", body, _named(after=picture))
        return self._apply_moves(tuple(moves), overruled, line.seq)

    def take_back(self, count: int, picture: bytes | None = None, t: float = 0.0) -> list[Accepted]:
        """Take back the last moves; return them, the last first."""
        body = {"count": count, "n": len(self.accepted) - count + 1, "t": t}
        self._append("taken-back", body, _named(after=picture))
        return self._drop(count)

    def correct(self, n: int, move: Move, t: float = 0.0) -> list[Accepted]:
        """Put another move in the place of the nth; return it and all after it, judged again."""
        self._append("corrected", {"n": n, "move": move_to_json(move), "t": t})
        return self._put_right(n, move)

    def restart(self, start: Start) -> None:
        """Begin with another table, before any move: a game taken up in its middle."""
        record = Record(self.game, self.box, start)
        self.game.opening(start, self.box)
        self._append("restarted", {"record": record_to_json(record)})
        self._begin_with(start)

    def copied(self) -> Match:
        """Return it as it stands now; what becomes of one does not change the other."""
        other = copy(self)
        other.accepted, other.positions = list(self.accepted), list(self.positions)
        other.layouts = list(self.layouts)
        return other

    def go_back(self, mark: Match, t: float = 0.0) -> None:
        """Let it stand as it did, moves that were dropped since included."""
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
        """Keep an announced foul with the picture before and after; return its line."""
        body = {
            "n": self.next_n, "move": move_to_json(move), "t": t,
            "violations": [violation_to_json(broken) for broken in violations],
        }  # fmt: skip
        return self._append("foul", body, _named(before=before, after=after)).seq

    def note(self, kind: str, body: Mapping[str, Any]) -> None:
        """Keep something that changes no move: a question, an answer, what was told."""
        self._append(kind, body)

    def end(self) -> None:
        """Say that the match is over."""
        if not self.ended:
            self._append("ended", {"n": len(self.accepted)})
            self.ended = True

    def reopen(self) -> None:
        """Say that an ended match goes on: its last move was taken back."""
        if self.ended:
            self._append("reopened", {})
            self.ended = False

    # --- working ---------------------------------------------------------------------------

    def _append(
        self, kind: str, body: Mapping[str, Any], pictures: Mapping[str, bytes] | None = None
    ) -> Line:
        line = self.store.append(self.key, kind, body, pictures)
        self._seq = line.seq
        return line

    def _apply_moves(self, moves: Sequence[Move], overruled: bool, seq: int) -> list[Accepted]:
        added = []
        for move in moves:
            broken = self.game.judge(self.position, move).violations
            added.append(Accepted(move, broken, overruled and bool(broken), seq))
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
        # Its picture stays that of the move as it was first taken for.
        self._apply_moves([move], after[0].overruled, after[0].seq)
        for old in after[1:]:
            self._apply_moves([old.move], old.overruled, old.seq)
        return self.accepted[n - 1 :]

    def _begin_with(self, start: Start) -> None:
        self.start = start
        self.accepted.clear()
        self.positions = [self.game.opening(start, self.box)]
        self.layouts = [self.game.layout(self.positions[0])]


def _not_undone(lines: Iterable[Line]) -> list[Line]:
    """Return the lines that count: what changed the game and was undone is left out."""
    kept: list[Line] = []
    for line in lines:
        if line.kind == "undone":
            kept = [k for k in kept if k.seq <= line.body["after"] or k.kind not in CHANGES]
        else:
            kept.append(line)
    return kept


@contextmanager
def _understood(key: str, line: Line) -> Iterator[None]:
    """Say which line of a game cannot be understood, and why."""
    try:
        yield
    except (EngineError, KeyError, TypeError, ValueError, IndexError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise StoreError(
            f"line {line.seq} of game {key} ({line.kind}) cannot be understood: {why}; {LEFT_ALONE}"
        ) from error


def _named(**pictures: bytes | None) -> dict[str, bytes]:
    return {name: jpeg for name, jpeg in pictures.items() if jpeg is not None}


# --- names in games of 0.1.0, which took any characters: hidden ones are left out ----------------


def plain_names(players: Iterable[str]) -> dict[str, str]:
    """Return, for each name that hides characters, one without them that nobody else has."""
    given = list(players)
    taken = {name for name in given if not hides(name)}
    names = {}
    for seat, name in enumerate(given, start=1):
        if name not in taken:
            plain = "".join(c for c in name if not hides(c)).strip() or str(seat)
            names[name] = plain if plain not in taken else f"{plain[:30]} {seat}"
            taken.add(names[name])
    return names


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a JSON value with other names in it, wherever they stand."""
    if not names:
        return value
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Mapping):
        return {names.get(key, key): renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [renamed(one, names) for one in value]
    return value

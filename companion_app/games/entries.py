"""The lines of a game's log: 19 kinds of typed entries, and their text form with a checksum.

A line carries everything needed to understand it, and its checksum tells whether it is intact. Keys
that an entry does not know stay in the line's body: an older hall passes them on, and replays what
it knows.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

Json = Any
LONGEST_NAME = 200


class Entry(msgspec.Struct, frozen=True, tag_field="kind"):
    """What a line of the log says; its tag is the kind of the line."""


# --- what changes the game, and can be undone ----------------------------------------------------


class Moves(Entry, frozen=True, tag="moves"):
    """Accepted moves, in the form of records."""

    n: int
    """Number of the first; moves count from 1."""
    moves: Sequence[Json]
    t: float = 0.0
    overruled: bool | UnsetType = UNSET
    """Whether people overruled the referee."""


class TakenBack(Entry, frozen=True, tag="taken-back"):
    """The last moves are taken back."""

    count: int
    n: int = 0
    """Number of the first of them."""
    t: float = 0.0


class Corrected(Entry, frozen=True, tag="corrected"):
    """The nth move was another one."""

    n: int
    move: Json
    t: float = 0.0


class Restarted(Entry, frozen=True, tag="restarted"):
    """The game goes on from another table."""

    record: Json


class FoulCalled(Entry, frozen=True, tag="foul"):
    """A move that breaks rules is announced."""

    n: int
    move: Mapping[str, Json]
    violations: Sequence[Mapping[str, Json]]
    t: float = 0.0


class FoulTakenBack(Entry, frozen=True, tag="foul-taken-back"):
    """The tile of the announced foul is lifted, or will be."""

    n: int = 0
    t: float = 0.0


class Undone(Entry, frozen=True, tag="undone"):
    """The changes after a line are undone."""

    after: int
    """Number of the last line that counts."""
    t: float = 0.0


# --- when it is on -------------------------------------------------------------------------------


class Started(Entry, frozen=True, tag="started"):
    """The game begins; the record has no moves."""

    record: Json


class Ended(Entry, frozen=True, tag="ended"):
    """The game is over, by its rules or by hand."""

    n: int = 0


class Reopened(Entry, frozen=True, tag="reopened"):
    """A game that was over goes on."""


class Resumed(Entry, frozen=True, tag="resumed"):
    """The game goes on although another one was begun after it."""


# --- who plays, and what people say --------------------------------------------------------------


class Names(Entry, frozen=True, tag="names"):
    """People's names, by player."""

    names: dict[str, str]


class OpenHand(msgspec.Struct, frozen=True):
    """A player's tiles that lie open beside the table, as somebody told them."""

    tiles: tuple[str, ...]
    n: int
    """Number of accepted moves when the hand was told."""
    seq: int | None = None
    """Number of the game's last log line then; ``None`` in logs that lack it, where ``n`` counts.
    Moves may be taken back, or dropped by a game begun anew, so their number says less."""


class Machine(Entry, frozen=True, tag="machine"):
    """People's settings for the machine; the last such line counts."""

    seats: dict[str, int] = {}
    """Players that the machine plays, each with its level."""
    muted: bool = False
    hands: dict[str, OpenHand] = {}
    hints: dict[str, int] = {}
    """By player: the number of hints taken."""


class Source(Entry, frozen=True, tag="source"):
    """What shows tables to the game from now on."""

    source: str


class HandRaised(Entry, frozen=True, tag="hand"):
    """The hall's arbiter is called, or no longer needed."""

    raised: bool


class Ruling(Entry, frozen=True, tag="ruling"):
    """A ruling of the hall's arbiter is carried out."""

    what: str
    ruling: int


class Answered(Entry, frozen=True, tag="answered"):
    """Somebody has answered a question."""

    about: str
    value: Json = None
    t: float = 0.0


class LaidInstead(Entry, frozen=True, tag="laid-otherwise"):
    """Another move lies on the table than the machine wants."""

    laid: Sequence[Json]
    belongs: Json
    t: float = 0.0


class LetStand(Entry, frozen=True, tag="let-stand"):
    """People let the move stand that the machine did not want."""

    n: int
    t: float = 0.0


KINDS: Mapping[str, type[Entry]] = {
    str(kind.__struct_config__.tag): kind for kind in Entry.__subclasses__()
}
CHANGES = (Moves, TakenBack, Corrected, Restarted, FoulCalled, FoulTakenBack)
"""Entries that change the game and can be undone."""


def kind_and_body(entry: Entry) -> tuple[str, dict[str, Json]]:
    """Return an entry as the kind and the body of a line."""
    body: dict[str, Json] = msgspec.to_builtins(entry)
    return body.pop("kind"), body


# --- a line --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log."""

    seq: int
    game: str
    kind: str
    body: Mapping[str, Any]
    at_s: float
    """Clock time, for people; order comes from ``seq`` alone, since clocks jump."""
    more: int = 0
    """How many lines of the same decision follow; all of them count, or none."""

    def entry(self) -> Entry | None:
        """Return what the line says; ``None`` if it is of a kind that a newer version writes.

        Raises:
            ValueError: the body is not one of its kind.
        """
        kind = KINDS.get(self.kind)
        return None if kind is None else msgspec.convert({**self.body, "kind": self.kind}, kind)


def last_of(kind: str, lines: Sequence[Line]) -> Mapping[str, Any]:
    """Return the body of the last line of a kind; empty if there is none."""
    return next((line.body for line in reversed(lines) if line.kind == kind), {})


def written(line: Line) -> str:
    """Return a line as ASCII text, with its checksum."""
    whole: dict[str, Any] = {
        "snake-eye-log": 1,
        "seq": line.seq,
        "game": line.game,
        "kind": line.kind,
        "at_s": line.at_s,
        "body": dict(line.body),
    }
    if line.more:
        whole["more"] = line.more
    crc = zlib.crc32(json.dumps(whole).encode())
    return json.dumps({**whole, "crc": crc})


def read_line(text: str) -> Line | None:
    """Parse a line from its text; ``None`` if its checksum or a field is wrong."""
    try:
        whole = json.loads(text)
        crc = whole.pop("crc")
        if zlib.crc32(json.dumps(whole).encode()) != crc or not _is_whole(whole):
            return None
        more = whole.get("more", 0)
        return Line(whole["seq"], whole["game"], whole["kind"], whole["body"], whole["at_s"], more)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _is_whole(whole: Mapping[str, Any]) -> bool:
    texts = all(
        isinstance(text, str) and 0 < len(text) <= LONGEST_NAME
        for text in (whole["game"], whole["kind"])
    )
    more = whole.get("more", 0)
    numbers = type(whole["seq"]) is type(more) is int and type(whole["at_s"]) in (int, float)
    return texts and numbers and whole["seq"] > 0 <= more and isinstance(whole["body"], dict)

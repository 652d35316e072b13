"""The machine at the table: the seats that it plays, the open hands, and the move it has chosen.

People's settings for it are a line of the game's log, of which the last one counts: seats with
their levels, whether it is muted, hands that lie open, hints that were taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion_app.live.explain import Row
from companion_app.live.log_line import Line, last_of
from companion_app.live.match import Match
from engine.carnival.position import Supply
from engine.game import EMPTY, Json, Move
from engine.placement import Layout

NAME = "Snake Eye"
NOTE = "machine"
"""Kind of the log lines with the machine's settings."""
LEVELS = range(1, 6)
SILENT = ("pass", "finale", "discard")
"""Moves that leave no trace on the table: the machine makes them as soon as it has chosen."""


@dataclass(frozen=True, slots=True)
class OpenHand:
    """A player's tiles that lie open beside the table, as somebody told them."""

    tiles: tuple[str, ...]
    n: int
    """Number of accepted moves when the hand was told."""
    seq: int | None = None
    """Number of the game's last log line then; ``None`` in logs that lack it, where ``n`` counts.
    Moves may be taken back, or dropped by a game begun anew, so their number says less."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The settings for the machine in one game."""

    seats: Mapping[str, int] = field(default_factory=lambda: EMPTY)
    """Players that the machine plays, each with its level."""
    muted: bool = False
    hands: Mapping[str, OpenHand] = field(default_factory=lambda: EMPTY)
    hints: Mapping[str, int] = field(default_factory=lambda: EMPTY)
    """By player: the number of hints taken."""

    def to_json(self) -> dict[str, Json]:
        """Return the settings as the body of a log line."""
        return {
            "seats": dict(self.seats),
            "muted": self.muted,
            "hints": dict(self.hints),
            "hands": {
                who: {"tiles": list(one.tiles), "n": one.n, "seq": one.seq}
                for who, one in self.hands.items()
            },
        }

    def hand(self, player: str, match: Match) -> tuple[str, ...] | None:
        """Return a player's hand: the tiles told, without those laid since."""
        told = self.hands.get(player)
        if told is None:
            return None
        left = list(told.tiles)
        for n in _made_since(told, player, match):
            tile = match.accepted[n].move.tile
            if tile in left:
                left.remove(tile)
        return tuple(left)

    def must_draw(self, player: str, match: Match) -> bool:
        """Say whether a player has drawn since their hand was told, which follows every turn.

        Whoever passes because nothing can be laid draws a tile, too; from an empty pile, nobody.
        """
        told = self.hands.get(player)
        if told is None:
            return False
        return any(
            match.accepted[n].move.do != "finale"
            and _is_drawn(match.positions[n].supply, match.positions[n + 1].supply)
            for n in _made_since(told, player, match)
        )


def _made_since(told: OpenHand, player: str, match: Match) -> list[int]:
    """Return the indices of a player's moves after their hand was told."""
    return [
        n
        for n, one in enumerate(match.accepted)
        if one.move.player == player and (n >= told.n if told.seq is None else one.seq > told.seq)
    ]


def _is_drawn(before: Supply, after: Supply) -> bool:
    """Say whether a tile is drawn between two states of the pile; if it is unknown, it is."""
    return before.pile is None or (before.pile, before.reshuffles) != (after.pile, after.reshuffles)


def machine_in(lines: Sequence[Line]) -> Machine:
    """Return the machine's settings from a game's log; the defaults if they cannot be read."""
    body = last_of(NOTE, lines)
    try:
        return Machine(
            {str(who): int(level) for who, level in body.get("seats", {}).items()},
            body.get("muted") is True,
            {
                str(who): OpenHand(
                    tuple(map(str, one["tiles"])),
                    int(one["n"]),
                    None if one.get("seq") is None else int(one["seq"]),
                )
                for who, one in body.get("hands", {}).items()
            },
            {str(who): int(count) for who, count in body.get("hints", {}).items()},
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return Machine()


# --- on its turn ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MachineTurn:
    """The machine's turn: only the move that it has chosen is accepted."""

    player: str
    position: Any
    """The position that the machine thinks about; in any other one this turn is outdated."""
    move: Move | None = None
    """The move that somebody should lay for the machine; ``None`` while it thinks."""


@dataclass(frozen=True, slots=True)
class LaidOtherwise:
    """A legal move on the table, on the machine's turn, that the machine has not chosen."""

    row: Row
    layout: Layout
    picture: bytes | None = None
    """JPEG of the table with the move on it."""

"""The machine at the table: which seats are its own, what lies open for it, what it wants laid.

What people have agreed on is a line of the game's log, the last one counts: seats with their
levels, whether it is muted, hands that lie open, hints that were taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion_app.live.explain import Row
from companion_app.live.log_line import Line, last_of
from companion_app.live.match import Match
from engine.game import EMPTY, Json, Move
from engine.placement import Layout

NAME = "Snake Eye"
NOTE = "machine"
"""The kind of its lines in the log."""
LEVELS = range(1, 6)


@dataclass(frozen=True, slots=True)
class OpenHand:
    """Tiles that lay open beside the table when somebody told them."""

    tiles: tuple[str, ...]
    n: int
    """How many moves there were then."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What people have agreed on about the machine in one game."""

    seats: Mapping[str, int] = field(default_factory=lambda: EMPTY)
    """Players that it plays, each with its level."""
    muted: bool = False
    hands: Mapping[str, OpenHand] = field(default_factory=lambda: EMPTY)
    hints: Mapping[str, int] = field(default_factory=lambda: EMPTY)
    """How many hints each player has had."""

    def to_json(self) -> dict[str, Json]:
        """Return it as a line of the log says it."""
        return {
            "seats": dict(self.seats), "muted": self.muted, "hints": dict(self.hints),
            "hands": {who: {"tiles": list(one.tiles), "n": one.n}
                      for who, one in self.hands.items()},
        }  # fmt: skip

    def hand(self, player: str, match: Match) -> tuple[str, ...] | None:
        """Return what a player holds: what was told, less what he has laid since."""
        told = self.hands.get(player)
        if told is None:
            return None
        left = list(told.tiles)
        for tile in _laid_since(told, player, match):
            if tile in left:
                left.remove(tile)
        return tuple(left)

    def must_draw(self, player: str, match: Match) -> bool:
        """Say whether a player has laid something since his hand was told."""
        told = self.hands.get(player)
        return told is not None and bool(_laid_since(told, player, match))


def _laid_since(told: OpenHand, player: str, match: Match) -> list[str]:
    return [
        one.move.tile
        for one in match.accepted[told.n :]
        if one.move.player == player and one.move.tile is not None
    ]


def machine_in(lines: Sequence[Line]) -> Machine:
    """Return what the log of a game says about the machine; what cannot be read is left out."""
    body = last_of(NOTE, lines)
    try:
        return Machine(
            {str(who): int(level) for who, level in body.get("seats", {}).items()},
            body.get("muted") is True,
            {str(who): OpenHand(tuple(map(str, one["tiles"])), int(one["n"]))
             for who, one in body.get("hands", {}).items()},
            {str(who): int(count) for who, count in body.get("hints", {}).items()},
        )  # fmt: skip
    except (AttributeError, KeyError, TypeError, ValueError):
        return Machine()


# --- on its turn ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MachineTurn:
    """It is the machine's turn: nothing is taken for its move but what it wants."""

    player: str
    position: Any
    """What it thinks about; another one makes this turn a thing of the past."""
    move: Move | None = None
    """What somebody should lay for it; ``None`` while it thinks."""


@dataclass(frozen=True, slots=True)
class LaidOtherwise:
    """Something legal lies there that the machine did not want."""

    row: Row
    layout: Layout

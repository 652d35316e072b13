"""The machine at the table: the seats that it plays, the open hands, and the move it has chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion_app.games.entries import Machine, OpenHand
from companion_app.games.play import Game
from companion_app.live.explain import Row
from engine.carnival.position import Supply
from engine.game import Move
from engine.placement import Layout

NAME = "Snake Eye"
LEVELS = range(1, 6)
SILENT = ("pass", "finale", "discard")
"""Moves that leave no trace on the table: the machine makes them as soon as it has chosen."""


def hand_of(machine: Machine, player: str, game: Game) -> tuple[str, ...] | None:
    """Return a player's hand: the tiles told, without those laid since; ``None`` for none told."""
    told = machine.hands.get(player)
    if told is None:
        return None
    left = list(told.tiles)
    for n in _made_since(told, player, game):
        tile = game.accepted[n].move.tile
        if tile in left:
            left.remove(tile)
    return tuple(left)


def must_draw(machine: Machine, player: str, game: Game) -> bool:
    """Say whether a player has drawn since their hand was told, which follows every turn.

    Whoever passes because nothing can be laid draws a tile, too; from an empty pile, nobody.
    """
    told = machine.hands.get(player)
    if told is None:
        return False
    return any(
        game.accepted[n].move.do != "finale"
        and _is_drawn(game.positions[n].supply, game.positions[n + 1].supply)
        for n in _made_since(told, player, game)
    )


def _made_since(told: OpenHand, player: str, game: Game) -> list[int]:
    """Return the indices of a player's moves after their hand was told."""
    return [
        n
        for n, one in enumerate(game.accepted)
        if one.move.player == player and (n >= told.n if told.seq is None else one.seq > told.seq)
    ]


def _is_drawn(before: Supply, after: Supply) -> bool:
    """Say whether a tile is drawn between two states of the pile; if it is unknown, it is."""
    return before.pile is None or (before.pile, before.reshuffles) != (after.pile, after.reshuffles)


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

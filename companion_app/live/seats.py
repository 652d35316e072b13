"""Tells by where hands have reached in from whose hand was over the table.

People stay in their seats: a hand comes in from the same side as at its owner's earlier moves. That
tells whether a tile that lies where it lay before was taken back or laid as the next move.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion_app.live.places import Point
from companion_app.live.settle import LOOKS, REMEMBERED
from engine.game import Move


@dataclass(frozen=True, slots=True)
class Reach:
    """How an arm reaches into the picture."""

    size: int
    """Number of its pixels."""
    direction: complex
    """From its middle to where it crosses the border, as a complex number of length 1."""


def reach_of(arm: NDArray[np.bool_]) -> Reach | None:
    """Return how the only arm of a mask reaches in; ``None`` if there are none or several."""
    _, labels = cv2.connectedComponents(arm.astype(np.uint8))
    rim = np.zeros_like(arm)
    rim[0], rim[-1], rim[:, 0], rim[:, -1] = True, True, True, True
    crossing = {int(label) for label in np.unique(labels[rim & arm])}
    if len(crossing) != 1:
        return None
    own = labels == crossing.pop()
    axis = _middle(own & rim) - _middle(own)
    return Reach(int(own.sum()), axis / abs(axis)) if axis else None


def _middle(mask: NDArray[np.bool_]) -> complex:
    y, x = np.nonzero(mask)
    return complex(float(x.mean()), float(y.mean()))


class Seats:
    """Learns from accepted moves from where each player reaches in."""

    def __init__(self, players: Iterable[str]) -> None:
        self._known: dict[str, deque[complex]] = {
            player: deque(maxlen=REMEMBERED) for player in players
        }
        self._visits: list[Reach | None] = []
        """The hands that came since the table was settled last, each where most of it was seen."""
        self._is_here = False

    def see(self, hand: bool, reach: Reach | None) -> None:
        """Take in whether a frame shows a hand, and from where it reaches in."""
        if hand and not self._is_here:
            self._visits.append(reach)
        elif hand and reach is not None:
            before = self._visits[-1]
            if before is None or reach.size > before.size:
                self._visits[-1] = reach
        self._is_here = hand

    @property
    def whose(self) -> str | None:
        """The player whose hand has surely been the only one since the table was settled last."""
        hands = {self._whose(one.direction) if one else None for one in self._visits}
        return hands.pop() if len(hands) == 1 else None

    def settle(self, moves: Iterable[Move]) -> None:
        """Learn from the moves that were accepted at a settled table, and wait for new hands."""
        laid = [move for move in moves if move.tile is not None]
        if len(laid) == len(self._visits) == 1 and (reach := self._visits[0]) is not None:
            self._known.setdefault(laid[0].player, deque(maxlen=REMEMBERED)).append(reach.direction)
        self._visits, self._is_here = [], False

    def turn(self, old: Sequence[Point], new: Sequence[Point]) -> None:
        """Follow the camera, by points of the picture before and after it was moved."""
        before, now = (np.array(points).reshape(-1, 2) @ (1, 1j) for points in (old, new))
        turn = complex(np.vdot(before - before.mean(), now - now.mean())) if len(old) else 0
        for directions in self._known.values():
            turned = [one * turn / abs(turn) for one in directions] if turn else []
            directions.clear()
            directions.extend(turned)

    def _whose(self, direction: complex) -> str | None:
        """Return whose hand came from a direction, if hands tell all players apart."""
        seats = self._known
        told_apart = all(
            len(own) >= LOOKS and all(_is_owner(player, one, seats) for one in own)
            for player, own in seats.items()
        )
        owners = [player for player in seats if _is_owner(player, direction, seats)]
        return owners[0] if told_apart and len(owners) == 1 else None


def _is_owner(player: str, direction: complex, seats: dict[str, deque[complex]]) -> bool:
    """Say whether a direction is nearer to all of a player's own than to any of the others'."""
    own = max((abs(direction - one) for one in seats[player]), default=np.inf)
    other = (abs(direction - one) for name, some in seats.items() if name != player for one in some)
    return bool(own < min(other, default=np.inf))

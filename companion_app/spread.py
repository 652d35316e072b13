"""Lists of legal moves for phones, thinned evenly where there are too many."""

from __future__ import annotations

from engine.game import Move

MOST_LISTED = 6000
"""Moves in one list at most; only three boards of hexes and more allow more."""


def spread(moves: list[Move], most: int = MOST_LISTED) -> list[Move]:
    """Return moves, or every so manieth of them where there are more than ``most``.

    Rule books list moves tile by tile, so that the first ones alone would leave whole tiles out.
    """
    return moves[:: max(1, -(-len(moves) // most))]

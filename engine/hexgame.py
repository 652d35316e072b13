"""What Snekagon and Snekagon 5G have in common: turns, passes, the end and the longest snake."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from engine import hexmoves, hexposition, hexrules
from engine.game import (
    Facts,
    Game,
    Move,
    Outcome,
    Reason,
    Verdict,
    Violation,
    in_order_from,
    not_your_turn,
)
from engine.hexposition import HexPosition
from engine.placement import Layout


class HexGame(Game[HexPosition]):
    """Base of the hex rule books: a game adds its opening and the rules for a laid tile."""

    facts: Facts
    longest: ClassVar[Reason]
    """The score line of a player's longest snake."""

    @abstractmethod
    def broken_by_tile(self, position: HexPosition, move: Move) -> Iterator[Violation]:
        """Yield every rule that a laid tile breaks."""

    def legal_moves(self, position: HexPosition) -> list[Move]:
        """List every legal move, by board, drill, tile and cells; a lone pass when stuck."""
        moves = hexmoves.legal_moves(position, position.to_move)
        if moves or _is_over(position):
            return moves
        return [Move(position.to_move, "pass")]

    def judge(self, position: HexPosition, move: Move) -> Verdict:
        """Say whether a move is legal, with every rule that it breaks."""
        if move.do == "pass":
            return Verdict(tuple(_broken_by_pass(position, move)))
        broken = tuple(self.broken_by_tile(position, move))
        if broken and _is_over(position):
            return Verdict((Violation(hexrules.rule(position, "game-over")), *broken))
        return Verdict(broken)

    def apply(self, position: HexPosition, move: Move) -> HexPosition:
        """Return the position after a move."""
        if move.do == "place":
            return hexposition.lay(position, move)
        if _is_over(position):
            return position
        return replace(position, to_move=in_order_from(position.players, move.player)[1])

    def outcome(self, position: HexPosition) -> Outcome:
        """Count the hexes of each player's longest snake, on all boards; ties share the win."""
        return hexposition.outcome(position, self.longest, over=_is_over(position))

    def layout(self, position: HexPosition) -> Layout:
        """Return what lies on the table, with the clay that the rules put down."""
        return hexposition.layout(position)


def _broken_by_pass(position: HexPosition, move: Move) -> Iterator[Violation]:
    """Yield the rules that a pass breaks; once the game is over, passing is always legal."""
    if _is_over(position):
        return
    yield from not_your_turn(hexrules.rule(position, "not-your-turn"), position, move)
    yield from hexrules.must_move(position, move)


def _is_over(position: HexPosition) -> bool:
    """Say whether the game is over: nobody can move."""
    return not any(hexmoves.can_move(position, player) for player in position.players)

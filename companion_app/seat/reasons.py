"""Why a move is worth trying, by the game's own score: points it brings, takes, ends it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.draw.ends import open_ends, open_hex_ends
from engine.game import AnyGame, Json, Move
from engine.infer import change_between
from engine.lattice import hex_board
from engine.placement import Layout
from engine.tiles import TileSet

MOST_REASONS = 2


def reasons(
    game: AnyGame, box: TileSet, position: Any, move: Move
) -> list[dict[str, Json]]:  # fmt: skip
    """Return why a move is good: at most two reasons, the weightiest first.

    ``gains`` and ``takes`` have points, ``takes`` the player who loses them, ``ends`` how many ends
    stay open where it is laid; ``ahead`` where only looking ahead tells.
    """
    after = game.apply(position, move)
    before_scores, after_scores = game.outcome(position).scores, game.outcome(after).scores
    found: list[dict[str, Json]] = []
    gained = _gain(before_scores, after_scores, move.player)
    if gained > 0:
        found.append({"why": "gains", "n": gained})
    taken = [(-_gain(before_scores, after_scores, who), who) for who in position.players]
    lost, who = max(((n, one) for n, one in taken if one != move.player), default=(0, ""))
    if lost > 0:
        found.append({"why": "takes", "n": lost, "player": who})
    left = ends_left(box, game.layout(position), game.layout(after))
    if left:
        found.append({"why": "ends", "n": left})
    return found[:MOST_REASONS] or [{"why": "ahead", "n": 0}]


def _gain(before: Mapping[str, int | None], after: Mapping[str, int | None], who: str) -> int:
    return (after.get(who) or 0) - (before.get(who) or 0)


def ends_left(box: TileSet, before: Layout, after: Layout) -> int:
    """Return how many open ends there are where something was laid."""
    laid = change_between(before, after).laid
    if box.lattice == "square":
        new = {card.at for card in laid.cards}
        return sum(place[-2:] in new for place, _ in open_ends(box, after))
    board = box.extras.get("board", {})
    eyes = {tuple(eye) for eye in board.get("eyes", ())}
    cells = set(hex_board(int(board.get("side", 6)))) - eyes
    covered = {cell for piece in laid.pieces for cell in piece.cells}
    return sum(place[-2:] in covered for place, _ in open_hex_ends(after, cells))

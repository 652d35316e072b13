"""Why a move is worth trying: points it gains or takes, players it blocks, ends it leaves open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from engine.carnival.position import CarnivalPosition
from engine.draw.ends import open_ends, open_hex_ends
from engine.game import AnyGame, Json, Move, Place
from engine.hexposition import HexPosition
from engine.infer import change_between
from engine.lattice import Cell, hex_board
from engine.nest.position import NestPosition
from engine.placement import Layout
from engine.play.hex_world import hex_world
from engine.tiles import TileSet

MOST_REASONS = 2


def reasons(game: AnyGame, box: TileSet, position: Any, move: Move) -> list[dict[str, Json]]:
    """Return why a move is good: at most two reasons, the weightiest first.

    ``gains`` has points; ``takes`` has points and the player who loses them; ``blocks`` has the
    player who keeps at most half of his ways on; ``ends`` has the number of ends left open at the
    new tile; ``ahead`` is given where there is no other reason than the search.
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
    blocked = _blocked(position, after, move.player)
    if blocked is not None:
        found.append({"why": "blocks", "n": 0, "player": blocked})
    left = ends_left(box, game.layout(position), game.layout(after))
    if left:
        found.append({"why": "ends", "n": left})
    return found[:MOST_REASONS] or [{"why": "ahead", "n": 0}]


def _gain(before: Mapping[str, int | None], after: Mapping[str, int | None], who: str) -> int:
    return (after.get(who) or 0) - (before.get(who) or 0)


def _blocked(before: Any, after: Any, mover: str) -> str | None:
    """Return the other player who loses most of his ways on, where it is half of them or more."""
    had, has = ways_on(before), ways_on(after)
    lost = {
        who: (n - has[who]) / n
        for who, n in had.items()
        if who != mover and n and 2 * has[who] <= n
    }
    return max(lost, key=lambda who: lost[who], default=None)


def ways_on(position: Any) -> Counter[str]:
    """Return how many ways each player's snake can go on; nothing where snakes cannot meet.

    For cards these are open ends; for hexes, places for a tile at the ends of the longest snake.
    """
    if isinstance(position, CarnivalPosition):
        free = [one for one in position.snakes.values() if one.end and not one.is_blocked]
        return Counter(owner for one in free if (owner := position.agreed.owner(one.colour)))
    if isinstance(position, NestPosition):
        return Counter(
            owner
            for chain in position.web.coloured
            for colour in chain.colours
            if (owner := position.agreed.owner(colour))
            for _ in chain.ends
        )
    world = hex_world(position) if isinstance(position, HexPosition) else None
    if world is None:
        return Counter()
    return Counter({who: world.room(seat) for seat, who in enumerate(position.players)})


def ends_left(box: TileSet, before: Layout, after: Layout) -> int:
    """Return the number of open ends at the tiles that were laid."""
    laid = change_between(before, after).laid
    if box.lattice == "square":
        new = {_place(card.field, card.at) for card in laid.cards}
        return sum(place in new for place, _ in open_ends(box, after))
    board = box.extras.get("board", {})
    eyes = {tuple(eye) for eye in board.get("eyes", ())}
    cells = set(hex_board(int(board.get("side", 6)))) - eyes
    covered = {_place(piece.board, cell) for piece in laid.pieces for cell in piece.cells}
    return sum(place in covered for place, _ in open_hex_ends(after, cells))


def _place(number: int | None, cell: Cell) -> Place:
    """Return a cell as open ends name it: after the number of its field or board, if any."""
    return cell if number is None else (number, *cell)

"""Choice of the search world of a position: its game's fast one, else the rule book itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engine.carnival.position import CarnivalPosition
from engine.draws import SssnakePosition
from engine.errors import RecordError
from engine.game import AnyGame
from engine.hexposition import HexPosition
from engine.nest.position import NestPosition
from engine.play.book_world import BookWorld
from engine.play.carnival_world import carnival_world
from engine.play.hex_world import hex_world
from engine.play.nest_world import NestWorld
from engine.play.sssnake_world import sssnake_world
from engine.play.thought import Need, Seat
from engine.play.world import World


def world_of(game: AnyGame, position: Any, seat: Seat) -> World:
    """Return the world to search a position in.

    Raises:
        RecordError: the hand of the player to move is needed and missing, or is impossible.
    """
    quick: World | None = None
    if isinstance(position, NestPosition):
        quick = NestWorld(position)
    elif isinstance(position, HexPosition):
        quick = hex_world(position)
    elif isinstance(position, SssnakePosition):
        quick = sssnake_world(position)
    elif isinstance(position, CarnivalPosition) and not position.is_over:
        check_hands(position, seat)
        quick = carnival_world(position, seat.hands)
    return quick or BookWorld(game, position)


def needed(game: AnyGame, position: Any) -> Need | None:
    """Return what the table must do before the player to move has a choice, if anything."""
    if not isinstance(position, SssnakePosition) or position.on_trust:
        return None
    if position.turn.value is None:
        return None if game.outcome(position).over else "roll"
    return "draw" if None in position.turn.hand else None


def check_hands(position: CarnivalPosition, seat: Seat) -> None:
    """Refuse a hand that is missing, or that holds more tiles than the box has left."""
    player = position.to_move
    if player not in seat.hands:
        raise RecordError(
            "hand",
            f"is needed, since nobody sees hands: write the tiles that {player} holds, such as "
            f'"hand": {{"{player}": ["{player}/straight", "gift"]}}',
        )
    check_told(position, seat.hands)


def check_told(position: CarnivalPosition, hands: Mapping[str, Sequence[str]]) -> None:
    """Refuse hands that hold more tiles than the box has left."""
    held = Counter(tile for hand in hands.values() for tile in hand)
    for tile, count in held.items():
        left = max(0, position.left(position.box[tile]))
        if count > left:
            times = "once" if count == 1 else f"{count} times"
            most = f"only {left}" if left else "none"
            raise RecordError("hand", f"names {tile} {times}, but {most} can be left")

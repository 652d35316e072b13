"""The last round of Carnival: heads, then hats, skipped players, and the end (ruling 9).

Hands are hidden. A pass declares that the player has no head (or hat) to lay; it is believed, and
the player is out of that phase.
"""

from __future__ import annotations

from dataclasses import replace

from engine.carnival.position import CarnivalPosition, LastRound


def is_over(position: CarnivalPosition) -> bool:
    """Say whether all players have passed on hats, or no hat or no bare head is left."""
    last = position.last_round
    if last is None or last.phase == "heads":
        return False
    left = _left_in_phase(position, last)
    return not (left and position.bare_heads() and position.kinds_left({"hat"}))


def passed(position: CarnivalPosition, player: str) -> CarnivalPosition:
    """Return the position after a pass; before the last round a tile is drawn (ruling 11)."""
    last = position.last_round
    if last is None:
        return replace(position, supply=position.supply.after(None))
    return replace(position, last_round=replace(last, out=last.out | {player}))


def settled(position: CarnivalPosition) -> CarnivalPosition:
    """Return the position with the turn at the next player who is still in the phase.

    When nobody is left to lay a head, the hats phase begins with the next player in turn order.
    """
    last = position.last_round
    if last is None:
        return position
    left = _left_in_phase(position, last)
    if not left and last.phase == "heads":
        return replace(position, last_round=LastRound("hats"))
    first = position.players.index(position.to_move)
    in_order = position.players[first:] + position.players[:first]
    return replace(position, to_move=next((p for p in in_order if p in left), position.to_move))


def _left_in_phase(position: CarnivalPosition, last: LastRound) -> set[str]:
    """Return the players who have not passed and, in the heads phase, have heads left."""
    in_it = set(position.players) - last.out
    if last.phase == "hats":
        return in_it
    heads = {kind.colour for kind in position.kinds_left({"head"})}
    return {player for player in in_it if heads & set(position.agreed.colours[player])}

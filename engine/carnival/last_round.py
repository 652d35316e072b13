"""The last round: heads, then hats, who is skipped, and when it is over (ruling 9).

Nobody sees the hands. A head that is not laid may be in anybody's hand, so a pass is believed: it
says that a player has no head (or hat) to lay, and he is out of that phase.
"""

from __future__ import annotations

from dataclasses import replace

from engine.carnival.position import CarnivalPosition, LastRound


def is_over(position: CarnivalPosition) -> bool:
    """Say whether all have passed on hats, or no hat or no bare head is left."""
    last = position.last_round
    if last is None or last.phase == "heads":
        return False
    left = _left_in_phase(position, last)
    return not (left and position.bare_heads() and position.kinds_left({"hat"}))


def passed(position: CarnivalPosition, player: str) -> CarnivalPosition:
    """Return the position after a pass; before the last round it draws a tile (ruling 11)."""
    last = position.last_round
    if last is None:
        return replace(position, supply=position.supply.after(None))
    return replace(position, last_round=replace(last, out=last.out | {player}))


def settled(position: CarnivalPosition) -> CarnivalPosition:
    """Return the position with the turn at the next player who is left in the phase.

    When nobody is left to lay a head, the hats begin with whoever is next in turn order.
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
    """Return who has not passed and, while heads are laid, has not laid all heads of his."""
    in_it = set(position.players) - last.out
    if last.phase == "hats":
        return in_it
    heads = {kind.colour for kind in position.kinds_left({"head"})}
    return {player for player in in_it if heads & set(position.agreed.colours[player])}

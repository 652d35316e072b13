"""The last round: who announces it, whether heads or hats are due, and when it is over (ruling 9).

Nobody sees the hands. A head that is not laid may be in anybody's hand, so a pass is believed, and
it says that a player holds no head (or hat) that he could lay.
"""

from __future__ import annotations

from dataclasses import replace

from engine.carnival.position import CarnivalPosition


def heads_are_due(position: CarnivalPosition) -> bool:
    """Say whether a player is still to lay a head, or to say by a pass that he holds none."""
    last = position.last_round
    return heads_may_come(position) and any(
        can_lay_head(position, player)
        for player in position.players
        if last is None or player not in last.without_head
    )


def heads_may_come(position: CarnivalPosition) -> bool:
    """Say whether the time for heads is not over and the table allows one to somebody.

    Who passed may draw a head yet; so heads are over only when all pass in a row, or when
    nobody is waited for and the first hat is laid.
    """
    last = position.last_round
    if last is None or last.heads_are_over:
        return False
    return any(can_lay_head(position, player) for player in position.players)


def can_lay_head(position: CarnivalPosition, player: str) -> bool:
    """Say whether the table allows a player a head, should he hold it."""
    heads = {kind.colour for kind in position.kinds_left({"head"})}
    own = (position.snakes[c] for c in position.agreed.colours[player] if c in heads)
    return any(snake.end is not None and not snake.is_blocked for snake in own)


def is_over(position: CarnivalPosition) -> bool:
    """Say whether all have passed on hats, or neither head nor hat can be laid any more."""
    last = position.last_round
    if last is None or heads_may_come(position):
        return False
    all_passed = last.passes >= len(position.players)
    return all_passed or not position.bare_heads() or not position.kinds_left({"hat"})


def passed(position: CarnivalPosition, player: str) -> CarnivalPosition:
    """Return the position after a pass; before the last round it draws a tile (ruling 11)."""
    last = position.last_round
    if last is None:
        return replace(position, supply=position.supply.after(None))
    passes = last.passes + 1
    if not heads_may_come(position):
        return replace(position, last_round=replace(last, passes=passes))
    without_head = last.without_head | {player}
    if passes == len(position.players):
        last = replace(last, without_head=without_head, passes=0, heads_are_over=True)
    else:
        last = replace(last, without_head=without_head, passes=passes)
    return replace(position, last_round=last)

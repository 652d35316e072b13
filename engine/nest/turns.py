"""Whose turn it is, and with which snake (rulings 8 and 10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.game import Move, Violation
from engine.nest.laying import first_cards, next_cards
from engine.nest.loops import opening_turns, tail_swaps
from engine.nest.meetings import must_close_at
from engine.nest.position import NestPosition, in_order_from
from engine.nest.words import says
from engine.sentences import schlangennest as say


def next_turn(position: NestPosition) -> NestPosition:
    """Return the position with the next player to move; finished players are skipped."""
    order = in_order_from(position.players, position.to_move)
    for player in (*order[1:], order[0]):
        if not all(position.is_finished(colour) for colour in position.agreed.colours[player]):
            return replace(position, to_move=player, acted=())
    return replace(position, to_move=order[1], acted=())


def turn_goes_on(before: NestPosition, after: NestPosition) -> bool:
    """Say whether the mover's other snake still has its action in this turn."""
    if before.agreed.two_snakes != "both":
        return False
    nobody_had_begun = not any(
        before.has_begun(colour) for own in before.agreed.colours.values() for colour in own
    )
    return not nobody_had_begun and can_act(after)


def colours_due(position: NestPosition) -> tuple[str, ...]:
    """Return the colours that the player to move may act with, in the order of the box."""
    agreed = position.agreed
    own = [c for c in agreed.colours[position.to_move] if c not in position.acted]
    if agreed.two_snakes == "off":
        return tuple(own)
    # Tails must be laid first, unless no tail can be laid.
    tails = [c for c in own if not position.has_begun(c)]
    if any(True for colour in tails for _ in colour_actions(position, colour)):
        return tuple(tails)
    if agreed.two_snakes == "one":
        closing = [c for c in own if must_close_at(position, c) is not None]
        if any(True for colour in closing for _ in colour_actions(position, colour)):
            return tuple(closing)
    return tuple(own)


def can_act(position: NestPosition) -> bool:
    """Say whether the player to move can do anything."""
    return any(True for _ in actions(position))


def actions(position: NestPosition) -> Iterator[Move]:
    """Yield the legal moves of the player to move, without passes."""
    for colour in colours_due(position):
        yield from colour_actions(position, colour)


def colour_actions(position: NestPosition, colour: str) -> Iterator[Move]:
    """Yield the legal moves with one colour."""
    if position.is_loop(colour):
        turns = list(opening_turns(position, colour))
        yield from turns or tail_swaps(position, colour)
    elif not position.has_begun(colour):
        yield from first_cards(position, colour)
    else:
        yield from next_cards(position, colour)


def judge_action(position: NestPosition, move: Move) -> Iterator[Violation]:
    """Yield the violation by a move with the wrong snake, when players have two each."""
    if position.agreed.two_snakes == "off" or move.player != position.to_move:
        return
    colour = _colour_of(position, move)
    due = colours_due(position)
    if colour in position.agreed.colours[move.player] and colour not in due:
        yield says(say.OTHER_SNAKE, one=" or ".join(due), colour=colour or "")


def _colour_of(position: NestPosition, move: Move) -> str | None:
    if move.tile is not None:
        return position.box[move.tile].colour
    lying = position.cards.get(move.at) if move.at is not None else None
    return None if lying is None else lying.kind.colour

"""Whose turn it is, and with which snake (rulings 8 and 10)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.game import Move, Violation, says
from engine.nest.laying import fitting, layings, opening_turns, tail_swaps
from engine.nest.meetings import must_close_at
from engine.nest.position import NestPosition
from engine.sentences import rules_of
from engine.snakes import card

say = rules_of("schlangennest")


def next_turn(position: NestPosition) -> NestPosition:
    """Return the position with the next player to move; finished players are skipped."""
    colours = position.agreed.colours
    players = tuple(colours)
    following = players.index(position.to_move) + 1
    order = players[following:] + players[:following]
    for player in order:
        for colour in colours[player]:
            if not position.is_finished(colour):
                return position.of(player)
    return position.of(order[0])


def made(position: NestPosition, move: Move) -> NestPosition:
    """Return the position after a move, legal or not, and the turn passed on."""
    # The turn goes on from whoever moved: the table may have overruled a move out of turn.
    if move.player != position.to_move:
        position = position.of(move.player)
    lying = position.cards.get(move.at) if move.at is not None else None
    tile = move.tile or (lying.tile if lying else None)
    if move.do == "pass" or tile is None or move.at is None or move.turns is None:
        # A correction may leave a turn without its card: nothing is turned.
        return next_turn(position)
    laid = card(position.box[tile], move.turns)
    act = position.with_card if move.do == "place" else position.with_swap
    return turned_over(act(move.at, laid), may_go_on=may_go_on(position))


def turned_over(after: NestPosition, *, may_go_on: bool) -> NestPosition:
    """Return the position after an action, with the turn passed on if it is at its end."""
    return after if may_go_on and can_act(after) else next_turn(after)


def may_go_on(position: NestPosition) -> bool:
    """Say whether the mover's other snake has its action in the same turn (ruling 10)."""
    return position.agreed.two_snakes == "both" and position.has_any_begun


def colours_due(position: NestPosition) -> tuple[str, ...]:
    """Return the colours that the player to move may act with, in the order of the box."""
    agreed = position.agreed
    if agreed.two_snakes == "off":
        return agreed.colours[position.to_move]
    own = [c for c in agreed.colours[position.to_move] if c not in position.acted]
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
        return
    for (cell, laid), _ in fitting(position, layings(position, colour)):
        yield Move(position.to_move, "place", laid.tile, cell, laid.turns)


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

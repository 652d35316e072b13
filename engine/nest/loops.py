"""Opening a closed loop: turning a curve, or swapping in the tail (ruling 7)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.game import Move, Violation
from engine.lattice import Cell
from engine.nest.crowds import ends_at
from engine.nest.meetings import colours_joined, crowds, unclosable
from engine.nest.position import NestPosition
from engine.nest.words import none_left, says
from engine.sentences import schlangennest as say
from engine.snakes import Card, card, trace
from engine.tiles import GREY


def opening_turns(position: NestPosition, colour: str) -> Iterator[Move]:
    """Yield the quarter turns of own curves that open a loop."""
    for cell in sorted(position.cards):
        lying = position.cards[cell]
        if lying.tile != f"{colour}/curve":
            continue
        for turns in sorted(((lying.turns + 1) % 4, (lying.turns + 3) % 4)):
            turned = card(lying.kind, turns)
            if not any(True for _ in wrong_after_turn(position, cell, turned)):
                yield Move(position.to_move, "turn", at=cell, turns=turns)


def wrong_after_turn(position: NestPosition, cell: Cell, turned: Card) -> Iterator[Violation]:
    """Yield what a turned curve breaks: rules 1, 4 and 5, a broken snake, or no open end."""
    colour = turned.kind.colour or GREY
    web = trace({**position.cards, cell: turned})
    for snake in web.chains:
        yield from colours_joined(position, snake, cell)
    before = None if position.agreed.irregular else position.web
    yield from crowds(ends_at(web), web.facing, before)
    yield from unclosable(position, turned, ends_at(web), web.facing)
    pieces = web.of_colour(colour)
    if len(pieces) > 1:
        cells = tuple(sorted({at for piece in pieces for at, _ in piece.strands}))
        yield Violation(say.IN_PIECES, cells, {"colour": colour})
    if not any(piece.ends for piece in pieces):
        yield Violation(say.STILL_CLOSED, (cell,), {"colour": colour})


def judge_turn(position: NestPosition, move: Move) -> Iterator[Violation]:
    """Yield every rule that turning a card breaks."""
    assert move.at is not None and move.turns is not None
    lying = position.cards.get(move.at)
    if (
        lying is None
        or lying.kind.shape != "curve"
        or position.agreed.owner(lying.kind.colour) != move.player
    ):
        case = "" if lying else "empty"
        yield says(say.NOT_OWN_CURVE, move.at, case=case, player=move.player)
        return
    colour = lying.kind.colour or GREY
    if not position.is_loop(colour):
        yield Violation(say.NO_LOOP, (move.at,), {"colour": colour})
    if (move.turns - lying.turns) % 4 not in (1, 3):
        yield Violation(say.NOT_A_QUARTER, (move.at,))
        return
    yield from wrong_after_turn(position, move.at, card(lying.kind, move.turns))


def tail_swaps(position: NestPosition, colour: str) -> Iterator[Move]:
    """Yield the swaps of an own straight for the tail, in both directions along it."""
    tail = f"{colour}/tail"
    if position.left(tail) < 1:
        return
    for cell in sorted(position.cards):
        lying = position.cards[cell]
        if lying.tile == f"{colour}/straight":
            for turns in (lying.turns, lying.turns + 2):
                yield Move(position.to_move, "replace", tail, cell, turns)


def judge_replace(position: NestPosition, move: Move) -> Iterator[Violation]:
    """Yield every rule that swapping a card breaks."""
    assert move.tile is not None and move.at is not None and move.turns is not None
    kind = position.box[move.tile]
    lying = position.cards.get(move.at)
    own_tail = kind.shape == "tail" and position.agreed.owner(kind.colour) == move.player
    if not own_tail:
        yield Violation(say.NOT_THE_TAIL, (move.at,))
    elif position.left(move.tile) < 1:
        yield none_left(position, move.tile)
    if (
        lying is None
        or lying.kind.shape != "straight"
        or position.agreed.owner(lying.kind.colour) != move.player
        or (own_tail and lying.kind.colour != kind.colour)
    ):
        case = "" if lying else "empty"
        yield says(say.NOT_OWN_STRAIGHT, move.at, case=case, player=move.player)
        return
    colour = lying.kind.colour or GREY
    if not position.is_loop(colour):
        yield Violation(say.NO_LOOP, (move.at,), {"colour": colour})
    else:
        for way in opening_turns(position, colour):
            assert way.at is not None
            yield says(say.CAN_BE_OPENED, way.at)
            break
    if own_tail and (move.turns - lying.turns) % 2:
        yield Violation(say.NOT_ALONG, (move.at,))

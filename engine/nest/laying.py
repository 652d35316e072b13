"""Laying a card, and opening a closed loop: what may be done, and the rules that a move breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from engine.game import Move, Violation, says
from engine.lattice import Cell, cells_around, square_neighbour
from engine.nest.meetings import (
    CROWD_AT_ONE,
    Ends,
    colours_joined,
    crowds,
    is_crowded,
    is_newly_joined,
    must_close_at,
    none_left,
    outside,
    unclosable,
)
from engine.nest.position import FIELD_SHAPES, NestPosition, stretched
from engine.sentences import rules_of
from engine.snakes import Around, Card, Chain, End, around, card, join, trace
from engine.tiles import GREY, TileKind

say = rules_of("schlangennest")

ANY_EDGE = frozenset(range(4))
ONE_EDGE = tuple(frozenset({edge}) for edge in range(4))
Laying = tuple[Cell, Card]
"""A card and the empty cell that it goes on."""

# --- which cards may be laid (rulings 1 to 6)


def layings(position: NestPosition, colour: str) -> list[Laying]:
    """Return every way to lay a card of a colour by rulings 2, 3 and 5, which still must fit."""
    web, closing = position.web, None
    kinds = position.kinds[colour]
    cells: dict[Cell, frozenset[int]] = {}
    if colour in web.snakes:
        for cell, edge in sorted(position.ends(colour)):
            cells[cell] = cells[cell] | ONE_EDGE[edge] if cell in cells else ONE_EDGE[edge]
        closing = must_close_at(position, colour) if len(cells) == 1 else None
    else:
        near = {c for at in position.cards for c in cells_around(at)} - position.cards.keys()
        cells = dict.fromkeys(sorted(near) or [(0, 0)], ANY_EDGE)
        if position.agreed.tail_first:
            kinds = tuple(kind for kind in kinds if kind.shape == "tail")
    found = [
        (cell, laid)
        for kind in kinds
        if kind.count > web.laid.get(kind.name, 0)
        for cell, edges in cells.items()
        for laid in _going_on(kind, edges)
    ]
    if closing is not None:
        return [one for one in found if closing.closes(position, *one)]
    return found


@cache
def _going_on(kind: TileKind, edges: frozenset[int]) -> tuple[Card, ...]:
    """Return the orientations of a card whose coloured strand meets one of the edges."""
    cards = [card(kind, turns) for turns in range(kind.period)]
    return tuple(laid for laid in cards if not edges.isdisjoint(laid.strands[0].edges))


def fitting(
    position: NestPosition, layings: Iterable[Laying]
) -> Iterator[tuple[Laying, list[Chain]]]:
    """Yield the cards that break none of rules 1, 4, 5 and 6, with the chains over each."""
    web, snakes = position.web, position.web.snakes
    cells: dict[Cell, tuple[bool, Around]] = {}
    known: dict[tuple[Cell, int], list[Chain]] = {}
    for laying in layings:
        cell, laid = laying
        # The strands of head and tail have the same edges, so both fit or neither does.
        key = (cell, id(laid.joins))
        joined = known.get(key)
        if joined is None:
            place = cells.get(cell)
            if place is None:
                place = cells[cell] = (position.is_outside(cell), around(web, cell))
            is_outside, near = place
            joined = []
            if not is_outside or laid.kind.shape not in FIELD_SHAPES:
                joined = join(web, cell, laid, near)
                can_crowd = len(snakes) + (laid.kind.colour not in snakes) >= CROWD_AT_ONE
                for chain in joined:
                    ends = chain.ends
                    # Most chains meet nothing that is judged.
                    if (
                        can_crowd
                        or len(chain.colours) > 1
                        or (len(ends) == 2 and ends[0][0] == ends[1][0])
                    ):
                        if _meet_badly(position, cell, laid, joined):
                            joined = []
                        break
            known[key] = joined
        if joined:
            yield laying, joined


def _meet_badly(position: NestPosition, cell: Cell, laid: Card, joined: list[Chain]) -> bool:
    """Say whether a card breaks one of rules 1, 4 and 5."""
    for chain in joined:
        if len(chain.colours) > 1 and is_newly_joined(position, chain, cell):
            return True
    return any(True for _ in _wrong_where_snakes_meet(position, cell, laid, joined))


def _wrong_where_snakes_meet(
    position: NestPosition, cell: Cell, laid: Card, joined: list[Chain]
) -> Iterator[Violation]:
    """Yield the rules 1, 4 and 5 that a card breaks."""
    for snake in joined:
        if len(snake.colours) > 1:
            yield from colours_joined(position, snake, cell)
    ends = Ends(position.web, cell, joined)
    if position.agreed.irregular and is_crowded(position):
        yield from crowds(ends, ends.all)
    else:
        yield from crowds(ends, ends.changed, position.web)
    yield from unclosable(position, laid, ends, ends.changed)


# --- judging a card


def cells_outside(position: NestPosition) -> tuple[Cell, ...]:
    """Return the cells to point at when the cards do not fit in the field."""
    box = position.agreed.field.box
    cells = sorted(position.judged_cells)
    return tuple(c for c in cells if box is None or not position.agreed.field.holds((*c, *c)))


def judge_place(position: NestPosition, move: Move) -> Iterator[Violation]:
    """Yield every rule that laying a card breaks, except the order of turns."""
    assert move.tile is not None and move.at is not None and move.turns is not None
    kind = position.box[move.tile]
    colour = kind.colour or GREY
    own = position.agreed.owner(colour) == move.player
    if not own:
        yield says(say.NOT_YOUR_CARD, player=move.player, tile=move.tile)
    elif position.left(move.tile) < 1:
        yield none_left(position, move.tile)
    if move.at in position.cards:
        yield says(say.CELL_TAKEN, move.at, lying=position.cards[move.at].tile)
    if not own:
        return
    laid = card(kind, move.turns)
    if position.is_finished(colour):
        yield says(say.SNAKE_FINISHED, *_cells(position, colour), colour=colour)
    elif position.is_loop(colour):
        yield says(say.OPEN_FIRST, *_cells(position, colour), colour=colour)
    elif not position.has_begun(colour):
        yield from judge_first(position, move.at, laid)
    else:
        yield from judge_growth(position, move.at, laid)
    if move.at not in position.cards:
        if position.lies_outside(move.at, laid):
            yield outside(position, stretched(position.bounds, move.at), move.at)
        joined = join(position.web, move.at, laid)
        yield from _wrong_where_snakes_meet(position, move.at, laid, joined)


def judge_first(position: NestPosition, cell: Cell, laid: Card) -> Iterator[Violation]:
    """Yield the rules that a colour's first card breaks (ruling 2)."""
    colour = laid.kind.colour or GREY
    if position.agreed.tail_first and laid.kind.shape != "tail":
        yield Violation(say.TAIL_FIRST, (cell,), {"colour": colour})
    if position.cards and position.cards.keys().isdisjoint(cells_around(cell)):
        yield Violation(say.FIRST_TOUCHES, (cell,), {"colour": colour})


def judge_growth(position: NestPosition, cell: Cell, laid: Card) -> Iterator[Violation]:
    """Yield the rules that a later card of a colour breaks (rulings 3 and 5)."""
    colour = laid.kind.colour or GREY
    own_ends = position.ends(colour)
    if not any((cell, edge) in own_ends for edge in laid.strands[0].edges):
        ends_here = [_card_at(end) for end in own_ends if end[0] == cell]
        shown = sorted(set(ends_here or map(_card_at, own_ends)) - {cell})
        yield says(say.OWN_END, cell, *shown, case="grey" if ends_here else "", colour=colour)
    closing = must_close_at(position, colour)
    if closing is not None and not closing.closes(position, cell, laid):
        yield says(
            say.MUST_CLOSE,
            closing.cell,
            colour=colour,
            other=closing.other,
            card=closing.shape(position),
        )


def _card_at(end: End) -> Cell:
    """Return the cell of the card that an end leaves."""
    return square_neighbour(*end)


def _cells(position: NestPosition, colour: str) -> list[Cell]:
    """Return the cells of a snake."""
    return sorted({cell for snake in position.web.of_colour(colour) for cell, _ in snake.strands})


# --- opening a closed loop (ruling 7)


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
    for snake in web.coloured:
        yield from colours_joined(position, snake, cell)
    before = None if position.agreed.irregular else position.web
    ends = Ends(web)
    yield from crowds(ends, ends.all, before)
    yield from unclosable(position, turned, ends, ends.all)
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

"""Laying a card: the legal placements, and the rules that a placement breaks (rulings 1 to 6)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from engine.game import Move, Violation
from engine.lattice import Cell, cells_around, square_neighbour
from engine.nest.crowds import ends_at
from engine.nest.meetings import (
    colours_joined,
    crowds,
    must_close_at,
    unclosable,
)
from engine.nest.position import FIELD_SHAPES, SHAPES, NestPosition, stretched
from engine.nest.words import none_left, outside, says
from engine.sentences import schlangennest as say
from engine.snakes import Card, Spot, card, join, spot
from engine.tiles import GREY, TileKind


def first_cards(position: NestPosition, colour: str) -> Iterator[Move]:
    """Yield the placements of a colour's first card, at a side or corner of another (ruling 2)."""
    near = {c for at in position.cards for c in cells_around(at)} - position.cards.keys()
    spots = [spot(position.web, cell) for cell in sorted(near) or [(0, 0)]]
    for shape in ("tail",) if position.agreed.tail_first else SHAPES:
        kind = position.box[f"{colour}/{shape}"]
        if position.left(kind.name) < 1:
            continue
        for here in spots:
            for turns in range(kind.period):
                if fits_the_nest(position, here, card(kind, turns)):
                    yield Move(position.to_move, "place", kind.name, here.cell, turns)


def next_cards(position: NestPosition, colour: str) -> Iterator[Move]:
    """Yield the placements whose coloured strand continues an end of the snake (ruling 3)."""
    reached: dict[Cell, frozenset[int]] = {}
    for cell, edge in position.ends(colour):
        beyond = square_neighbour(cell, edge)
        reached[beyond] = reached.get(beyond, frozenset()) | {edge ^ 2}
    spots = [(spot(position.web, cell), reached[cell]) for cell in sorted(reached)]
    closing = must_close_at(position, colour)
    known: dict[tuple[Cell, int, str], bool] = {}
    for shape in SHAPES:
        kind = position.box[f"{colour}/{shape}"]
        if position.left(kind.name) < 1:
            continue
        for here, edges in spots:
            for laid in _going_on(kind, edges):
                if closing is not None and not closing.closes(position, here.cell, laid):
                    continue
                # The strands of head and tail have the same edges, so both fit or neither does.
                key = (here.cell, laid.turns, "cap" if laid.strands[0].cap else shape)
                fits = known.get(key)
                if fits is None:
                    fits = known[key] = fits_the_nest(position, here, laid)
                if fits:
                    yield Move(position.to_move, "place", kind.name, here.cell, laid.turns)


@cache
def _going_on(kind: TileKind, edges: frozenset[int]) -> tuple[Card, ...]:
    """Return the orientations of a card whose coloured strand meets one of the edges."""
    cards = [card(kind, turns) for turns in range(kind.period)]
    return tuple(laid for laid in cards if not edges.isdisjoint(laid.strands[0].edges))


def fits_the_nest(position: NestPosition, here: Spot, laid: Card) -> bool:
    """Say whether a card breaks none of the rules 1, 4, 5 and 6."""
    return not any(True for _ in wrong_in_the_nest(position, here, laid))


def wrong_in_the_nest(position: NestPosition, here: Spot, laid: Card) -> Iterator[Violation]:
    """Yield the violations of rules 1, 4, 5 and 6 by a card in an empty cell."""
    cell = here.cell
    if lies_outside(position, cell, laid):
        yield outside(position, stretched(position.judged_box, cell), cell)
    web = position.web
    joined = join(web, here, laid)
    for snake in joined.chains:
        if len(snake.colours) > 1:
            yield from colours_joined(position, snake, cell)
    ends = ends_at(web, joined.facing)
    if position.agreed.irregular and position.is_crowded:
        yield from crowds(ends, {**web.facing, **joined.facing})
    else:
        yield from crowds(ends, joined.facing, web)
    yield from unclosable(position, laid, ends, joined.facing)


def lies_outside(position: NestPosition, cell: Cell, laid: Card) -> bool:
    """Say whether a straight or curve in a cell does not fit the field (ruling 6)."""
    if laid.kind.shape not in FIELD_SHAPES:
        return False
    return not position.agreed.field.holds(stretched(position.judged_box, cell))


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
        yield from wrong_in_the_nest(position, spot(position.web, move.at), laid)


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
    coloured = laid.strands[0].edges
    own_ends = set(position.ends(colour))
    if not any((square_neighbour(cell, edge), edge ^ 2) in own_ends for edge in coloured):
        ends_here = [at for at, edge in own_ends if square_neighbour(at, edge) == cell]
        shown = sorted(set(ends_here or (at for at, _ in own_ends)) - {cell})
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


def _cells(position: NestPosition, colour: str) -> list[Cell]:
    """Return the cells of a snake."""
    return sorted({cell for snake in position.web.of_colour(colour) for cell, _ in snake.strands})

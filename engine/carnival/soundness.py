"""The rules that a table of Carnival breaks, whoever broke them."""

from __future__ import annotations

from collections.abc import Iterator

from engine.carnival.laying import BESIDE_SNAKES
from engine.carnival.position import CarnivalPosition
from engine.carnival.snakes import SNAKE_TILES, joined_snakes, loose_cells
from engine.carnival.words import named, says
from engine.game import Violation
from engine.lattice import square_neighbours
from engine.sentences import carnival as say


def wrong_on_the_table(position: CarnivalPosition) -> Iterator[Violation]:
    """Yield the violations on the table: tile counts, snakes, gifts, troubles and hats."""
    yield from _too_many(position)
    yield from _snakes_amiss(position)
    yield from _gifts_alone(position)
    for hat in position.hats:
        if hat.snake is None and not hat.maybe:
            yield Violation(say.NO_BARE_HEAD, (hat.at,))


def _too_many(position: CarnivalPosition) -> Iterator[Violation]:
    for tile, number in sorted(position.laid.items()):
        if number > position.box[tile].count:
            cells = tuple(sorted(at for at, laid in position.cards.items() if laid.tile == tile))
            kind = position.box[tile]
            yield says(say.TOO_MANY, *cells, tile=named(kind), n=kind.count)


def _snakes_amiss(position: CarnivalPosition) -> Iterator[Violation]:
    for one, other in joined_snakes(position.snakes.values())[:1]:
        cells = tuple(step.cell for step in position.snakes[one].steps)
        yield Violation(say.TWO_SNAKES_JOINED, cells, {"one": one, "other": other})
    for cell in loose_cells(position.cards, position.snakes.values()):
        yield says(say.NOT_AT_AN_END, cell, case="loose")


def _gifts_alone(position: CarnivalPosition) -> Iterator[Violation]:
    for cell, laid in sorted(position.cards.items(), key=lambda item: item[0]):
        beside = {position.role_at(near) for near in square_neighbours(cell)}
        if laid.kind.role in BESIDE_SNAKES and not beside & SNAKE_TILES:
            yield Violation(say.GIFT_ALONE, (cell,), {"what": laid.kind.role})

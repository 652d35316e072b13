"""A player's field in Sssnake: a big card, the cards laid from it, and the snake's two ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from engine.errors import RecordError
from engine.game import Start
from engine.lattice import Cell, opposite, quarter_turned, square_neighbour
from engine.placement import Placement
from engine.routes import BLANK, EXIT, Across, Side, cells_passed, run_on, shortest_route
from engine.snakes import Card, card
from engine.tiles import TileKind, TileSet

ENDS = ("tail", "head")
BIG = "big"
"""The role of big cards in a set file; every other card is in the pile."""


@dataclass(frozen=True)
class SnakeField:
    """One player's field; immutable, so laying a card returns a new field."""

    number: int
    """The number of the field at the table, counted from 0."""
    big: Placement
    exits: tuple[Side, ...]
    """The cells and edges that the tail exit and the head exit of the big card face."""
    across: Across
    """By taken cell and edge: where a snake that enters there leaves."""
    cards: Mapping[Cell, Card]
    """All cards but the big one, by cell."""
    ends: tuple[Side, ...]
    """Where the snake stops beyond its tail and beyond its head."""

    def with_card(self, cell: Cell, laid: Card) -> SnakeField:
        """Return the field with one card more; an end that meets the card runs on."""
        across = {**self.across, cell: laid.across}
        # A card on top of another (an overruled move) may have cut the snake: trace it anew.
        known = self.exits if cell in self.across else self.ends
        ends = tuple(run_on(across, side) for side in known)
        return SnakeField(
            self.number, self.big, self.exits, across, {**self.cards, cell: laid}, ends
        )

    @cached_property
    def open_ends(self) -> tuple[Side, ...]:
        """The ends that face an empty cell, each as that cell and the edge it faces."""
        return tuple(end for end in self.ends if end[0] not in self.across)

    @cached_property
    def is_closed(self) -> bool:
        """Say whether head and tail are joined."""
        cell, edge = self.ends[0]
        return cell in self.across and self.across[cell][edge] == EXIT

    @cached_property
    def dead_ends(self) -> tuple[Side, ...]:
        """The ends that face a blank edge, each as that edge's cell and the edge."""
        return () if self.is_closed else tuple(end for end in self.ends if end[0] in self.across)

    @cached_property
    def route(self) -> tuple[Cell, ...] | None:
        """The empty cells of a shortest route that joins the ends, ``None`` if there is none.

        Its length is the number of missing cards, 0 when the snake is closed (rulings 2 and 3).
        """
        if self.is_closed:
            return ()
        if self.dead_ends:
            return None
        (start, _), (goal, _) = self.ends
        return shortest_route(self.across, [start], [goal])

    @cached_property
    def missing(self) -> int | None:
        """How many cards are missing to close the snake, ``None`` if it cannot be closed."""
        return None if self.route is None else len(self.route)

    @cached_property
    def grown(self) -> dict[tuple[str, Cell, int], SnakeField]:
        """Cache of the fields with one card more, for a search that meets them again and again."""
        return {}

    @cached_property
    def snake_cells(self) -> frozenset[Cell]:
        """The cells of the cards that the snake runs through."""
        return frozenset(cell for side in self.exits for cell in cells_passed(self.across, side))

    def edges_faced(self, cell: Cell) -> tuple[int, ...]:
        """Return the edges at which open ends face an empty cell: none, one or two."""
        return tuple(edge for faced, edge in self.open_ends if faced == cell)

    def meets_an_end(self, cell: Cell, laid: Card) -> bool:
        """Say whether a card on an empty cell continues an end of the snake (ruling 1)."""
        return any(laid.across[edge] != BLANK for edge in self.edges_faced(cell))

    def ways(self, kind: TileKind) -> tuple[tuple[Cell, int, bool], ...]:
        """Return every placement of a card that fits, and whether it closes the snake (ruling 4).

        They are kept, since one turn asks several times whether a card fits.
        """
        known = self._ways.get(kind.name)
        if known is None:
            known = self._ways[kind.name] = tuple(self._ways_of(kind))
        return known

    def placements(self, kind: TileKind, may_close: bool) -> list[tuple[Cell, int]]:
        """Return cell and turns of every placement of a card that fits (ruling 4)."""
        return [(cell, turns) for cell, turns, closes in self.ways(kind) if may_close or not closes]

    def fits(self, kind: TileKind, may_close: bool) -> bool:
        """Say whether a card fits anywhere on the field (ruling 4)."""
        return bool(self.placements(kind, may_close))

    @cached_property
    def _ways(self) -> dict[str, tuple[tuple[Cell, int, bool], ...]]:
        return {}

    def _ways_of(self, kind: TileKind) -> Iterator[tuple[Cell, int, bool]]:
        """Yield cell, turns and whether the snake closes, for every feasible placement."""
        for cell in sorted({cell for cell, _ in self.open_ends}):
            for turns in range(kind.period):
                laid = card(kind, turns)
                if not self.meets_an_end(cell, laid):
                    continue
                after = self.with_card(cell, laid)
                if after.is_closed or self._stays_feasible(cell, after):
                    yield cell, turns, after.is_closed

    def _stays_feasible(self, cell: Cell, after: SnakeField) -> bool:
        """Say whether the ends can still be joined after a card is laid at one of them.

        A card never opens a new way. The rest of the old route still leads to the other end, so
        the new end only needs a way to that rest, which is near while the other end may be far.
        """
        if self.route is None or after.dead_ends:
            return False
        if len(self.route) == 1:
            return after.route is not None
        (tail, _), (head, _) = after.ends
        if cell == self.route[0]:
            return shortest_route(after.across, [tail], self.route[1:]) is not None
        return shortest_route(after.across, [head], self.route[:-1]) is not None


def fields_at_start(start: Start, box: TileSet) -> tuple[SnakeField, ...]:
    """Return the players' fields at the start; a big card that is not given lies at ``[0, 0]``.

    Raises:
        RecordError: cards overlap or have no field, or there are more fields than players, or
            more players than big cards.
    """
    bigs = tuple(kind for kind in box.kinds.values() if kind.role == BIG)
    layouts = _by_field(start, bigs)
    return tuple(_field(box, bigs, number, cards) for number, cards in layouts.items())


def bare_field(number: int, kind: TileKind, big: Placement) -> SnakeField:
    """Return a field with only a big card.

    Raises:
        ValueError: the exits of the big card are not one ``tail`` and one ``head``.
    """
    by_name = {exit_.name: exit_ for exit_ in kind.exits}
    if sorted(exit_.name for exit_ in kind.exits) != sorted(ENDS):
        raise ValueError(f"{kind.name} needs two exits, one called tail and one called head")
    across = {_turned(cell, big): [BLANK] * 4 for cell in kind.cells}
    exits = []
    for name in ENDS:
        cell = _turned(by_name[name].cell, big)
        edge = (by_name[name].edge + big.turns) % 4
        across[cell][edge] = EXIT
        exits.append((square_neighbour(cell, edge), opposite(edge)))
    taken = {cell: tuple(edges) for cell, edges in across.items()}
    ends = tuple(run_on(taken, side) for side in exits)
    return SnakeField(number, big, tuple(exits), taken, {}, ends)


def _turned(cell: Cell, big: Placement) -> Cell:
    """Return the cell of the field where a cell of the turned big card lies."""
    x, y = quarter_turned(cell, big.turns)
    return (big.at[0] + x, big.at[1] + y)


def _by_field(start: Start, bigs: tuple[TileKind, ...]) -> dict[int, list[Placement]]:
    """Return the cards of each player's field, by the number of the field, in turn order."""
    names = [kind.name for kind in bigs]
    cards: dict[int, list[Placement]] = {}
    for placed in sorted(start.layout.cards, key=lambda p: (p.at, p.tile)):
        number = placed.field
        if number is None:
            if placed.tile not in names:
                raise RecordError(
                    "setup", f"{placed.tile} at {list(placed.at)}: say on which field it lies"
                )
            number = names.index(placed.tile)
        cards.setdefault(number, []).append(replace(placed, field=number))
    seats = len(start.players)
    if len(cards) > seats or seats > len(bigs) or max(cards, default=0) >= len(bigs):
        raise RecordError(
            "setup" if cards else "players",
            f"there is one field for each player and one big card for each field; fields laid out: "
            f"{len(cards)}, players: {seats}, big cards: {len(bigs)}",
        )
    # Players may take any of the big cards: fields that are not given fill the remaining seats.
    spare = [number for number in range(len(bigs)) if number not in cards]
    if max(cards, default=0) < seats:
        spare = [number for number in spare if number < seats]
    numbers = sorted([*cards, *spare[: seats - len(cards)]])
    return {number: cards.get(number, []) for number in numbers}


def _field(
    box: TileSet, bigs: tuple[TileKind, ...], number: int, cards: list[Placement]
) -> SnakeField:
    lying = [placed for placed in cards if box[placed.tile].role == BIG]
    if len(lying) > 1:
        raise RecordError("setup", f"two big cards lie on field {number}")
    big = lying[0] if lying else Placement(bigs[number].name, (0, 0), 0, number)
    try:
        field = bare_field(number, box[big.tile], big)
    except ValueError as error:
        raise RecordError("set", str(error)) from None
    for placed in cards:
        if placed is big:
            continue
        if placed.at in field.across:
            where = list(placed.at)
            raise RecordError("setup", f"two cards lie on cell {where} of field {number}")
        field = field.with_card(placed.at, card(box[placed.tile], placed.turns))
    return field

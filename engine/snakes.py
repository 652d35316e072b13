"""Traces strands across touching cards into chains, and says what a card would join.

A chain is a maximal row of strands joined across touching edges; with a colour in it, it is a
snake. Here a chain may hold several colours: whether that is allowed is for a rule book to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from engine.lattice import SQUARE_STEPS, Cell, square_neighbour
from engine.tiles import GREY, Strand, TileKind

End = tuple[Cell, int]
"""A card's cell and the edge by which a chain leaves it towards an empty cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """A kind of tile turned one way; equal cards are the same object."""

    kind: TileKind
    turns: int
    strands: tuple[Strand, ...]
    strand_at: tuple[int, ...]
    """By edge: which strand crosses it, -1 for none."""
    across: tuple[int, ...]
    """By edge: the edge where that strand leaves the card, -1 for a cap or a blank edge."""

    @property
    def tile(self) -> str:
        """The name of the tile."""
        return self.kind.name


@cache
def card(kind: TileKind, turns: int) -> Card:
    """Return the card for a kind turned so many quarters clockwise."""
    turns %= kind.period
    strands = kind.turned(turns)
    strand_at, across = [-1] * 4, [-1] * 4
    for number, strand in enumerate(strands):
        for edge in strand.edges:
            strand_at[edge] = number
            if len(strand.edges) == 2:
                across[edge] = strand.edges[0] + strand.edges[1] - edge
    return Card(kind, turns, strands, tuple(strand_at), tuple(across))


Cards = Mapping[Cell, Card]
"""Square cards by the cell they lie in."""


class Chain(NamedTuple):
    """A row of strands."""

    strands: tuple[tuple[Cell, int], ...]
    """Cell and number of each strand on its card, in no particular order."""
    colours: frozenset[str]
    """The colours in it; empty for a grey chain."""
    ends: tuple[End, ...]
    """Where it can go on: none, one or two."""
    caps: int
    """How many heads and tails it holds, of any colour."""

    def is_loop(self) -> bool:
        """Say whether it runs in a ring, with neither end nor cap."""
        return not self.ends and not self.caps


class Web(NamedTuple):
    """All chains of a layout."""

    cards: Cards
    chains: tuple[Chain, ...]
    chain_at: Mapping[Cell, list[int]]
    """By cell and edge: the number of the chain that crosses the edge, -1 for a blank edge."""
    facing: Mapping[Cell, tuple[Chain, ...]]
    """By empty cell: the chain of each end that faces it."""

    def chain(self, cell: Cell, edge: int) -> Chain | None:
        """Return the chain that crosses one edge of a card, if there is one."""
        number = self.chain_at[cell][edge]
        return None if number < 0 else self.chains[number]

    def of_colour(self, colour: str) -> tuple[Chain, ...]:
        """Return the chains that hold a colour: one, unless the rules were broken."""
        return tuple(chain for chain in self.chains if colour in chain.colours)


NO_COLOUR: frozenset[str] = frozenset()


def trace(cards: Cards) -> Web:
    """Follow every strand of a layout."""
    chain_at: dict[Cell, list[int]] = {cell: [-1] * 4 for cell in cards}
    chains: list[Chain] = []
    for cell, laid in cards.items():
        row = chain_at[cell]
        for number, strand in enumerate(laid.strands):
            if row[strand.edges[0]] < 0:
                chains.append(_follow(cards, chain_at, cell, number, len(chains)))
    return Web(cards, tuple(chains), chain_at, _facing(chains))


def _follow(
    cards: Cards, chain_at: Mapping[Cell, list[int]], start: Cell, first: int, number: int
) -> Chain:
    """Walk from one strand in both directions and mark every edge on the way."""
    strand = cards[start].strands[first]
    strands = [(start, first)]
    colours = {strand.colour}
    ends: list[End] = []
    caps = 1 if strand.cap else 0
    for edge in strand.edges:
        chain_at[start][edge] = number
    for edge in strand.edges:
        cell = start
        while True:
            dx, dy = SQUARE_STEPS[edge]
            beyond = (cell[0] + dx, cell[1] + dy)
            met = cards.get(beyond)
            if met is None:
                ends.append((cell, edge))
                break
            entry = edge ^ 2
            index = met.strand_at[entry]
            row = chain_at[beyond]
            if index < 0 or row[entry] == number:
                break
            row[entry] = number
            strands.append((beyond, index))
            found = met.strands[index]
            colours.add(found.colour)
            edge = met.across[entry]  # noqa: PLW2901  walking on is what the loop does
            if edge < 0:
                caps += 1
                break
            row[edge] = number
            cell = beyond
    colours.discard(GREY)
    return Chain(tuple(strands), frozenset(colours) if colours else NO_COLOUR, tuple(ends), caps)


def _facing(chains: Iterable[Chain]) -> dict[Cell, tuple[Chain, ...]]:
    facing: dict[Cell, tuple[Chain, ...]] = {}
    for chain in chains:
        for cell, edge in chain.ends:
            empty = square_neighbour(cell, edge)
            facing[empty] = (*facing.get(empty, ()), chain)
    return facing


class Joined(NamedTuple):
    """What one more card makes of a web: the chains it changes, and the ends that differ."""

    chains: tuple[Chain, ...]
    """The chains that run over the new card, each once."""
    facing: Mapping[Cell, tuple[Chain, ...]]
    """The ends at every empty cell where anything changed; nothing at the card's own cell."""


def join(web: Web, cell: Cell, laid: Card) -> Joined:
    """Say what a card in an empty cell joins, without tracing the whole layout again."""
    groups = _merge(_touching(web, cell, laid))
    chains = tuple(_joined_chain(web, cell, laid, group) for group in groups)
    after: dict[int, Chain] = {}
    changed: set[Cell] = set()
    for (_, numbers), chain in zip(groups, chains, strict=True):
        for number in numbers:
            before = web.chains[number]
            after[id(before)] = chain
            changed.update(square_neighbour(*end) for end in before.ends)
    facing = {
        empty: tuple(after.get(id(chain), chain) for chain in web.facing.get(empty, ()))
        for empty in changed
    }
    for chain in chains:
        for end in chain.ends:
            if end[0] == cell:
                empty = square_neighbour(*end)
                known = facing.get(empty)
                if known is None:
                    known = web.facing.get(empty, ())
                facing[empty] = (*known, chain)
    facing[cell] = ()
    return Joined(chains, facing)


def _touching(web: Web, cell: Cell, laid: Card) -> Iterator[tuple[set[int], set[int]]]:
    """Yield, for each strand of a card, its number and the chains that its edges meet."""
    for number, strand in enumerate(laid.strands):
        met = set()
        for edge in strand.edges:
            row = web.chain_at.get(square_neighbour(cell, edge))
            if row is not None and row[edge ^ 2] >= 0:
                met.add(row[edge ^ 2])
        yield {number}, met


def _merge(parts: Iterable[tuple[set[int], set[int]]]) -> list[tuple[set[int], set[int]]]:
    """Put together the strands that meet the same chain."""
    groups: list[tuple[set[int], set[int]]] = []
    for strands, chains in parts:
        meeting = [group for group in groups if group[1] & chains]
        apart = [group for group in groups if not group[1] & chains]
        merged = (
            strands.union(*(group[0] for group in meeting)),
            chains.union(*(group[1] for group in meeting)),
        )
        groups = [*apart, merged]
    return groups


def _joined_chain(web: Web, cell: Cell, laid: Card, group: tuple[set[int], set[int]]) -> Chain:
    numbers, met = group
    strands = [(cell, number) for number in sorted(numbers)]
    colours = {laid.strands[number].colour for number in numbers} - {GREY}
    caps = sum(1 for number in numbers if laid.strands[number].cap)
    ends: list[End] = []
    for number in sorted(met):
        chain = web.chains[number]
        strands += chain.strands
        colours |= chain.colours
        caps += chain.caps
        ends += [end for end in chain.ends if square_neighbour(*end) != cell]
    for number in numbers:
        for edge in laid.strands[number].edges:
            if square_neighbour(cell, edge) not in web.cards:
                ends.append((cell, edge))
    return Chain(tuple(strands), frozenset(colours), tuple(ends), caps)

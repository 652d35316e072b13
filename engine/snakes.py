"""Traces strands across touching cards into chains, and finds what a card would join.

A chain is a maximal row of strands joined across touching edges; a chain with a colour is a snake.
A chain may have several colours here: the rule book decides whether that is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from engine.lattice import SQUARE_STEPS, Cell, square_neighbours
from engine.tiles import GREY, Strand, TileKind

End = tuple[Cell, int]
"""A card's cell and the edge by which a chain leaves it towards an empty cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """A kind of tile in one orientation; ``card`` returns the same object for equal cards."""

    kind: TileKind
    turns: int
    strands: tuple[Strand, ...]
    strand_at: tuple[int, ...]
    """By edge: the number of the strand that crosses the edge, -1 for none."""
    across: tuple[int, ...]
    """By edge: the other edge of the strand there, -1 for a cap or a blank edge."""
    colour_at: tuple[str, ...]
    """By edge: the colour of the strand there, grey for none."""

    @property
    def tile(self) -> str:
        """The name of the tile."""
        return self.kind.name


@cache
def card(kind: TileKind, turns: int) -> Card:
    """Return the card for a kind after a number of quarter turns clockwise."""
    if turns >= kind.period:
        return card(kind, turns % kind.period)
    strands = kind.turned(turns)
    strand_at, across = [-1] * 4, [-1] * 4
    for number, strand in enumerate(strands):
        for edge in strand.edges:
            strand_at[edge] = number
            if len(strand.edges) == 2:
                across[edge] = strand.edges[0] + strand.edges[1] - edge
    colour_at = tuple(strands[n].colour if n >= 0 else GREY for n in strand_at)
    return Card(kind, turns, strands, tuple(strand_at), tuple(across), colour_at)


Cards = Mapping[Cell, Card]
"""Square cards by the cell they lie in."""


class Chain(NamedTuple):
    """A maximal row of joined strands."""

    strands: tuple[tuple[Cell, int], ...]
    """Cell and number of each strand on its card, in no particular order."""
    colours: frozenset[str]
    """The colours of the strands; empty for a grey chain."""
    ends: tuple[End, ...]
    """The open ends: none, one or two."""
    caps: int
    """The number of heads and tails, of any colour."""
    faces: tuple[Cell, ...]
    """The empty cell beyond each end."""

    def is_loop(self) -> bool:
        """Say whether the chain is a closed loop, with neither end nor cap."""
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
        """Return the chains with a colour: at most one, unless the rules were broken."""
        return tuple(chain for chain in self.chains if colour in chain.colours)


NO_COLOUR: frozenset[str] = frozenset()


def trace(cards: Cards) -> Web:
    """Return the chains of a layout."""
    chain_at: dict[Cell, list[int]] = {cell: [-1, -1, -1, -1] for cell in cards}
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
    """Return the chain through one strand, and mark its edges in ``chain_at``."""
    strand = cards[start].strands[first]
    strands = [(start, first)]
    colours = {strand.colour}
    ends: list[End] = []
    faces: list[Cell] = []
    caps = 1 if strand.cap else 0
    for edge in strand.edges:
        chain_at[start][edge] = number
    for leaving in strand.edges:
        cell, edge = start, leaving
        while True:
            dx, dy = SQUARE_STEPS[edge]
            beyond = (cell[0] + dx, cell[1] + dy)
            met = cards.get(beyond)
            if met is None:
                ends.append((cell, edge))
                faces.append(beyond)
                break
            entry = edge ^ 2
            row = chain_at[beyond]
            if row[entry] == number or met.strand_at[entry] < 0:
                break
            row[entry] = number
            strands.append((beyond, met.strand_at[entry]))
            colours.add(met.colour_at[entry])
            edge = met.across[entry]
            if edge < 0:
                caps += 1
                break
            row[edge] = number
            cell = beyond
    colours.discard(GREY)
    found = frozenset(colours) if colours else NO_COLOUR
    return Chain(tuple(strands), found, tuple(ends), caps, tuple(faces))


def _facing(chains: Iterable[Chain]) -> dict[Cell, tuple[Chain, ...]]:
    facing: dict[Cell, tuple[Chain, ...]] = {}
    for chain in chains:
        for empty in chain.faces:
            facing[empty] = (*facing.get(empty, ()), chain)
    return facing


class Joined(NamedTuple):
    """How one more card changes a web: the chains over the card, and the changed ends."""

    chains: tuple[Chain, ...]
    """The chains that run over the new card, each once."""
    facing: Mapping[Cell, tuple[Chain, ...]]
    """By cell where an end changed: the chains that face it now; empty at the card's own cell."""


class Spot(NamedTuple):
    """An empty cell and what lies around it."""

    cell: Cell
    beyond: tuple[Cell, ...]
    """The cell beyond each edge."""
    is_open: tuple[bool, ...]
    """By edge: whether the cell beyond is empty."""
    met: tuple[int, ...]
    """By edge: the number of the chain that arrives at the edge, -1 for none."""


def spot(web: Web, cell: Cell) -> Spot:
    """Return what lies around an empty cell."""
    beyond = square_neighbours(cell)
    rows = [web.chain_at.get(beside) for beside in beyond]
    met = [-1 if row is None else row[edge ^ 2] for edge, row in enumerate(rows)]
    return Spot(cell, beyond, tuple([row is None for row in rows]), tuple(met))


def join(web: Web, here: Spot, laid: Card) -> Joined:
    """Return what a card in an empty cell joins, without tracing the whole layout again."""
    chains = []
    facing: dict[Cell, tuple[Chain, ...]] = {}
    for strands, numbers in _groups(laid, here):
        met = [web.chains[number] for number in numbers]
        chain = _joined_chain(here, laid, strands, met)
        chains.append(chain)
        for old in met:
            for there in old.faces:
                ends = facing.get(there) or web.facing[there]
                facing[there] = tuple([chain if end is old else end for end in ends])
        for there, (end_cell, _) in zip(chain.faces, chain.ends, strict=True):
            if end_cell == here.cell:
                facing[there] = (*(facing.get(there) or web.facing.get(there, ())), chain)
    facing[here.cell] = ()
    return Joined(tuple(chains), facing)


def _groups(laid: Card, here: Spot) -> list[tuple[list[int], set[int]]]:
    """Return the card's strands grouped by resulting chain, each with the chains it joins."""
    groups: list[tuple[list[int], set[int]]] = []
    for number, strand in enumerate(laid.strands):
        strands = [number]
        numbers = {here.met[edge] for edge in strand.edges}
        numbers.discard(-1)
        for other in [group for group in groups if not numbers.isdisjoint(group[1])]:
            groups.remove(other)
            strands += other[0]
            numbers |= other[1]
        groups.append((strands, numbers))
    return groups


def _joined_chain(here: Spot, laid: Card, strands: list[int], met: list[Chain]) -> Chain:
    cell = here.cell
    pieces = [(cell, number) for number in strands]
    colours = {laid.strands[number].colour for number in strands}
    caps = 0
    ends: list[End] = []
    faces: list[Cell] = []
    for chain in met:
        pieces += chain.strands
        colours |= chain.colours
        caps += chain.caps
        for end, face in zip(chain.ends, chain.faces, strict=True):
            if face != cell:
                ends.append(end)
                faces.append(face)
    for number in strands:
        strand = laid.strands[number]
        if strand.cap:
            caps += 1
        for edge in strand.edges:
            if here.is_open[edge]:
                ends.append((cell, edge))
                faces.append(here.beyond[edge])
    colours.discard(GREY)
    found = frozenset(colours) if colours else NO_COLOUR
    return Chain(tuple(pieces), found, tuple(ends), caps, tuple(faces))

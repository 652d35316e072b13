"""Strands of square cards joined into chains, which grow card by card.

A chain is a maximal row of strands joined across touching edges; a chain with a colour is a snake.
A chain may have several colours here: the rule book decides whether that is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from engine.lattice import Cell
from engine.tiles import GREY, Strand, TileKind

End = tuple[Cell, int]
"""An empty cell, and the edge of it at which the end of a chain arrives."""
NO_COLOUR: frozenset[str] = frozenset()


Joins = tuple[tuple[tuple[int, ...], frozenset[str], int], ...]
"""By strand of a card: its edges, its colour if it is not grey, and the number of its caps."""


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
    joins: Joins
    """What decides how the card joins chains: the same object for head and tail."""
    blank: tuple[int, ...]
    """The edges without a strand."""

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
    joins = _same(tuple((s.edges, _colours(s.colour), 1 if s.cap else 0) for s in strands))
    blank = tuple(edge for edge in range(4) if strand_at[edge] < 0)
    return Card(kind, turns, strands, tuple(strand_at), tuple(across), joins, blank)


@cache
def _same(joins: Joins) -> Joins:
    return joins


@cache
def _colours(colour: str) -> frozenset[str]:
    return NO_COLOUR if colour == GREY else frozenset({colour})


Cards = Mapping[Cell, Card]
"""Square cards by the cell they lie in."""


class Chain:
    """A maximal row of joined strands; it never changes once it is in a web."""

    __slots__ = ("_laid", "_met", "caps", "colours", "ends", "first", "length")

    def __init__(
        self,
        laid: tuple[Cell, int],
        met: tuple[Chain, ...],
        first: int,
        length: int,
        colours: frozenset[str],
        caps: int,
        ends: tuple[End, ...],
    ) -> None:
        self._laid, self._met = laid, met
        self.first = first
        """A number that is smaller the earlier the chain was begun."""
        self.length = length
        """The number of strands."""
        self.colours = colours
        """The colours of the strands; empty for a grey chain."""
        self.caps = caps
        """The number of heads and tails, of any colour."""
        self.ends = ends
        """The open ends: none, one or two."""

    @property
    def strands(self) -> list[tuple[Cell, int]]:
        """Cell and number of each strand on its card, in no particular order."""
        found, left = [], [self]
        while left:
            chain = left.pop()
            found.append(chain._laid)
            left += chain._met
        return found

    def is_loop(self) -> bool:
        """Say whether the chain is a closed loop, with neither end nor cap."""
        return not self.ends and not self.caps


class Web(NamedTuple):
    """The chains of a layout that can grow or have a colour."""

    cards: dict[Cell, Card]
    open: dict[End, Chain]
    """The chain of each open end."""
    snakes: dict[str, tuple[Chain, ...]]
    """By colour: its chains, at most one unless the rules were broken."""
    laid: dict[str, int]
    """How many of each tile lie on the table."""

    def of_colour(self, colour: str) -> tuple[Chain, ...]:
        """Return the chains with a colour, in the order in which they were begun."""
        return self.snakes.get(colour, ())

    @property
    def coloured(self) -> list[Chain]:
        """All chains with a colour, in the order in which they were begun."""
        found = {chain for own in self.snakes.values() for chain in own}
        return sorted(found, key=lambda chain: chain.first)

    def facing(self, cell: Cell) -> list[Chain]:
        """Return the chain of each end that faces an empty cell, in the order of the edges."""
        found = self.open
        return [found[cell, edge] for edge in range(4) if (cell, edge) in found]

    def copy(self) -> Web:
        """Return a web that grows by itself."""
        return Web(self.cards.copy(), self.open.copy(), self.snakes.copy(), self.laid.copy())

    def lay(self, cell: Cell, laid: Card, joined: list[Chain]) -> None:
        """Enter a card in an empty cell, and the chains that run over it."""
        found, snakes = self.open, self.snakes
        gone = [found.pop((cell, edge), None) for edge in range(4)]
        self.cards[cell] = laid
        self.laid[laid.kind.name] = self.laid.get(laid.kind.name, 0) + 1
        for chain in joined:
            for end in chain.ends:
                found[end] = chain
            for colour in chain.colours:
                others = [one for one in snakes.get(colour, ()) if one not in gone]
                pieces = [*others, chain]
                if others:
                    pieces.sort(key=lambda one: one.first)
                snakes[colour] = tuple(pieces)


def trace(cards: Cards) -> Web:
    """Return the chains of a layout, as if it were laid card by card."""
    web = Web({}, {}, {}, {})
    for cell, laid in cards.items():
        web.lay(cell, laid, join(web, cell, laid))
    return web


Around = tuple[tuple[Chain | None, End | None], ...]
"""By edge of an empty cell: the chain that arrives there, and the end that a card would have."""


def around(web: Web, cell: Cell) -> Around:
    """Return what lies around an empty cell."""
    x, y = cell
    north, east, south, west = (x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)
    met, cards = web.open.get, web.cards
    return (
        (met((cell, 0)), None if north in cards else (north, 2)),
        (met((cell, 1)), None if east in cards else (east, 3)),
        (met((cell, 2)), None if south in cards else (south, 0)),
        (met((cell, 3)), None if west in cards else (west, 1)),
    )


def join(web: Web, cell: Cell, laid: Card, near: Around | None = None) -> list[Chain]:
    """Return the chains that run over a card in an empty cell, each once.

    ``near`` is what lies around the cell, for who tries several cards there.
    """
    near = near or around(web, cell)
    found: list[Chain] = []
    became: dict[Chain, Chain] = {}
    first_here = 4 * len(web.cards)
    for number, (edges, own, own_caps) in enumerate(laid.joins):
        length, colours, caps, first = 1, own, own_caps, first_here + number
        ends: tuple[End, ...] = ()
        taken: tuple[Chain, ...] = ()
        for edge in edges:
            met, end = near[edge]
            if met is None:
                if end is not None:
                    ends += (end,)
                continue
            while met in became:
                met = became[met]
            if met in taken:
                continue
            taken += (met,)
            length += met.length
            caps += met.caps
            first = met.first if met.first < first else first
            if met.colours:
                colours = colours | met.colours if colours else met.colours
            for end in met.ends:
                if end[0] != cell:
                    ends += (end,)
        new = Chain((cell, number), taken, first, length, colours, caps, ends)
        for met in taken:
            became[met] = new
            if number and met in found:
                found.remove(met)
        found.append(new)
    return [*found, *_cut(web, cell, laid, became)] if laid.blank else found


def _cut(web: Web, cell: Cell, laid: Card, became: dict[Chain, Chain]) -> Iterator[Chain]:
    """Yield the chains that end at a blank edge of a card."""
    for edge in laid.blank:
        met = web.open.get((cell, edge))
        if met is not None and met not in became:
            became[met] = cut = copy(met)
            cut.ends = tuple([end for end in met.ends if end[0] != cell])
            yield cut

"""One look at a table in the game's own cells: what is believed to lie in each spot.

A table state has its own origin and turn; a ``Sighting`` has those of the game. A square card is
one belief (tile and turns). A hex tile is one belief per cell (colour), since the known layout
decides where one hex tile ends and the next begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.lattice import Cell
from engine.placement import Clay, Layout, Piece, Placement

Spot = tuple[int, int, int]
"""Field or board (0 where there is one), then x and y, or q and r."""
Content = tuple[str, int]
"""What lies in a spot: tile and turns for a card, colour and 0 for a hex cell."""
Point = tuple[float, float]

NOBODY_KNOWS: Content = ("unknown", 0)


@dataclass(frozen=True, slots=True)
class Belief:
    """Ranked guesses at what lies in one spot."""

    guesses: tuple[tuple[Content, float], ...]
    """Guesses with confidences from 0 to 1, best first; empty if something unknown is seen."""
    sure: bool
    """Whether the reader is sure of its first guess."""
    why: str | None = None
    """Why the spot is unsure, as a ``why`` of a table state."""

    @property
    def best(self) -> Content:
        """Return the first guess."""
        return self.guesses[0][0] if self.guesses else NOBODY_KNOWS


@dataclass(frozen=True)
class Sighting:
    """What one look believes, in the game's own cells."""

    beliefs: Mapping[Spot, Belief] = field(default_factory=dict)
    covered: frozenset[Spot] = frozenset()
    """Spots that something lies over or stands on."""
    pieces: frozenset[Piece] = frozenset()
    """Hex tiles as the reader cut them."""
    half_hidden: frozenset[Spot] = frozenset()
    """Visible hex cells of tiles that, by the reader, continue under something."""
    splits: tuple[tuple[frozenset[Spot], tuple[tuple[Piece, ...], ...]], ...] = ()
    """Hex cells that can be cut into pieces in several ways, with those ways."""
    clay: frozenset[Clay] = frozenset()
    centres_px: Mapping[Spot, Point] = field(default_factory=dict)
    outlines_px: Mapping[Spot, tuple[Point, ...]] = field(default_factory=dict)
    aside_px: tuple[tuple[str, Point], ...] = ()
    """Tiles seen aside, with their centres."""
    die: int | None = None
    """Value of the die in view."""
    unmoored: frozenset[int] = frozenset()
    """Fields without a visible known card, aligned by where the known cards were last seen."""


def spots_of(placed: Placement | Piece) -> tuple[Spot, ...]:
    """Return the spot of a card, or every spot of a hex tile."""
    if isinstance(placed, Placement):
        return ((placed.field or 0, *placed.at),)
    return tuple((placed.board or 0, *cell) for cell in placed.cells)


def tiles_of(layout: Layout) -> list[Placement | Piece]:
    """Return the cards and hex tiles of a layout, without clay."""
    return [one for one in layout.placements() if not isinstance(one, Clay)]


def added_up(lines: Iterable[tuple[str, int]]) -> dict[str, tuple[int, int]]:
    """Return each reason of a score once: how many lines have it, and their points together."""
    reasons: dict[str, tuple[int, int]] = {}
    for why, points in lines:
        times, earned = reasons.get(why, (0, 0))
        reasons[why] = (times + 1, earned + points)
    return reasons


def leading(scores: Mapping[str, int | None]) -> list[str]:
    """Return the players with the highest known score."""
    known = [score for score in scores.values() if score is not None]
    return [player for player, score in scores.items() if known and score == max(known)]


def contents(layout: Layout) -> dict[Spot, Content]:
    """Return what lies in each spot of a layout."""
    found: dict[Spot, Content] = {}
    for card in layout.cards:
        found[spots_of(card)[0]] = (card.tile, card.turns)
    for piece in layout.pieces:
        colour = piece.tile.partition("/")[0]
        found |= dict.fromkeys(spots_of(piece), (colour, 0))
    return found


def beside(spots: Iterable[Spot], others: Iterable[Spot]) -> frozenset[Spot]:
    """Return the spots that are among the others or touch one, diagonals included."""
    around = {
        (number, x + dx, y + dy)
        for number, x, y in others
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
    }
    return frozenset(around.intersection(spots))


def hanging_on(spots: Iterable[Spot], others: Iterable[Spot]) -> frozenset[Spot]:
    """Return the spots connected to one of the others through a chain of neighbouring spots."""
    listed = frozenset(spots)
    found = beside(listed, others)
    while (more := beside(listed, found) | found) != found:
        found = more
    return found


def largest_group(cells: Iterable[Sequence[int]]) -> int:
    """Return the size of the largest group of square cells that are connected by their sides."""
    left = {(cell[0], cell[1]) for cell in cells}
    largest = 0
    while left:
        group, edge = 0, [left.pop()]
        while edge:
            x, y = edge.pop()
            group += 1
            near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & left
            left -= near
            edge += near
        largest = max(largest, group)
    return largest


def turned(cell: tuple[int, ...], turns: int) -> Cell:
    """Return a square cell rotated about the origin by quarter turns, clockwise."""
    x, y = cell
    for _ in range(turns):
        x, y = -y, x
    return x, y


def hex_turned(cell: Cell, turns: int) -> Cell:
    """Return a hex cell rotated about the board's centre by sixths of a turn, clockwise."""
    q, r = cell
    for _ in range(turns):
        q, r = -r, q + r
    return q, r


def middle(outline: Any) -> Point | None:
    """Return the mean of an outline's corners in pixels; ``None`` without an outline."""
    if not isinstance(outline, list | tuple) or not outline:
        return None
    return (
        sum(float(point[0]) for point in outline) / len(outline),
        sum(float(point[1]) for point in outline) / len(outline),
    )

"""Strands of square cards: their paths, and which is drawn above which."""

from __future__ import annotations

from collections.abc import Iterator

from engine.draw import snake
from engine.draw.display import Item, Point
from engine.draw.ground import CARD, MIDDLE
from engine.draw.palette import JADE, Coat, coat
from engine.draw.snake import OVERRUN
from engine.draw.spine import Spine, quarter, spine
from engine.lattice import SQUARE_STEPS, Cell
from engine.tiles import GREY, Strand, TileKind, TileSet


def side_middle(cell: Cell, edge: int) -> Point:
    """Return the middle of a side, in millimetres from the centre of cell ``(0, 0)``."""
    dx, dy = SQUARE_STEPS[edge]
    return (cell[0] * CARD + dx * MIDDLE, cell[1] * CARD + dy * MIDDLE)


def strand_spine(strand: Strand, reach: float = 0.0) -> Spine:
    """Return the centre line of a strand; that of a cap runs inwards from its side.

    Args:
        strand: the strand at turns 0.
        reach: how far a cap's line extends beyond the card's centre, in millimetres.
    """
    start = side_middle((0, 0), strand.edges[0])
    if len(strand.edges) == 1:
        dx, dy = SQUARE_STEPS[strand.edges[0]]
        return spine([start, (-dx * (reach + 0.01), -dy * (reach + 0.01))])
    stop = side_middle((0, 0), strand.edges[1])
    if (strand.edges[0] - strand.edges[1]) % 2 == 0:
        return spine([start, stop])
    return spine(quarter(start, (start[0] + stop[0], start[1] + stop[1]), stop))


def strand_art(tile_set: TileSet, kind: TileKind, ground: str) -> Iterator[Item]:
    """Yield grey strands, then coloured ones, then caps; later items are drawn above."""

    def height(strand: Strand) -> tuple[bool, bool, int]:
        return (strand.cap is not None, strand.colour != GREY, -kind.strands.index(strand))

    crossed = any(not s.cap and is_straight(s) for s in kind.strands) and len(kind.strands) > 1
    for number, strand in enumerate(sorted(kind.strands, key=height)):
        skin = coat_in(tile_set, strand.colour)
        awake = strand.colour != GREY or not tile_set.colours
        if strand.cap:
            room = 20.5 if crossed else 33.0 if strand.cap == "head" else 36.0
            line = strand_spine(strand, 20)
            if strand.cap == "head":
                tongue = 0.0 if crossed else 5.5
                yield from snake.head(
                    line,
                    skin,
                    -OVERRUN,
                    room,
                    ground,
                    tongue=tongue,
                    awake=awake,
                    grown=1.0 if crossed else 1.22,
                )
            else:
                yield from snake.tail(line, skin, -OVERRUN, room, ground)
            continue
        line = strand_spine(strand)
        if number and is_straight(strand):
            yield snake.halo(line, ground, 0.24 * line.length, 0.76 * line.length)
        yield from snake.body(line, skin, -OVERRUN, line.length + OVERRUN)


def coat_in(tile_set: TileSet, colour: str) -> Coat:
    """Return the coat of a strand; in a box without colours all snakes are jade."""
    if colour == GREY and not tile_set.colours:
        return JADE
    return coat(colour, tile_set.colours)


def is_straight(strand: Strand) -> bool:
    """Say whether a strand crosses the card from one side to the opposite one."""
    return len(strand.edges) == 2 and (strand.edges[0] - strand.edges[1]) % 2 == 0

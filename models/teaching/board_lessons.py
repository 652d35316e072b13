"""Examples from photographs of a board with tiles on it, for games that are played on one.

Tiles of several cells are learnt cell by cell: how bare cells look, how cells of each colour do,
and how the side between two cells of a colour looks where one tile goes on and where two meet.
Which tile it is, the cells say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.hexpath import free_shape, path_shape
from engine.lattice import Cell, hex_neighbours
from engine.tiles import TileSet
from models.teaching.board_turns import laid_cells, turned_to
from models.teaching.errors import TeachingError
from models.teaching.examples import Examples, joined
from models.teaching.labels import Label
from vision import Bgr, Picture
from vision.hexes.cells import CELLS, turned_cell
from vision.hexes.plane import SIXTHS, HexBoard
from vision.hexes.taught.boards import (
    APART,
    BARE,
    EYE,
    JOINED,
    board_kinds,
    cell_outlines,
    cut_out,
    find_taught_boards,
    side_name,
    side_outlines,
)

MOST_BARE = 40
"""Bare cells of one photograph that are learnt from."""
HALF_TURN = 3
CLAY = "clay/"
"""What the names of clay begin with."""

Names = Mapping[str, tuple[str, int]]


def has_board(box: TileSet) -> bool:
    """Say whether the box's tiles lie on the cells of a board."""
    return "board" in box.extras


def check_learnt(examples: Examples, box: TileSet) -> None:
    """Refuse lessons that leave out something that must be told apart.

    Raises:
        TeachingError: says what to photograph.
    """
    seen = set(examples.tiles)
    for kind in board_kinds(box):
        if kind not in seen:
            raise TeachingError(f"no photo shows {_wanted(kind)}; add one that does")


def _wanted(kind: str) -> str:
    colour, _, what = kind.partition(" ")
    if kind == BARE:
        return "a bare cell of the board"
    if kind == EYE:
        return "the holes of the board without a tile on them"
    if kind.startswith(CLAY):
        return f"{kind}; label a piece of that clay on its tile"
    if what == APART:
        return f"two {colour} tiles that touch, so that the line between them can be learnt"
    return f"a {colour} tile of several cells" if what == JOINED else f"a {colour} tile"


def board_examples(
    picture: Picture, labels: Sequence[Label], box: TileSet, mapping: Names | None, photo: str
) -> Examples:
    """Return the cells and sides of photographed boards under the reader's names.

    Raises:
        TeachingError: no board is seen, or the labels cannot be about it.
    """
    count = 1 + max((label.board for label in labels), default=0)
    boards = round_the_ring(find_taught_boards(picture.bgr, count))
    if len(boards) < count or any(board.unsteady for board in boards):
        seen = "no whole board is seen" if count == 1 else "not every board is seen whole"
        raise TeachingError(
            f"{photo}: {seen}; photograph all of it from above, with every tile on its cells"
        )
    groups = [[label for label in labels if label.board == n] for n in range(count)]
    ways = _ways_round(picture, boards, groups, box, mapping)
    for lying in ways:
        for tile, _, cells in lying.tiles:
            _check_shape(tile, cells, box, photo)
    parts = [_cut(picture.bgr, board, lying, photo)
             for board, lying in zip(boards, ways, strict=True)]  # fmt: skip
    return joined(parts)


def round_the_ring(boards: Sequence[HexBoard]) -> list[HexBoard]:
    """Return boards clockwise round their middle."""
    if not boards:
        return []
    centres = np.concatenate([board.px(np.zeros((1, 2))) for board in boards])
    away = centres - centres.mean(axis=0)
    order = sorted(range(len(boards)), key=lambda n: float(np.arctan2(away[n][0], -away[n][1])))
    return [boards[n] for n in order]


def _ways_round(
    picture: Picture, boards: Sequence[HexBoard], groups: Sequence[Sequence[Label]], box: TileSet,
    mapping: Names | None,
) -> list[Lying]:  # fmt: skip
    """Return what lies on each board; which of a ring is the first, colours say."""
    tried: list[list[Lying]] = []
    problem: TeachingError | None = None
    for first in range(len(boards)):
        turned = [groups[(n + first) % len(groups)] for n in range(len(groups))]
        try:
            tried.append([_lying(picture, board, own, box, mapping)
                          for board, own in zip(boards, turned, strict=True)])  # fmt: skip
        except TeachingError as error:
            problem = problem or error
    if not tried:
        raise problem or TeachingError("the labels fit no board")
    return max(tried, key=lambda one: sum(lying.worth for lying in one))


def _lying(
    picture: Picture, board: HexBoard, labels: Sequence[Label], box: TileSet,
    mapping: Names | None,
) -> Lying:  # fmt: skip
    """Return what lies on one board, in its own cells."""
    tiles = [label for label in labels if not label.tile.startswith(CLAY)]
    clay = [label for label in labels if label.tile.startswith(CLAY)]
    named = [_named(label, box, mapping) for label in tiles]
    eyes = [(q, r) for q, r in box.extras["board"].get("eyes", ())]
    if clay and not (set(label.tile for label in clay) <= set(board_kinds(box))):
        raise TeachingError(f"{box.game} has no {clay[0].tile}")
    if not eyes:
        laid, worth = laid_cells(picture, board, tiles, named)
        return Lying([(*name, cells) for name, cells in zip(named, laid, strict=True)], worth)
    if not all(label.cells for label in labels):
        raise TeachingError('boards with holes are labelled by "cells", counted from their middle')
    covered = {cell for label in tiles for cell in label.cells}
    said = [*(label.cells for label in tiles), *((eye,) for eye in eyes if eye not in covered)]
    colours = [*(colour for _, colour in named), *([EYE] * (len(said) - len(tiles)))]
    way = turned_to(picture.bgr, board, said, colours, {c for one in clay for c in one.cells})
    return Lying(
        [(*name, cells) for name, cells in zip(named, way.laid, strict=False)], way.worth,
        tuple(cells[0] for cells in way.laid[len(tiles) :]),
        {turned_cell(one.cells[0], way.turn): (one.tile, -1 if one.opens is None
                                               else (one.opens + way.turn) % SIXTHS)
         for one in clay},
    )  # fmt: skip


@dataclass(frozen=True)
class Lying:
    """What lies on a board, in its own cells."""

    tiles: list[tuple[str, str, tuple[Cell, ...]]]
    """Tile, colour and cells."""
    worth: float
    """How much the cells' colours go with that."""
    eyes: tuple[Cell, ...] = ()
    clay: Mapping[Cell, tuple[str, int]] = field(default_factory=dict)
    """By cell which clay lies there, and the side that it opens to."""


def _named(label: Label, box: TileSet, mapping: Names | None) -> tuple[str, str]:
    """Return the game's name of a labelled tile, and its colour."""
    name = (mapping or {}).get(label.tile, (label.tile, 0))[0]
    if name not in box or box[name].colour is None:
        what = (
            f"is mapped to {name}, which" if name != label.tile else "has no place in the map and"
        )
        raise TeachingError(
            f"{label.tile} {what} is no tile of {box.game}; its tiles are {', '.join(box.kinds)}"
        )
    return name, str(box[name].colour)


def _check_shape(tile: str, cells: Sequence[Cell], box: TileSet, photo: str) -> None:
    path = box[tile].path
    if path and free_shape(tuple(cells)) != path_shape(path):
        raise TeachingError(
            f"{photo}: {tile} is said to lie on {[list(c) for c in cells]}, which it cannot cover"
        )


# --- What is learnt from them ---


def _cut(bgr: Bgr, board: HexBoard, lying: Lying, photo: str) -> Examples:
    colours = {cell: (colour, number) for number, (_, colour, cells) in enumerate(lying.tiles)
               for cell in cells}  # fmt: skip
    bare = [cell for cell in CELLS if cell not in colours and cell not in lying.eyes]
    plain = [cell for cell in colours if cell not in lying.clay]
    cells = [*plain, *bare[:: max(1, -(-len(bare) // MOST_BARE))], *lying.eyes, *lying.clay]
    names = [colours[cell][0] if cell in colours else BARE for cell in cells]
    turns = [0] * len(cells)
    names[len(cells) - len(lying.clay) - len(lying.eyes) :] = [
        *([EYE] * len(lying.eyes)), *(kind for kind, _ in lying.clay.values())
    ]  # fmt: skip
    turns[len(cells) - len(lying.clay) :] = [side for _, side in lying.clay.values()]
    sides = list(_sides(colours))
    outlines = cell_outlines(board, cells)
    outlines += side_outlines(board, [(cell, side) for _, cell, side in sides])
    names += [name for name, _, _ in sides]
    made = np.array(turns + [0] * len(sides), np.int64)
    return Examples(cut_out(bgr, outlines), tuple(names), made, (photo,) * len(names))


def _sides(colours: Mapping[Cell, tuple[str, int]]) -> Iterator[tuple[str, Cell, int]]:
    """Yield what each side between two cells of a colour is, and where."""
    for cell, (colour, number) in colours.items():
        for side in range(HALF_TURN):
            other = colours.get(hex_neighbours(cell)[side])
            if other is not None and other[0] == colour:
                what = JOINED if other[1] == number else APART
                yield side_name(colour, what), cell, side

"""Examples from photographs of a board with tiles on it, for games that are played on one.

Tiles of several cells are learnt cell by cell: how bare cells look, how cells of each colour do,
and how the side between two cells of a colour looks where one tile goes on and where two meet.
Which tile it is, the cells say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.hexpath import free_shape, path_shape
from engine.lattice import Cell, hex_neighbours
from engine.tiles import TileSet
from models.teaching.errors import TeachingError
from models.teaching.examples import Examples
from models.teaching.labels import Label
from vision.hex_cells import CELLS, turned_cell
from vision.hex_plane import SIXTHS, HexBoard, plane_of
from vision.intake import Picture
from vision.taught_boards import (
    APART,
    BARE,
    JOINED,
    board_kinds,
    cell_outlines,
    cut_out,
    find_taught_board,
    side_name,
    side_outlines,
)
from vision.types import Bgr, Points

INNER = 0.6
"""The part of a cell that its colour is taken from."""
LEAST_AHEAD = 1.15
"""How much better the labels must fit in one turn of the board than in any other."""
MOST_BARE = 60
"""Bare cells of one photograph that are learnt from."""
HALF_TURN = 3

Names = Mapping[str, tuple[str, int]]


def has_board(box: TileSet) -> bool:
    """Say whether the box's tiles lie on the cells of a board."""
    return "board" in box.extras


def check_board_game(box: TileSet) -> None:
    """Refuse boards that cannot be taught.

    Raises:
        TeachingError: there is more on the box's boards than tiles.
    """
    if "clay" in box.extras:
        raise TeachingError(
            f"{box.game} has clay and eyes on several boards, which cannot be taught; "
            "print its own set with 'snake-eye print'"
        )


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
    if what == APART:
        return f"two {colour} tiles that touch, so that the line between them can be learnt"
    return f"a {colour} tile of several cells" if what == JOINED else f"a {colour} tile"


def board_examples(
    picture: Picture, labels: Sequence[Label], box: TileSet, mapping: Names | None, photo: str
) -> Examples:
    """Return the cells and sides of a photographed board under the reader's names.

    Raises:
        TeachingError: no board is seen, or the labels cannot be about it.
    """
    boards = find_taught_board(picture.bgr)
    if not boards:
        raise TeachingError(
            f"{photo}: no board with {len(CELLS)} cells is seen; photograph all of it from above, "
            "with every tile on its cells"
        )
    named = [_named(label, box, mapping) for label in labels]
    laid = _laid(picture, boards[0], labels, named)
    for (tile, _), cells in zip(named, laid, strict=True):
        _check_shape(tile, cells, box, photo)
    return _cut(picture.bgr, boards[0], [(colour, cells) for (_, colour), cells in
                                         zip(named, laid, strict=True)], photo)  # fmt: skip


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


# --- Which cells of the board are meant ---


def _laid(
    picture: Picture, board: HexBoard, labels: Sequence[Label], named: Sequence[tuple[str, str]]
) -> list[tuple[Cell, ...]]:
    """Return the board's own cells of each label."""
    if all(label.cells for label in labels):
        cells = [label.cells for label in labels]
        return _turned(picture.bgr, board, cells, [colour for _, colour in named])
    found = [_under(picture, board, label) for label in labels]
    taken = [cell for cells in found for cell in cells]
    if len(set(taken)) < len(taken):
        raise TeachingError("two labels lie on one cell of the board")
    return found


def _under(picture: Picture, board: HexBoard, label: Label) -> tuple[Cell, ...]:
    """Return the cells whose middles an outline goes round, or the one that a point is on."""
    middles = picture.whole_px(board.px(plane_of(CELLS)))
    if label.outline_px is not None:
        ring = label.outline_px.astype(np.float32)[:, None]
        inside = [cv2.pointPolygonTest(ring, (float(x), float(y)), False) > 0 for x, y in middles]
        return tuple(cell for cell, own in zip(CELLS, inside, strict=True) if own)
    if label.centre_px is None:
        raise TeachingError(
            f'{label.tile}: give the cells of every tile in "cells", or of every tile its "outline"'
        )
    return (CELLS[int(np.hypot(*(middles - label.centre_px).T).argmin())],)


@dataclass(frozen=True)
class _Way:
    """One way to lay the owner's cells over the board's."""

    laid: list[tuple[Cell, ...]]
    worth: float


def _turned(
    bgr: Bgr, board: HexBoard, said: Sequence[tuple[Cell, ...]], colours: Sequence[str]
) -> list[tuple[Cell, ...]]:
    """Return the cells in the turn, and at the place, in which colours differ most by label."""
    looks = _colours_of(bgr, board)
    ways = sorted(_ways(said, colours, looks), key=lambda way: -way.worth)
    if not ways:
        raise TeachingError("the labels name cells that do not fit on the board")
    best = {frozenset(cells) for cells in ways[0].laid}
    other = next((w for w in ways[1:] if {frozenset(c) for c in w.laid} != best), None)
    if other is not None and ways[0].worth < LEAST_AHEAD * other.worth:
        raise TeachingError(
            "the labels fit the board in several turns; label more tiles, all that lie on it"
        )
    return ways[0].laid


def _ways(
    said: Sequence[tuple[Cell, ...]], colours: Sequence[str], looks: Mapping[Cell, Points]
) -> Iterator[_Way]:
    every = [cell for cells in said for cell in cells]
    for turn in range(SIXTHS):
        turned = [tuple(turned_cell(cell, turn) for cell in cells) for cells in said]
        first = turned_cell(every[0], turn)
        for q, r in CELLS:
            shift = q - first[0], r - first[1]
            laid = [tuple((a + shift[0], b + shift[1]) for a, b in cells) for cells in turned]
            if all(cell in looks for cells in laid for cell in cells):
                yield _Way(laid, _told_apart(laid, colours, looks))


def _told_apart(
    laid: Sequence[tuple[Cell, ...]], colours: Sequence[str], looks: Mapping[Cell, Points]
) -> float:
    """Return how much more cells of different labels differ than cells of the same."""
    names = dict.fromkeys(looks, BARE)
    names |= {cell: c for cells, c in zip(laid, colours, strict=True) for cell in cells}
    rows = np.array(list(looks.values()))
    labels = np.array(list(names.values()))
    within = sum(
        float(((rows[labels == name] - rows[labels == name].mean(axis=0)) ** 2).sum())
        for name in sorted(set(names.values()))
    )
    total = float(((rows - rows.mean(axis=0)) ** 2).sum())
    return total / max(within, 1e-9)


def _colours_of(bgr: Bgr, board: HexBoard) -> dict[Cell, Points]:
    """Return the mean colour of the inner part of each cell, Lab."""
    found = {}
    lab = cv2.cvtColor(bgr, cv2.COLOR_BGR2LAB)
    for cell, corners in zip(CELLS, cell_outlines(board, CELLS), strict=True):
        middle = corners.mean(axis=0)
        ring = np.round(middle + (corners - middle) * INNER).astype(np.int32)
        left, top = np.maximum(ring.min(axis=0), 0)
        part = lab[top : ring[:, 1].max() + 1, left : ring[:, 0].max() + 1]
        mask = np.zeros(part.shape[:2], np.uint8)
        cv2.fillPoly(mask, [ring - np.array([left, top], np.int32)], 1)
        found[cell] = np.array(cv2.mean(part, mask)[:3])
    return found


# --- What is learnt from them ---


def _cut(
    bgr: Bgr, board: HexBoard, laid: Sequence[tuple[str, tuple[Cell, ...]]], photo: str
) -> Examples:
    names, outlines = [], []
    colours = {cell: (colour, number) for number, (colour, cells) in enumerate(laid)
               for cell in cells}  # fmt: skip
    bare = [cell for cell in CELLS if cell not in colours]
    cells = [*colours, *bare[:: max(1, -(-len(bare) // MOST_BARE))]]
    names += [colours[cell][0] if cell in colours else BARE for cell in cells]
    outlines += cell_outlines(board, cells)
    sides = list(_sides(colours))
    names += [name for name, _, _ in sides]
    outlines += side_outlines(board, [(cell, side) for _, cell, side in sides])
    turns = np.zeros(len(names), np.int64)
    return Examples(cut_out(bgr, outlines), tuple(names), turns, (photo,) * len(names))


def _sides(colours: Mapping[Cell, tuple[str, int]]) -> Iterator[tuple[str, Cell, int]]:
    """Yield what each side between two cells of a colour is, and where."""
    for cell, (colour, number) in colours.items():
        for side in range(HALF_TURN):
            other = colours.get(hex_neighbours(cell)[side])
            if other is not None and other[0] == colour:
                what = JOINED if other[1] == number else APART
                yield side_name(colour, what), cell, side

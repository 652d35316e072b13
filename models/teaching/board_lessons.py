"""Examples from photographs of a board with tiles on it, for games that are played on one.

Tiles of several cells are learnt cell by cell: the look of bare cells, of cells of each colour,
and of the side between two cells of one colour, inside a tile and where two tiles meet.
The cells then determine the tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import cv2
import numpy as np

from engine.hexpath import free_shape, path_shape
from engine.lattice import Cell, hex_neighbours
from engine.tiles import TileSet
from models.teaching.errors import TeachingError
from models.teaching.examples import Examples
from models.teaching.labels import Label
from vision import Bgr, Picture, Points
from vision.hexes.cells import CELLS, turned_cell
from vision.hexes.plane import SIXTHS, HexBoard, plane_of
from vision.hexes.taught.boards import (
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

INNER = 0.6
"""Inner part of a cell from which its colour is taken."""
LEAST_AHEAD = 1.15
"""Factor by which the labels must fit one turn of the board better than any other."""
MOST_BARE = 40
"""Most bare cells of one photograph that are learnt from."""
HALF_TURN = 3

Names = Mapping[str, tuple[str, int]]


# --- How a board lies in a photograph ---


def laid_cells(
    picture: Picture, board: HexBoard, labels: Sequence[Label], named: Sequence[tuple[str, str]]
) -> list[tuple[Cell, ...]]:
    """Return the board's own cells of each label."""
    if labels and all(label.cells for label in labels):
        cells = [label.cells for label in labels]
        return turned_to(picture.bgr, board, cells, [colour for _, colour in named])
    found = [_under(picture, board, label) for label in labels]
    taken = [cell for cells in found for cell in cells]
    if len(set(taken)) < len(taken):
        raise TeachingError("two labels lie on one cell of the board")
    return found


def _under(picture: Picture, board: HexBoard, label: Label) -> tuple[Cell, ...]:
    """Return the cells whose middles lie inside a label's outline, or the one at its point."""
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


def turned_to(
    bgr: Bgr, board: HexBoard, said: Sequence[tuple[Cell, ...]], colours: Sequence[str]
) -> list[tuple[Cell, ...]]:
    """Return the cells of each label, laid so that colours differ most between labels.

    Args:
        bgr: the picture.
        board: where it lies.
        said: the cells of each label, counted in any turn and from anywhere.
        colours: the labels' colours.
    """
    looks = _colours_of(bgr, board)
    ways = [(_told_apart(laid, colours, looks), laid) for laid in _ways(said, looks)]
    ways.sort(key=lambda way: -way[0])
    if not ways:
        raise TeachingError("the labels name cells that do not fit on the board")
    worth, laid = ways[0]
    best = {frozenset(cells) for cells in laid}
    other = next((w for w, cells in ways[1:] if {frozenset(c) for c in cells} != best), None)
    if other is not None and worth < LEAST_AHEAD * other:
        raise TeachingError(
            "the labels fit the board in several turns; label more tiles, all that lie on it"
        )
    return laid


def _ways(
    said: Sequence[tuple[Cell, ...]], looks: Mapping[Cell, Points]
) -> Iterator[list[tuple[Cell, ...]]]:
    """Yield each way to lay the owner's cells over the board's cells."""
    for turn in range(SIXTHS):
        turned = [tuple(turned_cell(cell, turn) for cell in cells) for cells in said]
        first = turned[0][0]
        for q, r in CELLS:
            shift = q - first[0], r - first[1]
            laid = [tuple((a + shift[0], b + shift[1]) for a, b in cells) for cells in turned]
            if all(cell in looks for cells in laid for cell in cells):
                yield laid


def _told_apart(
    laid: Sequence[tuple[Cell, ...]], colours: Sequence[str], looks: Mapping[Cell, Points]
) -> float:
    """Return the ratio of total colour variance to variance within labels."""
    names = dict.fromkeys(looks, BARE)
    names |= {
        cell: c for cells, c in zip(laid, colours, strict=True) for cell in cells if cell in looks
    }
    rows = np.array(list(looks.values()))
    labels = np.array(list(names.values()))
    within = sum(
        float(((rows[labels == name] - rows[labels == name].mean(axis=0)) ** 2).sum())
        for name in sorted(set(names.values()))
    )
    total = float(((rows - rows.mean(axis=0)) ** 2).sum())
    return total / max(within, 1e-9)


def _colours_of(bgr: Bgr, board: HexBoard) -> dict[Cell, Points]:
    """Return the mean Lab colour of the inner part of each cell."""
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


def check_learnt(examples: Examples, box: TileSet) -> None:
    """Refuse examples that lack something the reader must tell apart.

    Raises:
        TeachingError: says what to photograph.
    """
    seen = set(examples.tiles)
    for kind in board_kinds(box):
        if kind not in seen:
            text = f"no photo shows {_wanted(kind)}; add one that does"
            raise TeachingError(text, code="teach-needs")


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
    board = find_taught_board(picture.bgr)
    if board is None:
        raise TeachingError(
            f"{photo}: no whole board is seen; photograph all of it from above, with every tile on "
            "its cells"
        )
    named = [_named(label, box, mapping) for label in labels]
    laid = laid_cells(picture, board, labels, named)
    for (tile, _), cells in zip(named, laid, strict=True):
        _check_shape(tile, cells, box, photo)
    colours = {
        cell: (colour, number)
        for number, ((_, colour), cells) in enumerate(zip(named, laid, strict=True))
        for cell in cells
    }
    return _cut(picture.bgr, board, colours, photo)


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


def _cut(
    bgr: Bgr, board: HexBoard, colours: Mapping[Cell, tuple[str, int]], photo: str
) -> Examples:
    """Return the cells of a board and the sides between them; ``colours`` has also each tile."""
    bare = [cell for cell in CELLS if cell not in colours]
    cells = [*colours, *bare[:: max(1, -(-len(bare) // MOST_BARE))]]
    sides = list(_sides(colours))
    outlines = cell_outlines(board, cells)
    outlines += side_outlines(board, [(cell, side) for _, cell, side in sides])
    names = [colours[cell][0] if cell in colours else BARE for cell in cells]
    names += [name for name, _, _ in sides]
    turns = np.zeros(len(names), np.int64)
    return Examples(cut_out(bgr, outlines), tuple(names), turns, (photo,) * len(names))


def _sides(colours: Mapping[Cell, tuple[str, int]]) -> Iterator[tuple[str, Cell, int]]:
    """Yield name, cell and number of each side between two cells of a colour."""
    for cell, (colour, number) in colours.items():
        for side in range(HALF_TURN):
            other = colours.get(hex_neighbours(cell)[side])
            if other is not None and other[0] == colour:
                what = JOINED if other[1] == number else APART
                yield side_name(colour, what), cell, side

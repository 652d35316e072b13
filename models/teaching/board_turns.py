"""Which cells of a photographed board the owner's labels mean.

He counts them from anywhere and in any turn, or draws outlines: in the right turn cells of one
label look alike, and others do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.lattice import Cell
from models.teaching.errors import TeachingError
from models.teaching.labels import Label
from vision import Bgr, Picture, Points
from vision.hexes.cells import CELLS, turned_cell
from vision.hexes.plane import SIXTHS, HexBoard, plane_of
from vision.hexes.taught.boards import BARE, EYE, cell_outlines

INNER = 0.6
"""The part of a cell that its colour is taken from."""
LEAST_AHEAD = 1.15
"""How much better the labels must fit in one turn of the board than in any other."""


def laid_cells(
    picture: Picture, board: HexBoard, labels: Sequence[Label], named: Sequence[tuple[str, str]]
) -> tuple[list[tuple[Cell, ...]], float]:
    """Return the board's own cells of each label, and how well colours go with them."""
    if labels and all(label.cells for label in labels):
        cells = [label.cells for label in labels]
        way = turned_to(picture.bgr, board, cells, [colour for _, colour in named])
        return way.laid, way.worth
    found = [_under(picture, board, label) for label in labels]
    taken = [cell for cells in found for cell in cells]
    if len(set(taken)) < len(taken):
        raise TeachingError("two labels lie on one cell of the board")
    return found, 1.0


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
class Way:
    """One way to lay the owner's cells over the board's."""

    laid: list[tuple[Cell, ...]]
    worth: float
    turn: int


def turned_to(
    bgr: Bgr, board: HexBoard, said: Sequence[tuple[Cell, ...]], colours: Sequence[str],
    hidden: Collection[Cell] = (),
) -> Way:  # fmt: skip
    """Return the cells in the turn, and at the place, in which colours differ most by label.

    Args:
        bgr: the picture.
        board: where it lies.
        said: the cells of each label.
        colours: their colours; where one is a hole, cells are counted from the middle.
        hidden: cells whose colour something lies on.
    """
    looks = _colours_of(bgr, board)
    ways = sorted(_ways(said, colours, looks, hidden), key=lambda way: -way.worth)
    if not ways:
        raise TeachingError("the labels name cells that do not fit on the board")
    best = {frozenset(cells) for cells in ways[0].laid}
    other = next((w for w in ways[1:] if {frozenset(c) for c in w.laid} != best), None)
    if other is not None and ways[0].worth < LEAST_AHEAD * other.worth:
        raise TeachingError(
            "the labels fit the board in several turns; label more tiles, all that lie on it"
        )
    return ways[0]


def _ways(
    said: Sequence[tuple[Cell, ...]], colours: Sequence[str], looks: Mapping[Cell, Points],
    hidden: Collection[Cell],
) -> Iterator[Way]:  # fmt: skip
    every = [cell for cells in said for cell in cells]
    for turn in range(SIXTHS):
        turned = [tuple(turned_cell(cell, turn) for cell in cells) for cells in said]
        first = turned_cell(every[0], turn)
        seen = {c: look for c, look in looks.items() if turned_cell(c, -turn) not in hidden}
        for q, r in [first] if EYE in colours else CELLS:
            shift = q - first[0], r - first[1]
            laid = [tuple((a + shift[0], b + shift[1]) for a, b in cells) for cells in turned]
            if all(cell in looks for cells in laid for cell in cells):
                yield Way(laid, _told_apart(laid, colours, seen), turn)


def _told_apart(
    laid: Sequence[tuple[Cell, ...]], colours: Sequence[str], looks: Mapping[Cell, Points]
) -> float:
    """Return how much more cells of different labels differ than cells of the same."""
    names = dict.fromkeys(looks, BARE)
    names |= {cell: c for cells, c in zip(laid, colours, strict=True)
              for cell in cells if cell in looks}  # fmt: skip
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

"""Examples from photographs of a board with tiles on it, for games that are played on one.

Tiles of several cells are learnt cell by cell: the look of bare cells, of cells of each colour,
and of the side between two cells of one colour, inside a tile and where two tiles meet.
The cells then determine the tile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from engine.hexpath import free_shape, path_shape
from engine.lattice import Cell, hex_neighbours
from engine.tiles import TileSet
from models.teaching.errors import TeachingError
from models.teaching.examples import Examples, joined
from models.teaching.labels import Label
from vision import Bgr, Picture, Points
from vision.hexes.cells import CELLS, turned_cell
from vision.hexes.plane import SIXTHS, HexBoard, plane_of
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

INNER = 0.6
"""Inner part of a cell from which its colour is taken."""
LEAST_AHEAD = 1.15
"""Factor by which the labels must fit one turn of the board better than any other."""
MOST_BARE = 40
"""Most bare cells of one photograph that are learnt from."""
HALF_TURN = 3
CLAY = "clay/"
"""Prefix of the names of clay."""

Names = Mapping[str, tuple[str, int]]


# --- How a board lies in a photograph ---


def laid_cells(
    picture: Picture, board: HexBoard, labels: Sequence[Label], named: Sequence[tuple[str, str]]
) -> tuple[list[tuple[Cell, ...]], float]:
    """Return the board's own cells of each label, and how well the colours match them."""
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


@dataclass(frozen=True)
class Way:
    """One way to lay the owner's cells over the board's cells."""

    laid: list[tuple[Cell, ...]]
    worth: float
    turn: int


def turned_to(
    bgr: Bgr,
    board: HexBoard,
    said: Sequence[tuple[Cell, ...]],
    colours: Sequence[str],
    hidden: Collection[Cell] = (),
) -> Way:
    """Return the turn and position of the labels at which colours differ most between labels.

    Args:
        bgr: the picture.
        board: where it lies.
        said: the cells of each label.
        colours: the labels' colours; if one is a hole, cells are counted from the middle.
        hidden: cells whose colour is covered by something.
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
    said: Sequence[tuple[Cell, ...]],
    colours: Sequence[str],
    looks: Mapping[Cell, Points],
    hidden: Collection[Cell],
) -> Iterator[Way]:
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
    parts = [
        _cut(picture.bgr, board, lying, photo) for board, lying in zip(boards, ways, strict=True)
    ]
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
    picture: Picture,
    boards: Sequence[HexBoard],
    groups: Sequence[Sequence[Label]],
    box: TileSet,
    mapping: Names | None,
) -> list[Lying]:
    """Return what lies on each board; colours decide which board of the ring is the first."""
    tried: list[list[Lying]] = []
    problem: TeachingError | None = None
    for first in range(len(boards)):
        turned = [groups[(n + first) % len(groups)] for n in range(len(groups))]
        try:
            tried.append(
                [
                    _lying(picture, board, own, box, mapping)
                    for board, own in zip(boards, turned, strict=True)
                ]
            )
        except TeachingError as error:
            problem = problem or error
    if not tried:
        raise problem or TeachingError("the labels fit no board")
    return max(tried, key=lambda one: sum(lying.worth for lying in one))


def _lying(
    picture: Picture,
    board: HexBoard,
    labels: Sequence[Label],
    box: TileSet,
    mapping: Names | None,
) -> Lying:
    """Return what lies on one board, in the board's own cells."""
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
        [(*name, cells) for name, cells in zip(named, way.laid, strict=False)],
        way.worth,
        tuple(cells[0] for cells in way.laid[len(tiles) :]),
        {
            turned_cell(one.cells[0], way.turn): (
                one.tile,
                -1 if one.opens is None else (one.opens + way.turn) % SIXTHS,
            )
            for one in clay
        },
    )


@dataclass(frozen=True)
class Lying:
    """What lies on a board, in the board's own cells."""

    tiles: list[tuple[str, str, tuple[Cell, ...]]]
    """Tile, colour and cells."""
    worth: float
    """How well the cells' colours match."""
    eyes: tuple[Cell, ...] = ()
    clay: Mapping[Cell, tuple[str, int]] = field(default_factory=dict)
    """For each cell with clay: its kind and the side that it opens to, or -1."""


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
    colours = {
        cell: (colour, number)
        for number, (_, colour, cells) in enumerate(lying.tiles)
        for cell in cells
    }
    bare = [cell for cell in CELLS if cell not in colours and cell not in lying.eyes]
    plain = [cell for cell in colours if cell not in lying.clay]
    cells = [*plain, *bare[:: max(1, -(-len(bare) // MOST_BARE))], *lying.eyes, *lying.clay]
    names = [colours[cell][0] if cell in colours else BARE for cell in cells]
    turns = [0] * len(cells)
    names[len(cells) - len(lying.clay) - len(lying.eyes) :] = [
        *([EYE] * len(lying.eyes)),
        *(kind for kind, _ in lying.clay.values()),
    ]
    turns[len(cells) - len(lying.clay) :] = [side for _, side in lying.clay.values()]
    sides = list(_sides(colours))
    outlines = cell_outlines(board, cells)
    outlines += side_outlines(board, [(cell, side) for _, cell, side in sides])
    names += [name for name, _, _ in sides]
    made = np.array(turns + [0] * len(sides), np.int64)
    return Examples(cut_out(bgr, outlines), tuple(names), made, (photo,) * len(names))


def _sides(colours: Mapping[Cell, tuple[str, int]]) -> Iterator[tuple[str, Cell, int]]:
    """Yield name, cell and number of each side between two cells of a colour."""
    for cell, (colour, number) in colours.items():
        for side in range(HALF_TURN):
            other = colours.get(hex_neighbours(cell)[side])
            if other is not None and other[0] == colour:
                what = JOINED if other[1] == number else APART
                yield side_name(colour, what), cell, side

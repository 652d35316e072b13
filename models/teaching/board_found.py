"""Finds what lies on a photographed board that nobody has labelled, for its owner to confirm.

Cells are clustered by their look, and the largest cluster is taken for bare cells. Lines between
cells that look alike show where a tile ends, and the box limits which tiles are possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.hexpath import free_shape, path_shape
from engine.lattice import HEX_STEPS, Cell, hex_neighbours
from engine.tiles import TileSet
from vision import Bgr, Picture
from vision.hexes.cells import CELLS, CLAYS, CellReadings
from vision.hexes.models import CONTENTS
from vision.hexes.pieces import pieces_of
from vision.hexes.plane import SIXTHS, HexBoard, plane_of
from vision.hexes.taught.boards import (
    BARE,
    cell_outlines,
    cut_out,
    find_taught_board,
    side_outlines,
)
from vision.hexes.taught.reader import (
    LINES,
    MOST_ODDS,
    QUANTILES,
    WAYS,
    BoardReader,
    cell_features,
    side_features,
    side_views,
)

Floats = NDArray[np.float64]

APART = 5.0
"""Least distance between sorts of cells, in standard deviations along the line between them. On
twelve photographs of a wooden board, colours were 5.7 to 28 apart, and parts of one sort 2.5 to
3.7, except for one part of 25 cells, which was 6.0 apart."""
SAME_SORT = 0.6
"""Largest difference of one sort between two photographs, relative to the sort's difference from
bare cells."""
TWO_SORTS = 3.5
"""Least distance between sides with and without a line, in standard deviations."""
MOSTLY_JOINED = 1.5
"""Log-odds that a side lies inside a tile, where lines say nothing."""
VIEW_CELLS, VIEW_PX = (12.6, 11.2), 56
"""Section of a board that is shown, in cells across and down, and pixels per cell."""
OWN = 2
"""Number of a side's features that describe its own dark and light line; they come first."""
HALF_TURN = 3


@dataclass(frozen=True, eq=False)
class FoundPiece:
    """Cells that form one tile, as far as can be told."""

    sort: int
    """Number of the tile's sort of cells."""
    cells: tuple[Cell, ...]


@dataclass(frozen=True, eq=False)
class FoundBoard:
    """A board in a photograph and what was found on it."""

    board: HexBoard
    """In pixels of the working picture, in the turn that is nearest to upright."""
    pieces: tuple[FoundPiece, ...]
    looks: tuple[Floats | None, ...]
    """For every sort known so far: its difference from bare cells, or ``None``."""


def find_on_board(
    picture: Picture,
    box: TileSet,
    known: Sequence[Floats | None] = (),
    reader: BoardReader | None = None,
) -> FoundBoard | None:
    """Return the tiles on the board of a photograph, or nothing where there is no board.

    Args:
        picture: the photograph.
        box: the tiles that may lie there.
        known: looks of the sorts in earlier photographs; ``None`` for a sort without one.
        reader: reader of the box, if it was taught before; sorts are its colours then.
    """
    board = find_taught_board(picture.bgr)
    if board is None:
        return None
    board = _upright(board)
    any_colour = _any_colour(box)
    if reader is not None:
        reading = reader.read(picture.bgr, board)
        looks: tuple[Floats | None, ...] = (None,) * len(box.colours)
    else:
        sorts, looks = _sorted(picture.bgr, board, len(box.colours), known)
        reading = _reading(picture.bgr, board, sorts, any_colour)
    seen, _ = pieces_of([reading], box if reader is not None else any_colour, False)
    contents = {cell: CONTENTS[int(s.argmax())] for cell, s in reading.contents.items()}
    pieces = [
        FoundPiece(box.colours.index(contents[one.piece.cells[0]]), tuple(one.piece.cells))
        for one in seen
        if contents[one.piece.cells[0]] in box.colours
    ]
    return FoundBoard(board, tuple(pieces), looks)


def tile_of(box: TileSet, colour: str | None, cells: Iterable[Cell]) -> str | None:
    """Return the tile of a colour, or of any colour, that can cover the cells."""
    shape = free_shape(tuple(cells))
    kinds = box.kinds.values() if colour is None else box.of_colour(colour)
    return next((k.name for k in kinds if k.path and path_shape(k.path) == shape), None)


def straight_above(picture: Picture, board: HexBoard) -> Bgr:
    """Return a rectified view of a board from straight above, centred on its middle."""
    wide, high = (round(cells * VIEW_PX) for cells in VIEW_CELLS)
    x, y = np.meshgrid(
        (np.arange(wide) + 0.5) / VIEW_PX - VIEW_CELLS[0] / 2,
        (np.arange(high) + 0.5) / VIEW_PX - VIEW_CELLS[1] / 2,
    )
    places = board.px(np.stack([x.ravel(), y.ravel()], axis=1)).astype(np.float32)
    across, down = (places[:, axis].reshape(high, wide) for axis in (0, 1))
    return np.asarray(
        cv2.remap(picture.bgr, across, down, cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE),
        np.uint8,
    )


def shown_at(cell: Cell) -> tuple[float, float]:
    """Return the pixel of a cell's middle in the view from straight above."""
    x, y = plane_of([cell])[0]
    return (x + VIEW_CELLS[0] / 2) * VIEW_PX, (y + VIEW_CELLS[1] / 2) * VIEW_PX


def _upright(board: HexBoard) -> HexBoard:
    """Return a board in the turn in which its rows run most nearly as the picture's do."""
    turns = [board.turned(turn) for turn in range(SIXTHS)]
    ways = [one.px(np.array([[0.0, 0], [1, 0]])) for one in turns]
    leans = [abs(float(np.angle(complex(*(way[1] - way[0]))))) for way in ways]
    return turns[int(np.argmin(leans))]


def _any_colour(box: TileSet) -> TileSet:
    """Return a box in which every colour has the tiles of all, since colours are not named yet.

    Each colour has as many tiles of a shape as the colour that has most of them.
    """
    shapes: dict[str, int] = {}
    for kind in box.kinds.values():
        if kind.path:
            shapes[kind.shape] = max(kind.count, shapes.get(kind.shape, 0))
    like = {kind.shape: kind for kind in box.kinds.values()}
    kinds = {
        f"{colour}/{shape}": replace(
            like[shape], name=f"{colour}/{shape}", colour=colour, count=count
        )
        for colour in box.colours
        for shape, count in shapes.items()
    }
    return replace(box, kinds=MappingProxyType(kinds))


# --- Sorts of cells ---


def _sorted(
    bgr: Bgr, board: HexBoard, most: int, known: Sequence[Floats | None]
) -> tuple[dict[Cell, int], tuple[Floats | None, ...]]:
    """Return the sort of each cell that is not bare, and the looks of all sorts known by then."""
    rows = cell_features(cut_out(bgr, cell_outlines(board, CELLS)))
    labels = _clusters(rows, most + 1)
    bare = int(np.bincount(labels).argmax())
    middle = np.tile(
        rows[labels == bare].reshape(-1, len(QUANTILES), 3)[:, 1].mean(axis=0), len(QUANTILES)
    )
    usual = rows[labels == bare].mean(axis=0) - middle
    others = [k for k in range(int(labels.max()) + 1) if k != bare]
    # The lightest sort comes first, since cluster numbers are arbitrary.
    others.sort(key=lambda k: -float(rows[labels == k].mean()))
    means = [rows[labels == k].mean(axis=0) - middle - usual for k in others]
    numbers, looks = _named_as(means, list(known), most)
    sort_of = dict(zip(others, numbers, strict=True))
    return {
        cell: sort_of[int(label)]
        for cell, label in zip(CELLS, labels, strict=True)
        if int(label) != bare
    }, tuple(looks)


def _clusters(rows: Floats, most: int) -> NDArray[np.int64]:
    """Return each row's cluster, for the largest number of clusters that are clearly apart."""
    from sklearn.cluster import AgglomerativeClustering

    found = np.zeros(len(rows), np.int64)
    for count in range(2, most + 1):
        labels = AgglomerativeClustering(count).fit_predict(rows)
        parts = [rows[labels == k] for k in range(count)]
        if min(_apart(a, b) for n, a in enumerate(parts) for b in parts[:n]) >= APART:
            found = labels.astype(np.int64)
    return found


def _apart(one: Floats, other: Floats) -> float:
    """Return the distance of two clusters, in standard deviations along the line between them."""
    way = other.mean(axis=0) - one.mean(axis=0)
    far = float(np.linalg.norm(way))
    along = [part @ way / max(far, 1e-9) for part in (one, other)]
    return far / float(np.sqrt((along[0].var() + along[1].var()) / 2 + 1e-6))


def _named_as(
    means: Sequence[Floats], known: list[Floats | None], most: int
) -> tuple[list[int], list[Floats | None]]:
    """Return the sort of each new look, and all looks with the new ones added."""
    free = [*range(len(known)), *range(len(known), most)]
    best: tuple[float, tuple[int, ...]] = (float("inf"), ())
    for numbers in permutations(free, len(means)):
        new = [n for n in numbers if n >= len(known)]
        if new != list(range(len(known), len(known) + len(new))):
            continue
        costs = [
            _unlike(mean, known[n]) if n < len(known) else SAME_SORT
            for mean, n in zip(means, numbers, strict=True)
        ]
        best = min(best, (sum(costs), numbers))
    new_ones = [mean for mean, n in zip(means, best[1], strict=True) if n >= len(known)]
    return list(best[1]), [*known, *new_ones]


def _unlike(one: Floats, other: Floats | None) -> float:
    """Return the difference of two looks, relative to their difference from bare cells."""
    if other is None:
        return SAME_SORT
    return float(np.linalg.norm(one - other)) / max(
        float(np.linalg.norm(one)), float(np.linalg.norm(other)), 1e-9
    )


# --- Lines between cells ---


def _reading(bgr: Bgr, board: HexBoard, sorts: Mapping[Cell, int], box: TileSet) -> CellReadings:
    """Return cell readings in which each sort is called by a colour of the box."""
    names = [box.colours[sorts[cell]] if cell in sorts else BARE for cell in CELLS]
    held = {
        cell: np.eye(len(CONTENTS))[CONTENTS.index(name)]
        for cell, name in zip(CELLS, names, strict=True)
    }
    joined = {cell: np.zeros(len(HEX_STEPS)) for cell in CELLS}
    for sort in sorted(set(sorts.values())):
        own = [cell for cell in sorts if sorts[cell] == sort]
        sides = list(_sides(own))
        inside = _all_inside(box, box.colours[sort], len(own))
        for (cell, side), share in zip(sides, _joined(bgr, board, sides, inside), strict=True):
            joined[cell][side] = share
            joined[hex_neighbours(cell)[side]][(side + HALF_TURN) % len(HEX_STEPS)] = share
    return CellReadings(
        held,
        dict.fromkeys(CELLS, 0.0),
        {cell: np.eye(len(CLAYS))[0] for cell in CELLS},
        {cell: np.full(len(HEX_STEPS), 1 / len(HEX_STEPS)) for cell in CELLS},
        joined,
    )


def _sides(cells: Sequence[Cell]) -> Iterator[tuple[Cell, int]]:
    """Yield each side between two of the cells once."""
    for cell in cells:
        for side in range(HALF_TURN):
            if hex_neighbours(cell)[side] in cells:
                yield cell, side


def _all_inside(box: TileSet, colour: str, cells: int) -> int | None:
    """Return the number of sides inside tiles if the cells are exactly a colour's whole stock."""
    kinds = [kind for kind in box.of_colour(colour) for _ in range(kind.count)]
    if sum(len(kind.cells) for kind in kinds) != cells:
        return None
    return sum(len(list(_sides(kind.cells))) for kind in kinds)


def _joined(
    bgr: Bgr, board: HexBoard, sides: Sequence[tuple[Cell, int]], inside: int | None
) -> Floats:
    """Return the probability of each side of one sort that a tile continues across it.

    Args:
        bgr: the picture.
        board: where the board lies.
        sides: sides between cells of one sort.
        inside: number of sides that lie inside tiles, if known.
    """
    if not sides:
        return np.zeros(0)
    clear = np.abs(side_features(side_views(cut_out(bgr, side_outlines(board, sides)))))
    # The sharpest brightness line at the side itself, averaged over both line widths.
    own = clear.reshape(len(sides), len(LINES), -1, WAYS)[:, :, :OWN, 0].max(axis=2).mean(axis=1)
    order = np.sort(own)
    cuts = [(_apart(order[:n, None], order[n:, None]), n) for n in range(1, len(order))]
    far, cut = max(cuts, default=(0.0, 0))
    if inside is not None and 0 < inside < len(order):
        cut = inside
    elif inside is not None or far < TWO_SORTS:
        return np.full(len(own), 1 / (1 + np.exp(-MOSTLY_JOINED)))
    low, high = float(order[:cut].mean()), float(order[cut:].mean())
    between = (float(order[cut - 1]) + float(order[cut])) / 2
    odds = 2 * MOST_ODDS * (between - own) / max(high - low, 1e-9)
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -MOST_ODDS, MOST_ODDS))))

"""Names the hex tiles that lie beside the boards: unused ones, stocks, what was taken off.

Seen from above, the first network marks cells of tiles; marks that hang together are compared with
every tile of the box in every turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.draw.palette import coat
from engine.hexpath import path_cells
from engine.tiles import TileSet
from vision.core.pyramid import Pyramid
from vision.core.types import Bgr, Points
from vision.hexes.above import Above, View
from vision.hexes.plane import HexBoard
from vision.hexes.scraps import STRIDE
from vision.hexes.stencils import PATCH, fits_of, outline_of

Floats = NDArray[np.float32]

LEAST_PX, MOST_MARK_PX = 4, 130
LEAST_FIT = 0.52
"""Marks that fit no tile better than that are something else."""
RIVAL_FREE = 0.2
"""A second tile that fits so well takes nothing from the confidence."""
GAP_COST = 0.01
"""What a step of colour, of some 100, counts against a hundredth of the shape's fit."""
MOST_GAP = 32.0
"""Dice and counters are as large as a single hex and fit its shape, but not its colours: of seven
on drawn tables those of tiles were 14 to 30 off, those of dice 44 and 51."""
MOST_WORSE = 0.2
"""Guesses that fit worse than the best by more are none, even where the box has no other."""
MOST_TOO_MANY = 2
"""What is seen more often than the box has it left, by more than that, is a pattern."""
EDGE_CELLS = 0.35
"""Marks nearer to the picture's edge belong to tiles that it cuts."""
FIELD_BGR = np.array([0xD6, 0xEA, 0xF3], np.float32)
"""The boards' paper as it is printed."""
PALE, BASE, EDGE = 0.45, 0.42, 0.13
"""How much of a tile is its ground, its snake and its dark edge."""


@dataclass(frozen=True, eq=False)
class AsideTile:
    """A tile that lies beside the boards."""

    tile: str
    outline_px: Points
    confidence: float


def tiles_aside(
    pyramid: Pyramid,
    boards: Sequence[HexBoard],
    above: Above,
    tile_set: TileSet,
    laid: Sequence[str] = (),
) -> tuple[AsideTile, ...]:
    """Return the tiles that lie around boards.

    Args:
        pyramid: the picture.
        boards: where the boards lie.
        above: what is seen around them from above.
        tile_set: the box.
        laid: the tiles on the boards. What is seen much more often than the box has left is a
            pattern of the table, none of it a tile.
    """
    view = above.view
    marks = 1 / (1 + np.exp(-np.clip(above.tiles, -30, 30)))
    marks[view.on_boards(boards, marks.shape)] = 0
    paper = _paper(above.bgr, view, boards)
    small = cv2.resize(above.bgr, marks.shape[::-1], None, 0, 0, cv2.INTER_AREA)
    board, seen = view.board, []
    for patch, middle, own in _patches(marks.astype(np.float32)):
        if not _is_cut(
            board.px(view.plane(np.argwhere(own)[:, ::-1].astype(np.float64))), pyramid, board
        ):
            gaps = _colour_gaps(small[own].mean(axis=0), paper, tile_set.colours)
            seen.append((view.plane(middle), _guesses(patch, gaps, tile_set)))
    gone = Counter(laid)
    left = Counter({name: count - gone[name] for name, count in tile_set.counts.items()})
    return tuple(
        AsideTile(guess.tile, board.px(outline_of(guess.path, guess.angle, guess.flipped, middle)),
                  guess.confidence)
        for middle, guess in _shared_out(seen, left)
    )  # fmt: skip


@dataclass(frozen=True)
class _Guess:
    """A tile that marks may be of, and how it lies."""

    tile: str
    path: str
    angle: float
    flipped: bool
    score: float
    """How well shape and colour fit, at most 1."""
    confidence: float


def _is_cut(marked_px: Points, pyramid: Pyramid, board: HexBoard) -> bool:
    """Say whether marks reach the picture's edge: of such a tile nobody knows the rest."""
    room = EDGE_CELLS * board.cell_px()
    low, high = marked_px.min(axis=0), np.array(pyramid.size_px) - marked_px.max(axis=0)
    return bool(min(low.min(), high.min()) < room)


def _guesses(patch: Floats, gaps: Mapping[str, float], tile_set: TileSet) -> list[_Guess]:
    """Return what marks may be of, the best first; nothing where no shape fits."""
    paths = tuple(sorted({kind.path for kind in tile_set.kinds.values() if kind.path}))
    fits = fits_of(patch, paths)
    least = min(gaps.values())
    found = []
    for kind in tile_set.kinds.values():
        colour = kind.name.partition("/")[0]
        if not kind.path or colour not in gaps or fits[kind.path][0] < LEAST_FIT:
            continue
        if len(path_cells(kind.path)) == 1 and gaps[colour] > MOST_GAP:
            continue
        fit, angle, flipped = fits[kind.path]
        rival = max((f for path, (f, _, _) in fits.items() if path != kind.path), default=0.0)
        sure = fit / (fit + max(rival - RIVAL_FREE, 0.0) + 1e-6)
        score = fit - (gaps[colour] - least) * GAP_COST
        found.append(_Guess(kind.name, kind.path, angle, flipped, score, round(sure, 3)))
    best = max((guess.score for guess in found), default=0.0)
    near = [guess for guess in found if guess.score >= best - MOST_WORSE]
    return sorted(near, key=lambda guess: -guess.score)


def _shared_out(
    seen: Sequence[tuple[Points, list[_Guess]]], left: Counter[str]
) -> Iterator[tuple[Points, _Guess]]:
    """Yield which tile lies where, the clearest first, each as often as the box still has it.

    What is one more than the box has may be the same tile in another colour, by its shape. A single
    hex has hardly any shape: one too many of these is none.
    """
    wanted = Counter(guesses[0].tile for _, guesses in seen if guesses)
    pattern = {tile for tile, count in wanted.items() if count > left[tile] + MOST_TOO_MANY}
    stock = left.copy()
    for middle, guesses in sorted(seen, key=lambda one: -one[1][0].score if one[1] else 0.0):
        if not guesses or guesses[0].tile in pattern:
            continue
        guess = next((g for g in guesses if stock[g.tile] > 0), None)
        if guess is not None and (guess is guesses[0] or len(path_cells(guess.path)) > 1):
            stock[guess.tile] -= 1
            yield middle, guess


def _paper(above: Bgr, view: View, boards: Sequence[HexBoard]) -> Floats:
    """Return the colour of the boards' paper in this light."""
    mask = view.on_boards(boards, (above.shape[0] // STRIDE, above.shape[1] // STRIDE))
    inner = above[::STRIDE, ::STRIDE][: mask.shape[0], : mask.shape[1]][mask]
    if not len(inner):
        return np.full(3, 200, np.float32)
    total = inner.sum(axis=1, dtype=np.int32)
    bright = inner[total >= np.quantile(total, 0.55)]
    return np.asarray(np.maximum(np.median(bright, axis=0), 24), np.float32)


def _patches(marks: Floats) -> Iterator[tuple[Floats, Points, NDArray[np.bool_]]]:
    """Yield marks that hang together, each about the middle of a patch; the middle; the marks."""
    joined = cv2.dilate((marks > 0.5).astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    wide = np.pad(marks, PATCH)
    names = np.pad(labels, PATCH)
    for label in range(1, count):
        own = (labels == label) & (marks > 0.5)
        if not LEAST_PX <= own.sum() <= MOST_MARK_PX or max(stats[label, 2:4]) > PATCH:
            continue
        ys, xs = np.nonzero(own)
        weight = marks[own]
        middle = np.array([np.average(xs, weights=weight), np.average(ys, weights=weight)])
        corner = np.round(middle).astype(int) - PATCH // 2
        rows = slice(corner[1] + PATCH, corner[1] + 2 * PATCH)
        columns = slice(corner[0] + PATCH, corner[0] + 2 * PATCH)
        patch = np.where(names[rows, columns] == label, wide[rows, columns], 0)
        # Templates stand on whole pixels: the rest of the way is made up here.
        shift = np.round(middle) - middle
        move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
        patch = cv2.warpAffine(patch.astype(np.float32), move, (PATCH, PATCH))
        yield np.asarray(patch, np.float32), middle, own


def _colour_gaps(bgr: Floats, paper: Floats, colours: Sequence[str]) -> dict[str, float]:
    """Return how far each colour is from a tile's mean, seen against the boards' paper."""
    mean = bgr * FIELD_BGR / paper
    return {name: _hue_gap(mean, _tile_bgr(name, colours)) for name in colours}


def _tile_bgr(name: str, colours: Sequence[str]) -> Any:
    skin = coat(name, tuple(colours))
    parts = zip((skin.pale, skin.base, skin.outline), (PALE, BASE, EDGE), strict=True)
    return sum(np.array([int(p[i : i + 2], 16) for i in (5, 3, 1)]) * w for p, w in parts)


def _hue_gap(one: Any, other: Any) -> float:
    """Return how different two colours are, brightness left aside."""
    lab = [
        cv2.cvtColor(np.clip(c, 0, 255).astype(np.uint8).reshape(1, 1, 3), cv2.COLOR_BGR2LAB)
        for c in (one, other)
    ]
    gap = lab[0].astype(float).ravel() - lab[1].astype(float).ravel()
    return float(np.hypot(gap[1], gap[2]) + 0.2 * abs(gap[0]))

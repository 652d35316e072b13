"""Finds the tiles in photographs that nobody has labelled, and groups them by likeness.

An owner then names groups instead of single tiles: 72 cards take minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.teaching.examples import cut_example, folds_of, plain
from models.teaching.match import picture_ahead
from vision import Points, Shape, load_picture
from vision.classify.embedding import PARTS, WEIGHTS, shipped_embedding
from vision.core.crop import Patches
from vision.detect.detect import detect_tiles

Floats = NDArray[np.float32]

ALIKE = 0.3
"""Largest squared distance between tiles of one kind, in the network's unit-length features for
prints. In two photographs of invented boxes, in different light, half of the tiles of one kind
differ by 0.18 to 0.7 and half of the nearest others by 0.56 to 1.1; in one photograph by less."""
MOST_FOUND = 400


@dataclass(frozen=True, eq=False)
class FoundTiles:
    """The tiles found in one photograph."""

    outlines_px: tuple[Points, ...]
    """In pixels of the whole upright picture, the first corner upper left (hexes: at the top)."""
    patches: Patches
    """Cut out with room around the tile, upright as in the picture."""


def find_tiles(path: Path, shape: Shape) -> FoundTiles:
    """Return the tiles in a photograph.

    Raises:
        VisionError: it is no picture.
    """
    picture = load_picture(path)
    found = detect_tiles(picture.bgr, shape).found[:MOST_FOUND]
    upright = [_upright(one.corners_px, shape) for one in found]
    patches = [cut_example(picture.bgr, corners) for corners in upright]
    size = (0, 112, 112, 3)
    return FoundTiles(
        tuple(picture.whole_px(corners) for corners in upright),
        np.stack(patches) if patches else np.zeros(size, np.uint8),
    )


def marked_tile(path: Path, shape: Shape, shares: Points) -> FoundTiles:
    """Return the tile that somebody marked in a photograph.

    Args:
        path: of the photograph.
        shape: of the tile.
        shares: its corners, in any order, as shares of the width and the height.

    Raises:
        VisionError: it is no picture.
    """
    picture = load_picture(path)
    high, wide = picture.bgr.shape[:2]
    corners = np.asarray(shares, np.float64) * (wide, high)
    ahead = corners - corners.mean(axis=0)
    clockwise = corners[np.argsort(np.arctan2(ahead[:, 1], ahead[:, 0]))]
    upright = _upright(clockwise, shape)
    patch = cut_example(picture.bgr, upright)
    return FoundTiles((picture.whole_px(upright),), patch[None])


def _upright(corners: Points, shape: Shape) -> Points:
    """Return the outline starting with its upper left corner (hexes: the top one)."""
    return np.roll(corners, picture_ahead(corners, shape), axis=0)


@dataclass(frozen=True, eq=False)
class Grouping:
    """Tiles grouped by likeness."""

    groups: NDArray[np.int64]
    """The number of each tile's group, counted from 0 in the order of their first tiles."""
    steps: NDArray[np.int64]
    """Clockwise turns that align each tile with the first one of its group."""


def grouped(patches: Patches, shape: Shape) -> Grouping:
    """Return groups of tiles that look alike in some turn."""
    count, folds = len(patches), folds_of(shape)
    if not count:
        return Grouping(np.zeros(0, np.int64), np.zeros(0, np.int64))
    apart, turns = _differences(_turned_prints(patches, folds))
    groups = np.full(count, -1)
    steps = np.zeros(count, np.int64)
    firsts: list[int] = []
    for tile in range(count):
        near = [first for first in firsts if apart[first, tile] < ALIKE]
        if near:
            best = min(near, key=lambda first: float(apart[first, tile]))
            groups[tile], steps[tile] = groups[best], turns[best, tile]
        else:
            groups[tile] = len(firsts)
            firsts.append(tile)
    return Grouping(groups.astype(np.int64), steps)


def aligning_turns(patches: Patches, shape: Shape, example: int, others: list[int]) -> list[int]:
    """Return the clockwise turns that align tiles with another one."""
    folds, chosen = folds_of(shape), patches[[example, *others]]
    return [int(turn) for turn in _differences(_turned_prints(chosen, folds))[1][0, 1:]]


def _turned_prints(patches: Patches, folds: int) -> Floats:
    """Return the features of every tile's print in every turn: turn, tile, feature."""
    turned = (plain(patches, [turn] * len(patches), folds) for turn in range(folds))
    return np.stack([_prints(one) for one in turned])


def _prints(patches: Patches) -> Floats:
    """Return the network's features for prints, of unit length."""
    return shipped_embedding().numbers(patches)[:, PARTS[0]] / np.float32(WEIGHTS[0])


def _differences(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return pairwise distances at the best turn of the second tile, and that turn."""
    own = (rows[0] ** 2).sum(axis=1)
    every = [
        own[:, None] + (turned**2).sum(axis=1)[None] - 2 * rows[0] @ turned.T for turned in rows
    ]
    stacked = np.stack(every)
    return np.asarray(stacked.min(axis=0), np.float32), np.asarray(stacked.argmin(axis=0))

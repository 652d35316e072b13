"""Tables to learn reading from: all tiles of a box equally often, side by side at random.

In games some tiles are rare and neighbours always fit; a reader must know the rare ones as well,
and must not need a neighbour. Light, print, cards and camera are the scenes' own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from engine.tiles import TileSet
from models.lab.scenes.arrange import extent_of
from models.lab.scenes.camera.develop import unpacked
from models.lab.scenes.camera.truth import truth_of
from models.lab.scenes.scene import camera_for, painted, photographed
from models.lab.scenes.settings import SceneSettings, draw_settings
from models.lab.scenes.splits import Split, rng_of
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.faces import BACK, Box, printed_box
from models.lab.scenes.world.lattices import Spot, cell_middles, laid
from models.lab.scenes.world.props import add_props
from models.lab.scenes.world.things import TableTop
from vision.core.crop import cut
from vision.core.types import Look

SIZES_PX = ((800, 600), (960, 720), (1280, 960))
COLUMNS_AND_ROWS = (6, 11)
"""Least number of columns and rows, and one more than the largest."""
EMPTY_SHARE = 0.08
FILL = (0.35, 1.0)
PHOTOGRAPHS = 3
"""Photographs of each table, with different cameras and colours of light."""
LEAST_SEEN = 0.85
"""Least visible share of tiles that are learnt from: others would teach what hands look like."""
MOST_GLARE = 0.35
SHIFT, CORNER, SCALE = 0.02, 0.014, 0.02
"""Standard deviations of outlines, in tile widths: of the whole, each corner, and the size."""


@dataclass(frozen=True, eq=False)
class Crops:
    """Tiles cut out of drawn tables, and what they are."""

    patches: Array
    """N x 64 x 64 x 3 of uint8."""
    looks: tuple[Look, ...]
    across_px: Array
    sources: Array
    """Number of the table that each comes from."""
    visible: Array
    """Share of each card that is seen."""


def drill_crops(
    set_name: str, seed: int, split: Split, amount: float = 1.0, least_seen: float = LEAST_SEEN
) -> Crops:
    """Return the tiles of one drawn table, photographed several times.

    Args:
        set_name: name of the box.
        seed: seed of the table.
        split: split of the surfaces and lights.
        amount: factor on the errors of outlines, 1 for a usual detector.
        least_seen: least visible share of tiles that are cut out.
    """
    rng = rng_of("drill", set_name, split, seed)
    settings = _settings(seed, split, set_name, rng)
    box = printed_box(set_name, settings.cards.size_mm)
    top = _arranged(box, settings, rng)
    camera = camera_for(settings, top.extent_mm)
    canvas = painted(settings, top, camera)
    tiles = truth_of(top, canvas)["tiles"]
    parts = []
    for number in range(PHOTOGRAPHS):
        # Painting takes most of the time; another light's colour and another camera cost little.
        other = draw_settings(seed * PHOTOGRAPHS + number, split, set_name)
        taken = replace(settings, seed=other.seed, light=other.light, sensor=other.sensor)
        bgr = unpacked(photographed(taken, canvas))
        parts.append(crops_of(bgr, tiles, box.tile_set, rng, seed, amount, least_seen))
    return Crops(
        np.concatenate([part.patches for part in parts]),
        tuple(look for part in parts for look in part.looks),
        np.concatenate([part.across_px for part in parts]),
        np.concatenate([part.sources for part in parts]),
        np.concatenate([part.visible for part in parts]),
    )


def crops_of(
    bgr: Array,
    entries: Sequence[dict[str, Any]],
    tile_set: TileSet,
    rng: Random,
    source: int,
    amount: float = 1.0,
    least_seen: float = LEAST_SEEN,
) -> Crops:
    """Return the well seen tiles of a picture with a known truth, cut at jittered outlines."""
    outlines, looks, across, visible = [], [], [], []
    for entry in entries:
        if entry["visible"] < least_seen or entry.get("glare", 0) > MOST_GLARE:
            continue
        for cell, corners in enumerate(entry_cells(entry, tile_set)):
            first = int(rng.integers(4))
            outlines.append(jittered(np.roll(corners, -first, axis=0), rng, amount))
            looks.append(Look(entry["tile"], cell, -first % 4))
            across.append(across_of(corners))
            visible.append(entry["visible"])
    return Crops(
        cut(bgr, outlines),
        tuple(looks),
        np.array(across),
        np.full(len(looks), source),
        np.array(visible),
    )


def entry_cells(entry: Mapping[str, Any], tile_set: TileSet) -> list[Array]:
    """Return the outlines of the cells of a tile of a truth."""
    count = len(tile_set[entry["tile"]].cells) if entry["tile"] in tile_set else 1
    return cell_outlines(np.array(entry["outline"], float), count)


def cell_outlines(corners: Array, count: int = 1) -> list[Array]:
    """Return the outlines of a card's cells, which lie side by side from its left to its right."""
    if count == 1:
        return [corners]
    unit = np.array([(0, 0), (count, 0), (count, 1), (0, 1)], np.float32)
    matrix = cv2.getPerspectiveTransform(unit, corners.astype(np.float32))
    parts = [np.array([(k, 0), (k + 1, 0), (k + 1, 1), (k, 1)], float) for k in range(count)]
    return [cv2.perspectiveTransform(part[None], matrix)[0] for part in parts]


def across_of(corners: Array) -> float:
    """Return the square root of an outline's area."""
    x, y = corners[:, 0], corners[:, 1]
    return float(np.sqrt(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2))


def jittered(corners: Array, rng: Random, amount: float = 1.0) -> Array:
    """Return an outline with the errors of a detector."""
    middle = corners.mean(axis=0)
    grown = middle + (corners - middle) * (1 + rng.normal(0, SCALE * amount))
    shift = rng.normal(0, SHIFT, 2) + rng.normal(0, CORNER, corners.shape)
    return np.asarray(grown + shift * across_of(corners) * amount)


def _settings(seed: int, split: Split, set_name: str, rng: Random) -> SceneSettings:
    size = SIZES_PX[int(rng.integers(len(SIZES_PX)))]
    settings = draw_settings(seed, split, set_name, size)
    camera = replace(settings.camera, fill=float(rng.uniform(*FILL)), aim=(0.0, 0.0))
    return replace(settings, camera=camera)


def _arranged(box: Box, settings: SceneSettings, rng: Random) -> TableTop:
    spots = _spots(box, settings.cards.gap_mm, rng)
    items = laid(spots, settings.cards, box.tile_set.pitch_mm, rng)
    # Tiles lie to the right of the origin and below it; the camera aims at the extent's middle.
    top = TableTop(tuple(items), box.faces, extent_of(items, box.faces))
    return add_props(top, settings, rng)


def _spots(box: Box, gap_mm: float, rng: Random) -> list[Spot]:
    step = box.tile_set.pitch_mm + gap_mm
    columns, rows = (int(n) for n in rng.integers(COLUMNS_AND_ROWS[0], COLUMNS_AND_ROWS[1], 2))
    kinds = [*box.tile_set.kinds, BACK]
    bag: list[str] = []
    taken: set[tuple[int, int]] = set()
    spots = []
    for y in range(rows):
        for x in range(columns):
            if (x, y) in taken or rng.random() < EMPTY_SHARE:
                continue
            # A bag of all kinds, refilled when empty, makes kinds equally frequent.
            bag = bag or [kinds[int(k)] for k in rng.permutation(len(kinds))]
            kind, turns = bag.pop(), int(rng.integers(4))
            cells = ((0, 0),) if kind == BACK else box.tile_set[kind].cells
            if len(cells) > 1:
                if (x + 1, y) in taken or x + 1 == columns:
                    continue
                taken.add((x + 1, y))
                turns = 2 * (turns % 2)
            # A card of two cells that is turned round has its first cell on the right.
            at = (x + len(cells) - 1 if turns == 2 else x, y)
            spots.append(
                Spot(
                    kind,
                    (at[0] * step, at[1] * step),
                    90.0 * turns,
                    cell_middles(cells, step, "square"),
                    {"tile": kind},
                )
            )
    return spots

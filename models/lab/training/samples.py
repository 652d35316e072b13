"""Samples to train the detector: drawn tables, the map of visible cells, every cell's corners."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import cv2
import numpy as np

from engine.lattice import HEX_STEPS, SQUARE_STEPS, hex_board
from models.lab.scenes.arrange import arrange
from models.lab.scenes.camera.camera import Camera
from models.lab.scenes.camera.canvas import Canvas
from models.lab.scenes.camera.develop import unpacked
from models.lab.scenes.scene import shot
from models.lab.scenes.settings import HEX_GAMES, INVENTED, NOTHING, SceneSettings, draw_settings
from models.lab.scenes.splits import Split, rng_of, surface_names
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.faces import Face, hex_outline, square_outline
from models.lab.scenes.world.lattices import cell_middles
from models.lab.scenes.world.things import Item, TableTop
from models.lab.training.disguise import as_blocks, on_mat, with_men

SQUARE, HEX, BOARD = range(3)
"""Kinds of cells: of a square tile, of a hex tile, an empty place printed on a hex board."""
SAMPLE_PX = (832, 624)
LARGE_PX = (1408, 1056)
"""Size of larger pictures, of which a part is taken sometimes, so that large tiles are sharp."""
MOST_CELLS = 640
SEEDS_A_PROCESS = 10_000_000
LEAST_SEEN = 0.45
"""Visible share of a tile below which finding it is neither required nor wrong."""
SHARES = {
    "invented-square": 0.28,
    "invented-hex": 0.17,
    "schlangennest": 0.09,
    "sssnake": 0.12,
    "carnival": 0.09,
    "snekagon": 0.02,
    "snekagon5g": 0.02,
    "nothing": 0.21,
}
THICK_SHARE, THICK_MM = 0.25, (3.0, 11.0)
"""Share and range of invented tiles that are thicker than any card, as wooden tiles are."""
BLOCK_SHARE, MAT_SHARE, TOPPED_SHARE = 0.3, 0.3, 0.3
"""Shares of invented sets that have one ground colour, lie on a mat, have things on top."""
FEW_SHARE, FEW = 0.2, 0.15
"""Share of invented sets that show only a few tiles, and the fullness of their tables."""
CHESS_SHARE, MEN_SHARE = 0.4, 0.75
"""Share of tables without tiles that have a chessboard, and of chessboards that have men."""
BRICK, BRICK_SHARE = "brick", 0.15
"""Family of surfaces whose corners and edges are hard to tell from cards, and its share."""


@dataclass(frozen=True, eq=False)
class Sample:
    """One drawn table in the format of the detector's training."""

    bgr: Array
    """Height x width x 3 of uint8, ``SAMPLE_PX`` large."""
    ids: Array
    """Height x width of int16: number of the visible cell, from 1; 0 for none, -1 where a tile is
    neither required nor wrong."""
    kinds: Array
    """One number a cell, of uint8: ``SQUARE``, ``HEX`` or ``BOARD``."""
    corners_px: Array
    """Cells x 6 x 2 of float32, clockwise; squares repeat their last corner."""
    cut_sides: Array
    """Cells x 6, of uint8: 1 where the side from a corner to the next is the edge of a piece of
    card, 0 where the same card goes on."""

    def padded(self) -> dict[str, Array]:
        """Return it as a batch of one, padded to ``MOST_CELLS`` cells."""
        count = len(self.kinds)
        cells = {"kinds": self.kinds, "corners": self.corners_px, "cut": self.cut_sides}
        rows = {
            name: np.pad(own, [(0, MOST_CELLS - count)] + [(0, 0)] * (own.ndim - 1))[None]
            for name, own in cells.items()
        }
        return {"bgr": self.bgr[None], "ids": self.ids[None], "counts": np.array([count]), **rows}


def sources(
    processes: int, seed: int, held_out: int
) -> list[Callable[[], Iterator[tuple[Split, Sample]]]]:
    """Return a source for each process: its held-out samples first, then endless training ones."""
    shares = [held_out // processes + (k < held_out % processes) for k in range(processes)]
    return [
        partial(_samples, (seed * 1000 + k) * SEEDS_A_PROCESS, share)
        for k, share in enumerate(shares)
    ]


def _samples(first_seed: int, held_out: int) -> Iterator[tuple[Split, Sample]]:
    for number in count():
        split: Split = "held-out" if number < held_out else "train"
        try:
            yield split, draw_sample(first_seed + number, split)
        except (ValueError, IndexError, KeyError, ArithmeticError, cv2.error) as error:
            # One table in a million that cannot be drawn must not end an hour of training.
            sys.stderr.write(f"table {first_seed + number} of {split}: {error!r}\n")


def draw_sample(seed: int, split: Split) -> Sample:
    """Return the sample of a seed."""
    rng = rng_of("detector sample", split, seed)
    subject = str(rng.choice(list(SHARES), p=np.array(list(SHARES.values()))))
    large = rng.random() < (0.6 if subject in HEX_GAMES else 0.2)
    settings = draw_settings(seed, split, subject, LARGE_PX if large else SAMPLE_PX)
    if subject == NOTHING and rng.random() < CHESS_SHARE:
        settings = replace(settings, negative="chessboard")
    if rng.random() < BRICK_SHARE:
        name = str(rng.choice(surface_names(split, BRICK)))
        settings = replace(settings, surface=replace(settings.surface, name=name))
    return sample_of(settings, rng)


def sample_of(settings: SceneSettings, rng: Random) -> Sample:
    """Return the sample that settings describe; invented sets are disguised."""
    unknown = settings.subject in INVENTED
    block = unknown and rng.random() < BLOCK_SHARE
    if unknown and rng.random() < (0.6 if block else THICK_SHARE):
        cards = replace(settings.cards, thickness_mm=float(rng.uniform(*THICK_MM)))
        settings = replace(settings, cards=cards)
    if unknown and rng.random() < FEW_SHARE:
        settings = replace(settings, fullness=float(rng.uniform(0, FEW)))
    top = arrange(settings)
    if block:
        top = as_blocks(top, rng)
    if unknown and rng.random() < MAT_SHARE:
        top = on_mat(top, rng)
    if settings.subject == NOTHING and rng.random() < MEN_SHARE:
        top = with_men(top, rng)
    canvas, jpeg = shot(settings, top)
    bgr = unpacked(jpeg)
    ids, found = _seen(top, canvas, settings.cards.size_mm)
    if unknown and rng.random() < TOPPED_SHARE:
        _put_on_tiles(bgr, found, rng)
    bgr, ids, origin = _part(bgr, ids, rng)
    return _packed(bgr, ids, found, origin)


def _seen(
    top: TableTop, canvas: Canvas, pitch_mm: float
) -> tuple[Array, list[tuple[int, Array, Array]]]:
    """Return the map of cell numbers, and kind, corners and cut sides of each cell."""
    ids = np.zeros(canvas.ids.shape, np.int16)
    found: list[tuple[int, Array, Array]] = []
    areas = np.bincount(canvas.ids.ravel(), minlength=len(top.items) + 1)
    for number, item in enumerate(top.items, start=1):
        if item.role not in ("tile", "aside", "board") or not areas[number]:
            continue
        face = top.faces[item.face]
        cells = cells_of(item, face, canvas.camera, pitch_mm)
        whole = sum(abs(cv2.contourArea(c.astype(np.float32))) for _, c, _ in cells)
        inside = _share_inside(item, face, canvas.camera)
        hidden = item.role != "board" and areas[number] < LEAST_SEEN * whole * inside
        _mark(ids, canvas.ids == number, cells, len(found), hidden=hidden)
        if not hidden:
            found += cells
    return ids, found


def cells_of(
    item: Item, face: Face, camera: Camera, pitch_mm: float
) -> list[tuple[int, Array, Array]]:
    """Return kind, corners in pixels and cut sides of each cell of a tile or board."""
    if item.role == "board":
        return _many(item, hex_board(6), camera, pitch_mm, BOARD)
    if len(face.cells) > 1:
        square = len(face.outline_mm) == 4
        return _many(item, face.cells, camera, pitch_mm, SQUARE if square else HEX)
    corners = camera.project(item.outline_mm(face))
    kind = SQUARE if len(corners) == 4 else HEX
    return [(kind, corners, np.ones(len(corners), np.uint8))]


def _many(
    item: Item, cells: Sequence[tuple[int, int]], camera: Camera, pitch_mm: float, kind: int
) -> list[tuple[int, Array, Array]]:
    square = kind == SQUARE
    unit = square_outline(pitch_mm) if square else hex_outline(pitch_mm)
    middles = cell_middles(cells, pitch_mm, "square" if square else "hex")
    # Sides by their neighbour: outlines start at the upper left, so a square's first side is the
    # upper one, a hex's first runs from the upper left to the top, towards the north-west.
    steps = SQUARE_STEPS if square else (HEX_STEPS[4], *HEX_STEPS[5:], *HEX_STEPS[:4])
    taken = set(cells)
    out = []
    for cell, middle in zip(cells, middles, strict=True):
        corners = camera.project(item.places_mm(unit + middle))
        cut = [(cell[0] + q, cell[1] + r) not in taken for q, r in steps]
        sides = np.zeros(len(unit)) if kind == BOARD else np.array(cut)
        out.append((kind, corners, sides.astype(np.uint8)))
    return out


def _share_inside(item: Item, face: Face, camera: Camera) -> float:
    outline = camera.project(item.outline_mm(face))
    width, height = camera.size_px
    low, high = outline.min(axis=0), outline.max(axis=0)
    shown = np.clip(high, 0, (width, height)) - np.clip(low, 0, (width, height))
    return float(np.prod(shown) / max(np.prod(high - low), 1e-6))


def _mark(
    ids: Array, seen: Array, cells: list[tuple[int, Array, Array]], first: int, *, hidden: bool
) -> None:
    """Write the numbers of cells into the map wherever their piece of card is seen."""
    if hidden:
        ids[seen] = -1
        return
    if len(cells) == 1:
        ids[seen] = first + 1
        return
    for number, (_, corners, _) in enumerate(cells, start=first + 1):
        low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 1, 0)
        high = np.maximum(np.ceil(corners.max(axis=0)).astype(int) + 2, 0)
        window = slice(low[1], high[1]), slice(low[0], high[0])
        part = np.zeros(ids[window].shape, np.uint8)
        if part.size:
            points = np.round((corners - low) * 16).astype(np.int32)
            cv2.fillPoly(part, [points], 1, cv2.LINE_8, 4)
            ids[window][(part > 0) & seen[window]] = number


def _put_on_tiles(bgr: Array, found: list[tuple[int, Array, Array]], rng: Random) -> None:
    """Paint discs and bars on tiles, like number tokens, houses and meeples."""
    colour = rng.uniform(20, 255, 3)
    share, size = float(rng.uniform(0.2, 1)), float(rng.uniform(0.15, 0.42))
    for _, corners, _ in found:
        if rng.random() > share:
            continue
        middle, reach = corners.mean(axis=0), np.ptp(corners, axis=0) / 2
        at = middle + rng.normal(0, 0.05, 2) * reach
        centre = (float(at[0]), float(at[1]))
        axes = (float(2 * reach[0] * size), float(2 * reach[1] * size))
        light = colour * float(rng.uniform(0.85, 1.1))
        cv2.ellipse(
            bgr,
            ((centre[0] + 1.5, centre[1] + 1.5), axes, 0.0),
            (light * 0.4).tolist(),
            -1,
            cv2.LINE_AA,
        )
        cv2.ellipse(bgr, (centre, axes, 0.0), light.tolist(), -1, cv2.LINE_AA)
        if rng.random() < 0.6:
            text, scale = str(int(rng.integers(2, 13))), max(0.2, size * float(reach.mean()) / 14)
            place = (int(at[0] - 9 * scale), int(at[1] + 9 * scale))
            cv2.putText(
                bgr,
                text,
                place,
                cv2.FONT_HERSHEY_SIMPLEX,
                scale,
                (light * 0.2).tolist(),
                max(1, round(scale * 2)),
                cv2.LINE_AA,
            )
        if rng.random() < 0.3:
            side = int(rng.integers(4))
            a, b = corners[side], corners[(side + 1) % len(corners)]
            ends = np.round([a + (b - a) * 0.2, a + (b - a) * 0.8]).astype(int)
            bar = rng.uniform(20, 255, 3).tolist()
            cv2.line(
                bgr,
                ends[0].tolist(),
                ends[1].tolist(),
                bar,
                max(1, int(reach.mean() * 0.12)),
                cv2.LINE_AA,
            )


def _part(bgr: Array, ids: Array, rng: Random) -> tuple[Array, Array, Array]:
    """Return a window of a large picture that shows some of its tiles, and its origin."""
    width, height = SAMPLE_PX
    spare = np.array([bgr.shape[1] - width, bgr.shape[0] - height])
    if not spare.any():
        return bgr, ids, np.zeros(2)
    ys, xs = np.nonzero(ids > 0)
    middle = np.array([bgr.shape[1], bgr.shape[0]]) * rng.random(2)
    if len(xs):
        pick = int(rng.integers(len(xs)))
        middle = np.array([xs[pick], ys[pick]]) + rng.normal(0, 80, 2)
    x, y = np.clip(middle - np.array(SAMPLE_PX) / 2, 0, spare).astype(int)
    window = slice(y, y + height), slice(x, x + width)
    return np.ascontiguousarray(bgr[window]), np.ascontiguousarray(ids[window]), np.array([x, y])


def _packed(bgr: Array, ids: Array, found: list[tuple[int, Array, Array]], origin: Array) -> Sample:
    """Return the sample with only those cells that its picture shows."""
    shown = np.unique(ids[ids > 0])[:MOST_CELLS]
    number = np.full(max(len(found), 1) + 1, -1, np.int16)
    number[0] = 0
    number[shown] = np.arange(1, len(shown) + 1)
    # Numpy would index -1 from the end, so pixels that are not judged are set again.
    ids = np.where(ids < 0, np.int16(-1), number[ids])
    corners = np.zeros((len(shown), 6, 2), np.float32)
    sides = np.zeros((len(shown), 6), np.uint8)
    kinds = np.zeros(len(shown), np.uint8)
    for row, index in enumerate(shown):
        kind, points, cut = found[index - 1]
        kinds[row] = kind
        corners[row, : len(points)] = points - origin
        corners[row, len(points) :] = points[-1] - origin
        sides[row, : len(cut)] = cut
    return Sample(bgr, ids, kinds, corners, sides)

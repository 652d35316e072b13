"""Samples to train the networks for hex boards: drawn tables, as each network will see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from math import cos, radians, sin
from typing import Any

import cv2
import numpy as np

from engine.lattice import HEX_SIDE_NAMES, HEX_STEPS, Cell, hex_board
from models.lab.scenes.arrange import arrange
from models.lab.scenes.camera.camera import Camera
from models.lab.scenes.camera.canvas import Canvas
from models.lab.scenes.camera.develop import unpacked
from models.lab.scenes.camera.truth import truth_of
from models.lab.scenes.photoreal.boards import CELL_POINTS, HIDDEN, SEEN, seen_share
from models.lab.scenes.scene import shot
from models.lab.scenes.settings import HEX_GAMES, NOTHING, draw_settings
from models.lab.scenes.splits import Split, rng_of
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.things import Item, TableTop
from vision.core.crop import GREY, Pyramid
from vision.core.lattice import mapped
from vision.hexes.boards import CROP_REACH, SHRINK, STRIDE, crop
from vision.hexes.cells import CELL_PX, CELLS, SIDE, SPAN, VIEW_PX, balanced, turned_cell
from vision.hexes.models import COLOURS, CONTENTS
from vision.hexes.plane import FIXED, OUTLINE_RADIUS, HexBoard, plane_of

FINDER_SIZE = 384
SIZES_PX = ((800, 600), (1024, 768), (1280, 720), (1280, 960), (1600, 1200), (1920, 1080))
SIZE_SHARES = {
    "snekagon": (0.25, 0.25, 0.25, 0.15, 0.07, 0.03),
    "snekagon5g": (0.05, 0.1, 0.2, 0.2, 0.25, 0.2),
}
LEAST_CELL_PX = 13.0
"""Width of the narrowest cells that are learnt from."""
LEAST_IN_PICTURE = 0.5
IGNORED = -1
UNKNOWN = 255
ASIDE_SHRINK = 0.7
NOTHING_SHARE = 0.08
"""Share of tables without any board."""
FINDER_VIEWS, PLACER_VIEWS, READER_VIEWS = 3, 4, 3


@dataclass(frozen=True)
class TrueBoard:
    """A drawn board and what lies on it."""

    camera: Camera
    item: Item
    cell_mm: float
    contents: dict[Cell, int]
    hidden: dict[Cell, int]
    clay: dict[Cell, tuple[int, int]]
    joined: dict[Cell, frozenset[int]]

    def px(self, plane: Array) -> Array:
        """Return the pixels of places on the board's plane."""
        return self.camera.project(self.item.places_mm(np.asarray(plane, float) * self.cell_mm))


@dataclass(frozen=True)
class HexTable:
    """A drawn table of a hex game."""

    bgr: Array
    boards: tuple[TrueBoard, ...]
    aside_cells: tuple[Array, ...]
    """Outlines of the cells of tiles beside the boards, in pixels."""
    truth: dict[str, Any]
    """The table state as a perfect reader would give it."""
    jpeg: bytes
    """The picture as a JPEG file."""


def hex_table(seed: int, game: str, split: Split, size_px: tuple[int, int] | None) -> HexTable:
    """Return the table of a seed with the whole truth about its cells."""
    settings = draw_settings(seed, split, game, size_px)
    top = arrange(settings)
    canvas, jpeg = shot(settings, top)
    cell_mm = settings.cards.size_mm
    boards = tuple(
        _true_board(top, canvas, item, number, cell_mm)
        for number, item in enumerate(top.items, start=1)
        if item.role == "board"
    )
    aside = tuple(
        outline
        for item in top.items
        if item.role == "aside" and item.face in top.faces
        for outline in _cell_outlines(item, top, canvas.camera, cell_mm)
    )
    return HexTable(unpacked(jpeg), boards, aside, truth_of(top, canvas), jpeg)


def _cell_outlines(item: Item, top: TableTop, camera: Camera, cell_mm: float) -> Iterator[Array]:
    turns = np.radians(60 * np.arange(6) - 30)
    ring = np.stack([np.cos(turns), np.sin(turns)], axis=1) / np.sqrt(3) * ASIDE_SHRINK
    for middle in plane_of(top.faces[item.face].cells):
        yield camera.project(item.places_mm((ring + middle) * cell_mm))


def _true_board(
    top: TableTop, canvas: Canvas, board: Item, number: int, cell_mm: float
) -> TrueBoard:
    own = {number}
    name = board.truth["board"]
    contents = dict.fromkeys(hex_board(SIDE), 0)
    clay: dict[Cell, tuple[int, int]] = {}
    joined: dict[Cell, frozenset[int]] = {}
    heights = dict.fromkeys(contents, board.top_mm)
    for q, r in _eyes(top):
        contents[q, r] = CONTENTS.index("eye")
    for other, item in enumerate(top.items, start=1):
        if item.role not in ("tile", "clay") or (item.truth.get("board") or 0) != name:
            continue
        own.add(other)
        if item.role == "clay":
            opens = item.truth.get("opens")
            side = HEX_SIDE_NAMES.index(opens) if opens else IGNORED
            clay[tuple(item.truth["cell"])] = (1 if item.truth["kind"] == "open" else 2, side)
            continue
        cells = [(q, r) for q, r in item.truth["cells"]]
        for q, r in cells:
            contents[q, r] = 1 + COLOURS.index(item.truth["tile"].partition("/")[0])
            heights[q, r] = item.top_mm
            joined[q, r] = frozenset(
                side for side, (dq, dr) in enumerate(HEX_STEPS) if (q + dq, r + dr) in cells
            )
    hidden = _hidden(canvas, board, cell_mm, heights, own)
    return TrueBoard(canvas.camera, board, cell_mm, contents, hidden, clay, joined)


def _eyes(top: TableTop) -> list[Cell]:
    from engine.setfile import built_in_set

    board = built_in_set(str(top.facts["set"])).extras["board"]
    return [(q, r) for q, r in board.get("eyes", ())]


def _hidden(
    canvas: Canvas, board: Item, cell_mm: float, heights: dict[Cell, float], own: set[int]
) -> dict[Cell, int]:
    """Return for each cell 1 where little of it is visible, 0 where most is, else -1."""
    result = {}
    for cell, height in heights.items():
        places = board.places_mm((plane_of([cell]) + CELL_POINTS) * cell_mm)
        places[:, 2] = height
        px = (canvas.camera.project(places) + 0.5) * canvas.ids_scale - 0.5
        seen = seen_share(px, canvas.ids, list(own))
        result[cell] = 1 if seen < HIDDEN else 0 if seen > SEEN else IGNORED
    return result


# --- for the network that finds boards -----------------------------------------------------------


def finder_sample(table: HexTable, rng: Random) -> tuple[Array, Array]:
    """Return a picture of fixed size, and maps of 0, 1 and 255 (unknown) at a quarter of it."""
    height, width = table.bgr.shape[:2]
    scale = 640 / max(height, width) * float(np.exp(rng.uniform(-0.35, 0.35)))
    turn = float(rng.uniform(0, 360))
    c, s = cos(radians(turn)) * scale, sin(radians(turn)) * scale
    flip = -1.0 if rng.random() < 0.5 else 1.0
    linear = np.array([[c * flip, -s], [s * flip, c]])
    middle = np.array([rng.uniform(0, width), rng.uniform(0, height)])
    if rng.random() < 0.7 and table.boards:
        board = table.boards[int(rng.integers(len(table.boards)))]
        middle = board.px(np.zeros((1, 2)))[0]
    shift = FINDER_SIZE * (0.5 + rng.uniform(-0.4, 0.4, 2)) - linear @ middle
    affine = np.column_stack([linear, shift])
    source = table.bgr
    if scale < 0.5:
        # Downscaling by more than two needs smoothing first.
        source = cv2.resize(source, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        affine = np.column_stack([linear * 2, shift])
    size = (FINDER_SIZE, FINDER_SIZE)
    picture = cv2.warpAffine(
        source,
        affine,
        size,
        flags=cv2.INTER_AREA,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(GREY,) * 3,
    )
    whole = np.column_stack([linear, shift])
    maps = np.zeros((2, FINDER_SIZE // STRIDE, FINDER_SIZE // STRIDE), np.uint8)
    for board in table.boards:
        # The border of the marked part is ambiguous to a pixel, so it is marked as unknown.
        for share, value in ((SHRINK + 0.04, UNKNOWN), (SHRINK - 0.04, 1)):
            _fill(maps[0], board.px(_ring(share)) @ whole[:, :2].T + whole[:, 2], value)
    for outline in table.aside_cells:
        _fill(maps[1], outline @ whole[:, :2].T + whole[:, 2], 1)
    return picture, maps


def _ring(share: float) -> Array:
    turns = np.radians(np.repeat(60 * np.arange(6), 4) - 120)
    corners = np.stack([np.cos(turns), np.sin(turns)], axis=1) * OUTLINE_RADIUS * share
    after = np.roll(corners, -4, axis=0)
    steps = np.tile(np.arange(4) / 4, 6)[:, None]
    return np.asarray(corners * (1 - steps) + after * steps)


def _fill(mask: Array, px: Array, value: int) -> None:
    corners = np.clip((px + 0.5) / STRIDE - 0.5, -2000, 2000)
    cv2.fillPoly(mask, [np.round(corners * 16).astype(np.int32)], value, cv2.LINE_8, 4)


# --- for the network that places boards ----------------------------------------------------------


def placer_sample(
    pyramid: Pyramid, board: TrueBoard, rng: Random
) -> tuple[Array, Array, int] | None:
    """Return a crop, the offsets of the fixed points in it, and whether it shows a board."""
    true_px = board.px(FIXED)
    width, height = pyramid.size_px
    inside = ((true_px >= 0) & (true_px <= (width, height))).all(axis=1).mean()
    first, _ = cv2.findHomography(FIXED, true_px)
    if inside < LEAST_IN_PICTURE:
        return None
    draw = rng.random()
    wrong = draw < 0.12
    jitter = _lost(rng) if wrong else _jitter(rng, 1.0 if draw < 0.6 else 0.15)
    turn = rng.integers(6) * np.pi / 3
    c, s = np.cos(turn), np.sin(turn)
    sixth = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    view = HexBoard(
        first @ sixth @ jitter, ((width - 1) / 2, (height - 1) / 2), float(np.hypot(width, height))
    )
    if not 2.0 < view.cell_px() < 400:
        return None
    seen = crop(pyramid, view)
    # A sixth of a turn maps the board onto itself: points are numbered as in the turned view.
    px = board.px(mapped(sixth, FIXED))
    moved = mapped(np.asarray(np.linalg.inv(view.px_from_plane), np.float64), px) - FIXED
    if not wrong and np.abs(moved).max() > CROP_REACH:
        return None
    return seen, moved.astype(np.float32).ravel(), 0 if wrong else 1


def nowhere_sample(pyramid: Pyramid, rng: Random) -> tuple[Array, Array]:
    """Return a random crop of a table without boards, and the target that says so."""
    width, height = pyramid.size_px
    view = _jitter(rng, 1.0)
    view[2, :2] = 0
    view[:2, :2] *= min(width, height) / 14 * float(np.exp(rng.uniform(-1.6, 0.2)))
    view[:2, 2] = rng.uniform(0, 1, 2) * (width, height)
    board = HexBoard(view, ((width - 1) / 2, (height - 1) / 2), float(np.hypot(width, height)))
    return crop(pyramid, board), np.zeros(2 * len(FIXED) + 1, np.float32)


def _jitter(rng: Random, size: float) -> Array:
    turn = radians(float(rng.uniform(-29, 29))) * size
    c, s = cos(turn), sin(turn)
    scale = np.exp(rng.normal(0, 0.09, 2) * size + rng.normal(0, 0.09) * size)
    shear = np.eye(2) + rng.normal(0, 0.06, (2, 2)) * size
    out = np.eye(3)
    out[:2, :2] = np.array([[c, -s], [s, c]]) @ shear * scale
    out[:2, 2] = rng.normal(0, 0.7, 2) * size
    out[2, :2] = rng.normal(0, 0.012, 2) * size
    return out


def _lost(rng: Random) -> Array:
    """Return a view that does not show exactly one whole board."""
    out = _jitter(rng, 1.0)
    kind = rng.random()
    if kind < 0.4:
        around = rng.uniform(0, 2 * np.pi)
        out[:2, 2] += np.array([np.cos(around), np.sin(around)]) * rng.uniform(6, 20)
    elif kind < 0.7:
        out[:2, :2] *= rng.uniform(1.9, 3.0)
    else:
        out[:2, :2] *= rng.uniform(0.12, 0.4)
        out[:2, 2] += rng.uniform(-4, 4, 2)
    return out


# --- for the network that reads cells ------------------------------------------------------------


def cells_sample(pyramid: Pyramid, board: TrueBoard, rng: Random) -> tuple[Array, Array] | None:
    """Return a rectified board and its labels, SPAN x SPAN x 10, -1 where unknown.

    Labels are: content, hidden, clay, the side that it opens to, and the six sides.
    """
    probe = board.px(plane_of([(0, 0), (1, 0), (0, 1), (4, -5), (-4, 5), (5, -1), (-5, 1)]))
    step = np.sqrt(abs(np.linalg.det(np.stack([probe[1] - probe[0], probe[2] - probe[0]]))))
    if step / 0.93 < LEAST_CELL_PX:
        return None
    turn, mirror = int(rng.integers(6)), bool(rng.random() < 0.5)
    steps = (np.arange(VIEW_PX) + 0.5) / CELL_PX - SPAN / 2
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    away = np.eye(3)
    away[:2, :2] += rng.normal(0, 0.006, (2, 2))
    away[:2, 2] = rng.normal(0, 0.06, 2)
    away[2, :2] = rng.normal(0, 0.0008, 2)
    source = mapped(away, plane_of(_source(grid, turn, mirror)))
    places = board.px(source).reshape(VIEW_PX, VIEW_PX, 2).astype(np.float32)
    seen = pyramid.sampled(places, float(step) / 0.93 / CELL_PX)
    labels = np.full((SPAN, SPAN, 10), IGNORED, np.int8)
    sides = [_side(side, turn, mirror) for side in range(6)]
    for cell in CELLS:
        old = _source_cell(cell, turn, mirror)
        place = labels[cell[1] + SIDE, cell[0] + SIDE]
        place[0], place[1] = board.contents[old], board.hidden[old]
        kind, opens = board.clay.get(old, (0, IGNORED))
        place[2] = kind
        place[3] = sides.index(opens) if opens >= 0 else IGNORED
        if old in board.joined:
            place[4:] = [sides[side] in board.joined[old] for side in range(6)]
        if board.hidden[old] == 1:
            place[2:4] = IGNORED
    return balanced(seen), labels


def _source(cells: Array, turn: int, mirror: bool) -> Array:
    """Return the board's own cells (real numbers) that a turned and mirrored view shows."""
    q, r = cells[:, 0], cells[:, 1]
    if mirror:
        q = -q - r
    for _ in range(turn):
        q, r = -r, q + r
    return np.stack([q, r], axis=1)


def _source_cell(cell: Cell, turn: int, mirror: bool) -> Cell:
    q, r = cell
    return turned_cell((-q - r, r) if mirror else (q, r), turn)


def _side(side: int, turn: int, mirror: bool) -> int:
    """Return the board's own side that a turned and mirrored view shows as ``side``."""
    return HEX_STEPS.index(_source_cell(HEX_STEPS[side], turn, mirror))


# --- all of them, drawn by other processes -------------------------------------------------------


def drawn(seed: int, split: Split) -> dict[str, Any]:
    """Return the samples of one table."""
    rng = rng_of("hex-samples", split, seed)
    # Boards of 5G carry five colours, clay and eyes, and one table shows several of them.
    game = HEX_GAMES[int(rng.random() < 0.6)]
    size = SIZES_PX[int(rng.choice(len(SIZES_PX), p=SIZE_SHARES[game]))]
    game = NOTHING if rng.random() < NOTHING_SHARE else game
    table = hex_table(seed, game, split, size)
    pyramid = Pyramid(table.bgr)
    finder = [finder_sample(table, rng) for _ in range(FINDER_VIEWS)]
    placer = [placer_sample(pyramid, b, rng) for b in table.boards for _ in range(PLACER_VIEWS)]
    reader = [cells_sample(pyramid, b, rng) for b in table.boards for _ in range(READER_VIEWS)]
    samples: dict[str, Any] = {
        "finder": np.stack([f[0] for f in finder]),
        "marks": np.stack([f[1] for f in finder]),
    }
    placed = [one for one in placer if one is not None]
    if placed:
        samples["placer"] = np.stack([p[0] for p in placed])
        samples["moved"] = np.stack([np.append(p[1], np.float32(p[2])) for p in placed])
    elif not table.boards:
        views = [nowhere_sample(pyramid, rng) for _ in range(PLACER_VIEWS)]
        samples["placer"] = np.stack([view[0] for view in views])
        samples["moved"] = np.stack([view[1] for view in views])
    read = [one for one in reader if one is not None]
    if read:
        samples["reader"] = np.stack([r[0] for r in read])
        samples["labels"] = np.stack([r[1] for r in read])
    return samples


def sources(
    processes: int, seed: int, held_out: int
) -> list[Callable[[], Iterator[tuple[Split, dict[str, Any]]]]]:
    """Return a source for each process; a fifth of them draw held-out tables first."""
    some = max(1, processes // 5)
    return [
        partial(_tables, number, processes, seed * 1_000_000, held_out // some, some)
        for number in range(processes)
    ]


def _tables(
    number: int, processes: int, first: int, held_out: int, some: int
) -> Iterator[tuple[Split, dict[str, Any]]]:
    held = range(number, some * held_out, some) if number < some else range(0)
    train = count(first + number, processes)
    sides: list[tuple[Split, Iterable[int]]] = [("held-out", held), ("train", train)]
    for split, seed in ((split, seed) for split, seeds in sides for seed in seeds):
        try:
            yield split, drawn(seed, split)
        except KeyError:
            # A few scenes cannot be drawn.
            continue

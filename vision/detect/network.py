"""Runs the network that detects tiles, and extracts cells from its output maps.

Each pixel on a tile predicts the offset to the tile's centre, and the tile's size, stretch and
turn. These votes are accumulated at the centres, each weighted by its share of the tile's area: a
tile whose pixels all agree counts 1, half a tile a half, and a few stray pixels nearly nothing.

The network itself is data: ``models/trained/detector.onnx`` with a manifest beside it that states
its input, its outputs and its hash; a file that does not match is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.crop import shrunk
from vision.core.errors import ModelError
from vision.core.files import TRAINED, Runner, read_file, read_manifest
from vision.core.types import Bgr, Points

Floats = NDArray[np.float32]
Array = NDArray[np.float64]

MANIFEST, QUICK_FILE = "detector.json", "detector_quick.onnx"
FORMAT, VERSION = "snake-eye/detector", 1
CHANNELS = (
    "square",
    "hex",
    "board",
    "side",
    "cut",
    "centre",
    "offset_x",
    "offset_y",
    "log_size",
    "stretch_x",
    "stretch_y",
    "turn_cos",
    "turn_sin",
)
"""The output maps in order: six logits, then regression values of the cell that a pixel shows."""
STRIDE, STEP, SIZE_PX = 4, 32, 16.0
WANTED = {
    "format": FORMAT,
    "version": VERSION,
    "colour": "bgr",
    "stride": STRIDE,
    "step": STEP,
    "channels": list(CHANNELS),
}
"""Values that the manifest must have."""
REACH_PX = 192
"""How far from a pixel of the input its output depends on others; a multiple of ``STEP``."""
MOST_PIXELS = 2e6
"""Larger inputs run in parts: one of 5 megapixels takes 240 MB of memory, in parts half as much."""
GREY = 128
"""Grey level that pads the network's input."""
SHARE = np.float32(1 / 255)


@dataclass(frozen=True, eq=False)
class TileMaps:
    """The network's output for one picture, or a part of it."""

    maps: Floats
    """Channels x rows x columns; logits and regression values as ``CHANNELS`` lists them."""
    scale: tuple[float, float]
    """Pixels of the network's input per pixel of the picture, across and down."""
    origin_px: tuple[float, float] = (0.0, 0.0)
    """Upper left corner of the part that was looked at, in pixels of the picture."""

    def __post_init__(self) -> None:
        if self.maps.ndim != 3 or len(self.maps) != len(CHANNELS):
            raise ValueError(
                f"maps are {len(CHANNELS)} x rows x columns, but got {self.maps.shape}"
            )

    def share(self, name: str) -> Floats:
        """Return one of the six logit maps as probabilities, 0 to 1."""
        logits = self.maps[CHANNELS.index(name)]
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)

    def picture_px(self, map_xy: Points) -> Points:
        """Convert map coordinates, N x 2, to pixels of the picture."""
        inner = np.asarray(map_xy, float) * STRIDE + STRIDE / 2
        return np.asarray(inner / np.array(self.scale) - 0.5 + np.array(self.origin_px))

    def map_xy(self, points_px: Points) -> Points:
        """Convert pixels of the picture, N x 2, to map coordinates."""
        inner = (np.asarray(points_px, float) + 0.5 - np.array(self.origin_px)) * self.scale
        return np.asarray((inner - STRIDE / 2) / STRIDE)


class TileNetwork:
    """The detector network, loaded and checked once; safe to use from several threads."""

    def __init__(self, folder: Path = TRAINED) -> None:
        self.manifest = read_manifest(folder / MANIFEST, WANTED)
        path = folder / str(self.manifest.get("file"))
        self._runner = Runner(read_file(path, self.manifest.get("sha256")), path.name)
        quick = self.manifest.get("quick")
        self._quick_runner = self._runner if quick is None else _quick_copy(folder, quick)

    def look(
        self,
        bgr: Bgr,
        scale: float,
        box: tuple[int, int, int, int] | None = None,
        *,
        quick: bool = False,
    ) -> TileMaps:
        """Return the maps of a picture made ``scale`` times as large.

        Args:
            bgr: the picture.
            scale: below 1 it is made smaller.
            box: left, top, right and bottom of the part to look at; by default the whole picture.
            quick: runs the integer-quantised copy, which takes little more than half as long.
        """
        left, top, right, bottom = box or (0, 0, bgr.shape[1], bgr.shape[0])
        small, scales = shrunk(bgr[top:bottom, left:right], scale, quick=quick)
        maps = run_in_parts(self._quick_runner if quick else self._runner, small)
        return TileMaps(maps, scales, (float(left), float(top)))


def _quick_copy(folder: Path, entry: Any) -> Runner:
    """Return the integer-quantised copy of the network.

    Raises:
        ModelError: the copy is missing, or does not match the manifest.
    """
    if not isinstance(entry, dict):
        raise ModelError(f"{folder / MANIFEST} says nothing of its quick copy; run 'make train'")
    path = folder / str(entry.get("file"))
    return Runner(read_file(path, entry.get("sha256")), path.name)


def run_in_parts(runner: Runner, small: Bgr, most_pixels: float = MOST_PIXELS) -> Floats:
    """Return the maps of an input; one above some size runs in parts.

    The parts overlap by so much that the maps are the same as those of one run.
    """
    rows, columns = (-(-length // STRIDE) for length in small.shape[:2])
    maps = np.empty((len(CHANNELS), rows, columns), np.float32)
    parts = math.ceil(math.sqrt(small.shape[0] * small.shape[1] / most_pixels))
    for down in _spans(small.shape[0], parts):
        for across in _spans(small.shape[1], parts):
            (shown_y, kept_y), (shown_x, kept_x) = down, across
            part = runner.run(padded(small[shown_y, shown_x]))[0]
            target = maps[:, _on_map(kept_y), _on_map(kept_x)]
            y, x = ((kept.start - shown.start) // STRIDE for shown, kept in (down, across))
            target[:] = part[:, y : y + target.shape[1], x : x + target.shape[2]]
    return maps


def _spans(length: int, parts: int) -> Iterator[tuple[slice, slice]]:
    """Yield along one axis what each part shows the network, and what it keeps of that."""
    step = -(-length // parts // STEP) * STEP
    for start in range(0, length, step):
        end = min(length, start + step)
        yield slice(max(0, start - REACH_PX), min(length, end + REACH_PX)), slice(start, end)


def _on_map(pixels: slice) -> slice:
    return slice(pixels.start // STRIDE, -(-pixels.stop // STRIDE))


def padded(small: Bgr) -> Floats:
    """Return a picture as network input, padded with grey to multiples of ``STEP``."""
    height, width = small.shape[:2]
    high, wide = height + -height % STEP, width + -width % STEP
    blob = np.full((1, 3, high, wide), GREY / 255, np.float32)
    for channel, plane in zip(blob[0], cv2.split(small), strict=True):
        np.multiply(plane, SHARE, out=channel[:height, :width], dtype=np.float32)
    return blob


@lru_cache(maxsize=1)
def shipped_network() -> TileNetwork:
    """Return the network that the repository ships, loaded on first use."""
    return TileNetwork()


CellKind = Literal["square", "hex", "board"]
KINDS: tuple[CellKind, ...] = ("square", "hex", "board")

LEAST_SHOWN = 0.35
"""Minimum tile probability for a pixel to vote."""
LEAST_PEAK = 0.2
"""Minimum share of a tile's area that must vote for a centre."""
APART = 1.1
"""Minimum distance between two centres in half widths; those of neighbours are 2 apart."""
CLOSE = 0.45
"""Maximum distance of a vote from the centre that it counts for, in half widths."""
LARGEST_LOG, LARGEST_STRETCH = 3.0, 1.2
"""Bounds of a vote's values: half widths up to 20 times ``SIZE_PX``, views from 17 degrees."""

SQUARE_UNIT = np.array([(-1.0, -1), (1, -1), (1, 1), (-1, 1)])
HEX_ANGLES = np.arange(6) * np.pi / 3
HEX_UNIT = np.stack([np.cos(HEX_ANGLES), np.sin(HEX_ANGLES)], axis=1)
HEX_AREA, SQUARE_AREA = 3 * np.sqrt(3) / 2, 4.0
"""Areas of the two unit outlines."""


@dataclass(frozen=True, eq=False)
class FoundCell:
    """One cell that pixels agree on, in pixels of the picture."""

    corners_px: Points
    """Corners in clockwise order, 4 or 6."""
    kind: CellKind
    shares: tuple[float, float, float]
    """Probabilities of a square tile, a cell of a hex tile, and an empty cell of a board."""
    agreed: float
    """Share of the cell's area that votes for it, about 1 for a fully visible tile."""

    @property
    def centre_px(self) -> Points:
        """Mean of the corners."""
        return np.asarray(self.corners_px.mean(axis=0))

    @property
    def confidence(self) -> float:
        """Confidence that there is such a cell, 0 to 1."""
        return float(min(1.0, self.agreed) * max(self.shares))


@dataclass(frozen=True, eq=False)
class _Votes:
    """The votes of pixels that show tiles; lengths are in pixels of the maps."""

    middles: Array
    half: Array
    numbers: Array
    """N x 5: log size, two components of the stretch, cosine and sine of the turn."""
    shares: Array
    """Probabilities of ``KINDS``, N x 3."""
    worth: Array


def found_cells(seen: TileMaps, kinds: tuple[CellKind, ...] = KINDS) -> tuple[FoundCell, ...]:
    """Return the cells of some kinds that the maps show, those with most votes first."""
    votes = _votes(seen, kinds)
    if not len(votes.worth):
        return ()
    rows, columns = seen.maps.shape[1:]
    peaks = _peaks(votes, rows, columns)
    if not len(peaks):
        return ()
    owner = _owners(votes, peaks, rows, columns)
    # Reassign votes around the mean of each tile's votes: a peak is only exact to a pixel.
    middles = _means(votes.middles, owner, votes.worth, len(peaks))
    owner = _still_close(votes, middles, owner)
    return _cells(seen, votes, owner, len(peaks), kinds)


def _votes(seen: TileMaps, kinds: tuple[CellKind, ...]) -> _Votes:
    wanted = [KINDS.index(kind) for kind in kinds]
    # The first three maps are the logits of ``KINDS``.
    likely = np.maximum.reduce([seen.maps[kind] for kind in wanted])
    ys, xs = np.nonzero(likely >= np.log(LEAST_SHOWN / (1 - LEAST_SHOWN)))
    own = 1 / (1 + np.exp(-np.clip(seen.maps[:3, ys, xs].T.astype(np.float64), -30, 30)))
    shown = own[:, wanted].max(axis=1)
    middles, half = votes_at(seen, xs, ys)
    pick = seen.maps[9:, ys, xs].astype(np.float64)
    stretch = np.clip(pick[:2], -LARGEST_STRETCH, LARGEST_STRETCH)
    numbers = np.stack([np.log(half * STRIDE / SIZE_PX), *stretch, *pick[2:]], axis=1)
    area = np.where(own[:, 0] >= own[:, 1:].max(axis=1), SQUARE_AREA, HEX_AREA) * half**2
    return _Votes(middles, half, numbers, own, shown / np.maximum(area, 1.0))


def votes_at(seen: TileMaps, x: Any, y: Any) -> tuple[Array, Array]:
    """Return the tile centres that places of the maps vote for, and the half widths."""
    right, down, log_size = seen.maps[6:9, y, x].astype(np.float64)
    half = np.exp(np.clip(log_size, -LARGEST_LOG, LARGEST_LOG)) * SIZE_PX / STRIDE
    return np.stack([x + right * half, y + down * half], axis=-1), half


def _peaks(votes: _Votes, rows: int, columns: int) -> Array:
    """Return the peaks of the votes, with neighbouring ones suppressed, the strongest first."""
    # Centres may lie a little outside the picture: its edge cuts tiles.
    margin = 8
    xs = np.round(votes.middles[:, 0]).astype(int) + margin
    ys = np.round(votes.middles[:, 1]).astype(int) + margin
    wide, high = columns + 2 * margin, rows + 2 * margin
    inside = (xs >= 0) & (ys >= 0) & (xs < wide) & (ys < high)
    if not inside.any():
        return np.zeros((0, 2))
    place = ys[inside] * wide + xs[inside]
    count = np.bincount(place, votes.worth[inside], wide * high)
    size = np.bincount(place, votes.worth[inside] * votes.half[inside], wide * high)
    heap = cv2.blur(count.reshape(high, wide), (3, 3)) * 9
    highest = cv2.dilate(heap, np.ones((3, 3)))
    top_y, top_x = np.nonzero((heap >= highest) & (heap >= LEAST_PEAK))
    order = np.argsort(-heap[top_y, top_x], kind="stable")
    top = np.stack([top_x[order], top_y[order]], axis=1).astype(float)
    around = cv2.blur(size.reshape(high, wide), (3, 3)) * 9
    half = (around / np.maximum(heap, 1e-9))[top_y, top_x][order]
    return _thinned(top, half) - margin


def _thinned(places: Array, half: Array) -> Array:
    """Return the places after non-maximum suppression: none lies in the tile of a stronger one."""
    kept: list[int] = []
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    close = apart < APART * np.minimum(half[:, None], half[None])
    dropped = np.zeros(len(places), bool)
    for index in range(len(places)):
        if not dropped[index]:
            kept.append(index)
            dropped |= close[index]
    return places[kept]


def _owners(votes: _Votes, peaks: Array, rows: int, columns: int) -> NDArray[np.int64]:
    """Return for each vote the index of its centre, or -1."""
    margin = 8
    ground = np.full((rows + 2 * margin, columns + 2 * margin), 255, np.uint8)
    at = np.round(peaks).astype(int) + margin
    ground[at[:, 1], at[:, 0]] = 0
    _, labels = cv2.distanceTransformWithLabels(
        ground, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    number = np.full(int(labels.max()) + 1, -1)
    number[labels[at[:, 1], at[:, 0]]] = np.arange(len(peaks))
    x = np.clip(np.round(votes.middles[:, 0]).astype(int) + margin, 0, labels.shape[1] - 1)
    y = np.clip(np.round(votes.middles[:, 1]).astype(int) + margin, 0, labels.shape[0] - 1)
    owner = number[labels[y, x]]
    # A peak is only exact to a pixel: votes for small tiles may miss it by that much more.
    miss = np.linalg.norm(votes.middles - peaks[owner], axis=1) - 0.7
    return np.where(miss < CLOSE * votes.half, owner, -1)


def _still_close(votes: _Votes, middles: Array, owner: NDArray[np.int64]) -> NDArray[np.int64]:
    miss = np.linalg.norm(votes.middles - middles[owner], axis=1)
    return np.where((owner >= 0) & (miss < CLOSE * votes.half), owner, -1)


def _means(values: Array, owner: NDArray[np.int64], worth: Array, count: int) -> Array:
    """Return the weighted mean of each owner's rows."""
    mine = owner >= 0
    total = np.bincount(owner[mine], worth[mine], count)
    sums = [np.bincount(owner[mine], worth[mine] * v[mine], count) for v in values.T]
    return np.stack(sums, axis=1) / np.maximum(total, 1e-12)[:, None]


def _cells(
    seen: TileMaps,
    votes: _Votes,
    owner: NDArray[np.int64],
    count: int,
    kinds: tuple[CellKind, ...],
) -> tuple[FoundCell, ...]:
    mine = owner >= 0
    agreed = np.bincount(owner[mine], votes.worth[mine], count)
    middles = _means(votes.middles, owner, votes.worth, count)
    numbers = _means(votes.numbers, owner, votes.worth, count)
    shares = _means(votes.shares, owner, votes.worth, count)
    wanted = [KINDS.index(kind) for kind in kinds]
    order = np.argsort(-agreed, kind="stable")
    order = order[agreed[order] >= LEAST_PEAK]
    own = [kinds[best] for best in shares[order][:, wanted].argmax(axis=1).tolist()]
    corners = {
        square: middles[order][:, None] + outline_of(numbers[order], square=square) / STRIDE
        for square in {kind == "square" for kind in own}
    }
    corners = {square: seen.picture_px(every) for square, every in corners.items()}
    out = []
    for number, (index, kind) in enumerate(zip(order.tolist(), own, strict=True)):
        a, b, c = shares[index].tolist()
        outline = corners[kind == "square"][number]
        out.append(FoundCell(outline, kind, (a, b, c), float(agreed[index])))
    return tuple(out)


def outline_of(numbers: Array, *, square: bool) -> Array:
    """Return the corners of cells relative to their centres, in pixels of the network's input.

    Args:
        numbers: log size, stretch and turn of each cell, five values in the last axis.
        square: whether cells have four corners or six; the corners are in the last axis but one.
    """
    log_size, a, b, cos, sin = np.moveaxis(np.asarray(numbers, float), -1, 0)
    stretch = np.maximum(np.hypot(a, b), 1e-9)
    # Closed form of the matrix exponential of a symmetric, traceless matrix.
    even, odd = np.cosh(stretch), np.sinh(stretch) / stretch
    matrix = np.array([[even + odd * a, odd * b], [odd * b, even - odd * a]])
    turn = np.arctan2(sin, cos) / (4 if square else 6)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    unit = SQUARE_UNIT if square else HEX_UNIT
    corners = np.einsum("ij...,jk...,ck->...ci", matrix, spin, unit)
    return np.asarray(corners * (np.exp(log_size) * SIZE_PX)[..., None, None])

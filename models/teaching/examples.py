"""Tiles cut out of photographs as training examples, and their random augmentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import Bgr, Points
from vision.classify.embedding import described
from vision.core.crop import MARGIN, PATCH_PX, Patches, alone, cut_one, patch_corners

Random = np.random.Generator

KEPT_PX = 112
GRAINS = 1 << 18
DARKEST = 1.6
"""Greatest darkening of a tile in low light, as a natural logarithm."""
ROOM = 1.35
"""Examples are kept with this factor of room around them, to simulate outlines that miss."""
Floats = NDArray[np.float32]

ROUNDS = 4
"""Rounds of alignment: two settle most kinds, more are for kinds with many unlike examples."""


def folds_of(shape: str) -> int:
    """Return the number of turns that bring a tile back to its start."""
    return 4 if shape == "square" else 6


@dataclass(frozen=True, slots=True)
class Hardness:
    """How far augmentation changes a tile from the photograph it was learnt from."""

    shift: float = 0.04
    """Shift of the outline in widths; standard deviation, as are the next three fields."""
    size: float = 0.035
    turn_deg: float = 2.0
    lean: float = 0.03
    """Stretch along a random direction."""
    gain: float = 0.2
    channel: float = 0.1
    """Brightness, and that of each colour channel, as natural logarithms."""
    shade: float = 0.12
    """Brightness gradient across the tile, as a natural logarithm."""
    colour: float = 0.35
    """Saturation as a natural logarithm: cameras and lamps differ most in it."""
    curve: float = 0.15
    """Gamma of the tone curve, as a natural logarithm."""
    veil: float = 0.12
    """Veiling glare: share of white that a lens or a lamp lays over everything."""
    blur_px: float = 2.2
    noise: float = 7.0
    coarsest_px: float = 24.0
    """Smallest width of a tile in a picture."""
    dark: float = 0.2
    """Probability of low light, in which the camera's noise shows."""
    beside: float = 0.7
    """Probability that a tile's surroundings are replaced, since they are no part of it."""

    def times(self, factor: float) -> Hardness:
        """Return the hardness with all deviations multiplied by a factor."""
        misses = (
            "shift",
            "size",
            "turn_deg",
            "lean",
            "gain",
            "channel",
            "shade",
            "colour",
            "curve",
            "veil",
        )
        return replace(self, **{name: getattr(self, name) * factor for name in misses})


@dataclass(frozen=True, eq=False)
class Examples:
    """Labelled tiles, with the turns by which their prints are upright to the owner."""

    patches: Patches
    """N x 112 x 112 x 3 of uint8, with room around the tile."""
    tiles: tuple[str, ...]
    turns: NDArray[np.int64]
    """Clockwise turns of the print against its patch; -1 where the kind has no up."""
    photos: tuple[str, ...]
    """File name of the photograph that each example comes from."""

    def __len__(self) -> int:
        return len(self.tiles)

    def some(self, numbers: Sequence[int]) -> Examples:
        """Return the examples with these numbers."""
        picked = list(numbers)
        return Examples(
            self.patches[picked],
            tuple(self.tiles[n] for n in picked),
            self.turns[picked],
            tuple(self.photos[n] for n in picked),
        )


def without_strangers(examples: Examples, stranger: str) -> tuple[Examples, Examples]:
    """Return the examples that are tiles, and those that are strangers."""
    is_tile = np.array([tile != stranger for tile in examples.tiles], bool)
    return (
        examples.some(np.flatnonzero(is_tile).tolist()),
        examples.some(np.flatnonzero(~is_tile).tolist()),
    )


def joined(parts: Sequence[Examples]) -> Examples:
    """Return all examples of several photographs."""
    return Examples(
        np.concatenate([part.patches for part in parts]),
        tuple(tile for part in parts for tile in part.tiles),
        np.concatenate([part.turns for part in parts]),
        tuple(photo for part in parts for photo in part.photos),
    )


def cut_example(bgr: Bgr, corners_px: Points) -> Bgr:
    """Return a tile cut out with room around it."""
    middle = corners_px.mean(axis=0)
    return cut_one(bgr, middle + (corners_px - middle) * ROOM, KEPT_PX)


def varied(
    patches: Patches, steps: Sequence[int], folds: int, rng: Random, hardness: Hardness
) -> Patches:
    """Return an augmented variant of each example, turned clockwise by steps of its lattice."""
    out = np.empty((len(patches), PATCH_PX, PATCH_PX, 3), np.uint8)
    inside = inside_of(folds)
    for number, (patch, step) in enumerate(zip(patches, steps, strict=True)):
        around = _something(patches, rng) if rng.random() < hardness.beside else patch
        lying = np.asarray(cv2.copyTo(patch, inside, np.array(around, order="C")), np.uint8)
        out[number] = _varied(lying, step * 2 * np.pi / folds, rng, hardness)
        if folds == folds_of("hex"):
            out[number] = alone(out[number])
    return out


@lru_cache(maxsize=2)
def inside_of(folds: int) -> NDArray[np.uint8]:
    """Return a mask of the pixels of a kept patch that the tile covers."""
    corners = patch_corners(folds, KEPT_PX)
    middle = (KEPT_PX - 1) / 2
    mask = np.zeros((KEPT_PX, KEPT_PX), np.uint8)
    cv2.fillConvexPoly(mask, np.round(middle + (corners - middle) / ROOM).astype(np.int32), 1)
    return mask


def _something(patches: Patches, rng: Random) -> Bgr:
    """Return random surroundings of a tile: another example, or a plain colour."""
    if rng.random() < 0.5:
        return np.asarray(patches[int(rng.integers(len(patches)))])
    colour = rng.uniform(10, 245, 3).astype(np.uint8)
    return np.broadcast_to(colour, (KEPT_PX, KEPT_PX, 3))


def plain(patches: Patches, steps: Sequence[int], folds: int) -> Patches:
    """Return the examples cut as in play, turned but otherwise unchanged."""
    still = Hardness(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, PATCH_PX, 0, 0)
    return varied(patches, steps, folds, np.random.default_rng(0), still)


def _varied(patch: Bgr, turn: float, rng: Random, hardness: Hardness) -> Bgr:
    placed = cv2.warpAffine(
        patch,
        _source_from_patch(turn, rng, hardness),
        (PATCH_PX, PATCH_PX),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    wide = float(rng.uniform(hardness.coarsest_px, 2.5 * PATCH_PX))
    if wide < PATCH_PX:
        small = max(int(wide), 8)
        placed = cv2.resize(placed, (small, small), interpolation=cv2.INTER_AREA)
        placed = cv2.resize(placed, (PATCH_PX, PATCH_PX), interpolation=cv2.INTER_LINEAR)
    blur = float(rng.uniform(0, hardness.blur_px)) if hardness.blur_px else 0.0
    if blur > 0.3:
        placed = cv2.GaussianBlur(placed, (0, 0), blur)
    return _lit(np.asarray(placed, np.uint8), rng, hardness)


def _source_from_patch(turn: float, rng: Random, hardness: Hardness) -> NDArray[np.float64]:
    """Return the affine map from a patch of play to the kept patch that it is taken from."""
    # A print turned clockwise is sampled where it was before the turn.
    angle = -turn + np.radians(rng.normal(0, hardness.turn_deg))
    c, s = np.cos(angle), np.sin(angle)
    a, b = rng.normal(0, hardness.lean, 2)
    stretch = np.eye(2) + np.array([[a, b], [b, -a]])
    size = KEPT_PX / PATCH_PX / ROOM * np.exp(rng.normal(0, hardness.size))
    matrix = np.array([[c, -s], [s, c]]) @ stretch * size
    width = KEPT_PX * (1 - 2 * MARGIN) / ROOM
    middle = (KEPT_PX - 1) / 2 + rng.normal(0, hardness.shift, 2) * width
    offset = middle - matrix @ np.full(2, (PATCH_PX - 1) / 2)
    return np.column_stack([matrix, offset])


def _lit(patch: Bgr, rng: Random, hardness: Hardness) -> Bgr:
    gains = np.exp(rng.normal(0, hardness.gain) + rng.normal(0, hardness.channel, 3))
    if hardness.dark and rng.random() < hardness.dark:
        gains *= np.exp(-rng.uniform(0, DARKEST))
    slope = rng.normal(0, hardness.shade, 2)
    ramp = (np.arange(PATCH_PX) / PATCH_PX - 0.5).astype(np.float32)
    shade = np.outer(np.exp(slope[1] * ramp), np.exp(slope[0] * ramp)).astype(np.float32)
    tones = _tones(rng, hardness)[:, None] * gains.astype(np.float32)
    lit = cv2.LUT(_coloured(patch, rng, hardness), tones[None]) * shade[..., None]
    if hardness.noise:
        grains = _grains()
        first = int(rng.integers(len(grains) - lit.size))
        spread = np.float32(rng.uniform(0, hardness.noise))
        lit = lit + spread * grains[first : first + lit.size].reshape(lit.shape)
    return np.asarray(np.clip(lit, 0, 255), np.uint8)


@lru_cache(maxsize=1)
def _grains() -> NDArray[np.float32]:
    """Return a bank of noise to cut from: fresh noise would take longer than all other steps."""
    return np.random.default_rng(0).standard_normal(GRAINS, np.float32)


def _coloured(patch: Bgr, rng: Random, hardness: Hardness) -> Bgr:
    """Return the patch with weaker or stronger saturation."""
    if not hardness.colour:
        return patch
    strength = float(np.exp(rng.normal(0, hardness.colour)))
    mixed = np.full((3, 3), (1 - strength) / 3) + strength * np.eye(3)
    return np.asarray(cv2.transform(patch, mixed), np.uint8)


def _tones(rng: Random, hardness: Hardness) -> NDArray[np.float32]:
    """Return a lookup table for 256 tones, with a random gamma and veil."""
    tones = np.linspace(0, 1, 256)
    if hardness.curve:
        tones = tones ** np.exp(rng.normal(0, hardness.curve))
    veil = min(abs(rng.normal(0, hardness.veil)), 0.6) if hardness.veil else 0.0
    return np.asarray(255 * tones * (1 - veil) + veil * rng.uniform(150, 255), np.float32)


# --- Examples of one kind, turned alike ---


def aligned(examples: Examples, folds: int) -> Examples:
    """Return the examples with a turn for each that had none, aligned within each kind."""
    turns = examples.turns.copy()
    for tile in sorted(set(examples.tiles)):
        loose = [
            n for n, name in enumerate(examples.tiles) if name == tile and examples.turns[n] < 0
        ]
        if loose:
            steps = _agreed(_every_turn(examples, loose, folds))
            turns[loose] = (-steps) % folds
    return replace(examples, turns=turns)


def _every_turn(examples: Examples, numbers: list[int], folds: int) -> Floats:
    """Return features of the examples at each turn, examples x turns x features."""
    patches = examples.patches[numbers]
    rows = [described(plain(patches, [turn] * len(numbers), folds)) for turn in range(folds)]
    return np.stack(rows, axis=1)


def _agreed(rows: Floats) -> NDArray[np.int64]:
    """Return the turns that align each example with the others."""
    count = len(rows)
    flat = rows.reshape(count * rows.shape[1], -1)
    # The reference is the example that the best turns of all others are closest to.
    squares = (flat**2).sum(axis=1)
    apart = squares[None] - 2 * rows[:, 0] @ flat.T + squares[:: rows.shape[1], None]
    apart = apart.reshape(count, count, -1)
    first = int(apart.min(axis=2).sum(axis=1).argmin())
    steps = apart[first].argmin(axis=1)
    for _ in range(ROUNDS):
        mean = rows[np.arange(count), steps].mean(axis=0)
        better = ((rows - mean) ** 2).sum(axis=2).argmin(axis=1)
        if (better == steps).all():
            break
        steps = better
    return np.asarray(steps, np.int64)

"""Reads the tiles of the built-in boxes with one network.

A patch becomes a print (96 numbers of length 1) and a state (32 numbers from -1 to 1: light, blur,
what lies over it). It shows what the nearest prototype shows, which is a print of the box in one of
its turns. A small score says, from how near that is and how much nearer than any other print, how
likely it is right, of this box at all, and seen as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.setfile import built_in_set
from engine.tiles import TileSet
from vision.classify.embedding import NUMBERS, PRINT_NUMBERS, through
from vision.classify.reading import LEAST_CONFIDENCE, MOST_GUESSES, CellGuess, CellReading
from vision.core.crop import MARGIN, PATCH_PX, Patches
from vision.core.errors import ModelError
from vision.core.files import TRAINED, Runner, read_file, read_manifest, set_hash
from vision.core.types import DOUBTED, LIKELIER, SMALLEST_PX, SURE, UNKNOWN_TILE, Look

Floats = NDArray[np.float32]

MANIFEST, NETWORK, ARRAYS = "reader.json", "reader.onnx", "reader.npz"
WANTED: dict[str, object] = {
    "format": "snake-eye/reader",
    "version": 2,
    "patch_px": PATCH_PX,
    "margin": MARGIN,
    "colour": "bgr",
    "numbers": NUMBERS,
}
LAYERS = (0, 2, 4)
"""Numbers of the score's layers in its training."""
WIDEST_PX = 64.0
"""Tiles are as clear as can be from this width on."""
FAR = (0.24, 0.34, 0.44, 0.53, 0.85, 1.0), (1.18, 1.06, 1.02, 0.85, 0.06, 0.04)
"""Cosines to the nearest prototype, and how far that is, in the unit of ``CellReading.far``."""


@dataclass(frozen=True, eq=False)
class Prototypes:
    """The prints of a box in all their turns, as the network sees them."""

    looks: tuple[Look, ...]
    """Prototypes with one look mean the same: the box's symmetries make their turns equal."""
    prints: Floats
    states: Floats

    @cached_property
    def kinds(self) -> tuple[Look, ...]:
        """The looks that mean something else."""
        return tuple(dict.fromkeys(self.looks))

    @cached_property
    def members(self) -> NDArray[np.bool_]:
        """Which prototypes have each of ``kinds``, kinds x prototypes."""
        return np.array([[look == kind for look in self.looks] for kind in self.kinds])

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """Which prototypes mean the same."""
        return np.asarray(self.members.T @ self.members)

    @cached_property
    def rivals(self) -> Floats:
        """Cosine of each prototype and the next one that means something else."""
        alike = np.where(self.same, -1, self.prints @ self.prints.T)
        return np.asarray(alike.max(axis=1), np.float32)


@dataclass(frozen=True, eq=False)
class Answer:
    """What the network says of patches."""

    alike: Floats
    """Cosine of each patch and each prototype."""
    right: Floats
    """Probability that the nearest prototype is what it shows."""
    ours: Floats
    """Probability that it is of the box."""
    whole: Floats
    """Probability that all of it is seen, if it is of the box."""


class TileNetwork:
    """The network and its score, loaded and checked once; safe to use from several threads."""

    def __init__(self, network: bytes, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._runner = Runner(network, NETWORK)
        self.sharpness = float(arrays["sharpness"])
        self._score = [
            tuple(arrays[f"score.{layer}.{part}"].astype(np.float32) for part in ("weight", "bias"))
            for layer in LAYERS
        ]

    def embedded(self, patches: Patches) -> tuple[Floats, Floats]:
        """Return print and state of each patch."""
        rows = through(self._runner, patches)
        prints = rows[:, :PRINT_NUMBERS]
        prints = prints / np.linalg.norm(prints, axis=1, keepdims=True)
        return np.asarray(prints, np.float32), np.tanh(rows[:, PRINT_NUMBERS:])

    def answer(self, box: Prototypes, patches: Patches, across_px: Floats) -> Answer:
        """Return what each patch of some width in its picture shows."""
        prints, states = self.embedded(patches)
        alike = prints @ box.prints.T
        near = alike.argmax(axis=1)
        best = alike.max(axis=1)
        second = np.where(box.same[near], -1, alike).max(axis=1)
        wide = np.log(np.minimum(across_px, WIDEST_PX) / SMALLEST_PX)
        own = box.states[near]
        first = np.stack([best, best - second, box.rivals[near], wide], axis=1)
        x = np.concatenate([first, states, own, states * own], axis=1).astype(np.float32)
        for number, (weight, bias) in enumerate(self._score):
            x = x @ weight.T + bias
            x = np.maximum(x, 0) if number < len(LAYERS) - 1 else x
        right, ours, whole = (1 / (1 + np.exp(-x))).T
        return Answer(alike, right, ours, whole)


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads the tiles of one built-in box."""

    network: TileNetwork
    box: Prototypes

    def read(self, patches: Patches, across_px: Sequence[float] | None = None) -> list[CellReading]:
        """Return a reading of each patch.

        Args:
            patches: tiles as ``vision.core.crop`` cuts them.
            across_px: the width of each tile in its picture; small ones are read less surely.
        """
        if not len(patches):
            return []
        wide = [WIDEST_PX] * len(patches) if across_px is None else across_px
        answer = self.network.answer(self.box, patches, np.array(wide, np.float32))
        return [self._reading(answer, number) for number in range(len(patches))]

    def _reading(self, answer: Answer, number: int) -> CellReading:
        alike = np.where(self.box.members, answer.alike[number], -1).max(axis=1)
        hidden = bool(answer.whole[number] < LIKELIER)
        right = float(answer.right[number])
        if hidden and right < SURE:
            right = min(right, DOUBTED)
        ours = max(float(answer.ours[number]), right)
        order = np.argsort(-alike)[:MOST_GUESSES]
        shares = np.exp(self.network.sharpness * (alike[order[1:]] - alike[order[0]]))
        # A print that is less alike is no likelier than the nearest one.
        others = np.minimum((ours - right) * shares / shares.sum(), right)
        guesses = [
            CellGuess(look.tile, look.cell, look.turns, sure)
            for look, sure in zip(
                (self.box.kinds[k] for k in order), (right, *others.tolist()), strict=True
            )
        ]
        return CellReading(
            (guesses[0], *(g for g in guesses[1:] if g.confidence >= LEAST_CONFIDENCE)),
            None if ours >= LIKELIER else UNKNOWN_TILE,
            odd=hidden,
            far=float(np.interp(alike[order[0]], *FAR)),
        )


def load_reader(tile_set: TileSet, folder: Path = TRAINED) -> Reader:
    """Return the reader of a built-in box.

    Raises:
        ModelError: there is none, it is broken, or it does not know the box's prints.
    """
    manifest = read_manifest(folder / MANIFEST, WANTED)
    try:
        network, arrays = _loaded(folder, str(manifest.get("sha256")))
        box = manifest["boxes"][tile_set.name]
        looks = tuple(Look.parse(str(text)) for text in box["looks"])
        prints, states = (
            arrays[f"{tile_set.name}.{part}"].astype(np.float32) for part in ("prints", "states")
        )
        if box["set_hash"] != set_hash(tile_set):
            raise ValueError(f"the prints of {tile_set.name} are others")
        if not len(looks) == len(prints) == len(states):
            raise ValueError(f"{len(looks)} looks have {len(prints)} prints")
        return Reader(network, Prototypes(looks, prints, states))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"{MANIFEST} and its arrays do not fit: {error}") from error


@lru_cache(maxsize=2)
def _loaded(folder: Path, stamp: str) -> tuple[TileNetwork, dict[str, NDArray[Any]]]:
    """Return the network and the arrays that a manifest names, loaded once for all boxes."""
    manifest = read_manifest(folder / MANIFEST, WANTED)
    arrays = manifest.arrays(ARRAYS)
    return TileNetwork(read_file(folder / NETWORK, manifest["network_sha256"]), arrays), arrays


@lru_cache(maxsize=8)
def shipped_reader(set_name: str) -> Reader:
    """Return the reader of a built-in box, loaded on first use."""
    return load_reader(built_in_set(set_name))

"""Reads tiles with the one network, without the library that trains it.

A patch becomes a print (96 numbers of length 1) and a state (32 numbers from -1 to 1). It shows
what the nearest prototype shows; a small score says from how near that is, and how much nearer than
any other, whether it is right, whether the patch is of the box at all, and whether it is all seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.art import faces
from models.lab.training.drills import cell_outlines
from vision.classify.embedding import AT_ONCE, NUMBERS, PRINT_NUMBERS
from vision.classify.reader import LEAST_CONFIDENCE, MOST_GUESSES, CellGuess, CellReading
from vision.core.crop import Patches, cut
from vision.core.files import Runner
from vision.core.types import BACK, LIKELIER, QUARTERS, SMALLEST_PX, UNKNOWN_TILE, Look, period_of

Floats = NDArray[np.float32]

FILE, CHECKPOINT = "reader.onnx", "reader.npz"
LAYERS = (0, 2, 4)
WIDEST_PX = 64.0
FAR = (0.24, 0.34, 0.44, 0.53, 0.85, 1.0), (1.18, 1.06, 1.02, 0.85, 0.06, 0.04)
"""Cosines of the nearest prototype, and the distance that play's reader gives such patches."""
BLURS_PX = (0.0, 0.6, 1.2)
"""A prototype is the mean of a print so blurred, in pixels of a patch."""


@dataclass(frozen=True, eq=False)
class Prototypes:
    """The prints of a box in all turns, as the network sees them."""

    names: tuple[str, ...]
    """Prototypes with one name mean the same."""
    prints: Floats
    states: Floats
    same: NDArray[np.bool_]
    """Which of them mean the same."""
    rivals: Floats
    """Cosine of each and the next one that means something else."""


@dataclass(frozen=True, eq=False)
class Said:
    """What the reader says of patches."""

    names: tuple[str, ...]
    right: Floats
    ours: Floats
    whole: Floats
    best: Floats
    """Cosine of the nearest prototype."""
    alike: Floats
    """Cosines of all prototypes."""


class OneReader:
    """The network and its score.

    Args:
        folder: where a training wrote them.
        doubt: log-odds by which a picture has fewer tiles among its outlines than a batch had.
    """

    def __init__(self, folder: Path, doubt: float = 0.0) -> None:
        self._doubt = np.array([doubt, doubt, 0], np.float32)
        self._net = Runner((folder / FILE).read_bytes(), FILE)
        with np.load(folder / CHECKPOINT) as arrays:
            self.sharpness = float(arrays["sharpness"])
            self._score = [
                tuple(arrays[f"score.{n}.{part}"].astype(np.float32) for part in ("weight", "bias"))
                for n in LAYERS
            ]

    def embedded(self, patches: Patches) -> tuple[Floats, Floats]:
        """Return print and state of each patch."""
        out = np.empty((len(patches), NUMBERS), np.float32)
        for start in range(0, len(patches), AT_ONCE):
            some = patches[start : start + AT_ONCE].transpose(0, 3, 1, 2)
            blob = np.ascontiguousarray(some, np.float32) / np.float32(255) - np.float32(0.5)
            out[start : start + AT_ONCE] = self._net.run(blob).reshape(len(blob), -1)
        return _unit(out[:, :PRINT_NUMBERS]), np.tanh(out[:, PRINT_NUMBERS:])

    def prototypes(
        self, faces: Patches, names: Sequence[str], periods: Sequence[int]
    ) -> Prototypes:
        """Return the prototypes of prints, which mean the same after some turns."""
        turned, said = [], []
        for face, name, period in zip(faces, names, periods, strict=True):
            for turns in range(QUARTERS):
                turned.append(np.ascontiguousarray(np.rot90(face, -turns)))
                said.append(f"{name}@{turns % period}")
        every = [
            self.embedded(np.stack([_blurred(one, blur) for one in turned])) for blur in BLURS_PX
        ]
        prints = _unit(np.sum([one for one, _ in every], axis=0))
        states = np.mean([one for _, one in every], axis=0).astype(np.float32)
        number = np.unique(said, return_inverse=True)[1]
        same = number[:, None] == number
        rivals = np.where(same, -1, prints @ prints.T).max(axis=1)
        return Prototypes(tuple(said), prints, states, same, rivals.astype(np.float32))

    def read(self, box: Prototypes, patches: Patches, across_px: Floats) -> Said:
        """Return what each patch shows."""
        prints, states = self.embedded(patches)
        alike = prints @ box.prints.T
        near = alike.argmax(axis=1)
        best = alike[np.arange(len(near)), near]
        second = np.where(box.same[near], -1, alike).max(axis=1)
        wide = np.log(np.minimum(across_px, WIDEST_PX) / SMALLEST_PX)
        own = box.states[near]
        first = np.stack([best, best - second, box.rivals[near], wide], axis=1)
        x = np.concatenate([first, states, own, states * own], axis=1).astype(np.float32)
        for number, (weight, bias) in enumerate(self._score):
            x = x @ weight.T + bias
            x = np.maximum(x, 0) if number < len(LAYERS) - 1 else x
        x = 1 / (1 + np.exp(-(x - self._doubt)))
        names = tuple(box.names[n] for n in near)
        return Said(names, x[:, 0], x[:, 1], x[:, 2], best, alike)


def _blurred(face: Patches, sigma: float) -> Patches:
    return np.asarray(cv2.GaussianBlur(face, (0, 0), sigma) if sigma else face, np.uint8)


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


# --- In the place of play's reader ---


class CellReader:
    """The reader of a built-in box, with what the stages after it ask of play's reader."""

    embedded, evidence, half = False, None, None

    def __init__(self, net: OneReader, box: Prototypes) -> None:
        self._net, self._box = net, box
        self._names, number = np.unique(box.names, return_inverse=True)
        self._member = number[:, None] == np.arange(len(self._names))

    @property
    def whole(self) -> CellReader:
        """Return itself, since it reads covered cards as others."""
        return self

    def read(self, patches: Patches, across_px: Sequence[float] | None = None) -> list[CellReading]:
        """Return a reading of each patch."""
        if not len(patches):
            return []
        wide = [WIDEST_PX] * len(patches) if across_px is None else across_px
        said = self._net.read(self._box, patches, np.array(wide, np.float32))
        return [self._reading(said, number) for number in range(len(patches))]

    def _reading(self, said: Said, number: int) -> CellReading:
        right, ours = float(said.right[number]), float(max(said.ours[number], said.right[number]))
        alike = np.where(self._member.T, said.alike[number], -1).max(axis=1)
        order = np.argsort(-alike)[:MOST_GUESSES]
        shares = np.exp(self._net.sharpness * (alike[order[1:]] - alike[order[0]]))
        others = np.minimum((ours - right) * shares / max(shares.sum(), 1e-9), right)
        guesses = tuple(
            CellGuess(look.tile, look.cell, look.turns, float(sure))
            for look, sure in zip(
                (Look.parse(str(self._names[k])) for k in order), (right, *others), strict=True
            )
            if sure >= LEAST_CONFIDENCE or sure is right
        )
        hidden = bool(said.whole[number] < LIKELIER)
        return CellReading(
            guesses,
            None if ours >= LIKELIER else UNKNOWN_TILE,
            odd=hidden,
            covered=hidden and right >= LIKELIER,
            far=float(np.interp(said.best[number], *FAR)),
            there=ours,
        )


@cache
def cell_reader(folder: Path, doubt: float, set_name: str) -> CellReader:
    """Return the reader of a built-in box, with prototypes of its print."""
    net, tile_set = OneReader(folder, doubt), built_in_set(set_name)
    return CellReader(net, printed(net, tile_set))


def printed(net: OneReader, tile_set: TileSet) -> Prototypes:
    """Return the prototypes of a built-in box."""
    book = faces(tile_set)
    first = next(kind.name for kind in tile_set.kinds.values() if len(kind.cells) == 1)
    fronts = {kind.name: (book[kind.name], len(kind.cells)) for kind in tile_set.kinds.values()}
    names: list[str] = []
    patches = []
    for name, (face, count) in {**fronts, BACK: (book[f"{first}:back"], 1)}.items():
        corners = np.array(face.outline_mm) * face.px_per_mm - 0.5
        for cell, outline in enumerate(cell_outlines(corners, count)):
            names.append(f"{name}#{cell}")
            patches.append(cut(np.asarray(face.bgr), [outline])[0])
    periods = [period_of(tile_set, name.rpartition("#")[0]) for name in names]
    return net.prototypes(np.stack(patches), names, periods)

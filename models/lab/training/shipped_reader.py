"""Writes a trained reader of tiles as play loads it: the network, its score and its prototypes.

A prototype is what the network makes of a print of a built-in box, as it is drawn, in each turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.art import faces
from models.lab.scenes.settings import SQUARE_GAMES
from models.lab.scenes.world.arrays import Array
from models.lab.training.drills import cell_outlines
from models.lab.training.harness import sha256_of, write_manifest
from vision.classify.reader import ARRAYS, MANIFEST, NETWORK, WANTED, Prototypes, TileNetwork
from vision.core.crop import Patches, cut
from vision.core.files import set_hash, write_arrays
from vision.core.types import BACK, QUARTERS, Look, period_of

BLURS_PX = (0.0, 0.6, 1.2)
"""A prototype is the mean of a print so blurred, in pixels of a patch."""


def write_reader(score: Mapping[str, Array], folder: Path, trained: Mapping[str, Any]) -> None:
    """Write score, prototypes and manifest beside a network that lies in the folder already.

    Args:
        score: weights and biases of the score, and the sharpness of cosines, by name.
        folder: where the network lies.
        trained: what the manifest tells of the training.
    """
    network = TileNetwork((folder / NETWORK).read_bytes(), score)
    arrays = dict(score)
    boxes = {}
    for name in SQUARE_GAMES:
        tile_set = built_in_set(name)
        box = prototypes(network, tile_set)
        boxes[name] = {"set_hash": set_hash(tile_set), "looks": [str(look) for look in box.looks]}
        arrays |= {f"{name}.prints": box.prints, f"{name}.states": box.states}
    halves = {key: np.asarray(array, np.float16) for key, array in arrays.items()}
    facts = {
        **WANTED,
        "file": ARRAYS,
        "sha256": write_arrays(folder / ARRAYS, halves),
        "network_sha256": sha256_of(folder / NETWORK),
        "boxes": boxes,
        "trained": trained,
    }
    write_manifest(folder / MANIFEST, facts)


def prototypes(network: TileNetwork, tile_set: TileSet) -> Prototypes:
    """Return the prototypes of a built-in box."""
    looks, turned = [], []
    for (tile, cell), patch in prints(tile_set).items():
        for turns in range(QUARTERS):
            looks.append(Look(tile, cell, turns % period_of(tile_set, tile)))
            turned.append(np.ascontiguousarray(np.rot90(patch, -turns)))
    every = [
        network.embedded(np.stack([_blurred(one, blur) for one in turned])) for blur in BLURS_PX
    ]
    sums = np.sum([one for one, _ in every], axis=0)
    states = np.mean([one for _, one in every], axis=0)
    return Prototypes(
        tuple(looks), sums / np.linalg.norm(sums, axis=1, keepdims=True), np.asarray(states)
    )


def prints(tile_set: TileSet) -> dict[tuple[str, int], Patches]:
    """Return the print of each cell of each tile of a built-in box, and of the back."""
    book = faces(tile_set)
    first = next(kind.name for kind in tile_set.kinds.values() if len(kind.cells) == 1)
    fronts = {kind.name: (book[kind.name], len(kind.cells)) for kind in tile_set.kinds.values()}
    out = {}
    for name, (face, count) in {**fronts, BACK: (book[f"{first}:back"], 1)}.items():
        corners = np.array(face.outline_mm) * face.px_per_mm - 0.5
        for cell, outline in enumerate(cell_outlines(corners, count)):
            out[name, cell] = cut(np.asarray(face.bgr), [outline])[0]
    return out


def _blurred(patch: Patches, sigma: float) -> Patches:
    return np.asarray(cv2.GaussianBlur(patch, (0, 0), sigma) if sigma else patch, np.uint8)

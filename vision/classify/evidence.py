"""Calibrates readings of a taught box: how likely one is right, and shows a tile of the box.

Its features are the reader's confidence, the distance from the look, the similarity to the tile's
own photographed face and to the next best one, and what light and size leave visible. Boosted trees
turn them into probabilities, which cap the confidence of a reading.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vision.classify import embedding, features
from vision.classify.faces import SEEN, Faces, Prints, faces_of_prints, shrunk, slopes_of
from vision.classify.reading import CellReading
from vision.core.crop import Patches
from vision.core.errors import ModelError
from vision.core.files import TRAINED, read_manifest, write_arrays
from vision.core.stages import stage
from vision.core.types import BEYOND_DOUBT, CLIPPED, LIKELIER, UNKNOWN_TILE, Look

if TYPE_CHECKING:
    from vision.classify.taught_looks import TaughtReader

Floats = NDArray[np.float32]
Group = tuple[str, int, int]
"""Tile, cell and turns."""

FORMAT, VERSION = "snake-eye/evidence", 2
TREES_VERSION = 2
NAMES = (
    "sure",
    "far",
    "cosine",
    "cosine_margin",
    "alike",
    "alike_margin",
    "clipped",
    "contrast",
    "blur",
    "wide",
    *SEEN,
)
"""The features of a patch, in the order of a row."""
RISING = (1, -1, 1, 1, 1, 1, -1, 0, 0, 0, -1, 1, 1, 1, 1, 1, 1, 0)
"""Monotonic constraint of each feature: probability only rises (1), only falls (-1), or any (0)."""
WIDEST_PX = 64.0
LEAST_SURE = 1e-6
AS_USUAL = 2.0
"""Weight of the prior share of tiles, in outlines of the picture (pseudo-count)."""


@dataclass(frozen=True, eq=False)
class Trees:
    """Boosted decision trees as plain arrays; they give a probability per row of features."""

    start: float
    """Log-odds before the first tree."""
    starts: NDArray[np.int32]
    """The index of each tree's root node; all arrays below have one entry per node."""
    names: NDArray[np.int32]
    """The feature that a node compares; -1 at a leaf."""
    limits: NDArray[np.float64]
    lower: NDArray[np.int32]
    """The next node for values up to and including the limit."""
    higher: NDArray[np.int32]
    values: NDArray[np.float64]
    """Log-odds that a leaf adds."""

    def shares(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the probability for each row of features."""
        nodes = np.broadcast_to(self.starts, (len(rows), len(self.starts)))
        every = np.arange(len(rows))[:, None]
        while True:
            asked = self.names[nodes]
            if (asked < 0).all():
                break
            below = rows[every, np.maximum(asked, 0)] <= self.limits[nodes]
            following = np.where(below, self.lower[nodes], self.higher[nodes])
            nodes = np.where(asked < 0, nodes, following)
        odds = self.start + self.values[nodes].sum(axis=1)
        return np.asarray(1 / (1 + np.exp(-odds)), np.float32)

    def arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """Return the arrays to store, by name."""
        return {prefix + name: np.asarray(value) for name, value in vars(self).items()}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], prefix: str = "") -> Trees:
        """Return the trees of stored arrays."""
        parts = {name: arrays[prefix + name] for name in cls.__dataclass_fields__}
        asks = np.flatnonzero(parts["names"] >= 0)
        for following in (parts["lower"][asks], parts["higher"][asks]):
            if (following <= asks).any() or (following >= len(parts["names"])).any():
                raise ValueError("a tree goes round in circles")
        return cls(float(parts.pop("start")), **parts)


def load_trees(name: str, numbers: Sequence[str], folder: Path = TRAINED) -> Trees:
    """Return fitted trees by the name of their files.

    Raises:
        ModelError: the files are missing or broken, or were fitted on other features.
    """
    said = {"format": f"snake-eye/{name}", "version": TREES_VERSION, "numbers": list(numbers)}
    return Trees.of(read_manifest(folder / f"{name}.json", said).arrays())


@dataclass(frozen=True, eq=False)
class Evidence:
    """The photographed faces of a taught box, and the trees that calibrate its readings."""

    faces: Faces
    ours: Trees
    """Probability that a reading is right."""
    tile: Trees
    """Probability that an outline shows any tile of the box, even if light spoils its reading."""
    share: float
    """Prior share of tiles among the outlines of a picture, from the training pictures."""

    def weighed(
        self,
        reader: TaughtReader,
        patches: Patches,
        readings: Sequence[CellReading],
        across_px: Sequence[float] | None,
    ) -> list[CellReading]:
        """Return the readings, with confidences capped by their evidence.

        Where the evidence speaks rather for the second guess of a doubtful reading, that one is
        taken: the faces tell colours apart in light that the reader confuses them in.

        Args:
            reader: the reader that made the readings.
            patches: the patches that were read.
            readings: the reading of each patch.
            across_px: the width of each tile in its picture.
        """
        out = list(readings)
        firsts = self._scored(reader, patches, dict(enumerate(readings)), across_px)
        doubtful = {
            n: _with_second_first(readings[n])
            for n, (ours, _) in firsts.items()
            if min(ours, readings[n].best) < BEYOND_DOUBT and len(readings[n].guesses) > 1
        }
        seconds = self._scored(reader, patches, doubtful, across_px)
        for number, (ours, tile) in firsts.items():
            one = out[number]
            if number in seconds and seconds[number][0] > max(ours, LIKELIER):
                out[number] = _raised(doubtful[number], seconds[number][0])
            else:
                out[number] = _weighed(one, ours, tile)
        return out

    def _scored(
        self,
        reader: TaughtReader,
        patches: Patches,
        readings: Mapping[int, CellReading],
        across_px: Sequence[float] | None,
    ) -> dict[int, tuple[float, float]]:
        """Return what both trees say of readings, by the patch's number.

        Strangers and readings without a face are left out.
        """
        worth = [
            n for n, one in readings.items() if one.why is None and self._has_face(reader, one)
        ]
        if not worth:
            return {}
        across = None if across_px is None else [across_px[n] for n in worth]
        rows = rows_of(self.faces, reader, patches[worth], [readings[n] for n in worth], across)
        ours, tile = (trees.shares(rows).tolist() for trees in (self.ours, self.tile))
        return dict(zip(worth, zip(ours, tile, strict=True), strict=True))

    def _has_face(self, reader: TaughtReader, reading: CellReading) -> bool:
        """Say whether a face exists for the reading; big tiles of taught boxes have none."""
        looks = reader.members[_ranked(reading)[0]]
        return any((look.tile, look.cell) in self.faces.cells for look in looks)


@stage("company", without=lambda readings, _: list(readings))
def in_company(readings: Sequence[CellReading], share: float) -> list[CellReading]:
    """Return the readings of one picture, less sure if few of its outlines show tiles.

    The prior share of tiles is updated by the picture's own share, and the odds are scaled by it: a
    tile-like outline among many strangers is more likely a stranger than one on a bare table.

    Args:
        readings: the readings of all outlines of the picture.
        share: the prior share of tiles among outlines.
    """
    strange = sum(one.why == UNKNOWN_TILE for one in readings)
    own = sum(one.why is None and one.best >= LIKELIER for one in readings)
    here = (own + AS_USUAL * share) / (own + strange + AS_USUAL)
    if here >= share:
        return list(readings)
    odds = here / (1 - here) * (1 - share) / share
    return [
        _as_probable(one, odds * one.best / (1 - one.best + odds * one.best))
        if one.best > 0
        else one
        for one in readings
    ]


def _weighed(reading: CellReading, ours: float, tile: float) -> CellReading:
    """Return a reading with its confidence capped at the probability of being right."""
    if reading.best <= ours:
        return reading
    why = None if max(ours, tile) >= LIKELIER else UNKNOWN_TILE
    return replace(_as_probable(reading, ours), why=why)


def _with_second_first(reading: CellReading) -> CellReading:
    """Return a reading with its first two guesses exchanged."""
    first, second, *others = reading.guesses
    return replace(reading, guesses=(second, first, *others))


def _raised(reading: CellReading, best: float) -> CellReading:
    """Return a reading whose first guess has the confidence ``best``, and the others the rest."""
    first, *others = reading.guesses
    left = (1 - best) / max(1 - first.confidence, 1 - best)
    rest = (replace(g, confidence=g.confidence * left) for g in others)
    return replace(reading, guesses=(replace(first, confidence=best), *rest))


def _as_probable(reading: CellReading, best: float) -> CellReading:
    """Return a reading with all confidences scaled so that the first guess has ``best``."""
    less = best / reading.best
    guesses = tuple(replace(g, confidence=g.confidence * less) for g in reading.guesses)
    return replace(reading, guesses=guesses)


def rows_of(
    faces: Faces,
    reader: TaughtReader,
    patches: Patches,
    readings: Sequence[CellReading],
    across_px: Sequence[float] | None,
) -> Floats:
    """Return the features of each patch, N x ``NAMES``."""
    members = reader.members
    first, second = zip(*map(_ranked, readings), strict=True)
    own = _among(faces.looks, first, members)
    cosines = faces.cosines(patches)
    best = np.where(own, cosines, -1).max(axis=1)
    rival = np.where(own, -1, cosines).max(axis=1)
    slopes = list(map(slopes_of, patches))
    fits = faces.fits(slopes, [members[key] for key in first])
    alike = np.array([fit.alike for fit in fits])
    others = faces.fits(slopes, [members.get(key, ()) for key in second])
    other = np.array([fit.alike for fit in others], np.float32)
    seen = faces.seen(patches, fits, _among([look for look, _ in faces.coarse[0]], first, members))
    sure = np.clip([reading.best for reading in readings], LEAST_SURE, 1 - LEAST_SURE)
    wide = np.full(len(patches), WIDEST_PX) if across_px is None else np.asarray(across_px)
    return np.stack(
        [
            np.log(sure / (1 - sure)),
            np.log([max(reading.far, 1e-3) for reading in readings]),
            best,
            best - rival,
            alike,
            alike - other,
            *_light(patches),
            np.log(np.minimum(wide, WIDEST_PX)),
            *seen.T,
        ],
        axis=1,
    ).astype(np.float32)


def _among(
    looks: Sequence[Look], named: Sequence[Group], members: Mapping[Group, tuple[Look, ...]]
) -> NDArray[np.bool_]:
    """Return which looks belong to each of some groups, N x looks."""
    masks = {key: [look in members[key] for look in looks] for key in set(named)}
    return np.array([masks[key] for key in named])


def _ranked(reading: CellReading) -> tuple[Group, Group]:
    """Return the groups of the first two guesses; an empty tile name if there is no second."""
    named = [(g.tile, g.cell, g.turns) for g in reading.guesses[:2]]
    return named[0], named[1] if len(named) > 1 else ("", 0, 0)


def _light(patches: Patches) -> tuple[Floats, Floats, Floats]:
    """Return the clipped share, the contrast and the blur of patches."""
    small = np.stack([shrunk(patch) for patch in patches])
    clipped = (small.min(axis=3) >= CLIPPED).mean(axis=(1, 2))
    grey = small.mean(axis=3)
    dark, bright = np.quantile(grey.reshape(len(grey), -1), [0.03, 0.97], axis=1)
    contrast = bright - dark + 4
    steep = np.abs(np.diff(grey, axis=2)).reshape(len(grey), -1)
    blur = np.quantile(steep, 0.97, axis=1) / contrast
    return clipped, np.log(contrast), blur


MANIFEST, FILE = "evidence_taught.json", "evidence_taught.npz"
WANTED: dict[str, object] = {
    "format": FORMAT,
    "version": VERSION,
    "set": "taught",
    "embedding": embedding.VERSION,
    "features": features.VERSION,
    "names": list(NAMES),
}


@lru_cache(maxsize=1)
def taught_trees(folder: Path = TRAINED) -> tuple[Trees, Trees, float]:
    """Return the trees and the prior share that serve all taught boxes, loaded on first use.

    Raises:
        ModelError: the files are missing or broken, or were fitted on other features.
    """
    arrays = read_manifest(folder / MANIFEST, WANTED).arrays()
    try:
        return Trees.of(arrays, "ours_"), Trees.of(arrays, "tile_"), float(arrays["share"])
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise ModelError(f"{MANIFEST} and its arrays do not fit: {error}") from error


def taught_evidence(prints: Prints) -> Evidence:
    """Return the evidence of a taught box of squares, with faces from its owner's photographs."""
    return Evidence(faces_of_prints(prints), *taught_trees())


def write_taught(
    ours: Trees, tile: Trees, share: float, folder: Path, figures: Mapping[str, object]
) -> None:
    """Write the trees and the prior share that serve all taught boxes, and their manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {**ours.arrays("ours_"), **tile.arrays("tile_"), "share": np.array(share)}
    digest = write_arrays(folder / FILE, arrays)
    manifest = {**WANTED, "file": FILE, "sha256": digest, "figures": dict(figures)}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")

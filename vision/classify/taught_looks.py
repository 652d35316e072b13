"""Reads the tiles of a taught box: which tile a patch shows, how it is turned, and how surely.

A reader is a linear projection (linear discriminant analysis, fitted where the box was taught) to a
space in which every look, a tile in one turn, is a spherical cluster of the same size; the
clusters' centres; and a temperature that calibrates confidences. It is stored as plain arrays,
without code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.classify.embedding import described_count
from vision.classify.evidence import Evidence
from vision.classify.faces import Prints
from vision.classify.reading import LEAST_CONFIDENCE, MOST_GUESSES, CellGuess, CellReading
from vision.core.types import SMALLEST_PX, UNKNOWN_TILE, Look, period_of

Floats = NDArray[np.float32]

DOUBT = 4.0
"""Divisor of distance differences for small tiles, which lowers their confidence; it grows with the
missing width."""


@dataclass(frozen=True, eq=False)
class TaughtReader:
    """The looks of a box as cluster centres in a discriminant space."""

    looks: tuple[Look, ...]
    project: Floats
    """Features x dimensions."""
    centres: Floats
    """Looks x dimensions: the centre of each look's cluster."""
    temperature: float
    """Divisor of squared distances; above 1 if outlines and light vary."""
    known: float
    """Squared distance to the nearest look beyond which a patch shows no tile of the box."""
    groups: tuple[tuple[str, int, int], ...]
    """Distinguishable combinations of tile, cell and turns; each unites looks that are alike."""
    group_of: NDArray[np.int64]
    """The index into ``groups`` of each look."""
    prints: Prints | None = None
    """Photographed prints of a taught box's kinds, if each kind has a single print."""
    evidence: Evidence | None = None
    """Decides whether a reading is a tile of this box at all."""

    def __post_init__(self) -> None:
        want = (described_count(), self.project.shape[-1])
        if self.project.shape != want or self.centres.shape != (len(self.looks), want[1]):
            raise ValueError(
                f"a reader of {len(self.looks)} looks maps {want[0]} features, but got arrays of "
                f"{self.project.shape} and {self.centres.shape}"
            )

    @cached_property
    def members(self) -> Mapping[tuple[str, int, int], tuple[Look, ...]]:
        """The looks of each group."""
        out: dict[tuple[str, int, int], tuple[Look, ...]] = {}
        for look, group in zip(self.looks, self.group_of, strict=True):
            key = self.groups[int(group)]
            out[key] = (*out.get(key, ()), look)
        return out

    def distances_of(self, rows: Floats, across_px: Sequence[float] | None = None) -> Floats:
        """Return the squared distances of feature rows from each look; small tiles are doubted."""
        places = rows @ self.project
        squares = (places**2).sum(axis=1)[:, None] + (self.centres**2).sum(axis=1)[None]
        distances = np.maximum(squares - 2 * places @ self.centres.T, 0)
        return _doubted_by_size(np.asarray(distances, np.float32), across_px)

    def confidences(self, distances: Floats) -> NDArray[np.float64]:
        """Return the confidence of each group, N x groups; the rest to 1 is for strangers."""
        # Softmax over all looks and one more class: a stranger at the distance ``known``.
        energies = np.column_stack([distances, np.full(len(distances), self.known)])
        energies = (energies - energies.min(axis=1, keepdims=True)) / (-2 * self.temperature)
        shares = np.exp(energies.astype(np.float64))
        shares /= shares.sum(axis=1, keepdims=True)
        member = np.zeros((len(self.looks), len(self.groups)))
        member[np.arange(len(self.looks)), self.group_of] = 1
        return np.asarray(shares[:, :-1] @ member)

    def readings(self, distances: Floats) -> list[CellReading]:
        """Return ranked guesses for each row of distances."""
        confidences = self.confidences(distances)
        order = np.argsort(-confidences, axis=1)[:, :MOST_GUESSES]
        nearest = distances.min(axis=1)
        out = []
        for row, best in enumerate(order):
            guesses = tuple(
                CellGuess(*self.groups[int(k)], confidence=float(confidences[row, k]))
                for rank, k in enumerate(best)
                if rank == 0 or confidences[row, k] >= LEAST_CONFIDENCE
            )
            strange = bool(nearest[row] > self.known)
            far = float(nearest[row] / self.known)
            out.append(CellReading(guesses, UNKNOWN_TILE if strange else None, far=far))
        return out


def _doubted_by_size(distances: Floats, across_px: Sequence[float] | None) -> Floats:
    """Return distances with smaller differences for tiles narrower than ``SMALLEST_PX``."""
    if across_px is None:
        return distances
    lack = SMALLEST_PX / np.maximum(np.asarray(across_px, float), 1.0)
    return _doubted(distances, np.where(lack > 1, DOUBT * lack, 1.0))


def _doubted(distances: Floats, doubt: NDArray[Any]) -> Floats:
    """Return distances with their excess over the nearest look divided by the patch's doubt."""
    nearest = distances.min(axis=1, keepdims=True)
    return np.asarray(nearest + (distances - nearest) / doubt[:, None], np.float32)


def make_reader(
    tile_set: TileSet | None,
    looks: Sequence[Look],
    project: Floats,
    centres: Floats,
    temperature: float,
    known: float,
) -> TaughtReader:
    """Return a reader; looks that the box's symmetries make equal form one group."""
    groups: dict[tuple[str, int, int], int] = {}
    numbers = []
    for look in looks:
        period = period_of(tile_set, look.tile) if tile_set else 4
        key = (look.tile, look.cell, look.turns % period)
        numbers.append(groups.setdefault(key, len(groups)))
    return TaughtReader(
        tuple(looks),
        project.astype(np.float32),
        centres.astype(np.float32),
        temperature,
        known,
        tuple(groups),
        np.array(numbers),
    )

"""Classifies a patch: which tile it shows, how the tile is turned, and how sure that is.

A reader is a linear projection (linear discriminant analysis, fitted elsewhere) to a space in which
every look, a tile's cell in one turn, is a spherical cluster of the same size; the clusters'
centres; and a temperature that calibrates confidences. It is stored as plain arrays, without code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.classify import embedding, features
from vision.classify.evidence import Evidence, load_evidence
from vision.classify.faces import Prints
from vision.core.crop import MARGIN, PATCH_PX, Patches
from vision.core.errors import ModelError
from vision.core.files import TRAINED, Manifest, read_manifest, set_hash, write_arrays
from vision.core.types import BACK, QUARTERS, SMALLEST_PX, UNKNOWN_TILE, Look, period_of

Floats = NDArray[np.float32]

FORMAT, FORMAT_VERSION = "snake-eye/reader", 1
MOST_GUESSES = 4
DOUBT = 4.0
"""Divisor of distance differences for odd and for small tiles, which lowers their confidence; for
small ones it grows with the missing width."""
ODD = 0.55
"""A patch farther from every look than this share of ``known`` is odd: partly covered, or no card
at all."""
LEAST_CONFIDENCE = 0.001
"""Guesses with a lower confidence are dropped, except the first."""
CLEAN = 0.3
"""A half nearer to a look than this share of ``known`` shows that card. Of 8,055 halves of
uncovered cards 97 % were nearer, of a floor's tiles none."""
COVERED = 0.6
"""A half farther than this share of ``known`` is covered. If none is, the whole patch is used."""
AS_CLEAN = 1.5
"""Halves farther than this multiple of the nearest half's distance are covered too."""


@dataclass(frozen=True, eq=False)
class Reader:
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
    embedded: bool = False
    """Whether features include those of the embedding network for unseen boxes."""
    half: Reader | None = None
    """The reader of upper halves, for partly covered cards."""
    prints: Prints | None = None
    """Photographed prints of a taught box's kinds, if each kind has a single print."""
    evidence: Evidence | None = None
    """Decides whether a reading is a tile of this box at all."""

    def __post_init__(self) -> None:
        count = embedding.described_count() if self.embedded else features.feature_count()
        want = (count, self.project.shape[-1])
        if self.project.shape != want or self.centres.shape != (len(self.looks), want[1]):
            raise ValueError(
                f"a reader of {len(self.looks)} looks maps {want[0]} features, but got arrays of "
                f"{self.project.shape} and {self.centres.shape}"
            )

    @cached_property
    def whole(self) -> Reader:
        """This reader without the reader of halves, to read whole cards only."""
        return replace(self, half=None)

    @cached_property
    def members(self) -> Mapping[tuple[str, int, int], tuple[Look, ...]]:
        """The looks of each group."""
        out: dict[tuple[str, int, int], tuple[Look, ...]] = {}
        for look, group in zip(self.looks, self.group_of, strict=True):
            key = self.groups[int(group)]
            out[key] = (*out.get(key, ()), look)
        return out

    def read(self, patches: Patches, across_px: Sequence[float] | None = None) -> list[CellReading]:
        """Return a reading of each patch.

        Args:
            patches: tiles as ``vision.core.crop`` cuts them.
            across_px: the width of each tile in its picture; small ones get lower confidences.
        """
        if not len(patches):
            return []
        distances = self.distances(patches)
        odd = distances.min(axis=1) > ODD * self.known
        if not self.embedded:
            distances = _doubted(distances, np.where(odd, DOUBT, 1.0))
        readings = self.readings(_doubted_by_size(distances, across_px))
        if self.embedded:
            return readings
        readings = [replace(one, odd=bool(far)) for one, far in zip(readings, odd, strict=True)]
        if self.half is not None:
            readings = _by_halves(self.half, patches, readings)
        if self.evidence is None:
            return readings
        return self.evidence.weighed(self, patches, readings, across_px)

    def distances(self, patches: Patches) -> Floats:
        """Return the squared distance of each patch from each look, N x looks."""
        describe = embedding.described if self.embedded else features.features
        return self.distances_of(describe(patches))

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


@dataclass(frozen=True, slots=True)
class CellGuess:
    """One possible reading of one cell, with its turns relative to the patch."""

    tile: str
    cell: int
    turns: int
    confidence: float


@dataclass(frozen=True, slots=True)
class CellReading:
    """Ranked guesses at one cell."""

    guesses: tuple[CellGuess, ...]
    why: str | None = None
    odd: bool = False
    """Whether the patch is farther from every look than an uncovered card usually is."""
    covered: bool = False
    """Whether it was read from its clean halves, since the others are covered."""
    far: float = 0.0
    """Squared distance from the nearest look, as a share of ``known``; above 1 is a stranger."""
    there: float = 1.0
    """Probability that a covered card is right if no outline shows a card there."""

    @property
    def best(self) -> float:
        """Confidence of the first guess; 0 without guesses."""
        return self.guesses[0].confidence if self.guesses else 0.0

    @property
    def is_back(self) -> bool:
        """Whether the first guess is a face-down card."""
        return bool(self.guesses) and self.guesses[0].tile == BACK

    def is_whole(self, least: float) -> bool:
        """Say whether it shows an uncovered card of the box, at least that surely."""
        return self.best >= least and self.why is None and not self.odd


def _by_halves(
    half: Reader, patches: Patches, readings: Sequence[CellReading]
) -> list[CellReading]:
    """Return the readings, with odd patches read from their visible halves where possible."""
    out = list(readings)
    odd = [number for number, reading in enumerate(out) if reading.odd]
    for number, seen in zip(odd, read_halves(half, patches[odd]), strict=True):
        whole = out[number]
        if seen is not None and not (_agree(whole, seen) and whole.best > seen.best):
            out[number] = replace(seen, odd=True, covered=True)
    return out


def upper_halves(patches: Patches) -> Patches:
    """Return patches with their lower half replaced by the mirrored upper half."""
    half = patches.shape[1] // 2
    return np.concatenate([patches[:, :half], patches[:, half - 1 :: -1]], axis=1)


def read_halves(reader: Reader, patches: Patches) -> list[CellReading | None]:
    """Return the reading of each patch's clean halves; ``None`` if none is clean or none covered.

    Args:
        reader: the reader of upper halves.
        patches: tiles as ``vision.core.crop`` cuts them.
    """
    if not len(patches):
        return []
    turned = [np.rot90(patches, turns, axes=(1, 2)) for turns in range(QUARTERS)]
    distances = reader.distances(upper_halves(np.concatenate(turned)))
    every = np.stack(
        [
            part[:, _turned(reader.looks, turns)]
            for turns, part in enumerate(np.split(distances, QUARTERS))
        ],
        axis=1,
    )
    return [_by_clean_halves(reader, halves) for halves in every]


def _by_clean_halves(reader: Reader, halves: Floats) -> CellReading | None:
    """Return the reading of one patch from the distances of its four halves, 4 x looks."""
    nearest = halves.min(axis=1) / reader.known
    best = float(nearest.min())
    if best > CLEAN or nearest.max() < COVERED:
        return None
    seen = halves[nearest <= max(AS_CLEAN * best, CLEAN / 2)]
    return reader.readings(seen.mean(axis=0, keepdims=True))[0]


@lru_cache(maxsize=8 * QUARTERS)
def _turned(looks: tuple[Look, ...], turns: int) -> NDArray[np.int64]:
    """Return for each look the index of the look that it becomes when its patch is turned back."""
    number = {look: k for k, look in enumerate(looks)}
    return np.array(
        [number[Look(look.tile, look.cell, (look.turns - turns) % QUARTERS)] for look in looks]
    )


def _agree(one: CellReading, other: CellReading) -> bool:
    """Say whether two readings name the same card, turned in the same way."""
    a, b = one.guesses[0], other.guesses[0]
    return (a.tile, a.cell, a.turns) == (b.tile, b.cell, b.turns)


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
    *,
    embedded: bool = False,
    half: Reader | None = None,
) -> Reader:
    """Return a reader; looks that the box's symmetries make equal form one group."""
    groups: dict[tuple[str, int, int], int] = {}
    numbers = []
    for look in looks:
        period = period_of(tile_set, look.tile) if tile_set else 4
        key = (look.tile, look.cell, look.turns % period)
        numbers.append(groups.setdefault(key, len(groups)))
    return Reader(
        tuple(looks),
        project.astype(np.float32),
        centres.astype(np.float32),
        temperature,
        known,
        tuple(groups),
        np.array(numbers),
        embedded,
        half,
    )


def file_names(set_name: str) -> tuple[str, str]:
    """Return the file names of a reader's manifest and arrays."""
    return f"reader_{set_name}.json", f"reader_{set_name}.npz"


def load_reader(tile_set: TileSet, folder: Path = TRAINED) -> Reader:
    """Return the reader of a box.

    Raises:
        ModelError: there is none, it is broken, or it belongs to another box.
    """
    manifest_name, _ = file_names(tile_set.name)
    manifest = read_manifest(folder / manifest_name, _wanted(tile_set))
    arrays = manifest.arrays()
    try:
        looks = [Look.parse(str(text)) for text in manifest["looks"]]
        numbers = manifest.get("half")
        half = None if numbers is None else _part(tile_set, looks, arrays, numbers, "half_")
        return _part(tile_set, looks, arrays, manifest, half=half)
    except (KeyError, ValueError, TypeError) as error:
        raise ModelError(f"{manifest_name} and its arrays do not fit: {error}") from error


def _part(
    tile_set: TileSet,
    looks: Sequence[Look],
    arrays: Mapping[str, NDArray[Any]],
    numbers: Manifest | Mapping[str, float],
    prefix: str = "",
    half: Reader | None = None,
) -> Reader:
    """Return the reader of whole patches or of halves; ``prefix`` selects its arrays."""
    project, centres = (arrays[prefix + name].astype(np.float32) for name in ("project", "centres"))
    temperature, known = float(numbers["temperature"]), float(numbers["known"])
    return make_reader(tile_set, looks, project, centres, temperature, known, half=half)


@lru_cache(maxsize=8)
def shipped_reader(set_name: str) -> Reader:
    """Return the reader of a built-in box, loaded on first use."""
    from engine.setfile import built_in_set

    tile_set = built_in_set(set_name)
    return replace(load_reader(tile_set), evidence=load_evidence(tile_set))


def write_reader(
    reader: Reader, tile_set: TileSet, folder: Path, figures: Mapping[str, object]
) -> None:
    """Write a reader: its manifest and its arrays, those of the reader of halves included."""
    manifest_name, arrays_name = file_names(tile_set.name)
    parts = {"": reader} if reader.half is None else {"": reader, "half_": reader.half}
    arrays: dict[str, NDArray[Any]] = {}
    for prefix, part in parts.items():
        arrays[f"{prefix}project"] = part.project.astype(np.float16)
        arrays[f"{prefix}centres"] = part.centres
    manifest = {
        **_wanted(tile_set),
        "file": arrays_name,
        "sha256": write_arrays(folder / arrays_name, arrays),
        "looks": [str(look) for look in reader.looks],
        "temperature": reader.temperature,
        "known": reader.known,
        "figures": figures,
    }
    if reader.half is not None:
        half = reader.half
        manifest["half"] = {"temperature": half.temperature, "known": half.known}
    text = json.dumps(manifest, indent=1) + "\n"
    (folder / manifest_name).write_text(text, encoding="utf-8")


def _wanted(tile_set: TileSet) -> dict[str, object]:
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "set": tile_set.name,
        "set_hash": set_hash(tile_set),
        "features": features.VERSION,
        "patch_px": PATCH_PX,
        "margin": MARGIN,
        "colour": "bgr",
    }

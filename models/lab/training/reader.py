"""Fits readers of square boxes: ``python -m models.lab.training.reader --set carnival --out DIR``.

Tables are drawn from the train side of every split, their tiles cut out as play cuts them, and a
linear discriminant analysis is fitted to what they look like. Other tables, with outlines that
miss by more, then say how far its confidences may be trusted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.lab.scenes.settings import SQUARE_GAMES
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array
from models.lab.training.drills import drill_crops
from models.lab.training.harness import made, parser_of, tell
from vision.classify.features import features
from vision.classify.reader import Reader, make_reader, upper_halves, write_reader
from vision.core.crop import Patches
from vision.core.types import Look

SHRINKAGE = 0.02
"""Shrinkage of the covariance: 0.005, 0.02 and 0.1 read the same on held-out tables."""
CALIBRATION_SHARE = 0.2
MISSES, CALIBRATING_MISSES = (0.8, 2.0), (1.1, 1.6)
"""Range of outline errors, relative to a usual detector, on tables to learn from and to calibrate
with. Learnt from errors of 1 only, tiles that were found half as well were far from every look;
calibration on harder tables shows what is doubtful."""
CALIBRATED_FROM_PX = 22.0
"""Least width of tiles to calibrate with: of narrower ones the reader is less sure anyway."""
BURNT_SHARE, BURNT, GAMMA = 0.2, (1.2, 2.2), 2.2
"""Share of overexposed tables, the range of their exposure relative to a right one, and the gamma
of pictures."""
TEMPERATURES = np.geomspace(0.5, 60, 60)
KNOWN_QUANTILE = 0.998
KNOWN_SPARE = 2.0
"""A card is known up to this factor beyond ``KNOWN_QUANTILE`` of the calibrating ones: outlines of
half a big card miss by more than any calibrating one, and were unknown at 1.1."""


@dataclass(frozen=True, eq=False)
class Learnt:
    """Features of cut tiles and what they are."""

    rows: Array
    halves: Array
    """Features of the tiles' upper halves."""
    looks: Array
    """Indices into the sorted names of looks."""
    names: tuple[str, ...]


def learn(set_name: str, tables: int, workers: int) -> tuple[Learnt, Learnt]:
    """Return features of tiles from drawn tables: to fit to, and to calibrate with."""
    calibrating = max(1, round(tables * CALIBRATION_SHARE))
    other = range(tables, tables + calibrating)
    return (
        _drawn(set_name, range(tables), workers, MISSES, 0.0, "tables to learn from"),
        _drawn(
            set_name,
            other,
            workers,
            CALIBRATING_MISSES,
            CALIBRATED_FROM_PX,
            "tables to calibrate with",
        ),
    )


def fit(rows: Array, looks: Sequence[Look], tile_set: TileSet | None) -> Reader:
    """Return a reader fitted by scikit-learn; its confidences are not calibrated yet.

    It is a linear discriminant analysis whose covariance is shrunk once for all looks together:
    scikit-learn's own shrinks it look by look, which takes minutes and reads the same.
    """
    from sklearn.covariance import shrunk_covariance
    from sklearn.decomposition import PCA

    names, number = np.unique([str(look) for look in looks], return_inverse=True)
    counts = np.bincount(number)
    middles = np.zeros((len(names), rows.shape[1]))
    np.add.at(middles, number, rows)
    middles /= counts[:, None]
    off = rows - middles[number].astype(np.float32)
    spread = off.std(axis=0) + 1e-6
    off /= spread
    covariance = shrunk_covariance((off.T @ off).astype(np.float64) / len(off), SHRINKAGE)
    root = np.linalg.cholesky(covariance)
    apart = np.linalg.solve(root, (middles / spread).T).T
    ways = PCA(len(names) - 1).fit(apart).components_
    project = np.linalg.solve(root.T, ways.T) / spread[:, None]
    # The projection is stored as float16, so the centres must be those of the rounded one.
    project = project.astype(np.float16).astype(np.float32)
    order = [Look.parse(str(name)) for name in names]
    return make_reader(tile_set, order, project, middles @ project, 1.0, 1e9)


def calibrated(
    reader: Reader, rows: Array, looks: Sequence[Look], tile_set: TileSet | None
) -> tuple[Reader, dict[str, float]]:
    """Return the reader with temperature and known distance calibrated on tiles it never saw."""
    distances = reader.distances_of(rows)
    numbers = {str(look): number for number, look in enumerate(reader.looks)}
    truth = reader.group_of[[numbers[str(look)] for look in looks]]
    known = float(np.quantile(distances.min(axis=1), KNOWN_QUANTILE)) * KNOWN_SPARE
    # Stranger tiles are rejected by ``known`` and would only distort the temperature.
    usual = distances.min(axis=1) <= known
    best, chosen = np.inf, 1.0
    for temperature in TEMPERATURES:
        shares = _with(reader, float(temperature), known, tile_set).confidences(distances[usual])
        own = shares[np.arange(int(usual.sum())), truth[usual]]
        loss = -float(np.log(np.maximum(own, 1e-12)).mean())
        if loss < best:
            best, chosen = loss, float(temperature)
    done = _with(reader, chosen, known, tile_set)
    shares = done.confidences(distances)
    wrong = shares.argmax(axis=1) != truth
    return done, {
        "calibrating_tiles": len(truth),
        "calibrating_wrong": int(wrong.sum()),
        "loss": round(best, 5),
    }


def train(set_name: str, out: Path, tables: int, workers: int) -> dict[str, Any]:
    """Draw, fit, calibrate and write the reader of one box; return its figures."""
    tile_set = built_in_set(set_name)
    fitting, calibrating = learn(set_name, tables, workers)
    tqdm.write(f"{set_name}: fitting to {len(fitting.rows)} cut tiles …")
    reader = fit(fitting.rows, _looks(fitting), tile_set)
    reader, figures = calibrated(reader, calibrating.rows, _looks(calibrating), tile_set)
    half = fit(fitting.halves, _looks(fitting), tile_set)
    half, of_halves = calibrated(half, calibrating.halves, _looks(calibrating), tile_set)
    out.mkdir(parents=True, exist_ok=True)
    every = {"tables": tables, "tiles": len(fitting.rows), **figures, "halves": of_halves}
    write_reader(replace(reader, half=half), tile_set, out, every)
    return {**every, "temperature": reader.temperature, "known": reader.known}


def _with(reader: Reader, temperature: float, known: float, tile_set: TileSet | None) -> Reader:
    return make_reader(tile_set, reader.looks, reader.project, reader.centres, temperature, known)


def _looks(learnt: Learnt) -> list[Look]:
    every = [Look.parse(name) for name in learnt.names]
    return [every[number] for number in learnt.looks]


def _drawn(
    set_name: str,
    seeds: range,
    workers: int,
    misses: tuple[float, float],
    least_px: float,
    what: str,
) -> Learnt:
    draw = partial(_rows_of, set_name, misses, least_px)
    parts = made(f"{set_name}: {what}", draw, seeds, workers)
    names, numbers = np.unique(np.concatenate([part[2] for part in parts]), return_inverse=True)
    rows, halves = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    return Learnt(rows, halves, numbers, tuple(str(name) for name in names))


def _rows_of(
    set_name: str, misses: tuple[float, float], least_px: float, seed: int
) -> tuple[Array, Array, Array]:
    rng = rng_of("misses", set_name, seed)
    amount = float(rng.uniform(*misses))
    crops = drill_crops(set_name, seed, "train", amount=amount)
    if rng.random() < BURNT_SHARE:
        crops = replace(crops, patches=exposed_longer(crops.patches, float(rng.uniform(*BURNT))))
    wide = crops.across_px >= least_px
    looks = np.array([str(look) for look in crops.looks], dtype=str)
    patches = crops.patches[wide]
    return features(patches), features(upper_halves(patches)), looks[wide]


def exposed_longer(patches: Patches, gain: float) -> Patches:
    """Return overexposed patches, like white cards on a dark table."""
    light = (np.arange(256) / 255) ** GAMMA * gain
    curve = np.round(255 * np.minimum(light, 1.0) ** (1 / GAMMA)).astype(np.uint8)
    return np.asarray(curve[patches], np.uint8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as the command line asks."""
    parser = parser_of("reader", __doc__, SQUARE_GAMES)
    parser.add_argument("--tables", type=int, default=600, help="drawn tables to learn from")
    asked = parser.parse_args(arguments)
    for name in asked.sets or SQUARE_GAMES:
        figures = train(name, asked.out, asked.tables, asked.workers)
        tell(name, figures, asked.out, [f"reader_{name}.npz"])
    return 0


if __name__ == "__main__":
    sys.exit(main())

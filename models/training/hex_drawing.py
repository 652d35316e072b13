"""Draws tables of the hex games in other processes and keeps what networks learn from as files.

``python -m models.training.hex_drawing --out DIR --count N`` draws alone; training starts the same
processes beside itself and reads the files as they come.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.scenes.splits import Split, rng_of
from models.training.hex_samples import (
    SIZE_SHARES,
    SIZES_PX,
    cells_sample,
    finder_sample,
    hex_table,
    nowhere_sample,
    placer_sample,
)
from vision.core.crop import Pyramid

GAMES = ("snekagon", "snekagon5g")
NOTHING = "nothing"
NOTHING_SHARE = 0.08
"""How many tables have no board at all."""
FINDER_VIEWS, PLACER_VIEWS, READER_VIEWS = 3, 4, 3


def drawn(seed: int, split: Split) -> dict[str, Any] | None:
    """Return the samples of one table; none where the scene cannot be made."""
    rng = rng_of("hex-samples", split, seed)
    # Boards of 5G carry five colours, clay and eyes; one table of it shows several.
    game = GAMES[int(rng.random() < 0.6)]
    size = SIZES_PX[int(rng.choice(len(SIZES_PX), p=SIZE_SHARES[game]))]
    game = NOTHING if rng.random() < NOTHING_SHARE else game
    try:
        table = hex_table(seed, game, split, size)
    except KeyError:
        return None
    pyramid = Pyramid(table.bgr)
    finder = [finder_sample(table, rng) for _ in range(FINDER_VIEWS)]
    placer = [placer_sample(pyramid, b, rng) for b in table.boards for _ in range(PLACER_VIEWS)]
    reader = [cells_sample(pyramid, b, rng) for b in table.boards for _ in range(READER_VIEWS)]
    samples: dict[str, Any] = {
        "finder": np.stack([f[0] for f in finder]), "marks": np.stack([f[1] for f in finder]),
    }  # fmt: skip
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


def draw_many(folder: str, split: Split, first: int, step: int, count: int) -> None:
    """Write the samples of every ``step``-th seed as one file each."""
    cv2.setNumThreads(1)
    os.nice(5)
    for seed in range(first, first + step * count, step):
        path = Path(folder, f"{split}-{seed:07d}.npz")
        if not path.exists() and (samples := drawn(seed, split)) is not None:
            # Written under another name first: readers take only whole files.
            part = path.with_suffix(".part")
            with part.open("wb") as file:
                np.savez(file, **samples)
            part.rename(path)


def start(
    folder: Path, split: Split, workers: int, first: int, count: int
) -> list[multiprocessing.Process]:
    """Start processes that draw until they are done or stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    every = [
        multiprocessing.Process(
            target=draw_many, args=(str(folder), split, first + number, workers, count), daemon=True
        )
        for number in range(workers)
    ]
    for one in every:
        one.start()
    return every


def main() -> None:
    """Draw as the command line asks."""
    parser = argparse.ArgumentParser(prog="models.training.hex_drawing", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--count", type=int, default=200, help="tables a process")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--split", choices=("train", "held-out"), default="train")
    asked = parser.parse_args()
    for one in start(asked.out, asked.split, asked.workers, asked.first, asked.count):
        one.join()


if __name__ == "__main__":
    main()

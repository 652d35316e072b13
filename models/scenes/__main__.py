"""``python -m models.scenes``: writes scenes with their truth and a contact sheet into a folder."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from tqdm import tqdm

from models.scenes.arrays import Array
from models.scenes.scene import Scene, make_scene
from models.scenes.settings import SUBJECTS
from models.scenes.splits import SPLITS, Split

THUMB_PX = (480, 360)
SHEET_COLUMNS = 8


def main(arguments: Sequence[str] | None = None) -> int:
    """Make scenes as the command line asks."""
    asked = _parser().parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    seeds = range(asked.seed, asked.seed + asked.count)
    size = size_of(asked.size) if asked.size else None
    write = partial(
        write_scene, split=asked.split, subject=asked.game, size_px=size, folder=asked.out
    )
    thumbs = list(tqdm(_done(write, seeds, asked.workers), total=len(seeds), unit="scene"))
    cv2.imwrite(str(asked.out / "contact_sheet.png"), contact_sheet(thumbs))
    return 0


def size_of(text: str) -> tuple[int, int]:
    """Return width and height from ``1280x720``."""
    width, _, height = text.partition("x")
    return int(width), int(height)


def write_scene(
    seed: int, split: Split, subject: str, size_px: tuple[int, int] | None, folder: Path
) -> Array:
    """Write one scene as JPEG and JSON; return a small copy of it."""
    scene = make_scene(seed, split, subject, size_px)
    name = f"{subject}-{split}-{seed:06d}"
    (folder / f"{name}.jpg").write_bytes(scene.jpeg)
    (folder / f"{name}.json").write_text(json.dumps(as_json(scene, f"{name}.jpg")), "utf-8")
    return thumbnail(scene.bgr)


def as_json(scene: Scene, file: str) -> dict[str, Any]:
    """Return the truth of a scene with its file name and what was drawn for it."""
    return {"file": file, **scene.truth, "settings": asdict(scene.settings)}


def thumbnail(bgr: Array, size_px: tuple[int, int] = THUMB_PX) -> Array:
    """Return a picture made to fit a frame of one size."""
    scale = min(size_px[0] / bgr.shape[1], size_px[1] / bgr.shape[0])
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    small = small[: size_px[1], : size_px[0]]
    frame = np.full((size_px[1], size_px[0], 3), 24, np.uint8)
    top, left = (size_px[1] - small.shape[0]) // 2, (size_px[0] - small.shape[1]) // 2
    frame[top : top + small.shape[0], left : left + small.shape[1]] = small
    return frame


def contact_sheet(thumbs: Sequence[Array], columns: int = SHEET_COLUMNS) -> Array:
    """Return pictures of one size side by side."""
    columns = min(columns, len(thumbs))
    missing = -len(thumbs) % columns
    every = [*thumbs, *[np.zeros_like(thumbs[0])] * missing]
    rows = [np.hstack(every[i : i + columns]) for i in range(0, len(every), columns)]
    return np.vstack(rows)


def one_thread() -> None:
    """Keep a worker process to one core: there are as many of them as there are cores."""
    cv2.setNumThreads(1)


def _done(write: Any, seeds: range, workers: int) -> Iterator[Array]:
    if workers == 1:
        yield from map(write, seeds)
        return
    with ProcessPoolExecutor(workers or None, initializer=one_thread) as pool:
        yield from pool.map(write, seeds, chunksize=4)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.scenes", description=__doc__)
    parser.add_argument("--game", choices=SUBJECTS, required=True, help="what lies on the tables")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seed", type=int, default=0, help="of the first scene")
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--size", metavar="WxH", help="pixels; drawn for each scene if missing")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    return parser


if __name__ == "__main__":
    sys.exit(main())

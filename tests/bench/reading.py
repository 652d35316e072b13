"""How long a full read of a photograph takes, beside decoding it and one full-frame warp."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.scenes.scene import make_scene
from vision.intake import load_picture
from vision.read import read_table
from vision.request import ReadRequest

GAME = "schlangennest"
TILES_WANTED = 40
SEEDS = range(24)
REPEATS = 7
FULL_HD, TWELVE_MEGAPIXELS = (1920, 1080), (4000, 3000)
READ_RATIO_WANTED, LARGE_RATIO_WANTED = 8.0, 3.0

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


def rows() -> list[Row]:
    """Return what the benchmark's table shows of reading."""
    with tempfile.TemporaryDirectory() as folder:
        hd, tiles = _photograph(Path(folder) / "hd.jpg", FULL_HD)
        large, _ = _photograph(Path(folder) / "large.jpg", TWELVE_MEGAPIXELS)
        yardstick_ms = _milliseconds(lambda: _decode_and_warp(hd))
        read_ms = _milliseconds(lambda: _read(hd))
        large_ms = _milliseconds(lambda: _read(large))
    counted = f"{tiles} tiles, models loaded, median of {REPEATS}"
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        (
            "reading: a 1920 x 1080 JPEG, in decoding plus one warp of it",
            read_ms / yardstick_ms, f"x (at most {READ_RATIO_WANTED:.0f})",
            f"{read_ms:.0f} ms against {yardstick_ms:.0f} ms; {counted}",
        ),
        (
            "reading: a 12-megapixel photo, in reads of the 1080p one",
            large_ms / read_ms, f"x (at most {LARGE_RATIO_WANTED:.0f})",
            f"{large_ms:.0f} ms against {read_ms:.0f} ms",
        ),
        ("reading: memory of this process at its most", memory_mb, "MB (below 400)",
         "with the scene maker in it, which play has not"),
    ]  # fmt: skip


def _photograph(path: Path, size_px: tuple[int, int]) -> tuple[Path, int]:
    """Write a held-out table with about as many tiles as wanted; return it and their count."""
    counts = {
        seed: len(make_scene(seed, "held-out", GAME, (640, 480)).truth["tiles"]) for seed in SEEDS
    }
    seed = min(counts, key=lambda s: abs(counts[s] - TILES_WANTED))
    cv2.imwrite(str(path), make_scene(seed, "held-out", GAME, size_px).bgr)
    return path, counts[seed]


def _decode_and_warp(path: Path) -> None:
    bgr = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    assert bgr is not None
    height, width = bgr.shape[:2]
    turned = cv2.getRotationMatrix2D((width / 2, height / 2), 7, 1)
    cv2.warpPerspective(bgr, np.vstack([turned, (0, 0, 1)]), (width, height))


def _read(path: Path) -> None:
    read_table(load_picture(str(path)), ReadRequest("square", built_in_set(GAME), None, None))


def _milliseconds(work: Callable[[], None]) -> float:
    work()
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        work()
        times.append((perf_counter() - start) * 1000)
    return median(times)

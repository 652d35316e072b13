"""How fast scenes and filmed games are made, beside one full-frame warp of the same size."""

from __future__ import annotations

import time
from dataclasses import replace
from statistics import median

import cv2
import numpy as np

from models.lab.scenes.scene import scene_from
from models.lab.scenes.settings import SceneSettings, draw_settings
from tests.live_games.filmed import film

SIZE = (1280, 720)
SCENES = 12
ROUNDS = 3
CORES = 2
TARGET = 10.0
"""Scenes a second that are wished for on two cores."""

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


def rows() -> list[Row]:
    """Return what the benchmark's table shows of the scene maker."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    every = [_forty_tiles(seed) for seed in range(SCENES)]
    counts = [len(scene_from(settings).truth["tiles"]) for settings in every]
    warps, scenes = [], []
    for _ in range(ROUNDS):
        for settings in every:
            warps.append(_warp_s())
            scenes.append(_timed(settings))
    frame_s = _film_s()
    cv2.setNumThreads(threads)
    counted = f"{SCENES} tables of {min(counts)} to {max(counts)} tiles, {ROUNDS} times, medians"
    return [
        ("scenes: one full-frame warp, 1280 x 720", 1000 * median(warps), "ms", counted),
        (
            f"scenes: made a second on {CORES} cores",
            CORES / median(scenes),
            f"(wish {TARGET:g})",
            counted,
        ),
        ("scenes: one scene", median(scenes) / median(warps), "warps", counted),
        (
            "scenes: one frame of a filmed game",
            frame_s / median(warps),
            "warps",
            "one game of four moves, one core",
        ),
    ]


def _forty_tiles(seed: int) -> SceneSettings:
    settings = draw_settings(seed, "train", "invented-square", SIZE)
    return replace(settings, fullness=0.92, set_name=f"invented-square-{seed % 3:04d}")


def _timed(settings: SceneSettings) -> float:
    start = time.perf_counter()
    scene_from(settings)
    return time.perf_counter() - start


def _warp_s() -> float:
    picture = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    bent = np.array([[1, 0.05, 3], [0.02, 1, -4], [1e-5, 2e-5, 1]])
    start = time.perf_counter()
    cv2.warpPerspective(picture, bent, SIZE, flags=cv2.INTER_LINEAR)
    return time.perf_counter() - start


def _film_s() -> float:
    made = film(1, "train", "schlangennest", size_px=SIZE, most_moves=4)
    start = time.perf_counter()
    count = sum(1 for _ in made.frames())
    return (time.perf_counter() - start) / count

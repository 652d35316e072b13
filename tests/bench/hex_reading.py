"""How long a full read of a hex table takes, beside decoding it and one full-frame warp."""

from __future__ import annotations

import tempfile
from pathlib import Path

import cv2

from engine.setfile import built_in_set
from models.lab.scenes.scene import make_scene
from tests.bench.reading import (
    FULL_HD,
    READ_RATIO_WANTED,
    REPEATS,
    Row,
    decode_and_warp,
    in_turn,
)
from vision.hexes.read import read_hex_table
from vision.intake.picture import load_picture

SEEDS = {"snekagon": 1, "snekagon5g": 2}
"""A held-out table of each game: one board, and several with a stock beside them."""


def rows() -> list[Row]:
    """Return what the benchmark's table shows of reading hex boards."""
    with tempfile.TemporaryDirectory() as folder:
        return [_row(game, seed, Path(folder) / f"{game}.jpg") for game, seed in SEEDS.items()]


def _row(game: str, seed: int, path: Path) -> Row:
    scene = make_scene(seed, "held-out", game, FULL_HD)
    cv2.imwrite(str(path), scene.bgr)
    box = built_in_set(game)
    yardstick_ms, read_ms = in_turn(lambda: decode_and_warp(path), lambda: _read(path, game))
    state = read_hex_table(load_picture(str(path)).bgr, box, game)
    parts = ", ".join(f"{name} {ms:.0f}" for name, ms in state.timings_ms.items())
    return (
        f"reading: a 1920 x 1080 JPEG of {game}, in decoding plus one warp of it",
        read_ms / yardstick_ms,
        f"x (at most {READ_RATIO_WANTED:.0f})",
        f"{read_ms:.0f} ms against {yardstick_ms:.0f} ms; {len(state.tiles)} tiles, "
        f"median of {REPEATS}; last: {parts} ms",
    )


def _read(path: Path, game: str) -> None:
    read_hex_table(load_picture(str(path)).bgr, built_in_set(game), game)

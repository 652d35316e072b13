"""How long a full read of a photograph takes, beside decoding it and one full-frame warp."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.profile import Lens, Profile, TablePlane
from engine.setfile import built_in_set
from models.lab.scenes.scene import make_scene
from vision.core.request import ReadRequest, pixels_enough
from vision.intake.picture import load_picture, open_picture
from vision.read import read_table

GAME = "schlangennest"
TILES_WANTED, CROWDED = 40, 70
SEEDS = range(24)
HEX_SEEDS = {"snekagon": 1, "snekagon5g": 2}
"""A held-out table of each game: one board, and several with a stock beside them."""
REPEATS = 7
FULL_HD, TWELVE_MEGAPIXELS = (1920, 1080), (4000, 3000)
MEMORY_WANTED_MB = 300
READ_RATIO_WANTED, PROFILE_RATIO_WANTED, LARGE_RATIO_WANTED = 8.0, 4.0, 3.0
READ_ONCE = """
import sys
from engine.setfile import built_in_set
from vision.intake.picture import load_picture
from vision.read import read_table
from vision.core.request import ReadRequest
read_table(load_picture(sys.argv[1]), ReadRequest("square", built_in_set(sys.argv[2])))
with open("/proc/self/status", encoding="ascii") as status:
    print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM")))
"""
"""What a process does that only reads: the scene maker, which play has not, stays out of it."""

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


def rows() -> list[Row]:
    """Return what the benchmark's table shows of reading."""
    with tempfile.TemporaryDirectory() as folder:
        hd, truth = _photograph(Path(folder) / "hd.jpg", FULL_HD)
        large, _ = _photograph(Path(folder) / "large.jpg", TWELVE_MEGAPIXELS)
        crowded, crowd = _photograph(Path(folder) / "crowded.jpg", FULL_HD, CROWDED)
        profile, crowd_profile = _profile(truth), _profile(crowd)
        yardstick_ms, read_ms, known_ms, large_ms, crowd_yard_ms, crowd_ms, crowd_known_ms = (
            in_turn(
                lambda: decode_and_warp(hd),
                lambda: _read(hd),
                lambda: _read(hd, profile),
                lambda: _read(large),
                lambda: decode_and_warp(crowded),
                lambda: _read(crowded),
                lambda: _read(crowded, crowd_profile),
            )
        )
        busy = _busy(Path(folder) / "busy.jpg", crowded)
        most_mb = max(_memory_mb(path) for path in (hd, large, busy))
    tiles = f"{len(truth['tiles'])} tiles in play, {len(truth['aside'])} beside"
    counted = f"{tiles}, models loaded, median of {REPEATS}"
    return [
        (
            "reading: a 1920 x 1080 JPEG, in decoding plus one warp of it",
            read_ms / yardstick_ms,
            f"x (at most {READ_RATIO_WANTED:.0f})",
            f"{read_ms:.0f} ms against {yardstick_ms:.0f} ms; {counted}",
        ),
        (
            "reading: the same with a profile of the camera",
            known_ms / yardstick_ms,
            f"x (at most {PROFILE_RATIO_WANTED:.0f})",
            f"{known_ms:.0f} ms against {yardstick_ms:.0f} ms",
        ),
        (
            "reading: a 12-megapixel photo, in reads of the 1080p one",
            large_ms / read_ms,
            f"x (at most {LARGE_RATIO_WANTED:.0f})",
            f"{large_ms:.0f} ms against {read_ms:.0f} ms",
        ),
        *(
            (
                f"reading: a table of {_tile_count(crowd)} tiles{known}",
                ms / crowd_yard_ms,
                "x (nothing asked)",
                f"{ms:.0f} ms against {crowd_yard_ms:.0f} ms",
            )
            for known, ms in (("", crowd_ms), (", with a profile", crowd_known_ms))
        ),
        (
            "reading: memory of a process that reads one picture, at its most",
            most_mb,
            f"MB (below {MEMORY_WANTED_MB})",
            "of 2 megapixels, 12, and 12 full of small tiles; measured where Linux tells it",
        ),
        *(_hex_row(game, seed) for game, seed in HEX_SEEDS.items()),
    ]


def _hex_row(game: str, seed: int) -> Row:
    jpeg = make_scene(seed, "held-out", game, FULL_HD).jpeg
    request = ReadRequest("hex", built_in_set(game))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.jpg"
        path.write_bytes(jpeg)
        yardstick_ms, read_ms = in_turn(
            lambda: decode_and_warp(path), lambda: read_table(load_picture(path), request)
        )
    return (
        f"reading: a 1920 x 1080 JPEG of {game}, in decoding plus one warp of it",
        read_ms / yardstick_ms,
        f"x (at most {READ_RATIO_WANTED:.0f})",
        f"{read_ms:.0f} ms against {yardstick_ms:.0f} ms, median of {REPEATS}",
    )


def _busy(path: Path, crowded: Path) -> Path:
    """Write 12 megapixels in which tiles of several sizes lie everywhere; return the file."""
    small = cv2.resize(_decoded(crowded), (800, 600), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(path), np.tile(small, (5, 5, 1)))
    return path


def _photograph(
    path: Path, size_px: tuple[int, int], wanted: int = TILES_WANTED
) -> tuple[Path, Mapping[str, Any]]:
    """Write a held-out table with about as many tiles as wanted; return it and its truth.

    Tiles beside the game have to be found and read like those in play, so both are counted.
    """
    counts = _tile_counts()
    seed = min(counts, key=lambda s: abs(counts[s] - wanted))
    scene = make_scene(seed, "held-out", GAME, size_px)
    cv2.imwrite(str(path), scene.bgr)
    return path, scene.truth


@cache
def _tile_counts() -> Mapping[int, int]:
    """Return how many tiles each table shows; all of them are drawn for that, once."""
    return {
        seed: _tile_count(make_scene(seed, "held-out", GAME, (640, 480)).truth) for seed in SEEDS
    }


def _tile_count(truth: Mapping[str, Any]) -> int:
    return len(truth["tiles"]) + len(truth["aside"])


def _profile(truth: Mapping[str, Any]) -> Profile:
    """Return what calibration would have learnt of the scene's camera."""
    width, height = truth["size"]
    camera = truth["camera"]
    lens = Lens((width, height), np.array(camera["matrix"]), np.array(camera["distortion"]))
    plane = TablePlane(np.linalg.inv(np.array(camera["px_from_mm"])), "sheet")
    return Profile((width, height), lens, plane)


def _memory_mb(path: Path) -> float:
    """Return the most memory that a process of its own needs to read a picture."""
    if not Path("/proc/self/status").exists():
        return float("nan")
    asked = [sys.executable, "-c", READ_ONCE, str(path), GAME]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def _decoded(path: Path) -> NDArray[np.uint8]:
    bgr = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    assert bgr is not None
    return np.asarray(bgr, np.uint8)


def decode_and_warp(path: Path) -> None:
    """Do what reading is measured by."""
    bgr = _decoded(path)
    height, width = bgr.shape[:2]
    turned = cv2.getRotationMatrix2D((width / 2, height / 2), 7, 1)
    cv2.warpPerspective(bgr, np.vstack([turned, (0, 0, 1)]), (width, height))


def _read(path: Path, profile: Profile | None = None) -> None:
    request = ReadRequest("square", built_in_set(GAME), None, profile)
    read_table(open_picture(path).decode(pixels_enough(request)), request)


def in_turn(*works: Callable[[], object]) -> list[float]:
    """Return the milliseconds that works take, each the median of several times.

    They are done in turn, so that what else the machine does at the time falls on all of them.
    """
    times: list[list[float]] = [[] for _ in works]
    for _ in range(REPEATS + 1):
        for work, own in zip(works, times, strict=True):
            start = perf_counter()
            work()
            own.append((perf_counter() - start) * 1000)
    # The first time loads the models.
    return [median(own[1:]) for own in times]

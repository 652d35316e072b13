"""How well tiles are found: held-out scenes and, where they are at hand, photographs.

``python -m models.evaluate.detection --scenes 20 --photos`` prints one line a part. Photographs
are looked for in the folder that ``SNAKE_EYE_SHARED`` names, and left out where it is not set.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.scenes.arrange import arrange
from models.scenes.develop import unpacked
from models.scenes.scene import camera_for, painted, photographed
from models.scenes.settings import HEX_GAMES, SUBJECTS, draw_settings
from models.scenes.splits import SHARED_VARIABLE, Split
from models.training.samples import SQUARE, cells_of
from vision.detect import detect_tiles
from vision.lattice import fit_lattices, turned_cells
from vision.network import TileNetwork
from vision.types import Detections, LatticeFit, Shape

Array = npt.NDArray[Any]
Cell = tuple[int, int]

LEAST_WIDE_PX = 24.0
LEAST_SEEN = 0.5
"""Cells that are narrower or seen less may be found or not."""
SAME_PLACE = 0.35
"""A tile is found when an outline's middle is that close to its own, in widths."""


@dataclass
class Count:
    """What was found on some pictures, and what was not."""

    pictures: int = 0
    exact: int = 0
    cells: int = 0
    missed: int = 0
    invented: int = 0
    corner_errors: list[float] = field(default_factory=list)
    """Mean distance of corners, one a tile, in widths."""
    seconds: float = 0.0
    worst: list[tuple[int, str]] = field(default_factory=list)

    def line(self) -> str:
        """Return it all in one line."""
        found = self.cells - self.missed
        f1 = 2 * found / max(2 * found + self.missed + self.invented, 1)
        error = np.array(self.corner_errors or [np.nan])
        return (
            f"{self.pictures} pictures, exact {self.exact}, cells {self.cells}, "
            f"missed {self.missed}, invented {self.invented}, F1 {f1:.4f}, corners "
            f"{100 * float(error.mean()):.1f} % of a width ({100 * float(np.median(error)):.1f}"
            f" median), {1000 * self.seconds / max(self.pictures, 1):.0f} ms"
        )


def width_of(outline: Array) -> float:
    """Return a cell's width by its area."""
    area = abs(float(cv2.contourArea(np.asarray(outline, np.float32))))
    return float(np.sqrt(area if len(outline) == 4 else area * 2 / np.sqrt(3)))


def matched(truth: Sequence[Array], found: Sequence[Array]) -> dict[int, int]:
    """Return which outline found is which true cell, the closest pairs first."""
    if not truth or not found:
        return {}
    middles = np.array([t.mean(axis=0) for t in truth])
    widths = np.array([width_of(t) for t in truth])
    seen = np.array([f.mean(axis=0) for f in found])
    apart = np.linalg.norm(middles[:, None] - seen[None], axis=2) / widths[:, None]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for flat in np.argsort(apart, axis=None):
        one, other = divmod(int(flat), len(found))
        if apart[one, other] > SAME_PLACE:
            break
        if one not in pairs and other not in taken:
            pairs[one] = other
            taken.add(other)
    return pairs


def corner_error(truth: Array, found: Array) -> float:
    """Return the mean distance of corners in widths, whichever corner is called the first."""
    count = len(truth)
    errors = [
        float(np.linalg.norm(truth - np.roll(order, shift, axis=0), axis=1).mean())
        for order in (found, found[::-1])
        for shift in range(count)
    ]
    return min(errors) / width_of(truth)


def count_in(
    count: Count, truth: Sequence[Array], optional: Sequence[Array], found: Sequence[Array],
    name: str,
) -> bool:  # fmt: skip
    """Add one picture to a count and say whether it is wholly right.

    Args:
        count: what it is added to.
        truth: cells that must be found.
        optional: cells that may be.
        found: outlines that were.
        name: of the picture.
    """
    pairs = matched(truth, found)
    rest = [f for k, f in enumerate(found) if k not in set(pairs.values())]
    invented = len(rest) - len(matched(optional, rest))
    missed = len(truth) - len(pairs)
    count.pictures += 1
    count.cells += len(truth)
    count.missed += missed
    count.invented += invented
    count.corner_errors += [corner_error(truth[a], found[b]) for a, b in pairs.items()]
    count.worst.append((missed + invented, name))
    return not missed and not invented


def true_cells(
    seed: int, split: Split, subject: str, size_px: tuple[int, int] | None = None
) -> tuple[Array, list[Array], list[Array], list[tuple[Array, Cell, int]]]:
    """Return a scene's picture, its cells to find, its cells that may be found, and places.

    Places are the layout's cells with one cell each: outline, cell and field.
    """
    settings = draw_settings(seed, split, subject, size_px)
    top = arrange(settings)
    camera = camera_for(settings, top.extent_mm)
    canvas = painted(settings, top, camera)
    bgr = unpacked(photographed(settings, canvas))
    areas = np.bincount(canvas.ids.ravel(), minlength=len(top.items) + 1) / canvas.ids_scale**2
    must: list[Array] = []
    may: list[Array] = []
    places = []
    for number, item in enumerate(top.items, start=1):
        if item.role not in ("tile", "aside"):
            continue
        cells = cells_of(item, top.faces[item.face], camera, settings.cards.size_mm)
        whole = sum(abs(cv2.contourArea(c.astype(np.float32))) for _, c, _ in cells)
        seen = areas[number] / max(whole, 1e-6)
        for _, corners, _ in cells:
            inside = bool((corners > -1).all() and (corners < camera.size_px).all())
            wide = width_of(corners) >= LEAST_WIDE_PX
            (must if seen >= LEAST_SEEN and inside and wide else may).append(corners)
            if item.role == "tile" and len(cells) == 1 and "at" in item.truth and inside:
                at = item.truth["at"]
                places.append((corners, (at[0], at[1]), item.truth.get("field") or 0))
    return bgr, must, may, places


def lattice_right(
    places: Sequence[tuple[Array, Cell, int]], detections: Detections, fits: Sequence[LatticeFit]
) -> bool:
    """Say whether the found tiles of each field lie in one grid with the right cells."""
    found = [d.corners_px for d in detections.found]
    cell_of = {t: (k, cell) for k, fit in enumerate(fits) for cell, t in fit.cells.items()}
    for own in sorted({p[2] for p in places}):
        listed = [p for p in places if p[2] == own]
        pairs = matched([p[0] for p in listed], found)
        mine = [(listed[a][1], cell_of[b]) for a, b in pairs.items() if b in cell_of]
        if len({grid for _, (grid, _) in mine}) > 1:
            return False
        if mine and not same_cells([c for c, _ in mine], [c for _, (_, c) in mine],
                                   detections.shape):  # fmt: skip
            return False
    return True


def same_cells(one: Sequence[Cell], other: Sequence[Cell], shape: Shape) -> bool:
    """Say whether two lists of cells are equal up to shift and turn, item by item."""
    folds = 4 if shape == "square" else 6
    for turns in range(folds):
        turned = turned_cells(np.array(other), np.full(len(other), turns), folds)
        gap = turned - np.array(one)
        if (gap == gap[0]).all():
            return True
    return False


def best_overlap(one: Iterable[Cell], other: Iterable[Cell], folds: int = 4) -> int:
    """Return how many cells two layouts share at the best shift and turn."""
    mine, theirs = set(one), np.array(sorted(other))
    best = 0
    for turns in range(folds):
        cells = turned_cells(theirs, np.full(len(theirs), turns), folds)
        for a in mine:
            for b in cells:
                moved = cells + (np.array(a) - b)
                best = max(best, sum((int(x), int(y)) in mine for x, y in moved))
    return best


def evaluate_scenes(
    network: TileNetwork, subject: str, seeds: Iterable[int], split: Split = "held-out",
    size_px: tuple[int, int] | None = None, save: Path | None = None,
) -> Count:  # fmt: skip
    """Return what is found on drawn tables of one subject."""
    count = Count()
    shape: Shape = "hex" if subject in (*HEX_GAMES, "invented-hex") else "square"
    for seed in seeds:
        bgr, must, may, places = true_cells(seed, split, subject, size_px)
        began = time.perf_counter()
        detections = detect_tiles(bgr, shape, network=network)
        fits = fit_lattices(detections)
        count.seconds += time.perf_counter() - began
        found = [d.corners_px for d in detections.found]
        right = count_in(count, must, may, found, f"{subject} {seed}")
        if right and not lattice_right(places, detections, fits):
            right = False
            count.worst[-1] = (1, f"{subject} {seed} lattice")
        count.exact += right
        if save and not right:
            save.mkdir(parents=True, exist_ok=True)
            name = f"{subject}_{seed}_{count.worst[-1][0]}.jpg"
            cv2.imwrite(str(save / name), drawn(bgr, must, found))
    return count


def evaluate_qwirkle(network: TileNetwork, folder: Path, save: Path | None = None) -> Count:
    """Return how the layouts of the growing game are read; exact means the largest grid is it."""
    labels = json.loads((folder / "labels.json").read_text())["photos"]
    count = Count()
    for name, tiles in labels.items():
        if "at" not in tiles[0]:
            continue
        bgr = unpacked((folder / name).read_bytes())
        began = time.perf_counter()
        detections = detect_tiles(bgr, "square", network=network)
        fits = fit_lattices(detections)
        count.seconds += time.perf_counter() - began
        truth = {(t["at"][0], t["at"][1]) for t in tiles}
        cells = list(fits[0].cells) if fits else []
        shared = best_overlap(truth, cells) if cells else 0
        loose = len(detections.found) - len(cells)
        count.pictures += 1
        count.cells += len(truth)
        count.missed += len(truth) - shared
        count.invented += len(cells) - shared + loose
        right = shared == len(truth) == len(cells) and not loose
        count.exact += right
        count.worst.append((len(truth) - shared + len(cells) - shared + loose, name))
        if save and not right:
            save.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(save / f"qwirkle_{name}"),
                        drawn(bgr, [], [d.corners_px for d in detections.found]))  # fmt: skip
    return count


def evaluate_catan(network: TileNetwork, folder: Path, save: Path | None = None) -> Count:
    """Return how the hexes of the islands are found; corner errors here in radii."""
    labels = json.loads((folder / "labels.json").read_text())["photos"]
    count = Count()
    for name, hexes in labels.items():
        bgr = unpacked((folder / name).read_bytes())
        began = time.perf_counter()
        detections = detect_tiles(bgr, "hex", network=network)
        count.seconds += time.perf_counter() - began
        truth = [np.array(h["outline"]) for h in hexes]
        found = [d.corners_px for d in detections.found]
        count.exact += (right := count_in(count, truth, [], found, name))
        if save:
            save.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(save / f"catan_{int(right)}_{name}"), drawn(bgr, truth, found))
    count.corner_errors = [e * np.sqrt(3) for e in count.corner_errors]
    return count


def evaluate_nothing(network: TileNetwork, folder: Path, save: Path | None = None) -> Count:
    """Return what is invented where no tiles are."""
    count = Count()
    for path in sorted(folder.glob("*.jpg")):
        bgr = unpacked(path.read_bytes())
        found = [d.corners_px for d in detect_tiles(bgr, "square", network=network).found]
        count.exact += (right := count_in(count, [], [], found, path.name))
        if save and not right:
            save.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(save / f"nothing_{path.name}"), drawn(bgr, [], found))
    return count


def drawn(bgr: Array, truth: Sequence[Array], found: Sequence[Array]) -> Array:
    """Return the picture with true cells in green and found ones in red, at most 1280 wide."""
    scale = min(1.0, 1280 / max(bgr.shape[:2]))
    out = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    for outlines, colour in ((truth, (0, 255, 0)), (found, (0, 0, 255))):
        for outline in outlines:
            points = np.round(((outline + 0.5) * scale - 0.5) * 16).astype(np.int32)
            cv2.polylines(out, [points], True, colour, 1, cv2.LINE_AA, 4)
    return out


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, prog="models.evaluate.detection")
    parser.add_argument("--scenes", type=int, default=0, help="held-out tables of each subject")
    parser.add_argument("--first", type=int, default=0, help="seed to begin with")
    parser.add_argument("--subjects", nargs="*", default=list(SUBJECTS))
    parser.add_argument("--size", help="width x height of scenes, as 1920x1080; mixed without")
    parser.add_argument("--photos", action="store_true", help="the shared photographs too")
    parser.add_argument("--model", help="folder of another detector than the shipped one")
    parser.add_argument("--save", help="folder for pictures that are not wholly right")
    options = parser.parse_args()
    network = TileNetwork(Path(options.model)) if options.model else TileNetwork()
    save = Path(options.save) if options.save else None
    size = tuple(int(n) for n in options.size.split("x")) if options.size else None
    seeds = range(options.first, options.first + options.scenes)
    for subject in options.subjects if options.scenes else ():
        count = evaluate_scenes(network, subject, seeds, size_px=size, save=save)  # type: ignore[arg-type]
        _say(subject, count)
    shared = os.environ.get(SHARED_VARIABLE)
    if options.photos and shared:
        photos = Path(shared, "photos")
        _say("qwirkle", evaluate_qwirkle(network, photos / "qwirkle", save))
        _say("catan", evaluate_catan(network, photos / "catan", save))
        _say("no_tiles", evaluate_nothing(network, photos / "no_tiles", save))


def _say(name: str, count: Count) -> None:
    sys.stdout.write(f"{name:16} {count.line()}\n")
    worst = [f"{name} ({wrong})" for wrong, name in sorted(count.worst, reverse=True)[:5] if wrong]
    if worst:
        sys.stdout.write(f"{'':16} worst: {', '.join(worst)}\n")
    sys.stdout.flush()


__all__ = ["SQUARE", "Count", "evaluate_catan", "evaluate_nothing", "evaluate_qwirkle",
           "evaluate_scenes", "matched"]  # fmt: skip


if __name__ == "__main__":
    main()

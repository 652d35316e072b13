"""How well tiles are found on held-out scenes: the share of the first stage in all mistakes.

``python -m models.evaluate.detection --scenes 100`` prints the figures of each subject, with
``--photos`` those of ``models.evaluate.photographs`` too. What the shipped detector finds is kept.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.evaluate.harness import (
    Figure,
    Json,
    Subject,
    every_row,
    parser_of,
    pictures,
    tell,
)
from models.scenes.arrange import arrange
from models.scenes.camera.develop import unpacked
from models.scenes.scene import camera_for, painted, photographed
from models.scenes.settings import HEX_GAMES, SUBJECTS, draw_settings
from models.scenes.splits import Split
from models.training.samples import cells_of
from vision import Picture, Shape
from vision.core.lattice import fit_lattices, turned_cells
from vision.core.types import Detections, LatticeFit
from vision.detect.detect import detect_tiles
from vision.detect.network import TileNetwork, shipped_network

Array = npt.NDArray[Any]
Cell = tuple[int, int]

LEAST_WIDE_PX = 24.0
LEAST_SEEN = 0.5
"""Cells that are narrower or seen less may be found or not."""
SAME_PLACE = 0.35
"""A tile is found when an outline's middle is that close to its own, in widths."""


@dataclass(frozen=True)
class Asked:
    """What is looked at, and with which network."""

    model: str | None = None
    """Folder of another detector than the shipped one; nothing is kept of its results."""
    size_px: tuple[int, int] | None = None
    split: Split = "held-out"

    @property
    def is_kept(self) -> bool:
        """Whether results are of the shipped detector."""
        return self.model is None

    @property
    def name(self) -> str:
        """Tells runs apart."""
        size = "mixed" if self.size_px is None else f"{self.size_px[0]}x{self.size_px[1]}"
        return f"{self.split}-{size}"

    def network(self) -> TileNetwork:
        """Return the network, loaded once a process."""
        return shipped_network() if self.model is None else _loaded(self.model)


@cache
def _loaded(folder: str) -> TileNetwork:
    return TileNetwork(Path(folder))


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

    def worst_line(self, most: int) -> str:
        """Return the worst pictures in words, or nothing."""
        bad = [f"{name} ({wrong})" for wrong, name in sorted(self.worst, reverse=True) if wrong]
        return f"  worst: {', '.join(bad[:most])}" if bad else ""


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


def counted(rows: Sequence[Json], subject: str) -> Count:
    """Return what was found on the pictures of one subject, all together."""
    count = Count()
    for row in rows:
        count.pictures += 1
        count.exact += row["right"]
        count.cells += row["cells"]
        count.missed += row["missed"]
        count.invented += row["invented"]
        count.corner_errors += row["corners"]
        count.seconds += row["seconds"]
        wrong = row["missed"] + row["invented"] + (not row["right"])
        count.worst.append((wrong, f"{subject} {row['seed']}"))
    return count


def figures(count: Count) -> tuple[Figure, ...]:
    """Return the figures of one subject."""
    return (
        Figure("cells missed", count.missed, count.cells),
        Figure("cells invented", count.invented, count.cells),
        Figure("pictures wholly right", count.exact, count.pictures, 100),
    )


def _scene(seed: int, subject: str, asked: Asked, worst: Path) -> Json:
    shape: Shape = "hex" if subject in (*HEX_GAMES, "invented-hex") else "square"
    bgr, must, may, places = true_cells(seed, asked.split, subject, asked.size_px)
    began = time.perf_counter()
    detections = detect_tiles(bgr, shape, network=asked.network())
    fits = fit_lattices(detections)
    seconds = time.perf_counter() - began
    found = [d.corners_px for d in detections.found]
    count = Count()
    right = count_in(count, must, may, found, "")
    right = right and lattice_right(places, detections, fits)
    _write(worst / f"{subject}_{seed}.jpg", bgr, must, found, bad=not right)
    return {"seed": seed, "right": right, "cells": count.cells, "missed": count.missed,
            "invented": count.invented, "seconds": round(seconds, 4),
            "corners": [round(error, 5) for error in count.corner_errors]}  # fmt: skip


def write_seen(picture: Picture, entries: Sequence[Any], path: Path, *, bad: bool) -> None:
    """Write a bad photograph with what was seen on it; that of an earlier reading goes."""
    own = [picture.own_px(np.array(e["outline"])) for e in entries if "outline" in e]
    _write(path, picture.bgr, [], own, bad=bad)


def _write(
    path: Path, bgr: Array, truth: Sequence[Array], found: Sequence[Array], *, bad: bool
) -> None:
    """Write a bad picture with true cells in green and found ones in red, at most 1280 wide."""
    path.unlink(missing_ok=True)
    if not bad:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    scale = min(1.0, 1280 / max(bgr.shape[:2]))
    out = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    for outlines, colour in ((truth, (0, 255, 0)), (found, (0, 0, 255))):
        for outline in outlines:
            points = np.round(((outline + 0.5) * scale - 0.5) * 16).astype(np.int32)
            cv2.polylines(out, [points], True, colour, 1, cv2.LINE_AA, 4)
    cv2.imwrite(str(path), out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, measure, print."""
    parser = parser_of("detection", __doc__)
    parser.add_argument("--scenes", type=int, default=0, help="held-out tables of each subject")
    parser.add_argument("--first", type=int, default=0, help="seed to begin with")
    parser.add_argument("--subjects", nargs="*", default=list(SUBJECTS))
    parser.add_argument("--size", help="width x height of scenes, as 1920x1080; mixed without")
    parser.add_argument("--photos", action="store_true", help="the shared photographs too")
    parser.add_argument("--model", help="folder of another detector than the shipped one")
    options = parser.parse_args(arguments)
    size = tuple(int(n) for n in options.size.split("x")) if options.size else None
    asked = Asked(options.model, (size[0], size[1]) if size else None)
    kept = options.out if asked.is_kept else None
    folder = options.out / "detection"
    seeds = range(options.first, options.first + options.scenes)
    for name in options.subjects if options.scenes else ():
        path = folder / f"{name}-{asked.name}.jsonl" if asked.is_kept else None
        work = partial(_scene, subject=name, asked=asked, worst=folder / "worst")
        count = counted(every_row(path, "seed", seeds, work, options.workers), name)
        worst = pictures(folder / "worst", f"{name}_", options.out)
        subject = Subject("detection", name, figures(count), worst)
        tell(subject, kept, f"  {count.line()}", count.worst_line(5))
    if options.photos:
        from models.evaluate import photographs

        model = ["--model", options.model] if options.model else []
        return photographs.main(["--out", str(options.out), *model])
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How well tiles are found on held-out scenes: the share of the first stage in all mistakes.

``python -m models.lab.evaluate.detection --scenes 100`` prints the figures of each subject.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from models.lab.evaluate.harness import WORST, Figure, counted, parser_of
from models.lab.evaluate.score import paired, write_bad
from models.lab.scenes.arrange import arrange
from models.lab.scenes.camera.develop import unpacked
from models.lab.scenes.scene import shot
from models.lab.scenes.settings import HEX_GAMES, SUBJECTS, draw_settings
from models.lab.scenes.world.arrays import Array, Json
from models.lab.training.samples import cells_of
from vision import Shape
from vision.core.lattice import fit_lattices, turned_cells
from vision.core.types import Detections, LatticeFit, width_of
from vision.detect.detect import detect_tiles

Cell = tuple[int, int]

LEAST_WIDE_PX = 24.0
LEAST_SEEN = 0.5
"""Cells that are narrower or less visible need not be found, but may be."""
SAME_PLACE = 0.35
"""Largest distance between the middles of an outline and its tile, in widths."""
TRUE, FOUND = (0, 255, 0), (0, 0, 255)
"""Colours of outlines on the worst pictures."""


def matched(truth: Sequence[Array], found: Sequence[Array]) -> dict[int, int]:
    """Return the found outline of each true cell, matched from the closest pair on."""
    return paired(truth, found, [width_of(outline) for outline in truth], SAME_PLACE)


def corner_error(truth: Array, found: Array) -> float:
    """Return the mean distance of corners in widths, for the order that fits best."""
    errors = [
        float(np.linalg.norm(truth - np.roll(order, shift, axis=0), axis=1).mean())
        for order in (found, found[::-1])
        for shift in range(len(truth))
    ]
    return min(errors) / width_of(truth)


# --- The row of a picture, and the figures of many ---


def found_row(truth: Sequence[Array], optional: Sequence[Array], found: Sequence[Array]) -> Json:
    """Return what was found on one picture and what was not.

    Args:
        truth: cells that must be found.
        optional: cells that may be found.
        found: outlines that were found.
    """
    pairs = matched(truth, found)
    rest = [f for k, f in enumerate(found) if k not in set(pairs.values())]
    invented = len(rest) - len(matched(optional, rest))
    missed = len(truth) - len(pairs)
    corners = [round(corner_error(truth[a], found[b]), 5) for a, b in pairs.items()]
    return {
        "right": not missed and not invented,
        "cells": len(truth),
        "missed": missed,
        "invented": invented,
        "corners": corners,
    }


def total(rows: Sequence[Json], key: str) -> int:
    """Return the sum of one value over all rows."""
    return sum(int(row[key]) for row in rows)


def figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of one subject."""
    return (
        Figure("cells missed", total(rows, "missed"), total(rows, "cells")),
        Figure("cells invented", total(rows, "invented"), total(rows, "cells")),
        Figure("pictures wholly right", total(rows, "right"), len(rows), 100),
    )


def report(rows: Sequence[Json]) -> list[str]:
    """Return lines about the accuracy of outlines and the time they take."""
    error = 100 * np.array([error for row in rows for error in row["corners"]] or [np.nan])
    seconds = sum(row["seconds"] for row in rows) / len(rows)
    return [
        f"  corners off by {error.mean():.1f} % of a width ({np.median(error):.1f} median), "
        f"{1000 * seconds:.0f} ms"
    ]


# --- Scenes ---


def true_cells(
    seed: int, subject: str
) -> tuple[Array, list[Array], list[Array], list[tuple[Array, Cell, int]]]:
    """Return a scene's picture, its cells to find, its cells that may be found, and places.

    Places are the layout's tiles of one cell: outline, cell and field.
    """
    settings = draw_settings(seed, "held-out", subject)
    top = arrange(settings)
    canvas, jpeg = shot(settings, top)
    camera = canvas.camera
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
    return unpacked(jpeg), must, may, places


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
        if mine and not same_cells(
            [c for c, _ in mine], [c for _, (_, c) in mine], detections.shape
        ):
            return False
    return True


def same_cells(one: Sequence[Cell], other: Sequence[Cell], shape: Shape) -> bool:
    """Say whether two lists of cells are equal up to shift and turn, item by item."""
    folds = 4 if shape == "square" else 6
    turned = (turned_cells(np.array(other), np.full(len(other), k), folds) for k in range(folds))
    gaps = (cells - np.array(one) for cells in turned)
    return any(bool((gap == gap[0]).all()) for gap in gaps)


def _row(seed: int, subject: str, worst: Path) -> Json:
    shape: Shape = "hex" if subject in (*HEX_GAMES, "invented-hex") else "square"
    bgr, must, may, places = true_cells(seed, subject)
    began = time.perf_counter()
    detections = detect_tiles(bgr, shape)
    fits = fit_lattices(detections)
    seconds = time.perf_counter() - began
    found = [d.corners_px for d in detections.found]
    row = found_row(must, may, found)
    right = row["right"] and lattice_right(places, detections, fits)
    write_bad(worst / f"{subject}-{seed}", bgr, [(must, TRUE), (found, FOUND)], bad=not right)
    return {**row, "seed": seed, "right": right, "seconds": round(seconds, 4)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, measure, print."""
    parser = parser_of("detection", __doc__, SUBJECTS)
    parser.add_argument("--scenes", type=int, default=100, help="held-out tables of each subject")
    parser.add_argument("--first", type=int, default=0, help="seed to begin with")
    asked = parser.parse_args(arguments)
    seeds = range(asked.first, asked.first + asked.scenes)
    for name in asked.games or SUBJECTS:
        work = partial(_row, subject=name, worst=asked.out / "detection" / WORST)
        counted(asked, "detection", name, seeds, work, figures, report)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Matches labels with photographs: the outline of every labelled tile, and its up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.lattice import Cell
from models.teaching.edges import outlines_around
from models.teaching.errors import TeachingError
from models.teaching.examples import folds_of
from models.teaching.labels import Label
from vision import Picture, Points, Shape
from vision.core.lattice import fit_lattices, fit_outlines, turned_cells
from vision.core.outline import Forms, foreshortening_of
from vision.core.types import Detections, LatticeFit
from vision.detect.detect import detect_tiles
from vision.detect.loose_hexes import sixths_ahead
from vision.layout.cards import quarters_ahead
from vision.read import grid_detections

NEAR = 0.3
"""Largest distance between a labelled point and the middle of a found outline, in widths."""
ENOUGH_FOUND = 0.6
"""Share of labelled tiles that must be found to take the size of the others from them."""
FEWEST_FOR_SIZE = 3
LEAST_AGREED = 0.6
"""Share of labelled cells that must have been found for the labels to be believed."""


@dataclass(frozen=True, eq=False)
class PlacedTile:
    """A labelled tile with its outline in the picture."""

    label: Label
    corners_px: Points
    """In pixels of the decoded picture."""
    ahead: int
    """Clockwise turns from the label's up to the outline's own up."""


def placed_tiles(
    picture: Picture, labels: Sequence[Label], shape: Shape, grid: tuple[int, int] | None
) -> list[PlacedTile]:
    """Return the labelled tiles that were found in a photograph, in the labels' order.

    Raises:
        TeachingError: the labels cannot be about this picture.
    """
    if grid is not None:
        return list(_in_grid(picture, labels, grid))
    told = [label for label in labels if label.place_px is not None]
    rest = [label for label in labels if label.place_px is None]
    out = _by_pixels(picture, told, shape) if told else []
    return [*out, *(_by_cells(picture, rest, shape) if rest else [])]


# --- The whole picture is a grid ---


def _in_grid(
    picture: Picture, labels: Sequence[Label], grid: tuple[int, int]
) -> Iterator[PlacedTile]:
    columns, rows = grid
    size = picture.bgr.shape[1], picture.bgr.shape[0]
    found = grid_detections(size, grid).found
    for label in labels:
        cell = label.cell
        if cell is None:
            raise TeachingError(f'{label.tile} has no "at"; in a grid every tile needs it')
        if not (0 <= cell[0] < columns and 0 <= cell[1] < rows):
            raise TeachingError(
                f"{label.tile} at {list(cell)} lies outside the grid of {columns}x{rows}, "
                f"which counts from [0, 0] to [{columns - 1}, {rows - 1}]"
            )
        yield PlacedTile(label, found[cell[1] * columns + cell[0]].corners_px, 0)


# --- Labels with pixels ---


def _by_pixels(picture: Picture, labels: Sequence[Label], shape: Shape) -> list[PlacedTile]:
    width, height = picture.size_px
    for label in labels:
        x, y = label.place_px if label.place_px is not None else (0, 0)
        if not (0 <= x < width and 0 <= y < height):
            raise TeachingError(
                f"{label.tile} is said to lie at {x:.0f}, {y:.0f}, outside the picture of "
                f"{width} x {height} pixels"
            )
    outlined = [label for label in labels if label.outline_px is not None]
    pointed = [label for label in labels if label.outline_px is None]
    corners = [
        picture.own_px(label.outline_px) for label in outlined if label.outline_px is not None
    ]
    if pointed:
        middles = [
            picture.own_px(label.place_px[None])[0]
            for label in pointed
            if label.place_px is not None
        ]
        corners += list(_outlines(picture, np.array(middles), shape))
    listed = [*outlined, *pointed]
    ahead = _ahead_by_cells(listed, np.array(corners), shape)
    return [
        PlacedTile(label, own, ahead[n] if ahead else picture_ahead(own, shape))
        for n, (label, own) in enumerate(zip(listed, corners, strict=True))
    ]


def _outlines(picture: Picture, middles: Points, shape: Shape) -> Points:
    """Return outlines around points: detected ones, or else what edges show."""
    found = detect_tiles(picture.bgr, shape).found
    pairs = _nearest(
        middles, found_px := [d.corners_px for d in found], [d.across_px for d in found]
    )
    if len(pairs) >= ENOUGH_FOUND * len(middles) and len(pairs) >= FEWEST_FOR_SIZE:
        return _like_found(picture, middles, found_px, pairs, shape)
    hint = None
    if len(pairs) >= FEWEST_FOR_SIZE:
        hint = float(np.median([found[n].across_px for n in pairs.values()]))
    return outlines_around(picture.bgr, middles, shape, hint)


def _nearest(middles: Points, found: Sequence[Points], widths: Sequence[float]) -> dict[int, int]:
    """Return for each point the number of the found outline around it, if there is one."""
    if not found:
        return {}
    centres = np.array([corners.mean(axis=0) for corners in found])
    apart = np.linalg.norm(middles[:, None] - centres[None], axis=2) / np.array(widths)[None]
    best = apart.argmin(axis=1)
    return {n: int(b) for n, b in enumerate(best) if apart[n, b] < NEAR}


def _like_found(
    picture: Picture, middles: Points, found: Sequence[Points], pairs: dict[int, int], shape: Shape
) -> Points:
    """Return the found outlines, and for the other points outlines as large as these."""
    size = picture.bgr.shape[1], picture.bgr.shape[0]
    forms = Forms.of(np.array([found[n] for n in pairs.values()]), shape)
    field = foreshortening_of(forms, np.ones(len(pairs)), size)
    fold = folds_of(shape)
    turn = float(np.angle(np.exp(1j * fold * forms.turns).mean())) / fold
    made = Forms(middles, field.at(middles), np.full(len(middles), turn), shape).corners()
    for n, number in pairs.items():
        made[n] = found[number]
    return made


def _ahead_by_cells(labels: Sequence[Label], corners: Points, shape: Shape) -> list[int] | None:
    """Return the turn of each outline against the labels' own axes, if all labels have cells."""
    if any(label.cell is None for label in labels):
        return None
    fit = fit_outlines(corners, shape)[0]
    own = {number: cell for cell, number in fit.cells.items()}
    if len(own) < max(2, LEAST_AGREED * len(labels)):
        return None
    said = np.array([labels[n].cell for n in own])
    seen = np.array(list(own.values()))
    for turn in range(folds_of(shape)):
        gap = said - turned_cells(seen, np.full(len(seen), turn), folds_of(shape))
        if (gap == np.median(gap, axis=0)).all(axis=1).mean() > LEAST_AGREED:
            ahead = {
                n: lattice_ahead(corners[n], fit, cell, shape) + turn for n, cell in own.items()
            }
            usual = Counter(
                (a - picture_ahead(corners[n], shape)) % folds_of(shape) for n, a in ahead.items()
            ).most_common(1)[0][0]
            return [
                ahead.get(n, picture_ahead(corners[n], shape) + usual) % folds_of(shape)
                for n in range(len(labels))
            ]
    return None


# --- Labels with cells ---


def _by_cells(picture: Picture, labels: Sequence[Label], shape: Shape) -> list[PlacedTile]:
    detections = detect_tiles(picture.bgr, shape)
    fits = fit_lattices(detections)
    said = {label.cell: label for label in labels if label.cell is not None}
    if len(said) < len(labels):
        twice = Counter(label.cell for label in labels).most_common(1)[0][0]
        raise TeachingError(f"two tiles are said to lie at {list(twice or ())}")
    best = max(
        (way for fit in fits for way in _ways(fit, said, detections, shape)),
        key=lambda way: way.worth,
        default=None,
    )
    if best is None or best.agreed < LEAST_AGREED * len(said):
        raise TeachingError(
            f"tiles labelled by cell: {len(said)}, found: {len(detections.found)}, found where "
            f"they are labelled: {best.agreed if best else 0}; photograph the tiles edge to edge "
            "on a plain table, or label them by centre"
        )
    return list(_placed(best, said, detections, shape))


@dataclass(frozen=True, eq=False)
class _Way:
    """One way to lay the labels' cells over a lattice."""

    fit: LatticeFit
    turn: int
    shift: Cell
    agreed: int
    worth: tuple[int, int]


def _ways(
    fit: LatticeFit, said: dict[Cell, Label], detections: Detections, shape: Shape
) -> Iterator[_Way]:
    cells = np.array(list(fit.cells))
    first, number = next(iter(fit.cells.items()))
    corners = detections.found[number].corners_px
    for turn in range(folds_of(shape)):
        turned = turned_cells(cells, np.full(len(cells), turn), folds_of(shape))
        gaps = np.array(list(said))[:, None] - turned[None]
        shift, agreed = Counter(map(tuple, gaps.reshape(-1, 2).tolist())).most_common(1)[0]
        own = (lattice_ahead(corners, fit, first, shape) + turn) % folds_of(shape)
        # Where several ways fit, the labels are taken to have the picture's up.
        upright = own == picture_ahead(corners, shape)
        yield _Way(fit, turn, (shift[0], shift[1]), agreed, (agreed, int(upright)))


def _placed(
    way: _Way, said: dict[Cell, Label], detections: Detections, shape: Shape
) -> Iterator[PlacedTile]:
    folds = folds_of(shape)
    for cell, number in way.fit.cells.items():
        x, y = turned_cells(np.array([cell]), np.array([way.turn]), folds)[0]
        label = said.get((int(x) + way.shift[0], int(y) + way.shift[1]))
        if label is not None:
            corners = detections.found[number].corners_px
            ahead = lattice_ahead(corners, way.fit, cell, shape) + way.turn
            yield PlacedTile(label, corners, ahead % folds)


# --- Which way is up ---


def lattice_ahead(corners: Points, fit: LatticeFit, cell: Cell, shape: Shape) -> int:
    """Return the turns by which an outline's own up is ahead of its lattice's."""
    if shape == "square":
        return quarters_ahead(corners, fit, cell)
    return sixths_ahead(corners, fit.px_from_cell, cell)


def picture_ahead(corners: Points, shape: Shape) -> int:
    """Return the turns by which an outline's own up is ahead of the picture's."""
    if shape == "square":
        right = corners[1] + corners[2] - corners[0] - corners[3]
        return round(float(np.arctan2(right[1], right[0])) / (np.pi / 2)) % 4
    away = corners[0] - corners.mean(axis=0)
    return round(float(np.arctan2(away[0], -away[1])) / (np.pi / 3)) % 6

"""Which outlines may be cards of a box: not found twice, no die, no hole, no brick of a wall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.classify import CellReading
from vision.ground import Ground
from vision.holes import shows_paper
from vision.reconstruct import is_card
from vision.request import ReadRequest
from vision.settle import SURE
from vision.strangers import tiles_only
from vision.types import Bgr, Detection, Detections

BESIDE = 1.25
"""Outlines whose middles are closer than that, in widths, lie side by side."""
BY_CORNERS = 1.6
"""The same of such that meet at their corners."""
LEAST = 0.3
"""An odd outline that is read less surely looks like nothing in the box."""
SAME_PLACE = 0.35
"""Outlines whose middles are closer than that, in widths, are of one tile."""


def distinct(detections: Detections) -> Detections:
    """Return the outlines without such as lie on a surer one: twice found, a tile joins nothing."""
    found = detections.found
    if len(found) < 2:
        return detections
    apart = _apart(found)
    sure = np.array([d.confidence for d in found])
    order = np.arange(len(found))
    beaten = (sure[None] > sure[:, None]) | (
        (sure[None] == sure[:, None]) & (order[None] < order[:, None])
    )
    kept = ~((apart < SAME_PLACE) & beaten).any(axis=1)
    return replace(detections, found=tuple(d for d, keep in zip(found, kept, strict=True) if keep))


def _apart(found: Sequence[Detection]) -> NDArray[np.float64]:
    """Return how far each outline lies from each other one, in its own widths, N x N."""
    corners = np.stack([d.corners_px for d in found])
    centres = corners.mean(axis=1)
    following = np.roll(corners, -1, axis=1)
    twice = (corners[..., 0] * following[..., 1] - corners[..., 1] * following[..., 0]).sum(axis=1)
    hexes = 1.0 if corners.shape[1] == 4 else 2 / np.sqrt(3)
    widths = np.sqrt(np.abs(twice) / 2 * hexes)
    between = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    return np.asarray(between / np.maximum(widths, 1e-9)[:, None])


def cards_only(
    bgr: Bgr, detections: Detections, readings: Sequence[CellReading], request: ReadRequest
) -> tuple[Detections, Sequence[CellReading]]:
    """Return what may be cards of the box: a die between two stocks must not make them one."""
    if request.tile_set is None or request.grid is not None or request.shape != "square":
        return detections, readings
    enclosed = _enclosed(detections)
    paper = shows_paper(bgr, detections.found, readings, request.tile_set)
    printed = _beside_print(detections, readings)
    table = _shows_table(bgr, detections, readings)
    kept = [
        (one, reading)
        for one, reading, inside, shown, beside, bare in zip(
            detections.found, readings, enclosed, paper, printed, table, strict=True
        )
        if shown
        and beside
        and not bare
        and (reading.why is None or is_card(one.confidence, inside))
    ]
    found = tuple(one for one, _ in kept)
    return replace(detections, found=found), [reading for _, reading in kept]


def known_only(
    bgr: Bgr, detections: Detections, readings: Sequence[CellReading]
) -> tuple[Detections, Sequence[CellReading]]:
    """Return what may be tiles of a taught box."""
    kept = [n for n, tile in enumerate(tiles_only(bgr, detections.found, readings)) if tile]
    found = tuple(detections.found[n] for n in kept)
    return replace(detections, found=found), [readings[n] for n in kept]


def _beside_print(detections: Detections, readings: Sequence[CellReading]) -> list[bool]:
    """Return which outlines are no odd ones among themselves: bricks look a little like backs."""
    if not detections.found:
        return []
    sure = np.array([not one.odd and one.why is None and one.best >= SURE for one in readings])
    cut = np.array([one.cut_off for one in detections.found])
    near = _apart(detections.found) < np.where(cut, BY_CORNERS, BESIDE)[:, None]
    return [
        not (one.odd and not one.covered and (one.best < SURE or one.is_back)) or bool(beside)
        for one, beside in zip(readings, (near & sure[None]).any(axis=1), strict=True)
    ]


def _shows_table(bgr: Bgr, detections: Detections, readings: Sequence[CellReading]) -> list[bool]:
    """Return which outlines look like nothing in the box and have the colours of the table.

    A hole in a layout on a cloth as white as the cards is such; what covers a card has others.
    """
    bare = [False] * len(readings)
    strange = [n for n, one in enumerate(readings) if one.why or (one.odd and one.best < LEAST)]
    if strange:
        outlines = [one.corners_px for one in detections.found]
        hidden = Ground(bgr, outlines).hidden(np.stack([outlines[n] for n in strange]))
        for n, is_hidden in zip(strange, hidden, strict=True):
            bare[n] = not is_hidden
    return bare


def _enclosed(detections: Detections) -> list[bool]:
    """Return which outlines have neighbours on two sides or more."""
    if not detections.found:
        return []
    apart = _apart(detections.found)
    return [bool(n >= 2) for n in ((apart > SAME_PLACE) & (apart < BESIDE)).sum(axis=1)]

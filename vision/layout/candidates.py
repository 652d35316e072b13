"""Filters outlines that may be cards: no duplicates, dice, holes in a layout or bricks.

A fitted score says how likely an outline is a card of the box, from how it was found and read, the
table's colours in it, and how it lies to the nearest card that is surely read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.classify.evidence import Trees, load_trees
from vision.classify.reading import CellReading
from vision.classify.taught_tiles import tiles_only
from vision.core.files import TRAINED
from vision.core.ground import Ground
from vision.core.stages import stage
from vision.core.types import (
    BESIDE,
    CLEAR,
    LIKELIER,
    NEAREST,
    SAME_PLACE,
    SURE,
    TOLD,
    UNKNOWN_TILE,
    Bgr,
    Detection,
    Detections,
)
from vision.layout.fields import lie

Array = NDArray[np.float64]

NEAR = 0.35
"""Largest ``far`` of a card: stripes of a cloth in a hole look like logs, but from farther."""
FEWEST_FAINT = 2
"""Least outlines, faint ones included, to accept faint ones: a single one may be a brick."""
FURTHEST, ASKEW_DEG = 4.0, 45.0
"""Features of an outline far from any surely read card: distance in widths, and angle."""
NUMBERS = (
    "found",
    "best",
    "far",
    "odd",
    "covered",
    "back",
    "unknown",
    "cut_off",
    "table",
    "away",
    "size",
    "turned",
    "near",
    "near_sure",
    "sure",
    "wide",
)
"""The features of an outline, in this order."""


def distinct(detections: Detections) -> Detections:
    """Return the outlines after non-maximum suppression: duplicates would break the lattice."""
    found = detections.found
    if len(found) < 2:
        return detections
    rank = np.argsort(np.argsort([-d.confidence for d in found], kind="stable"))
    beaten = (_apart(found) < SAME_PLACE) & (rank[None] < rank[:, None])
    kept = np.asarray(~beaten.any(axis=1))
    return replace(detections, found=tuple(d for d, keep in zip(found, kept, strict=True) if keep))


def _apart(found: Sequence[Detection]) -> Array:
    """Return the centre distances between all outlines, in widths of the row's outline, N x N."""
    centres = np.stack([one.centre_px for one in found])
    widths = np.array([max(one.across_px, 1e-9) for one in found])
    between = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    return np.asarray(between / widths[:, None])


@stage("faint", without=lambda detections, readings, look: (detections, readings))
def with_faint(
    detections: Detections,
    readings: Sequence[CellReading],
    look: Callable[[Sequence[Detection]], Sequence[CellReading]],
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines and readings, with faint outlines added that clearly show a whole card.

    Among bricks or stripes the detection confidence of a real card may be low.

    Args:
        detections: the outlines.
        readings: what each of them shows.
        look: reads outlines.
    """
    seen = [one.centre_px for one in detections.found]
    free = [
        one
        for one in distinct(replace(detections, found=detections.faint)).found
        if not one.cut_off
        and all(np.linalg.norm(one.centre_px - other) > NEAREST * one.across_px for other in seen)
    ]
    clear = [
        (one, said)
        for one, said in zip(free, look(free), strict=True)
        if said.is_whole(CLEAR) and said.far < NEAR
    ]
    found = (*detections.found, *(one for one, _ in clear))
    if len(found) < FEWEST_FAINT:
        return detections, readings
    return replace(detections, found=found), [*readings, *(said for _, said in clear)]


@stage("cards-only", without=lambda detections, readings, _: (detections, readings))
def cards_only(
    detections: Detections, readings: Sequence[CellReading], ground: Ground
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines that may be cards; a die, say, could link two stocks into one lattice.

    Args:
        detections: outlines without duplicates.
        readings: what each of them shows.
        ground: the table's appearance beside these outlines.
    """
    asked = doubtful(detections.found, readings)
    if not asked:
        return detections, readings
    likely = shipped_score().shares(card_numbers(detections.found, readings, ground, asked))
    dropped = {n for n, share in zip(asked, likely.tolist(), strict=True) if share < LIKELIER}
    return _some(detections, readings, [n for n in range(len(readings)) if n not in dropped])


def doubtful(found: Sequence[Detection], readings: Sequence[CellReading]) -> list[int]:
    """Return the numbers of the outlines that are not both surely found and clearly read."""
    return [
        n
        for n, (one, said) in enumerate(zip(found, readings, strict=True))
        if one.confidence < SURE or not said.is_whole(CLEAR)
    ]


@cache
def shipped_score(folder: Path = TRAINED) -> Trees:
    """Return the fitted score of outlines that the repository ships, loaded on first use."""
    return load_trees("cards", NUMBERS, folder)


def card_numbers(
    found: Sequence[Detection],
    readings: Sequence[CellReading],
    ground: Ground,
    asked: Sequence[int],
) -> Array:
    """Return the features of some outlines, N x ``len(NUMBERS)``.

    Args:
        found: all outlines.
        readings: what each of them shows.
        ground: the table's appearance beside them.
        asked: the numbers of the outlines in question.
    """
    corners = np.stack([one.corners_px for one in found])
    apart = _apart(found)[asked]
    np.put_along_axis(apart, np.array(asked)[:, None], np.inf, axis=1)
    sure = np.array([one.is_whole(TOLD) for one in readings])
    to_sure = np.where(sure[None], apart, np.inf)
    nearest = to_sure.argmin(axis=1)
    some = np.isfinite(to_sure.min(axis=1))
    widths = np.array([max(one.across_px, 1e-9) for one in found])
    near = apart < BESIDE
    _, _, turned_deg = lie(corners, np.array(asked), nearest)
    return np.column_stack(
        [
            [_seen(found[n], readings[n]) for n in asked],
            ground.shown(corners[asked]),
            np.minimum(to_sure.min(axis=1), FURTHEST),
            np.where(some, np.log(widths[asked] / widths[nearest]), 0.0),
            np.where(some, turned_deg, ASKEW_DEG),
            near.sum(axis=1),
            (near & sure[None]).sum(axis=1),
            np.full(len(asked), math.log1p(sure.sum())),
            np.log(widths[asked]),
        ]
    ).astype(float)


def _seen(one: Detection, said: CellReading) -> tuple[float, ...]:
    """Return the features of how an outline was found and read."""
    return (
        one.confidence,
        said.best,
        said.far,
        said.odd,
        said.odd and said.best >= LIKELIER,
        said.is_back,
        said.why == UNKNOWN_TILE,
        one.cut_off,
    )


@stage("known-only", without=lambda bgr, detections, readings: (detections, readings))
def known_only(
    bgr: Bgr, detections: Detections, readings: Sequence[CellReading]
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines that may be tiles of a taught box."""
    kept = tiles_only(bgr, detections.found, readings)
    return _some(detections, readings, [n for n, tile in enumerate(kept) if tile])


def _some(
    detections: Detections, readings: Sequence[CellReading], numbers: Sequence[int]
) -> tuple[Detections, Sequence[CellReading]]:
    """Return the outlines and readings at some indices."""
    found = tuple(detections.found[n] for n in numbers)
    return replace(detections, found=found), [readings[n] for n in numbers]

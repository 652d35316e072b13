"""Filters outlines that may be cards: no duplicates, dice, holes in a layout or bricks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.classify.reader import CellReading
from vision.classify.taught_tiles import tiles_only
from vision.core.ground import AS_TABLE, HIDDEN, Ground
from vision.core.stages import stage
from vision.core.types import (
    BESIDE,
    BEYOND_DOUBT,
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
from vision.layout.cards import SURELY_A_CARD
from vision.layout.reconstruct import is_card

Array = NDArray[np.float64]

BY_CORNERS = 1.6
"""Outlines whose centres are closer, in widths, may touch at their corners."""
NEAR = 0.35
"""Largest ``far`` of a card: stripes of a cloth in a hole look like logs, but from farther."""
FEWEST_FAINT = 2
"""Least outlines, faint ones included, to accept faint ones: a single one may be a brick."""
LEAST = 0.3
"""An odd outline with a lower reading confidence looks like nothing in the box. Any outline with a
lower detection confidence may show stripes of a cloth."""


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
    detections: Detections, readings: Sequence[CellReading],
    look: Callable[[Sequence[Detection]], Sequence[CellReading]],
) -> tuple[Detections, Sequence[CellReading]]:  # fmt: skip
    """Return the outlines and readings, with faint outlines added that clearly show a whole card.

    Among bricks or stripes the detection confidence of a real card may be low.

    Args:
        detections: the outlines.
        readings: what each of them shows.
        look: reads outlines.
    """
    seen = [one.centre_px for one in detections.found]
    free = [
        one for one in distinct(replace(detections, found=detections.faint)).found
        if not one.cut_off and all(
            np.linalg.norm(one.centre_px - other) > NEAREST * one.across_px for other in seen
        )
    ]  # fmt: skip
    clear = [
        (one, said) for one, said in zip(free, look(free), strict=True)
        if said.is_whole(CLEAR) and said.far < NEAR
    ]  # fmt: skip
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
    found = detections.found
    if not found:
        return detections, readings
    apart = _apart(found)
    enclosed = ((apart > SAME_PLACE) & (apart < BESIDE)).sum(axis=1) >= 2
    printed = _beside_print(detections, readings, apart)
    bare = _shows_table(ground, detections, readings)
    return _some(detections, readings, [
        n for n, said in enumerate(readings) if printed[n] and not bare[n]
        and (said.why != UNKNOWN_TILE or is_card(found[n].confidence, bool(enclosed[n])))
    ])  # fmt: skip


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


def _beside_print(
    detections: Detections, readings: Sequence[CellReading], apart: Array
) -> list[bool]:
    """Return for each outline whether it is not odd, or lies beside a surely read card.

    Odd outlines far from any card are dropped: bricks look a little like backs.
    """
    sure = np.array([one.is_whole(LIKELIER) for one in readings])
    far = [one.cut_off or one.confidence >= SURE for one in detections.found]
    near = apart < np.where(far, BY_CORNERS, BESIDE)[:, None]
    sure |= _washed_out_too(sure, near, detections.found)
    hardly = [one.confidence < SURELY_A_CARD for one in detections.found]
    return [
        not (said.odd and not said.covered and (said.best < TOLD or said.is_back or poor))
        or bool(beside)
        for said, poor, beside in zip(
            readings, hardly, (near & sure[None]).any(axis=1), strict=True
        )
    ]


def _washed_out_too(
    sure: NDArray[np.bool_], near: NDArray[np.bool_], found: Sequence[Detection]
) -> NDArray[np.bool_]:
    """Return the outlines that are sure, or linked to a sure one by a chain of clear outlines.

    Args:
        sure: which outlines surely show a card.
        near: which outlines lie beside each other, N x N.
        found: all outlines.
    """
    outlined = np.array([one.confidence >= SURE for one in found])
    reached = sure
    while True:
        more = reached | (outlined & (near & reached[None]).any(axis=1))
        if (more == reached).all():
            return reached
        reached = more


def _shows_table(
    ground: Ground, detections: Detections, readings: Sequence[CellReading]
) -> list[bool]:
    """Return for each outline whether it shows bare table.

    A hole in a layout on a cloth as white as the cards looks like nothing in the box but has the
    table's colours. On a striped cloth a hole may look a little like a card.
    """
    bare = [False] * len(readings)
    most = [_most_shown(*both) for both in zip(detections.found, readings, strict=True)]
    strange = [n for n, share in enumerate(most) if share is not None]
    if strange:
        shown = ground.shown(np.stack([detections.found[n].corners_px for n in strange]))
        for n, share in zip(strange, shown, strict=True):
            bare[n] = bool(share >= (most[n] or 0.0))
    return bare


def _most_shown(one: Detection, said: CellReading) -> float | None:
    """Return the share of table colours from which on an outline is bare table; ``None`` for never.

    Args:
        one: the outline.
        said: what it shows.
    """
    if said.why == UNKNOWN_TILE or (said.odd and said.best < LEAST):
        return HIDDEN
    doubtful = said.best < BEYOND_DOUBT or said.far >= NEAR or one.confidence < LEAST
    return AS_TABLE if doubtful and one.confidence < SURE else None

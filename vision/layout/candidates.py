"""Which outlines may be cards of a box: not found twice, no die, no hole, no brick of a wall."""

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
from vision.layout.reconstruct import SURELY_A_CARD, is_card

Array = NDArray[np.float64]

BY_CORNERS = 1.6
"""Outlines whose middles are closer, in widths, may meet at their corners."""
NEAR = 0.35
"""How near to its look a card is: stripes of a cloth that a hole shows look like logs."""
FEWEST_FAINT = 2
"""Outlines that there must be with the faint ones: one alone among bricks may be a brick."""
LEAST = 0.3
"""An odd outline that is read less surely looks like nothing in the box; one that is found less
surely may show stripes of a cloth."""


def distinct(detections: Detections) -> Detections:
    """Return the outlines without such as lie on a surer one: twice found, a tile joins nothing."""
    found = detections.found
    if len(found) < 2:
        return detections
    rank = np.argsort(np.argsort([-d.confidence for d in found], kind="stable"))
    beaten = (_apart(found) < SAME_PLACE) & (rank[None] < rank[:, None])
    kept = np.asarray(~beaten.any(axis=1))
    return replace(detections, found=tuple(d for d, keep in zip(found, kept, strict=True) if keep))


def _apart(found: Sequence[Detection]) -> Array:
    """Return how far each outline lies from each other one, in its own widths, N x N."""
    centres = np.stack([one.centre_px for one in found])
    widths = np.array([max(one.across_px, 1e-9) for one in found])
    between = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    return np.asarray(between / widths[:, None])


@stage("faint", without=lambda detections, readings, look: (detections, readings))
def with_faint(
    detections: Detections, readings: Sequence[CellReading],
    look: Callable[[Sequence[Detection]], Sequence[CellReading]],
) -> tuple[Detections, Sequence[CellReading]]:  # fmt: skip
    """Return the outlines with such as were faintly seen and surely show a whole card.

    Bricks and stripes around cards may make any outline of them faint.

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
    """Return what may be cards of the box: a die between two stocks must not make them one.

    Args:
        detections: outlines, none of them twice.
        readings: what each of them shows.
        ground: the table beside all of these outlines.
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
    """Return what may be tiles of a taught box."""
    kept = tiles_only(bgr, detections.found, readings)
    return _some(detections, readings, [n for n, tile in enumerate(kept) if tile])


def _some(
    detections: Detections, readings: Sequence[CellReading], numbers: Sequence[int]
) -> tuple[Detections, Sequence[CellReading]]:
    """Return those outlines alone that have some numbers."""
    found = tuple(detections.found[n] for n in numbers)
    return replace(detections, found=found), [readings[n] for n in numbers]


def _beside_print(
    detections: Detections, readings: Sequence[CellReading], apart: Array
) -> list[bool]:
    """Return which outlines are no odd ones among themselves: bricks look a little like backs."""
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
    """Return which outlines are cards as surely as some: such that lead to these from one to next.

    Args:
        sure: the outlines that are.
        near: which of them lie beside which, N x N.
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
    """Return which outlines look like nothing in the box and have the colours of the table.

    A hole in a layout on a cloth as white as the cards is such; what covers a card has others. A
    hole may look a little like a card too, on a striped cloth: but it is all table.
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
    """Return how often the table may show an outline's colours; nothing where that does not matter.

    Args:
        one: the outline.
        said: what it shows.
    """
    if said.why == UNKNOWN_TILE or (said.odd and said.best < LEAST):
        return HIDDEN
    doubtful = said.best < BEYOND_DOUBT or said.far >= NEAR or one.confidence < LEAST
    return AS_TABLE if doubtful and one.confidence < SURE else None

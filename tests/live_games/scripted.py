"""A stand-in for camera and reader: pictures of coloured squares, and table states from the truth.

Tests and evaluation hold the referee to it before, and beside, real readings: tiles are missed,
unsure or covered as often as asked, lattices are shifted and turned as fresh readings are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import cos, pi, sin, sqrt
from typing import Any
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.placement import Clay, Layout, Piece, Placement
from engine.tiles import TileSet
from vision import Advice, Frame, Quality, TableState

Bgr = NDArray[np.uint8]
Point = tuple[float, float]

SIZE_PX = (320, 180)
FRAMES_A_SECOND = 10.0


@dataclass(frozen=True)
class Moment:
    """What is going on when one frame is taken."""

    layout: Layout
    hand: Point | None = None
    """Where a hand is, in shares of the picture."""
    covered: frozenset[object] = frozenset()
    """Placements that a cup stands on."""
    light: float = 1.0
    shift_px: Point = (0.0, 0.0)
    """How far the camera has been knocked."""
    spoilt: str = ""
    """``black`` or ``torn`` for a frame that went wrong."""


@dataclass(frozen=True)
class Faults:
    """How often the reader errs, per tile and look, or per tile for good."""

    missed: float = 0.0
    unsure: float = 0.0
    hard: float = 0.0
    """Share of tiles that stay unsure however often they are looked at."""
    turns: bool = True
    """Whether the lattice is turned and shifted as a fresh reading would."""


@dataclass
class ScriptedCamera:
    """Draws the moments that it is given."""

    box: TileSet
    layouts: tuple[Layout, ...]
    """Every layout that will ever lie there: they all must be in view."""
    frames_a_second: float = FRAMES_A_SECOND
    moments: dict[float, Moment] = field(default_factory=dict)
    _number: int = 0
    _known: dict[object, list[Point]] = field(default_factory=dict)

    @property
    def now_s(self) -> float:
        """The time of the next frame."""
        return round(self._number / self.frames_a_second, 6)

    def shoot(self, moment: Moment) -> Frame:
        """Return the next frame."""
        t = self.now_s
        self._number += 1
        self.moments[t] = moment
        # Readers look at the newest frame only; older moments are not needed any more.
        for old in [key for key in self.moments if key < t - 5]:
            del self.moments[old]
        return Frame(self._drawn(moment), t)

    def wait(self, seconds: float) -> None:
        """Let time go by without frames."""
        self._number += round(seconds * self.frames_a_second)

    def outline(self, placed: Placement | Piece | Clay, shift_px: Point = (0, 0)) -> list[Point]:
        """Return the corners of a placement in pixels."""
        return [(x + shift_px[0], y + shift_px[1]) for x, y in self._corners(placed)]

    def _corners(self, placed: Placement | Piece | Clay) -> list[Point]:
        if placed not in self._known:
            scale, left, top = self._view
            middles = [((x - left) * scale, (y - top) * scale) for x, y in self._middles(placed)]
            half = scale * (0.42 if isinstance(placed, Placement) else 0.38)
            self._known[placed] = _rim(middles, half)
        return self._known[placed]

    # --- drawing ---------------------------------------------------------------------------

    @cached_property
    def _view(self) -> tuple[float, float, float]:
        every = [m for one in self.layouts for p in one.placements() for m in self._middles(p)]
        every = every or [(0.0, 0.0)]
        left, right = min(m[0] for m in every) - 2, max(m[0] for m in every) + 2
        top, bottom = min(m[1] for m in every) - 2, max(m[1] for m in every) + 2
        scale = min(SIZE_PX[0] / (right - left), SIZE_PX[1] / (bottom - top), 16.0)
        return scale, left, top

    def _middles(self, placed: Placement | Piece | Clay) -> list[Point]:
        """Return the middles of the cells of a placement; a cell is one wide."""
        if isinstance(placed, Placement):
            cells: tuple[tuple[int, int], ...] = self.box[placed.tile].cells
            for _ in range(placed.turns):
                cells = tuple((-y, x) for x, y in cells)
            away = 24.0 * (placed.field or 0)
            return [(placed.at[0] + x + away, float(placed.at[1] + y)) for x, y in cells]
        cells = placed.cells if isinstance(placed, Piece) else (placed.cell,)
        away = 14.0 * (placed.board or 0)
        return [(q + r / 2 + away, r * sqrt(3) / 2) for q, r in cells]

    @cached_property
    def _bare(self) -> Bgr:
        noise = np.random.default_rng(7).normal(0, 5, (SIZE_PX[1], SIZE_PX[0], 3))
        bare: Bgr = np.clip(noise + np.array((70, 95, 120)), 0, 255).astype(np.uint8)
        return bare

    def _drawn(self, moment: Moment) -> Bgr:
        bgr = self._bare.copy()
        for placed in moment.layout.placements():
            outline = np.round(self.outline(placed)).astype(np.int32)
            colour = _colour(placed)
            if placed in moment.covered:
                middle = outline.mean(axis=0).astype(int).tolist()
                cv2.circle(
                    bgr, middle, max(6, int(np.ptp(outline, axis=0).max())), (235, 235, 245), -1
                )
            else:
                cv2.fillPoly(bgr, [outline.reshape(-1, 1, 2)], colour)
        if moment.shift_px != (0.0, 0.0):
            dx, dy = moment.shift_px
            by = np.array([[1, 0, dx], [0, 1, dy]], np.float32)
            bgr = np.asarray(
                cv2.warpAffine(bgr, by, SIZE_PX, borderMode=cv2.BORDER_REFLECT), np.uint8
            )
        if moment.hand is not None:
            tip = round(moment.hand[0] * SIZE_PX[0]), round(moment.hand[1] * SIZE_PX[1])
            cv2.line(bgr, (SIZE_PX[0] // 2, SIZE_PX[1] + 40), tip, (140, 175, 220), 34)
        if moment.light != 1.0:
            bgr = np.clip(bgr * moment.light, 0, 255).astype(np.uint8)
        if moment.spoilt == "black":
            bgr[:] = 2
        elif moment.spoilt == "torn":
            bgr[SIZE_PX[1] // 2 :] = bgr[: SIZE_PX[1] - SIZE_PX[1] // 2][::-1]
        return bgr


@dataclass
class ScriptedReader:
    """Reads table states from what is known to be on a picture."""

    camera: ScriptedCamera
    faults: Faults = field(default_factory=Faults)
    seed: int = 0
    reads: int = 0
    turn: int = 0

    def forget(self) -> None:
        """Fit the lattice anew at the next look."""
        self.turn += 1

    def leave_out(self, outlines: Sequence[Any]) -> None:
        """Do nothing: no stocks lie beside a drawn table."""

    def doubt(self) -> None:
        """Do nothing: every look is at everything."""

    def again(self, bgr: Bgr) -> TableState | None:
        """Say that a picture whose moment is not known cannot be read."""
        del bgr
        return None

    def read(self, frame: Frame) -> TableState:
        """Return the table state of a frame as a reader with these faults would."""
        self.reads += 1
        moment = self.camera.moments[frame.taken_at_s]
        rng = np.random.default_rng((self.seed, self.reads))
        size = (frame.bgr.shape[1], frame.bgr.shape[0])
        if moment.spoilt:
            return TableState(size, quality=Quality(False, (Advice("dark", "It is dark."),)))
        tiles: list[Mapping[str, Any]] = []
        unsure: list[Mapping[str, Any]] = []
        clay: list[Mapping[str, Any]] = []
        way = self._way(moment.layout)
        for placed in moment.layout.placements():
            if placed in moment.covered or rng.random() < self.faults.missed:
                continue
            if isinstance(placed, Clay):
                clay.append(_clay_entry(placed, way, self.camera.box))
                continue
            entry = _entry(placed, way, self.camera.box)
            entry["outline"] = [list(p) for p in self.camera.outline(placed, moment.shift_px)]
            entry["confidence"] = round(1 - 0.004 * float(rng.random()), 5)
            hard = self.is_hard(placed)
            if hard or rng.random() < self.faults.unsure:
                unsure.append(_doubted(entry, self.camera.box, 0.55 if hard else 0.8))
            else:
                tiles.append(entry)
        return TableState(size, tuple(tiles), tuple(unsure), clay=tuple(clay))

    def is_hard(self, placed: Placement | Piece) -> bool:
        """Say whether a placement stays unsure for ever."""
        share = crc32(repr((self.seed, placed)).encode()) / 2**32
        return share < self.faults.hard

    def _way(self, layout: Layout) -> tuple[int, int, int]:
        """Return how the lattice of this reading is turned and shifted."""
        if not self.faults.turns:
            return (0, 0, 0)
        # The first fit is the game's own: nobody could say how the first card is turned.
        turn = crc32(f"{self.seed}/{self.turn}".encode()) % 12 if self.turn else 0
        cells = [card.at for card in layout.cards] or [(0, 0)]
        # A fresh fit counts from the uppermost, leftmost card: it moves as the layout grows.
        return turn, -min(x for x, _ in cells), -min(y for _, y in cells)


def _rim(middles: list[Point], half: float) -> list[Point]:
    """Return the rim of cells side by side, to a quarter of a pixel."""
    at = np.array(middles)
    low = at.min(axis=0) - half - 2
    size = np.ceil((at.max(axis=0) - low + half + 2) * 4).astype(int)
    mask = np.zeros((size[1], size[0]), np.uint8)
    spots = (at - low) * 4
    for one in spots:
        corner = np.round(one - half * 4).astype(int).tolist()
        other = np.round(one + half * 4).astype(int).tolist()
        cv2.rectangle(mask, corner, other, 255, -1)
        for there in spots:
            if 0 < np.hypot(*(one - there)) < half * 4 * 2.9:
                ends = np.round(one).astype(int).tolist(), np.round(there).astype(int).tolist()
                cv2.line(mask, *ends, 255, max(1, round(half * 4)))
    rims, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    rim = max(rims, key=len).reshape(-1, 2) / 4 + low
    return [(float(x), float(y)) for x, y in rim]


def _anchored(box: TileSet) -> bool:
    """Say whether a card of the game gives origin and turn: the house, or a big card."""
    return any(kind.role in ("house", "big") for kind in box.kinds.values())


def _entry(placed: Placement | Piece, way: tuple[int, int, int], box: TileSet) -> dict[str, Any]:
    if isinstance(placed, Piece):
        # Eyes give the turn of a board of 5G, nothing that of Snekagon's.
        turn = way[0] % 6 if placed.board is None else 0
        cells = [list(_hex_turned(cell, turn)) for cell in placed.cells]
        entry: dict[str, Any] = {"tile": placed.tile, "cells": sorted(cells)}
        return entry if placed.board is None else entry | {"board": placed.board}
    turn, dx, dy = (0, 0, 0) if _anchored(box) else (way[0] % 4, way[1], way[2])
    x, y = placed.at[0] + dx, placed.at[1] + dy
    for _ in range(turn):
        x, y = -y, x
    turns = (placed.turns + turn) % box[placed.tile].period
    entry = {"tile": placed.tile, "at": [x, y], "turns": turns}
    return entry if placed.field is None else entry | {"field": placed.field}


def _clay_entry(clay: Clay, way: tuple[int, int, int], box: TileSet) -> dict[str, Any]:
    del way, box
    entry: dict[str, Any] = {"board": clay.board, "cell": list(clay.cell), "kind": clay.kind}
    return entry if clay.opens is None else entry | {"opens": clay.opens}


def _doubted(entry: dict[str, Any], box: TileSet, share: float) -> dict[str, Any]:
    names = list(box.kinds)
    other = names[(names.index(entry["tile"]) + 1) % len(names)]
    guesses = [[entry["tile"], share], [other, round(0.95 - share, 3)]]
    return {**entry, "confidence": share, "guesses": guesses, "why": "glare"}


def _hex_turned(cell: tuple[int, int], turns: int) -> tuple[int, int]:
    q, r = cell
    for _ in range(turns):
        q, r = -r, q + r
    return q, r


def _colour(placed: Placement | Piece | Clay) -> tuple[int, int, int]:
    value = crc32(repr(replace(placed)).encode())
    return 120 + value % 130, 20 + (value >> 8) % 230, 150 + (value >> 16) % 100


# --- what happens --------------------------------------------------------------------------------


def hand_visit(before: Layout, after: Layout, frames: int = 6) -> Iterator[Moment]:
    """Yield a hand that comes in, changes the layout at its deepest, and leaves."""
    for number in range(frames):
        depth = sin(pi * (number + 0.5) / frames)
        layout = before if number < frames / 2 else after
        yield Moment(layout, hand=(0.5 + 0.1 * cos(number), 1.0 - 0.7 * depth))

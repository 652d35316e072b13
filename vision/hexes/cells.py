"""Reads the cells of hex boards: what lies on each, what is hidden, and where tiles hang together.

A board is laid out so that its slanting grid becomes a square one: one network then says about all
cells at once what they hold, from their own look and from what is around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import HEX_STEPS, Cell, hex_board
from vision.core.pyramid import Pyramid, drawn_between
from vision.core.types import Bgr
from vision.hexes.models import CONTENTS
from vision.hexes.plane import REACH, HexBoard, plane_of

Floats = NDArray[np.float64]

SIDE = REACH + 1
SPAN = 2 * SIDE + 1
"""Cells along a side of the laid out board, with a row beyond each edge."""
CELL_PX = 24
VIEW_PX = SPAN * CELL_PX
COARSE = 8
"""Every so many pixels the view's places are computed, and drawn straight between."""
BRIGHT_SHARE = 0.45
"""The brighter part of a board that its paper's colour is taken from: tiles leave more bare."""
PAPER = 200.0
"""What paper is made to be."""
CLAYS = ("none", "open", "closed")
OUTPUTS = (len(CONTENTS), 1, len(CLAYS), len(HEX_STEPS), len(HEX_STEPS))
"""Numbers a cell: what it holds, whether it is hidden, clay, the clay's mouth, joined sides."""
CELLS = hex_board(SIDE)
EMPTY, EYE = CONTENTS.index("empty"), CONTENTS.index("eye")
PLAIN = 0.99
"""What a single look is believed from. Of the held-out tables of 5G on which a single hex or its
clay was misread, all had a share below; turned, the same cell was mostly read right. So were the
two of 5G and Snekagon on which two tiles were taken for one: the side between them had 0.56 and
0.98, while none of 37 other boards had a side below 0.995."""
LEAST = 1e-9
EVEN_PX, DARKEST = 9, 40.0
"""Over how many pixels light is evened out, and how dark a place may be to be made brighter."""
PALER = 0.6
"""How strong colours are left. Of 181 clays on eleven hard tables all had shares of 0.21 and more
then, and all 1,083 other cells with tiles of 0.07 at most; before, three had 0.05 and less."""


_STEPS = (np.arange(0, VIEW_PX + COARSE, COARSE) + 0.5) / CELL_PX - SPAN / 2
_VIEW = plane_of(np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1))


def laid_out(pyramid: Pyramid, board: HexBoard) -> Bgr:
    """Return a board with its cells on a square grid, row by row, its paper made neutral."""
    spread = board.cell_px() / CELL_PX
    coarse = board.px(_VIEW).reshape(len(_STEPS), -1, 2)
    places = drawn_between(coarse, COARSE, (VIEW_PX, VIEW_PX))
    view = pyramid.sampled(places, spread)
    if bool(((coarse >= 0) & (coarse < pyramid.size_px)).all()):
        return balanced(view)
    inside = ((places >= 0) & (places < pyramid.size_px)).all(axis=2)
    return balanced(view, np.asarray(inside, bool))


def balanced(view: Bgr, inside: NDArray[np.bool_] | None = None) -> Bgr:
    """Return a laid out board in the colours that it would have if its paper were grey.

    Args:
        view: the board.
        inside: what of it lies in the picture: the grey beyond is no paper.
    """
    part = slice(CELL_PX, -CELL_PX, 3)
    inner = view[part, part].reshape(-1, 3)
    shown = None if inside is None else inside[part, part].ravel()
    if shown is not None and shown.any():
        inner = inner[shown]
    total = inner.sum(axis=1, dtype=np.int32)
    bright = inner[total >= np.quantile(total, 1 - BRIGHT_SHARE)]
    paper = np.maximum(np.median(bright, axis=0), 24.0)
    levels = np.clip(np.arange(256)[:, None] * (PAPER / paper) + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(view, levels[None]), np.uint8)


def evened(view: Bgr) -> Bgr:
    """Return a laid out board without shadows and with paler colours.

    Bright lamps make colours stronger than the network has learnt them, and clay then looks like
    the red below it; paler, a shadow on red looks like clay, so shadows go too.
    """
    bright = cv2.dilate(view.max(axis=2), np.ones((EVEN_PX, EVEN_PX), np.uint8))
    around = cv2.GaussianBlur(bright.astype(np.float32), (0, 0), EVEN_PX)
    lit = view * (PAPER / np.maximum(around, DARKEST))[..., None]
    grey = lit.mean(axis=2, keepdims=True)
    return np.asarray(np.clip(grey + (lit - grey) * PALER + 0.5, 0, 255), np.uint8)


@dataclass(frozen=True, eq=False)
class CellReadings:
    """What is believed about each cell of a board, in its own turn."""

    contents: dict[Cell, Floats]
    """Shares of ``CONTENTS``."""
    hidden: dict[Cell, float]
    """How sure it is that something covers the cell."""
    clay: dict[Cell, Floats]
    """Shares of ``CLAYS``."""
    opens: dict[Cell, Floats]
    """Shares of the six sides, clockwise from the east, that an open clay points to."""
    joined: dict[Cell, Floats]
    """How sure it is of each side that the tile goes on across it."""

    def turned(self, sixths: int) -> CellReadings:
        """Return the same for the board turned on as ``HexBoard.turned`` does."""
        source = {cell: turned_cell(cell, sixths) for cell in self.contents}
        sides = (np.arange(len(HEX_STEPS)) + sixths) % len(HEX_STEPS)
        return CellReadings(
            {cell: self.contents[old] for cell, old in source.items()},
            {cell: self.hidden[old] for cell, old in source.items()},
            {cell: self.clay[old] for cell, old in source.items()},
            {cell: self.opens[old][sides] for cell, old in source.items()},
            {cell: self.joined[old][sides] for cell, old in source.items()},
        )


def turned_cell(cell: Cell, sixths: int) -> Cell:
    """Return a cell turned clockwise about the board's centre."""
    q, r = cell
    for _ in range(sixths % 6):
        q, r = -r, q + r
    return (q, r)


def in_two_lights(looks: Sequence[CellReadings]) -> CellReadings:
    """Return what looks say together of which every second one was evened.

    What a cell holds is told by the light in which that is clearer: evened, pale colours come near
    to paper, and as it is, strong ones come near to others.
    """
    plain, even = agreed(looks[::2]).contents, agreed(looks[1::2]).contents
    clearer = {c: plain[c] if plain[c].max() >= even[c].max() else even[c] for c in plain}
    return replace(agreed(looks), contents=clearer)


def agreed(looks: Sequence[CellReadings]) -> CellReadings:
    """Return what several looks at a board say together."""
    cells = looks[0].contents
    return CellReadings(
        {cell: _together([look.contents[cell] for look in looks]) for cell in cells},
        {cell: float(likely([look.hidden[cell] for look in looks])) for cell in cells},
        {cell: _together([look.clay[cell] for look in looks]) for cell in cells},
        # A mouth that each look sees elsewhere is none.
        {cell: np.mean([look.opens[cell] for look in looks], axis=0) for cell in cells},
        {cell: likely([look.joined[cell] for look in looks]) for cell in cells},
    )


def _together(shares: Sequence[Floats]) -> Floats:
    """Return shares of one thing whose logarithms are the mean of all looks'."""
    return _shares(np.log(np.maximum(shares, LEAST)).mean(axis=0))


def likely(shares: Sequence[Any]) -> Floats:
    """Return shares of yes and no whose log-odds are the mean of all looks'."""
    held = np.clip(shares, LEAST, 1 - LEAST)
    return _share(np.log(held / (1 - held)).mean(axis=0))


def readings_of(logits: Floats) -> CellReadings:
    """Return what the network's numbers for one board say."""
    parts = np.split(logits, np.cumsum(OUTPUTS)[:-1])
    contents, hidden, clay = _shares(parts[0]), _share(parts[1])[0], _shares(parts[2])
    opens, joined = _shares(parts[3]), _share(parts[4])
    at = {(q, r): (r + SIDE, q + SIDE) for q, r in CELLS}
    return CellReadings(
        {cell: contents[:, y, x] for cell, (y, x) in at.items()},
        {cell: float(hidden[y, x]) for cell, (y, x) in at.items()},
        {cell: clay[:, y, x] for cell, (y, x) in at.items()},
        {cell: opens[:, y, x] for cell, (y, x) in at.items()},
        {cell: joined[:, y, x] for cell, (y, x) in at.items()},
    )


def _shares(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(axis=0))
    return np.asarray(raised / raised.sum(axis=0))


def _share(logits: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))))

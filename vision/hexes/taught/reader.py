"""Reads boards that owners taught: what lies on each cell, and which sides a tile continues across.

All cells of a picture share one light, and most of them are bare. So the light is estimated first:
the one in which bare cells look as in the owner's photographs, and the others like something that
was taught. Colours are compared as logarithms, in which light is an offset and contrast a factor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import HEX_STEPS, Cell, hex_neighbours
from vision.core.crop import patch_corners
from vision.core.types import Bgr
from vision.hexes.cells import CELLS, CLAYS, CellReadings
from vision.hexes.models import CONTENTS
from vision.hexes.plane import HALF_TURN, REACH, HexBoard, plane_of
from vision.hexes.taught.boards import (
    BARE,
    CUT_PX,
    ROOM,
    Patches,
    cell_outlines,
    cut_out,
    side_outlines,
)

Floats = NDArray[np.float64]

MOST_ODDS = 3.5
"""Limit for the log-odds of a single side, so that what the box can be cut into counts too."""
PRIOR_BARE = 0.5
ROUNDS = 6
SLOPE, NOISE = 0.15, 0.3
"""How much brighter one edge of a board may be than its middle, and how far a single cell may
differ from its kind, as logarithms: one dark cell of a bare board is no tile in weak light."""
CONTRASTS, COLOURS = (0.6, 1.0, 1.4), (0.5, 1.0, 1.6)
CONTRAST, COLOUR, LEAST_CONTRAST = 0.25, 0.4, 0.35
"""Cameras and lamps change the contrast of brightness and of colour: the factors that are tried
first, the usual deviations of both from what was taught, and the lower limit."""
TRIED = 4
"""Number of initial estimates of the light that are refined."""
DARKEST = 30.0
"""Level that is added before taking logarithms: very dark colours say little, and lamps change them
most."""
SMALLEST = 1e-9


@dataclass(frozen=True, eq=False)
class BoardReader:
    """The classifier for the cells and sides of one owner's board."""

    names: tuple[str, ...]
    """Names of the contents of cells, the bare one first."""
    means: Floats
    """Features of each content, in the light in which a bare cell's median is 0, contents x 9."""
    whiten: Floats
    """Whitening matrix: gives cells of one kind unit variance in every direction, 9 x 9."""
    known: float
    """Squared distance beyond which a cell looks like nothing that was taught."""
    sides: Mapping[str, Floats]
    """By colour: weights of a side's 16 features and a constant; above 0 a tile continues."""

    def __post_init__(self) -> None:
        shapes = self.means.shape, self.whiten.shape
        wanted = (len(self.names), FEATURES), (FEATURES, FEATURES)
        if shapes != wanted or any(w.shape != (SIDE_FEATURES + 1,) for w in self.sides.values()):
            raise ValueError(f"a board's reader has arrays of {wanted}, but got {shapes}")
        if self.names[:1] != (BARE,) or set(self.names[1:]) != set(self.sides):
            raise ValueError(f"a board has bare cells and colours with sides, not {self.names}")
        if not set(self.names) <= set(CONTENTS):
            raise ValueError(f"cells hold one of {CONTENTS}, not {self.names}")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to store in a file."""
        sides = np.stack([self.sides[name] for name in self.names if name in self.sides])
        return {"means": self.means, "whiten": self.whiten, "sides": sides}

    @classmethod
    def of(
        cls, names: tuple[str, ...], arrays: Mapping[str, NDArray[Any]], known: float
    ) -> BoardReader:
        """Return the reader that is stored in arrays.

        Raises:
            ValueError: the arrays are not valid.
        """
        means, whiten, sides = (
            np.asarray(arrays[key], np.float64) for key in ("means", "whiten", "sides")
        )
        if not all(np.isfinite(array).all() for array in (means, whiten, sides)):
            raise ValueError("the arrays hold no numbers")
        return cls(names, means, whiten, known, dict(zip(names[1:], sides, strict=True)))

    def read(self, bgr: Bgr, board: HexBoard) -> CellReadings:
        """Return what lies on the cells of a board, in the turn that it is given in."""
        patches = cut_out(bgr, cell_outlines(board, CELLS))
        distances = self._in_their_light(cell_features(patches))
        shares = np.exp(-(distances - distances.min(axis=1, keepdims=True)) / 2)
        shares /= shares.sum(axis=1, keepdims=True)
        strange = 1 / (1 + np.exp(np.clip(self.known - distances.min(axis=1), -60, 60) / 2))
        contents = {cell: np.zeros(len(CONTENTS)) for cell in CELLS}
        for number, cell in enumerate(CELLS):
            contents[cell][[CONTENTS.index(name) for name in self.names]] = shares[number]
        return CellReadings(
            contents,
            {cell: float(share) for cell, share in zip(CELLS, strange, strict=True)},
            {cell: np.eye(len(CLAYS))[0] for cell in CELLS},
            {cell: np.full(len(HEX_STEPS), 1 / len(HEX_STEPS)) for cell in CELLS},
            self._joined(bgr, board, contents),
        )

    def distances(self, rows: Floats, means: Floats | None = None) -> Floats:
        """Return the squared distances of cells from each kind, in the taught light by default."""
        away = (rows[..., None, :] - (self.means if means is None else means)) @ self.whiten
        return np.asarray((away**2).sum(axis=-1))

    def _in_their_light(self, rows: Floats) -> Floats:
        """Return the cells' squared distances from each kind, in the picture's estimated light."""
        middles = rows.reshape(-1, len(QUANTILES), 3)[:, 1]
        guesses = []
        # Assume each cell in turn to be bare, and keep the light that best explains all cells.
        for contrast, colour in product(CONTRASTS, COLOURS):
            means = self._seen(contrast, colour)
            lights = np.tile(middles - means[0, 3:6], len(QUANTILES))
            worths = [self._likely(self.distances(rows - light, means))[1] for light in lights]
            best = int(np.argmax(worths))
            guesses.append((worths[best], lights[best], means))
        guesses.sort(key=lambda guess: -guess[0])
        settled = [self._settled(rows, light, means) for _, light, means in guesses[:TRIED]]
        return max(settled, key=lambda one: one[0])[1]

    def _seen(self, contrast: float, colour: float) -> Floats:
        """Return the features of kinds at given contrasts of brightness and colour."""
        grey = self._greys()
        return np.asarray(contrast * grey + colour * (self.means - grey))

    def _greys(self) -> Floats:
        means = self.means.reshape(len(self.names), len(QUANTILES), 3).mean(axis=2)
        return np.repeat(means, 3, axis=1)

    def _settled(self, rows: Floats, light: Floats, means: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood of the refined light, and the distances in it."""
        places = np.column_stack([np.ones(len(rows)), plane_of(CELLS) / REACH])
        grey = self._greys()
        stiff = np.array([0.0, SLOPE, SLOPE] * 3 + [CONTRAST, COLOUR])
        ridge = np.diag([SMALLEST if not width else (NOISE / width) ** 2 for width in stiff])
        solved = np.ones(len(stiff))
        usual = np.array([0.0] * 9 + [1.0, 1.0])
        for _ in range(ROUNDS):
            shares, _ = self._likely(self.distances(rows - light, means))
            normal, said = ridge.copy(), ridge @ usual
            for kind, own in enumerate(shares.T):
                for feature in range(FEATURES):
                    design = np.zeros((len(rows), len(usual)))
                    channel = feature % 3
                    design[:, 3 * channel : 3 * channel + 3] = places
                    design[:, 9] = grey[kind, feature]
                    design[:, 10] = self.means[kind, feature] - grey[kind, feature]
                    normal += design.T @ (design * own[:, None])
                    said += design.T @ (rows[:, feature] * own)
            solved = np.linalg.solve(normal, said)
            planes = [places @ solved[3 * c : 3 * c + 3] for c in range(3)]
            light = np.tile(np.stack(planes, axis=1), len(QUANTILES))
            means = self._seen(max(solved[9], LEAST_CONTRAST), max(solved[10], LEAST_CONTRAST))
        distances = self.distances(rows - light, means)
        unusual = np.log(np.maximum(solved[9:], LEAST_CONTRAST)) / (CONTRAST, COLOUR)
        worth = self._likely(distances)[1] - float((unusual**2).sum()) / 2
        return worth, distances

    def _likely(self, distances: Floats) -> tuple[Floats, float]:
        """Return each cell's probabilities of kinds, the rest being strange, and the likelihood."""
        others = (1 - PRIOR_BARE) / (len(self.names) - 1)
        priors = np.array([PRIOR_BARE] + [others] * (len(self.names) - 1))
        likely = priors * np.exp(-distances / 2)
        total = likely.sum(axis=1) + np.exp(-self.known / 2)
        return likely / total[:, None], float(np.log(total).sum())

    def _joined(
        self, bgr: Bgr, board: HexBoard, contents: Mapping[Cell, Floats]
    ) -> dict[Cell, Floats]:
        """Return the probability for each side of each cell that a tile continues across it."""
        likely = {cell: CONTENTS[int(shares.argmax())] for cell, shares in contents.items()}
        joined = {cell: np.zeros(len(HEX_STEPS)) for cell in contents}
        asked = [
            (cell, side)
            for cell, own in likely.items()
            if own in self.sides
            for side in range(HALF_TURN)
            if likely.get(hex_neighbours(cell)[side]) == own
        ]
        rows = side_features(side_views(cut_out(bgr, side_outlines(board, asked))))
        for (cell, side), row in zip(asked, rows, strict=True):
            weights = self.sides[likely[cell]]
            odds = np.clip(row @ weights[:-1] + weights[-1], -MOST_ODDS, MOST_ODDS)
            share = 1 / (1 + np.exp(-odds))
            joined[cell][side] = share
            joined[hex_neighbours(cell)[side]][(side + HALF_TURN) % len(HEX_STEPS)] = share
        return joined


SMALL_PX, INNER = 28, 0.72
"""Side of a reduced cut of a cell, and the inner share of the cell used: outlines miss a little."""
QUANTILES = (0.15, 0.5, 0.85)
FEATURES = 3 * len(QUANTILES)
ALONG_PX, ACROSS_PX = 14, 26
"""Half extents of the area around the middle of a side, along and across it, in a cut of 112 pixels
in which a cell is 66 wide."""
LINES = ((1.0, 4.0), (2.0, 6.0))
"""Widths in pixels of the two blurs whose difference shows lines, fine ones and broader ones."""
NEAR_PX, BESIDE_PX, END_PX = 8, 12, 3
"""A line within the first distance of a side is its own, beyond the second it is another; the third
is left out at both ends."""
FAINT = 0.02
"""Added to a line's deviation, as a logarithm, so that faint lines are not clear for being even."""
WAYS = 2
"""Number of channels in which a side is examined: brightness and redness."""
SIDE_FEATURES = 4 * WAYS * len(LINES)


def cell_features(patches: Patches) -> Floats:
    """Return three quantiles of the log blue, green and red of cells, N x 9."""
    inside = _inside()
    rows = np.empty((len(patches), FEATURES))
    for number, patch in enumerate(patches):
        small = cv2.resize(patch, (SMALL_PX, SMALL_PX), interpolation=cv2.INTER_AREA)
        shown = np.log(small[inside] + DARKEST)
        rows[number] = np.quantile(shown, QUANTILES, axis=0).ravel()
    return rows


def _inside() -> NDArray[np.bool_]:
    middle = (SMALL_PX - 1) / 2
    corners = (patch_corners(6, SMALL_PX) - middle) / ROOM * INNER + middle
    mask = np.zeros((SMALL_PX, SMALL_PX), np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 1, shift=4)
    return mask.astype(bool)


def side_views(patches: Patches) -> Floats:
    """Return the log brightness and redness around sides, N x 2 x 29 x 53."""
    middle = CUT_PX // 2
    rows = slice(middle - ALONG_PX, middle + ALONG_PX + 1)
    columns = slice(middle - ACROSS_PX, middle + ACROSS_PX + 1)
    shown = np.log(patches[:, rows, columns].astype(np.float64) + DARKEST)
    return np.stack([shown.mean(axis=3), shown[..., 2] - shown[..., 0]], axis=1)


def side_features(views: Floats) -> Floats:
    """Return the clearest dark and light line at sides and beside them, N x 16.

    Wood grain varies along a side, the line between two tiles does not. So a line's mean contrast
    is divided by its deviation along the side; the ratio is the same in every light.
    """
    count, ways, rows, columns = views.shape
    flat = np.ascontiguousarray(views.reshape(-1, columns))
    middle, found = columns // 2, []
    for fine, broad in LINES:
        lines = _blurred(flat, fine) - _blurred(flat, broad)
        lines = lines.reshape(count, ways, rows, columns)
        clear = lines.mean(axis=2) / (lines.std(axis=2) + FAINT)
        own = clear[..., middle - NEAR_PX : middle + NEAR_PX + 1]
        beside = np.concatenate(
            [clear[..., END_PX : middle - BESIDE_PX + 1], clear[..., middle + BESIDE_PX : -END_PX]],
            axis=2,
        )
        found += [own.min(axis=2), own.max(axis=2), beside.min(axis=2), beside.max(axis=2)]
    return np.concatenate(found, axis=1)


def _blurred(rows: Floats, wide_px: float) -> Floats:
    """Return each row after a one-dimensional Gaussian blur."""
    if not len(rows):
        return rows
    size = 2 * round(4 * wide_px) + 1
    return np.asarray(
        cv2.sepFilter2D(rows, cv2.CV_64F, cv2.getGaussianKernel(size, wide_px), np.ones(1))
    )

"""Fits the reader of a board to examples of its cells and sides, in a second."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from models.teaching.examples import Examples
from models.teaching.fit import Fitted
from vision.hexes.taught.boards import APART, BARE, JOINED, side_name
from vision.hexes.taught.reader import (
    QUANTILES,
    BoardReader,
    cell_features,
    side_features,
    side_views,
)

Floats = NDArray[np.float64]
Random = np.random.Generator

VARIED = 16
"""Augmented variants per example."""
CONTRAST = 0.25
"""Contrast of lines between tiles, as a natural logarithm; ``CONTRAST``, ``TINT`` and ``GRAIN`` are
standard deviations."""
TINT = 0.05
"""Change of a cell's colour channels in another light, relative to the bare cells."""
GRAIN = 0.06
FLATTER = 0.2
"""Faintness that is added to lines, as a natural logarithm: photographs are mostly sharper and
better lit than play."""
SHIFT_PX, BLUR_PX, NOISE = 2.0, 2.0, 0.02
"""Standard deviation of a side's shift, largest blur (both for cells 66 pixels wide), and standard
deviation of the noise."""
KNOWN_QUANTILE, KNOWN_SPARE = 0.998, 3.0
"""A cell is known up to ``KNOWN_SPARE`` times this quantile of the examples' distances."""
SIDE_DOUBT = 2.0
"""Divisor of the log-odds of sides: examples of one day agree better than days do."""
SIDE_SHRINKAGE = 0.3
"""Shrinkage of the covariance of sides. Of twelve other tables, learnt from one photograph, 7 and
10 in two draws of variants were read exactly with the variants' own covariance, and 11 and 12 with
this; learnt from the empty board as well, 9 and 12, and all twelve both times with this."""


def fit_board(examples: Examples, box: TileSet, rng: Random) -> Fitted[BoardReader]:
    """Return the reader of a taught board; every kind of ``board_kinds`` must have an example."""
    names = (BARE, *box.colours)
    # Cells are compared with the bare cells of their photograph; without any they are not used.
    lit = {
        photo for photo, tile in zip(examples.photos, examples.tiles, strict=True) if tile == BARE
    }
    cells = [
        n for n, tile in enumerate(examples.tiles) if tile in names and examples.photos[n] in lit
    ]
    labels = np.array([names.index(examples.tiles[n]) for n in cells])
    rows = _in_one_light(
        cell_features(examples.patches[cells]), labels, [examples.photos[n] for n in cells]
    )
    means = np.stack([rows[labels == k].mean(axis=0) for k in range(len(names))])
    varied, sources = _varied_cells(rows, rng)
    whiten = _whitening(varied - means[labels[sources]])
    sides = {colour: _side_weights(examples, colour, rng) for colour in box.colours}
    reader = BoardReader(names, means, whiten, 1.0, sides)
    own = reader.distances(varied)
    known = float(np.quantile(own[np.arange(len(own)), labels[sources]], KNOWN_QUANTILE))
    reader = BoardReader(names, means, whiten, known * KNOWN_SPARE, sides)
    return _outcome(reader, box, examples, (own, labels[sources], np.array(cells)[sources]))


def _in_one_light(rows: Floats, labels: NDArray[np.int64], photos: Sequence[str]) -> Floats:
    """Return cell features relative to the mean of the bare cells in each photograph."""
    out = rows.copy()
    for photo in sorted(set(photos)):
        here = np.array([name == photo for name in photos])
        bare = rows[here & (labels == 0)].reshape(-1, len(QUANTILES), 3)[:, 1]
        out[here] -= np.tile(bare.mean(axis=0), len(QUANTILES))
    return out


def _varied_cells(rows: Floats, rng: Random) -> tuple[Floats, NDArray[np.int64]]:
    """Return augmented cells, and the example number of each."""
    sources = np.repeat(np.arange(len(rows)), VARIED)
    many = rows[sources]
    tint = np.tile(rng.normal(0, TINT, (len(many), 3)), len(QUANTILES))
    return many + tint + rng.normal(0, GRAIN, many.shape), sources


def _whitening(residuals: Floats) -> Floats:
    covariance = residuals.T @ residuals / len(residuals)
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors / np.sqrt(np.maximum(values, 1e-6)))


def _side_weights(examples: Examples, colour: str, rng: Random) -> Floats:
    """Return the weights that tell sides inside a tile from sides where two tiles meet."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rows, labels = [], []
    for number, what in enumerate((APART, JOINED)):
        own = [n for n, t in enumerate(examples.tiles) if t == side_name(colour, what)]
        made = _varied_sides(side_views(examples.patches[own]), rng)
        rows.append(side_features(made))
        labels += [number] * len(made)
    analysis = LinearDiscriminantAnalysis(
        solver="lsqr", shrinkage=SIDE_SHRINKAGE, priors=[0.5, 0.5]
    )
    analysis.fit(np.concatenate(rows), labels)
    return np.append(analysis.coef_[0], analysis.intercept_[0]) / SIDE_DOUBT


def _varied_sides(views: Floats, rng: Random) -> Floats:
    """Return augmented sides, from both ends."""
    many = np.repeat(np.concatenate([views, views[..., ::-1]]), VARIED // 2, axis=0)
    rows, columns = many.shape[2:]
    for number, view in enumerate(many):
        move = np.array([[1.0, 0, rng.normal(0, SHIFT_PX)], [0, 1, 0]])
        wide = 0.3 + rng.uniform(0, BLUR_PX)
        stretch = np.exp(rng.normal(-FLATTER, CONTRAST))
        for way, seen in enumerate(view):
            moved = cv2.warpAffine(
                np.ascontiguousarray(seen), move, (columns, rows), borderMode=cv2.BORDER_REPLICATE
            )
            blurred = cv2.GaussianBlur(moved, (0, 0), wide)
            level = float(blurred.mean())
            noise = rng.normal(0, NOISE, (rows, columns))
            many[number, way] = level + (blurred - level) * stretch + noise
    return many


def _outcome(
    reader: BoardReader,
    box: TileSet,
    examples: Examples,
    cells: tuple[Floats, NDArray[np.int64], NDArray[np.int64]],
) -> Fitted[BoardReader]:
    """Return the fitted board with the sureness of its examples."""
    distances, labels, sources = cells
    shares = np.exp(-(distances - distances.min(axis=1, keepdims=True)) / 2)
    shares /= shares.sum(axis=1, keepdims=True)
    sureness = np.zeros(len(examples))
    right = shares[np.arange(len(labels)), labels]
    for number in np.unique(sources):
        sureness[number] = right[sources == number].mean()
    wrong = int((shares.argmax(axis=1) != labels).sum())
    count = len(labels)
    for number, tile in enumerate(examples.tiles):
        colour, _, what = tile.partition(" ")
        if what:
            weights = reader.sides[colour]
            row = side_features(side_views(examples.patches[number : number + 1]))[0]
            odds = float(row @ weights[:-1] + weights[-1]) * (1 if what == JOINED else -1)
            sureness[number] = 1 / (1 + np.exp(-odds))
            wrong, count = wrong + (odds < 0), count + 1
    confusions = {
        (one, other): float(shares[labels == k, j].mean())
        for k, one in enumerate(reader.names)
        for j, other in enumerate(reader.names)
        if j != k
    }
    return Fitted(reader, box, confusions, sureness, wrong / count, examples.tiles)

"""The analysis that tells looks apart: scikit-learn's linear discriminant analysis, in seconds.

Features are many and examples few. All that tells kinds apart lies in the space of their means,
so that and the strongest ways in which examples vary are kept, and the analysis is fitted there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

WAYS = 200
"""The strongest ways in which examples of one look vary that are kept."""
ASKED_FOR_WAYS = 1200


@dataclass(frozen=True, eq=False)
class Rows:
    """Features of varied examples: which look each shows, and which example it was."""

    rows: Floats
    looks: Ints
    sources: Ints


def analysed(learnt: Rows, count: int, shrinkage: float, scales: Floats) -> tuple[Floats, Floats]:
    """Return the map to the space that tells looks apart, and the looks' middles there."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rows = learnt.rows * scales
    means = _means(rows, learnt.looks, count)
    residuals = rows - means[learnt.looks]
    few = residuals[:: len(residuals) // ASKED_FOR_WAYS + 1]
    ways = _strongest(few, WAYS)
    basis = _orthonormal(np.concatenate([(means - means.mean(axis=0)), ways]))
    analysis = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage)
    analysis.fit((rows @ basis).astype(np.float64), learnt.looks)
    project = scales[:, None] * (basis @ analysis.scalings_[:, : count - 1].astype(np.float32))
    # What is stored is rounded: the middles must be those of the rounded map.
    project = project.astype(np.float16).astype(np.float32)
    return project, _means(learnt.rows, learnt.looks, count) @ project


def _means(rows: Floats, looks: Ints, count: int) -> Floats:
    out = np.stack([rows[looks == look].mean(axis=0) for look in range(count)])
    return np.asarray(out, np.float32)


def _strongest(rows: Floats, count: int) -> Floats:
    """Return the directions in which rows vary most."""
    gram = (rows @ rows.T).astype(np.float64)
    values, vectors = np.linalg.eigh(gram)
    best = np.argsort(-values)[:count]
    best = best[values[best] > values.max() * 1e-7]
    return np.asarray(vectors[:, best].T @ rows, np.float32)


def _orthonormal(rows: Floats) -> Floats:
    """Return an orthonormal basis, features x dimensions, of the space that rows span."""
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    gram = (rows @ rows.T).astype(np.float64)
    values, vectors = np.linalg.eigh(gram)
    kept = values > values.max() * 1e-6
    return np.asarray(rows.T @ (vectors[:, kept] / np.sqrt(values[kept])), np.float32)

"""Fits boosted trees with scikit-learn, and turns them into plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from models.lab.scenes.world.arrays import Array
from vision.classify.evidence import Trees

TREES, LEAVES, RATE, FEWEST_A_LEAF = 250, 12, 0.08, 30


def fit_trees(
    rows: Array, labels: Array, weights: Array, checked: Array, rising: Sequence[int]
) -> Trees:
    """Return gradient-boosted trees that classify rows.

    Args:
        rows: N x names.
        labels: N of 0 and 1.
        weights: weight of each row.
        checked: rows that only decide when to stop.
        rising: monotonic constraint of each name: 1 rising, -1 falling, 0 none.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        learning_rate=RATE,
        max_iter=TREES,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=FEWEST_A_LEAF,
        l2_regularization=1.0,
        monotonic_cst=list(rising),
        early_stopping=False,
        random_state=0,
    ).fit(rows[~checked], labels[~checked], sample_weight=weights[~checked])
    losses = []
    for shares in model.staged_predict_proba(rows[checked]):
        own = np.maximum(shares[np.arange(len(shares)), labels[checked]], 1e-9)
        losses.append(-float((weights[checked] * np.log(own)).mean()))
    return _as_numbers(model, 1 + int(np.argmin(losses)))


def _as_numbers(model: Any, count: int) -> Trees:
    """Return the first fitted trees as plain arrays; the library has no public access to them."""
    every = [tree[0].nodes for tree in model._predictors[:count]]
    starts = np.cumsum([0, *(len(nodes) for nodes in every)])[:-1]
    nodes = np.concatenate(every)
    first = np.repeat(starts, [len(one) for one in every])
    leaf = nodes["is_leaf"].astype(bool)
    return Trees(
        float(np.ravel(model._baseline_prediction)[0]),
        starts.astype(np.int32),
        np.where(leaf, -1, nodes["feature_idx"]).astype(np.int32),
        nodes["num_threshold"].astype(np.float64),
        (nodes["left"] + first).astype(np.int32),
        (nodes["right"] + first).astype(np.int32),
        np.where(leaf, nodes["value"], 0.0),
    )

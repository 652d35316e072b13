"""Turns examples of one kind alike where the owner says no turns.

Tiles that lie loose lie any way round. Two examples of a kind must be brought to the same turn
before anything is learnt from both: the mean of a print and of the print on its side looks like
neither.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.teaching.examples import Examples, plain
from vision.classify.embedding import described

Floats = NDArray[np.float32]

ROUNDS = 4
"""Turns settle in two rounds; more are for kinds with many unlike examples."""


def aligned(examples: Examples, folds: int) -> Examples:
    """Return the examples with a turn for each that had none, equal prints turned equally."""
    turns = examples.turns.copy()
    for tile in sorted(set(examples.tiles)):
        loose = [
            n for n, name in enumerate(examples.tiles) if name == tile and examples.turns[n] < 0
        ]
        if loose:
            steps = _agreed(_every_turn(examples, loose, folds))
            turns[loose] = (-steps) % folds
    return replace(examples, turns=turns)


def _every_turn(examples: Examples, numbers: list[int], folds: int) -> Floats:
    """Return features of the examples at each turn, examples x turns x features."""
    patches = examples.patches[numbers]
    rows = [described(plain(patches, [turn] * len(numbers), folds)) for turn in range(folds)]
    return np.stack(rows, axis=1)


def _agreed(rows: Floats) -> NDArray[np.int64]:
    """Return by how many steps each example is turned to look like the others."""
    count = len(rows)
    flat = rows.reshape(count * rows.shape[1], -1)
    # The example that some turn of every other one comes nearest to is what all are turned to.
    squares = (flat**2).sum(axis=1)
    apart = squares[None] - 2 * rows[:, 0] @ flat.T + squares[:: rows.shape[1], None]
    apart = apart.reshape(count, count, -1)
    first = int(apart.min(axis=2).sum(axis=1).argmin())
    steps = apart[first].argmin(axis=1)
    for _ in range(ROUNDS):
        mean = rows[np.arange(count), steps].mean(axis=0)
        better = ((rows - mean) ** 2).sum(axis=2).argmin(axis=1)
        if (better == steps).all():
            break
        steps = better
    return np.asarray(steps, np.int64)

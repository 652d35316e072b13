"""Prints in the memory of a device, and pairs of them to learn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from models.teaching.examples import KEPT_PX
from models.training.print_drawing import PRINTS_A_LAND, Ints, Prints

ROOM = 20_000
LEAST_BOXES = 12
"""Of prints and of lands, before anything is learnt."""


class Bank:
    """Boxes in the memory of the device, as many as there is room for."""

    def __init__(self, room: int, device: torch.device) -> None:
        self.patches = torch.empty(
            (room, KEPT_PX, KEPT_PX, 3), dtype=torch.uint8, device=device
        )  # fmt: skip
        self.filled = 0
        self.boxes: dict[bool, list[tuple[int, Prints]]] = {False: [], True: []}

    def add(self, prints: Prints) -> bool:
        """Take in a box; say whether there was room."""
        end = self.filled + len(prints.patches)
        if end > len(self.patches):
            return False
        self.patches[self.filled : end] = torch.from_numpy(prints.patches).to(self.patches.device)
        without = Prints(
            np.zeros((0, 1, 1, 3), np.uint8), prints.kinds, prints.periods, prints.folds,
            prints.lands,
        )  # fmt: skip
        self.boxes[prints.lands].append((self.filled, without))
        self.filled = end
        return True

    def ready(self) -> bool:
        """Return whether there is enough to learn from."""
        return min(len(boxes) for boxes in self.boxes.values()) >= LEAST_BOXES


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two looks each of prints that must be told apart: boxes x prints each."""

    one: Ints
    other: Ints
    """Places in the bank."""
    steps_one: Ints
    steps_other: Ints
    """Steps clockwise that each is turned by."""
    folds: Ints
    same: Ints
    """Equal numbers in one box mean the same."""

    def joined(self, more: Pairs) -> Pairs:
        """Return the boxes of both."""
        names = ("one", "other", "steps_one", "steps_other", "folds", "same")
        return Pairs(*(np.concatenate([getattr(self, n), getattr(more, n)]) for n in names))


def picked(bank: Bank, lands: bool, boxes: int, count: int, rng: np.random.Generator) -> Pairs:
    """Return pairs of looks out of some boxes, so many prints of each."""
    known = bank.boxes[lands]
    rows = [
        (_of_lands if lands else _of_prints)(*known[int(n)], count, rng)
        for n in rng.integers(len(known), size=boxes)
    ]
    return Pairs(*(np.stack([row[part] for row in rows]) for part in range(6)))


def _of_prints(first: int, box: Prints, count: int, rng: np.random.Generator) -> tuple[Ints, ...]:
    """Return picks of one box: both looks are of the same print in the same turn."""
    every = np.array([(n, turn) for n, period in enumerate(box.periods) for turn in range(period)])
    chosen = rng.permutation(len(every))[:count]
    chosen = np.concatenate([chosen, rng.choice(chosen, count - len(chosen))])
    prints, turns = every[chosen].T
    return first + prints, first + prints, turns, turns, np.full(count, box.folds), chosen


def _of_lands(first: int, box: Prints, count: int, rng: np.random.Generator) -> tuple[Ints, ...]:
    """Return picks of one box: looks are of two prints of one kind, in any turns."""
    one = rng.integers(len(box.kinds), size=count)
    other = box.kinds[one] * PRINTS_A_LAND + rng.integers(PRINTS_A_LAND, size=count)
    turns = rng.integers(box.folds, size=(2, count))
    return first + one, first + other, turns[0], turns[1], np.full(count, box.folds), box.kinds[one]


def gathered(bank: Bank, places: Ints) -> Tensor:
    """Return patches of the bank, in the order of places."""
    return bank.patches[torch.from_numpy(places.ravel()).to(bank.patches.device)]

"""Trains a small network that tells prints of any box apart.

``python -m models.lab.training.embedding``.

It sees faces of invented boxes only, of the side that may be trained on. By the first of its
numbers two looks of the same print must come to lie near one another, and apart from the other
prints and turns of the box; by the rest two prints of one land, apart from other lands.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from models.lab.evaluate.harness import say
from models.lab.training.harness import timed_parser, write_manifest
from models.lab.training.learning import Block, Learner, Training, train, write_sequential
from models.lab.training.print_drawing import Prints, sources
from models.lab.training.prints import BANK_ROOM, Pairs, PrintBank, gathered, picked, varied
from models.teaching.examples import Hardness
from vision.classify.embedding import FILE, LAND_NUMBERS, PRINT_NUMBERS

CLASSES = 40
"""Classes from one box in a batch; a class is a print in one turn."""
LANDS = 0.25
"""Share of the boxes in a batch that are lands."""
SHARPNESS = 12.0
"""Inverse temperature: factor on cosine similarities before the cross-entropy."""
HARD = Hardness(
    shift=0.05,
    size=0.045,
    turn_deg=3.0,
    lean=0.04,
    gain=0.3,
    channel=0.14,
    shade=0.25,
    colour=0.45,
    curve=0.25,
    veil=0.2,
    blur_px=2.6,
    noise=12.0,
    coarsest_px=18.0,
    dark=0.25,
)
HELD_OUT_ROOM, HELD_OUT_BOXES = 6000, 48

Embedded = tuple[Tensor, Tensor]


class Embedder(nn.Sequential):  # type: ignore[misc]
    """Convolutional network from a patch (blue, green, red; around 0) to features."""

    def __init__(self) -> None:
        super().__init__(
            Block(3, 32, 2),
            Block(32, 64, 2),
            Block(64, 64),
            Block(64, 128, 2),
            Block(128, 128),
            Block(128, 128, 2),
            nn.Conv2d(128, PRINT_NUMBERS + LAND_NUMBERS, 4),
        )


def loss_of(one: Tensor, other: Tensor, same: Tensor) -> Tensor:
    """Return the contrastive loss of pairs of looks, boxes x prints x features each.

    Args:
        one: the first looks.
        other: the second looks.
        same: boxes x prints x prints, true where two different picks mean the same.
    """
    likeness = SHARPNESS * one @ other.transpose(1, 2)
    likeness = likeness.masked_fill(same, -1e4)
    wanted = torch.arange(one.shape[1], device=one.device).expand(len(one), -1)
    both = likeness.flatten(0, 1), likeness.transpose(1, 2).flatten(0, 1)
    return sum(nn.functional.cross_entropy(part, wanted.flatten()) for part in both) / 2


def embedded(net: nn.Module, looks: Tensor, shape: tuple[int, int], lands: int) -> Embedded:
    """Return unit-length features: those of boxes of prints, and those of boxes of lands."""
    with torch.autocast(looks.device.type, torch.bfloat16, enabled=looks.is_cuda):
        out = net(looks.contiguous(memory_format=torch.channels_last))
    out = out.float().flatten(1).unflatten(0, shape)
    prints, land = (
        out[: shape[0] - lands, :, :PRINT_NUMBERS],
        out[shape[0] - lands :, :, PRINT_NUMBERS:],
    )
    return nn.functional.normalize(prints, dim=2), nn.functional.normalize(land, dim=2)


def drawn_pairs(bank: PrintBank, boxes: int, rng: np.random.Generator) -> tuple[Pairs, int]:
    """Return pairs from this many boxes, lands last, and the number of lands."""
    lands = max(1, round(boxes * LANDS))
    prints = picked(bank, False, boxes - lands, CLASSES, rng)
    return prints.joined(picked(bank, True, lands, CLASSES, rng)), lands


def both_looks(
    net: nn.Module, bank: PrintBank, pairs: Pairs, lands: int
) -> tuple[Embedded, Embedded]:
    """Return the features of the first and of the second looks."""
    device = bank.patches.device
    folds = torch.from_numpy(pairs.folds.ravel()).to(device)
    sides = []
    for places, steps in ((pairs.one, pairs.steps_one), (pairs.other, pairs.steps_other)):
        turned = torch.from_numpy(steps.ravel()).to(device)
        sides.append(varied(gathered(bank, places), turned, folds, HARD))
    shape = 2 * len(pairs.one), CLASSES
    prints, land = embedded(net, _both(sides, len(pairs.one), lands), shape, 2 * lands)
    return (prints[: len(prints) // 2], land[: len(land) // 2]), (
        prints[len(prints) // 2 :],
        land[len(land) // 2 :],
    )


def _both(sides: list[Tensor], boxes: int, lands: int) -> Tensor:
    """Return both looks in one batch, prints first, so that they share one batch normalisation."""
    cut = (boxes - lands) * CLASSES
    return torch.cat([sides[0][:cut], sides[1][:cut], sides[0][cut:], sides[1][cut:]])


def same_of(pairs: Pairs, lands: int, device: torch.device) -> Embedded:
    """Return which different picks of a box mean the same, for prints and for lands."""
    numbers = torch.from_numpy(pairs.same).to(device)
    same = numbers[:, :, None] == numbers[:, None]
    same = same & ~torch.eye(CLASSES, dtype=torch.bool, device=device)
    return same[: len(same) - lands], same[len(same) - lands :]


class EmbeddingTraining(Training):
    """The network that tells prints apart, and its boxes."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.learner = Learner(Embedder, self.device, options.rate)
        self.bank = PrintBank(options.room, self.device)
        self.held = PrintBank(HELD_OUT_ROOM, self.device)
        self.rng = np.random.default_rng(options.seed)
        self.loss: float | Tensor = 0.0

    def take(self, split: str, sample: Prints) -> None:
        """Add a box, to learn from or to measure with."""
        (self.bank if split == "train" else self.held).add(sample)

    def is_ready(self) -> bool:
        """Say whether there are enough boxes."""
        return self.bank.ready()

    def step(self, rate: float) -> None:
        """Learn from one batch of pairs."""
        pairs, lands = drawn_pairs(self.bank, self.options.batch, self.rng)
        one, other = both_looks(self.learner.net.train(), self.bank, pairs, lands)
        same = same_of(pairs, lands, self.device)
        loss = loss_of(one[0], other[0], same[0]) + LANDS * loss_of(one[1], other[1], same[1])
        self.learner.learn(loss, rate)
        self.loss = loss.detach()

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def measured(self) -> dict[str, float]:
        """Return the share of held-out looks whose nearest neighbour shows the same."""
        if not self.held.ready():
            return {}
        rng = np.random.default_rng(0)
        pairs, lands = drawn_pairs(self.held, HELD_OUT_BOXES, rng)
        one, other = both_looks(self.learner.mean.eval(), self.held, pairs, lands)
        numbers = torch.from_numpy(pairs.same).to(self.device)
        found: dict[str, float] = {}
        parts = (("prints", slice(0, -lands), 0), ("lands", slice(-lands, None), 1))
        for name, boxes, part in parts:
            near = (one[part] @ other[part].transpose(1, 2)).argmax(dim=2)
            right = numbers[boxes].gather(1, near) == numbers[boxes]
            found[f"held_out_{name}"] = round(float(right.float().mean()), 4)
        return found

    def report(self) -> dict[str, Any]:
        """Print and return the loss in training and the figures on held-out boxes."""
        steps = self.learner.steps
        last = {
            "steps": steps,
            "seed": self.options.seed,
            "prints": self.bank.filled,
            "pairs": steps * self.options.batch * CLASSES,
            **self.measured(),
        }
        say(f"loss {float(self.loss):.3f} {last}")
        return last

    def save(self, last: Mapping[str, Any]) -> None:
        """Write the network as it is shipped, and the figures."""
        write_sequential(self.learner.mean, self.options.out / FILE)
        write_manifest(self.options.out / "training.json", last)


def main() -> None:
    """Read the options and train."""
    parser = timed_parser("embedding", __doc__, "build/embedding", BANK_ROOM)
    parser.add_argument("--batch", type=int, default=16, help="boxes a step")
    options = parser.parse_args()
    train(EmbeddingTraining, sources(options.workers, options.seed), options)


if __name__ == "__main__":
    main()

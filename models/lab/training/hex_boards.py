"""Trains the networks for hex boards: ``python -m models.lab.training.hex_boards --out DIR``.

Tables are drawn by other processes while it learns; only the train side of every split is learnt
from. What comes out are three ONNX files and their manifest (what the repository ships),
``hex.pt`` (to go on from) and the figures on held-out tables.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - the name that everyone knows it by
from torch import Tensor, nn

from engine.setfile import built_in_set
from models.lab.evaluate.harness import say
from models.lab.scenes.settings import HEX_GAMES
from models.lab.training.harness import sha256_of, timed_parser, write_manifest
from models.lab.training.hex_samples import UNKNOWN, sources
from models.lab.training.learning import (
    Bank,
    Block,
    DownAndUp,
    Learner,
    Shares,
    Training,
    train,
    write_sequential,
)
from vision.core.files import set_hash
from vision.hexes.cells import CLAYS, OUTPUTS
from vision.hexes.models import CONTENTS, FORMAT, MANIFEST, VERSION
from vision.hexes.plane import FIXED

MARKS = 2
PLACED = 2 * len(FIXED) + 1
PLACER_END = 8
"""Rows and columns before the placer's last convolution but one."""
NAMES = {"finder": "hex_finder", "placer": "hex_placer", "reader": "hex_cells"}
TARGETS = {"finder": "marks", "placer": "moved", "reader": "labels"}
BATCHES = {"finder": 24, "placer": 192, "reader": 64}
ROOM = {"finder": 12_000, "placer": 80_000, "reader": 36_000}
HELD_OUT_ROOM = 2400
LEAST_SAMPLES = 48
CUT_SHARE = 0.25
"""Share of boards that are cut off by a line when the placer learns from them."""
COVERED_SHARE, MOST_COVERS = 0.35, 2
"""Share of boards with something on them, and most things on one: cups, hands and sleeves."""
HIDDEN_WEIGHT = 0.15
"""Weight of hidden cells: they can be guessed from around them, but must not be memorised."""


# --- The networks ---


def finder_net() -> DownAndUp:
    """Return a network for logits at a quarter of a picture: insides of boards, tiles beside."""
    return DownAndUp((12, 24, 40, 56, 72), (1, 1, 2), MARKS)


class Placer(nn.Sequential):  # type: ignore[misc]
    """Network from a rectified board to its fixed points' offsets and whether it is a board."""

    def __init__(self) -> None:
        super().__init__(
            Block(3, 16, 2),
            Block(16, 32, 2),
            Block(32, 32),
            Block(32, 64, 2),
            Block(64, 64),
            Block(64, 64, 2),
            Block(64, 64),
            Block(64, 32),
            Block(32, 256, 1, PLACER_END, 0),
            nn.Conv2d(256, PLACED, 1),
        )


class Reader(nn.Sequential):  # type: ignore[misc]
    """Network from a rectified board to logits for each of its cells."""

    def __init__(self) -> None:
        super().__init__(
            Block(3, 24, 2),
            Block(24, 32, 2),
            Block(32, 40),
            Block(40, 64, 2),
            Block(64, 64),
            Block(64, 64),
            Block(64, 128, 3, 3, 0),
            Block(128, 128),
            Block(128, 128),
            nn.Conv2d(128, sum(OUTPUTS), 1),
        )


def sample_of(bank: Bank, picks: Tensor) -> tuple[Tensor, Tensor]:
    """Return pictures as numbers around zero, channels first, and their targets."""
    pictures = bank["pictures"][picks].permute(0, 3, 1, 2).float() / 255 - 0.5
    return pictures, bank["targets"][picks]


def disturbed(pictures: Tensor) -> Tensor:
    """Return pictures augmented with other lights and worse cameras."""
    count, device = len(pictures), pictures.device

    def drawn(spread: float, channels: int = 1) -> Tensor:
        return torch.randn(count, channels, 1, 1, device=device) * spread

    x = (pictures + 0.5).clamp(1e-3, 1)
    x = x ** torch.exp(drawn(0.15))
    x = x * torch.exp(drawn(0.06, 3) + drawn(0.1))
    if torch.rand(()) < 0.3:
        soft = F.avg_pool2d(F.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
        share = torch.rand(count, 1, 1, 1, device=device)
        x = x * share + soft * (1 - share)
    noise = torch.randn_like(x) * torch.rand(count, 1, 1, 1, device=device) * 0.05
    return (x + noise).clamp(0, 1) - 0.5


def cut(pictures: Tensor) -> Tensor:
    """Return pictures, some of them grey beyond a line, like boards at a picture's edge."""
    count, size, device = len(pictures), pictures.shape[-1], pictures.device
    along = torch.linspace(-1, 1, size, device=device)
    turn = torch.rand(count, 1, 1, device=device) * 2 * math.pi
    away = along[None, None, :] * torch.cos(turn) + along[None, :, None] * torch.sin(turn)
    least = torch.rand(count, 1, 1, device=device) * 0.9
    some = torch.rand(count, 1, 1, device=device) < CUT_SHARE
    return torch.where(((away > least) & some)[:, None], torch.zeros_like(pictures), pictures)


def covered(pictures: Tensor) -> Tensor:
    """Return pictures, some of them with round or long things of one colour on them."""
    count, size, device = len(pictures), pictures.shape[-1], pictures.device
    along = torch.linspace(-1, 1, size, device=device)

    def drawn(low: float, high: float, channels: int = 1) -> Tensor:
        return torch.rand(count, channels, 1, 1, device=device) * (high - low) + low

    out = pictures
    for number in range(MOST_COVERS):
        turn = drawn(0, 2 * math.pi)
        x, y = along[None, None, None, :] - drawn(-1, 1), along[None, None, :, None] - drawn(-1, 1)
        across = x * torch.cos(turn) + y * torch.sin(turn)
        down = y * torch.cos(turn) - x * torch.sin(turn)
        far = (across / drawn(0.12, 0.45)) ** 2 + (down / drawn(0.12, 1.2)) ** 2
        some = drawn(0, 1) < COVERED_SHARE / (1 + number)
        shade = 1 - 0.4 * far.clamp(max=1) * drawn(0, 1)
        thing = (drawn(0, 1, 3) * shade).clamp(0, 1) - 0.5
        out = torch.where((far < 1) & some, thing, out)
    return out


def finder_loss(out: Tensor, marks: Tensor) -> Tensor:
    """Return the loss of the marks."""
    known = (marks != UNKNOWN).float()
    wanted = (marks == 1).float()
    wrong = F.binary_cross_entropy_with_logits(out, wanted, reduction="none")
    focus = 0.3 + (torch.sigmoid(out.detach()) - wanted).abs()
    weight = known * focus * torch.tensor([1.0, 1.5], device=out.device)[None, :, None, None]
    return (wrong * weight).sum() / known.sum().clamp(min=1)


def placer_loss(out: Tensor, moved: Tensor) -> Tensor:
    """Return the loss of placed points, where there is a board, and of whether there is one."""
    out = out.flatten(1)
    there = moved[:, -1]
    gap = F.smooth_l1_loss(out[:, :-1], moved[:, :-1], reduction="none", beta=0.05).mean(1)
    sure = F.binary_cross_entropy_with_logits(out[:, -1], there)
    return (gap * there).sum() / there.sum().clamp(min=1) + 0.1 * sure


def reader_loss(out: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of the readings of cells."""
    content, hidden, clay, opens, joined = out.split(list(OUTPUTS), dim=1)
    aims = labels.permute(0, 3, 1, 2).long()
    weight = torch.where(aims[:, 1] == 1, HIDDEN_WEIGHT, 1.0)
    total = _classes(content, aims[:, 0], weight)
    total = total + 0.3 * _shares(hidden[:, 0], aims[:, 1], torch.ones_like(weight))
    total = total + 0.5 * _classes(clay, aims[:, 2], weight)
    total = total + 0.5 * _classes(opens, aims[:, 3], weight)
    return total + _shares(joined, aims[:, 4:], weight[:, None].expand_as(joined))


def _classes(out: Tensor, aims: Tensor, weight: Tensor) -> Tensor:
    wrong = F.cross_entropy(out, aims.clamp(min=0), reduction="none")
    known = weight * (aims >= 0)
    return (wrong * known).sum() / known.sum().clamp(min=1)


def _shares(out: Tensor, aims: Tensor, weight: Tensor) -> Tensor:
    wrong = F.binary_cross_entropy_with_logits(out, aims.clamp(min=0).float(), reduction="none")
    known = weight * (aims >= 0)
    return (wrong * known).sum() / known.sum().clamp(min=1)


LOSSES = {"finder": finder_loss, "placer": placer_loss, "reader": reader_loss}


@torch.no_grad()  # type: ignore[untyped-decorator]
def figures(nets: Mapping[str, nn.Module], banks: Mapping[str, Bank]) -> dict[str, float]:
    """Return the networks' figures on held-out tables."""
    sums = Shares()
    for name, net in nets.items():
        net.eval()
        bank = banks[name]
        for first in range(0, bank.filled, BATCHES[name]):
            picks = torch.arange(first, min(first + BATCHES[name], bank.filled), device=bank.device)
            pictures, targets = sample_of(bank, picks)
            for key, counts in _counted(name, net(pictures).float(), targets).items():
                sums.add(key, *counts)
    return sums.found()


def _counted(name: str, out: Tensor, targets: Tensor) -> dict[str, tuple[Any, Any]]:
    """Return the counts of one network's answers, each with its total."""
    if name == "finder":
        said, true, known = out > 0, targets == 1, targets != UNKNOWN
        both, either = said & true & known, (said | true) & known
        return {f"iou_{i}": (both[:, i].sum(), either[:, i].sum()) for i in (0, 1)}
    if name == "placer":
        out = out.flatten(1)
        there = targets[:, -1] > 0.5
        gap = (out[:, :-1] - targets[:, :-1]).view(len(out), -1, 2).norm(dim=2).mean(1)
        start_gap = targets[:, :-1].view(len(out), -1, 2).norm(dim=2).mean(1)
        small = there & (start_gap < 0.6)
        right = (out[:, -1] > 0) == there
        return {
            "placed": (gap[there].sum(), there.sum()),
            "placed_near": (gap[small].sum(), small.sum()),
            "is_board": (right.sum(), len(out)),
        }
    content, hidden, clay, opens, joined = out.split(list(OUTPUTS), dim=1)
    aims = targets.permute(0, 3, 1, 2).long()
    seen = aims[:, 1] == 0
    cells = seen & (aims[:, 0] >= 0)
    wrong = (content.argmax(1) != aims[:, 0]) & cells
    sides = seen[:, None] & (aims[:, 4:] >= 0)
    mouths = seen & (aims[:, 3] >= 0)
    hides = aims[:, 1] >= 0
    return {
        "cells": (wrong.sum(), cells.sum()),
        "boards": (wrong.flatten(1).any(1).sum(), len(out)),
        "hidden": ((((hidden[:, 0] > 0) != (aims[:, 1] == 1)) & hides).sum(), hides.sum()),
        "clay": (((clay.argmax(1) != aims[:, 2]) & cells).sum(), cells.sum()),
        "opens": (((opens.argmax(1) != aims[:, 3]) & mouths).sum(), mouths.sum()),
        "sides": ((((joined > 0) != (aims[:, 4:] == 1)) & sides).sum(), sides.sum()),
    }


class HexTraining(Training):
    """The three networks, their averaged copies and their samples."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        kinds: dict[str, Any] = {"finder": finder_net, "placer": Placer, "reader": Reader}
        names = [name for name in kinds if name in options.networks.split(",")]
        self.learners = {name: Learner(kinds[name], self.device, options.rate) for name in names}
        self.banks, self.held = (
            {name: Bank(max(64, round(room[name] * options.room)), self.device) for name in names}
            for room in (ROOM, dict.fromkeys(names, HELD_OUT_ROOM))
        )
        self.tables, self.losses = 0, dict[str, float | Tensor]()
        if options.resume:
            saved = torch.load(options.resume, map_location=self.device, weights_only=True)
            for name in set(names) & set(saved):
                self.learners[name].net.load_state_dict(saved[name])
                self.learners[name].mean.load_state_dict(saved[name])

    @property
    def means(self) -> dict[str, nn.Module]:
        """The averaged networks."""
        return {name: learner.mean for name, learner in self.learners.items()}

    def take(self, split: str, sample: Mapping[str, Any]) -> None:
        """Add the samples of one table for each network."""
        self.tables += split == "train"
        for name, bank in (self.banks if split == "train" else self.held).items():
            if name in sample:
                bank.add({"pictures": sample[name], "targets": sample[TARGETS[name]]})

    def is_ready(self) -> bool:
        """Say whether every network has enough to learn from."""
        return all(bank.filled >= LEAST_SAMPLES for bank in self.banks.values())

    def step(self, rate: float) -> None:
        """Let each network learn from one batch."""
        for name, learner in self.learners.items():
            batch = max(2, round(BATCHES[name] * self.options.batch))
            picks = torch.randint(self.banks[name].filled, (batch,), device=self.device)
            pictures, targets = sample_of(self.banks[name], picks)
            pictures = disturbed(pictures).contiguous(memory_format=torch.channels_last)
            if name == "placer":
                pictures = cut(covered(pictures))
            cuda = self.device.type == "cuda"
            with torch.autocast(self.device.type, torch.bfloat16, enabled=cuda):
                out = learner.net.train()(pictures)
            loss = LOSSES[name](out.float(), targets)
            learner.learn(loss, rate, 3.0)
            self.losses[name] = loss.detach()

    def report(self) -> dict[str, Any]:
        """Print and return the losses in training and the figures on held-out tables."""
        found: dict[str, float] = figures(self.means, self.held)
        steps = {name: learner.steps for name, learner in self.learners.items()}
        learnt = " ".join(f"{name}={float(loss):.4f}" for name, loss in self.losses.items())
        say(
            f"steps {max(steps.values())} tables {self.tables} | {learnt}",
            "      held out: " + " ".join(f"{k}={v:.5f}" for k, v in found.items()),
        )
        return {"steps": steps, "tables": self.tables, "held_out": found}

    def save(self, last: Mapping[str, Any]) -> None:
        """Write the checkpoint, the networks and their manifest."""
        folder = self.options.out
        torch.save({n: m.state_dict() for n, m in self.means.items()}, folder / "hex.pt")
        for name, net in self.means.items():
            path = folder / f"{NAMES[name]}.onnx"
            if isinstance(net, DownAndUp):
                net.write(path, "hex")
            else:
                write_sequential(net, path)
        files = {name: folder / f"{name}.onnx" for name in NAMES.values()}
        write_manifest(
            folder / MANIFEST,
            {
                "format": FORMAT,
                "version": VERSION,
                "colour": "bgr",
                "contents": list(CONTENTS),
                "clay": list(CLAYS),
                "input": "bytes / 255 - 0.5, channels first",
                "sets": {name: set_hash(built_in_set(name)) for name in HEX_GAMES},
                "sha256": {name: sha256_of(path) for name, path in files.items() if path.exists()},
                "figures": last,
            },
        )


def main() -> None:
    """Read the options and train."""
    parser = timed_parser("hex_boards", __doc__, "build/hex", 0.1)
    parser.add_argument("--resume", help="a hex.pt to go on from")
    parser.add_argument("--batch", type=float, default=1.0, help="times the usual batches")
    parser.add_argument("--held-out", type=int, default=120, help="tables to measure with")
    parser.add_argument("--networks", default="finder,placer,reader", help="which to train")
    options = parser.parse_args()
    train(HexTraining, sources(options.workers, options.seed, options.held_out), options)


if __name__ == "__main__":
    main()

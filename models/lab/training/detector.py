"""Trains the network that finds tiles, on an accelerator or a plain processor.

``python -m models.lab.training.detector --minutes 60 --out DIR``. Tables are drawn by other
processes while it learns, so that no two runs of the same length see the same few tables over and
over; only the train side of every split is learnt from. What comes out is ``detector.onnx`` (what
the repository ships), ``detector.pt`` (to go on from) and ``training.json`` (settings and the last
figures).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - the name that everyone knows it by
from torch import Tensor

from models.lab.evaluate.harness import say
from models.lab.training.harness import timed_parser, write_manifest
from models.lab.training.learning import Bank, DownAndUp, Learner, Shares, Training, train
from models.lab.training.samples import Sample, sources
from models.lab.training.views import View, look
from vision.detect.network import CHANNELS

SHARES = 6
"""Number of maps that are shares between 0 and 1; they come first, and the rest are numbers."""
SHARE_WEIGHTS = (1.0, 1.0, 0.7, 0.8, 0.6, 1.5)
OFFSET, SIZE, STRETCH, TURN = slice(6, 8), slice(8, 9), slice(9, 11), slice(11, 13)
LEAST_TABLES = 24


def tile_net() -> DownAndUp:
    """Return the detector's network, from a picture (blue, green, red; 0 to 1) to its maps."""
    return DownAndUp((16, 32, 64, 96, 128), (2, 2, 2), len(CHANNELS), head=40, grey=0.5)


def loss_of(out: Tensor, view: View) -> tuple[Tensor, dict[str, float | Tensor]]:
    """Return the loss of a batch, and its parts."""
    out = out.float()
    judged = view.judged.sum().clamp(min=1)
    parts: dict[str, float | Tensor] = {}
    total = out.new_zeros(())
    for channel, weight in enumerate(SHARE_WEIGHTS):
        wrong = F.binary_cross_entropy_with_logits(
            out[:, channel], view.maps[:, channel], reduction="none"
        )
        # Focal weighting: a pixel that is surely right has little left to teach.
        sure = (torch.sigmoid(out[:, channel].detach()) - view.maps[:, channel]).abs()
        part = (wrong * (0.25 + sure) * view.judged[:, 0]).sum() / judged
        parts[CHANNELS[channel]] = part.detach()
        total = total + weight * part * 2
    tiles = view.tiles.sum().clamp(min=1)
    for name, channels, weight in (
        ("offset", OFFSET, 1.5),
        ("size", SIZE, 1.5),
        ("stretch", STRETCH, 1.5),
        ("turn", TURN, 0.35),
    ):
        gap = F.smooth_l1_loss(
            out[:, channels], view.maps[:, channels], reduction="none", beta=0.05
        )
        part = (gap.sum(1, keepdim=True) * view.tiles).sum() / tiles
        parts[name] = part.detach()
        total = total + weight * part
    return total, parts


@torch.no_grad()  # type: ignore[untyped-decorator]
def figures(net: DownAndUp, bank: Bank, size_px: int, batches: int) -> dict[str, float]:
    """Return the network's figures on held-out tables."""
    net.eval()
    rng = torch.Generator(bank.device).manual_seed(7)
    sums = Shares()
    for number in range(batches):
        count = min(16, bank.filled)
        picks = torch.arange(count, device=bank.device) + number * count
        view = look(bank, picks % bank.filled, size_px, rng, plain=True)
        out = net(view.pictures).float()
        loss, _ = loss_of(out, view)
        sums.add("loss", loss, 1)
        for channel, name in enumerate(CHANNELS[:5]):
            said, true = out[:, channel] > 0, view.maps[:, channel] > 0.5
            known = view.judged[:, 0] > 0
            either = (said | true) & known
            sums.add(f"iou_{name}", (said & true & known).sum(), either.sum())
        weight = view.tiles[:, 0]
        for name, channels in (("offset", OFFSET), ("size", SIZE), ("stretch", STRETCH)):
            gap = (out[:, channels] - view.maps[:, channels]).abs().sum(1)
            sums.add(name, (gap * weight).sum(), weight.sum())
        turn = out[:, TURN] / out[:, TURN].norm(dim=1, keepdim=True).clamp(min=1e-4)
        close = (turn * view.maps[:, TURN]).sum(1)
        sums.add("turn_cos", (close * weight).sum(), weight.sum())
    return sums.found()


class DetectorTraining(Training):
    """The network that finds tiles, and its tables."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.learner = Learner(tile_net, self.device, options.rate)
        self.bank, self.held = (
            Bank(room, self.device) for room in (options.room, options.held_out)
        )
        self.views = 0
        self.parts: dict[str, float | Tensor] = {}
        self.shipped: Path | None = None
        if options.resume and Path(options.resume).suffix == ".onnx":
            self.shipped = Path(options.resume)
        elif options.resume:
            self._load(Path(options.resume))
        self.rng = torch.Generator(self.device).manual_seed(options.seed + self.learner.steps)

    def _load(self, path: Path) -> None:
        saved = torch.load(path, map_location=self.device, weights_only=True)
        self.learner.net.load_state_dict(saved["net"])
        self.learner.mean.load_state_dict(saved["mean"])
        self.learner.adam.load_state_dict(saved["adam"])
        self.learner.steps, self.views = saved["steps"], saved["views"]

    def _take_up(self, shipped: Path) -> None:
        """Go on from a network without its training; the first tables normalise it again."""
        picks = torch.arange(LEAST_TABLES, device=self.device)
        view = look(self.bank, picks, self.options.size, self.rng, plain=False)
        self.learner.net.take_up(shipped, view.pictures)
        self.learner.mean.load_state_dict(self.learner.net.state_dict())
        self.shipped = None

    def take(self, split: str, sample: Sample) -> None:
        """Add a table, to learn from or to measure with."""
        (self.bank if split == "train" else self.held).add(sample.padded())

    def is_ready(self) -> bool:
        """Say whether there are enough tables."""
        return self.bank.filled >= LEAST_TABLES

    def step(self, rate: float) -> None:
        """Learn from one batch of views."""
        if self.shipped is not None:
            self._take_up(self.shipped)
        picks = torch.randint(
            self.bank.filled, (self.options.batch,), generator=self.rng, device=self.device
        )
        view = look(self.bank, picks, self.options.size, self.rng, plain=False)
        pictures = view.pictures.to(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            out = self.learner.net(pictures)
        loss, parts = loss_of(out, view)
        self.learner.learn(loss, rate)
        self.views += len(picks)
        self.parts = {"loss": loss.detach(), **parts}

    def report(self) -> dict[str, Any]:
        """Print and return the losses in training and the figures on held-out tables."""
        held = self.held
        last = figures(self.learner.mean, held, self.options.size, 8) if held.filled else {}
        learnt = " ".join(f"{k}={float(v):.3f}" for k, v in self.parts.items())
        found = " ".join(f"{k}={v:.3f}" for k, v in last.items())
        say(
            f"step {self.learner.steps} tables {self.bank.count} | {learnt}",
            f"      held out ({held.filled}): {found}",
        )
        return {
            "steps": self.learner.steps,
            "views": self.views,
            "tables": self.bank.count,
            "seed": self.options.seed,
            "held_out": last,
        }

    def save(self, last: Mapping[str, Any]) -> None:
        """Write the checkpoint, the network and the figures."""
        one, folder = self.learner, self.options.out
        torch.save(
            {
                "net": one.net.state_dict(),
                "mean": one.mean.state_dict(),
                "adam": one.adam.state_dict(),
                "steps": one.steps,
                "views": self.views,
            },
            folder / "detector.pt",
        )
        one.mean.write(folder / "detector.onnx", "tiles")
        write_manifest(folder / "training.json", last)


def main() -> None:
    """Read the options and train."""
    parser = timed_parser("detector", __doc__, "build/detector", 400)
    parser.add_argument("--resume", help="a detector.pt or detector.onnx to go on from")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--size", type=int, default=384, help="width of a view in pixels")
    parser.add_argument("--held-out", type=int, default=32, help="tables to measure with")
    options = parser.parse_args()
    train(DetectorTraining, sources(options.workers, options.seed, options.held_out), options)


if __name__ == "__main__":
    main()

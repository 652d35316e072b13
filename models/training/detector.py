"""Trains the network that finds tiles, on an accelerator or a plain processor.

``python -m models.training.detector --minutes 60 --out DIR``. Tables are drawn by other processes
while it learns, so that no two runs of the same length see the same few tables over and over;
only the train side of every split is learnt from. What comes out is ``detector.onnx`` (what the
repository ships), ``detector.pt`` (to go on from) and ``training.json`` (settings and the last
figures).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - the name that everyone knows it by
from torch import Tensor

from models.evaluate.harness import say
from models.training.harness import Drawers, timed_parser, write_manifest
from models.training.learning import Learner, Now, device_of, rate_at, shares_of
from models.training.network import CHANNELS, TileNet, write_onnx
from models.training.samples import sources
from models.training.views import Bank, View, look

SHARES = 6
"""The first so many maps are shares between 0 and 1; the rest are numbers."""
SHARE_WEIGHTS = (1.0, 1.0, 0.7, 0.8, 0.6, 1.5)
OFFSET, SIZE, STRETCH, TURN = slice(6, 8), slice(8, 9), slice(9, 11), slice(11, 13)
SAY_EVERY_S, SAVE_EVERY_S = 30.0, 60.0
LEAST_TABLES = 24
EXPORT_S = 20.0
"""Kept free at the end for the last figures and the files."""


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
        # What is hard counts more: a sure and right pixel has nothing left to teach.
        sure = (torch.sigmoid(out[:, channel].detach()) - view.maps[:, channel]).abs()
        part = (wrong * (0.25 + sure) * view.judged[:, 0]).sum() / judged
        parts[CHANNELS[channel]] = part.detach()
        total = total + weight * part * 2
    tiles = view.tiles.sum().clamp(min=1)
    for name, channels, weight in (("offset", OFFSET, 1.5), ("size", SIZE, 1.5),
                                   ("stretch", STRETCH, 1.5), ("turn", TURN, 0.35)):  # fmt: skip
        gap = F.smooth_l1_loss(out[:, channels], view.maps[:, channels], reduction="none",
                               beta=0.05)  # fmt: skip
        part = (gap.sum(1, keepdim=True) * view.tiles).sum() / tiles
        parts[name] = part.detach()
        total = total + weight * part
    return total, parts


@torch.no_grad()  # type: ignore[untyped-decorator]
def figures(net: TileNet, bank: Bank, size_px: int, batches: int) -> dict[str, float]:
    """Return what the network gets right on held-out tables."""
    net.eval()
    rng = torch.Generator(bank.device).manual_seed(7)
    sums: dict[str, float] = {}
    for number in range(batches):
        count = min(16, bank.filled)
        picks = torch.arange(count, device=bank.device) + number * count
        view = look(bank, picks % bank.filled, size_px, rng, plain=True)
        out = net(view.pictures).float()
        loss, _ = loss_of(out, view)
        _add(sums, "loss", float(loss), 1)
        for channel, name in enumerate(CHANNELS[:5]):
            said, true = out[:, channel] > 0, view.maps[:, channel] > 0.5
            known = view.judged[:, 0] > 0
            both = float((said & true & known).sum())
            _add(sums, f"iou_{name}", both, float(((said | true) & known).sum()))
        weight = view.tiles[:, 0]
        for name, channels in (("offset", OFFSET), ("size", SIZE), ("stretch", STRETCH)):
            gap = (out[:, channels] - view.maps[:, channels]).abs().sum(1)
            _add(sums, name, float((gap * weight).sum()), float(weight.sum()))
        turn = out[:, TURN] / out[:, TURN].norm(dim=1, keepdim=True).clamp(min=1e-4)
        close = (turn * view.maps[:, TURN]).sum(1)
        _add(sums, "turn_cos", float((close * weight).sum()), float(weight.sum()))
    return {k: v / max(sums[f"{k}|n"], 1e-6) for k, v in sums.items() if not k.endswith("|n")}


def _add(sums: dict[str, float], name: str, value: float, count: float) -> None:
    sums[name] = sums.get(name, 0.0) + value
    sums[f"{name}|n"] = sums.get(f"{name}|n", 0.0) + count


class Training:
    """One run: the network, its averaged copy, and where the run stands."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.device = device_of(options.device)
        torch.manual_seed(options.seed)
        self.learner = Learner(TileNet, self.device, options.rate)
        self.views = 0
        if options.resume:
            self._load(Path(options.resume))
        self.rng = torch.Generator(self.device).manual_seed(options.seed + self.learner.steps)

    def _load(self, path: Path) -> None:
        saved = torch.load(path, map_location=self.device, weights_only=True)
        self.learner.net.load_state_dict(saved["net"])
        self.learner.mean.load_state_dict(saved["mean"])
        if "adam" in saved:
            self.learner.adam.load_state_dict(saved["adam"])
        self.learner.steps, self.views = saved["steps"], saved["views"]

    def save(self, folder: Path, last: dict[str, Any]) -> None:
        """Write what is needed to go on and what is needed to find tiles."""
        one = self.learner
        torch.save({
            "net": one.net.state_dict(), "mean": one.mean.state_dict(),
            "adam": one.adam.state_dict(), "steps": one.steps, "views": self.views,
        }, folder / "detector.pt")  # fmt: skip
        write_onnx(one.mean, folder / "detector.onnx")
        write_manifest(folder / "training.json", last)

    def step(self, bank: Bank, rate: float) -> dict[str, float | Tensor]:
        """Learn from one batch."""
        picks = torch.randint(bank.filled, (self.options.batch,), generator=self.rng,
                              device=self.device)  # fmt: skip
        view = look(bank, picks, self.options.size, self.rng, plain=False)
        pictures = view.pictures.to(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            out = self.learner.net(pictures)
        loss, parts = loss_of(out, view)
        self.learner.learn(loss, rate)
        self.views += len(picks)
        return {"loss": loss.detach(), **parts}


def train(options: argparse.Namespace) -> None:
    """Draw and learn until the time is over, then write the files."""
    folder = options.out
    folder.mkdir(parents=True, exist_ok=True)
    with Drawers(sources(options.workers, options.seed, options.held_out)) as drawers:
        run = Training(options)
        bank, held = Bank(options.room, run.device), Bank(options.held_out, run.device)
        say_now, save_now = Now(SAY_EVERY_S), Now(SAVE_EVERY_S)
        parts: dict[str, float | Tensor] = {}
        for share in shares_of(options.minutes, EXPORT_S):
            wait_s = 5.0 if bank.filled < LEAST_TABLES else 0.0
            for split, sample in drawers.drawn(16, wait_s):
                if split == "train":
                    bank.add(sample)
                elif held.drawn < options.held_out:
                    held.add(sample)
            if bank.filled < LEAST_TABLES:
                continue
            parts = run.step(bank, rate_at(share, options.rate))
            if say_now.is_due():
                _report(run, bank, held, parts)
            if save_now.is_due():
                run.save(folder, {"steps": run.learner.steps, "tables": bank.drawn})
    last = _report(run, bank, held, parts)
    run.save(folder, {"steps": run.learner.steps, "views": run.views, "tables": bank.drawn,
                      "seed": options.seed, "held_out": last})  # fmt: skip


def _report(
    run: Training, bank: Bank, held: Bank, parts: dict[str, float | Tensor]
) -> dict[str, float]:
    last = figures(run.learner.mean, held, run.options.size, 8) if held.filled else {}
    learnt = " ".join(f"{k}={float(v):.3f}" for k, v in parts.items())
    found = " ".join(f"{k}={v:.3f}" for k, v in last.items())
    say(f"step {run.learner.steps} tables {bank.drawn} | {learnt}",
        f"      held out ({held.filled}): {found}")  # fmt: skip
    return last


def main() -> None:
    """Read the options and train."""
    parser = timed_parser("detector", __doc__, "build/detector", 400)
    parser.add_argument("--resume", help="a detector.pt to go on from")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--size", type=int, default=384, help="width of a view in pixels")
    parser.add_argument("--held-out", type=int, default=32, help="tables to measure with")
    train(parser.parse_args())


if __name__ == "__main__":
    main()

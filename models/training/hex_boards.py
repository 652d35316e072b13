"""Trains the networks for hex boards: ``python -m models.training.hex_boards --out DIR``.

Tables are drawn by other processes while it learns; only the train side of every split is learnt
from. What comes out are three ONNX files and their manifest (what the repository ships),
``hex.pt`` (to go on from) and the figures on held-out tables.
"""

from __future__ import annotations

import argparse
import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - the name that everyone knows it by
from torch import Tensor, nn

from engine.setfile import built_in_set
from models.evaluate.harness import say
from models.scenes.settings import HEX_GAMES
from models.training.harness import Drawers, sha256_of, timed_parser, write_manifest
from models.training.hex_samples import UNKNOWN, sources
from models.training.learning import (
    Block,
    Learner,
    Now,
    OnnxWriter,
    device_of,
    rate_at,
    shares_of,
    twice,
    write_sequential,
)
from vision.hexes.cells import CLAYS, OUTPUTS
from vision.hexes.models import CONTENTS, FORMAT, MANIFEST, VERSION
from vision.hexes.plane import FIXED

MARKS = 2
PLACED = 2 * len(FIXED) + 1
PLACER_END = 8
"""Rows and columns that are left before the placer's last but one convolution."""
NAMES = {"finder": "hex_finder", "placer": "hex_placer", "reader": "hex_cells"}
TARGETS = {"finder": "marks", "placer": "moved", "reader": "labels"}
BATCHES = {"finder": 24, "placer": 192, "reader": 64}
ROOM = {"finder": 12_000, "placer": 80_000, "reader": 36_000}
SAY_EVERY_S, SAVE_EVERY_S, EXPORT_S = 30.0, 90.0, 15.0
LEAST_SAMPLES, TAKEN_A_STEP = 48, 16
CUT_SHARE = 0.25
"""How many boards are cut by a line when the placer learns from them."""
COVERED_SHARE, MOST_COVERS = 0.35, 2
"""How many have something on them, and how many things at most: cups, hands and sleeves."""
HIDDEN_WEIGHT = 0.15
"""What lies under a hand can be guessed from around it, but must not be learnt by heart."""


# --- The networks ---


class Finder(nn.Module):  # type: ignore[misc]
    """Picture to logits at a quarter of its size: inside of boards, cells of tiles beside them."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d, e = 12, 24, 40, 56, 72
        self.down4 = nn.Sequential(Block(3, a, 2), Block(a, b, 2), Block(b, b))
        self.down8 = nn.Sequential(Block(b, c, 2), Block(c, c))
        self.down16 = nn.Sequential(Block(c, d, 2), Block(d, d))
        self.down32 = nn.Sequential(Block(d, e, 2), Block(e, e), Block(e, e))
        self.up16, self.up8, self.up4 = nn.Conv2d(e, d, 1), nn.Conv2d(d, c, 1), nn.Conv2d(c, b, 1)
        self.join16, self.join8 = nn.Sequential(Block(d, d)), nn.Sequential(Block(c, c))
        self.join4 = nn.Sequential(Block(b, b))
        self.out = nn.Conv2d(b, MARKS, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of a batch."""
        quarter = self.down4(x)
        eighth = self.down8(quarter)
        sixteenth = self.down16(eighth)
        x = self.join16(sixteenth + twice(self.up16(self.down32(sixteenth))))
        x = self.join8(eighth + twice(self.up8(x)))
        out: Tensor = self.out(self.join4(quarter + twice(self.up4(x))))
        return out


class Placer(nn.Sequential):  # type: ignore[misc]
    """A board from above to how far its fixed points lie off, and whether it is one."""

    def __init__(self) -> None:
        super().__init__(
            Block(3, 16, 2), Block(16, 32, 2), Block(32, 32), Block(32, 64, 2), Block(64, 64),
            Block(64, 64, 2), Block(64, 64), Block(64, 32),
            Block(32, 256, 1, PLACER_END, 0), nn.Conv2d(256, PLACED, 1),
        )  # fmt: skip


class Reader(nn.Sequential):  # type: ignore[misc]
    """A laid out board to logits for each of its cells."""

    def __init__(self) -> None:
        super().__init__(
            Block(3, 24, 2), Block(24, 32, 2), Block(32, 40), Block(40, 64, 2), Block(64, 64),
            Block(64, 64), Block(64, 128, 3, 3, 0), Block(128, 128), Block(128, 128),
            nn.Conv2d(128, sum(OUTPUTS), 1),
        )  # fmt: skip


def write_onnx(net: nn.Module, path: Path) -> None:
    """Write one of the networks."""
    if not isinstance(net, Finder):
        write_sequential(net, path)
        return
    writer = OnnxWriter()
    x = writer.down_and_up("picture", "down4", net.eval())
    writer.save(writer.layer(x, "out", net.out), path, "hex")


class Bank:
    """The samples of one network, oldest overwritten first."""

    def __init__(self, room: int, device: torch.device) -> None:
        self.room, self.device = room, device
        self.pictures: Tensor | None = None
        self.targets: Tensor | None = None
        self.count = 0

    @property
    def filled(self) -> int:
        """How many samples there are to learn from."""
        return min(self.count, self.room)

    def add(self, pictures: Any, targets: Any) -> None:
        """Take in some samples."""
        new, aims = torch.from_numpy(pictures), torch.from_numpy(targets)
        if self.pictures is None or self.targets is None:
            self.pictures = torch.empty((self.room, *new.shape[1:]), dtype=new.dtype,
                                        device=self.device)  # fmt: skip
            self.targets = torch.empty((self.room, *aims.shape[1:]), dtype=aims.dtype,
                                       device=self.device)  # fmt: skip
        places = (torch.arange(len(new)) + self.count) % self.room
        self.pictures[places.to(self.device)] = new.to(self.device)
        self.targets[places.to(self.device)] = aims.to(self.device)
        self.count += len(new)

    def some(self, picks: Tensor) -> tuple[Tensor, Tensor]:
        """Return pictures as numbers about zero, channels first, and their targets."""
        assert self.pictures is not None
        assert self.targets is not None
        pictures = self.pictures[picks].permute(0, 3, 1, 2).float() / 255 - 0.5
        return pictures, self.targets[picks]


def disturbed(pictures: Tensor) -> Tensor:
    """Return pictures under other lights and from worse cameras."""
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
    """Return pictures of which some are grey beyond a line, as boards at a picture's edge are."""
    count, size, device = len(pictures), pictures.shape[-1], pictures.device
    along = torch.linspace(-1, 1, size, device=device)
    turn = torch.rand(count, 1, 1, device=device) * 2 * math.pi
    away = along[None, None, :] * torch.cos(turn) + along[None, :, None] * torch.sin(turn)
    least = torch.rand(count, 1, 1, device=device) * 0.9
    some = torch.rand(count, 1, 1, device=device) < CUT_SHARE
    return torch.where(((away > least) & some)[:, None], torch.zeros_like(pictures), pictures)


def covered(pictures: Tensor) -> Tensor:
    """Return pictures of which some have round or long things of one colour lying on them."""
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
    """Return how wrong the marks are."""
    known = (marks != UNKNOWN).float()
    wanted = (marks == 1).float()
    wrong = F.binary_cross_entropy_with_logits(out, wanted, reduction="none")
    focus = 0.3 + (torch.sigmoid(out.detach()) - wanted).abs()
    weight = known * focus * torch.tensor([1.0, 1.5], device=out.device)[None, :, None, None]
    return (wrong * weight).sum() / known.sum().clamp(min=1)


def placer_loss(out: Tensor, moved: Tensor) -> Tensor:
    """Return how far off points are placed, where there is a board."""
    out = out.flatten(1)
    there = moved[:, -1]
    gap = F.smooth_l1_loss(out[:, :-1], moved[:, :-1], reduction="none", beta=0.05).mean(1)
    sure = F.binary_cross_entropy_with_logits(out[:, -1], there)
    return (gap * there).sum() / there.sum().clamp(min=1) + 0.1 * sure


def reader_loss(out: Tensor, labels: Tensor) -> Tensor:
    """Return how wrong cells are read."""
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
    """Return what the networks get right on held-out tables."""
    found: dict[str, float] = {}
    sums: dict[str, list[float]] = {}
    for name, net in nets.items():
        net.eval()
        bank = banks[name]
        for first in range(0, bank.filled, BATCHES[name]):
            picks = torch.arange(first, min(first + BATCHES[name], bank.filled), device=bank.device)
            pictures, targets = bank.some(picks)
            for key, (part, whole) in _counted(name, net(pictures).float(), targets).items():
                one = sums.setdefault(key, [0.0, 0.0])
                one[0], one[1] = one[0] + part, one[1] + whole
    for key, (part, whole) in sums.items():
        found[key] = part / max(whole, 1e-9)
    return found


def _counted(name: str, out: Tensor, targets: Tensor) -> dict[str, tuple[float, float]]:
    if name == "finder":
        said, true, known = out > 0, targets == 1, targets != UNKNOWN
        both, either = said & true & known, (said | true) & known
        return {f"iou_{i}": (float(both[:, i].sum()), float(either[:, i].sum())) for i in (0, 1)}
    if name == "placer":
        out = out.flatten(1)
        there = targets[:, -1] > 0.5
        gap = (out[:, :-1] - targets[:, :-1]).view(len(out), -1, 2).norm(dim=2).mean(1)
        start_gap = targets[:, :-1].view(len(out), -1, 2).norm(dim=2).mean(1)
        small = there & (start_gap < 0.6)
        right = (out[:, -1] > 0) == there
        return {"placed": (float(gap[there].sum()), float(there.sum())),
                "placed_near": (float(gap[small].sum()), float(small.sum())),
                "is_board": (float(right.sum()), float(len(out)))}  # fmt: skip
    content, hidden, clay, opens, joined = out.split(list(OUTPUTS), dim=1)
    aims = targets.permute(0, 3, 1, 2).long()
    seen = aims[:, 1] == 0
    cells = seen & (aims[:, 0] >= 0)
    wrong_boards = ((content.argmax(1) != aims[:, 0]) & cells).flatten(1).any(1)
    sides = seen[:, None] & (aims[:, 4:] >= 0)
    mouths = seen & (aims[:, 3] >= 0)
    hides = aims[:, 1] >= 0
    return {
        "cells": (float(((content.argmax(1) != aims[:, 0]) & cells).sum()), float(cells.sum())),
        "boards": (float(wrong_boards.sum()), float(len(out))),
        "hidden": (float((((hidden[:, 0] > 0) != (aims[:, 1] == 1)) & hides).sum()),
                   float(hides.sum())),
        "clay": (float(((clay.argmax(1) != aims[:, 2]) & cells).sum()), float(cells.sum())),
        "opens": (float(((opens.argmax(1) != aims[:, 3]) & mouths).sum()), float(mouths.sum())),
        "sides": (float((((joined > 0) != (aims[:, 4:] == 1)) & sides).sum()), float(sides.sum())),
    }  # fmt: skip


class Training:
    """One run: the networks, their averaged copies, and where the run stands."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.device = device_of(options.device)
        torch.manual_seed(options.seed)
        kinds: dict[str, Any] = {"finder": Finder, "placer": Placer, "reader": Reader}
        names = [name for name in kinds if name in options.networks.split(",")]
        self.learners = {name: Learner(kinds[name], self.device, options.rate) for name in names}
        if options.resume:
            saved = torch.load(options.resume, map_location=self.device, weights_only=True)
            for name in set(names) & set(saved):
                self.learners[name].net.load_state_dict(saved[name])
                self.learners[name].mean.load_state_dict(saved[name])

    @property
    def means(self) -> dict[str, nn.Module]:
        """The averaged networks."""
        return {name: learner.mean for name, learner in self.learners.items()}

    @property
    def steps(self) -> dict[str, int]:
        """How many each has made."""
        return {name: learner.steps for name, learner in self.learners.items()}

    def step(self, name: str, bank: Bank, rate: float) -> float | Tensor:
        """Let one network learn from one batch."""
        learner = self.learners[name]
        batch = max(2, round(BATCHES[name] * self.options.batch))
        picks = torch.randint(bank.filled, (batch,), device=self.device)
        pictures, targets = bank.some(picks)
        pictures = disturbed(pictures).contiguous(memory_format=torch.channels_last)
        if name == "placer":
            pictures = cut(covered(pictures))
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            out = learner.net.train()(pictures)
        loss = LOSSES[name](out.float(), targets)
        learner.learn(loss, rate, 3.0)
        return loss.detach()

    def save(self, folder: Path, last: dict[str, Any]) -> None:
        """Write what is needed to go on and what is needed to read boards."""
        torch.save({n: m.state_dict() for n, m in self.means.items()}, folder / "hex.pt")
        for name, net in self.means.items():
            write_onnx(net, folder / f"{NAMES[name]}.onnx")
        files = {name: folder / f"{name}.onnx" for name in NAMES.values()}
        write_manifest(folder / MANIFEST, {
            "format": FORMAT, "version": VERSION, "colour": "bgr", "contents": list(CONTENTS),
            "clay": list(CLAYS), "input": "bytes / 255 - 0.5, channels first",
            "sets": {name: set_hash(name) for name in HEX_GAMES},
            "sha256": {name: sha256_of(path) for name, path in files.items() if path.exists()},
            "figures": last,
        })  # fmt: skip


def set_hash(name: str) -> str:
    """Return a short sum over what is in a box."""
    box = built_in_set(name)
    text = repr((sorted(box.kinds.items()), sorted(box.counts.items()), box.colours))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _take(banks: Mapping[str, Bank], samples: Mapping[str, Any]) -> None:
    for name, bank in banks.items():
        if name in samples:
            bank.add(samples[name], samples[TARGETS[name]])


def train(options: argparse.Namespace) -> None:
    """Draw and learn until the time is over, then write the files."""
    options.out.mkdir(parents=True, exist_ok=True)
    with Drawers(sources(options.workers, options.seed, options.held_out)) as drawers:
        run = Training(options)
        share = options.room
        banks = {n: Bank(max(64, round(ROOM[n] * share)), run.device) for n in run.learners}
        held = {n: Bank(max(64, round(2400 * share)), run.device) for n in run.learners}
        say_now, save_now = Now(SAY_EVERY_S), Now(SAVE_EVERY_S)
        tables, losses = 0, dict[str, float | Tensor]()
        for passed in shares_of(options.minutes, EXPORT_S):
            waits = any(bank.filled < LEAST_SAMPLES for bank in banks.values())
            for split, samples in drawers.drawn(TAKEN_A_STEP, 5.0 if waits else 0.0):
                _take(banks if split == "train" else held, samples)
                tables += split == "train"
            if any(bank.filled < LEAST_SAMPLES for bank in banks.values()):
                continue
            for name, bank in banks.items():
                losses[name] = run.step(name, bank, rate_at(passed, options.rate))
            if say_now.is_due():
                _report(run, held, losses, tables)
            if save_now.is_due():
                run.save(options.out, {"steps": run.steps})
    last = _report(run, held, losses, tables)
    run.save(options.out, {"steps": run.steps, "tables": tables, "held_out": last})


def _report(
    run: Training, held: Mapping[str, Bank], losses: Mapping[str, float | Tensor], tables: int
) -> dict[str, float]:
    found: dict[str, float] = figures(run.means, held)
    learnt = " ".join(f"{name}={float(loss):.4f}" for name, loss in losses.items())
    say(f"steps {max(run.steps.values())} tables {tables} | {learnt}",
        "      held out: " + " ".join(f"{k}={v:.5f}" for k, v in found.items()))  # fmt: skip
    return found


def main() -> None:
    """Read the options and train."""
    parser = timed_parser("hex_boards", __doc__, "build/hex", 0.1)
    parser.add_argument("--resume", help="a hex.pt to go on from")
    parser.add_argument("--batch", type=float, default=1.0, help="times the usual batches")
    parser.add_argument("--held-out", type=int, default=120, help="tables to measure with")
    parser.add_argument("--networks", default="finder,placer,reader", help="which to train")
    train(parser.parse_args())


if __name__ == "__main__":
    main()

"""How every network is trained: what is drawn, its averaged copy, its rate, its time, its ONNX."""

from __future__ import annotations

import argparse
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from models.training.harness import Drawers

SAY_EVERY_S, SAVE_EVERY_S = 30.0, 90.0
EXPORT_S = 20.0
"""Kept free at the end for the last figures and the files."""
TAKEN_A_STEP, WAIT_S = 16, 5.0
"""Drawn samples that are taken in at a time, and how long it waits for the first ones."""
WARM_UP = 0.04
"""Share of the time in which the rate goes up."""
LOWEST = 0.01
"""What is left of the highest rate at the end."""
KEPT = 0.998
"""Share of the averaged weights that a step leaves; less at first, where they are worth little."""


def device_of(name: str | None) -> torch.device:
    """Return the device that is asked for, or the best there is."""
    torch.backends.cudnn.benchmark = True
    return torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))


def rate_at(share: float, highest: float) -> float:
    """Return the learning rate after a share of the time: up quickly, down in a half wave."""
    if share < WARM_UP:
        return highest * (0.05 + 0.95 * share / WARM_UP)
    share = min((share - WARM_UP) / (1 - WARM_UP), 1.0)
    return highest * (LOWEST + (1 - LOWEST) * (1 + math.cos(math.pi * share)) / 2)


def shares_of(minutes: float, export_s: float) -> Iterator[float]:
    """Yield which share of the time is over, until only the export is left."""
    began, total_s = time.monotonic(), minutes * 60 - export_s
    while (passed := time.monotonic() - began) < total_s:
        yield passed / total_s


class Training(ABC):
    """One run: what is learnt from, the networks, and where the run stands."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.device = device_of(options.device)
        torch.manual_seed(options.seed)

    @abstractmethod
    def take(self, split: str, sample: Any) -> None:
        """Take in what was drawn of one side."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Say whether there is enough to learn from."""

    @abstractmethod
    def step(self, rate: float) -> None:
        """Learn from one batch."""

    @abstractmethod
    def report(self) -> dict[str, Any]:
        """Say where the run stands and return it, with the figures on held-out samples."""

    @abstractmethod
    def save(self, last: Mapping[str, Any]) -> None:
        """Write what is needed to go on and what the repository ships."""


def train(
    make: Callable[[argparse.Namespace], Training],
    sources: Sequence[Callable[[], Iterator[tuple[str, Any]]]], options: argparse.Namespace,
) -> None:  # fmt: skip
    """Draw and learn until the time is over, then write the files."""
    options.out.mkdir(parents=True, exist_ok=True)
    with Drawers(sources) as drawers:
        # Only now: a process that is forked with an accelerator open cannot use it.
        run = make(options)
        say_now, save_now = Now(SAY_EVERY_S), Now(SAVE_EVERY_S)
        for share in shares_of(options.minutes, EXPORT_S):
            for split, sample in drawers.drawn(TAKEN_A_STEP, 0.0 if run.is_ready() else WAIT_S):
                run.take(split, sample)
            if not run.is_ready():
                continue
            run.step(rate_at(share, options.rate))
            if say_now.is_due():
                last = run.report()
                if save_now.is_due():
                    run.save(last)
    run.save(run.report())


class Bank:
    """Samples in the memory of a device, the oldest overwritten first."""

    def __init__(self, room: int, device: torch.device) -> None:
        self.room, self.device, self.count = room, device, 0
        self._kept: dict[str, Tensor] = {}

    @property
    def filled(self) -> int:
        """How many samples there are to learn from."""
        return min(self.count, self.room)

    def __getitem__(self, name: str) -> Tensor:
        return self._kept[name]

    def add(self, samples: Mapping[str, Any]) -> None:
        """Take in some samples: arrays by name, as many rows each."""
        rows = len(next(iter(samples.values())))
        places = ((torch.arange(rows) + self.count) % self.room).to(self.device)
        for name, array in samples.items():
            new = torch.from_numpy(array)
            if name not in self._kept:
                self._kept[name] = torch.zeros(
                    (self.room, *new.shape[1:]), dtype=new.dtype, device=self.device
                )
            self._kept[name][places] = new.to(self.device)
        self.count += rows


class Shares:
    """Parts and wholes, summed up by name over batches."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def add(self, name: str, part: Any, whole: Any) -> None:
        """Count some more."""
        sums = self._sums.setdefault(name, [0.0, 0.0])
        sums[0] += float(part)
        sums[1] += float(whole)

    def found(self) -> dict[str, float]:
        """Return each part as a share of its whole."""
        return {name: part / max(whole, 1e-6) for name, (part, whole) in self._sums.items()}


class Now:
    """Says now and then that it is time for something."""

    def __init__(self, every_s: float) -> None:
        self._every_s, self._last = every_s, time.monotonic()

    def is_due(self) -> bool:
        """Return whether so long has passed since it last was."""
        due = time.monotonic() - self._last >= self._every_s
        self._last = time.monotonic() if due else self._last
        return due


class Learner:
    """A network that learns, its averaged copy, and how many steps it has made."""

    def __init__(self, make: Callable[[], nn.Module], device: torch.device, rate: float) -> None:
        layout = {"memory_format": torch.channels_last}
        self.net, self.mean = make().to(device, **layout), make().to(device, **layout)
        self.mean.load_state_dict(self.net.state_dict())
        self.mean.requires_grad_(requires_grad=False)
        self.adam = torch.optim.AdamW(self.net.parameters(), lr=rate, weight_decay=0.01)
        self.steps = 0

    def learn(self, loss: Tensor, rate: float, most: float = 5.0) -> None:
        """Make one step downhill; gradients are cut to ``most``."""
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), most)
        self.adam.step()
        self.steps += 1
        self._average()

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _average(self) -> None:
        """Bring the averaged copy a little nearer to the network."""
        kept = min(KEPT, (1 + self.steps) / (20 + self.steps))
        new = self.net.state_dict()
        for key, own in self.mean.state_dict().items():
            if own.dtype.is_floating_point:
                own.lerp_(new[key], 1 - kept)
            else:
                own.copy_(new[key])


class Block(nn.Module):  # type: ignore[misc]
    """A convolution, its normalisation and what is left of it above zero."""

    def __init__(
        self, inputs: int, outputs: int, stride: int = 1, kernel: int = 3, pad: int = 1
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, pad, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return the maps of the next layer."""
        return torch.relu(self.norm(self.conv(x)))

    def folded(self) -> tuple[Any, Any]:
        """Return weight and bias that do the same without normalisation."""
        scale = self.norm.weight / torch.sqrt(self.norm.running_var + self.norm.eps)
        weight = self.conv.weight * scale[:, None, None, None]
        bias = self.norm.bias - self.norm.running_mean * scale
        return weight.detach().cpu().float().numpy(), bias.detach().cpu().float().numpy()


class DownAndUp(nn.Module):  # type: ignore[misc]
    """Picture to maps at a quarter of its size, in steps of 2 down to a 32nd and back up.

    Nothing but 3 x 3 and 1 x 1 convolutions, so that a small computer runs it fast.
    """

    def __init__(
        self, widths: tuple[int, ...], more: tuple[int, ...], outputs: int, head: int | None = None,
        grey: float = 0.0,
    ) -> None:  # fmt: skip
        """Make it.

        Args:
            widths: channels at a half, a quarter, ... a 32nd of the size.
            more: blocks at an 8th, 16th and 32nd beside the one that goes down.
            outputs: maps that come out.
            head: channels before the last layer, where those of a quarter are too few.
            grey: is taken off the picture first.
        """
        super().__init__()
        a, b, c, d, e = widths
        self.grey = grey
        self.stem = nn.Sequential(Block(3, a, 2), Block(a, b, 2), Block(b, b))
        for name, low, high, count in zip(("8", "16", "32"), (b, c, d), (c, d, e), more,
                                          strict=True):  # fmt: skip
            after = [Block(high, high) for _ in range(count)]
            setattr(self, f"down{name}", nn.Sequential(Block(low, high, 2), *after))
        self.up16, self.up8, self.up4 = nn.Conv2d(e, d, 1), nn.Conv2d(d, c, 1), nn.Conv2d(c, b, 1)
        self.join16, self.join8 = nn.Sequential(Block(d, d)), nn.Sequential(Block(c, c))
        last = [] if head is None else [Block(b, head)]
        self.join4 = nn.Sequential(Block(b, b), *last)
        self.out = nn.Conv2d(head or b, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return the maps of a batch of pictures."""
        quarter = self.stem(x - self.grey)
        eighth = self.down8(quarter)
        sixteenth = self.down16(eighth)
        x = self.join16(sixteenth + twice(self.up16(self.down32(sixteenth))))
        x = self.join8(eighth + twice(self.up8(x)))
        out: Tensor = self.out(self.join4(quarter + twice(self.up4(x))))
        return out

    def write(self, path: Path, name: str) -> None:
        """Write it as ONNX of any picture size."""
        self.eval()
        writer, x = OnnxWriter(), "picture"
        if self.grey:
            # At the border the padding must mean grey, as it does in training: the shift stays a
            # step of its own there.
            x = writer.node("Sub", [x, writer.constant("grey", [self.grey])], "shifted")
        quarter = writer.layers(x, "stem", self.stem)
        eighth = writer.layers(quarter, "down8", self.down8)
        sixteenth = writer.layers(eighth, "down16", self.down16)
        x = writer.layers(sixteenth, "down32", self.down32)
        for step, skip in (("16", sixteenth), ("8", eighth), ("4", quarter)):
            x = writer.joined(x, skip, f"up{step}", getattr(self, f"up{step}"))
            x = writer.layers(x, f"join{step}", getattr(self, f"join{step}"))
        writer.save(writer.layer(x, "maps", self.out), path, name, self.out.out_channels)


def twice(x: Tensor) -> Tensor:
    """Return maps of twice the size."""
    return nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")


class OnnxWriter:
    """Collects the steps of a network as ONNX has them; nothing is run."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._weights: list[Any] = []

    def constant(self, name: str, value: Any) -> str:
        """Add numbers that do not change."""
        from onnx import numpy_helper

        array = np.ascontiguousarray(value, np.float32)
        self._weights.append(numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, inputs: list[str], out: str, **settings: Any) -> str:
        """Add one step."""
        from onnx import helper

        self._nodes.append(helper.make_node(kind, inputs, [out], name=out, **settings))
        return out

    def layer(self, x: str, name: str, layer: nn.Module) -> str:
        """Add a block or a bare convolution; normalisation is folded into the weights."""
        if isinstance(layer, Block):
            conv, (weight, bias) = layer.conv, layer.folded()
        else:
            conv = layer
            weight, bias = (v.detach().cpu().float().numpy() for v in (layer.weight, layer.bias))
        inputs = [x, self.constant(f"{name}.w", weight), self.constant(f"{name}.b", bias)]
        out = f"{name}.conv" if isinstance(layer, Block) else name
        self.node("Conv", inputs, out, kernel_shape=list(conv.kernel_size),
                  strides=list(conv.stride), pads=[int(conv.padding[0])] * 4)  # fmt: skip
        return self.node("Relu", [out], name) if isinstance(layer, Block) else name

    def layers(self, x: str, name: str, layers: Any) -> str:
        """Add layers one after the other."""
        for number, layer in enumerate(layers):
            x = self.layer(x, f"{name}.{number}", layer)
        return x

    def joined(self, x: str, skip: str, name: str, plain: nn.Conv2d) -> str:
        """Add coarse maps, made twice as large, to finer ones."""
        small = self.layer(x, f"{name}.small", plain)
        scales = self.constant(f"{name}.scales", [1, 1, 2, 2])
        how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        big = self.node("Resize", [small, "", scales], f"{name}.big", mode="nearest", **how)
        return self.node("Add", [skip, big], f"{name}.sum")

    def save(self, last: str, path: Path, name: str, outputs: int | str = "outputs") -> None:
        """Write it for pictures of any size."""
        from onnx import TensorProto, checker, helper, save

        shapes = ["count", 3, "height", "width"], ["count", outputs, "rows", "columns"]
        picture, out = (
            helper.make_tensor_value_info(key, TensorProto.FLOAT, shape)
            for key, shape in zip(("picture", last), shapes, strict=True)
        )
        graph = helper.make_graph(self._nodes, name, [picture], [out], self._weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        checker.check_model(model)
        save(model, str(path))


def write_sequential(net: nn.Sequential, path: Path) -> None:
    """Write a network whose layers simply follow one another."""
    writer = OnnxWriter()
    writer.save(writer.layers("picture", "step", net.eval()), path, "hex")

"""Training of networks: samples, averaged weights, learning rate, time limit and ONNX export."""

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

from models.lab.training.harness import Drawers

SAY_EVERY_S, SAVE_EVERY_S = 30.0, 90.0
EXPORT_S = 20.0
"""Time reserved at the end for the last figures and the files."""
TAKEN_A_STEP, WAIT_S = 16, 5.0
"""Most drawn samples that are added per step, and the longest wait for the first ones."""
WARM_UP = 0.04
"""Share of the time in which the learning rate rises."""
LOWEST = 0.01
"""Final learning rate, relative to the highest."""
KEPT = 0.998
"""Decay of the moving average of the weights per step; it is lower in the first steps."""


def device_of(name: str | None) -> torch.device:
    """Return the device that is asked for, or the best available one."""
    torch.backends.cudnn.benchmark = True
    return torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))


def rate_at(share: float, highest: float) -> float:
    """Return the learning rate after a share of the time: linear warm-up, then cosine decay."""
    if share < WARM_UP:
        return highest * (0.05 + 0.95 * share / WARM_UP)
    share = min((share - WARM_UP) / (1 - WARM_UP), 1.0)
    return highest * (LOWEST + (1 - LOWEST) * (1 + math.cos(math.pi * share)) / 2)


def shares_of(minutes: float, export_s: float) -> Iterator[float]:
    """Yield the elapsed share of the time, until only the export is left."""
    began, total_s = time.monotonic(), minutes * 60 - export_s
    while (passed := time.monotonic() - began) < total_s:
        yield passed / total_s


class Training(ABC):
    """One training run: its samples, its networks and its progress."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.device = device_of(options.device)
        torch.manual_seed(options.seed)

    @abstractmethod
    def take(self, split: str, sample: Any) -> None:
        """Add a drawn sample of one split."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Say whether there are enough samples to learn from."""

    @abstractmethod
    def step(self, rate: float) -> None:
        """Learn from one batch."""

    @abstractmethod
    def report(self) -> dict[str, Any]:
        """Print and return the progress, with the figures on held-out samples."""

    @abstractmethod
    def save(self, last: Mapping[str, Any]) -> None:
        """Write the checkpoint and the files that the repository ships."""


def train(
    make: Callable[[argparse.Namespace], Training],
    sources: Sequence[Callable[[], Iterator[tuple[str, Any]]]],
    options: argparse.Namespace,
) -> None:
    """Draw and learn until the time is over, then write the files."""
    options.out.mkdir(parents=True, exist_ok=True)
    with Drawers(sources) as drawers:
        # Made after the fork: a process that is forked with an accelerator open cannot use it.
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
    """Ring buffer of samples in the memory of a device."""

    def __init__(self, room: int, device: torch.device) -> None:
        self.room, self.device, self.count = room, device, 0
        self._kept: dict[str, Tensor] = {}

    @property
    def filled(self) -> int:
        """Number of samples that can be learnt from."""
        return min(self.count, self.room)

    def __getitem__(self, name: str) -> Tensor:
        return self._kept[name]

    def add(self, samples: Mapping[str, Any]) -> None:
        """Add samples: arrays by name, all with the same number of rows."""
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
    """Sums of parts and wholes by name, over batches."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def add(self, name: str, part: Any, whole: Any) -> None:
        """Add to the sums of one name."""
        sums = self._sums.setdefault(name, [0.0, 0.0])
        sums[0] += float(part)
        sums[1] += float(whole)

    def found(self) -> dict[str, float]:
        """Return each part as a share of its whole."""
        return {name: part / max(whole, 1e-6) for name, (part, whole) in self._sums.items()}


class Now:
    """A timer for periodic work."""

    def __init__(self, every_s: float) -> None:
        self._every_s, self._last = every_s, time.monotonic()

    def is_due(self) -> bool:
        """Say whether the period has passed since it was last due."""
        due = time.monotonic() - self._last >= self._every_s
        self._last = time.monotonic() if due else self._last
        return due


class Learner:
    """A network with its optimiser, its averaged weights and its number of steps."""

    def __init__(self, make: Callable[[], nn.Module], device: torch.device, rate: float) -> None:
        layout = {"memory_format": torch.channels_last}
        self.net, self.mean = make().to(device, **layout), make().to(device, **layout)
        self.mean.load_state_dict(self.net.state_dict())
        self.mean.requires_grad_(requires_grad=False)
        self.adam = torch.optim.AdamW(self.net.parameters(), lr=rate, weight_decay=0.01)
        self.steps = 0

    def learn(self, loss: Tensor, rate: float, most: float = 5.0) -> None:
        """Make one optimiser step; the norm of the gradient is clipped to ``most``."""
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
        """Move the averaged weights a little towards the network's."""
        kept = min(KEPT, (1 + self.steps) / (20 + self.steps))
        new = self.net.state_dict()
        for key, own in self.mean.state_dict().items():
            if own.dtype.is_floating_point:
                own.lerp_(new[key], 1 - kept)
            else:
                own.copy_(new[key])


class Block(nn.Module):  # type: ignore[misc]
    """A convolution with batch normalisation and ReLU."""

    def __init__(
        self, inputs: int, outputs: int, stride: int = 1, kernel: int = 3, pad: int = 1
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, pad, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return the maps of the next layer."""
        return torch.relu(self.norm(self.conv(x)))

    def unfold(self, weight: Tensor, bias: Tensor, x: Tensor) -> Tensor:
        """Take weight and bias that ``folded`` gave, with the normalisation that ``x`` asks for.

        Returns:
            what the block makes of ``x``, which is the same in training and afterwards.
        """
        self.conv.weight.copy_(weight)
        y = self.conv(x)
        var, mean = torch.var_mean(y, (0, 2, 3))
        self.norm.running_mean.copy_(mean)
        self.norm.running_var.copy_(var)
        self.norm.weight.copy_(torch.sqrt(var + self.norm.eps))
        self.norm.bias.copy_(bias + mean)
        return torch.relu(y + bias[:, None, None])

    def folded(self) -> tuple[Any, Any]:
        """Return weight and bias with the normalisation folded in."""
        scale = self.norm.weight / torch.sqrt(self.norm.running_var + self.norm.eps)
        weight = self.conv.weight * scale[:, None, None, None]
        bias = self.norm.bias - self.norm.running_mean * scale
        return weight.detach().cpu().float().numpy(), bias.detach().cpu().float().numpy()


class DownAndUp(nn.Module):  # type: ignore[misc]
    """U-shaped network from a picture to maps at a quarter of its size, by way of a 32nd.

    It has only 3 x 3 and 1 x 1 convolutions, so that a small computer runs it fast.
    """

    def __init__(
        self,
        widths: tuple[int, ...],
        more: tuple[int, ...],
        outputs: int,
        head: int | None = None,
        grey: float = 0.0,
    ) -> None:
        """Create the layers.

        Args:
            widths: channels at a half, a quarter, ... a 32nd of the size.
            more: additional blocks at an 8th, 16th and 32nd.
            outputs: number of maps.
            head: channels before the last layer, where those of a quarter are too few.
            grey: value that is subtracted from the picture first.
        """
        super().__init__()
        a, b, c, d, e = widths
        self.grey = grey
        self.stem = nn.Sequential(Block(3, a, 2), Block(a, b, 2), Block(b, b))
        for name, low, high, count in zip(
            ("8", "16", "32"), (b, c, d), (c, d, e), more, strict=True
        ):
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

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def take_up(self, path: Path, pictures: Tensor) -> None:
        """Take the weights of a network that ``write`` wrote, to go on from there.

        Normalisation was folded into the weights, and is found again from pictures.
        """
        from onnx import load, numpy_helper

        kept = {
            one.name: torch.from_numpy(numpy_helper.to_array(one).copy()).to(pictures.device)
            for one in load(str(path)).graph.initializer
        }

        def through(name: str, x: Tensor) -> Tensor:
            for number, block in enumerate(getattr(self, name)):
                key = f"{name}.{number}"
                x = block.unfold(kept[f"{key}.w"], kept[f"{key}.b"], x)
            return x

        def plain(layer: nn.Conv2d, key: str) -> None:
            layer.weight.copy_(kept[f"{key}.w"])
            layer.bias.copy_(kept[f"{key}.b"])

        quarter = through("stem", pictures - self.grey)
        eighth = through("down8", quarter)
        sixteenth = through("down16", eighth)
        x = through("down32", sixteenth)
        for step, skip in (("16", sixteenth), ("8", eighth), ("4", quarter)):
            up = getattr(self, f"up{step}")
            plain(up, f"up{step}.small")
            x = through(f"join{step}", skip + twice(up(x)))
        plain(self.out, "maps")

    def write(self, path: Path, name: str) -> None:
        """Write it as ONNX, for any picture size."""
        self.eval()
        writer, x = OnnxWriter(), "picture"
        if self.grey:
            # Zero padding at the border must mean grey, as in training, so the shift stays a node
            # of its own.
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
    """Return maps upsampled to twice the size."""
    return nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")


LARGE = 256
"""Numbers of a tensor from which 16 bits each are worth a node."""


class OnnxWriter:
    """Collects the nodes of a network as an ONNX graph; nothing is run."""

    def __init__(self, halves: bool = False) -> None:
        """Begin a graph; ``halves`` keeps large weights in 16 bits, which loading makes 32."""
        self._nodes: list[Any] = []
        self._weights: list[Any] = []
        self._halves = halves

    def constant(self, name: str, value: Any) -> str:
        """Add a constant tensor."""
        from onnx import TensorProto, numpy_helper

        array = np.ascontiguousarray(value, np.float32)
        if self._halves and array.size >= LARGE:
            half = numpy_helper.from_array(array.astype(np.float16), f"{name}.half")
            self._weights.append(half)
            return self.node("Cast", [half.name], name, to=TensorProto.FLOAT)
        self._weights.append(numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, inputs: list[str], out: str, **settings: Any) -> str:
        """Add one node."""
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
        self.node(
            "Conv",
            inputs,
            out,
            kernel_shape=list(conv.kernel_size),
            strides=list(conv.stride),
            pads=[int(conv.padding[0])] * 4,
        )
        return self.node("Relu", [out], name) if isinstance(layer, Block) else name

    def layers(self, x: str, name: str, layers: Any) -> str:
        """Add layers in sequence."""
        for number, layer in enumerate(layers):
            x = self.layer(x, f"{name}.{number}", layer)
        return x

    def joined(self, x: str, skip: str, name: str, plain: nn.Conv2d) -> str:
        """Upsample coarse maps to twice the size and add them to finer ones."""
        small = self.layer(x, f"{name}.small", plain)
        scales = self.constant(f"{name}.scales", [1, 1, 2, 2])
        how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        big = self.node("Resize", [small, "", scales], f"{name}.big", mode="nearest", **how)
        return self.node("Add", [skip, big], f"{name}.sum")

    def save(self, last: str, path: Path, name: str, outputs: int | str = "outputs") -> None:
        """Write the model, for pictures of any size."""
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


def write_sequential(net: nn.Sequential, path: Path, halves: bool = False) -> None:
    """Write a network whose layers form one sequence."""
    writer = OnnxWriter(halves)
    writer.save(writer.layers("picture", "step", net.eval()), path, "hex")

"""What every network learns by: its averaged copy, its rate, the time it has, and ONNX of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

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

    def down_and_up(self, x: str, first: str, net: Any) -> str:
        """Add a network that goes down to a 32nd of the picture and back up to a quarter."""
        quarter = self.layers(x, first, getattr(net, first))
        eighth = self.layers(quarter, "down8", net.down8)
        sixteenth = self.layers(eighth, "down16", net.down16)
        x = self.layers(sixteenth, "down32", net.down32)
        for name, skip in (("16", sixteenth), ("8", eighth), ("4", quarter)):
            x = self.joined(x, skip, f"up{name}", getattr(net, f"up{name}"))
            x = self.layers(x, f"join{name}", getattr(net, f"join{name}"))
        return x

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


def write_sequential(net: nn.Sequential, path: Path, name: str = "hex") -> None:
    """Write a network whose layers simply follow one another."""
    writer = OnnxWriter()
    writer.save(writer.layers("picture", "step", net.eval()), path, name)

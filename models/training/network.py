"""The detector's network: plain convolutions that onnxruntime runs, and how it is written as ONNX.

From a picture in steps of 2 down to a 32nd and back up to a quarter; see ``CHANNELS`` for what
each map of the result means. Nothing but 3 x 3 and 1 x 1 convolutions, so that a small computer
runs it fast; scale and shift of the normalisation are folded into them when it is written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

STRIDE = 4
"""Pixels of the picture for one of the maps."""
STEP = 32
"""Pictures must be a multiple of this wide and high."""
CHANNELS = (
    "square", "hex", "board", "side", "cut", "centre",
    "offset_x", "offset_y", "log_size", "stretch_x", "stretch_y", "turn_cos", "turn_sin",
)  # fmt: skip
"""Logits that a pixel shows a square tile, a hex tile's cell, an empty cell of a hex board, a
cell's side, the edge of a piece of card, a cell's middle; then the way to that middle in units of
the cell's size, the cell's size (natural logarithm of its half width over ``SIZE_PX``), the matrix
logarithm of its stretch, and its turn, four or six times over."""
SIZE_PX = 16.0


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


class TileNet(nn.Module):  # type: ignore[misc]
    """Picture (blue, green, red; 0 to 1) to maps at a quarter of its size."""

    def __init__(self, widths: tuple[int, ...] = (16, 32, 64, 96, 128), head: int = 40) -> None:
        super().__init__()
        a, b, c, d, e = widths
        self.widths, self.head_width = widths, head
        self.stem = nn.ModuleList([Block(3, a, 2), Block(a, b, 2), Block(b, b)])
        self.down8 = nn.ModuleList([Block(b, c, 2), Block(c, c), Block(c, c)])
        self.down16 = nn.ModuleList([Block(c, d, 2), Block(d, d), Block(d, d)])
        self.down32 = nn.ModuleList([Block(d, e, 2), Block(e, e), Block(e, e)])
        self.up16, self.up8, self.up4 = nn.Conv2d(e, d, 1), nn.Conv2d(d, c, 1), nn.Conv2d(c, b, 1)
        self.join16 = nn.ModuleList([Block(d, d)])
        self.join8 = nn.ModuleList([Block(c, c)])
        self.join4 = nn.ModuleList([Block(b, b), Block(b, head)])
        self.out = nn.Conv2d(head, len(CHANNELS), 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return the maps of a batch of pictures."""
        quarter = _through(self.stem, x - 0.5)
        eighth = _through(self.down8, quarter)
        sixteenth = _through(self.down16, eighth)
        deepest = _through(self.down32, sixteenth)
        x = _through(self.join16, sixteenth + twice(self.up16(deepest)))
        x = _through(self.join8, eighth + twice(self.up8(x)))
        x = _through(self.join4, quarter + twice(self.up4(x)))
        out: Tensor = self.out(x)
        return out


def _through(layers: nn.ModuleList, x: Tensor) -> Tensor:
    for layer in layers:
        x = layer(x)
    return x


def twice(x: Tensor) -> Tensor:
    """Return maps of twice the size."""
    return nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")


def write_onnx(net: TileNet, path: Path) -> None:
    """Write the network as ONNX of any picture size, with numpy in between and nothing run."""
    from onnx import TensorProto, checker, helper, numpy_helper, save

    nodes: list[Any] = []
    weights: list[Any] = []

    def constant(name: str, value: Any) -> str:
        weights.append(numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name))
        return name

    def conv(x: str, name: str, weight: Any, bias: Any, stride: int, *, relu: bool) -> str:
        pad = weight.shape[2] // 2
        inputs = [x, constant(f"{name}.w", weight), constant(f"{name}.b", bias)]
        out = f"{name}.conv" if relu else name
        nodes.append(helper.make_node(
            "Conv", inputs, [out], name=f"{name}.conv", kernel_shape=list(weight.shape[2:]),
            strides=[stride, stride], pads=[pad] * 4,
        ))  # fmt: skip
        if relu:
            nodes.append(helper.make_node("Relu", [out], [name], name=f"{name}.relu"))
        return name

    def through(x: str, name: str, layers: nn.ModuleList, shift: float = 0.0) -> str:
        for i, layer in enumerate(layers):
            weight, bias = layer.folded()
            if shift and i == 0:
                # At the border the padding must mean grey, as it does in training: the shift stays
                # a step of its own there.
                nodes.append(helper.make_node("Sub", [x, constant("grey", [shift])], ["shifted"]))
                x = "shifted"
            x = conv(x, f"{name}.{i}", weight, bias, layer.conv.stride[0], relu=True)
        return x

    def joined(x: str, skip: str, name: str, plain: nn.Conv2d) -> str:
        weight, bias = (t.detach().cpu().float().numpy() for t in (plain.weight, plain.bias))
        small = conv(x, f"{name}.small", weight, bias, 1, relu=False)
        nodes.append(helper.make_node(
            "Resize", [small, "", constant(f"{name}.scales", [1, 1, 2, 2])], [f"{name}.big"],
            name=f"{name}.big", mode="nearest", coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        ))  # fmt: skip
        nodes.append(helper.make_node("Add", [skip, f"{name}.big"], [f"{name}.sum"]))
        return f"{name}.sum"

    quarter = through("picture", "stem", net.stem, 0.5)
    eighth = through(quarter, "down8", net.down8)
    sixteenth = through(eighth, "down16", net.down16)
    deepest = through(sixteenth, "down32", net.down32)
    x = through(joined(deepest, sixteenth, "up16", net.up16), "join16", net.join16)
    x = through(joined(x, eighth, "up8", net.up8), "join8", net.join8)
    x = through(joined(x, quarter, "up4", net.up4), "join4", net.join4)
    weight, bias = (t.detach().cpu().float().numpy() for t in (net.out.weight, net.out.bias))
    conv(x, "maps", weight, bias, 1, relu=False)
    sizes = ["count", 3, "height", "width"], ["count", len(CHANNELS), "rows", "columns"]
    picture, maps = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, size)
        for name, size in zip(("picture", "maps"), sizes, strict=True)
    )
    graph = helper.make_graph(nodes, "tiles", [picture], [maps], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    checker.check_model(model)
    save(model, str(path))

"""The three networks for hex boards: plain convolutions, and how they are written as ONNX.

The finder goes down to a 32nd of the picture and back up to a quarter; the placer ends in one
convolution over all that is left; the reader's steps add up to the pitch of a laid out board, so
that its result has one place a cell.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor, nn

from models.training.network import Block, twice
from vision.hexes.cells import OUTPUTS
from vision.hexes.plane import FIXED

MARKS = 2
PLACED = 2 * len(FIXED) + 1
PLACER_END = 8
"""Rows and columns that are left before the placer's last but one convolution."""


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


class _Writer:
    """Collects the steps of a network as ONNX has them."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def constant(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        array = np.ascontiguousarray(value, np.float32)
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, inputs: list[str], out: str, **settings: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [out], name=out, **settings))
        return out

    def layer(self, x: str, name: str, layer: nn.Module) -> str:
        """Add a block or a bare convolution; normalisation is folded into the weights."""
        if isinstance(layer, Block):
            conv, (weight, bias) = layer.conv, layer.folded()
        else:
            assert isinstance(layer, nn.Conv2d)
            conv = layer
            weight, bias = (v.detach().cpu().float().numpy() for v in (layer.weight, layer.bias))
        inputs = [
            x,
            self.constant(f"{name}.w", weight),
            self.constant(f"{name}.b", bias),
        ]
        out = f"{name}.conv" if isinstance(layer, Block) else name
        pad = int(conv.padding[0])
        self.node("Conv", inputs, out, kernel_shape=list(conv.kernel_size),
                  strides=list(conv.stride), pads=[pad] * 4)  # fmt: skip
        return self.node("Relu", [out], name) if isinstance(layer, Block) else name

    def layers(self, x: str, name: str, layers: nn.Sequential) -> str:
        for number, layer in enumerate(layers):
            x = self.layer(x, f"{name}.{number}", layer)
        return x

    def joined(self, x: str, skip: str, name: str, plain: nn.Conv2d) -> str:
        small = self.layer(x, f"{name}.small", plain)
        scales = self.constant(f"{name}.scales", [1, 1, 2, 2])
        how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        big = self.node("Resize", [small, "", scales], f"{name}.big", mode="nearest", **how)
        return self.node("Add", [skip, big], f"{name}.sum")


def write_onnx(net: nn.Module, path: Path) -> None:
    """Write one of the networks."""
    from onnx import TensorProto, checker, helper, save

    net.eval()
    writer = _Writer()
    if isinstance(net, Finder):
        quarter = writer.layers("picture", "down4", net.down4)
        eighth = writer.layers(quarter, "down8", net.down8)
        sixteenth = writer.layers(eighth, "down16", net.down16)
        x = writer.layers(sixteenth, "down32", net.down32)
        x = writer.layers(writer.joined(x, sixteenth, "up16", net.up16), "join16", net.join16)
        x = writer.layers(writer.joined(x, eighth, "up8", net.up8), "join8", net.join8)
        x = writer.layers(writer.joined(x, quarter, "up4", net.up4), "join4", net.join4)
        last = writer.layer(x, "out", net.out)
    else:
        assert isinstance(net, nn.Sequential)
        last = writer.layers("picture", "step", net)
    shapes = ["count", 3, "height", "width"], ["count", "outputs", "rows", "columns"]
    picture, out = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in zip(("picture", last), shapes, strict=True)
    )
    graph = helper.make_graph(writer.nodes, "hex", [picture], [out], writer.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    checker.check_model(model)
    save(model, str(path))

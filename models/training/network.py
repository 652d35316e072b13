"""The detector's network: plain convolutions that onnxruntime runs, and how it is written as ONNX.

From a picture in steps of 2 down to a 32nd and back up to a quarter; see ``CHANNELS`` for what
each map of the result means. Nothing but 3 x 3 and 1 x 1 convolutions, so that a small computer
runs it fast; scale and shift of the normalisation are folded into them when it is written.
"""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn

from models.training.learning import Block, OnnxWriter, twice

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


def write_onnx(net: TileNet, path: Path) -> None:
    """Write the network as ONNX of any picture size."""
    writer = OnnxWriter()
    # At the border the padding must mean grey, as it does in training: the shift stays a step of
    # its own there.
    grey = writer.node("Sub", ["picture", writer.constant("grey", [0.5])], "shifted")
    x = writer.down_and_up(grey, "stem", net.eval())
    writer.save(writer.layer(x, "maps", net.out), path, "tiles", len(CHANNELS))

"""The three networks for hex boards: plain convolutions, and how they are written as ONNX.

The finder goes down to a 32nd of the picture and back up to a quarter; the placer ends in one
convolution over all that is left; the reader's steps add up to the pitch of a laid out board, so
that its result has one place a cell.
"""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn

from models.training.learning import Block, OnnxWriter, twice, write_sequential
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


def write_onnx(net: nn.Module, path: Path) -> None:
    """Write one of the networks."""
    if not isinstance(net, Finder):
        write_sequential(net, path)
        return
    writer = OnnxWriter()
    x = writer.down_and_up("picture", "down4", net.eval())
    writer.save(writer.layer(x, "out", net.out), path, "hex")

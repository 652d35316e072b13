"""What every training does at every step: how fast it learns, its averaged copy, what it says."""

from __future__ import annotations

import math
import sys

import torch
from torch import nn

WARM_UP = 0.04
"""Share of the time in which the rate goes up."""
LOWEST = 0.01
"""What is left of the highest rate at the end."""
KEPT = 0.998
"""Share of the averaged weights that a step leaves; less at first, where they are worth little."""


def rate_at(share: float, highest: float) -> float:
    """Return the learning rate after a share of the time: up quickly, down in a half wave."""
    if share < WARM_UP:
        return highest * (0.05 + 0.95 * share / WARM_UP)
    share = min((share - WARM_UP) / (1 - WARM_UP), 1.0)
    return highest * (LOWEST + (1 - LOWEST) * (1 + math.cos(math.pi * share)) / 2)


@torch.no_grad()  # type: ignore[untyped-decorator]
def average(net: nn.Module, mean: nn.Module, steps: int) -> None:
    """Bring the averaged copy a little nearer to the network, after so many steps."""
    kept = min(KEPT, (1 + steps) / (20 + steps))
    new = net.state_dict()
    for key, own in mean.state_dict().items():
        if own.dtype.is_floating_point:
            own.lerp_(new[key], 1 - kept)
        else:
            own.copy_(new[key])


def say(line: str) -> None:
    """Print a line now, also where the output is kept in a file."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()

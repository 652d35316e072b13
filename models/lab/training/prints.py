"""Prints in the memory of a device, pairs of them to learn from, and their augmentation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the name that everyone knows it by
from torch import Tensor

from models.lab.training.print_drawing import PRINTS_A_LAND, Ints, Prints
from models.teaching.examples import DARKEST, KEPT_PX, ROOM, Hardness, inside_of
from vision.core.crop import MARGIN, PATCH_PX, hex_inside

BANK_ROOM = 20_000
LEAST_BOXES = 12
"""Least number of boxes of prints, and of boxes of lands, before training starts."""
GROUPS = 8
"""Groups of a batch that are blurred and coarsened alike: a batch must have one size."""
LEAST_BLUR = 0.3
GLARES, BRIGHTEST = 0.3, 120.0
HEX_FOLDS = 6


class PrintBank:
    """Boxes in the memory of the device, up to its room."""

    def __init__(self, room: int, device: torch.device) -> None:
        self.patches = torch.empty((room, KEPT_PX, KEPT_PX, 3), dtype=torch.uint8, device=device)
        self.filled = 0
        self.boxes: dict[bool, list[tuple[int, Prints]]] = {False: [], True: []}

    def add(self, prints: Prints) -> bool:
        """Add a box, and say whether there was room."""
        end = self.filled + len(prints.patches)
        if end > len(self.patches):
            return False
        self.patches[self.filled : end] = torch.from_numpy(prints.patches).to(self.patches.device)
        without = Prints(
            np.zeros((0, 1, 1, 3), np.uint8),
            prints.kinds,
            prints.periods,
            prints.folds,
            prints.lands,
        )
        self.boxes[prints.lands].append((self.filled, without))
        self.filled = end
        return True

    def ready(self) -> bool:
        """Say whether there is enough to learn from."""
        return min(len(boxes) for boxes in self.boxes.values()) >= LEAST_BOXES


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two looks of each print that must be told apart, boxes x prints each."""

    one: Ints
    other: Ints
    """Indices into the bank."""
    steps_one: Ints
    steps_other: Ints
    """Clockwise turns of each look."""
    folds: Ints
    same: Ints
    """Equal numbers in one box mean the same."""

    def joined(self, more: Pairs) -> Pairs:
        """Return the boxes of both."""
        names = ("one", "other", "steps_one", "steps_other", "folds", "same")
        return Pairs(*(np.concatenate([getattr(self, n), getattr(more, n)]) for n in names))


def picked(bank: PrintBank, lands: bool, boxes: int, count: int, rng: np.random.Generator) -> Pairs:
    """Return pairs of looks from this many boxes, ``count`` prints of each."""
    known = bank.boxes[lands]
    rows = [
        (_of_lands if lands else _of_prints)(*known[int(n)], count, rng)
        for n in rng.integers(len(known), size=boxes)
    ]
    return Pairs(*(np.stack([row[part] for row in rows]) for part in range(6)))


def _of_prints(first: int, box: Prints, count: int, rng: np.random.Generator) -> tuple[Ints, ...]:
    """Return picks of one box: both looks are of the same print in the same turn."""
    every = np.array([(n, turn) for n, period in enumerate(box.periods) for turn in range(period)])
    chosen = rng.permutation(len(every))[:count]
    chosen = np.concatenate([chosen, rng.choice(chosen, count - len(chosen))])
    prints, turns = every[chosen].T
    return first + prints, first + prints, turns, turns, np.full(count, box.folds), chosen


def _of_lands(first: int, box: Prints, count: int, rng: np.random.Generator) -> tuple[Ints, ...]:
    """Return picks of one box: looks are of two prints of one kind, in any turns."""
    one = rng.integers(len(box.kinds), size=count)
    other = box.kinds[one] * PRINTS_A_LAND + rng.integers(PRINTS_A_LAND, size=count)
    turns = rng.integers(box.folds, size=(2, count))
    return first + one, first + other, turns[0], turns[1], np.full(count, box.folds), box.kinds[one]


def gathered(bank: PrintBank, places: Ints) -> Tensor:
    """Return patches of the bank, in the order of places."""
    return bank.patches[torch.from_numpy(places.ravel()).to(bank.patches.device)]


# --- Augmentation ---


def varied(patches: Tensor, steps: Tensor, folds: Tensor, hardness: Hardness) -> Tensor:
    """Return augmented looks of kept examples, N x 3 x 64 x 64 around 0.

    Args:
        patches: N x 112 x 112 x 3 of bytes.
        steps: clockwise turns of each print.
        folds: 4 for squares, 6 for hexes.
        hardness: strength of the augmentation.
    """
    pictures = patches.permute(0, 3, 1, 2).float()
    pictures = beside(pictures, folds, hardness)
    looks = _coarsened(placed(pictures, steps, folds, hardness), hardness)
    looks = _lit(looks, hardness)
    return alone(looks, folds) / 255 - 0.5


def _drawn(like: Tensor, channels: int = 1) -> Tensor:
    return torch.randn(len(like), channels, 1, 1, device=like.device)


def _share(like: Tensor, channels: int = 1) -> Tensor:
    return torch.rand(len(like), channels, 1, 1, device=like.device)


def beside(pictures: Tensor, folds: Tensor, hardness: Hardness) -> Tensor:
    """Return examples, most of them with other surroundings."""
    masks = np.stack([inside_of(4), inside_of(HEX_FOLDS)]).astype(bool)
    own = torch.from_numpy(masks).to(pictures.device)[(folds == HEX_FOLDS).long()][:, None]
    others = pictures[torch.randperm(len(pictures), device=pictures.device)]
    around = torch.where(_share(pictures) < 0.5, others, 10 + 235 * _share(pictures, 3))
    return torch.where(own | (_share(pictures) > hardness.beside), pictures, around)


def placed(pictures: Tensor, steps: Tensor, folds: Tensor, hardness: Hardness) -> Tensor:
    """Return patches cut as in play, along outlines that miss a little."""
    count, device = len(pictures), pictures.device
    angle = -steps * 2 * math.pi / folds
    angle = angle + math.radians(hardness.turn_deg) * torch.randn(count, device=device)
    c, s = torch.cos(angle), torch.sin(angle)
    turn = torch.stack([torch.stack([c, -s], 1), torch.stack([s, c], 1)], 1)
    a, b = hardness.lean * torch.randn(2, count, device=device)
    lean = torch.stack([torch.stack([1 + a, b], 1), torch.stack([b, 1 - a], 1)], 1)
    size = KEPT_PX / PATCH_PX / ROOM * torch.exp(hardness.size * torch.randn(count, device=device))
    matrix = turn @ lean * size[:, None, None]
    width = KEPT_PX * (1 - 2 * MARGIN) / ROOM
    middle = (KEPT_PX - 1) / 2 + hardness.shift * width * torch.randn(count, 1, 2, device=device)
    along = torch.arange(PATCH_PX, device=device) - (PATCH_PX - 1) / 2
    y, x = torch.meshgrid(along, along, indexing="ij")
    places = torch.stack([x.flatten(), y.flatten()], 1) @ matrix.transpose(1, 2) + middle
    grid = (2 * places / (KEPT_PX - 1) - 1).view(count, PATCH_PX, PATCH_PX, 2)
    return F.grid_sample(pictures, grid, padding_mode="border", align_corners=True)


def _coarsened(looks: Tensor, hardness: Hardness) -> Tensor:
    """Return looks at lower resolution and out of focus."""
    out = looks.clone()
    for part in torch.randperm(len(looks), device=looks.device).chunk(GROUPS):
        some = looks[part]
        least, most = hardness.coarsest_px, 2.5 * PATCH_PX
        wide = least + (most - least) * float(torch.rand(()))
        if wide < PATCH_PX:
            some = F.interpolate(some, size=(int(wide), int(wide)), mode="area")
            some = F.interpolate(some, size=(PATCH_PX, PATCH_PX), mode="bilinear")
        blur = hardness.blur_px * float(torch.rand(()))
        out[part] = _blurred(some, blur) if blur > LEAST_BLUR else some
    return out


def _blurred(looks: Tensor, sigma: float) -> Tensor:
    reach = math.ceil(3 * sigma)
    along = torch.arange(-reach, reach + 1, device=looks.device)
    weights = torch.exp(-((along / sigma) ** 2) / 2)
    weights = (weights / weights.sum()).expand(3, 1, 1, -1)
    padded = F.pad(looks, (reach, reach, reach, reach), mode="replicate")
    return F.conv2d(F.conv2d(padded, weights, groups=3), weights.transpose(2, 3), groups=3)


def _lit(looks: Tensor, hardness: Hardness) -> Tensor:
    """Return looks under other lamps and from other cameras."""
    strong = torch.exp(hardness.colour * _drawn(looks))
    looks = (strong * looks + (1 - strong) * looks.mean(1, keepdim=True)).clamp(0, 255)
    tones = (looks / 255) ** torch.exp(hardness.curve * _drawn(looks))
    veil = (hardness.veil * _drawn(looks)).abs().clamp(max=0.6)
    looks = 255 * tones * (1 - veil) + veil * (150 + 105 * _share(looks))
    looks = looks * torch.exp(hardness.gain * _drawn(looks) + hardness.channel * _drawn(looks, 3))
    dark = DARKEST * _share(looks) * (_share(looks) < hardness.dark)
    looks = looks * torch.exp(-dark)
    along = torch.arange(PATCH_PX, device=looks.device) / PATCH_PX - 0.5
    slopes = hardness.shade * _drawn(looks, 2)
    x, y = along[None, None, None, :], along[None, None, :, None]
    looks = looks * torch.exp(slopes[:, :1] * x + slopes[:, 1:] * y)
    at, reach = _share(looks, 2) - 0.5, 0.08 + 0.4 * _share(looks)
    far = ((x - at[:, :1]) ** 2 + (y - at[:, 1:]) ** 2) / reach**2
    bright = BRIGHTEST * _share(looks) * (_share(looks) < GLARES)
    looks = looks + bright * torch.exp(-far)
    looks = looks + hardness.noise * _share(looks) * torch.randn_like(looks)
    return looks.clamp(0, 255)


def alone(looks: Tensor, folds: Tensor) -> Tensor:
    """Return looks, with the surroundings of hexes replaced by the mean colour."""
    inside = torch.from_numpy(hex_inside(PATCH_PX)).to(looks.device)
    means = (looks * inside).sum((2, 3), keepdim=True) / inside.sum()
    hexes = (folds == HEX_FOLDS)[:, None, None, None]
    return torch.where(hexes & ~inside, means, looks)

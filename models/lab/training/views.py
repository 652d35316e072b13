"""Augmented views of drawn tables, made on the accelerator: turned, scaled, relit, with targets.

Drawing a table takes half a second and another view of it almost no time, so each table is viewed
many times. Targets are not warped pictures: they are computed for every pixel of the maps from the
corners of the visible cell, so they stay exact at any scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi, sqrt

import torch
import torch.nn.functional as F  # noqa: N812 - the name that everyone knows it by
from torch import Tensor

from models.lab.training.learning import Bank
from models.lab.training.samples import BOARD, HEX, SAMPLE_PX, SQUARE
from vision.detect.network import SIZE_PX, STRIDE

TILE_PX = (13.0, 165.0)
"""Range of tile widths in the network's pictures."""
LEAST_ENLARGED, MOST_ENLARGED = 0.36, 1.7
SIDE_PX = 2.6
"""Least width of the band inside a cell that counts as its side."""
SIDE_SHARE = 0.09
"""Least width of a side's band, as a share of its cell's half width, for large cells."""
CENTRE_WIDTH = 0.22
SQRT3 = sqrt(3.0)
GAMMA = 2.2
"""Approximate gamma between pixel values and light."""


@dataclass(frozen=True)
class View:
    """A batch of pictures with the network's targets."""

    pictures: Tensor
    maps: Tensor
    """Six channels of shares, then numbers; count x channels x rows x columns."""
    judged: Tensor
    """1 where the view shows the table's picture and the truth is known."""
    tiles: Tensor
    """Weight of each pixel for the numbers: 0 off the tiles, lower on tiles with many pixels."""


def look(bank: Bank, picks: Tensor, size_px: int, rng: torch.Generator, *, plain: bool) -> View:
    """Return views of some tables.

    Args:
        bank: the kept tables.
        picks: numbers of the tables.
        size_px: width and height of the pictures.
        rng: random generator of the device.
        plain: leave light, blur and noise unchanged, to measure with.
    """
    scene_from_view = _maps(bank, picks, size_px, rng)
    pictures, inside = _pictures(bank, picks, scene_from_view, size_px)
    if not plain:
        pictures = relit(pictures, rng)
        pictures = pictures * inside + 0.5 * (1 - inside)
    return _targets(bank, picks, scene_from_view, size_px, pictures)


def _uniform(count: int, low: float, high: float, rng: torch.Generator) -> Tensor:
    return torch.rand(count, generator=rng, device=rng.device) * (high - low) + low


def _maps(bank: Bank, picks: Tensor, size_px: int, rng: torch.Generator) -> Tensor:
    """Return for each view the homography from its pixels to its table's, count x 3 x 3."""
    count = len(picks)
    device = bank.device
    cells = bank["counts"][picks]
    chosen = (torch.rand(count, generator=rng, device=device) * cells.clamp(min=1)).long()
    corners = bank["corners"][picks, chosen]
    empty = cells == 0
    middle = corners.mean(1)
    width = torch.linalg.vector_norm(corners[:, 0] - corners[:, 2], dim=1) / sqrt(2)
    frame = torch.tensor(SAMPLE_PX, device=device, dtype=torch.float32)
    anywhere = torch.rand((count, 2), generator=rng, device=device) * frame
    away = empty | (torch.rand(count, generator=rng, device=device) < 0.15)
    middle = torch.where(away[:, None], anywhere, middle)
    wanted = torch.exp(_uniform(count, log(TILE_PX[0]), log(TILE_PX[1]), rng))
    width = torch.where(empty, _uniform(count, 25, 110, rng), width.clamp(min=4))
    scale = (wanted / width).clamp(LEAST_ENLARGED, MOST_ENLARGED)
    turn = _uniform(count, 0, 2 * pi, rng)
    # A quarter of the views have quarter turns only, so that pixel rows stay rows or columns.
    upright = torch.rand(count, generator=rng, device=device) < 0.25
    turn = torch.where(upright, (turn / (pi / 2)).floor() * (pi / 2), turn)
    stretch = torch.exp(_uniform(count, -0.18, 0.18, rng)) * (~upright) + upright.float()
    axis = _uniform(count, 0, pi, rng)
    flip = 1.0 - 2.0 * (torch.rand(count, generator=rng, device=device) < 0.5)
    linear = _spin(axis) @ torch.diag_embed(torch.stack([stretch, 1 / stretch], 1)) @ _spin(-axis)
    linear = linear @ _spin(turn) @ torch.diag_embed(torch.stack([flip, torch.ones_like(flip)], 1))
    linear = linear / scale[:, None, None]
    shift = (torch.rand((count, 2), generator=rng, device=device) - 0.5) * size_px * 0.6
    out = torch.zeros((count, 3, 3), device=device)
    out[:, :2, :2] = linear
    centre = torch.full((count, 2), (size_px - 1) / 2, device=device) + shift
    out[:, :2, 2] = middle - (linear @ centre[..., None])[..., 0]
    lean = (torch.rand((count, 2), generator=rng, device=device) - 0.5) * 0.5 / size_px
    out[:, 2, :2] = lean * (~upright)[:, None]
    out[:, 2, 2] = 1 - (out[:, 2, :2] * centre).sum(1)
    # The middle stays fixed under the perspective.
    out[:, :2] += middle[..., None] * (out[:, 2:] - torch.tensor([0.0, 0, 1], device=device))
    return out


def _spin(angle: Tensor) -> Tensor:
    c, s = torch.cos(angle), torch.sin(angle)
    return torch.stack([torch.stack([c, -s], 1), torch.stack([s, c], 1)], 1)


def _grid(size_px: int, step: int, device: torch.device) -> Tensor:
    """Return the middles of blocks of ``step`` x ``step`` pixels, as x, y, 1."""
    line = torch.arange(0, size_px, step, device=device) + (step - 1) / 2
    ys, xs = torch.meshgrid(line, line, indexing="ij")
    return torch.stack([xs, ys, torch.ones_like(xs)], -1)


def _pictures(
    bank: Bank, picks: Tensor, scene_from_view: Tensor, size_px: int
) -> tuple[Tensor, Tensor]:
    """Return the views' pixels, and a mask of where they show the table's picture."""
    device = bank.device
    width, height = SAMPLE_PX
    grid = _grid(size_px, 1, device).reshape(-1, 3)
    places = torch.einsum("nij,pj->npi", scene_from_view, grid)
    places = places[..., :2] / places[..., 2:].clamp(min=1e-3)
    frame = torch.tensor([width, height], device=device, dtype=torch.float32)
    places = ((places + 0.5) / frame * 2 - 1).reshape(len(picks), size_px, size_px, 2)
    zoom = _area(scene_from_view).abs().sqrt()
    level = (torch.log2(zoom) + 0.3).floor().clamp(0, 2).long()
    out = torch.zeros((len(picks), 3, size_px, size_px), device=device)
    for step in range(3):
        own = torch.nonzero(level == step)[:, 0]
        if len(own):
            source = bank["bgr"][picks[own]].permute(0, 3, 1, 2).float() / 255
            if step:
                source = F.avg_pool2d(source, 2**step)
            out[own] = F.grid_sample(
                source, places[own], mode="bilinear", padding_mode="border", align_corners=False
            )
    inside = (places.abs().amax(-1) <= 1)[:, None].float()
    return out * inside + 0.5 * (1 - inside), inside


def relit(pictures: Tensor, rng: torch.Generator) -> Tensor:
    """Return pictures with other light, blur and noise."""
    count, device = len(pictures), pictures.device

    def some(share: float, low: float, high: float, rest: float) -> Tensor:
        use = torch.rand(count, generator=rng, device=device) < share
        value = torch.where(
            use, _uniform(count, low, high, rng), torch.full((count,), rest, device=device)
        )
        return value[:, None, None, None]

    out = pictures.clamp(0, 1) ** some(0.6, 0.5, 2.3, 1.0)
    gains = 1 + (torch.rand((count, 3, 1, 1), generator=rng, device=device) - 0.5) * some(
        0.7, 0.1, 0.6, 0.0
    )
    out = out * gains * some(0.6, 0.55, 1.35, 1.0)
    out = _exposed(out, some(0.2, 1.2, 3.0, 1.0))
    grey = out.mean(1, keepdim=True)
    smeared = F.avg_pool2d(F.pad(out - grey, (2, 2, 2, 2), mode="replicate"), 5, 1)
    colour = out - grey
    # Cameras denoise colour more strongly than brightness.
    colour = colour + (smeared - colour) * some(0.3, 0.3, 1.0, 0.0)
    out = grey + colour * some(0.5, 0.0, 1.6, 1.0)
    middle = out.mean((1, 2, 3), keepdim=True)
    out = middle + (out - middle) * some(0.5, 0.6, 1.35, 1.0)
    # Colours are swapped or inverted now and then, since tiles are found by their shape.
    swap = torch.rand(count, generator=rng, device=device) < 0.12
    out = torch.where(swap[:, None, None, None], out.flip(1), out)
    opposite = torch.rand(count, generator=rng, device=device) < 0.05
    out = torch.where(opposite[:, None, None, None], 1 - out, out)
    soft = F.avg_pool2d(F.pad(out, (1, 1, 1, 1), mode="replicate"), 3, 1)
    softer = F.avg_pool2d(F.pad(soft, (1, 1, 1, 1), mode="replicate"), 3, 1)
    out = out + (soft - out) * some(0.4, 0, 1, 0.0)
    out = out + (softer - out) * some(0.25, 0.3, 1, 0.0)
    out = out + (out - soft) * some(0.2, 0.2, 1.2, 0.0)
    noise = torch.randn(out.shape, generator=rng, device=device)
    out = out + noise * some(0.4, 0.005, 0.07, 0.0)
    return out.clamp(0, 1)


def _exposed(pictures: Tensor, gain: Tensor) -> Tensor:
    """Return overexposed pictures, in which white cards on a dark table burn out."""
    light = pictures.clamp(0, 1) ** GAMMA * gain
    burnt = light.clamp(max=1) ** (1 / GAMMA)
    return torch.where(gain == 1, pictures, burnt)


def _targets(
    bank: Bank, picks: Tensor, scene_from_view: Tensor, size_px: int, pictures: Tensor
) -> View:
    device = bank.device
    width, height = SAMPLE_PX
    grid = _grid(size_px, STRIDE, device)
    side = grid.shape[0]
    places = torch.einsum("nij,pj->npi", scene_from_view, grid.reshape(-1, 3))
    places = (places[..., :2] / places[..., 2:].clamp(min=1e-3)).round().long()
    x, y = places[..., 0], places[..., 1]
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    rows = torch.arange(len(picks), device=device)[:, None].expand_as(x)
    ids = bank["ids"][picks[rows], y.clamp(0, height - 1), x.clamp(0, width - 1)].long()
    judged = inside & (ids >= 0)
    on = judged & (ids > 0)
    cell = (ids - 1).clamp(min=0)
    middle, frame, kinds = _frames(bank, picks, scene_from_view)
    cut = bank["cut"][picks]
    kind = kinds[rows, cell]
    centre, frame_at = middle[rows, cell], frame[rows, cell]
    here = grid[..., :2].reshape(1, -1, 2)
    size = _area(frame_at).abs().clamp(min=1e-4).sqrt()
    towards = (centre - here) / size[..., None]
    local = _unturned(frame_at, here - centre)
    # A hex has its corners at radius 1 and its sides nearer; ``reach`` is in half widths.
    square = kind == SQUARE
    angle = torch.atan2(local[..., 1], local[..., 0])
    sixth = (angle / (pi / 3)).floor()
    radius = torch.linalg.vector_norm(local, dim=-1)
    reach = torch.where(
        square, local.abs().amax(-1), radius * torch.cos(angle - (sixth + 0.5) * pi / 3) * 2 / SQRT3
    )
    half = torch.where(square, size, size * SQRT3 / 2)
    band = (SIDE_PX / half).clamp(min=SIDE_SHARE)
    near = on & (reach > 1 - band)
    which = torch.where(square, _square_side(local), sixth.long() % 6)
    edge = near & (cut[rows, cell].gather(2, which[..., None])[..., 0] > 0)
    heat = torch.exp(-(radius**2) / (2 * CENTRE_WIDTH**2)) * on
    numbers = _numbers(frame_at, square, size)
    maps = torch.cat(
        [
            torch.stack(
                [on & (kind == k) for k in (SQUARE, HEX, BOARD)] + [near, edge], -1
            ).float(),
            heat[..., None],
            towards,
            numbers,
        ],
        -1,
    )
    maps = maps.reshape(len(picks), side, side, -1).permute(0, 3, 1, 2)
    weight = (on * (8.0 / half).clamp(max=1.0)).reshape(len(picks), 1, side, side)
    return View(pictures, maps, judged.reshape(len(picks), 1, side, side).float(), weight)


def _area(frame: Tensor) -> Tensor:
    """Return the determinants of many 2 x 2 matrices, faster than a general routine."""
    return frame[..., 0, 0] * frame[..., 1, 1] - frame[..., 0, 1] * frame[..., 1, 0]


def _unturned(frame: Tensor, away: Tensor) -> Tensor:
    """Return offsets in a cell's own axes."""
    det = _area(frame)
    det = torch.where(det.abs() < 1e-4, torch.full_like(det, 1e-4), det)
    x = frame[..., 1, 1] * away[..., 0] - frame[..., 0, 1] * away[..., 1]
    y = frame[..., 0, 0] * away[..., 1] - frame[..., 1, 0] * away[..., 0]
    return torch.stack([x, y], -1) / det[..., None]


def _square_side(local: Tensor) -> Tensor:
    """Return the side of a square that a place is nearest to: top, right, bottom, left."""
    upright = local[..., 1].abs() >= local[..., 0].abs()
    level = torch.where(local[..., 0] > 0, 1, 3)
    return torch.where(upright, torch.where(local[..., 1] < 0, 0, 2), level)


def _frames(bank: Bank, picks: Tensor, scene_from_view: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return each cell's middle, its frame (columns: half axes; a hex's: to its corners), kind."""
    corners, kinds = bank["corners"][picks], bank["kinds"][picks].long()
    view_from_scene = torch.linalg.inv(scene_from_view)
    flat = torch.cat([corners, torch.ones_like(corners[..., :1])], -1)
    seen = torch.einsum("nij,nckj->ncki", view_from_scene, flat)
    seen = seen[..., :2] / seen[..., 2:].clamp(min=1e-3)
    c = [seen[:, :, k] for k in range(6)]
    square = (kinds == SQUARE)[..., None]
    middle = torch.where(square, (c[0] + c[1] + c[2] + c[3]) / 4, sum(c) / 6)
    right = (c[1] + c[2] - c[0] - c[3]) / 4
    down = (c[2] + c[3] - c[0] - c[1]) / 4
    angles = torch.arange(6, device=seen.device) * (pi / 3)
    around = seen - middle[:, :, None]
    first = (around * torch.cos(angles)[:, None]).sum(2) / 3
    second = (around * torch.sin(angles)[:, None]).sum(2) / 3
    frame = torch.stack([torch.where(square, right, first), torch.where(square, down, second)], -1)
    empty = _area(frame).abs() < 1e-3
    unit = torch.eye(2, device=seen.device)
    return middle, torch.where(empty[..., None, None], unit, frame), kinds


def _numbers(frame: Tensor, square: Tensor, size: Tensor) -> Tensor:
    """Return size, stretch and turn of frames in a form that is the same for equal outlines.

    A frame is a symmetric stretch times a turn (polar decomposition); the stretch is given by its
    matrix logarithm, the turn by its fourth or sixth multiple, which no quarter or sixth turn of
    the tile changes.
    """
    a, b = frame[..., 0, 0], frame[..., 0, 1]
    c, d = frame[..., 1, 0], frame[..., 1, 1]
    mirrored = (a * d - b * c) < 0
    # The frame of a mirrored view gets its second axis negated; the outline stays the same.
    b, d = torch.where(mirrored, -b, b), torch.where(mirrored, -d, d)
    xx, xy, yy = a * a + b * b, a * c + b * d, c * c + d * d
    half_sum, half_gap = (xx + yy) / 2, (xx - yy) / 2
    root = torch.sqrt(half_gap**2 + xy**2 + 1e-12)
    large, small = (half_sum + root).clamp(min=1e-8), (half_sum - root).clamp(min=1e-8)
    spread = torch.log(large / small) / 4 / root
    turn = torch.atan2(c - b, a + d)
    folds = torch.where(square, 4.0, 6.0)
    return torch.stack(
        [
            torch.log(size / SIZE_PX),
            spread * half_gap,
            spread * xy,
            torch.cos(folds * turn),
            torch.sin(folds * turn),
        ],
        -1,
    )

"""Spoils patches on the accelerator as tables do: covers, spots of light, blur, few pixels, lamps.

Everything works on N x 3 x 64 x 64 values from 0 to 255 and draws anew for each patch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - the name that everyone knows it by
from torch import Tensor

from vision.core.crop import PATCH_PX

GROUPS = 8
"""Groups of a batch that are blurred and coarsened alike: a batch must have one size."""
NARROWEST_PX, WIDEST_PX = 11.0, 150.0
"""Range of tile widths: what is wider is drawn at the size of a patch anyway."""
MOST_BLUR, LEAST_BLUR = 2.4, 0.3
GAMMA = 2.2
DARKEST = 1.6
"""Greatest darkening of a tile in low light, as a natural logarithm."""
COARSE = 4
"""Every so many pixels of a cover are counted for the share that it hides."""


@dataclass(frozen=True)
class Light:
    """Standard deviations, as natural logarithms, of what lamps and cameras do to a print."""

    gain: float = 0.3
    channel: float = 0.13
    shade: float = 0.25
    colour: float = 0.4
    curve: float = 0.22
    veil: float = 0.18
    noise: float = 12.0
    dark: float = 0.25
    """Share in low light."""


ANY_LIGHT = Light()


def drawn(like: Tensor, channels: int = 1) -> Tensor:
    """Return normal numbers, one a patch and channel."""
    return torch.randn(len(like), channels, 1, 1, device=like.device)


def evenly(like: Tensor, low: float = 0.0, high: float = 1.0, channels: int = 1) -> Tensor:
    """Return evenly spread numbers, one a patch and channel."""
    return low + (high - low) * torch.rand(len(like), channels, 1, 1, device=like.device)


def places(like: Tensor) -> tuple[Tensor, Tensor]:
    """Return how far right and down each pixel lies, from -0.5 to 0.5."""
    along = (torch.arange(PATCH_PX, device=like.device) + 0.5) / PATCH_PX - 0.5
    return along[None, None, None, :], along[None, None, :, None]


def covered(looks: Tensor, visible: Tensor) -> Tensor:
    """Return patches of which only a share is seen: beside an edge, around a disc, past a strip.

    What covers them is another patch or one colour, and throws a soft shadow now and then.
    """
    x, y = places(looks)
    angle = evenly(looks, 0, 2 * math.pi)
    u = x * torch.cos(angle) + y * torch.sin(angle)
    v = y * torch.cos(angle) - x * torch.sin(angle)
    at = evenly(looks, -0.6, 0.6, 2)
    disc = -torch.hypot(x - at[:, :1], y - at[:, 1:])
    fields = torch.cat(
        [u, u + 0.15 * v.square(), torch.minimum(u, v), disc, -(u - at[:, :1]).abs()], 1
    )
    field = fields.gather(
        1, torch.randint(5, (len(looks), 1, 1, 1), device=looks.device).expand_as(u)
    )
    some = field[..., ::COARSE, ::COARSE].flatten(1).sort(dim=1).values
    edge = (visible.clamp(0, 1) * (some.shape[1] - 1)).long()
    limit = some.gather(1, edge[:, None])[:, :, None, None]
    others = looks[torch.randperm(len(looks), device=looks.device)]
    colour = evenly(looks, 10, 245, 3) * (1 + evenly(looks, 0, 0.3) * u)
    cover = torch.where(evenly(looks) < 0.5, others, colour)
    dim = evenly(looks, 0, 0.6) * torch.sigmoid((field - limit) / evenly(looks, 0.01, 0.1))
    hidden = (field > limit) & (visible < 1)[:, None, None, None]
    shadowed = torch.where((visible < 1)[:, None, None, None], looks * (1 - dim), looks)
    return torch.where(hidden, cover, shadowed)


def lit(looks: Tensor, amount: Tensor, light: Light = ANY_LIGHT) -> Tensor:
    """Return patches under other lamps and from other cameras.

    Args:
        looks: the patches.
        amount: factor on the deviations of each patch.
        light: the deviations.
    """
    much = amount[:, None, None, None]
    strong = torch.exp(light.colour * much * drawn(looks))
    looks = (strong * looks + (1 - strong) * looks.mean(1, keepdim=True)).clamp(0, 255)
    looks = 255 * (looks / 255 + 1e-4) ** torch.exp(light.curve * much * drawn(looks))
    veil = (light.veil * much * drawn(looks)).abs().clamp(max=0.6)
    looks = looks * (1 - veil) + veil * evenly(looks, 150, 255)
    gain = light.gain * much * drawn(looks) + light.channel * much * drawn(looks, 3)
    dark = DARKEST * evenly(looks) * much * (evenly(looks) < light.dark)
    x, y = places(looks)
    slopes = light.shade * much * drawn(looks, 2)
    looks = looks * torch.exp(gain - dark + slopes[:, :1] * x + slopes[:, 1:] * y)
    return looks.clamp(0, 255)


def overexposed(looks: Tensor, spots: float, burnt: float) -> Tensor:
    """Return patches of which some have a spot of light, and some are exposed too long.

    Args:
        looks: the patches.
        spots: share with a spot of any size over any part.
        burnt: share that is exposed too long as a whole.
    """
    x, y = places(looks)
    at, angle = evenly(looks, -0.6, 0.6, 2), evenly(looks, 0, math.pi)
    away_x, away_y = x - at[:, :1], y - at[:, 1:]
    u = away_x * torch.cos(angle) + away_y * torch.sin(angle)
    v = away_y * torch.cos(angle) - away_x * torch.sin(angle)
    wide = torch.exp(evenly(looks, math.log(0.06), math.log(1.2)))
    far = torch.hypot(u / evenly(looks, 1, 3), v) / wide
    soft = torch.exp(evenly(looks, math.log(0.05), 0.0))
    light = torch.sigmoid((1 - far) / soft * 3) * evenly(looks, 0.3, 2.0)
    light = light * (1 + evenly(looks, -0.12, 0.05, 3)) * (evenly(looks) < spots)
    gain = torch.where(evenly(looks) < burnt, evenly(looks, 1.2, 2.5), torch.ones_like(at[:, :1]))
    linear = (looks.clamp(0, 255) / 255 + 1e-4) ** GAMMA * gain + light
    return 255 * linear.clamp(1e-4, 1) ** (1 / GAMMA)


def softened(
    looks: Tensor, across_px: Tensor, coarse: float, most_blur: float = MOST_BLUR
) -> tuple[Tensor, Tensor]:
    """Return patches out of focus and some of them with fewer pixels, and their widths.

    Args:
        looks: the patches.
        across_px: the width of each tile in its picture.
        coarse: share of the patches that are seen from farther away.
        most_blur: largest blur, in pixels of a patch.
    """
    out, across = looks.clone(), across_px.clone()
    low, high = math.log(NARROWEST_PX), math.log(WIDEST_PX)
    for part in torch.randperm(len(looks), device=looks.device).chunk(GROUPS):
        some = looks[part]
        blur = most_blur * float(torch.rand(()))
        if blur > LEAST_BLUR:
            some = blurred(some, blur)
        wide = math.exp(low + (high - low) * float(torch.rand(())))
        farther = (torch.rand(len(part), device=looks.device) < coarse) & (across[part] > wide)
        if wide < PATCH_PX:
            few = F.interpolate(some, size=(int(wide), int(wide)), mode="area")
            few = F.interpolate(few, size=(PATCH_PX, PATCH_PX), mode="bilinear")
            some = torch.where(farther[:, None, None, None], few, some)
        out[part] = some
        across[part] = torch.where(farther, torch.full_like(across[part], wide), across[part])
    return out, across


def blurred(looks: Tensor, sigma: float) -> Tensor:
    """Return patches blurred by a Gaussian."""
    reach = math.ceil(2.5 * sigma)
    along = torch.arange(-reach, reach + 1, device=looks.device)
    weights = torch.exp(-((along / sigma) ** 2) / 2)
    weights = (weights / weights.sum()).expand(3, 1, 1, -1).to(looks.dtype)
    padded = F.pad(looks, (reach, reach, reach, reach), mode="replicate")
    return F.conv2d(F.conv2d(padded, weights, groups=3), weights.transpose(2, 3), groups=3)


def noisy(looks: Tensor, amount: Tensor, light: Light = ANY_LIGHT) -> Tensor:
    """Return patches with a camera's noise."""
    grain = light.noise * amount[:, None, None, None] * evenly(looks)
    return (looks + grain * torch.randn_like(looks)).clamp(0, 255)

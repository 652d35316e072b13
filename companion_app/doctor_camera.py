"""The checks of `doctor` on the camera: whether it is there, its focus, the light, the lens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import cv2
import numpy as np

from companion_app.answers import InputError
from companion_app.doctor_machine import Finding, as_written
from vision import Bgr, VisionError, picture_troubles
from vision.sources import FrameSource
from vision.sources.pi_camera import CameraFacts, PiCamera

MOST_TRIES = 8
"""Frames taken, of which the last is checked: a webcam's first ones are dark."""
BLOCKS = (6, 8)
TEXTURED = 14.0
"""Standard deviation of grey levels above which a block's sharpness can be measured."""
SMEARED, PATCH_BLOCKS = 0.3, 4
"""Sharpness of a smeared block as a share of the median, and how many of them must adjoin: the
soft edges of shadows leave one or two."""
FOGGED = 70.0
"""First percentile of the pixels' darkest channel above which a lens may be fogged: through a clean
lens some pixel is black or strongly coloured."""
FEWEST_BLOCKS = 8


@dataclass(frozen=True)
class Seen:
    """A picture from the camera, or why there is none."""

    name: str
    """The source, such as ``pi`` or ``webcam:0``; empty if there is none."""
    bgr: Bgr | None = None
    facts: CameraFacts | None = None
    trouble: str = ""
    """Why there is no picture."""
    lost: bool = False
    """Whether the running companion has lost the camera."""
    in_use: bool = False
    """Whether the running companion has the camera open."""


def look(name: str, open_source: Callable[[str], FrameSource]) -> Seen:
    """Take a picture with a camera; return it, or why there is none."""
    if not name:
        return Seen("")
    try:
        source = open_source(name)
        try:
            frames = [f for f in islice(source.frames(), MOST_TRIES) if f is not None]
            facts = source.facts if isinstance(source, PiCamera) else None
        finally:
            source.close()
    except (VisionError, InputError) as error:
        return Seen(name, trouble=str(error))
    if not frames:
        return Seen(name, trouble=f"{name} gives no pictures; check its cable")
    return Seen(name, frames[-1].bgr, facts)


def camera_checks(seen: Seen, *, wanted: bool) -> list[Finding]:
    """Return the checks of camera, focus, light and lens.

    Args:
        seen: what the camera shows.
        wanted: whether the settings ask for this camera, so that its absence is a fault.
    """
    camera = _camera(seen, wanted)
    if seen.bgr is None:
        return [camera, *(Finding(name, None, "no-picture") for name in ("focus", "light", "lens"))]
    troubles = picture_troubles(seen.bgr)
    return [camera, _focus(seen, troubles), _light(troubles), _lens(seen.bgr, troubles)]


def _camera(seen: Seen, wanted: bool) -> Finding:
    if seen.in_use:
        return Finding("camera", None, "camera-in-use", "camera-look")
    if seen.bgr is not None:
        height, width = seen.bgr.shape[:2]
        name = f"{seen.name} ({seen.facts.model})" if seen.facts else seen.name
        values = {"name": name, "width": str(width), "height": str(height)}
        return Finding("camera", True, "camera-pictures", values=values)
    if seen.lost:
        return Finding("camera", False, "camera-lost", "camera-plug-in")
    if seen.trouble:
        return as_written("camera", False, seen.trouble, "camera-plug-in")
    return Finding("camera", False if wanted else None, "camera-none", "camera-plug-in")


def _focus(seen: Seen, troubles: Sequence[str]) -> Finding:
    if seen.facts is not None and seen.facts.focused is False:
        return Finding("focus", False, "focus-failed", "focus-again")
    if "blur" in troubles:
        return Finding("focus", False, "focus-blurred", "focus-turn")
    if sharpness_by_block(seen.bgr) is None:
        return Finding("focus", None, "too-little", "lay-some")
    return Finding("focus", True, "focus-sharp")


def _light(troubles: Sequence[str]) -> Finding:
    if "dark" in troubles:
        return Finding("light", False, "light-dark", "light-more")
    if "bright" in troubles:
        return Finding("light", False, "light-bright", "light-less")
    return Finding("light", True, "light-fine")


def _lens(bgr: Bgr, troubles: Sequence[str]) -> Finding:
    if "dark" in troubles or "bright" in troubles:
        return Finding("lens", None, "lens-unchecked")
    if float(np.quantile(bgr[::8, ::8].min(axis=2), 0.01)) > FOGGED:
        return Finding("lens", None, "lens-fogged", "lens-wipe")
    sharp = sharpness_by_block(bgr)
    if sharp is None:
        return Finding("lens", None, "too-little")
    smeared = _largest_patch(sharp < SMEARED * float(np.nanmedian(sharp)))
    if len(smeared) >= PATCH_BLOCKS:
        values = {"place": [_place(*smeared.mean(axis=0))]}
        return Finding("lens", False, "lens-smeared", "lens-wipe", values)
    return Finding("lens", True, "lens-clean")


def sharpness_by_block(bgr: Any) -> Any:
    """Return edge slope relative to contrast, by block; ``None`` if too few blocks are textured.

    Blocks without texture are NaN.
    """
    scale = min(1.0, 960 / max(bgr.shape[:2]))
    grey = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = cv2.GaussianBlur(grey, (3, 3), 0.6).astype(np.float32)
    slope = cv2.magnitude(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) / 8
    sharp = np.full(BLOCKS, np.nan)
    for row, band in enumerate(np.array_split(np.stack([grey, slope]), BLOCKS[0], axis=1)):
        for column, (block, steep) in enumerate(np.array_split(band, BLOCKS[1], axis=2)):
            if float(block.std()) > TEXTURED:
                low, high = np.quantile(block, [0.05, 0.95])
                sharp[row, column] = float(np.quantile(steep, 0.98)) / max(1.0, high - low)
    return sharp if np.isfinite(sharp).sum() >= FEWEST_BLOCKS else None


def _largest_patch(blocks: Any) -> Any:
    """Return rows and columns of the blocks in the largest 4-connected patch."""
    count, labels = cv2.connectedComponents(blocks.astype(np.uint8), connectivity=4)
    patches = [np.argwhere(labels == number) for number in range(1, count)]
    return max(patches, key=len, default=np.zeros((0, 2), int))


def _place(row: float, column: float) -> str:
    """Return the code of where a block lies."""
    down = "above" if row < BLOCKS[0] / 3 else "below" if row >= BLOCKS[0] * 2 / 3 else ""
    across = "left" if column < BLOCKS[1] / 3 else "right" if column >= BLOCKS[1] * 2 / 3 else ""
    return "-".join(word for word in (down, across) if word) or "middle"

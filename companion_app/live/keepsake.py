"""The picture that is kept of a move: as small as its tiles can still be read in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import cv2
import numpy as np

from companion_app.live.match import Match
from companion_app.live.places import Point
from vision import Bgr, Frame

Outline = tuple[Point, ...]
WIDTHS_PX = (960, 1280, 1920)
"""Widths to choose from: the smallest in which tiles are wide enough is used. At quality 80
the pictures are about 100, 170 and 350 KB."""
TILE_PX = 28.0
"""Least width of a tile, or of a cell of a hex tile; below 24 pixels nothing is read."""
QUALITY = 80


def packed(frame: Frame, outlines: Iterable[Outline]) -> bytes | None:
    """Return a frame as a small JPEG file.

    Args:
        frame: what the camera showed.
        outlines: where tiles lie; a hex tile's outline occurs once for each of its cells.
    """
    height, width = frame.bgr.shape[:2]
    scale = min(1.0, _width_px(width, outlines) / width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(frame.bgr, size, interpolation=cv2.INTER_AREA)
    done, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return jpeg.tobytes() if done else None


def unpacked(jpeg: bytes) -> Bgr | None:
    """Return the picture in a JPEG file; ``None`` if it cannot be decoded."""
    data = np.frombuffer(jpeg, np.uint8)
    bgr = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    return None if bgr is None else np.asarray(bgr, np.uint8)


def last_picture(match: Match) -> Bgr | None:
    """Return the newest kept picture of the accepted moves; ``None`` if there is none."""
    for seq in dict.fromkeys(accepted.seq for accepted in reversed(match.accepted)):
        jpeg = match.store.picture(seq, "after")
        if jpeg is not None:
            return unpacked(jpeg)
    return None


def _width_px(width: int, outlines: Iterable[Outline]) -> int:
    """Return the width at which a picture must be kept so that its tiles can be read again."""
    cells = Counter(outline for outline in outlines if len(outline) > 2)
    sizes = [
        (cv2.contourArea(np.array(outline, np.float32)) / count) ** 0.5
        for outline, count in cells.items()
    ]
    wide = [w for w in WIDTHS_PX if min(sizes, default=0.0) * w >= TILE_PX * width]
    return min(wide, default=WIDTHS_PX[-1 if sizes else 0])

"""Contact sheets: every face of a box on one picture, for READMEs and for looking at.

``python -m models.art.contact`` writes those of the built-in sets into ``models/contact_sheets``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from engine.setfile import built_in_names, built_in_set
from engine.tiles import TileSet
from models.art.faces import PaintedFace, faces
from models.art.paint import Picture

FOLDER = Path(__file__).parents[1] / "contact_sheets"
WIDTH_PX = 1400
PX_PER_MM = 3.0
GAP_PX = 9
TABLE_BGR = (168, 188, 202)
WEBP_QUALITY = 80


def contact_sheet(tile_set: TileSet) -> Picture:
    """Return all faces of a box on one blue-first picture: fronts, one back, then the board."""
    shown = list(_worth_showing(tile_set, faces(tile_set, PX_PER_MM)))
    places, height = _rows(shown)
    sheet = np.full((height, WIDTH_PX, 3), TABLE_BGR, np.uint8)
    for face, (x, y) in zip(shown, places, strict=True):
        rows, columns = face.alpha.shape
        window = sheet[y : y + rows, x : x + columns]
        cover = face.alpha[..., np.newaxis] / 255.0
        window[:] = np.rint(window * (1 - cover) + face.bgr * cover).astype(np.uint8)
    return sheet


def _worth_showing(tile_set: TileSet, painted: dict[str, PaintedFace]) -> Iterable[PaintedFace]:
    yield from (face for face in painted.values() if face.side == "front" and face.tile != "board")
    if tile_set.lattice == "square":
        yield next(face for face in painted.values() if face.side == "back")
    if "board" in painted:
        yield painted["board"]


def _rows(shown: Iterable[PaintedFace]) -> tuple[list[tuple[int, int]], int]:
    """Return the corner of each face, in rows from the left, and the height of all."""
    x = y = GAP_PX
    tallest = 0
    places = []
    for face in shown:
        rows, columns = face.alpha.shape
        if x + columns + GAP_PX > WIDTH_PX:
            x, y, tallest = GAP_PX, y + tallest + GAP_PX, 0
        places.append((x, y))
        x += columns + GAP_PX
        tallest = max(tallest, rows)
    return places, y + tallest + GAP_PX


def main() -> None:
    """Write the contact sheets of all built-in sets."""
    FOLDER.mkdir(exist_ok=True)
    for name in built_in_names():
        quality = [cv2.IMWRITE_WEBP_QUALITY, WEBP_QUALITY]
        _, data = cv2.imencode(".webp", contact_sheet(built_in_set(name)), quality)
        (FOLDER / f"{name}.webp").write_bytes(data.tobytes())


if __name__ == "__main__":
    main()

"""Sheets of tiles: fronts, and backs that meet them when the paper is flipped over."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.draw import Face
from engine.draw.display import Affine, Contour, Group, Point, mapped, polyline, stroked
from models.sheets.pack import GAP_MM, Laid, pack
from models.sheets.paper import Sheet
from models.sheets.pdf import HAIR_MM, Pdf
from models.sheets.words import Words

MARK_FROM_MM, MARK_TO_MM = 0.4, GAP_MM / 2
"""Cut marks begin and end so far outside the corner they point at."""
MARK_COLOUR = "#000000"
MOST_CORNERS_WITH_MARKS = 30
"""Rounder outlines are marked on four sides only."""


def tile_sheets(
    path: Path, title: str, sheet: Sheet, pairs: Sequence[tuple[Face, Face, int]],
    words: Words | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Write all tiles, front and back in turn, and return what lies where on each page."""
    pdf = Pdf(path, sheet, title, words)
    pages = pack(pairs, sheet)
    index = []
    for number, laid in enumerate(pages, 1):
        for side in ("front", "back"):
            pdf.begin(pdf.said.say(side, title=title, n=number, of=len(pages)))
            for one in laid:
                place = one.place() if side == "front" else one.back_place(sheet)
                _stamp(pdf, one.front if side == "front" else one.back, place)
            pdf.end()
            index.append(_page(path, pdf, side, laid))
    pdf.save()
    return index


def cut_marks(outline: Sequence[Point]) -> Iterator[Contour]:
    """Yield short lines outside an outline, in line with the sides that meet in each corner."""
    count = len(outline)
    if count > MOST_CORNERS_WITH_MARKS:
        middle = (sum(x for x, _ in outline) / count, sum(y for _, y in outline) / count)
        for i in range(4):
            corner = outline[i * count // 4]
            yield _mark(middle, corner)
        return
    for i, corner in enumerate(outline):
        before, behind = outline[i - 1], outline[(i + 1) % count]
        turn = (corner[0] - before[0]) * (behind[1] - corner[1]) - (corner[1] - before[1]) * (
            behind[0] - corner[0]
        )
        if turn > 0:
            yield _mark(before, corner)
            yield _mark(behind, corner)


def _stamp(pdf: Pdf, face: Face, place: Affine) -> None:
    key = f"{face.tile} {face.side}"
    art = Group(face.items, clip=(face.bleed,))
    pdf.stamp(key, [art, stroked(MARK_COLOUR, HAIR_MM, *cut_marks(face.outline_mm))],
              face.size_mm, place)  # fmt: skip


def _mark(start: Point, corner: Point) -> Contour:
    length = math.dist(start, corner)
    dx, dy = (corner[0] - start[0]) / length, (corner[1] - start[1]) / length
    near, far = (
        (corner[0] + dx * reach, corner[1] + dy * reach) for reach in (MARK_FROM_MM, MARK_TO_MM)
    )
    return polyline((near, far))


def _page(path: Path, pdf: Pdf, side: str, laid: Sequence[Laid]) -> dict[str, Any]:
    placed = []
    for one in laid:
        face = one.front if side == "front" else one.back
        place = one.place() if side == "front" else one.back_place(pdf.sheet)
        corners = [
            mapped(place, (x, y)) for x in (0, face.size_mm[0]) for y in (0, face.size_mm[1])
        ]
        at = [round(min(c[i] for c in corners), 3) for i in (0, 1)]
        turn = round(math.degrees(math.atan2(place[1], place[0]))) % 360
        placed.append({"tile": face.tile, "at_mm": at, "turned_deg": turn})
    return page_entry(path, pdf, side, placed)


def page_entry(
    path: Path, pdf: Pdf, side: str, placed: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return what the manifest says about one page."""
    return {
        "file": path.name, "page": pdf.page, "side": side,
        "size_mm": [pdf.sheet.width, pdf.sheet.height], "bar_mm": list(pdf.sheet.bar),
        "placed": list(placed),
    }  # fmt: skip

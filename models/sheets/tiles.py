"""Sheets of tiles: fronts, and backs that match them when the paper is flipped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.draw import Face
from engine.draw.display import (
    Affine,
    Contour,
    Group,
    Point,
    after,
    mapped,
    moved,
    polyline,
    stroked,
    turned,
)
from models.sheets.paper import Sheet, SheetError
from models.sheets.pdf import HAIR_MM, Pdf, lying
from models.sheets.words import Words

GAP_MM = 4.0
"""Gap between two cut lines: both bleeds fit in, and four cards of 45 mm fit across A4."""
OUTER_MM = 2.0
"""Margin around all tiles of a sheet, for bleed and cut marks."""
MARK_FROM_MM, MARK_TO_MM = 0.4, GAP_MM / 2
"""Distances from the corner at which a cut mark begins and ends."""
MARK_COLOUR = "#000000"
MOST_CORNERS_WITH_MARKS = 30
"""Most corners of an outline that are all marked; rounder outlines get four marks."""


# --- How tiles are laid out on paper ---


@dataclass(frozen=True, slots=True)
class Laid:
    """One face on a sheet."""

    front: Face
    back: Face
    at: Point
    """Upper left corner of its box on the front sheet."""
    is_turned: bool
    """Whether it is turned a quarter clockwise to fit."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height on the sheet, after turning."""
        width, height = self.front.size_mm
        return (height, width) if self.is_turned else (width, height)

    def place(self) -> Affine:
        """Return the affine map from the front face to its sheet."""
        if not self.is_turned:
            return moved(*self.at)
        return after(moved(self.at[0] + self.front.size_mm[1], self.at[1]), turned(90))

    def back_place(self, sheet: Sheet) -> Affine:
        """Return the affine map from the back face to the second side, flipped on the long edge."""
        over: Affine = (-1.0, 0.0, 0.0, 1.0, sheet.width, 0.0)
        flip: Affine = (-1.0, 0.0, 0.0, 1.0, self.front.size_mm[0], 0.0)
        return after(over, self.place(), flip)


def pack(pairs: Iterable[tuple[Face, Face, int]], sheet: Sheet) -> list[list[Laid]]:
    """Return sheets of faces, with as many copies of each pair as its count.

    Raises:
        SheetError: a face is larger than the sheet.
    """
    left, top, right, bottom = sheet.area
    wide, high = right - left - 2 * OUTER_MM, bottom - top - 2 * OUTER_MM
    boxes = [(f, b, _turn(f, wide, high)) for f, b, count in pairs for _ in range(count)]
    # The sort is stable: equal heights keep the order of the set file.
    boxes.sort(key=lambda box: -round(_box(box[0], box[2])[1], 3))
    sheets: list[list[Laid]] = []
    y = high
    for row in _rows(boxes, wide):
        tall = max(_box(f, turn)[1] for f, _, turn in row)
        if not sheets or y + tall > high + 1e-6:
            sheets.append([])
            y = 0.0
        across = sum(_box(f, turn)[0] for f, _, turn in row) + GAP_MM * (len(row) - 1)
        x = (wide - across) / 2
        for front, back, turn in row:
            at = (left + OUTER_MM + x, top + OUTER_MM + y)
            sheets[-1].append(Laid(front, back, at, turn))
            x += _box(front, turn)[0] + GAP_MM
        y += tall + GAP_MM
    return sheets


def _rows(
    boxes: list[tuple[Face, Face, bool]], wide: float
) -> Iterator[list[tuple[Face, Face, bool]]]:
    row: list[tuple[Face, Face, bool]] = []
    used = 0.0
    for box in boxes:
        width = _box(box[0], box[2])[0]
        if row and used + width > wide + 1e-6:
            yield row
            row, used = [], 0.0
        row.append(box)
        used += width + GAP_MM
    if row:
        yield row


def _turn(face: Face, wide: float, high: float) -> bool:
    """Say whether a face must be turned a quarter to fit."""
    width, height = face.size_mm
    if width <= wide and height <= high:
        return False
    if height <= wide and width <= high:
        return True
    raise SheetError(
        f"{face.tile} of {width:.0f} x {height:.0f} mm does not fit the paper "
        f"({wide:.0f} x {high:.0f} mm can be used); choose a smaller --size"
    )


def _box(face: Face, is_turned: bool) -> tuple[float, float]:
    width, height = face.size_mm
    return (height, width) if is_turned else (width, height)


def tile_sheets(
    path: Path, title: str, sheet: Sheet, pairs: Sequence[tuple[Face, Face, int]],
    words: Words | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Write all tiles, front and back sheets alternating, and return each page's entry."""
    pdf = Pdf(path, sheet, title, words)
    pages = pack(pairs, sheet)
    for number, laid in enumerate(pages, 1):
        for side in ("front", "back"):
            pdf.begin(pdf.said.say(side, title=title, n=number, of=len(pages)))
            placed = []
            for one in laid:
                face = one.front if side == "front" else one.back
                place = one.place() if side == "front" else one.back_place(sheet)
                _stamp(pdf, face, place)
                placed.append(_entry(face, place))
            pdf.end(side, placed)
    return pdf.save()


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


def _entry(face: Face, place: Affine) -> dict[str, Any]:
    corners = [mapped(place, (x, y)) for x in (0, face.size_mm[0]) for y in (0, face.size_mm[1])]
    x, y = (min(side) for side in zip(*corners, strict=True))
    return lying(face.tile, (x, y), round(math.degrees(math.atan2(place[1], place[0]))) % 360)

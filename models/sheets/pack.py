"""Packs faces onto sheets: rows of boxes, tall ones first, and where each lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.draw import Face
from engine.draw.display import Affine, Point, after, moved, turned
from models.sheets.errors import SheetError
from models.sheets.paper import Sheet

GAP_MM = 4.0
"""Between two cut lines; the bleeds of both fit in, and four cards of 45 mm fit across A4."""
OUTER_MM = 2.0
"""Kept free around all for bleed and cut marks."""


@dataclass(frozen=True, slots=True)
class Laid:
    """One face on a sheet."""

    front: Face
    back: Face
    at: Point
    """Upper left corner of its box on the front sheet."""
    is_turned: bool
    """A quarter clockwise, to fit."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as it lies."""
        width, height = self.front.size_mm
        return (height, width) if self.is_turned else (width, height)

    def place(self) -> Affine:
        """Return the map from the front face to its sheet."""
        if not self.is_turned:
            return moved(*self.at)
        return after(moved(self.at[0] + self.front.size_mm[1], self.at[1]), turned(90))

    def back_place(self, sheet: Sheet) -> Affine:
        """Return the map from the back face to the second side, flipped along the long edge."""
        over: Affine = (-1.0, 0.0, 0.0, 1.0, sheet.width, 0.0)
        flip: Affine = (-1.0, 0.0, 0.0, 1.0, self.front.size_mm[0], 0.0)
        return after(over, self.place(), flip)


def pack(pairs: Iterable[tuple[Face, Face, int]], sheet: Sheet) -> list[list[Laid]]:
    """Return sheets of faces, each pair as often as its count says.

    Raises:
        SheetError: a face is larger than the sheet.
    """
    left, top, right, bottom = sheet.area
    wide, high = right - left - 2 * OUTER_MM, bottom - top - 2 * OUTER_MM
    boxes = [(f, b, _turn(f, wide, high)) for f, b, count in pairs for _ in range(count)]
    # Stable: equal heights keep the order of the set file.
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

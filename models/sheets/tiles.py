"""Sheets of tiles, with backs that match the fronts when the paper is flipped, and of boards.

Boards are whole where they fit the paper, else in parts to glue together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.draw import Face
from engine.draw.boards import RIM, board_art, board_outline, board_size
from engine.draw.display import (
    Affine,
    Contour,
    Group,
    Item,
    Point,
    after,
    mapped,
    moved,
    placed,
    polyline,
    rectangle,
    stroked,
    turned,
)
from engine.draw.face import BLEED_MM
from engine.tiles import TileSet
from models.sheets.paper import MARGIN_MM, Sheet, SheetError
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
OVERLAP_MM = 10.0
"""Width of the strip that neighbouring parts of a split board share, to be glued together."""
GLUE_COLOUR = "#d3122a"
STEP_MM = 0.5
"""Step to which cell widths that fit the paper are rounded down."""


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
    path: Path,
    title: str,
    sheet: Sheet,
    pairs: Sequence[tuple[Face, Face, int]],
    words: Words | None = None,
) -> list[dict[str, Any]]:
    """Write all tiles, front and back sheets alternating, and return each page's entry."""
    pdf = Pdf(path, sheet, title, words)
    pages = pack(pairs, sheet)
    for number, laid in enumerate(pages, 1):
        for side in ("front", "back"):
            pdf.begin(pdf.said.say(side, title=title, n=number, of=len(pages)))
            lies = []
            for one in laid:
                face = one.front if side == "front" else one.back
                place = one.place() if side == "front" else one.back_place(sheet)
                _stamp(pdf, face, place)
                lies.append(_entry(face, place))
            pdf.end(side, lies)
    return pdf.save()


def _cut_marks(outline: Sequence[Point]) -> Iterator[Contour]:
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
    pdf.stamp(
        key, [art, stroked(MARK_COLOUR, HAIR_MM, *_cut_marks(face.outline_mm))], face.size_mm, place
    )


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


# --- Boards ---


def fitting_cell_mm(tile_set: TileSet, sheet: Sheet) -> float:
    """Return the widest hex cell, up to the set's own, with which the board fits the paper."""
    board = tile_set.extras.get("board")
    if not board:
        return tile_set.pitch_mm
    room = sheet.width - 2 * MARGIN_MM - 2 * BLEED_MM - 2 * RIM
    widest = room / board_size(board.get("side", 6), 1.0, 0.0)[1]
    fits = math.floor(widest / STEP_MM) * STEP_MM
    return min(tile_set.pitch_mm, fits) if fits >= STEP_MM else tile_set.pitch_mm


def board_sheets(
    path: Path,
    title: str,
    sheet: Sheet,
    tile_set: TileSet,
    cell_mm: float,
    count: int,
    words: Words | None = None,
) -> list[dict[str, Any]]:
    """Write all boards of a game and return what lies on each page."""
    board = tile_set.extras["board"]
    side = board.get("side", 6)
    eyes = [(q, r) for q, r in board.get("eyes", ())]
    size = board_size(side, cell_mm)
    centred = placed(board_art(side, eyes, cell_mm), moved(size[0] / 2, size[1] / 2))
    marks = stroked(MARK_COLOUR, HAIR_MM, *_cut_marks(board_outline(side, cell_mm)))
    pdf = Pdf(path, sheet, title, words)
    # Boards are turned by a quarter: their wide side runs along the paper's long side.
    upright = after(moved(size[1], 0), turned(90))
    parts = _parts(sheet, (size[1], size[0]))
    for number in range(1, count + 1):
        for order, part in enumerate(parts, 1):
            which = "board-part" if len(parts) > 1 else "board"
            pdf.begin(
                pdf.said.say(which, title=title, n=number, of=count, part=order, parts=len(parts))
            )
            _draw_part(pdf, [centred, marks], size, after(moved(*part.at), upright), part)
            pdf.end(placed=[lying("board", part.at, 90)])
    return pdf.save()


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a board on one sheet."""

    at: tuple[float, float]
    """Position of the whole board's upper left corner, relative to the sheet."""
    left: bool
    right: bool
    top: bool
    bottom: bool
    """Whether the board continues on another sheet, for each of the four sides."""

    @property
    def is_whole(self) -> bool:
        """Whether the sheet shows all of the board."""
        return not (self.left or self.right or self.top or self.bottom)


def _draw_part(
    pdf: Pdf, items: list[Item], size: tuple[float, float], place: Affine, part: Part
) -> None:
    """Draw a board, or a part of it with the lines along which parts are glued."""
    if part.is_whole:
        pdf.stamp("board", items, size, place)
        return
    left, top, right, bottom = pdf.sheet.area
    window = rectangle(left, top, right - left, bottom - top)
    inset = OVERLAP_MM / 2
    lines = []
    for wanted, x in ((part.left, left + inset), (part.right, right - inset)):
        lines += [polyline(((x, top), (x, bottom)))] if wanted else []
    for wanted, y in ((part.top, top + inset), (part.bottom, bottom - inset)):
        lines += [polyline(((left, y), (right, y)))] if wanted else []
    board = Group((Group(tuple(items), place),), clip=(window,))
    pdf.draw([board, stroked(GLUE_COLOUR, HAIR_MM, *lines)])


def _parts(sheet: Sheet, size: tuple[float, float]) -> list[Part]:
    """Return the sheets that a board takes, row by row, with the board centred on all of them."""
    left, top, right, bottom = sheet.area
    room = (right - left, bottom - top)
    pages = [_pages(size[i] + 2 * BLEED_MM, room[i]) for i in (0, 1)]
    spans = [pages[i] * (room[i] - OVERLAP_MM) + OVERLAP_MM for i in (0, 1)]
    x, y = (start + (spans[i] - size[i]) / 2 for i, start in enumerate((left, top)))
    return [
        Part(
            (x - column * (room[0] - OVERLAP_MM), y - row * (room[1] - OVERLAP_MM)),
            left=column > 0,
            right=column < pages[0] - 1,
            top=row > 0,
            bottom=row < pages[1] - 1,
        )
        for row in range(pages[1])
        for column in range(pages[0])
    ]


def _pages(need: float, room: float) -> int:
    """Return the number of sheets that are needed in one direction."""
    return max(1, math.ceil((need - OVERLAP_MM) / (room - OVERLAP_MM) - 1e-9))

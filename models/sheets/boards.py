"""Sheets of hex boards: whole where they fit the paper, else in parts to glue together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.draw.boards import RIM, board_art, board_outline, board_size
from engine.draw.display import (
    Affine,
    Group,
    Item,
    after,
    moved,
    placed,
    polyline,
    rectangle,
    stroked,
    turned,
)
from engine.draw.face import BLEED_MM
from engine.tiles import TileSet
from models.sheets.paper import MARGIN_MM, Sheet
from models.sheets.pdf import HAIR_MM, Pdf, lying
from models.sheets.tiles import cut_marks
from models.sheets.words import Words

OVERLAP_MM = 10.0
"""Width of the strip that neighbouring parts of a split board share, to be glued together."""
GLUE_COLOUR = "#d3122a"
STEP_MM = 0.5
"""Step to which cell widths that fit the paper are rounded down."""


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
    path: Path, title: str, sheet: Sheet, tile_set: TileSet, cell_mm: float, count: int,
    words: Words | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Write all boards of a game and return what lies on each page."""
    board = tile_set.extras["board"]
    side = board.get("side", 6)
    eyes = [(q, r) for q, r in board.get("eyes", ())]
    size = board_size(side, cell_mm)
    centred = placed(board_art(side, eyes, cell_mm), moved(size[0] / 2, size[1] / 2))
    marks = stroked("#000000", HAIR_MM, *cut_marks(board_outline(side, cell_mm)))
    pdf = Pdf(path, sheet, title, words)
    # Boards are turned by a quarter: their wide side runs along the paper's long side.
    upright = after(moved(size[1], 0), turned(90))
    parts = _parts(sheet, (size[1], size[0]))
    for number in range(1, count + 1):
        for order, part in enumerate(parts, 1):
            which = "board-part" if len(parts) > 1 else "board"
            pdf.begin(pdf.said.say(which, title=title, n=number, of=count, part=order,
                                   parts=len(parts)))  # fmt: skip
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
            left=column > 0, right=column < pages[0] - 1, top=row > 0, bottom=row < pages[1] - 1,
        )
        for row in range(pages[1])
        for column in range(pages[0])
    ]  # fmt: skip


def _pages(need: float, room: float) -> int:
    """Return the number of sheets that are needed in one direction."""
    return max(1, math.ceil((need - OVERLAP_MM) / (room - OVERLAP_MM) - 1e-9))

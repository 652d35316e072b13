"""The special die 1, 2, 3 as a net to cut out, fold and glue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.draw.display import Item, Point, drawn, moved, placed, polygon, polyline, stroked
from engine.draw.tokens import DIE_SIDE_MM, die_side
from models.sheets.paper import Sheet
from models.sheets.pdf import Pdf
from models.sheets.tiles import page_entry
from models.sheets.words import Words

# A cross of six squares (column, row) with its value: opposite sides add up to four.
NET = {(1, 0): 1, (0, 1): 2, (1, 1): 1, (2, 1): 2, (3, 1): 3, (1, 2): 3}
TAB_MM = 5.0
CARD, LINE = "#fff8e2", "#4a4238"


def die_sheet(
    path: Path, title: str, sheet: Sheet, words: Words | None = None
) -> list[dict[str, Any]]:
    """Write the sheet and return what lies on it."""
    pdf = Pdf(path, sheet, title, words)
    pdf.begin(pdf.said.say("die", title=title))
    left, top, right, _ = sheet.area
    width = 4 * DIE_SIDE_MM + 2 * TAB_MM
    x = (left + right - width) / 2 + TAB_MM
    entries = []
    for number in range(2):
        at = (x, top + 16 + TAB_MM + number * (3 * DIE_SIDE_MM + 2 * TAB_MM + 14))
        pdf.draw([placed(die_art(), moved(*at))])
        entries.append({"tile": "die", "at_mm": [round(v, 3) for v in at], "turned_deg": 0})
    pdf.words((left + 1, top + 8), pdf.said.say("die-how"), 3.4)
    pdf.end()
    pdf.save()
    return [page_entry(path, pdf, "front", entries)]


def die_art() -> list[Item]:
    """Return the net, relative to the corner of the bounding box of its squares."""
    a = DIE_SIDE_MM
    items: list[Item] = [drawn("#ffffff", LINE, 0.3, polygon(tab)) for tab in _tabs(a)]
    for (column, row), value in NET.items():
        x, y = column * a, row * a
        square = polygon(((x, y), (x + a, y), (x + a, y + a), (x, y + a)))
        items.append(drawn(CARD, LINE, 0.3, square))
        items.append(placed(die_side(value, a), moved(x + a / 2, y + a / 2)))
    items.append(stroked("#ffffff", 0.5, *(polyline(dash) for dash in _dashes(a))))
    return items


def _tabs(a: float) -> list[tuple[Point, ...]]:
    """Return the flaps: on the sides of the upper and lower square, and at the end of the row."""
    t, s = TAB_MM, TAB_MM * 0.7

    def side(x: float, y: float, out: int) -> tuple[Point, ...]:
        return ((x, y), (x + out * t, y + s), (x + out * t, y + a - s), (x, y + a))

    flaps = [side(a * x, a * y, out) for y in (0, 2) for x, out in ((1, -1), (2, 1))]
    flaps.append(side(0, a, -1))
    for y, out in ((0, -1), (3 * a, 1)):
        flaps.append(((a, y), (a + s, y + out * t), (2 * a - s, y + out * t), (2 * a, y)))
    return flaps


def _dashes(a: float) -> list[tuple[Point, Point]]:
    """Return white gaps in the lines to fold along."""
    folds = [((a * i, a), (a * i, 2 * a)) for i in (0, 1, 2, 3)]
    folds += [((a, a * i), (2 * a, a * i)) for i in (0, 1, 2, 3)]
    folds += [((a * i, a * j), (a * i, a * (j + 1))) for i in (1, 2) for j in (0, 2)]
    dashes = []
    for (x0, y0), (x1, y1) in folds:
        for k in range(1, 9, 2):
            one, two = k / 9, (k + 1) / 9
            dashes.append(((x0 + (x1 - x0) * one, y0 + (y1 - y0) * one),
                           (x0 + (x1 - x0) * two, y0 + (y1 - y0) * two)))  # fmt: skip
    return dashes

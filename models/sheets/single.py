"""Sheets of one page: the special die 1, 2, 3, the calibration sheet, how to make the tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calibration.sheet import DICTIONARY, MARKER_MM, SQUARE_MM, SQUARES, charuco_board
from engine.draw.display import (
    Contour,
    Item,
    Point,
    drawn,
    filled,
    moved,
    placed,
    polygon,
    polyline,
    rectangle,
    stroked,
)
from engine.draw.tokens import DIE_SIDE_MM, die_side
from engine.games import has_die
from engine.tiles import TileSet
from models.sheets.paper import Sheet
from models.sheets.pdf import Pdf, lying
from models.sheets.words import Words

# A cross of six squares (column, row) with its value: opposite sides add up to four.
NET = {(1, 0): 1, (0, 1): 2, (1, 1): 1, (2, 1): 2, (3, 1): 3, (1, 2): 3}
TAB_MM = 5.0
CARD, LINE = "#fff8e2", "#4a4238"
BITS = 6
"""Cells along the side of a marker, its black border included."""
SIZE_MM, LEAD_MM = 3.7, 5.3
SMALL_MM = 3.0


# --- The die, as a net to cut out, fold and glue ---


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
        entries.append(lying("die", at))
    pdf.words((left + 1, top + 8), pdf.said.say("die-how"), 3.4)
    pdf.end(placed=entries)
    return pdf.save()


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
            dashes.append(
                (
                    (x0 + (x1 - x0) * one, y0 + (y1 - y0) * one),
                    (x0 + (x1 - x0) * two, y0 + (y1 - y0) * two),
                )
            )
    return dashes


# --- A ChArUco board at true size, for the lens and the table ---


def calibration_sheet(
    path: Path, title: str, sheet: Sheet, words: Words | None = None
) -> list[dict[str, Any]]:
    """Write the sheet and return what lies on it."""
    pdf = Pdf(path, sheet, title, words)
    pdf.begin(pdf.said.say("calibration"))
    left, top, right, bottom = sheet.area
    width, height = SQUARES[0] * SQUARE_MM, SQUARES[1] * SQUARE_MM
    at = ((left + right - width) / 2, (top + bottom - height) / 2)
    pdf.draw([filled("#000000", *_black(at))])
    pdf.end(placed=[lying("calibration", at)])
    return pdf.save()


def calibration_facts(file: str) -> dict[str, Any]:
    """Return the manifest's entry about the sheet."""
    return {
        "file": file,
        "squares": list(SQUARES),
        "square_mm": SQUARE_MM,
        "marker_mm": MARKER_MM,
        "dictionary": DICTIONARY,
    }


def _black(at: tuple[float, float]) -> Iterator[Contour]:
    """Yield every black square and every black cell of a marker."""
    board = charuco_board()
    dictionary = board.getDictionary()
    with_marker = set()
    for number, corners in zip(board.getIds().reshape(-1), board.getObjPoints(), strict=True):
        x, y = (float(v) for v in corners.reshape(-1, 3)[0, :2])
        with_marker.add((int(x // SQUARE_MM), int(y // SQUARE_MM)))
        cell = MARKER_MM / BITS
        picture = dictionary.generateImageMarker(int(number), BITS)
        for row in range(BITS):
            yield from _runs(picture[row], at[0] + x, at[1] + y + row * cell, cell)
    for column in range(SQUARES[0]):
        for row in range(SQUARES[1]):
            if (column, row) not in with_marker:
                yield rectangle(
                    at[0] + column * SQUARE_MM, at[1] + row * SQUARE_MM, SQUARE_MM, SQUARE_MM
                )


def _runs(row: Any, x: float, y: float, cell: float) -> Iterator[Contour]:
    """Yield the black runs of one row of a marker, so that no seams show between cells."""
    edges = np.flatnonzero(np.diff(np.pad(row == 0, 1)))
    for start, stop in edges.reshape(-1, 2).tolist():
        yield rectangle(x + start * cell, y, (stop - start) * cell, cell)


# --- How to print, cut and check ---


def instruction_sheet(
    path: Path,
    title: str,
    sheet: Sheet,
    tile_set: TileSet,
    pitch_mm: float,
    parts: Sequence[tuple[str, int]],
    words: Words | None = None,
) -> list[dict[str, Any]]:
    """Write the page and return its entry in the manifest.

    Args:
        path: the file to write.
        title: title of the set.
        sheet: the paper.
        tile_set: the box.
        pitch_mm: width of a card or hex cell as printed.
        parts: everything to cut out, by name and count.
        words: the texts on the page, and the names of tiles.
    """
    pdf = Pdf(path, sheet, title, words)
    pdf.begin(pdf.said.say("how", title=title))
    left, top, right, bottom = sheet.area
    y = top + 10
    for number, step in enumerate(_steps(tile_set, pitch_mm, pdf.said), 1):
        lines = _wrapped(pdf, step, right - left - 10)
        pdf.words((left + 1, y), f"{number}.", SIZE_MM, bold=True)
        for line in lines:
            pdf.words((left + 8, y), line, SIZE_MM)
            y += LEAD_MM
        y += 1.6
    y += 3
    total = sum(count for _, count in parts)
    pdf.words((left + 1, y), pdf.said.say("hold", n=total), SIZE_MM, bold=True)
    _list(pdf, parts, (left + 1, y + 6, right, bottom))
    pdf.end()
    return pdf.save()


def _steps(tile_set: TileSet, pitch_mm: float, words: Words) -> list[str]:
    is_hex = tile_set.lattice == "hex"
    wanted = ["step-print", "step-ruler", "step-cut-hex" if is_hex else "step-cut", "step-glue"]
    wanted += ["step-flip"] if is_hex else []
    wanted += ["step-die"] if has_die(tile_set.game) else []
    return [words.say(step, mm=f"{pitch_mm:g}") for step in (*wanted, "step-calibrate")]


def _list(
    pdf: Pdf, parts: Sequence[tuple[str, int]], box: tuple[float, float, float, float]
) -> None:
    """Write names and counts in as many columns as needed."""
    left, top, right, bottom = box
    lead = SMALL_MM * 1.5
    rows = max(1, int((bottom - top) / lead))
    columns = max(3, -(-len(parts) // rows))
    rows = -(-len(parts) // columns)
    wide = (right - left) / columns
    lines = [f"{count} x {pdf.said.tile(name)}" for name, count in parts]
    size = min(SMALL_MM, wide / 16)
    widest = max((pdf.width_of(line, size) for line in lines), default=0.0)
    size *= min(1.0, (wide - 2) / max(widest, 1.0))
    for i, line in enumerate(lines):
        column, row = divmod(i, rows)
        y = top + row * lead
        if y > bottom:
            return
        pdf.words((left + column * wide, y), line, size)


def _wrapped(pdf: Pdf, text: str, wide: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if pdf.width_of(longer, SIZE_MM) <= wide:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines

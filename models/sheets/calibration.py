"""The calibration sheet: a ChArUco board at true size, for the lens and the table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calibration.sheet import DICTIONARY, MARKER_MM, SQUARE_MM, SQUARES, charuco_board
from engine.draw.display import Contour, filled, rectangle
from models.sheets.paper import Sheet
from models.sheets.pdf import Pdf
from models.sheets.tiles import page_entry
from models.sheets.words import Words

BITS = 6
"""Cells along the side of a marker, its black border included."""


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
    pdf.end()
    pdf.save()
    entry = {"tile": "calibration", "at_mm": [round(v, 3) for v in at], "turned_deg": 0}
    return [page_entry(path, pdf, "front", [entry])]


def facts(file: str) -> dict[str, Any]:
    """Return the manifest's entry about the sheet."""
    return {
        "file": file, "squares": list(SQUARES), "square_mm": SQUARE_MM, "marker_mm": MARKER_MM,
        "dictionary": DICTIONARY,
    }  # fmt: skip


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
    start = None
    for i, value in enumerate([*(int(v) for v in row), 255]):
        if value == 0 and start is None:
            start = i
        elif value and start is not None:
            yield rectangle(x + start * cell, y, (i - start) * cell, cell)
            start = None

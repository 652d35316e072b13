"""One page that says how to print, cut and check."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.games import has_die
from engine.tiles import TileSet
from models.sheets.paper import Sheet
from models.sheets.pdf import Pdf
from models.sheets.tiles import page_entry

SIZE_MM, LEAD_MM = 3.7, 5.3
SMALL_MM = 3.0


def instruction_sheet(
    path: Path, title: str, sheet: Sheet, tile_set: TileSet, pitch_mm: float,
    parts: Sequence[tuple[str, int]],
) -> list[dict[str, Any]]:  # fmt: skip
    """Write the page and return what the manifest says of it.

    Args:
        path: the file to write.
        title: of the set.
        sheet: the paper.
        tile_set: the box.
        pitch_mm: width of a card or hex cell as printed.
        parts: everything to cut out, by name and count.
    """
    pdf = Pdf(path, sheet, title)
    pdf.begin(f"{title}: how to make your tiles")
    left, top, right, bottom = sheet.area
    y = top + 10
    for number, step in enumerate(_steps(tile_set, pitch_mm), 1):
        lines = _wrapped(pdf, step, right - left - 10)
        pdf.words((left + 1, y), f"{number}.", SIZE_MM, bold=True)
        for line in lines:
            pdf.words((left + 8, y), line, SIZE_MM)
            y += LEAD_MM
        y += 1.6
    y += 3
    total = sum(count for _, count in parts)
    pdf.words(
        (left + 1, y), f"What you should hold in the end ({total} pieces)", SIZE_MM, bold=True
    )
    _list(pdf, parts, (left + 1, y + 6, right, bottom))
    pdf.end()
    pdf.save()
    return [page_entry(path, pdf, "front")]


def _steps(tile_set: TileSet, pitch_mm: float) -> list[str]:
    is_hex = tile_set.lattice == "hex"
    piece = "cell of a hex tile" if is_hex else "card"
    steps = [
        "Print tiles.pdf at 100 % (no \"fit to page\", no scaling), in colour, on both sides, "
        "turned along the long edge. Paper of 160 g or heavier holds best. Print the other files "
        "on one side.",
        "Lay a ruler on the bar at the top of a sheet. It must be 50 mm long. If it is not, the "
        "printer has scaled the page: switch that off and print again.",
        f"One {piece} is {pitch_mm:g} mm wide. The fine marks in the gaps point along the lines "
        "to cut; the colour runs on a little beyond them, so that a cut beside the line shows no "
        "white.",
        "Better tiles: glue the sheets on grey board of 2 mm before cutting, with the fronts on "
        "one side and the backs on the other. A matt surface is easier on the camera than a "
        "glossy one.",
    ]  # fmt: skip
    if is_hex:
        steps.append(
            "Tiles may be flipped: both sides show the same snake, one in a mirror. The dark "
            "notches show where a tile ends; you may cut them out. Boards that are split are "
            "glued together on the red lines."
        )
    if has_die(tile_set.game):
        steps.append(
            "The die has two sides each of 1, 2 and 3: cut it out, fold it, glue its tabs."
        )
    steps.append(
        "Glue calibration.pdf flat on card. Show it to the camera when it is set up: "
        "snake-eye calibrate."
    )
    return steps


def _list(
    pdf: Pdf, parts: Sequence[tuple[str, int]], box: tuple[float, float, float, float]
) -> None:
    """Write names and counts in as many columns as it takes."""
    left, top, right, bottom = box
    lead = SMALL_MM * 1.5
    rows = max(1, int((bottom - top) / lead))
    columns = max(3, -(-len(parts) // rows))
    rows = -(-len(parts) // columns)
    wide = (right - left) / columns
    size = min(SMALL_MM, wide / 16)
    for i, (name, count) in enumerate(parts):
        column, row = divmod(i, rows)
        y = top + row * lead
        if y > bottom:
            return
        pdf.words((left + column * wide, y), f"{count} x {name}"[:40], size)


def _wrapped(pdf: Pdf, text: str, wide: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if pdf.width_of(longer, SIZE_MM) <= wide:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines

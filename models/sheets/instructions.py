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
from models.sheets.words import Words

SIZE_MM, LEAD_MM = 3.7, 5.3
SMALL_MM = 3.0


def instruction_sheet(
    path: Path, title: str, sheet: Sheet, tile_set: TileSet, pitch_mm: float,
    parts: Sequence[tuple[str, int]], words: Words | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
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
    pdf.save()
    return [page_entry(path, pdf, "front")]


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

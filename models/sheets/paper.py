"""Paper: its size, the margin no printer reaches, and what stands on every sheet."""

from __future__ import annotations

from dataclasses import dataclass

from engine.draw.display import Item, filled, rectangle

PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
MARGIN_MM = 7.0
"""Household printers leave up to 6.4 mm white at the edges."""
HEADER_MM = 9.0
"""Height of the strip with the sheet's name and the measuring bar."""
BAR_MM = 50.0
BAR_THICK_MM = 0.8
SIZES_MM = (10.0, 400.0)
"""Narrowest and widest card or hex cell that is printed."""


class SheetError(Exception):
    """The tiles cannot be printed as asked; the message is for the person who asked."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The paper, upright, in millimetres from its upper left corner."""

    width: float
    height: float

    @property
    def area(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of what may be printed on, below the header."""
        return (
            MARGIN_MM,
            MARGIN_MM + HEADER_MM,
            self.width - MARGIN_MM,
            self.height - MARGIN_MM,
        )

    @property
    def bar(self) -> tuple[float, float]:
        """Upper left corner of the measuring bar."""
        return (self.width - MARGIN_MM - BAR_MM - 1.0, MARGIN_MM + 4.2)


def sheet_of(paper: str) -> Sheet:
    """Return the paper of that name.

    Raises:
        SheetError: it is not known.
    """
    if paper not in PAPERS_MM:
        raise SheetError(f"{paper!r} is no paper; known are {', '.join(PAPERS_MM)}")
    return Sheet(*PAPERS_MM[paper])


def bar_art(sheet: Sheet) -> list[Item]:
    """Return the line of 50 mm with a tick at either end and at each centimetre."""
    x, y = sheet.bar
    ticks = [rectangle(x, y - 1.4, 0.3, 1.4), rectangle(x + BAR_MM - 0.3, y - 1.4, 0.3, 1.4)]
    ticks += [rectangle(x + 10 * i - 0.1, y - 0.8, 0.2, 0.8) for i in range(1, 5)]
    return [filled("#000000", rectangle(x, y, BAR_MM, BAR_THICK_MM)), filled("#000000", *ticks)]

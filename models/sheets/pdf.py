"""Writes display lists into PDF files by reportlab, the same bytes every time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path as FilePath
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from engine.draw.display import IDENTITY, Affine, Contour, Group, Item, Path, Text
from models.sheets.paper import MARGIN_MM, Sheet, bar_art

FILL_EVEN_ODD = 0
"""Reportlab's number for the even-odd rule."""
HAIR_MM = 0.12
"""Width of cut marks."""
FONT, BOLD = "Helvetica", "Helvetica-Bold"


class Pdf:
    """A PDF file of upright sheets; millimetres from the upper left corner, y down."""

    def __init__(self, path: FilePath, sheet: Sheet, title: str) -> None:
        self.sheet = sheet
        self.page = 0
        self._forms: dict[str, str] = {}
        self._canvas = Canvas(
            str(path), pagesize=(sheet.width * mm, sheet.height * mm), invariant=1,
            pageCompression=1,
        )  # fmt: skip
        self._canvas.setTitle(plain(title))
        self._canvas.setCreator("snake-eye")

    def begin(self, heading: str) -> None:
        """Start a sheet: its heading and the measuring bar."""
        self.page += 1
        canvas = self._canvas
        canvas.saveState()
        canvas.transform(mm, 0, 0, -mm, 0, self.sheet.height * mm)
        canvas.setLineCap(1)
        canvas.setLineJoin(1)
        self.words((MARGIN_MM + 1, MARGIN_MM + 5.2), heading, 3.2, bold=True)
        self.draw(bar_art(self.sheet))
        x, y = self.sheet.bar
        self.words((x - 1.5, y + 0.9), "this line is 50 mm", 2.6, anchor="end")

    def end(self) -> None:
        """Finish the sheet."""
        self._canvas.restoreState()
        self._canvas.showPage()

    def save(self) -> None:
        """Write the file."""
        self._canvas.save()

    def draw(self, items: Iterable[Item], transform: Affine = IDENTITY) -> None:
        """Draw shapes on the sheet."""
        self._canvas.saveState()
        self._canvas.transform(*transform)
        for item in items:
            self._item(item)
        self._canvas.restoreState()

    def stamp(
        self, key: str, items: Iterable[Item], size: tuple[float, float], transform: Affine
    ) -> None:
        """Draw shapes that come again; they are written once.

        Args:
            key: their name in the file.
            items: the shapes, which may reach 10 mm beyond ``(0, 0)`` and ``size``.
            size: width and height.
            transform: where they lie.
        """
        canvas = self._canvas
        if key not in self._forms:
            # Names in a PDF may hold no blanks or slashes, so they are numbers.
            self._forms[key] = f"f{len(self._forms)}"
            canvas.beginForm(self._forms[key], -10, -10, size[0] + 10, size[1] + 10)
            canvas.setLineCap(1)
            canvas.setLineJoin(1)
            for item in items:
                self._item(item)
            canvas.endForm()
        canvas.saveState()
        canvas.transform(*transform)
        canvas.doForm(self._forms[key])
        canvas.restoreState()

    def words(
        self, at: tuple[float, float], text: str, size: float, *,
        bold: bool = False, anchor: str = "start", colour: str = "#222222",
    ) -> None:  # fmt: skip
        """Write a line; ``size`` is the height of the letters' box in millimetres."""
        canvas = self._canvas
        canvas.saveState()
        canvas.transform(1, 0, 0, -1, at[0], at[1])
        canvas.setFont(BOLD if bold else FONT, size)
        canvas.setFillColor(HexColor(colour))
        draw = {"start": canvas.drawString, "end": canvas.drawRightString,
                "middle": canvas.drawCentredString}[anchor]  # fmt: skip
        draw(0, 0, plain(text))
        canvas.restoreState()

    def width_of(self, text: str, size: float, *, bold: bool = False) -> float:
        """Return how wide a line of words is."""
        return float(self._canvas.stringWidth(plain(text), BOLD if bold else FONT, size))

    def _item(self, item: Item) -> None:
        canvas = self._canvas
        if isinstance(item, Path):
            self._path(item)
        elif isinstance(item, Text):
            self.words(item.at, item.words, item.size, anchor=item.anchor, colour=item.colour)
        else:
            self._group(item, canvas)

    def _group(self, group: Group, canvas: Canvas) -> None:
        if not group.items:
            return
        canvas.saveState()
        canvas.transform(*group.transform)
        if group.clip:
            canvas.clipPath(self._outline(group.clip), stroke=0, fill=0, fillMode=FILL_EVEN_ODD)
        for item in group.items:
            self._item(item)
        canvas.restoreState()

    def _path(self, path: Path) -> None:
        if not path.contours:
            return
        canvas = self._canvas
        if path.fill:
            canvas.setFillColor(HexColor(path.fill))
        if path.stroke:
            canvas.setStrokeColor(HexColor(path.stroke))
            canvas.setLineWidth(path.width)
        canvas.drawPath(
            self._outline(path.contours), stroke=int(bool(path.stroke)), fill=int(bool(path.fill)),
            fillMode=FILL_EVEN_ODD,
        )  # fmt: skip

    def _outline(self, contours: Iterable[Contour]) -> Any:
        path = self._canvas.beginPath()
        for contour in contours:
            path.moveTo(*contour.start)
            for segment in contour.segments:
                if len(segment) == 2:
                    path.lineTo(*segment)
                else:
                    path.curveTo(*segment)
            if contour.closed:
                path.close()
        return path


def plain(text: str) -> str:
    """Return the text in the letters that every PDF reader has a font for."""
    return text.encode("cp1252", "replace").decode("cp1252")

"""Writes display lists into PDF files with reportlab, reproducibly to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path as FilePath
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from engine.draw.display import IDENTITY, Affine, Contour, Group, Item, Path, Point, Text
from models.sheets.paper import MARGIN_MM, Sheet, bar_art
from models.sheets.words import Words, western

FILL_EVEN_ODD = 0
"""Reportlab's number for the even-odd rule."""
HAIR_MM = 0.12
"""Width of cut marks."""
HEADING_SIZE, BAR_SIZE = 3.2, 2.6
"""Height of the letters of a sheet's heading, and of those at the measuring bar."""
FONT, BOLD = "Helvetica", "Helvetica-Bold"


# --- The pen ---


class Pen:
    """Draws on one canvas; its owner provides the function that writes text."""

    def __init__(self, canvas: Canvas, write: Callable[[Text], None]) -> None:
        self._canvas = canvas
        self._write = write

    def draw(self, items: Iterable[Item], transform: Affine = IDENTITY) -> None:
        """Draw shapes under an affine map."""
        self._group(tuple(items), transform, ())

    def items(self, items: Iterable[Item]) -> None:
        """Draw shapes at their own positions."""
        for item in items:
            if isinstance(item, Group):
                self._group(item.items, item.transform, item.clip)
            elif isinstance(item, Text):
                self._write(item)
            elif item.contours:
                self._path(item)

    def _group(self, items: tuple[Item, ...], transform: Affine, clip: tuple[Contour, ...]) -> None:
        if not items:
            return
        canvas = self._canvas
        canvas.saveState()
        canvas.transform(*transform)
        if clip:
            canvas.clipPath(self._outline(clip), stroke=0, fill=0, fillMode=FILL_EVEN_ODD)
        self.items(items)
        canvas.restoreState()

    def _path(self, path: Path) -> None:
        canvas = self._canvas
        if path.fill:
            canvas.setFillColor(HexColor(path.fill))
        if path.stroke:
            canvas.setStrokeColor(HexColor(path.stroke))
            canvas.setLineWidth(path.width)
        canvas.drawPath(
            self._outline(path.contours),
            stroke=int(bool(path.stroke)),
            fill=int(bool(path.fill)),
            fillMode=FILL_EVEN_ODD,
        )

    def _outline(self, contours: Iterable[Contour]) -> Any:
        path = self._canvas.beginPath()
        for contour in contours:
            path.moveTo(*contour.start)
            for segment in contour.segments:
                (path.lineTo if len(segment) == 2 else path.curveTo)(*segment)
            if contour.closed:
                path.close()
        return path


class Pdf:
    """A PDF file of upright sheets; millimetres from the upper left corner, y down."""

    def __init__(
        self, path: FilePath, sheet: Sheet, title: str, words: Words | None = None
    ) -> None:
        self.sheet = sheet
        self._file = path.name
        self._pages: list[dict[str, Any]] = []
        self.said = words or Words()
        """The texts on the sheets."""
        self._fonts = _registered(self.said.fonts())
        self._forms: dict[str, str] = {}
        self._canvas = Canvas(
            str(path),
            pagesize=(sheet.width * mm, sheet.height * mm),
            invariant=1,
            pageCompression=1,
        )
        self._canvas.setTitle(self._letters(title))
        self._canvas.setCreator("snake-eye")
        self._pen = Pen(self._canvas, self._text)

    def begin(self, heading: str) -> None:
        """Start a sheet: its heading and the measuring bar."""
        canvas = self._canvas
        canvas.saveState()
        canvas.transform(mm, 0, 0, -mm, 0, self.sheet.height * mm)
        canvas.setLineCap(1)
        canvas.setLineJoin(1)
        x, y = self.sheet.bar
        left, right, bar = MARGIN_MM + 1, x - 1.5, self.said.say("bar")
        room = right - self.width_of(bar, BAR_SIZE) - HEADING_SIZE - left
        wide = self.width_of(heading, HEADING_SIZE, bold=True)
        size = HEADING_SIZE * min(1.0, room / max(wide, 1.0))
        self.words((left, MARGIN_MM + 5.2), heading, size, bold=True)
        self.draw(bar_art(self.sheet))
        self.words((right, y + 0.9), bar, BAR_SIZE, anchor="end")

    def end(self, side: str = "front", placed: Sequence[dict[str, Any]] = ()) -> None:
        """Finish the sheet, the front or back of a paper; ``placed`` is what lies on it."""
        self._canvas.restoreState()
        self._canvas.showPage()
        self._pages.append(
            {
                "file": self._file,
                "page": len(self._pages) + 1,
                "side": side,
                "size_mm": [self.sheet.width, self.sheet.height],
                "bar_mm": list(self.sheet.bar),
                "placed": list(placed),
            }
        )

    def save(self) -> list[dict[str, Any]]:
        """Write the file and return the manifest's entry about each page."""
        self._canvas.save()
        return self._pages

    def draw(self, items: Iterable[Item], transform: Affine = IDENTITY) -> None:
        """Draw shapes on the sheet."""
        self._pen.draw(items, transform)

    def stamp(
        self, key: str, items: Iterable[Item], size: tuple[float, float], transform: Affine
    ) -> None:
        """Draw shapes that are repeated; they are stored once, as a PDF form.

        Args:
            key: their name in the file.
            items: the shapes, which may reach 10 mm beyond ``(0, 0)`` and ``size``.
            size: width and height.
            transform: where they lie.
        """
        canvas = self._canvas
        if key not in self._forms:
            # Names in a PDF may hold no blanks or slashes, so forms are numbered.
            self._forms[key] = f"f{len(self._forms)}"
            canvas.beginForm(self._forms[key], -10, -10, size[0] + 10, size[1] + 10)
            canvas.setLineCap(1)
            canvas.setLineJoin(1)
            self._pen.items(items)
            canvas.endForm()
        canvas.saveState()
        canvas.transform(*transform)
        canvas.doForm(self._forms[key])
        canvas.restoreState()

    def words(
        self,
        at: tuple[float, float],
        text: str,
        size: float,
        *,
        bold: bool = False,
        anchor: str = "start",
        colour: str = "#222222",
    ) -> None:
        """Write a line; ``size`` is the height of the letters' box in millimetres."""
        canvas = self._canvas
        canvas.saveState()
        canvas.transform(1, 0, 0, -1, at[0], at[1])
        canvas.setFont(self._font(bold), size)
        canvas.setFillColor(HexColor(colour))
        draw = {
            "start": canvas.drawString,
            "end": canvas.drawRightString,
            "middle": canvas.drawCentredString,
        }[anchor]
        draw(0, 0, self._letters(text))
        canvas.restoreState()

    def _text(self, text: Text) -> None:
        self.words(text.at, text.words, text.size, anchor=text.anchor, colour=text.colour)

    def width_of(self, text: str, size: float, *, bold: bool = False) -> float:
        """Return the width of a line of text in millimetres."""
        return float(self._canvas.stringWidth(self._letters(text), self._font(bold), size))

    def _font(self, bold: bool) -> str:
        return (self._fonts or (FONT, BOLD))[bold]

    def _letters(self, text: str) -> str:
        return text if self._fonts else western(text)


def lying(tile: str, at: Point, turned_deg: int = 0) -> dict[str, Any]:
    """Return the manifest's entry about what lies at a place of a page."""
    return {"tile": tile, "at_mm": [round(v, 3) for v in at], "turned_deg": turned_deg}


def _registered(fonts: tuple[FilePath, FilePath] | None) -> tuple[str, str] | None:
    """Register font files under their names, and return the names."""
    if fonts is None:
        return None
    for font in fonts:
        pdfmetrics.registerFont(TTFont(font.stem, str(font)))
    return fonts[0].stem, fonts[1].stem

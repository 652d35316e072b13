"""Draws display lists on a canvas of reportlab: filled and stroked paths, groups, clips."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas

from engine.draw.display import IDENTITY, Affine, Contour, Group, Item, Path, Text

FILL_EVEN_ODD = 0
"""Reportlab's number for the even-odd rule."""


class Pen:
    """Draws on one canvas; whoever owns it says how words are written."""

    def __init__(self, canvas: Canvas, write: Callable[[Text], None]) -> None:
        self._canvas = canvas
        self._write = write

    def draw(self, items: Iterable[Item], transform: Affine = IDENTITY) -> None:
        """Draw shapes, moved by a map."""
        self._group(tuple(items), transform, ())

    def items(self, items: Iterable[Item]) -> None:
        """Draw shapes where they are."""
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
            self._outline(path.contours), stroke=int(bool(path.stroke)), fill=int(bool(path.fill)),
            fillMode=FILL_EVEN_ODD,
        )  # fmt: skip

    def _outline(self, contours: Iterable[Contour]) -> Any:
        path = self._canvas.beginPath()
        for contour in contours:
            path.moveTo(*contour.start)
            for segment in contour.segments:
                (path.lineTo if len(segment) == 2 else path.curveTo)(*segment)
            if contour.closed:
                path.close()
        return path

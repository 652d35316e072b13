"""The score sheet of a game as PDF: the final table, the players, every score line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path as FilePath
from typing import IO, Any

from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from companion_app.live.match import Match
from companion_app.web.drawing.canvas import GAP, Box
from engine.draw.display import Affine, Item, Text, moved, placed
from engine.draw.field import Marks, draw_field
from engine.draw.ring import draw_boards
from engine.games import several_boards, several_fields
from engine.latin import latin
from engine.placement import Layout
from engine.tiles import TileSet

FONTS = (
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
)
"""Paths of a font with Czech and Cyrillic letters, on common systems."""
INK, QUIET = "#2a2622", "#7a7166"
WIDTH, HEIGHT = 210.0, 297.0
EDGE, TABLE_TOP, TABLE_HIGH, NEXT_TOP = 16.0, 30.0, 130.0, 22.0
"""Margin of a page, top of the table and its height, first line of a further page, in mm."""


class ScoreSheet:
    """A PDF; coordinates in millimetres from the upper left corner of its page, y down."""

    def __init__(self, out: IO[bytes], title: str) -> None:
        self._font = _font()
        size = (WIDTH * mm, HEIGHT * mm)
        self._canvas = Canvas(out, pagesize=size, invariant=1, pageCompression=1)
        self._canvas.setTitle(title)
        self._begin_page()

    def _begin_page(self) -> None:
        self._canvas.transform(mm, 0, 0, -mm, 0, HEIGHT * mm)
        self._canvas.setLineCap(1)
        self._canvas.setLineJoin(1)

    def save(self) -> None:
        """Write the file."""
        self._canvas.showPage()
        self._canvas.save()

    def with_room(self, y: float, high: float = 0.0) -> float:
        """Return where to write what is ``high`` at ``y``: there, or at the top of a new page."""
        if y + high <= HEIGHT - EDGE:
            return y
        self._canvas.showPage()
        self._begin_page()
        return NEXT_TOP

    def words(
        self,
        at: tuple[float, float],
        text: str,
        size: float,
        colour: str = INK,
        to_the_left: bool = False,
    ) -> None:
        """Write a line of text; without a font for its letters they are transliterated to Latin."""
        canvas = self._canvas
        canvas.saveState()
        canvas.transform(1, 0, 0, -1, *at)
        canvas.setFont(self._font or "Helvetica", size)
        canvas.setFillColor(HexColor(colour))
        write = canvas.drawRightString if to_the_left else canvas.drawString
        write(0, 0, text if self._font else latin(text))
        canvas.restoreState()

    def draw(self, items: Iterable[Item], transform: Affine) -> None:
        """Draw shapes under an affine transform; text items are skipped."""
        from models.sheets.pdf import Pen

        Pen(self._canvas, lambda text: None).draw(items, transform)


def score_sheet(out: IO[bytes], match: Match, shown: dict[str, Any], times: dict[str, Any]) -> None:
    """Write the score sheet of a game to a file."""
    pdf = ScoreSheet(out, f"{shown['title']} - Snake Eye")
    when = datetime.fromtimestamp(times["began_s"]).strftime("%Y-%m-%d %H:%M")
    pdf.words((EDGE, 22), shown["title"], 9)
    pdf.words((WIDTH - EDGE, 22), when, 4, QUIET, to_the_left=True)
    _draw_table(pdf, *table_items(match.box, match.layout, match.start.players))
    _write_scores(pdf, shown)
    pdf.save()


def table_items(
    tile_set: TileSet, layout: Layout, players: Sequence[str]
) -> tuple[list[Item], Box]:
    """Return the table as shapes, with their bounding box."""
    if tile_set.lattice == "hex":
        count = len(players) if several_boards(tile_set.game) else 1
        items, box = draw_boards(tile_set, layout, Marks(), count, None, None)
        return [item for item in items if not isinstance(item, Text)], box
    if not several_fields(tile_set.game):
        return draw_field(tile_set, layout.cards, Marks())
    items, x, low = [], 0.0, 0.0
    for number in range(len(players)):
        cards = frozenset(card for card in layout.cards if (card.field or 0) == number)
        art, (left, top, right, bottom) = draw_field(tile_set, cards, Marks())
        items.append(placed(art, moved(x - left, -top)))
        x, low = x + right - left + GAP, max(low, bottom - top)
    return items, (0.0, 0.0, x - GAP, low)


def _draw_table(pdf: ScoreSheet, items: list[Item], box: Box) -> None:
    left, top, right, bottom = box
    room = WIDTH - 2 * EDGE
    scale = min(room / (right - left), TABLE_HIGH / (bottom - top))
    x = EDGE + (room - (right - left) * scale) / 2 - left * scale
    pdf.draw(items, (scale, 0, 0, scale, x, TABLE_TOP - top * scale))


def _write_scores(pdf: ScoreSheet, shown: dict[str, Any]) -> None:
    y = TABLE_TOP + TABLE_HIGH + 12
    for player in shown["players"]:
        score = "–" if player["score"] is None else str(player["score"])
        crown = " ★" if player["winner"] and shown["over"] else ""
        # No name stands alone at the foot of a page.
        y = pdf.with_room(y, 6)
        pdf.words((EDGE, y), player["name"] + crown, 6)
        pdf.words((WIDTH - EDGE, y), score, 6, to_the_left=True)
        y += 6
        for line in player["lines"]:
            count = f"{line['count']} × " if line["count"] > 1 else ""
            y = pdf.with_room(y)
            pdf.words((EDGE + 5, y), count + line["why"], 3.6, QUIET)
            pdf.words((WIDTH - EDGE, y), str(line["points"]), 3.6, QUIET, to_the_left=True)
            y += 5
        y += 4


def _font() -> str | None:
    for name in FONTS:
        if FilePath(name).exists():
            pdfmetrics.registerFont(TTFont("SnakeEye", name))
            return "SnakeEye"
    return None

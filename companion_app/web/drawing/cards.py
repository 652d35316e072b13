"""Draws fields of square cards for the page: one shared field, or one for each player."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from xml.sax.saxutils import escape

from companion_app.web.drawing.canvas import (
    FELT,
    GAP,
    LINES,
    NAME,
    Box,
    Drawn,
    Fragment,
    Panel,
    fragment,
    inner,
)
from engine.draw.cards import card_face
from engine.draw.field import MOST_CELLS_WITH_LINES, Marks, field_cells, pointers
from engine.draw.ground import CARD
from engine.placement import Layout, Placement
from engine.tiles import TileSet

LINE = 22.0
"""The height of the line with a name over a field, in millimetres."""
FREE_STACKED = 0.3
"""Cells left free around a field on a narrow screen, where cards should be large."""


def card_fragment(tile_set: TileSet, tile: str) -> Fragment:
    """Return the cached face of a card."""
    kind = tile_set[tile]
    key = f"card {tile_set.name} {tile_set.colours} {kind}"
    return fragment(key, lambda: [card_face(tile_set, kind, CARD).centred()])


def draw_field(
    drawn: Drawn, cards: Iterable[Placement], marks: Marks, panel: Panel, box: Box | None = None
) -> None:
    """Draw one field: its ground, the cards and the marks."""
    cards = sorted(cards, key=lambda c: (c.at, c.tile))
    left, top, right, bottom = box or field_box(drawn.tile_set, cards, marks)
    drawn.reach((left + panel.x, top + panel.y, right + panel.x, bottom + panel.y))
    drawn.panels.append(panel)
    where = f'transform="translate({panel.x:.2f} {panel.y:.2f})"'
    drawn.layers.append(f"<g {where}>{_ground(left, top, right, bottom)}</g>")
    last = {(place[-2], place[-1]) for place in marks.last}
    for card in cards:
        if card.tile in drawn.tile_set:
            x, y = panel.x + card.at[0] * CARD, panel.y + card.at[1] * CARD
            turned = f" rotate({90 * card.turns})" if card.turns else ""
            place = f"translate({x:.2f} {y:.2f}){turned}"
            drawn.use(card_fragment(drawn.tile_set, card.tile), place, card.at in last)
    drawn.layers.append(f"<g {where}>{inner(pointers(marks))}</g>")


def field_box(
    tile_set: TileSet, cards: Collection[Placement], marks: Marks, free: float = 1.0
) -> Box:
    """Return the bounding box of a field, with ``free`` empty cells on every side."""
    left, top, right, bottom = field_cells(tile_set, cards, marks)
    edge = 0.5 + free
    return (
        (left - edge) * CARD,
        (top - edge) * CARD,
        (right + edge) * CARD,
        (bottom + edge) * CARD,
    )


def _ground(left: float, top: float, right: float, bottom: float) -> str:
    """Return the ground under a field; the page's style sheet adapts its colours to the theme."""
    columns, rows = round((right - left) / CARD), round((bottom - top) / CARD)
    lines = ""
    if columns * rows <= MOST_CELLS_WITH_LINES:
        down = "".join(
            f"M{left + i * CARD:.1f} {top + 4:.1f}V{bottom - 4:.1f}" for i in range(1, columns)
        )
        across = "".join(
            f"M{left + 4:.1f} {top + i * CARD:.1f}H{right - 4:.1f}" for i in range(1, rows)
        )
        lines = (
            f'<path class="grid" d="{down}{across}" fill="none" stroke="{LINES}" '
            'stroke-width=".7"/>'
        )
    return (
        f'<rect class="ground" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
        f'height="{bottom - top:.1f}" rx="8" fill="{FELT}"/>{lines}'
    )


def draw_fields(
    drawn: Drawn, layout: Layout, marks: Marks, names: Sequence[str], stacked: bool
) -> None:
    """Draw one field for each player, two in a row or all stacked, with the names above."""
    free, in_a_row = (FREE_STACKED, 1) if stacked else (1.0, 2)
    x, y, low = 0.0, 0.0, 0.0
    for number, name in enumerate(names):
        cards = [card for card in layout.cards if (card.field or 0) == number]
        own = marks.of_field(number)
        left, top, right, bottom = field_box(drawn.tile_set, cards, own, free)
        if number and number % in_a_row == 0:
            x, y = 0.0, low + GAP
        panel = Panel(number, x - left, y + LINE - top)
        draw_field(drawn, cards, own, panel, (left, top, right, bottom))
        drawn.reach((x, y, x, y))
        drawn.layers.append(
            f'<text {NAME} x="{x + 2:.1f}" y="{y + LINE * 0.7:.1f}" '
            f'font-size="{LINE * 0.75:g}">{escape(name)}</text>'
        )
        x += right - left + GAP
        low = max(low, y + LINE + bottom - top)

"""The host card: a QR code on paper, the address by which a phone becomes the host.

Only a hash of the card's code is stored.
"""

from __future__ import annotations

import secrets
from html import escape
from textwrap import wrap

import segno

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
LENGTH = 20
"""Letters of a code: 100 bits."""
CARD_MM, SIDE_MM = (148, 105), 80
"""The size of the card (A6), and the side of its QR code."""


def some_code() -> str:
    """Return a new code."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def drawn_card(code: str, address: str, title: str, about: str) -> str:
    """Return the card to print, as SVG in millimetres.

    Args:
        code: the code in the QR code.
        address: the page's URL for phones.
        title: the heading.
        about: instructions, in a few sentences.
    """
    width, height = CARD_MM
    made = segno.make_qr(f"{address}#card={code}", error="m", boost_error=False)
    scale = SIDE_MM / made.symbol_size(border=0)[0]
    drawn = made.svg_inline(border=0, omitsize=True, dark="#000000", light=None)
    inside = drawn[drawn.index(">") + 1 : drawn.rindex("<")]
    lines = "".join(
        f'<text x="102" y="{20 + 4.6 * n:.1f}" font-size="3.4">{escape(line)}</text>'
        for n, line in enumerate(wrap(about, 22))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" fill="#20302a">'
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="4" fill="#ffffff" '
        f'stroke="#20302a" stroke-width="0.4"/>'
        f'<text x="12" y="10" font-size="5.5" font-weight="bold">{escape(title)}</text>'
        f'<g transform="translate(12 16) scale({scale:.4f})">{inside}</g>{lines}</svg>'
    )

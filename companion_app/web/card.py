"""The host card: QR codes on paper that make a phone the host, and how they are read.

The large QR code is short, so that the camera over the table reads it from a metre away. The phone
that asks shows a code of its own beside the card, so that no other phone can become host at that
moment. The small QR code is an address for the phone's own camera. Only a hash of the card's code
is stored.
"""

from __future__ import annotations

import io
import secrets
from html import escape
from textwrap import wrap

import segno

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
LENGTH = 20
"""Letters of a code: 100 bits, and as many letters as the smallest QR code holds."""
CARD_MM, LARGE_MM, SMALL_MM = (148, 105), 84, 30
"""The size of the card (A6), and the sides of its two QR codes. A module of the large code is 4 mm
wide: five pixels of a camera that sees one metre across 1280 pixels."""
TRIED = ((1.0, "QRCodeDetectorAruco"), (2.0, "QRCodeDetector"))
"""Scales of the picture, each with its OpenCV detector. Each detector finds codes that the other
misses, as measured on 48 drawn tables, turned and blurred."""


def some_code() -> str:
    """Return a new code."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def drawn_code(code: str) -> str:
    """Return a code for the camera over the table, as SVG."""
    out = io.BytesIO()
    _made(code).save(
        out, kind="svg", scale=6, border=4, xmldecl=False, dark="#000000", light="#ffffff"
    )
    return out.getvalue().decode("ascii")


def drawn_card(code: str, address: str, title: str, about: str) -> str:
    """Return the card to print, as SVG in millimetres.

    Args:
        code: the code in both QR codes.
        address: the page's URL for phones.
        title: the heading.
        about: instructions, in a few sentences.
    """
    width, height = CARD_MM
    large = _placed(code, 12, 14, LARGE_MM)
    small = _placed(f"{address}#card={code}", 107, 14, SMALL_MM)
    lines = "".join(
        f'<text x="107" y="{52 + 4.6 * n:.1f}" font-size="3.2">{escape(line)}</text>'
        for n, line in enumerate(wrap(about, 22))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" fill="#20302a">'
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="4" fill="#ffffff" '
        f'stroke="#20302a" stroke-width="0.4"/>'
        f'<text x="12" y="10" font-size="5.5" font-weight="bold">{escape(title)}</text>'
        f"{large}{small}{lines}</svg>"
    )


def codes_in(jpeg: bytes) -> tuple[str, ...]:
    """Return the texts of all QR codes in a picture; runs in a worker, which may load OpenCV."""
    import cv2
    import numpy as np

    grey = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    if grey is None:
        return ()
    found: list[str] = []
    for scale, detector in TRIED:
        seen = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        done, texts, _, _ = getattr(cv2, detector)().detectAndDecodeMulti(seen)
        found += [text for text in texts if text] if done else []
    return tuple(dict.fromkeys(found))


def _made(text: str) -> segno.QRCode:
    return segno.make_qr(text, error="m", boost_error=False)


def _placed(text: str, left: int, top: int, side: int) -> str:
    made = _made(text)
    scale = side / made.symbol_size(border=0)[0]
    drawn = made.svg_inline(border=0, omitsize=True, dark="#000000", light=None)
    inside = drawn[drawn.index(">") + 1 : drawn.rindex("<")]
    return f'<g transform="translate({left} {top}) scale({scale:.4f})">{inside}</g>'

"""Transliteration to Latin letters, for output that supports no other script."""

from __future__ import annotations

import unicodedata

LATIN = "a b v g d e e zh z i j k l m n o p r s t u f kh c ch sh shch - y - e yu ya"
CYRILLIC = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", LATIN.split(), strict=True))


def latin(text: str) -> str:
    """Return a text with Cyrillic transliterated and accents removed; other scripts stay."""
    spelt = "".join(_spelt(c) for c in text)
    apart = unicodedata.normalize("NFKD", spelt)
    return "".join(c for c in apart if not unicodedata.combining(c)).replace("★", "*")


def _spelt(letter: str) -> str:
    known = CYRILLIC.get(letter.lower())
    if known is None:
        return letter
    return known.capitalize() if letter.isupper() else known

"""A move as a short sentence, ``Red laid a tail``: each language has its article and its endings.

A catalogue says under ``laying`` how a tile stands after the verb: a form for each gender, one for
words that begin with a vowel, and the endings (as patterns) that change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from companion_app.web.speech import Speech, catalogue
from engine.game import Move

VOWELS = "aeiou"


def laid(speech: Speech, move: Move, coloured: bool) -> str:
    """Return what somebody did in a sentence; a move without a tile as on the score sheet."""
    if move.tile is None or move.do not in ("place", "replace"):
        return speech.move(move, coloured)
    own = coloured and move.tile.startswith(f"{move.player}/")
    tile = move.tile.partition("/")[2] if own else move.tile
    said = speech.page(
        f"laid-{move.do}", player=speech.player(move.player), tile=_after_verb(tile, speech)
    )
    return said[:1].upper() + said[1:]


def _after_verb(tile: str, speech: Speech) -> str:
    """Return a tile with its article, in the case that goes with laying."""
    words = catalogue(speech.language)
    forms: Mapping[str, Any] = words["laying"]
    name, comma, rest = speech.tile(tile).partition(",")
    for ending, other in forms.get("endings", {}).items():
        name = re.sub(ending, other, name)
    form = forms.get("vowel") if name[0] in VOWELS else None
    return str(form or forms[_gender(tile, words)]).format(tile=name) + comma + rest


def _gender(tile: str, words: Mapping[str, Any]) -> str:
    first, _, rest = tile.partition("/")
    shape = (rest if first in words["colours"] and rest else tile).partition("/")[0]
    return str(words["genders"].get("hex" if shape.isdigit() else shape, "m"))

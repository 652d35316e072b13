"""Codes by which players check in on their own phone: short, without letters that look alike."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

LETTERS = "ACDEFGHJKLMNPQRTUVWXY34679"
"""Nothing that handwriting makes look alike: no O and 0, I and 1, S and 5, Z and 2, B and 8."""
LENGTH = 6


def code_of(secret: bytes, player: str) -> str:
    """Return a player's code; only who knows the hall's secret can make it."""
    number = int.from_bytes(hmac.digest(secret, player.encode(), "sha256"))
    letters = []
    for _ in range(LENGTH):
        number, which = divmod(number, len(LETTERS))
        letters.append(LETTERS[which])
    return "".join(letters)


def player_with(secret: bytes, code: str, players: Iterable[str]) -> str | None:
    """Return the player whose code was typed, in any case and with any signs between."""
    typed = "".join(c for c in code.upper() if c in LETTERS)
    found = [one for one in players if hmac.compare_digest(code_of(secret, one), typed)]
    return found[0] if len(found) == 1 else None

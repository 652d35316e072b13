"""Names in games of 0.1.0, which took any characters: hidden ones are left out on loading.

The log is never changed; a game that is taken up or shared has names that a record may have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.given import hides


def plain_names(players: Iterable[str]) -> dict[str, str]:
    """Return, for each name that hides characters, one without them that nobody else has."""
    given = list(players)
    taken = {name for name in given if not hides(name)}
    names = {}
    for seat, name in enumerate(given, start=1):
        if name not in taken:
            plain = "".join(c for c in name if not hides(c)).strip() or str(seat)
            names[name] = plain if plain not in taken else f"{plain[:30]} {seat}"
            taken.add(names[name])
    return names


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a JSON value with other names in it, wherever they stand."""
    if not names:
        return value
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Mapping):
        return {names.get(key, key): renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [renamed(one, names) for one in value]
    return value

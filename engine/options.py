"""Options of the rule books: how each kind is declared, and how its values are checked."""

from __future__ import annotations

import json
from typing import Any

from engine.game import Json, Option


def flag(name: str, text: str, **more: Any) -> Option:
    """Return an option that is off unless it is agreed on."""
    return Option(name, text, (False, True), _flag, **more)


def one_of(name: str, text: str, *values: str | int, **more: Any) -> Option:
    """Return an option with these values, the default first."""

    def check(value: Json) -> Json:
        if isinstance(value, str | int) and not isinstance(value, bool) and value in values:
            return value
        raise ValueError("must be " + " or ".join(json.dumps(choice) for choice in values))

    return Option(name, text, values, check, **more)


def colours(text: str, **more: Any) -> Option:
    """Return the option of which two colours each of two players has."""
    return Option("colours", text, (None,), _colours_by_player, "colours", (2,), **more)


def _flag(value: Json) -> Json:
    """Accept true or false."""
    if isinstance(value, bool):
        return value
    raise ValueError("must be true or false")


def _colours_by_player(value: Json) -> Json:
    """Accept two colours for each player, such as ``{"blue": ["blue", "yellow"]}``."""
    if isinstance(value, dict) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(c, str) for c in pair)
        for pair in value.values()
    ):
        return {player: list(pair) for player, pair in value.items()}
    raise ValueError('must name two colours for each player, {"blue": ["blue", "yellow"], …}')

"""Checks for the values of options, shared by the rule books."""

from __future__ import annotations

import json
from collections.abc import Callable

from engine.game import Json


def flag(value: Json) -> Json:
    """Accept true or false."""
    if isinstance(value, bool):
        return value
    raise ValueError("must be true or false")


def one_of(*choices: str | int) -> Callable[[Json], Json]:
    """Return a check that accepts these words or numbers only."""

    def check(value: Json) -> Json:
        if isinstance(value, str | int) and not isinstance(value, bool) and value in choices:
            return value
        raise ValueError("must be " + " or ".join(json.dumps(choice) for choice in choices))

    return check


def colours_by_player(value: Json) -> Json:
    """Accept two colours for each player, such as ``{"blue": ["blue", "yellow"]}``."""
    if isinstance(value, dict) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(c, str) for c in pair)
        for pair in value.values()
    ):
        return {player: list(pair) for player, pair in value.items()}
    raise ValueError('must name two colours for each player, {"blue": ["blue", "yellow"], …}')

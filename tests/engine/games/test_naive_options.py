"""Every value of every option is played against the naive referees, so none is forgotten there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from engine.game import Json
from engine.games import GAMES
from tests.engine.games import test_carnival_agrees as carnival
from tests.engine.games import test_snekagon_agrees as snekagon
from tests.engine.games.nest_tables import settings
from tests.engine.games.test_schlangennest_agrees import GAMES_PLAYED


def pairs(played: Iterable[Mapping[str, Json]]) -> set[tuple[str, str]]:
    """Return the options that were chosen in some games, each with its value as text."""
    return {(name, str(value)) for options in played for name, value in options.items()}


PLAYED = {
    "schlangennest": pairs(settings(seed)[1] for seed in range(GAMES_PLAYED)),
    "snekagon": pairs(
        options for game, _, _, options, _ in snekagon.VARIANTS if game.facts.most_players == 2
    ),
    "snekagon5g": pairs(
        options for game, _, _, options, _ in snekagon.VARIANTS if game.facts.most_players == 5
    ),
    "sssnake": pairs([{"rolls": "trust"}]),
    "carnival": pairs(
        {option.name: value} for option in carnival.drawn(2) for value in option.values
    ),
}


@pytest.mark.parametrize("name", GAMES)
def test_naive_referee_plays_every_value_that_is_not_the_default(name):
    declared = pairs(
        {option.name: value} for option in GAMES[name].facts.options for value in option.values[1:]
    )

    assert declared - PLAYED[name] == set()

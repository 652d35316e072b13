"""Seldom fouls of the filmed games: each of them is possible where it is said to be."""

import pytest

from engine.games import GAMES, game_named
from engine.record import find_set
from models.lab.scenes.splits import rng_of
from tests.live_games.cast import CAST, WHOLE, game_of
from tests.live_games.counts import FOUL, Counts, report
from tests.live_games.plan import acts_of
from tests.live_games.seldom import SHOWN, find_seldom

PLACES = [
    (game, seed, move, rule)
    for game, by_seed in CAST.items()
    for seed, cast in by_seed.items()
    for move, rule in cast.fouls.items()
]


@pytest.mark.parametrize(("game_name", "seed", "move", "rule"), PLACES)
def test_seldom_foul_is_found_before_its_move(game_name, seed, move, rule):
    game = game_named(game_name)
    one = game_of(game_name, seed)

    found = find_seldom(
        game, find_set(game, None), one.positions[move], one.layouts[move], rule, rng_of("test")
    )

    assert found is not None
    assert rule in found[1]
    assert move == len(one.moves) or one.layouts[move] != one.layouts[move + 1]


@pytest.mark.parametrize("game_name", sorted(GAMES))
def test_kinds_that_a_table_can_show_are_rules_of_the_game(game_name):
    rules = {rule.id for rule in game_named(game_name).facts.rules}

    assert set(SHOWN[game_name]) <= rules
    assert {rule for game, _, _, rule in PLACES if game == game_name} <= set(SHOWN[game_name])
    assert all(seed < WHOLE for seed, cast in CAST[game_name].items() if cast.fouls)


def test_seldom_fouls_stand_for_those_that_chance_would_make():
    game = game_named("snekagon")
    box, one = find_set(game, None), game_of("snekagon", 7)
    seldom = CAST["snekagon"][7].fouls

    with_them = list(acts_of(game, box, one, rng_of("test", 1), 0, (), seldom=seldom))
    fouls = {act.number: act.rules for act in with_them if act.what == "foul"}

    assert all(rule in fouls[move] for move, rule in seldom.items())
    assert len(fouls) <= 1 + max(len(seldom), 0.2 * len(one.moves))


def test_report_names_the_kinds_that_did_not_occur():
    counts = Counts()
    counts.add(FOUL + "branches")

    lines = report(counts, ("branches", "on-eye"))

    assert any("1 of 2 that a table can show; not among them: on-eye" in line for line in lines)

"""A game looked over: rolls are luck, choices are skill, and the best choice costs nothing."""

from __future__ import annotations

import random

import pytest

from engine.game import Start
from engine.games import GAMES
from engine.play import Budget, think
from engine.play.analysis import analyse
from engine.play.dealing import Dealer
from engine.record import Record, find_set


def played(name: str, players: tuple[str, ...], moves: int, seed: int = 2) -> Record:
    game, rng = GAMES[name], random.Random(seed)
    dealer = Dealer(game, Start(players), find_set(game, None), rng)
    while not dealer.is_over and len(dealer.moves_made) < moves:
        if dealer.turn_up() is None:
            dealer.make(rng.choice(dealer.legal_moves()))
    return Record(game, find_set(game, None), Start(players), tuple(dealer.moves_made))


@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("schlangennest", ("blue", "red")),
        ("sssnake", ("a", "b")),
        ("carnival", ("yellow", "black")),
    ],
)
def test_every_move_has_what_was_expected_before_and_after(name, players):
    record = played(name, players, 8)
    seen = analyse(record, 3)

    assert [step.move for step in seen.steps] == list(record.moves)
    for step in seen.steps:
        assert sum(step.before.values()) == pytest.approx(1)
        assert sum(step.after.values()) == pytest.approx(1)
        assert step.skill <= 0
        assert bool(step.best) == (step.skill < 0)
    assert seen == analyse(record, 3)


def test_a_roll_is_luck_alone_and_a_choice_skill_alone():
    seen = analyse(played("sssnake", ("a", "b"), 9), 3)
    rolls = [step for step in seen.steps if step.move.do == "roll"]
    choices = [step for step in seen.steps if step.move.do == "place"]

    assert any(step.luck for step in rolls) and not any(step.skill for step in rolls)
    assert not any(step.luck for step in choices)
    assert seen.luck("a") == sum(step.luck for step in rolls if step.move.player == "a")


def test_where_nothing_is_hidden_there_is_no_luck():
    seen = analyse(played("schlangennest", ("blue", "red"), 10), 4)

    assert seen.luck("blue") == seen.luck("red") == 0
    assert seen.skill("blue") + seen.skill("red") < 0
    assert all(abs(seen.steps[number].skill) >= 0.1 for number in seen.turning)


def test_the_machines_own_move_costs_nothing():
    record = played("schlangennest", ("blue", "red"), 6)
    game = record.game
    position = game.opening(record.start, record.tile_set)
    for move in record.moves:
        position = game.apply(position, move)
    best = think(game, position, budget=Budget(looks=8)).best
    assert best is not None
    longer = Record(game, record.tile_set, record.start, (*record.moves, best))

    assert analyse(longer, 8).steps[-1].skill == 0

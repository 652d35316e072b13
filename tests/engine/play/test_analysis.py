"""A game looked over: what the draws leave open is not told, whichever draws they are."""

from __future__ import annotations

import random

import pytest

from engine.game import Start
from engine.games import GAMES
from engine.play.analysis import TURNING, Figure, analyse, figure_of
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
        ("snekagon", ("red", "green")),
        ("sssnake", ("a", "b")),
        ("carnival", ("yellow", "black")),
    ],
)
def test_every_move_has_what_was_expected_before_and_after(name, players):
    record = played(name, players, 6)
    seen = analyse(record, 8)

    assert [step.move for step in seen.steps] == list(record.moves)
    for step, later in zip(seen.steps, seen.steps[1:], strict=False):
        assert sum(step.before.values()) == pytest.approx(1)
        assert step.after == later.before, "a position has one value"
    for step in seen.steps:
        assert step.skill.value <= 0
        assert (step.best is not None) == step.skill.is_sure
        assert step.best is None or step.best.player == step.move.player
    assert seen == analyse(record, 8, processes=2)


def test_a_roll_is_luck_alone_and_a_choice_skill_alone():
    seen = analyse(played("sssnake", ("a", "b"), 9), 16)
    rolls = [step for step in seen.steps if step.move.do == "roll"]
    choices = [step for step in seen.steps if step.move.do == "place"]

    assert any(step.luck.value for step in rolls)
    assert not any(step.skill.value for step in rolls)
    assert not any(step.luck.value for step in choices)


@pytest.mark.parametrize(
    ("name", "players"),
    [("schlangennest", ("blue", "red")), ("carnival", ("yellow", "black"))],
    ids=["nothing is hidden", "hands are hidden"],
)
def test_no_luck_is_told_where(name, players):
    seen = analyse(played(name, players, 6), 6)

    assert [seen.luck(player) for player in players] == [Figure(), Figure()]


def test_a_blunder_is_found_with_every_seed():
    record = played("schlangennest", ("blue", "red"), 14, seed=3)
    seen = [analyse(record, 24, seed) for seed in (1, 2)]

    assert [one.turning for one in seen] == [(4,), (4,)]
    for one in seen:
        for number in one.turning:
            low, high = one.steps[number].skill.interval
            assert low < high <= -TURNING
            assert one.steps[number].best is not None


def test_few_draws_that_all_agree_are_not_sure():
    assert not figure_of([1.0] * 4).is_sure
    assert figure_of([1.0] * 64).is_sure
    assert not figure_of([0.0] * 64).is_sure
    assert not figure_of([1.0, -1.0] * 32).is_sure


def test_what_is_not_sure_is_told_as_nothing():
    assert Figure(0.2, 0.3).told == 0.0
    assert Figure(-0.4, 0.3).told == -0.4
    assert Figure(-0.4, 0.3).interval == pytest.approx((-0.7, -0.1))

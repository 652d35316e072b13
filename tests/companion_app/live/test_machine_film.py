"""The machine's move in front of the camera: laid wrongly it is noticed, laid right it is taken."""

from __future__ import annotations

import pytest

from companion_app.live.explain import explain
from companion_app.live.machine import MachineTurn
from companion_app.live.places import spots_of
from companion_app.live.store import Store
from engine.game import Move
from engine.games import game_named
from engine.placement import Clay
from models.lab.scenes.games.positions import played
from models.lab.scenes.splits import rng_of
from tests.companion_app.live.test_film import filmed
from tests.live_games.machine import KINDS, table, wrong_move
from tests.live_games.plan import Act

GAME, SEED, NUMBER = "schlangennest", 4, 3


def another(kind: str) -> Move:
    """Return a legal move that is not the machine's: another cell, turn or tile."""
    game, one = game_named(GAME), played(GAME, "train", "random", SEED)
    right = one.moves[NUMBER]
    wrong = {
        "cell": lambda move: move.at != right.at,
        "turn": lambda move: (
            (move.tile, move.at) == (right.tile, right.at) and move.turns != right.turns
        ),
        "tile": lambda move: move.at == right.at and move.tile != right.tile,
    }[kind]
    legal = game.legal_moves(one.positions[NUMBER])
    found = [move for move in legal if move.do == "place" and wrong(move)]
    if not found:
        pytest.skip(f"there is no other {kind} in this position")
    return found[0]


@pytest.mark.parametrize("kind", ["cell", "turn", "tile"])
def test_machines_move_laid_wrongly_is_noticed_and_then_taken_when_right(tmp_path, kind):
    game, one = game_named(GAME), played(GAME, "train", "random", SEED)
    right, position = one.moves[NUMBER], one.positions[NUMBER]
    wrong = game.layout(game.apply(position, another(kind)))
    act = Act("move", NUMBER, other=wrong)
    with Store(tmp_path) as store:
        umpire, director = filmed(store, GAME, SEED, act)
        referee, match = umpire.loop.referee, umpire.match
        director.show(director.table.quiet(1.2))
        referee.wants(MachineTurn(right.player, match.position, right))
        director.lay(act, wrong)
        director.wait_until(lambda: referee.doubts.otherwise is not None)
        noticed, accepted = referee.doubts.otherwise, len(match.accepted)
        director.lay(act, one.layouts[NUMBER])
        director.lay(act, one.layouts[NUMBER + 1])
        director.wait_until(lambda: len(match.accepted) > accepted)

        assert noticed is not None and accepted == NUMBER
        assert [one.move for one in match.accepted[NUMBER:]] == [right]
        assert referee.doubts.otherwise is None


def test_machines_move_laid_right_is_never_refused(tmp_path):
    act = Act("move", NUMBER)
    with Store(tmp_path) as store:
        umpire, director = filmed(store, GAME, SEED, act)
        one, match = umpire.one, umpire.match
        right = one.moves[NUMBER]
        director.show(director.table.quiet(1.2))
        umpire.loop.referee.wants(MachineTurn(right.player, match.position, right))
        director.lay(act, one.layouts[NUMBER + 1])
        director.wait_until(lambda: len(match.accepted) > NUMBER)

        assert [one.move for one in match.accepted[NUMBER:]] == [right]
        assert not [event for event in umpire.events if event["event"] == "machine"]


@pytest.mark.parametrize("game_name", ["schlangennest", "snekagon"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_move_is_legal_differs_as_named_and_is_the_same_for_the_same_seed(game_name, kind):
    game, one = game_named(game_name), played(game_name, "train", "random", SEED)
    found = {
        n: wrong_move(game, one, n, kind, rng_of("test", game_name, kind))
        for n in range(NUMBER, NUMBER + 5)
    }
    number, table = next((n, other) for n, other in found.items() if other is not None)
    before = one.layouts[number]
    (laid,) = set(table.placements()) - set(before.placements())
    (wanted,) = set(one.layouts[number + 1].placements()) - set(before.placements())

    assert table == wrong_move(game, one, number, kind, rng_of("test", game_name, kind))
    assert explain(game, one.positions[number], table).rows
    assert not isinstance(laid, Clay)
    assert not isinstance(wanted, Clay)
    assert (laid.tile == wanted.tile) is (kind != "tile")
    assert bool(set(spots_of(laid)) & set(spots_of(wanted))) is (kind != "cell")
    assert laid != wanted


def test_the_figures_name_what_was_not_noticed():
    missed = {"n": 4, "kind": "turn", "good": False, "move": {"player": "red"}}
    said = table({"snekagon": [missed, {"n": 4, "kind": "right", "good": True}]})

    assert "| snekagon | 1 | 0 (0.0% to 79.3%) | 1 | 1 (20.7% to 100.0%) |" in said
    assert "snekagon, move 4, turn" in said

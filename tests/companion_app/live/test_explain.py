"""What happened between two looks at a table: the moves that lead from one to the other."""

from __future__ import annotations

import pytest

from companion_app.live.explain import explain
from companion_app.live.likeness import same
from engine.game import Move, Start
from engine.games.schlangennest import Schlangennest
from engine.notation import read_layout
from engine.setfile import built_in_set
from tests.engine.playing import Variant, random_game, variants

GAME = Schlangennest()
BOX = built_in_set("schlangennest")


def table(text, turn="blue"):
    start = Start(("blue", "red"), {}, read_layout(text), turn, midgame=True)
    return GAME.opening(start, BOX)


def test_nothing_happened():
    found = explain(GAME, table("blue/curve@0,0"), read_layout("blue/curve@0,0"))

    assert (found.rows, found.fouls, found.asks_hand) == ((), (), ())


def test_a_card_was_laid():
    after = read_layout("blue/curve@0,0 blue/straight@-1,0")
    (row,) = explain(GAME, table("blue/curve@0,0"), after).rows

    assert row.moves == (Move("blue", "place", "blue/straight", (-1, 0), 0),)
    assert GAME.layout(row.position) == after


def test_an_illegal_card_is_told_with_what_it_breaks():
    after = read_layout("blue/curve@0,0 blue/straight@3,3")
    found = explain(GAME, table("blue/curve@0,0"), after)

    assert found.rows == ()
    assert found.fouls[0].move.tile == "blue/straight"
    assert [v.rule.id for v in found.fouls[0].verdict.violations] == ["own-end"]


def test_two_moves_are_found_in_the_one_order_that_is_legal():
    before = table("blue/straight@0,0 red/straight@0,1")
    after = read_layout("blue/straight@0,0 red/straight@0,1 red/straight@1,1 blue/curve@1,0")
    (row,) = explain(GAME, before, after).rows

    assert [move.player for move in row.moves] == ["blue", "red"]


def test_a_turned_curve_of_a_loop_is_a_turn():
    ring = "blue/curve@0,0^2 blue/curve@1,0^3 blue/curve@0,1^1 blue/curve@1,1"
    (row,) = explain(GAME, table(ring), read_layout(ring.replace("0,0^2", "0,0^1"))).rows

    assert row.moves == (Move("blue", "turn", at=(0, 0), turns=1),)


def test_a_stuck_players_pass_is_among_the_moves():
    fence = "red/straight@0,-1^1 red/straight@1,-1^1 red/straight@0,2^1 red/straight@1,2^1"
    ring = f"blue/curve@0,0^2 blue/curve@1,0^3 blue/curve@0,1^1 blue/curve@1,1 {fence}"
    (row,) = explain(GAME, table(ring), read_layout(f"{ring} red/straight@0,-2^1")).rows

    assert [(move.player, move.do) for move in row.moves] == [("blue", "pass"), ("red", "place")]


def test_a_lifted_card_is_no_move():
    before = table("blue/curve@0,0 blue/straight@-1,0")

    assert explain(GAME, before, read_layout("blue/curve@0,0")).rows == ()


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_a_move_of_any_game_is_found_from_the_table_alone(variant: Variant):
    game = variant.game
    for position, _, move in list(random_game(variant, 12))[::9]:
        after = game.layout(game.apply(position, move))
        if same(after, game.layout(position)):
            continue
        found = explain(game, position, after)

        rows = [row for row in (*found.rows, *found.asks_hand) if len(row.moves) == 1]
        assert any(same(game.layout(row.position), after) for row in rows), (move, found)

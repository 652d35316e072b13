"""What happened between two looks at a table."""

from __future__ import annotations

from engine.game import Move, Start
from engine.games.schlangennest import Schlangennest
from engine.infer import infer_move
from engine.notation import read_layout
from engine.setfile import built_in_set

GAME = Schlangennest()
BOX = built_in_set("schlangennest")


def table(text, turn="blue"):
    start = Start(("blue", "red"), {}, read_layout(text), turn, midgame=True)
    return GAME.opening(start, BOX)


def test_nothing_happened():
    inferred = infer_move(GAME, table("blue/curve@0,0"), read_layout("blue/curve@0,0"))

    assert (inferred.sequences, inferred.illegal) == ((), ())
    assert inferred.why == "nothing has changed"


def test_a_card_was_laid():
    after = read_layout("blue/curve@0,0 blue/straight@-1,0")
    inferred = infer_move(GAME, table("blue/curve@0,0"), after)

    assert inferred.move == Move("blue", "place", "blue/straight", (-1, 0), 0)


def test_an_illegal_card_is_told_with_what_it_breaks():
    after = read_layout("blue/curve@0,0 blue/straight@3,3")
    inferred = infer_move(GAME, table("blue/curve@0,0"), after)

    assert inferred.sequences == ()
    ((move, verdict),) = inferred.illegal
    assert move.tile == "blue/straight"
    assert [v.rule.id for v in verdict.violations] == ["own-end"]


def test_two_moves_are_found_in_the_one_order_that_is_legal():
    before = table("blue/straight@0,0 red/straight@0,1")
    after = read_layout("blue/straight@0,0 red/straight@0,1 red/straight@1,1 blue/curve@1,0")
    (sequence,) = infer_move(GAME, before, after).sequences

    assert [move.player for move in sequence] == ["blue", "red"]


def test_a_turned_curve_of_a_loop_is_a_turn():
    ring = "blue/curve@0,0^2 blue/curve@1,0^3 blue/curve@0,1^1 blue/curve@1,1"
    inferred = infer_move(GAME, table(ring), read_layout(ring.replace("0,0^2", "0,0^1")))

    assert inferred.move == Move("blue", "turn", at=(0, 0), turns=1)


def test_a_stuck_players_pass_is_among_the_moves():
    fence = "red/straight@0,-1^1 red/straight@1,-1^1 red/straight@0,2^1 red/straight@1,2^1"
    ring = f"blue/curve@0,0^2 blue/curve@1,0^3 blue/curve@0,1^1 blue/curve@1,1 {fence}"
    (sequence,) = infer_move(
        GAME, table(ring), read_layout(f"{ring} red/straight@0,-2^1")
    ).sequences

    assert [(move.player, move.do) for move in sequence] == [("blue", "pass"), ("red", "place")]


def test_a_lifted_card_is_no_move():
    inferred = infer_move(
        GAME, table("blue/curve@0,0 blue/straight@-1,0"), read_layout("blue/curve@0,0")
    )

    assert inferred.sequences == ()
    assert inferred.why == "a tile was lifted"

"""Strands traced into snakes."""

from __future__ import annotations

from engine.notation import read_layout
from engine.setfile import built_in_set
from engine.snakes import card, trace

BOX = built_in_set("schlangennest")


def web(text):
    return trace({p.at: card(BOX[p.tile], p.turns) for p in read_layout(text).cards})


def test_an_empty_table_has_no_chains():
    assert web("").chains == ()


def test_a_lone_card_has_a_chain_for_each_strand_and_an_end_for_each_edge():
    traced = web("blue/straight@0,0")

    assert [len(chain.ends) for chain in traced.chains] == [2, 2]
    assert sorted(traced.facing) == [(-1, 0), (0, -1), (0, 1), (1, 0)]


def test_a_snake_runs_on_across_touching_edges():
    (snake,) = web("blue/straight@0,0 blue/curve@1,0").of_colour("blue")

    assert sorted(snake.strands) == [((0, 0), 0), ((1, 0), 0)]
    assert sorted(snake.faces) == [(-1, 0), (1, -1)]


def test_a_cap_ends_a_snake():
    (snake,) = web("blue/straight@0,0 blue/tail@1,0").of_colour("blue")

    assert (snake.caps, len(snake.ends)) == (1, 1)


def test_four_curves_make_a_loop():
    ring = "blue/curve@0,0^2 blue/curve@1,0^3 blue/curve@0,1^1 blue/curve@1,1"
    (snake,) = web(ring).of_colour("blue")

    assert snake.is_loop()
    assert len(snake.strands) == 4


def test_equal_cards_are_the_same_object():
    assert card(BOX["blue/straight"], 0) is card(BOX["blue/straight"], 2)

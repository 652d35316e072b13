"""Strands traced into snakes."""

from __future__ import annotations

from engine.notation import read_layout
from engine.setfile import built_in_set
from engine.snakes import card, trace

BOX = built_in_set("schlangennest")


def web(text):
    return web_of("schlangennest", text)


def web_of(game, text):
    box = built_in_set(game)
    return trace({p.at: card(box[p.tile], p.turns) for p in read_layout(text).cards})


def test_an_empty_table_has_no_chains():
    assert not web("").open and not web("").coloured


def test_a_lone_card_has_a_chain_for_each_strand_and_an_end_for_each_edge():
    traced = web("blue/straight@0,0")

    assert sorted(traced.open) == [((-1, 0), 1), ((0, -1), 2), ((0, 1), 0), ((1, 0), 3)]
    assert [len(chain.ends) for chain in set(traced.open.values())] == [2, 2]


def test_a_snake_runs_on_across_touching_edges():
    (snake,) = web("blue/straight@0,0 blue/curve@1,0").of_colour("blue")

    assert sorted(snake.strands) == [((0, 0), 0), ((1, 0), 0)]
    assert sorted(snake.ends) == [((-1, 0), 1), ((1, -1), 2)]


def test_a_cap_ends_a_snake():
    (snake,) = web("blue/straight@0,0 blue/tail@1,0").of_colour("blue")

    assert (snake.caps, len(snake.ends)) == (1, 1)


def test_four_curves_make_a_loop():
    ring = "blue/curve@0,0^2 blue/curve@1,0^3 blue/curve@0,1^1 blue/curve@1,1"
    (snake,) = web(ring).of_colour("blue")

    assert snake.is_loop()
    assert snake.length == len(snake.strands) == 4


def test_equal_cards_are_the_same_object():
    assert card(BOX["blue/straight"], 0) is card(BOX["blue/straight"], 2)


def test_a_chain_that_comes_to_a_blank_edge_ends_there():
    gift = web_of("carnival", "yellow/straight@0,0^1 gift@0,1")

    assert sorted(gift.open) == [((0, -1), 2)]

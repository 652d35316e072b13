"""Snekagon by example: the rulebook's and the rulings' own, and one for each rule."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from engine.errors import RecordError
from engine.game import Change, Move, Start
from engine.games.snekagon import Snekagon
from engine.hexpath import free_shape, path_shape
from engine.hexplacements import placement_table
from engine.notation import read_layout
from engine.placement import Layout
from engine.record import parse_record
from engine.setfile import built_in_set

GAME = Snekagon()
BOX = built_in_set("snekagon")
TWO = ("red", "green")
STRAIGHT = "red/3/0@0,0+1,0+2,0"
BEND = "red/3/+@0,0+1,0+1,1"
LONG = "red/4/00@-1,0+0,0+1,0+2,0"
ALL_RED = (
    "red/1@-5,0 red/2@-3,-2+-2,-2 red/3/0@-5,2+-4,2+-3,2 red/3/+@-5,4+-4,4+-4,5 "
    "red/4/00@0,-5+1,-5+2,-5+3,-5 red/4/0+@1,-3+2,-3+3,-3+3,-2 red/4/++@-1,0+0,0+0,1+-1,2 "
    "red/4/+-@0,3+1,3+2,2+3,2"
)


def read(text):
    """Return a layout whose pieces have the shapes of their tiles."""
    layout = read_layout(text, "hex")
    for piece in layout.pieces:
        assert free_shape(piece.cells) == path_shape(BOX[piece.tile].path), piece
    return layout


def table(text="", *, turn=None, players=TWO, **options):
    """Return the position of a table taken up in its middle."""
    return GAME.opening(Start(players, options, read(text), turn, midgame=True), BOX)


def lay(text):
    """Return the move that lays one tile, by its owner."""
    (piece,) = read(text).pieces
    player, _, shape = piece.tile.partition("/")
    return Move(player, "place", shape, cells=piece.cells)


def broken(position, move):
    return [violation.rule.id for violation in GAME.judge(position, move).violations]


def pointed_at(position, move):
    return [violation.cells for violation in GAME.judge(position, move).violations]


# --- the box and the board


def test_a_full_set_lies_on_the_empty_board_in_2602_ways():
    agreed = table().agreed
    placements = placement_table(agreed.paths["red"], agreed.side).placements
    by_tile = Counter(placed.shape for placed in placements)

    assert list(by_tile.values()) == [91, 240, 207, 420, 174, 720, 390, 360]
    assert len(placements) == len({placed.cells for placed in placements}) == 2602


def test_cells_that_are_not_the_tiles_shape_are_a_bad_record():
    move = {"player": "red", "do": "place", "tile": "3/0", "cells": [[0, 0], [1, 0], [1, 1]]}

    with pytest.raises(RecordError, match=r"moves\[0\].cells: .* shape"):
        parse_record({"game": "snekagon", "players": ["red", "green"], "moves": [move]})


def test_a_tile_is_the_same_however_it_is_turned_or_flipped():
    position = table("green/1@5,0", turn="red")

    for cells in ("0,0+1,0+1,1", "0,0+0,1+-1,2", "0,0+1,0+2,-1", "0,0+0,-1+1,-2"):
        assert broken(position, lay(f"red/3/+@{cells}")) == []


# --- the first tile


def test_the_first_tile_is_the_single_hex():
    position = GAME.opening(Start(TWO), BOX)

    assert {move.tile for move in GAME.legal_moves(position)} == {"1"}
    assert len(GAME.legal_moves(position)) == 91
    assert broken(position, lay("red/2@0,0+1,0")) == ["first-is-1"]
    assert broken(position, lay("red/1@0,0")) == []


def test_the_second_player_may_begin_with_any_tile():
    position = GAME.apply(GAME.opening(Start(TWO), BOX), lay("red/1@0,0"))

    assert broken(position, lay("green/4/00@0,3+1,3+2,3+-1,3")) == []


@pytest.mark.parametrize(("first", "without"), [("red", "green"), ("green", "red")])
def test_the_second_player_has_no_single_hex_where_that_was_agreed(first, without):
    start = Start(TWO, {"second_without_1": True}, next=first)
    position = GAME.opening(start, BOX)

    assert "1" in position.left[first]
    assert "1" not in position.left[without]
    after = GAME.apply(position, lay(f"{first}/1@0,0"))
    assert broken(after, lay(f"{without}/1@3,0")) == ["none-left"]


# --- one example for each rule, broken alone


@pytest.mark.parametrize(
    ("lying", "laid", "rule", "cells"),
    [
        (STRAIGHT, "red/2@2,-2+2,-1", "sharp-turn", [(1, 0), (2, -1), (2, 0)]),
        ("red/2@0,0+1,0", "red/1@1,-1", "sharp-turn", [(0, 0), (1, -1), (1, 0)]),
        ("red/1@0,0", "red/2@0,1+1,0", "sharp-turn", [(0, 0), (0, 1), (1, 0)]),
        (BEND, "red/2@2,-1+3,-2", "branches", [(1, 0), (2, -1)]),
        (LONG, "red/2@1,-1+1,-2", "branches", [(0, 0), (1, -1), (1, 0)]),
        ("red/1@2,-1", BEND, "branches", [(1, 0), (2, -1)]),
        (LONG, "red/4/++@0,1+0,2+1,2+2,1", "touches-itself", [(0, 0), (0, 1), (1, 0)]),
        (STRAIGHT, "red/2@0,1+1,1", "own-snakes-touch", [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]),
        (f"{LONG} red/2@5,-2+5,-1", "red/3/+@3,0+4,0+4,1", "own-snakes-touch", [(4, 0), (5, -1)]),
        ("green/1@0,0", "red/2@1,0+2,0", "touches-only-opponent", [(0, 0), (1, 0)]),
        (STRAIGHT, "red/2@5,0+6,0", "off-board", [(6, 0)]),
        (STRAIGHT, "red/2@2,0+3,0", "cell-taken", [(2, 0)]),
        ("green/2@2,0+3,0", "red/2@1,0+2,0", "cell-taken", [(2, 0)]),
        (STRAIGHT, "red/3/0@-3,3+-2,3+-1,3", "none-left", [(-3, 3), (-2, 3), (-1, 3)]),
    ],
)
def test_each_rule_can_be_broken_alone(lying, laid, rule, cells):
    position = table(lying, turn="red")

    assert broken(position, lay(laid)) == [rule]
    assert pointed_at(position, lay(laid)) == [tuple(cells)]


def test_who_is_not_on_turn_is_told_so():
    assert broken(table(STRAIGHT, turn="green"), lay("red/1@3,0")) == ["not-your-turn"]


def test_everything_that_is_wrong_is_told_at_once():
    position = table(f"{STRAIGHT} green/1@-4,0", turn="green")

    assert broken(position, lay("red/3/0@-6,0+-5,0+-4,0")) == [
        "not-your-turn",
        "none-left",
        "off-board",
        "cell-taken",
    ]


def test_the_sentences_are_for_players():
    verdict = GAME.judge(table("green/1@0,0", turn="red"), lay("red/2@1,0+2,0"))

    assert verdict.violations[0].text == (
        "This tile touches green, but it does not extend a red snake."
    )


# --- growing, joining, rings


def test_a_growing_tile_may_touch_the_opponent():
    position = table(f"{STRAIGHT} green/3/0@3,-2+4,-2+5,-2", turn="red")

    assert broken(position, lay("red/2@3,0+4,-1")) == []


def test_a_new_snake_touches_nothing():
    assert broken(table(STRAIGHT, turn="red"), lay("red/2@0,2+1,2")) == []


def test_a_tile_between_two_ends_joins_two_snakes():
    position = table("red/3/0@-3,0+-2,0+-1,0 red/4/00@1,0+2,0+3,0+4,0", turn="red")

    after = GAME.apply(position, lay("red/1@0,0"))

    assert broken(position, lay("red/1@0,0")) == []
    assert GAME.outcome(position).scores["red"] == 4
    assert GAME.outcome(after).scores["red"] == 8


def test_a_single_hex_between_three_ends_branches():
    position = table(
        "red/2@1,0+2,0 red/3/0@-1,1+-2,2+-3,3 red/4/00@0,-1+0,-2+0,-3+0,-4", turn="red"
    )

    assert broken(position, lay("red/1@0,0")) == ["branches"]
    assert pointed_at(position, lay("red/1@0,0")) == [((-1, 1), (0, -1), (0, 0), (1, 0))]


def test_the_smallest_ring_has_six_hexes_and_counts_them():
    position = table("red/4/++@-1,0+-1,1+0,1+1,0", turn="red")
    closing = lay("red/2@0,-1+1,-1")

    assert broken(position, closing) == []
    assert GAME.outcome(GAME.apply(position, closing)).scores["red"] == 6


def test_a_ring_cannot_grow():
    ring = table("red/4/++@-1,0+-1,1+0,1+1,0 red/2@0,-1+1,-1", turn="red")

    for cells in ("2,-1", "2,-2", "1,-2", "2,0", "0,0"):
        assert "branches" in broken(ring, lay(f"red/1@{cells}"))
    assert not any(move.cells == ((2, 0),) for move in GAME.legal_moves(ring))


def test_a_ring_is_closed_by_a_single_hex():
    position = table("red/3/+@1,0+0,1+-1,1 red/2@-1,0+0,-1", turn="red")

    assert broken(position, lay("red/1@1,-1")) == []
    assert GAME.outcome(GAME.apply(position, lay("red/1@1,-1"))).scores["red"] == 6


# --- passing and the end


def test_who_can_move_may_not_pass():
    assert broken(table(STRAIGHT, turn="red"), Move("red", "pass")) == ["must-move"]


def test_who_has_no_tile_left_passes_and_the_other_plays_again():
    position = table(f"{ALL_RED} green/1@5,-1", turn="red")

    assert GAME.inspect(position) == ()
    assert GAME.legal_moves(position) == [Move("red", "pass")]
    assert broken(position, Move("red", "pass")) == []
    assert GAME.apply(position, Move("red", "pass")).to_move == "green"


def finished(seed):
    """Return the end of a random game."""
    rng = random.Random(seed)
    position = GAME.opening(Start(TWO), BOX)
    while moves := GAME.legal_moves(position):
        position = GAME.apply(position, rng.choice(moves))
    return position


def test_the_longest_snake_wins_and_equal_ones_tie():
    outcomes = [GAME.outcome(finished(seed)) for seed in range(30)]

    assert all(outcome.over for outcome in outcomes)
    assert {len(outcome.winners) for outcome in outcomes} == {1, 2}
    for outcome in outcomes:
        best = max(score or 0 for score in outcome.scores.values())
        assert list(outcome.winners) == [p for p in TWO if outcome.scores[p] == best]


def test_after_the_end_a_pass_changes_nothing_and_a_tile_is_too_late():
    end = finished(1)

    assert GAME.legal_moves(end) == []
    for player in TWO:
        assert broken(end, Move(player, "pass")) == []
        assert GAME.apply(end, Move(player, "pass")) == end
    assert "game-over" in broken(end, lay("red/1@0,0"))


def test_without_a_snake_the_score_is_nothing():
    outcome = GAME.outcome(GAME.opening(Start(TWO), BOX))

    assert outcome.scores == {"red": 0, "green": 0}
    assert outcome.lines == {"red": (), "green": ()}
    assert outcome.winners == ()


# --- a table as it lies


@pytest.mark.parametrize(
    ("lying", "rules"),
    [
        (f"{STRAIGHT} red/2@2,-2+2,-1", ["sharp-turn"]),
        (f"{BEND} red/2@2,-1+3,-2", ["branches"]),
        (f"{STRAIGHT} red/2@0,1+1,1", ["own-snakes-touch"]),
        ("red/1@0,0 red/1@3,0", ["too-many"]),
        (ALL_RED, []),
    ],
)
def test_a_table_is_inspected_as_it_lies(lying, rules):
    assert [found.rule.id for found in GAME.inspect(table(lying))] == rules


@pytest.mark.parametrize(
    ("lying", "problem"),
    [
        ("red/2@5,0+6,0", "not completely on the board"),
        ("red/2@0,0+1,0 green/1@0,0", "overlaps another tile"),
        ("red/1@0,0#1", "one board"),
    ],
)
def test_what_no_table_could_hold_is_an_error(lying, problem):
    with pytest.raises(RecordError, match=problem):
        table(lying)


def test_a_foul_that_was_let_pass_does_not_stop_the_game():
    position = table(f"{STRAIGHT} red/2@0,1+1,1", turn="red")

    assert broken(position, lay("red/1@-4,0")) == []
    assert lay("red/1@-4,0") in GAME.legal_moves(position)


def test_a_tile_over_the_edge_that_was_let_pass_does_not_stop_the_game():
    position = GAME.apply(table(STRAIGHT, turn="red"), lay("red/2@5,-5+5,-6"))

    assert GAME.legal_moves(position)
    assert GAME.outcome(position).scores["red"] == 3


def test_the_move_is_read_from_the_tile_that_came_to_lie():
    position = table(STRAIGHT, turn="red")
    laid = read_layout("red/2@2,-2+2,-1", "hex")

    assert GAME.readings(position, Change(laid)) == [lay("red/2@2,-2+2,-1")]
    assert GAME.readings(position, Change(laid, laid)) == []
    assert GAME.readings(position, Change(Layout())) == []

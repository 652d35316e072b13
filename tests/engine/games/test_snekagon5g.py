"""Snekagon 5G by example: the rulebook's and the rulings' own, and one for each rule."""

from __future__ import annotations

import random
import re

import pytest

from engine.errors import RecordError
from engine.game import Change, Move, Start
from engine.games.snekagon5g import Snekagon5G
from engine.hexpath import free_shape, path_shape
from engine.infer import change_between
from engine.notation import read_layout, write_layout
from engine.record import parse_options, parse_record
from engine.setfile import built_in_set

GAME = Snekagon5G()
BOX = built_in_set("snekagon5g")
FIVE = ("blue", "red", "yellow", "green", "violet")
EAST = "blue/3/0@0,0+1,0+2,0#0"
"""A blue snake on board 0 that heads east; its end is at 2,0."""


def read(text):
    """Return a layout whose pieces have the shapes of their tiles."""
    layout = read_layout(text, "hex")
    for piece in layout.pieces:
        assert free_shape(piece.cells) == path_shape(BOX[piece.tile].path), piece
    return layout


def table(text="", *, players=3, turn=None, **options):
    """Return the position of a table taken up in its middle, with so many players."""
    start = Start(FIVE[:players], options, read(text), turn, midgame=True)
    return GAME.opening(start, BOX)


def lay(text):
    """Return a move such as ``blue/2@2,0+3,0#1 from 2,0#0 to 3,0#2``."""
    words = text.split()
    (piece,) = read(words[0]).pieces
    player, _, shape = piece.tile.partition("/")
    drills = dict(zip(words[1::2], map(_board_and_cell, words[2::2]), strict=True))
    return Move(
        player,
        "place",
        shape,
        cells=piece.cells,
        board=piece.board,
        origin=drills.get("from"),
        to=drills.get("to"),
    )


def _board_and_cell(word):
    q, r, board = map(int, re.findall(r"-?\d+", word))
    return (board, (q, r))


def broken(position, move):
    return [violation.rule.id for violation in GAME.judge(position, move).violations]


def after(position, *moves):
    """Return the position after some moves of whoever it is, each of them sound."""
    for move in moves:
        assert set(broken(position, move)) <= {"not-your-turn"}, broken(position, move)
        position = GAME.apply(position, move)
    return position


def clay(position):
    """Return the clay on the table, in notation."""
    words = write_layout(GAME.layout(position)).split()
    return [word.removeprefix("clay/") for word in words if word.startswith("clay/")]


# --- the box


def test_every_colour_has_ten_tiles_of_35_hexes_and_two_of_its_own():
    for colour in FIVE:
        kinds = BOX.of_colour(colour)
        assert len(kinds) == 10
        assert sum(len(kind.cells) for kind in kinds) == 35
    large = {kind.shape for kind in BOX.kinds.values() if kind.shape.startswith("5/")}
    assert len(large) == 10


def test_the_first_tile_may_be_any_on_any_board():
    moves = GAME.legal_moves(GAME.opening(Start(FIVE[:2]), BOX))

    assert {move.tile for move in moves} == {kind.shape for kind in BOX.of_colour("blue")}
    assert {move.board for move in moves} == {0, 1}


def test_the_first_tile_is_the_single_hex_where_that_was_agreed():
    position = GAME.opening(Start(FIVE[:2], {"single_opening": True}), BOX)

    assert broken(position, lay("blue/2@0,0+1,0#0")) == ["first-is-1"]
    assert len(GAME.legal_moves(position)) == 2 * (91 - 2)


# --- one example for each rule, broken alone


@pytest.mark.parametrize(
    ("lying", "laid", "rule", "cells"),
    [
        (EAST, "blue/2@-2,-2+-1,-2#1", "on-eye", [(1, -1, -2)]),
        (EAST, "blue/2@1,0+1,1#1 from 1,0#0", "not-an-end", [(0, 1, 0)]),
        (EAST, "blue/2@-3,0+-2,0#1 from -2,0#0", "not-an-end", [(0, -2, 0)]),
        (f"{EAST} red/1@4,0#0", "blue/2@4,0+5,0#1 from 4,0#0", "not-an-end", [(0, 4, 0)]),
        (EAST, "blue/2@3,0+4,0#1 from 2,0#0", "other-field", [(0, 2, 0), (1, 3, 0), (1, 4, 0)]),
        (
            EAST,
            "blue/5/000@0,0+1,0+2,0+3,0+4,0#1 from 2,0#0",
            "other-field",
            [(0, 2, 0), (1, 2, 0)],
        ),
        (EAST, "blue/2@2,0+3,0#2 from 2,0#0", "boards-apart", [(0, 2, 0), (2, 2, 0)]),
        (EAST, "blue/2@2,0+3,0#1 to 2,0#0", "no-far-drill", [(0, 2, 0)]),
        ("red/1@2,0#1", "blue/2@3,0+4,0#1", "touches-only-opponent", [(1, 2, 0), (1, 3, 0)]),
        (EAST, "blue/2@2,-2+2,-1#0", "sharp-turn", [(0, 1, 0), (0, 2, -1), (0, 2, 0)]),
        (EAST, "blue/2@5,0+6,0#0", "off-board", [(0, 6, 0)]),
        (EAST, "blue/3/0@-3,3+-2,3+-1,3#2", "none-left", [(2, -3, 3), (2, -2, 3), (2, -1, 3)]),
        ("red/2@2,0+3,0#1", "blue/2@1,0+2,0#1", "cell-taken", [(1, 2, 0)]),
        ("blue/3/+@0,2+1,2+1,3#1", "blue/2@2,1+3,0#1", "branches", [(1, 1, 2), (1, 2, 1)]),
        (
            f"{EAST} blue/2@2,-1+2,-2#1",
            "blue/3/+@2,0+3,0+3,1#1 from 2,0#0",
            "branches",
            [(0, 2, 0), (1, 2, -1), (1, 2, 0), (1, 3, 0)],
        ),
        (
            "blue/4/00@-1,0+0,0+1,0+2,0#2",
            "blue/4/++@0,1+0,2+1,2+2,1#2",
            "touches-itself",
            [(2, 0, 0), (2, 0, 1), (2, 1, 0)],
        ),
        (
            EAST,
            "blue/2@0,1+1,1#0",
            "own-snakes-touch",
            [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 2, 0)],
        ),
    ],
)
def test_each_rule_can_be_broken_alone(lying, laid, rule, cells):
    position = table(lying, players=4, turn="blue")
    verdict = GAME.judge(position, lay(laid))

    assert [violation.rule.id for violation in verdict.violations] == [rule]
    assert verdict.violations[0].cells == tuple(cells)


def test_a_tile_is_not_drilled_to_one_end_twice():
    position = table("blue/1@2,0#0", players=2, far_drill=True)

    assert broken(position, lay("blue/2@2,0+3,0#1 from 2,0#0 to 2,0#0")) == ["drilled-twice"]


def test_who_is_not_on_turn_or_could_move_is_told_so():
    position = table(EAST, turn="red")

    assert broken(position, lay("blue/1@3,0#0")) == ["not-your-turn"]
    assert broken(position, Move("red", "pass")) == ["must-move"]


def test_everything_that_is_wrong_is_told_at_once():
    position = table(f"{EAST} red/1@4,0#0", players=4, turn="red")

    assert broken(position, lay("blue/3/0@3,-2+4,-2+5,-2#2 from 1,0#0")) == [
        "not-your-turn",
        "none-left",
        "on-eye",
        "not-an-end",
        "boards-apart",
        "other-field",
    ]


# --- escapes (rulings 1 to 3)


def test_a_snake_escapes_to_the_same_field_of_a_board_beside():
    position = table(EAST, players=5)

    assert broken(position, lay("blue/2@2,0+3,0#1 from 2,0#0")) == []
    assert broken(position, lay("blue/2@1,0+2,0#4 from 2,0#0")) == []
    assert "boards-apart" in broken(position, lay("blue/2@2,0+3,0#2 from 2,0#0"))
    assert GAME.outcome(after(position, lay("blue/2@2,0+3,0#1 from 2,0#0"))).scores["blue"] == 5


def test_two_boards_touch_each_other():
    assert broken(table(EAST, players=2), lay("blue/2@2,0+3,0#1 from 2,0#0")) == []


def test_the_same_field_without_a_drill_is_no_contact():
    position = table(EAST, players=2)

    assert broken(position, lay("blue/4/00@0,0+1,0+2,0+3,0#1")) == []
    assert GAME.outcome(after(position, lay("blue/4/00@0,0+1,0+2,0+3,0#1"))).scores["blue"] == 4


def test_an_escaping_tile_may_touch_opponents():
    position = table(f"{EAST} red/2@4,0+5,0#1", players=2, turn="blue")

    assert broken(position, lay("blue/2@2,0+3,0#1 from 2,0#0")) == []
    assert broken(position, lay("blue/2@2,0+3,0#1")) == ["touches-only-opponent"]


def test_the_far_end_may_dock_onto_an_own_end():
    position = table(f"{EAST} blue/4/00@3,1+2,2+1,3+0,4#1", players=2)
    docked = after(position, lay("blue/2@2,0+3,0#1 from 2,0#0"))

    assert GAME.outcome(docked).scores["blue"] == 9


def test_an_end_that_is_drilled_already_is_an_end_no_more():
    position = after(table(EAST, players=3), lay("blue/2@2,0+3,0#1 from 2,0#0"))

    assert broken(position, lay("blue/1@2,0#2 from 2,0#0"))[-1] == "not-an-end"
    assert broken(position, lay("blue/1@3,0#0"))[-1] == "branches"


def test_a_snake_goes_over_three_floors():
    position = after(
        table(EAST, players=5),
        lay("blue/2@2,0+3,0#1 from 2,0#0"),
        lay("blue/3/+@3,0+4,0+4,1#2 from 3,0#1"),
    )

    assert GAME.outcome(position).scores["blue"] == 8
    assert {cell[0] for cell in GAME.outcome(position).lines["blue"][0].cells} == {0, 1, 2}


def test_a_single_hex_can_be_drilled_both_ways_and_then_goes_on_no_more():
    position = after(
        table(EAST, players=3),
        lay("blue/1@2,0#1 from 2,0#0"),
        lay("blue/2@2,0+3,0#2 from 2,0#1"),
    )

    assert GAME.outcome(position).scores["blue"] == 6
    assert "branches" in broken(position, lay("blue/3/+@3,0+4,0+4,1#1"))


def test_a_ring_may_lead_over_floors():
    open_ring = after(
        table("blue/4/++@-1,0+-1,1+0,1+1,0#0", players=2),
        lay("blue/3/+@0,-1+1,-1+1,0#1 from 1,0#0"),
    )
    closed = after(open_ring, lay("blue/1@-1,0#1 from -1,0#0"))

    assert GAME.outcome(closed).scores["blue"] == 8
    assert broken(closed, lay("blue/2@-3,0+-2,0#1"))[-1] == "branches"
    assert broken(closed, lay("blue/2@-1,0+-2,0#0 from -1,0#1"))[-1] == "not-an-end"


# --- far drills (ruling 3, option)


def test_a_far_drill_closes_a_ring_over_two_floors_at_once():
    position = table("blue/3/0@0,0+1,0+2,0#0", players=2, far_drill=True)
    closing = lay("blue/4/++@0,0+0,1+1,1+2,0#1 from 0,0#0 to 2,0#0")

    assert broken(position, closing) == []
    assert GAME.outcome(after(position, closing)).scores["blue"] == 7


def test_a_single_hex_joins_the_floors_on_both_sides_at_once():
    position = table(f"{EAST} blue/4/00@2,0+3,0+4,0+5,0#2", players=3, far_drill=True)
    joining = lay("blue/1@2,0#1 from 2,0#0 to 2,0#2")

    assert broken(position, joining) == []
    assert GAME.outcome(after(position, joining)).scores["blue"] == 8
    assert joining in GAME.legal_moves(position)


def test_both_drills_at_one_end_of_a_longer_tile_branch():
    position = table(f"{EAST} blue/4/00@2,0+3,0+4,0+5,0#2", players=3, far_drill=True)

    assert broken(position, lay("blue/2@2,0+2,1#1 from 2,0#0 to 2,0#2")) == ["branches"]


def test_a_growing_tile_may_drill_onto_an_own_end_without_escaping():
    position = table(f"{EAST} blue/4/00@4,0+4,-1+4,-2+4,-3#1", players=2, far_drill=True)
    grown = after(position, lay("blue/2@3,0+4,0#0 to 4,0#1"))

    assert GAME.outcome(grown).scores["blue"] == 9


# --- clay (ruling 4)


def test_both_ends_of_a_drill_carry_open_clay_towards_the_body():
    position = after(table(EAST), lay("blue/2@2,0+2,1#1 from 2,0#0"))

    assert clay(position) == ["open@2,0>W#0", "open@2,0>SE#1"]


def test_a_single_hex_that_came_out_carries_no_clay_yet():
    position = after(table(EAST), lay("blue/1@2,0#1 from 2,0#0"))

    assert clay(position) == ["open@2,0>W#0"]


def test_it_gets_open_clay_when_it_goes_on_flat():
    position = after(table(EAST), lay("blue/1@2,0#1 from 2,0#0"), lay("blue/2@3,0+4,0#1"))

    assert clay(position) == ["open@2,0>W#0", "open@2,0>E#1"]


def test_it_gets_closed_clay_when_it_drills_on():
    position = after(
        table(EAST), lay("blue/1@2,0#1 from 2,0#0"), lay("blue/2@2,0+3,0#2 from 2,0#1")
    )

    assert clay(position) == ["open@2,0>W#0", "closed@2,0#1", "open@2,0>E#2"]


def test_a_lone_hex_that_was_drilled_from_carries_none():
    position = after(table("blue/1@2,0#0"), lay("blue/2@2,0+3,0#1 from 2,0#0"))

    assert clay(position) == ["open@2,0>E#1"]


# --- the advanced game (ruling 5)


@pytest.mark.parametrize(
    ("beside", "legal"),
    [("3,0", True), ("2,1", True), ("3,-1", True), ("1,1", False), ("2,-1", False), ("1,0", False)],
)
def test_over_a_drill_a_snake_turns_by_at_most_60_degrees(beside, legal):
    escape = lay(f"blue/2@2,0+{beside}#1 from 2,0#0")

    assert broken(table(EAST), escape) == []
    assert broken(table(EAST, advanced=True), escape) == ([] if legal else ["against-direction"])


def test_the_hexes_on_both_sides_of_the_drill_are_pointed_at():
    verdict = GAME.judge(table(EAST, advanced=True), lay("blue/2@1,0+2,0#1 from 2,0#0"))

    assert verdict.violations[0].cells == ((0, 1, 0), (0, 2, 0), (1, 2, 0), (1, 1, 0))


def test_drills_in_a_row_through_a_single_hex_count_as_one():
    position = after(table(EAST, advanced=True), lay("blue/1@2,0#1 from 2,0#0"))

    assert broken(position, lay("blue/2@2,0+1,0#2 from 2,0#1"))[-1] == "against-direction"
    assert broken(position, lay("blue/2@2,0+3,0#2 from 2,0#1")) == ["not-your-turn"]


def test_a_single_hex_that_came_out_keeps_the_direction_when_it_goes_on():
    position = after(table(EAST, advanced=True), lay("blue/1@2,0#1 from 2,0#0"))

    assert broken(position, lay("blue/2@0,0+1,0#1"))[-1] == "against-direction"
    assert broken(position, lay("blue/2@3,0+4,0#1")) == ["not-your-turn"]


def test_it_does_not_matter_which_side_of_the_drill_was_laid_first():
    position = after(table("blue/1@2,0#0", advanced=True), lay("blue/2@2,0+3,0#1 from 2,0#0"))

    assert broken(position, lay("blue/3/0@3,0+4,0+5,0#0"))[-1] == "against-direction"
    assert broken(position, lay("blue/3/0@-1,0+0,0+1,0#0")) == ["not-your-turn"]


# --- options and starts


def test_eyes_lie_where_the_players_say():
    position = table("blue/1@5,0#0", eyes=[[0, 0], [1, 1]])

    assert broken(position, lay("blue/2@-2,-2+-1,-2#1")) == []
    assert broken(position, lay("blue/2@0,0+0,1#1")) == ["on-eye"]


@pytest.mark.parametrize(
    "eyes", [[], [[0, 0]], [[0, 0], [0, 0]], [[0, 0], [0, True]], [[0, 0], [1]], "eyes"]
)
def test_eyes_are_two_different_cells(eyes):
    with pytest.raises(RecordError, match=r"options.eyes"):
        parse_options(GAME, {"eyes": eyes})


def test_eyes_are_on_the_board():
    with pytest.raises(RecordError, match=r"options.eyes: the board has no cell"):
        table(eyes=[[0, 0], [6, 0]])


@pytest.mark.parametrize(
    ("lying", "problem"),
    [
        ("blue/1@0,0", "say on which board"),
        ("blue/1@0,0#3", "no board 3"),
        ("violet/1@0,0#0", "nobody plays this colour"),
        ("blue/1@6,0#0", "not completely on the board"),
    ],
)
def test_what_no_table_could_hold_is_an_error(lying, problem):
    with pytest.raises(RecordError, match=problem):
        table(lying)


def test_a_large_tile_of_another_colour_is_a_bad_record():
    cells = [[q, 0] for q in range(5)]
    move = {"player": "red", "do": "place", "tile": "5/000", "cells": cells, "board": 0}

    with pytest.raises(RecordError, match=r"moves\[0\].tile"):
        parse_record({"game": "snekagon5g", "players": ["blue", "red"], "moves": [move]})


# --- a table as it lies: the drills are found from the clay


def random_position(seed, players, **options):
    """Return a position of random play that escapes whenever it can."""
    rng = random.Random(seed)
    position = GAME.opening(Start(FIVE[:players], options), BOX)
    for _ in range(rng.randrange(4, 9 * players)):
        moves = GAME.legal_moves(position)
        if not moves:
            break
        escapes = [move for move in moves if move.origin or move.to]
        chosen = escapes if escapes and rng.random() < 0.6 else moves
        position = GAME.apply(position, rng.choice(chosen))
    return position


@pytest.mark.parametrize("seed", range(24))
def test_the_drills_of_a_table_are_found_from_its_clay(seed):
    played = random_position(seed, 2 + seed % 4, far_drill=seed % 3 == 0)
    start = Start(
        played.players,
        {"far_drill": seed % 3 == 0},
        GAME.layout(played),
        played.to_move,
        midgame=True,
    )
    taken_up = GAME.opening(start, BOX)

    for player in played.players:
        assert played.drills[player] in taken_up.doubts.get(player, (taken_up.drills[player],))
    assert GAME.inspect(taken_up) == ()
    if not taken_up.doubts:
        assert GAME.legal_moves(taken_up) == GAME.legal_moves(played)


def test_clay_need_not_show_which_way_it_opens():
    position = table(f"{EAST} blue/2@2,0+3,0#1 clay/open@2,0#0 clay/open@2,0#1")

    assert GAME.outcome(position).scores["blue"] == 5
    assert GAME.inspect(position) == ()


def test_drills_that_the_clay_does_not_tell_apart_are_asked_for():
    ends = " ".join(
        f"blue/{tile}#{board} clay/open@0,0>E#{board}"
        for board, tile in enumerate(
            ("2@0,0+1,0", "3/0@0,0+1,0+2,0", "4/00@0,0+1,0+2,0+3,0", "5/000@0,0+1,0+2,0+3,0+4,0")
        )
    )
    (question,) = GAME.questions(table(ends, players=4))

    assert {answer.scores["blue"] for answer in question.answers} == {7, 9}


@pytest.mark.parametrize(
    ("lying", "rules"),
    [
        (f"{EAST} blue/2@2,0+3,0#1 clay/open@2,0>W#0", ["clay-amiss"]),
        (f"{EAST} clay/open@2,0>W#0", ["clay-amiss"]),
        (f"{EAST} clay/closed@-4,0#0", ["clay-amiss"]),
        ("blue/1@-1,-2#0", ["on-eye"]),
        ("blue/2@0,0+1,0#0 blue/2@0,0+1,0#1", ["too-many"]),
        (f"{EAST} blue/2@2,-2+2,-1#0", ["sharp-turn"]),
        (f"{EAST} blue/2@2,0+1,0#1 clay/open@2,0>W#0 clay/open@2,0>W#1", ["against-direction"]),
    ],
)
def test_a_table_is_inspected_as_it_lies(lying, rules):
    assert [found.rule.id for found in GAME.inspect(table(lying, advanced=True))] == rules


# --- readings


def test_clay_tells_an_escape_from_a_new_snake():
    position = table(EAST)
    escaped = GAME.layout(after(position, lay("blue/2@2,0+3,0#1 from 2,0#0")))
    stayed = GAME.layout(after(position, lay("blue/2@2,0+3,0#1")))
    before = GAME.layout(position)

    assert GAME.readings(position, change_between(before, escaped)) == [
        lay("blue/2@2,0+3,0#1 from 2,0#0")
    ]
    assert GAME.readings(position, change_between(before, stayed))[0] == lay("blue/2@2,0+3,0#1")


def test_clay_on_another_field_is_read_as_that_foul():
    change = Change(read("blue/2@3,0+4,0#1 clay/open@2,0>W#0 clay/open@3,0>E#1"))
    readings = GAME.readings(table(EAST), change)

    assert readings == [lay("blue/2@3,0+4,0#1 from 2,0#0")]
    assert broken(table(EAST), readings[0]) == ["other-field"]


def test_without_clay_the_legal_readings_come_first():
    position = table(f"{EAST} red/2@4,0+5,0#1", turn="blue")
    readings = GAME.readings(position, Change(read("blue/2@2,0+3,0#1")))

    assert readings == [lay("blue/2@2,0+3,0#1 from 2,0#0"), lay("blue/2@2,0+3,0#1")]

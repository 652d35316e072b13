"""Carnival by example: growing, logs, gifts and troubles, what is said, and the house."""

import json

import pytest

from engine.errors import RecordError
from engine.game import Change, Move, Start
from engine.notation import read_layout, write_layout
from engine.placement import Layout, Placement
from engine.record import parse_options
from tests.engine.games.carnival_positions import (
    BOX,
    FOUR,
    GAME,
    TWO,
    broken,
    lay,
    opening,
    owners_box,
    played,
    scores,
    swap,
    table,
)

YELLOW = "yellow/straight@0,-1^1 yellow/straight@0,-2^1"
VIOLET = "violet/straight@1,0 violet/straight@2,0"
BODY = ("straight", "corner", "diamond", "knot", "sore")

# --- the house and the colours


def test_the_house_lies_at_the_origin_unless_it_is_told():
    assert write_layout(GAME.layout(opening())) == "house@0,0"


@pytest.mark.parametrize(
    ("turns", "tile"),
    [(0, "0,-1^1"), (1, "1,0"), (2, "0,1^1"), (3, "-1,0")],
)
def test_the_house_may_be_turned_any_way(turns, tile):
    start = Start(FOUR, layout=Layout.of(Placement("house", (0, 0), turns)))
    position = GAME.opening(start, BOX)

    assert broken(position, lay(f"yellow/straight@{tile}")) == []
    assert broken(position, lay("yellow/straight@5,5")) == ["not-at-an-end"]


def test_two_players_have_the_exit_before_them_and_the_one_at_their_right_hand():
    colours = opening(TWO).agreed.colours

    assert dict(colours) == {"yellow": ("yellow", "red"), "black": ("black", "violet")}


def test_two_players_at_the_other_sides_have_theirs():
    colours = opening(("violet", "red")).agreed.colours

    assert dict(colours) == {"violet": ("violet", "yellow"), "red": ("red", "black")}


def test_two_players_may_agree_on_other_colours():
    pairs = {"yellow": ["yellow", "violet"], "black": ["black", "red"]}
    position = opening(TWO, colours=pairs)

    assert position.agreed.owner("violet") == "yellow"


def test_two_players_who_do_not_sit_opposite_have_the_unused_colours_in_order():
    colours = opening(("yellow", "violet")).agreed.colours

    assert dict(colours) == {"yellow": ("yellow", "black"), "violet": ("violet", "red")}


@pytest.mark.parametrize(
    ("players", "pairs"),
    [
        (FOUR, {"yellow": ["yellow", "red"]}),
        (TWO, {"yellow": ["yellow", "red"], "black": ["black", "red"]}),
        (TWO, {"yellow": ["yellow", "red"], "violet": ["black", "violet"]}),
        (TWO, {"yellow": ["black", "red"], "black": ["yellow", "violet"]}),
    ],
)
def test_colours_that_do_not_fit_the_players_are_named(players, pairs):
    with pytest.raises(RecordError, match=r"options\.colours"):
        opening(players, colours=pairs)


@pytest.mark.parametrize("out", [["red"], ["red", "violet"]])
def test_two_players_with_a_box_of_fewer_than_four_colours_have_one_snake_each(out):
    colours = [colour for colour in FOUR if colour not in out]
    changes = [
        (f'{{ edge = "{edge}", name = "{name}" }},\n', "")
        for edge, name in zip("NESW", FOUR, strict=True)
        if name in out
    ]
    box = owners_box(('["yellow", "violet", "black", "red"]', json.dumps(colours)), *changes)

    with pytest.raises(RecordError, match=r"options\.snakes: must be 1"):
        GAME.opening(Start(TWO), box)
    assert GAME.opening(Start(TWO, {"snakes": 1}), box).players == TWO


def test_two_houses_are_no_table():
    with pytest.raises(RecordError, match="one house"):
        table("house@0,0 house@5,5")


def test_three_players_leave_the_fourth_colour_out():
    position = opening(FOUR[:3])

    assert broken(position, lay("red/straight@-1,0")) == ["none-left", "not-at-an-end"]
    assert not any("red/" in str(move.tile) for move in GAME.legal_moves(position))


def test_the_exit_of_a_colour_left_out_is_a_wall():
    before = "yellow/corner@0,-1^3 yellow/corner@-1,-1^2"
    at_the_wall = lay("log/corner@-1,0^1")

    assert broken(table(before, players=FOUR[:3]), at_the_wall) == []
    assert broken(table(before), at_the_wall) == ["two-snakes-joined"]


# --- growing


def test_the_first_tile_goes_to_the_exit_of_the_house():
    assert broken(opening(), lay("yellow/straight@0,-1^1")) == []
    assert broken(opening(), lay("yellow/straight@0,-1")) == ["not-at-an-end"]
    assert broken(opening(), lay("yellow/straight@1,0")) == ["not-at-an-end"]


def test_a_tile_beside_the_snake_is_not_at_its_end():
    assert broken(table(YELLOW), lay("yellow/straight@1,-1")) == ["not-at-an-end"]


def test_exits_of_two_colours_that_face_each_other_block_both():
    facing = "yellow/corner@0,-1^2 violet/corner@1,0 violet/corner@1,-1^3"
    position = table(facing)

    assert position.snakes["yellow"].is_blocked
    assert position.snakes["violet"].is_blocked
    assert broken(position, lay("yellow/straight@0,-2^1")) == ["blocked"]
    assert broken(position, lay("violet/straight@2,-1")) == ["blocked"]
    assert GAME.inspect(position) == ()


def test_blocking_by_snake_tiles_is_allowed():
    before = f"{YELLOW} violet/corner@1,0 violet/straight@1,-1^1 violet/straight@1,-2^1"
    position = played(table(before), lay("violet/corner@1,-3^3"))

    assert position.snakes["yellow"].is_blocked is False
    assert played(position, lay("violet/straight@0,-3", "violet")).snakes["yellow"].is_blocked


def test_a_log_grows_any_snake_at_any_time():
    position = table(f"{YELLOW} {VIOLET}")

    assert broken(position, lay("log/straight@0,-3^1")) == []
    assert broken(position, lay("log/corner@3,0")) == []
    assert broken(position, lay("log/straight@3,0^1")) == ["not-at-an-end"]


def test_a_log_may_not_join_two_snakes():
    meeting = "yellow/corner@0,-1^2 violet/corner@1,0 log/corner@1,-1^3"

    assert [v.rule.id for v in GAME.inspect(table(meeting))] == ["two-snakes-joined"]
    before = table("yellow/corner@0,-1^2 violet/corner@1,0")
    assert broken(before, lay("log/corner@1,-1^3")) == ["two-snakes-joined"]
    assert broken(before, lay("log/straight@1,-1")) == []


def test_two_snakes_that_were_let_join_are_not_told_again_but_another_pair_is():
    joined = "yellow/corner@0,-1^2 violet/corner@1,0 log/corner@1,-1^3"
    elsewhere = table(f"{joined} red/straight@-1,0 gift@-1,1", turn="black")
    assert broken(elsewhere, lay("black/corner@0,1", "black")) == []

    meeting = table(f"{joined} black/corner@0,1 red/corner@-1,0^2", turn="black")
    assert broken(meeting, lay("log/corner@-1,1^1", "black")) == ["two-snakes-joined"]


def test_a_tile_may_not_join_its_snake_to_anothers_log():
    position = table("yellow/corner@0,-1^2 log/corner@1,0")

    assert broken(position, lay("yellow/corner@1,-1^3")) == ["two-snakes-joined"]
    assert broken(position, lay("yellow/straight@1,-1")) == []


def test_a_taken_place_is_taken_whatever_lies_there():
    position = table(f"{YELLOW} gift@1,-1")

    assert "cell-taken" in broken(position, lay("yellow/straight@0,-1^1"))
    assert "cell-taken" in broken(position, lay("trouble/2@1,-1"))
    assert "cell-taken" in broken(position, lay("yellow/straight@0,0"))


def test_the_turn_goes_on_from_whoever_was_let_move_out_of_turn():
    laid = lay("violet/straight@1,0", "violet")
    assert broken(opening(), laid) == ["not-your-turn"]

    assert GAME.apply(opening(), laid).to_move == "black"
    assert GAME.apply(opening(), Move("black", "pass")).to_move == "red"


def test_every_broken_rule_is_told():
    position = table(f"{YELLOW} yellow/knot@0,-3^1 yellow/knot@0,-4^1", hands="ask")

    assert broken(position, lay("yellow/knot@0,0", "red")) == [
        "not-your-turn",
        "none-left",
        "cell-taken",
        "not-at-an-end",
    ]


def test_the_cells_pointed_at_are_the_tile_and_the_end_it_misses():
    (violation,) = GAME.judge(table(YELLOW), lay("yellow/straight@4,4")).violations

    assert violation.cells == ((4, 4), (0, -2))
    assert violation.text == "The end of the yellow snake does not point to this place."


# --- whose tiles, and what is said


def test_knots_and_sores_go_on_the_snake_of_their_colour_whoever_has_it():
    position = table(VIOLET, hands="ask")

    assert broken(position, lay("violet/knot@3,0")) == []
    assert broken(position, lay("violet/sore@3,0")) == []


@pytest.mark.parametrize("shape", ["straight", "corner", "diamond"])
def test_plain_tiles_of_another_colour_are_believed_or_asked_for(shape):
    move = lay(f"violet/{shape}@3,0")

    assert broken(table(VIOLET), move) == []
    assert broken(table(VIOLET, hands="ask"), move) == ["undeclared"]
    said = lay(f"violet/{shape}@3,0", declares="no-own-tile")
    assert broken(table(VIOLET, hands="ask"), said) == []


def test_both_colours_of_two_players_are_their_own():
    position = opening(TWO, hands="ask")

    assert broken(position, lay("red/straight@-1,0")) == []
    assert broken(position, lay("violet/straight@1,0")) == ["undeclared"]


def test_a_log_is_replaced_by_anothers_plain_tile_only_with_the_word():
    position = table("violet/straight@1,0 log/straight@2,0", hands="ask")

    assert broken(position, swap("violet/straight@2,0")) == ["undeclared"]
    assert broken(position, swap("violet/knot@2,0")) == []


def test_listed_moves_say_what_must_be_said():
    moves = GAME.legal_moves(opening(hands="ask"))

    assert {m.declares for m in moves if m.tile == "yellow/straight"} == {None}
    assert {m.declares for m in moves if m.tile == "violet/straight"} == {"no-own-tile"}
    assert {m.declares for m in moves if m.tile == "violet/knot"} == {None}


# --- gifts and troubles


@pytest.mark.parametrize("tile", ["gift", "trouble/2"])
def test_gifts_and_troubles_touch_a_snake_and_block_nobody_else(tile):
    position = table(f"{YELLOW} violet/straight@1,0 log/straight@2,0")

    assert broken(position, lay(f"{tile}@2,-1")) == []
    assert broken(position, lay(f"{tile}@0,1")) == ["gift-alone", "blocks-an-end"]
    assert broken(position, lay(f"{tile}@3,0")) == ["blocks-an-end"]
    assert broken(position, lay(f"{tile}@0,-3")) == []
    assert broken(position, lay(f"{tile}@7,7")) == ["gift-alone"]


def test_a_player_may_block_both_his_own_snakes_with_a_gift():
    position = table("red/straight@-1,0", players=TWO)

    assert broken(position, lay("gift@-2,0")) == []
    assert broken(position, lay("gift@-1,-1", "yellow")) == []


def test_before_the_first_snake_tile_no_gift_can_be_laid():
    roles = {BOX[move.tile or ""].role for move in GAME.legal_moves(opening())}

    assert roles == {"plain", "diamond", "knot", "sore", "log", "crossing-log"}


# --- the table as it lies


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f"{YELLOW} yellow/straight@5,5", "not-at-an-end"),
        (f"{YELLOW} violet/straight@0,-3^1", "not-at-an-end"),
        ("gift@4,4", "gift-alone"),
        (f"{YELLOW} hat/+3@0,-4", "no-bare-head"),
        ("log/corner@1,0^3 log/corner@1,1 black/corner@0,1^1", "two-snakes-joined"),
        ("yellow/diamond@0,-1^1 yellow/diamond@0,-2^1 yellow/diamond@0,-3^1", "too-many"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(text, rule):
    assert rule in [violation.rule.id for violation in GAME.inspect(table(text))]


def change(laid, lifted=""):
    return Change(read_layout(laid), read_layout(lifted))


def test_a_laid_tile_is_read_as_a_move():
    position = table(YELLOW)

    assert GAME.readings(position, change("yellow/corner@0,-3")) == [lay("yellow/corner@0,-3")]


def test_a_turned_log_is_read_as_a_replacement():
    position = table("yellow/straight@0,-1^1 log/corner@0,-2^2")
    turned = change("log/corner@0,-2^3", "log/corner@0,-2^2")

    assert GAME.readings(position, turned) == [swap("log/corner@0,-2^3")]


def test_a_reading_supposes_the_word_where_it_is_asked_for():
    position = table(VIOLET, hands="ask")

    assert GAME.readings(position, change("violet/corner@3,0")) == [
        lay("violet/corner@3,0"),
        lay("violet/corner@3,0", declares="no-own-tile"),
    ]


def test_two_changes_are_no_move():
    assert GAME.readings(table(YELLOW), change("gift@1,-1 gift@1,-2")) == []
    assert GAME.readings(table(YELLOW), change("", "yellow/straight@0,-2^1")) == []


def test_an_empty_table_is_worth_nothing():
    assert scores(opening()) == dict.fromkeys(FOUR, 0)


# --- two players with one snake each


def test_with_one_snake_each_everybody_has_the_colour_of_his_name():
    position = opening(TWO, snakes=1)

    assert position.agreed.colours == {"yellow": ("yellow",), "black": ("black",)}
    assert set(position.snakes) == {"yellow", "black"}


def test_with_one_snake_each_the_tiles_of_the_other_colours_leave_the_box():
    position = opening(TWO, snakes=1)
    every = opening(TWO)

    assert {move.tile for move in GAME.legal_moves(position)} == {
        *(f"{colour}/{kind}" for colour in TWO for kind in BODY),
        "log/straight",
        "log/corner",
        "log/crossing",
    }
    assert "none-left" in broken(position, lay("red/straight@-1,0"))
    assert every.supply.pile - position.supply.pile == 2 * 23


def test_with_one_snake_each_the_other_exits_are_walls():
    to_the_house = "yellow/corner@0,-1^3 log/corner@-1,-1^2"
    last = lay("log/corner@-1,0^1")
    assert broken(table(to_the_house, players=TWO), last) == ["two-snakes-joined"]

    position = played(table(to_the_house, players=TWO, snakes=1), last)
    assert position.snakes["yellow"].is_blocked
    assert GAME.inspect(position) == ()


def test_tiles_of_a_colour_that_nobody_plays_are_too_many():
    (first, *_) = GAME.inspect(table("red/straight@-1,0", players=TWO, snakes=1))

    assert first.rule.id == "too-many"


def test_one_snake_each_is_for_two_players_without_colours():
    pairs = {"yellow": ["yellow", "red"], "black": ["black", "violet"]}
    with pytest.raises(RecordError, match="snakes: is only for two players, not for 3"):
        opening(FOUR[:3], snakes=1)
    with pytest.raises(RecordError, match="colours: can only be given if each player has two"):
        opening(TWO, snakes=1, colours=pairs)


@pytest.mark.parametrize("value", ["1", 3, True, None, 1.0])
def test_snakes_are_two_or_one(value):
    with pytest.raises(RecordError, match=r"options\.snakes: must be 2 or 1"):
        parse_options(GAME, {"snakes": value})

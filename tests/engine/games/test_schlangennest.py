"""Schlangennest by example: the rulebook's and the rulings' own, and one for each rule."""

from __future__ import annotations

import pytest

from engine.errors import RecordError
from engine.game import Move, Start
from engine.games.schlangennest import Schlangennest
from engine.notation import read_layout
from engine.setfile import BUILT_IN_FOLDER, built_in_set, parse_set
from tests.engine.games.nest_tables import CROSSING, opening

GAME = Schlangennest()
BOX = built_in_set("schlangennest")
TWO = ("blue", "red")
FOUR = ("blue", "red", "yellow", "green")


def table(text, *, players=TWO, turn=None, **options):
    """Return the position of a table taken up in its middle."""
    start = Start(players, options, read_layout(text), turn, midgame=True)
    return GAME.opening(start, BOX)


def lay(text, player=None):
    """Return the move that lays one card, by its owner unless somebody else is named."""
    (card,) = read_layout(text).cards
    return Move(player or card.tile.split("/")[0], "place", card.tile, card.at, card.turns)


def broken(position, move):
    return [violation.rule.id for violation in GAME.judge(position, move).violations]


# --- the box and the field


def test_a_colour_has_seven_straights_nine_curves_a_tail_and_a_head():
    counts = {kind.shape: kind.count for kind in BOX.of_colour("blue")}

    assert counts == {"straight": 7, "curve": 9, "tail": 1, "head": 1}


def test_the_very_first_card_may_lie_in_fourteen_ways():
    moves = GAME.legal_moves(GAME.opening(Start(TWO), BOX))

    assert len(moves) == 14
    assert {move.at for move in moves} == {(0, 0)}


def test_the_very_first_card_may_lie_anywhere():
    assert broken(GAME.opening(Start(TWO), BOX), lay("blue/curve@1000000000,-7")) == []


@pytest.mark.parametrize(
    ("players", "size", "fits", "not_fits"),
    [
        (2, "easy", (6, 6), (7, 1)),
        (2, "recommended", (7, 5), (6, 6)),
        (2, "hard", (4, 8), (5, 5)),
        (3, "easy", (7, 7), (8, 1)),
        (3, "recommended", (8, 6), (7, 7)),
        (3, "hard", (4, 10), (5, 5)),
        (4, "easy", (8, 8), (9, 1)),
        (4, "recommended", (7, 9), (8, 8)),
        (4, "hard", (11, 5), (6, 6)),
        (2, [2, 3], (3, 2), (3, 3)),
    ],
)
def test_the_field_is_as_large_as_the_table_of_sizes_says(players, size, fits, not_fits):
    field = GAME.opening(Start(FOUR[:players], {"size": size}), BOX).agreed.field

    assert field.holds((0, 0, fits[0] - 1, fits[1] - 1))
    assert not field.holds((0, 0, not_fits[0] - 1, not_fits[1] - 1))


def test_the_border_comes_into_being_as_in_the_rulebook():
    # 7 x 9 is agreed. Eight in one direction: that direction has nine, the other seven.
    eight = "".join(f"blue/straight@{x},0 " for x in range(7)) + "blue/curve@7,0^3"
    position = table(eight, players=FOUR)
    field = position.agreed.field

    assert position.bounds == (0, 0, 7, 0)
    assert field.holds((0, 0, 8, 0))
    assert field.holds((-1, 0, 7, 0))
    assert not field.holds((-1, 0, 8, 0))
    assert field.holds((0, 0, 7, 6))
    assert not field.holds((0, 0, 7, 7))


def test_a_straight_outside_the_field_is_illegal_and_the_tail_is_not():
    position = table("blue/straight@0,0 blue/straight@1,0", size=[2, 2])

    assert broken(position, lay("blue/straight@2,0")) == ["outside-field"]
    assert broken(position, lay("blue/tail@2,0")) == []


def test_without_a_border_a_snake_goes_on_for_ever():
    row = " ".join(f"blue/straight@{x},0" for x in range(6))

    assert broken(table(row, size=None), lay("blue/straight@6,0")) == []


def test_a_fixed_border_is_the_box_of_the_crossing_snake():
    cards = " ".join(f"{t['tile']}@{t['at'][0]},{t['at'][1]}^{t['turns']}" for t in CROSSING)
    start = Start(("blue", "red"), {"border": "fixed"}, read_layout(cards))
    position = GAME.opening(start, BOX)

    assert broken(position, lay("blue/straight@3,0")) == []
    assert broken(position, lay("blue/straight@1,-1")) == ["outside-field"]
    assert broken(position, lay("blue/tail@1,-1")) == []


def test_a_fixed_border_without_set_up_cards_is_a_bad_record():
    with pytest.raises(RecordError, match="setup: for a fixed border or a frame, first lay cards"):
        GAME.opening(Start(TWO, {"border": "fixed"}), BOX)


def test_a_fixed_border_is_for_two_or_three_players():
    with pytest.raises(RecordError, match="border: can be fixed only for two or three players"):
        opening(list(FOUR), {"border": "fixed"}, CROSSING)


def test_a_frame_is_for_two_players():
    with pytest.raises(RecordError, match="frame: is only for two players"):
        opening(["blue", "red", "yellow"], {"frame": True}, CROSSING)


@pytest.mark.parametrize("options", [{"border": "fixed"}, {"frame": True}], ids=str)
def test_two_snakes_each_leave_no_colour_to_set_up(options):
    with pytest.raises(RecordError, match="with one snake each"):
        opening(list(TWO), {"two_snakes": "both", **options}, CROSSING)


@pytest.mark.parametrize("options", [{"border": "fixed"}, {"frame": True}], ids=str)
def test_a_colour_that_plays_is_not_set_up(options):
    with pytest.raises(RecordError, match="but green plays"):
        opening(["green", "red"], options, CROSSING)


def test_in_a_game_taken_up_the_cards_of_players_fix_no_border():
    played = "blue/straight@0,0 red/straight@0,1"
    with pytest.raises(RecordError, match="a colour that nobody plays"):
        table(played, border="fixed")

    position = table(f"{played} green/straight@-1,0 green/straight@2,3", border="fixed")
    assert position.agreed.field.box == (-1, 0, 2, 3)


# --- rule 1: colours


def test_blue_grey_grey_blue_blue_grey_is_one_snake():
    # B-g-g-B-B-g, from left to right.
    row = (
        "blue/straight@0,0 red/straight@1,0^1 yellow/straight@2,0^1 "
        "blue/straight@3,0 blue/straight@4,0 green/straight@5,0^1"
    )
    (snake,) = table(row, players=FOUR).web.of_colour("blue")

    assert len(snake.strands) == 6
    assert snake.colours == {"blue"}


def test_blue_grey_grey_red_is_illegal():
    row = "blue/straight@0,0 yellow/straight@1,0^1 yellow/straight@2,0^1 red/straight@4,0^1"
    position = table(row, players=("blue", "red", "yellow"), turn="red", size=None)

    (violation,) = (
        v
        for v in GAME.judge(position, lay("red/straight@3,0")).violations
        if v.rule.id == "colours-joined"
    )
    assert violation.text == "This connects blue and red in one snake."
    assert violation.cells[0] == (3, 0)


def test_grey_of_the_new_card_may_not_join_two_other_snakes():
    around = "red/straight@0,-1^1 yellow/straight@0,1^1 blue/straight@-1,0"
    position = table(around, players=FOUR)

    assert broken(position, lay("blue/straight@0,0")) == ["colours-joined"]


# --- rules 2 and 3: first and later cards


@pytest.mark.parametrize(("cell", "touches"), [("1,1", True), ("0,1", True), ("2,0", False)])
def test_a_first_card_goes_next_to_a_lying_one_edge_or_corner(cell, touches):
    position = table("blue/curve@0,0", turn="red")

    assert broken(position, lay(f"red/curve@{cell}^2")) == ([] if touches else ["first-touches"])


def test_with_tail_first_every_first_card_is_the_tail():
    position = GAME.opening(Start(TWO, {"tail_first": True}), BOX)

    assert {move.tile for move in GAME.legal_moves(position)} == {"blue/tail"}
    assert broken(position, lay("blue/curve@0,0")) == ["tail-first"]


def test_a_later_card_must_go_on_from_the_own_snake_with_its_coloured_part():
    position = table("blue/straight@0,0 red/straight@0,1^1")

    assert broken(position, lay("blue/straight@1,0")) == []
    assert broken(position, lay("blue/straight@1,0^1")) == ["own-end"]


def test_an_end_may_be_grey():
    position = table("blue/straight@0,0 red/straight@1,0^1")

    assert broken(position, lay("blue/curve@2,0")) == []


def test_being_joined_round_a_corner_through_grey_is_not_enough():
    # The new card's grey part carries blue on; its blue part only meets that from behind.
    position = table(
        "blue/straight@0,0 red/curve@1,-1^3 red/curve@2,-1^2 red/curve@2,0^1", turn="blue"
    )

    assert "own-end" in broken(position, lay("blue/straight@1,0^1"))


# --- rule 4: crowds


def test_three_snakes_may_not_reach_one_place():
    position = table("red/straight@-1,0 yellow/straight@0,-1^1 blue/curve@2,1^1", players=FOUR)

    verdict = GAME.judge(position, lay("blue/curve@1,1^0"))
    assert "three-at-one-place" not in [v.rule.id for v in verdict.violations]
    reached = table("red/straight@-1,0 yellow/straight@0,-1^1 blue/straight@2,0", players=FOUR)
    (violation,) = GAME.judge(reached, lay("blue/straight@1,0")).violations
    assert violation.rule.id == "three-at-one-place"
    assert violation.cells == ((0, 0),)


def test_four_snakes_may_not_reach_two_neighbouring_places():
    position = table(
        "red/straight@-1,0 yellow/straight@0,-1^1 green/straight@1,-1^1 blue/straight@3,0",
        players=FOUR,
    )

    (violation,) = GAME.judge(position, lay("blue/straight@2,0")).violations
    assert violation.rule.id == "four-at-two-places"
    assert violation.cells == ((0, 0), (1, 0))


# --- rule 5: all four ends of two snakes at one place


OPPOSITE = (
    "blue/curve@0,1^2 blue/curve@0,2^1 blue/straight@1,2 blue/curve@2,2 blue/curve@2,1^3 "
    "red/curve@1,3 red/straight@0,3 red/curve@-1,3^1 red/straight@-1,2^1 red/straight@-1,1^1 "
    "red/curve@-1,0^2 red/straight@0,0 red/curve@1,0^3"
)
"""Blue reaches the empty place 1,1 from west and east, red from north and south."""

NEIGHBOURING = (
    "blue/curve@0,1^1 blue/curve@0,0^2 blue/curve@1,0^3 "
    "red/curve@2,1^3 red/curve@2,2 red/curve@1,2^1"
)
"""Blue reaches the empty place 1,1 from west and north, red from east and south."""


def box_with(**counts):
    """Return the box with other counts of some shapes."""
    text = (BUILT_IN_FOLDER / "schlangennest.toml").read_text(encoding="utf-8")
    for shape, count in counts.items():
        before = {"straight": 7, "curve": 9}[shape]
        text = text.replace(f"count = {before}", f"count = {count}")
    return parse_set(text, "test.toml")


def test_opposite_ends_are_closed_with_a_straight_and_nothing_else():
    position = table(OPPOSITE)

    assert [(m.tile, m.at, m.turns) for m in GAME.legal_moves(position)] == [
        ("blue/straight", (1, 1), 0)
    ]
    assert broken(position, lay("blue/tail@1,1")) == ["must-close"]
    assert broken(position, lay("blue/head@1,1")) == ["must-close"]


def test_the_next_of_the_two_closes_whoever_it_is():
    assert [m.tile for m in GAME.legal_moves(table(OPPOSITE, turn="red"))] == ["red/straight"]


def test_opposite_ends_are_closed_with_the_tail_only_without_a_straight():
    start = Start(TWO, {}, read_layout(OPPOSITE), midgame=True)
    position = GAME.opening(start, box_with(straight=1))

    moves = GAME.legal_moves(position)
    assert [(m.tile, m.turns) for m in moves] == [("blue/tail", 0), ("blue/tail", 2)]
    after = GAME.apply(position, moves[0])
    assert after.is_finished("blue")
    assert after.is_loop("red")


def test_neighbouring_ends_are_closed_with_a_curve():
    position = table(NEIGHBOURING)

    assert [(m.tile, m.turns) for m in GAME.legal_moves(position)] == [("blue/curve", 0)]
    after = GAME.apply(position, GAME.legal_moves(position)[0])
    assert after.is_loop("blue")
    assert after.is_loop("red")


@pytest.mark.parametrize(("curves", "verdict"), [(3, ["cannot-be-closed"]), (4, [])])
def test_nobody_may_leave_neighbouring_ends_to_a_player_without_a_curve(curves, verdict):
    before = NEIGHBOURING.replace(" red/curve@1,2^1", "")
    start = Start(TWO, {}, read_layout(before), "red", midgame=True)
    position = GAME.opening(start, box_with(curve=curves))

    assert broken(position, lay("red/curve@1,2^1")) == verdict


# --- rule 7: a snake without ends

RING = "blue/curve@0,0^2 blue/curve@1,0^3 blue/curve@0,1^1 blue/curve@1,1"
LONG_RING = (
    "blue/curve@0,0^2 blue/curve@1,0^3 blue/straight@0,1^1 blue/straight@1,1^1 "
    "blue/curve@0,2^1 blue/curve@1,2"
)
FENCE = "red/straight@0,-1^1 red/straight@1,-1^1 red/straight@0,3^1 red/straight@1,3^1"
"""Red reaches each corner of the long ring, so that no curve of it can be turned."""


def test_a_loop_is_opened_by_a_quarter_turn_and_gains_a_part():
    position = table(RING)
    assert GAME.outcome(position).scores["blue"] == 4

    moves = GAME.legal_moves(position)
    assert {move.do for move in moves} == {"turn"}
    assert len(moves) == 8
    for move in moves:
        after = GAME.apply(position, move)
        assert GAME.outcome(after).scores["blue"] == 5
        assert len(after.ends("blue")) == 2


def test_whose_snake_is_a_loop_may_not_lay_a_card():
    assert broken(table(RING), lay("blue/straight@2,0")) == ["open-first"]


def test_a_curve_is_not_turned_by_half_nor_without_a_loop():
    half = Move("blue", "turn", at=(0, 0), turns=0)
    assert broken(table(RING), half) == ["not-a-quarter"]

    quarter = Move("blue", "turn", at=(0, 0), turns=1)
    assert "no-loop" in broken(table("blue/curve@0,0^2 blue/curve@1,0^3"), quarter)


def test_only_an_own_curve_is_turned():
    position = table(RING + " red/curve@5,5")

    assert broken(position, Move("blue", "turn", at=(5, 5), turns=1)) == ["not-own-curve"]
    assert broken(position, Move("blue", "turn", at=(9, 9), turns=1)) == ["not-own-curve"]


def test_where_no_card_lies_nothing_is_turned_and_the_turn_passes():
    position = table(RING)

    after = GAME.apply(position, Move("blue", "turn", at=(9, 9), turns=1))

    assert (after.cards, after.to_move) == (position.cards, "red")


def test_without_a_turn_the_tail_takes_the_place_of_a_straight_and_finishes():
    position = table(f"{LONG_RING} {FENCE}", size=None)
    assert GAME.outcome(position).scores["blue"] == 6

    moves = GAME.legal_moves(position)
    assert [(m.do, m.at, m.turns) for m in moves] == [
        ("replace", (0, 1), 1),
        ("replace", (0, 1), 3),
        ("replace", (1, 1), 1),
        ("replace", (1, 1), 3),
    ]
    after = GAME.apply(position, moves[0])
    assert GAME.outcome(after).scores["blue"] == 7
    assert after.is_finished("blue")


def test_the_tail_is_swapped_in_only_when_no_curve_can_be_turned():
    swap = Move("blue", "replace", "blue/tail", (0, 1), 1)

    assert broken(table(LONG_RING), swap) == ["can-be-opened"]


def test_the_tail_lies_along_the_straight():
    across = Move("blue", "replace", "blue/tail", (0, 1), 0)

    assert broken(table(f"{LONG_RING} {FENCE}", size=None), across) == ["not-along"]


def test_only_the_tail_replaces_and_only_an_own_straight():
    position = table(f"{LONG_RING} {FENCE}", size=None)

    assert broken(position, Move("blue", "replace", "blue/head", (0, 1), 1)) == ["not-the-tail"]
    assert broken(position, Move("blue", "replace", "blue/tail", (0, 0), 1)) == ["not-own-straight"]
    assert broken(position, Move("blue", "replace", "blue/tail", (0, -1), 1)) == [
        "not-own-straight"
    ]


def test_a_loop_without_turn_and_straight_stays_and_counts_its_length():
    fence = "red/straight@0,-1^1 red/straight@1,-1^1 red/straight@0,2^1 red/straight@1,2^1"
    position = table(f"{RING} {fence}", size=None)

    assert [move.do for move in GAME.legal_moves(position)] == ["pass"]
    assert GAME.outcome(position).scores["blue"] == 4


# --- rules 8 and 9: the end and the score


def test_a_snake_of_fifteen_parts_counts_fifteen():
    row = [f"blue/straight@{x},0" for x in range(1, 7)]
    grey = [f"red/straight@{x},0^1" for x in range(7, 13)]
    position = table(
        " ".join(["blue/tail@0,0^2", *row, *grey, "blue/straight@13,0", "yellow/head@14,0^2"]),
        size=None,
    )

    outcome = GAME.outcome(position)
    assert outcome.scores["blue"] == 15
    assert outcome.lines["blue"][0].why == "a blue tail on the blue snake"
    assert position.is_finished("blue")


def test_a_finished_player_is_skipped():
    position = table("blue/straight@0,0 blue/tail@-1,0^2 red/curve@0,1", turn="blue")
    after = GAME.apply(position, lay("blue/head@1,0"))
    assert after.is_finished("blue")
    assert after.to_move == "red"

    again = GAME.apply(after, GAME.legal_moves(after)[0])
    assert again.to_move == "red"
    assert "snake-finished" in broken(again, lay("blue/curve@2,0"))


def test_a_pass_is_for_those_who_cannot_move():
    position = table("blue/straight@0,0")

    assert broken(position, Move("blue", "pass")) == ["must-move"]


def test_what_a_player_could_do_on_a_table_is_a_verdict():
    position = table("blue/straight@0,0 blue/tail@-1,0^2 red/curve@0,1")

    assert broken(position, lay("red/straight@-1,1")) == ["not-your-turn"]
    assert broken(position, lay("red/curve@1,1", player="blue")) == ["not-your-card"]
    assert "cell-taken" in broken(position, lay("blue/curve@0,1"))
    assert broken(position, lay("blue/tail@1,0")) == ["none-left"]


def test_every_violation_is_told_at_once():
    position = table("blue/straight@0,0 red/curve@0,1", turn="blue", size=[2, 2])

    rules = broken(position, lay("red/curve@0,-3"))
    assert rules == ["not-your-turn", "own-end", "outside-field"]


def test_the_turn_goes_on_from_whoever_was_let_move_out_of_turn():
    position = GAME.opening(Start(FOUR[:3]), BOX)
    laid = lay("red/curve@0,0")
    assert broken(position, laid) == ["not-your-turn"]

    assert GAME.apply(position, laid).to_move == "yellow"
    assert GAME.apply(position, Move("yellow", "pass")).to_move == "blue"


# --- rule 10: two snakes each


def turns_of(option, count):
    """Return who laid what in the first moves of a game with two snakes each."""
    position = GAME.opening(Start(TWO, {"two_snakes": option, "size": None}), BOX)
    played = []
    for _ in range(count):
        move = GAME.legal_moves(position)[0]
        played.append((move.player, move.tile))
        position = GAME.apply(position, move)
    return played


def test_both_a_turn_begins_with_one_tail_then_two_then_a_tail_and_a_card():
    players = turns_of("both", 7)

    assert [player for player, _ in players] == ["blue", "red", "red", "blue", "blue", "red", "red"]
    assert [tile for _, tile in players[:4]] == [
        "blue/tail",
        "red/tail",
        "green/tail",
        "yellow/tail",
    ]
    assert players[4][1].startswith("blue/")
    assert {tile.split("/")[0] for _, tile in players[5:]} == {"red", "green"}


def test_one_of_choice_begins_with_a_players_two_tails():
    players = turns_of("one", 4)

    assert [player for player, _ in players] == ["blue", "red", "blue", "red"]
    assert all(tile.endswith("/tail") for _, tile in players)


def test_the_other_snake_is_due_when_one_has_had_its_action():
    position = GAME.opening(Start(TWO, {"two_snakes": "both", "size": None}), BOX)
    for move in ("blue/tail@0,0", "red/tail@0,1", "green/tail@1,1"):
        owner = {"green": "red"}.get(move.split("/")[0])
        position = GAME.apply(position, lay(move, owner))

    assert broken(position, lay("blue/straight@-1,0")) == ["other-snake"]


def test_whoever_was_let_move_out_of_turn_acts_with_the_other_snake_too():
    position = GAME.opening(Start(TWO, {"two_snakes": "both", "size": None}), BOX)
    for text in ("blue/tail@0,0", "red/tail@0,1"):
        position = GAME.apply(position, lay(text))
    after = GAME.apply(position, lay("yellow/tail@1,1", "blue"))

    assert (position.to_move, position.acted) == ("red", ("red",))
    assert (after.to_move, after.acted) == ("blue", ("yellow",))


def test_own_two_colours_may_not_be_joined_either():
    position = table(
        "blue/tail@0,0^2 yellow/tail@2,0 red/tail@5,5 green/tail@7,7", two_snakes="one", size=None
    )

    assert "colours-joined" in broken(position, lay("blue/straight@1,0"))


def test_two_snakes_are_for_two_players():
    with pytest.raises(RecordError, match=r"options.two_snakes: is only for two players, not"):
        GAME.opening(Start(FOUR[:3], {"two_snakes": "one"}), BOX)


# --- what people let stand


def test_a_card_let_stand_outside_the_field_puts_no_later_card_outside():
    position = table("blue/straight@0,0 blue/straight@1,0 red/curve@0,1^1", size=[2, 2])
    beyond = lay("blue/straight@2,0")
    assert broken(position, beyond) == ["outside-field"]

    after = GAME.apply(position, beyond)

    assert broken(after, lay("red/straight@1,1")) == []
    assert lay("red/straight@1,1") in GAME.legal_moves(after)
    grown = GAME.apply(after, lay("red/straight@1,1"))
    assert broken(grown, lay("blue/straight@3,0")) == ["outside-field"]
    assert broken(grown, lay("blue/tail@3,0")) == []


def test_a_card_let_stand_outside_a_fixed_border_puts_no_later_card_outside():
    position = opening(["blue", "red"], {"border": "fixed"}, CROSSING)
    beyond = lay("blue/straight@1,-1")
    assert broken(position, beyond) == ["outside-field"]

    after = GAME.apply(position, beyond)

    assert broken(after, lay("red/straight@3,0")) == []
    assert broken(after, lay("red/straight@0,-1^1")) == ["outside-field"]


def test_a_table_with_a_card_let_stand_outside_the_field_tells_it():
    position = table("blue/straight@0,0 blue/straight@1,0", size=[2, 2])

    after = GAME.apply(position, lay("blue/straight@2,0"))

    assert [violation.rule.id for violation in GAME.inspect(after)] == ["outside-field"]


def test_snakes_that_were_let_join_may_grow():
    position = table("blue/straight@0,0 red/straight@2,0", size=None)
    joining = lay("blue/straight@1,0")
    assert broken(position, joining) == ["colours-joined"]

    after = GAME.apply(position, joining)

    assert broken(after, lay("red/straight@-1,0")) == []
    assert broken(after, lay("red/straight@3,0")) == []
    assert not GAME.outcome(after).over


def test_snakes_that_were_let_join_may_join_no_third():
    joined = "blue/straight@0,0 blue/straight@1,0 red/straight@2,0 yellow/straight@4,0"
    position = table(joined, players=FOUR[:3], turn="red", size=None)

    assert "colours-joined" in broken(position, lay("red/straight@3,0"))


def test_a_crowd_that_was_let_stand_is_the_fault_of_no_later_card():
    position = table("red/straight@-1,0 yellow/straight@0,-1^1 blue/straight@2,0", players=FOUR)
    crowding = lay("blue/straight@1,0")
    assert broken(position, crowding) == ["three-at-one-place"]

    after = GAME.apply(position, crowding)

    assert broken(after, lay("red/straight@-2,0")) == []
    fourth = broken(after, lay("green/straight@0,1^1"))
    assert fourth == ["not-your-turn", "three-at-one-place"]


def test_a_loop_is_opened_whatever_was_let_stand_elsewhere():
    others = f"{RING} red/straight@8,0 yellow/straight@9,-1^1"
    position = table(others, players=FOUR, turn="green", size=None)

    after = GAME.apply(position, lay("green/straight@10,0"))

    assert [violation.rule.id for violation in GAME.inspect(after)] == ["three-at-one-place"]
    assert GAME.legal_moves(after) == GAME.legal_moves(table(RING, players=FOUR, size=None))


def test_a_table_taken_up_with_a_crowd_or_a_joint_is_judged_to_the_letter():
    crowd = "red/straight@-1,0 yellow/straight@0,-1^1 blue/straight@1,0"
    crowded = table(crowd, players=FOUR, turn="red")
    joined = table("blue/straight@0,0 red/straight@1,0", turn="blue", size=None)

    assert broken(crowded, lay("red/straight@-2,0")) == ["three-at-one-place"]
    assert "colours-joined" in broken(joined, lay("blue/straight@-1,0"))


# --- a table as it lies


def test_a_table_tells_what_is_wrong_with_it():
    position = table(
        "blue/straight@0,0 blue/straight@0,5 red/straight@1,0 blue/tail@9,9 blue/tail@8,8",
        size=[2, 2],
    )

    assert {violation.rule.id for violation in GAME.inspect(position)} == {
        "colours-joined",
        "in-pieces",
        "outside-field",
        "none-left",
    }

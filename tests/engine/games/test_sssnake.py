"""Sssnake by example: every sentence of the rulebook and of the rulings."""

import pytest

from engine.errors import RecordError
from engine.game import EMPTY, Move, Start
from engine.games.sssnake import Sssnake
from engine.notation import read_layout
from engine.setfile import built_in_set

GAME = Sssnake()
BOX = built_in_set("sssnake")

NEARLY = "curve@2,0#{0} curve@2,-1^3#{0} straight@1,-1#{0} straight@0,-1#{0} curve@-1,-1^2#{0}"
"""A snake whose two ends face the cell -1,0: a curve closes it, a straight does not fit."""
AROUND = (
    "curve@2,0#0 curve@2,-1^3#0 straight@1,-1#0 straight@0,-1#0 straight@-1,-1#0 curve@-2,-1^2#0 "
    "straight@-2,0^1#0 curve@-2,1^1#0"
)
"""A snake whose head has gone round the cell -1,0, which the tail faces, and may shut it in."""
ALL_BUT = {"straight": 60, "curve": 48, "crossing": 8, "double-curve": 4}


def begin(players="ab", table="", rolls="told", out=EMPTY):
    start = Start(tuple(players), {"rolls": rolls}, read_layout(table), None, bool(table), out=out)
    return GAME.opening(start, BOX)


def last_cards(**left):
    """Return what is out when only these cards are left, nothing being laid."""
    kinds = {name.replace("_", "-"): count for name, count in left.items()}
    return {tile: count - kinds.get(tile, 0) for tile, count in ALL_BUT.items()}


def roll(player, value, tiles=None):
    return Move(player, "roll", value=value, tiles=None if tiles is None else tuple(tiles.split()))


def lay(player, card, snake=None):
    (placed,) = read_layout(card).cards
    return Move(player, "place", placed.tile, placed.at, placed.turns, snake=snake or player)


def put_out(player, tile):
    return Move(player, "discard", tile)


def play(position, *moves):
    for move in moves:
        assert rules(position, move) == []
        position = GAME.apply(position, move)
    return position


def rules(position, move):
    return [violation.rule.id for violation in GAME.judge(position, move).violations]


def can(position):
    """Return what may be done, as pairs of player and tile with snake or ``out``."""
    return {(m.player, m.tile, m.snake or "out") for m in GAME.legal_moves(position)}


def missing(position):
    return [None if s is None else -s for s in GAME.outcome(position).scores.values()]


# --- the box, the opening ----------------------------------------------------------------------


def test_box_has_the_cards_of_the_rulebook():
    assert {name: n for name, n in BOX.counts.items() if "big" not in name} == ALL_BUT
    assert [name for name in BOX.kinds if "big" in name] == ["big/1", "big/2", "big/3", "big/4"]


def test_everyone_begins_with_a_big_card():
    layout = GAME.layout(begin("abc"))

    assert layout == read_layout("big/1@0,0#0 big/2@0,0#1 big/3@0,0#2")
    assert missing(begin("abc")) == [6, 6, 6]


def test_first_turn_has_34_rolls():
    moves = GAME.legal_moves(begin())

    assert len(moves) == 34
    assert {(move.player, move.do) for move in moves} == {("a", "roll")}


def test_short_pile_gives_fewer_rolls():
    moves = GAME.legal_moves(begin(out=last_cards(straight=1, curve=1)))

    assert [(move.value, move.tiles) for move in moves] == [
        (1, ("straight",)),
        (1, ("curve",)),
        (2, ("straight", "curve")),
        (3, ("straight", "curve")),
    ]


def test_on_trust_any_card_goes_on_the_own_or_the_left_snake():
    position = begin("abc", rolls="trust")
    moves = GAME.legal_moves(position)

    assert len(moves) == 3 * 2 * 12
    assert {(m.player, m.snake) for m in moves} == {*zip("aabbcc", "abbcca", strict=True)}
    assert rules(position, lay("a", "straight@2,0", "c")) == ["wrong-snake"]
    assert rules(position, roll("a", 1)) == ["rolls-on-trust"]
    assert rules(position, Move("a", "pass")) == ["must-move"]


def test_cards_of_an_unknown_field_or_in_one_place_are_a_bad_record():
    for table in (
        "straight@2,0",
        "straight@0,0#0",
        "big/2@0,0#0 big/1@5,5#0",
        "curve@5,5#2 curve@5,5#0",
    ):
        with pytest.raises(RecordError):
            begin(table=f"{table} curve@3,0#1")
    with pytest.raises(RecordError, match=r"out\.worm"):
        begin(out={"worm": 1})


def test_players_may_have_taken_any_of_the_big_cards():
    position = begin("ab", "big/2@0,0#1 big/4@0,0#3 straight@2,0#3")

    assert [field.number for field in position.fields] == [1, 3]
    assert missing(position) == [6, 7]


# --- rolls 1, 2 and 3 --------------------------------------------------------------------------


def test_roll_1_goes_on_the_left_neighbours_snake():
    position = play(begin("abc"), roll("a", 1, "straight"))

    assert can(position) == {("a", "straight", "b")}
    assert rules(position, lay("a", "straight@2,0")) == ["wrong-snake"]
    assert rules(position, lay("b", "straight@2,0")) == ["not-your-turn"]
    assert rules(position, put_out("a", "straight")) == ["could-be-laid"]
    assert play(position, lay("a", "straight@2,0", "b")).to_move == "b"


def test_roll_1_that_does_not_fit_there_goes_on_the_own_snake():
    position = play(begin(table=NEARLY.format(1)), roll("a", 1, "straight"))

    assert can(position) == {("a", "straight", "a")}
    assert rules(position, lay("a", "straight@-1,0", "b")) == ["dead-end"]


def test_roll_1_that_fits_nowhere_is_out():
    table = NEARLY.format(0) + " " + NEARLY.format(1)
    position = play(begin(table=table), roll("a", 1, "straight"))

    assert can(position) == {("a", "straight", "out")}
    after = play(position, put_out("a", "straight"))
    assert (after.to_move, after.out) == ("b", {"straight": 1})
    assert after.left["straight"] == 60 - 4 - 1


def test_roll_2_is_one_of_choice_for_oneself_and_one_given():
    position = play(begin("abc"), roll("a", 2, "straight curve"))

    assert can(position) == {("a", "straight", "a"), ("a", "curve", "a")}
    position = play(position, lay("a", "straight@2,0"))
    assert position.to_move == "b"
    assert can(position) == {("b", "curve", "b")}
    assert rules(position, lay("a", "curve@2,0", "b")) == ["not-your-turn"]
    assert play(position, lay("b", "curve@2,0")).to_move == "b"


def test_card_given_that_does_not_fit_goes_back():
    position = play(begin(table=NEARLY.format(1)), roll("a", 2, "curve straight"))
    position = play(position, lay("a", "curve@2,0"))

    assert position.to_move == "a"
    assert can(position) == {("a", "straight", "a")}
    assert rules(position, lay("b", "straight@-1,0")) == ["dead-end"]


def test_card_given_back_that_fits_nowhere_is_put_out_by_the_roller():
    both = NEARLY.format(0) + " " + NEARLY.format(1)
    position = play(begin("abc", both), roll("a", 2, "straight straight"))
    position = play(position, put_out("a", "straight"))

    assert can(position) == {("a", "straight", "out")}
    assert rules(position, put_out("b", "straight")) == ["not-the-roller"]
    assert play(position, put_out("a", "straight")).to_move == "b"


def test_roll_3_is_two_for_oneself_and_one_given():
    position = play(begin("abc"), roll("a", 3, "straight curve crossing"))
    position = play(position, lay("a", "crossing@2,0"), lay("a", "straight@3,0"))

    assert can(position) == {("b", "curve", "b")}


def test_own_card_that_fits_goes_before_one_that_is_put_out():
    position = play(begin(table=NEARLY.format(0)), roll("a", 3, "straight straight crossing"))

    assert can(position) == {("a", "crossing", "a")}
    assert rules(position, put_out("a", "straight")) == ["could-be-laid"]


@pytest.mark.parametrize(("value", "share"), [(1, []), (2, ["a"]), (3, ["a", "a"])])
def test_short_pile_serves_the_own_share_first(value, share):
    position = play(begin(out=last_cards(straight=2)), roll("a", value))
    laid = []
    while not GAME.outcome(position).over and position.turn.value is not None:
        move = GAME.legal_moves(position)[0]
        laid.append(move.snake)
        position = play(position, move)

    assert laid == [*share, "b"][: min(value, 2)]


def test_cards_nobody_told_are_known_when_laid():
    position = play(begin(out=last_cards(straight=2, curve=1)), roll("a", 2))

    assert can(position) == {("a", "straight", "a"), ("a", "curve", "a")}
    position = play(position, lay("a", "curve@2,0"))
    assert can(position) == {("b", "straight", "b")}
    assert rules(position, lay("b", "curve@2,0")) == ["none-left"]


def test_moves_at_a_wrong_time_are_named():
    position = begin("abc")

    assert rules(position, lay("a", "straight@2,0")) == ["not-rolled"]
    assert rules(position, put_out("a", "curve")) == ["not-rolled"]
    assert rules(position, roll("b", 1)) == ["not-your-turn"]
    assert rules(position, Move("a", "pass")) == ["must-move"]
    assert rules(position, Move("c", "pass")) == ["not-your-turn", "must-move"]
    assert rules(position, roll("a", 3, "curve curve")) == ["wrong-draw"]
    assert rules(position, roll("a", 2, "curve big/1")) == ["none-left"]
    position = play(position, roll("a", 2, "straight straight"))
    assert rules(position, roll("a", 2)) == ["already-rolled"]
    assert rules(position, lay("a", "curve@2,0")) == ["not-drawn"]
    assert rules(position, lay("c", "curve@9,9", "b")) == [
        "not-your-turn",
        "wrong-snake",
        "not-drawn",
        "not-at-an-end",
    ]


def test_moves_that_the_table_overrules_can_be_made():
    position = GAME.apply(begin(), roll("a", 2, ""))
    assert position.to_move == "b"
    position = GAME.apply(position, lay("a", "straight@2,0"))
    assert (position.to_move, missing(position)) == ("b", [7, 6])
    position = GAME.apply(
        GAME.apply(position, roll("b", 1, "curve")), lay("b", "straight@3,0", "a")
    )
    assert (position.to_move, missing(position)) == ("a", [8, 6])


def test_the_turn_is_of_whoever_was_let_roll_out_of_turn():
    position = GAME.apply(begin("abc"), roll("b", 2, "straight curve"))

    assert position.to_move == "b"
    assert play(position, lay("b", "straight@2,0")).to_move == "c"


# --- laying on, feasibility --------------------------------------------------------------------


def test_cards_go_on_at_either_end():
    position = play(begin(), roll("a", 3, "straight straight straight"))
    position = play(position, lay("a", "straight@2,0"), lay("a", "straight@-1,0"))

    assert missing(position) == [8, 6]


@pytest.mark.parametrize(
    ("card", "broken"),
    [
        ("straight@0,0", "cell-taken"),
        ("straight@4,0", "not-at-an-end"),
        ("straight@0,-1", "not-at-an-end"),
        ("straight@2,0^1", "not-joined"),
        ("curve@2,0^1", "not-joined"),
    ],
)
def test_card_must_carry_an_end_on(card, broken):
    position = play(begin(), roll("a", 2, "straight curve"))

    assert rules(position, lay("a", card)) == [broken]


def test_end_may_not_run_against_the_big_card():
    position = play(begin(table="curve@2,0#0 curve@2,-1^3#0"), roll("a", 2, "curve straight"))

    assert rules(position, lay("a", "curve@1,-1^2")) == ["dead-end"]


def test_end_may_not_be_shut_in():
    position = play(begin(table=AROUND), roll("a", 2, "straight curve"))

    assert rules(position, lay("a", "straight@-1,1")) == ["not-feasible"]
    assert missing(play(position, lay("a", "curve@-1,1"))) == [1, 6]


def test_free_second_strand_is_a_way_out_that_costs_nothing():
    position = play(begin(table=AROUND), roll("a", 2, "crossing curve"))

    assert missing(play(position, lay("a", "crossing@-1,1"))) == [4, 6]


def test_end_runs_on_through_a_free_strand_at_once():
    table = "crossing@2,0#0 curve@3,0#0 curve@3,-1^3#0"
    position = begin(table=table)

    assert position.fields[0].ends[1] == ((2, -1), 1)
    position = play(position, roll("a", 2, "curve curve"), lay("a", "curve@2,-1^1"))
    assert position.fields[0].ends[1][0] == (2, -2)
    position = play(begin(table=table), roll("a", 2, "curve curve"), lay("a", "curve@2,-1^2"))
    assert position.fields[0].ends[1] == ((2, 1), 0)


# --- closing, the end --------------------------------------------------------------------------


def test_who_joins_head_and_tail_wins_at_once():
    position = play(begin(table=NEARLY.format(0)), roll("a", 2, "curve straight"))
    position = play(position, lay("a", "curve@-1,0^1"))
    outcome = GAME.outcome(position)

    assert (outcome.over, outcome.winners, dict(outcome.scores)) == (
        True,
        ("a",),
        {"a": 0, "b": -6},
    )
    assert GAME.legal_moves(position) == []
    assert rules(position, roll("b", 1)) == ["game-over"]
    assert play(position, Move("b", "pass")) == position


def test_first_of_two_own_cards_may_not_close():
    position = play(begin(table=NEARLY.format(0)), roll("a", 3, "curve curve straight"))

    assert rules(position, lay("a", "curve@-1,0^1")) == ["closes-too-early"]
    assert can(position) == {("a", "curve", "out"), ("a", "straight", "out")}
    position = play(position, put_out("a", "straight"), lay("a", "curve@-1,0^1"))
    assert GAME.outcome(position).winners == ("a",)


def test_neighbours_card_may_close_a_snake_too():
    position = play(begin(table=NEARLY.format(1)), roll("a", 1, "curve"))

    assert can(position) == {("a", "curve", "b")}
    assert GAME.outcome(play(position, lay("a", "curve@-1,0^1", "b"))).winners == ("b",)


def test_fewest_missing_wins_when_the_pile_is_used_up():
    position = begin(table="curve@2,0#0", out=last_cards(straight=1, curve=1))
    assert position.pile == 1
    position = play(position, roll("a", 1, "straight"), lay("a", "straight@2,0", "b"))
    outcome = GAME.outcome(position)

    assert (outcome.over, outcome.winners, dict(outcome.scores)) == (
        True,
        ("a",),
        {"a": -5, "b": -7},
    )


def test_ties_share():
    position = play(begin(out=last_cards(straight=2)), roll("a", 2, "straight straight"))
    position = play(position, lay("a", "straight@2,0"), lay("b", "straight@2,0"))

    assert GAME.outcome(position).winners == ("a", "b")


# --- a table as it lies ------------------------------------------------------------------------


def test_table_that_breaks_rules_is_told():
    table = "straight@2,0^1#0 curve@7,7#0 straight@-1,0#1"
    broken = GAME.inspect(begin(table=table, out={"straight": 59}))

    assert [(v.rule.id, v.snake, v.cells) for v in broken] == [
        ("not-at-an-end", "a", ((2, 0), (7, 7))),
        ("dead-end", "a", ((2, 0),)),
        ("none-left", "a", ((2, 0),)),
        ("none-left", "b", ((-1, 0),)),
    ]
    assert missing(begin(table=table)) == [None, 7]


def test_lines_say_which_cells_are_missing():
    (line,) = GAME.outcome(begin(table=NEARLY.format(0))).lines["a"]

    assert (line.points, line.cells, line.snake) == (-1, ((-1, 0),), "a")
    assert line.why == "1 card is missing to close a's snake"

"""Carnival's points by example: the rulebook's own, tokens, sides, hats, open questions."""

import json
from pathlib import Path

import pytest

from engine.game import Move
from tests.engine.games.carnival_positions import (
    FOUR,
    GAME,
    TWO,
    in_turn,
    lay,
    lines,
    opening,
    owners_box,
    played,
    scores,
    swap,
    table,
)

PLAYTHROUGHS = Path(__file__).parents[2] / "playthroughs"
WRAPPED = (
    "yellow/straight@0,-1^1 yellow/straight@0,-2^1 yellow/corner@0,-3^2 yellow/straight@1,-3"
    " yellow/corner@2,-3^3 yellow/straight@2,-2^1 yellow/corner@2,-1 yellow/straight@1,-1"
)
"""Yellow lies round the cell (1, -2) on all four sides."""
BETWEEN = (
    "yellow/corner@0,-2^2 yellow/straight@1,-2 violet/straight@1,0 violet/corner@2,0"
    " violet/straight@2,-1^1"
)
"""With one more yellow tile at (0, -1), yellow and violet each touch (1, -1) with two sides."""

# --- diamonds


@pytest.mark.parametrize(("diamonds", "points"), [(1, 4), (3, 12)])
def test_a_diamond_is_worth_four_points(diamonds, points):
    """The rulebook's two pictures: one diamond is 4, three are 12."""
    laid = ["yellow/diamond@0,-1^1", "yellow/diamond@0,-2^1", "violet/diamond@1,0"][:diamonds]
    position = opening()
    for text in laid:
        position = played(position, lay(text), *(Move(p, "pass") for p in FOUR[1:]))

    assert scores(position)["yellow"] == points
    assert [line[:2] for line in lines(position, "yellow")] == [(4, "token")] * diamonds


def test_the_token_is_for_who_lays_the_diamond_on_whichever_snake():
    position = played(opening(), lay("violet/diamond@1,0"))

    assert scores(position) == {"yellow": 4, "violet": 0, "black": 0, "red": 0}


def test_a_trouble_laid_later_lowers_the_token_of_who_laid_the_diamond():
    position = played(opening(), lay("violet/diamond@1,0"), lay("trouble/2@1,-1", "violet"))

    assert lines(position, "yellow") == [(2, "instead-of-token", (1, 0))]
    assert lines(position, "violet") == []


def test_two_troubles_leave_nothing_of_a_token():
    laid = played(opening(), lay("violet/diamond@1,0"), lay("trouble/2@1,-1", "violet"))
    position = played(laid, lay("trouble/2@1,1", "black"))

    assert lines(position, "yellow") == [(0, "instead-of-token", (1, 0))]


def test_every_side_of_a_trouble_costs():
    position = table("trouble/2@1,-1 trouble/2@1,1 violet/straight@1,0")

    assert scores(position)["violet"] == 1 - 2 - 2


def test_a_token_stays_as_it_is_when_a_log_replaces_the_diamond():
    lowered = played(
        opening(),
        lay("yellow/diamond@0,-1^1"),
        lay("trouble/2@1,-1", "violet"),
        swap("log/straight@0,-1^1", "black"),
    )
    later = played(lowered, lay("trouble/2@-1,-1", "red"))

    assert scores(lowered)["yellow"] == scores(later)["yellow"] == 2
    assert lines(later, "yellow") == [(2, "instead-of-token", (0, -1))]


def test_a_diamond_in_place_of_a_log_earns_a_token_again():
    position = played(
        opening(),
        lay("yellow/diamond@0,-1^1"),
        swap("log/straight@0,-1^1", "violet"),
        swap("yellow/diamond@0,-1^1", "black"),
    )

    assert scores(position) == {"yellow": 4, "violet": 0, "black": 4, "red": 0}


# --- gifts and troubles


def test_a_gift_wrapped_on_four_sides_gives_four():
    bare, wrapped = table(WRAPPED), table(f"{WRAPPED} gift@1,-2")

    assert scores(wrapped)["yellow"] - scores(bare)["yellow"] == 4
    sides = {line[2] for line in lines(wrapped, "yellow") if line[1] == "gift-side"}
    assert sides == {(0, -2), (1, -3), (2, -2), (1, -1)}


def test_a_gift_between_two_snakes_gives_each_its_sides():
    bare = f"yellow/straight@0,-1^1 {BETWEEN}"
    gifts = [line for p in ("yellow", "violet") for line in lines(table(f"{bare} gift@1,-1"), p)]

    assert [line for line in gifts if line[1] == "gift-side"] == [
        (1, "gift-side", (0, -1)),
        (1, "gift-side", (1, -2)),
        (1, "gift-side", (1, 0)),
        (1, "gift-side", (2, -1)),
    ]


def test_the_rulebooks_trouble_cell_by_cell():
    """Yellow has 2 instead of the diamond and -2 at the side; violet has -2 twice."""
    position = in_turn(
        opening(),
        "yellow/diamond@0,-1^1",
        "violet/straight@1,0",
        "-",
        "-",
        "yellow/corner@0,-2^2",
        "violet/corner@2,0",
        "-",
        "-",
        "yellow/straight@1,-2",
        "violet/straight@2,-1^1",
        "-",
        "-",
        "trouble/2@1,-1",
    )

    assert lines(position, "yellow") == [
        (1, "printed", (1, -2)),
        (-2, "trouble-side", (1, -2)),
        (2, "instead-of-token", (0, -1)),
    ]
    assert lines(position, "violet") == [
        (1, "printed", (1, 0)),
        (-2, "trouble-side", (1, 0)),
        (1, "printed", (2, -1)),
        (-2, "trouble-side", (2, -1)),
    ]
    assert scores(position) == {"yellow": 1, "violet": -2, "black": 0, "red": 0}


def test_logs_hats_and_the_house_win_and_lose_nothing():
    with_log = table("log/straight@0,-1^1 gift@1,-1 trouble/2@-1,-1")

    assert set(scores(with_log).values()) == {0}


@pytest.mark.parametrize("log", ["log/straight@2,-1^1", "log/crossing@2,-1", "log/corner@1,-2^2"])
@pytest.mark.parametrize(("agreed", "sides"), [("side", 2), ("gift", 0)])
def test_a_gift_that_a_log_touches_is_read_by_side_or_as_a_whole(log, agreed, sides):
    touching = f"yellow/straight@0,-1^1 violet/straight@1,0 gift@1,-1 {log}"
    position = table(touching, gift_beside_log=agreed)
    found = [line for p in FOUR for line in lines(position, p) if line[1] == "gift-side"]

    assert len(found) == sides


def test_a_gift_is_whole_again_when_its_log_is_replaced():
    position = table(
        "log/straight@0,-1^1 yellow/corner@0,-2^2 yellow/straight@1,-2 gift@1,-1",
        gift_beside_log="gift",
    )
    mended = played(position, swap("yellow/straight@0,-1^1"))

    assert (scores(position)["yellow"], scores(mended)["yellow"]) == (1, 1 + 1 + 2)


def test_a_head_wins_and_loses_beside_gifts_and_troubles():
    position = table("yellow/head@0,-1^3 gift@1,-1 trouble/2@-1,-1")

    assert lines(position, "yellow") == [
        (1, "printed", (0, -1)),
        (1, "gift-side", (0, -1)),
        (-2, "trouble-side", (0, -1)),
    ]


# --- printed points, hats, players


def test_printed_points_are_counted_tile_by_tile():
    position = table("yellow/straight@0,-1^1 yellow/knot@0,-2^1 yellow/sore@0,-3^2")

    assert lines(position, "yellow") == [
        (1, "printed", (0, -1)),
        (-2, "printed", (0, -2)),
        (-1, "printed", (0, -3)),
    ]


def test_a_hat_counts_for_the_snake_that_wears_it():
    position = table("yellow/head@0,-1^3 hat/-2@0,-2")

    assert lines(position, "yellow") == [(1, "printed", (0, -1)), (-2, "hat", (0, -2))]


def test_two_players_add_their_two_snakes():
    position = table("yellow/straight@0,-1^1 red/straight@-1,0 black/knot@0,1^1", players=TWO)

    assert scores(position) == {"yellow": 2, "black": -2}


def test_tiles_that_no_snake_runs_through_count_nothing():
    assert scores(table("yellow/straight@5,5"))["yellow"] == 0


# --- another box


def test_printed_values_come_from_the_set_file():
    box = owners_box(
        ("diamond_points = 4", "diamond_points = 5"),
        ("gift_points = 1", "gift_points = 3"),
        ('points = -2\nrole = "knot"', 'points = -7\nrole = "knot"'),
    )
    position = table("yellow/knot@0,-1^1 gift@1,-1", tokens={"yellow": 2}, box=box)

    assert scores(position)["yellow"] == -7 + 3 + 10


def test_a_kind_with_several_values_carries_the_value():
    box = owners_box(
        (
            'name = "straight"\ncolours = "each"\ncount = 10\npoints = 1',
            'name = "straight/+2"\ncolours = "each"\ncount = 3\npoints = 2',
        ),
        (
            "[[tile]]",
            '[[tile]]\nname = "straight/+1"\ncolours = "each"\ncount = 7\npoints = 1\n'
            'role = "plain"\nstrands = [{ edges = "WE", colour = "own" }]\n\n[[tile]]',
        ),
    )
    position = table("yellow/straight/+2@0,-1^1 yellow/straight/+1@0,-2^1", box=box)

    assert scores(position)["yellow"] == 3
    assert "yellow/straight/+2" in {move.tile for move in GAME.legal_moves(position)}


# --- what the table alone does not tell


def test_who_laid_the_diamond_is_an_open_question():
    position = table("yellow/diamond@0,-1^1 violet/straight@1,0", players=("yellow", "violet"))
    (question,) = GAME.questions(position)

    assert scores(position) == {"yellow": 0, "violet": 1}
    assert question.question == "Who laid the yellow diamond?"
    assert question.cells == ((0, -1),)
    assert {a.answer: dict(a.scores) for a in question.answers} == {
        "yellow": {"yellow": 4, "violet": 1},
        "violet": {"yellow": 0, "violet": 5},
    }


def test_every_diamond_is_asked_for_and_a_trouble_lowers_the_answer():
    position = table("yellow/diamond@0,-1^1 trouble/2@1,-1 black/diamond@0,1^1")
    low, full = GAME.questions(position)

    assert [a.scores[a.answer] for a in low.answers] == [2, 2, 2, 2]
    assert [a.scores[a.answer] for a in full.answers] == [4, 4, 4, 4]


def test_told_tokens_leave_no_question():
    position = table("yellow/diamond@0,-1^1", tokens={"violet": 1})

    assert GAME.questions(position) == ()
    assert scores(position)["violet"] == 4


def test_tokens_of_replaced_diamonds_are_counted_too():
    position = table("yellow/diamond@0,-1^1", tokens={"violet": 2})

    assert lines(position, "violet") == [(4, "token", (0, -1)), (4, "earlier-tokens")]


def test_where_two_have_tokens_only_a_diamond_beside_a_trouble_is_asked_for():
    diamonds = "yellow/diamond@0,-1^1 trouble/2@1,-1 black/diamond@0,1^1"
    position = table(diamonds, tokens={"violet": 1, "red": 1})
    (question,) = GAME.questions(position)

    assert scores(position) == {"yellow": 0, "violet": 4, "black": 0, "red": 4}
    assert [(a.answer, a.scores[a.answer]) for a in question.answers] == [("violet", 2), ("red", 2)]


def test_a_game_that_was_seen_from_its_start_leaves_nothing_open():
    position = played(opening(), lay("violet/diamond@1,0"))

    assert GAME.questions(position) == ()


def test_a_hat_between_two_heads_is_an_open_question():
    yellow = "yellow/corner@0,-1^2 yellow/head@1,-1"
    violet = (
        "violet/straight@1,0 violet/straight@2,0 violet/straight@3,0 violet/corner@4,0"
        " violet/corner@4,-1^3 violet/head@3,-1^2"
    )
    position = table(f"{yellow} {violet} hat/+3@2,-1")
    (question,) = GAME.questions(position)

    assert GAME.inspect(position) == ()
    assert question.question == "Whose is the hat +3: yellow or violet?"
    assert question.cells == ((2, -1),)
    assert [(a.answer, a.scores[a.answer]) for a in question.answers] == [
        ("yellow", 4),
        ("violet", 7),
    ]


def test_a_hat_on_a_head_hides_it_and_the_head_still_counts():
    """The cell in front of the head is taken, so the hat lies where the end points."""
    position = table("yellow/straight@0,-1^1 hat/+2@0,-2 gift@0,-3")

    assert GAME.inspect(position) == ()
    assert lines(position, "yellow") == [
        (1, "printed", (0, -1)),
        (1, "printed", (0, -2)),
        (1, "gift-side", (0, -2)),
        (2, "hat", (0, -2)),
    ]


# --- a whole evening


def evening(name):
    (game,) = json.loads((PLAYTHROUGHS / f"carnival_{name}.json").read_text("utf-8"))["games"]
    return game


def test_a_whole_evening_scores_the_same_with_everything_said_and_on_trust():
    told, trusted = evening("evening"), evening("evening_on_trust")
    said = [move for move in told["record"]["moves"] if "declares" in move]
    silent = [
        {key: value for key, value in move.items() if key != "declares"}
        for move in told["record"]["moves"]
    ]

    assert told["record"]["options"] == {"hands": "ask"}
    assert len(said) > 10
    assert trusted["record"]["moves"] == silent
    assert told["expect"]["over"]
    assert told["expect"]["scores"] == trusted["expect"]["scores"]

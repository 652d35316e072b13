"""What the referee says of a foul is what players can see, and the cells show it."""

from __future__ import annotations

import pytest

from engine.game import Move
from tests.engine.games import carnival_positions as carnival
from tests.engine.games import test_schlangennest as nest
from tests.engine.games import test_snekagon as snekagon
from tests.engine.games import test_snekagon5g as floors
from tests.engine.games import test_sssnake as sssnake

LOOP = "blue/curve@0,0^2 blue/curve@1,0^3 blue/curve@0,1^1 blue/curve@1,1^0"
"""Four blue curves in a ring."""


def said(game, position, move):
    """Return what is said of a move, by rule, with the cells."""
    return {v.rule.id: (v.text, v.cells) for v in game.GAME.judge(position, move).violations}


def seen(game, position):
    """Return what is said of a table as it lies, by rule, with the cells."""
    return {v.rule.id: (v.text, v.cells) for v in game.GAME.inspect(position)}


# --- Schlangennest


def test_end_that_leads_elsewhere_is_shown():
    position = nest.table("blue/straight@0,0 red/straight@0,1^1", turn="blue", size=None)

    assert said(nest, position, nest.lay("blue/curve@3,3"))["own-end"] == (
        "No end of the blue snake leads to this place.",
        ((3, 3), (0, 0)),
    )


def test_card_outside_a_fixed_border_is_told_so():
    position = nest.table(
        "green/straight@0,0 green/straight@1,0 blue/straight@0,1", border="fixed", turn="blue"
    )

    assert said(nest, position, nest.lay("blue/straight@1,1"))["outside-field"] == (
        "This straight or curve lies outside the border.",
        ((1, 1),),
    )


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (Move("blue", "turn", at=(5, 5), turns=1), "not-own-curve"),
        (Move("blue", "replace", "blue/tail", (5, 5), 0), "not-own-straight"),
    ],
)
def test_place_without_a_card_is_told_so(move, rule):
    position = nest.table(LOOP, turn="blue", size=None)

    assert said(nest, position, move)[rule] == ("No card lies here.", ((5, 5),))


def test_who_passes_with_a_ring_is_shown_the_curve_to_turn():
    position = nest.table(LOOP, turn="blue", size=None)
    text, cells = said(nest, position, Move("blue", "pass"))["must-move"]

    assert text == "Blue may not pass: this curve can be turned to open the ring."
    assert position.cards[cells[0]].tile == "blue/curve"


def test_more_cards_than_the_box_has_are_shown():
    position = nest.table("blue/tail@0,0 blue/tail@4,0", size=None)

    assert seen(nest, position)["none-left"] == (
        "The box has only 1 blue tail, but more lie on the table.",
        ((0, 0), (4, 0)),
    )


# --- Snekagon


def test_too_many_hexes_at_one_place_branch():
    lying = "red/2@-2,0+-1,0 red/2@1,-1+2,-2 red/2@0,1+0,2"
    position = snekagon.table(lying, turn="red")
    text, _ = said(snekagon, position, snekagon.lay("red/1@0,0"))["branches"]

    assert text == "Too many red hexes meet here: the snake branches."


# --- Snekagon 5G


def test_end_that_has_escaped_is_an_end_no_longer():
    position = floors.after(
        floors.table(floors.EAST, players=2, turn="blue"), floors.lay("blue/2@2,0+3,0#1 from 2,0#0")
    )
    foul = said(floors, position, floors.lay("blue/4/00@3,0+4,0+5,0+6,0#0"))

    assert foul["branches"][0] == (
        "The blue snake already goes on to another board here: this is no longer an end."
    )


def test_clay_that_is_missing_or_too_much_is_told_apart():
    drilled = f"{floors.EAST} blue/2@2,0+3,0#1"
    half = floors.table(f"{drilled} clay/open@2,0>W#0", players=2)
    closed = floors.table(f"{drilled} clay/open@2,0>W#0 clay/closed@2,0#1", players=2)
    stray = floors.table(
        f"{drilled} clay/open@2,0>W#0 clay/open@2,0>E#1 clay/open@0,0>E#0", players=2
    )

    assert seen(floors, half)["clay-amiss"][0] == "The clay here does not match the snakes."
    assert seen(floors, closed)["clay-amiss"] == (
        "An open piece of clay belongs here, opening towards the snake's body.",
        ((1, 2, 0),),
    )
    assert seen(floors, stray)["clay-amiss"] == ("There should be no clay here.", ((0, 0, 0),))


def test_answers_name_boards_from_one_and_tell_ways_apart():
    lying = "blue/2@0,0+1,0#0 blue/2@0,0+1,0#1 blue/2@0,0+1,0#2"
    (question,) = floors.GAME.questions(floors.table(f"{lying} clay/open@0,0>E#1"))
    answers = [answer.answer for answer in question.answers]

    assert len(set(answers)) == len(answers) > 1
    assert "boards 1 and 2" in answers
    assert not any("0" in answer for answer in answers)


# --- Sssnake


def test_short_pile_is_named():
    position = sssnake.begin(out=sssnake.last_cards(straight=1))
    move = sssnake.roll("a", 3, "straight straight straight")

    assert said(sssnake, position, move)["wrong-draw"][0] == (
        "Only 1 card is left in the pile, so 1 is drawn, not 3."
    )


def test_whose_card_it_is_is_said():
    rolled = sssnake.play(sssnake.begin(), sssnake.roll("a", 2, "straight straight"))
    own = said(sssnake, rolled, sssnake.lay("a", "straight@2,0", "b"))["wrong-snake"][0]
    given = sssnake.play(rolled, sssnake.lay("a", "straight@2,0"))
    other = said(sssnake, given, sssnake.lay("b", "straight@3,0", "a"))["wrong-snake"][0]

    assert own == "This is one of a's own cards: it goes on a's snake, not on b's."
    assert other == "This card was given to b: it goes on b's snake, not on a's."


def test_a_card_that_may_go_on_two_snakes_names_both():
    trusting = sssnake.begin("abc", rolls="trust")
    found = said(sssnake, trusting, sssnake.lay("a", "straight@2,0", "c"))["wrong-snake"][0]

    assert found == "This card goes on the snake of a or b, not on c's."


def test_an_escape_to_the_own_board_is_told_so():
    position = floors.table(floors.EAST)
    found = said(floors, position, floors.lay("blue/2@3,0+4,0#0 from 2,0#0"))["boards-apart"][0]

    assert found == "A snake escapes to another board, but this tile lies on board 1, too."


def test_end_that_is_shut_in_is_shown_with_its_pocket():
    position = sssnake.begin(table=sssnake.AROUND)
    position = sssnake.play(position, sssnake.roll("a", 2, "straight curve"))

    assert said(sssnake, position, sssnake.lay("a", "straight@-1,1"))["not-feasible"] == (
        "The tail end of a's snake has no way out of this pocket.",
        ((-1, 0),),
    )


def test_cards_apart_from_the_snake_are_told_so():
    table = sssnake.begin(table="curve@7,7#0")

    assert seen(sssnake, table)["not-at-an-end"] == (
        "These cards are not part of a's snake.",
        ((7, 7),),
    )


def test_closing_with_the_first_of_two_cards_says_why_not():
    position = sssnake.begin(table=sssnake.NEARLY.format(0))
    position = sssnake.play(position, sssnake.roll("a", 3, "curve curve curve"))

    assert said(sssnake, position, sssnake.lay("a", "curve@-1,0^1"))["closes-too-early"][0] == (
        "A has one more card to lay, so this first card may not close the snake."
    )


# --- Carnival


@pytest.mark.parametrize(
    ("table", "tile", "text"),
    [
        (
            "yellow/straight@0,-1^1",
            "yellow/straight@0,-2",
            "The tile lies the wrong way round: "
            "none of its exits meets the end of the yellow snake.",
        ),
        ("yellow/straight@0,-1^1", "log/straight@5,5", "No end of a snake points to this place."),
        (
            "yellow/straight@0,-1^1 yellow/head@0,-2^3",
            "yellow/straight@0,-3^1",
            "The yellow snake already has its head: it does not grow any more.",
        ),
        (
            "yellow/straight@0,-1^1",
            "yellow/straight@4,4",
            "The end of the yellow snake does not point to this place.",
        ),
    ],
)
def test_tile_that_grows_no_snake_says_what_is_wrong(table, tile, text):
    assert said(carnival, carnival.table(table), carnival.lay(tile))["not-at-an-end"][0] == text


def test_colour_that_does_not_play_is_told_so():
    position = carnival.opening(("yellow", "violet", "black"))

    assert said(carnival, position, carnival.lay("red/straight@-1,0"))["none-left"][0] == (
        "The red tiles are not part of this game."
    )


def test_log_of_no_snake_takes_no_colour():
    position = carnival.table("yellow/straight@0,-1^1 log/straight@5,5")

    assert said(carnival, position, carnival.swap("yellow/straight@5,5"))["wrong-colour"][0] == (
        "This log is not part of any snake."
    )

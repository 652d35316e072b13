"""Carnival's last round by example: the announcement, heads, hats, and the end."""

import pytest

from engine.game import Change, Move
from engine.notation import read_layout, write_layout
from tests.engine.games.carnival_positions import (
    FOUR,
    GAME,
    broken,
    lay,
    opening,
    played,
    scores,
    table,
)

GROWN = "yellow/straight@0,-1^1 violet/straight@1,0 black/straight@0,1^1 red/straight@-1,0"
HEADS = ("yellow/head@0,-2^3", "violet/head@2,0", "black/head@0,2^1", "red/head@-2,0^2")
HATS = ("hat/+3@0,-3", "hat/+2@3,0", "hat/-1@0,3", "hat/-2@-3,0")


def finale(player="yellow"):
    return Move(player, "finale")


def passes(*players):
    return [Move(player, "pass") for player in players]


def heads():
    return [lay(text, player) for text, player in zip(HEADS, FOUR, strict=True)]


def last_round(text=GROWN, **kwargs):
    return played(table(text, **kwargs), finale(table(text, **kwargs).to_move))


# --- the announcement


def test_the_last_round_takes_no_turn_and_is_announced_once():
    position = last_round()

    assert position.to_move == "yellow"
    assert broken(position, finale()) == ["already-announced"]


def test_any_player_may_announce_the_last_round():
    assert broken(table(GROWN), finale("red")) == []


def test_on_trust_the_announcement_is_believed():
    assert broken(opening(), finale()) == []


def test_where_hands_are_asked_for_it_is_refused_while_anybody_could_lay_a_tile():
    (violation,) = GAME.judge(opening(hands="ask"), finale()).violations

    assert violation.rule.id == "finale-too-early"
    assert "yellow straight" in violation.text


def test_nobody_knows_what_left_a_game_taken_up_in_its_middle():
    assert broken(table(GROWN, hands="ask"), finale()) == []


def test_heads_and_hats_wait_for_the_last_round():
    assert broken(table(GROWN), lay("yellow/head@0,-2^3")) == ["last-round-only"]
    assert "last-round-only" in broken(table(GROWN), lay("hat/+3@0,-3"))


def test_in_the_last_round_only_heads_and_hats_are_laid():
    position = last_round()

    assert broken(position, lay("yellow/straight@0,-2^1")) == ["only-heads-and-hats"]
    assert broken(position, lay("gift@1,-1")) == ["only-heads-and-hats"]
    assert {move.tile for move in GAME.legal_moves(position)} == {"yellow/head"}


# --- heads


def test_a_head_goes_on_an_own_free_end():
    position = last_round()

    assert broken(position, lay("yellow/head@0,-2^3")) == []
    assert broken(position, lay("yellow/head@0,-2")) == ["not-at-an-end"]
    assert broken(position, lay("violet/head@2,0")) == ["not-your-head"]


def test_a_blocked_end_gets_no_head():
    position = last_round(f"{GROWN} gift@0,-2")

    assert broken(position, lay("yellow/head@0,-3^3")) == ["blocked"]
    assert [m.do for m in GAME.legal_moves(position)] == ["pass"]


def test_a_head_may_be_laid_at_the_house():
    assert broken(last_round(""), lay("yellow/head@0,-1^3")) == []


def test_two_players_lay_the_heads_of_both_their_snakes():
    position = last_round(GROWN, players=("yellow", "black"))
    after = played(
        position, lay(HEADS[0]), lay(HEADS[2], "black"), lay(HEADS[3]), lay(HEADS[1], "black")
    )

    assert broken(after, lay("hat/+3@0,-3")) == []


def test_who_has_no_head_passes_and_is_scored_all_the_same():
    position = played(last_round(), *passes(*FOUR))

    assert GAME.outcome(position).over
    assert scores(position) == dict.fromkeys(FOUR, 1)
    assert GAME.outcome(position).winners == FOUR


# --- hats


def test_hats_wait_until_everybody_had_his_turn_for_a_head():
    one, two, *rest = heads()
    position = played(last_round(), one)
    assert broken(position, lay("hat/+3@0,-3", "violet")) == ["heads-before-hats"]

    position = played(position, two, *rest)
    assert broken(position, lay("hat/+3@0,-3")) == []


def test_who_passed_on_heads_is_not_waited_for_again():
    one, _, three, four = heads()
    position = played(last_round(), one, *passes("violet"), three, four)

    assert broken(position, lay("hat/+3@0,-3")) == []


def test_a_pass_is_final_among_the_heads():
    _, two, three, _ = heads()
    position = played(last_round(), *passes("yellow"), two, *passes("black"))

    assert position.to_move == "red"
    assert broken(position, three) == ["not-your-turn"]
    assert broken(position, passes("yellow")[0]) == ["not-your-turn"]


def test_the_hats_begin_after_the_last_action_and_a_pass_is_final_among_them():
    three = ("yellow", "violet", "black")
    grown = "yellow/straight@0,-1^1 violet/straight@1,0 black/straight@0,1^1"
    position = last_round(grown, players=three)
    position = played(position, *passes("yellow"), heads()[1], *passes("black"))
    assert position.to_move == "yellow"
    assert {move.tile for move in GAME.legal_moves(position)} == {
        "hat/+3",
        "hat/+2",
        "hat/-1",
        "hat/-2",
    }
    assert broken(position, heads()[0]) == ["heads-before-hats"]

    position = played(position, *passes("yellow", "violet"))
    assert not GAME.outcome(position).over
    assert GAME.outcome(played(position, *passes("black"))).over


def test_who_has_laid_all_heads_of_his_colours_is_skipped():
    position = last_round(GROWN, players=("yellow", "black"))
    position = played(position, lay(HEADS[0]), *passes("black"), lay(HEADS[3]))

    assert position.last_round.phase == "hats"
    assert position.to_move == "black"


def test_who_alone_is_left_among_the_hats_lays_one_after_the_other():
    position = played(last_round(), *heads(), *passes("yellow", "violet", "black"))
    position = played(position, lay("hat/+3@0,-3", "red"), lay("hat/-1@3,0", "red"))

    assert position.to_move == "red"
    assert GAME.outcome(played(position, *passes("red"))).over


def test_a_blocked_end_is_no_reason_to_skip_a_player():
    position = played(last_round(f"{GROWN} gift@2,0"), heads()[0])

    assert position.to_move == "violet"
    assert GAME.legal_moves(position) == passes("violet")


def test_after_the_first_hat_no_head_is_laid():
    one, two, three, four = heads()
    position = played(
        last_round(), one, *passes("violet"), three, four, lay("hat/-2@0,3", "yellow")
    )

    assert broken(position, two) == ["heads-before-hats"]


def test_hats_are_laid_in_turn_on_any_bare_head_and_end_the_game():
    position = played(last_round(), *heads())
    position = played(position, lay("hat/-2@3,0"), lay("hat/-1@0,-3", "violet"))
    assert broken(position, lay("hat/+3@3,0", "black")) == ["cell-taken"]

    position = played(position, lay("hat/+3@0,3", "black"), lay("hat/+2@-3,0", "red"))
    outcome = GAME.outcome(position)
    assert outcome.over
    assert dict(outcome.scores) == {"yellow": 1, "violet": 0, "black": 5, "red": 4}
    assert outcome.winners == ("black",)


def test_the_game_is_over_when_all_pass():
    position = played(last_round(), *heads(), lay("hat/+3@0,-3"))
    passed = played(position, *passes("violet", "black", "red"))
    assert not GAME.outcome(passed).over

    over = played(passed, *passes("yellow"))
    assert GAME.outcome(over).over
    assert GAME.legal_moves(over) == []
    assert broken(over, lay("hat/+2@3,0", "violet")) == ["game-over"]
    assert broken(over, Move("red", "pass")) == []
    assert GAME.apply(over, Move("red", "pass")) == over


def test_a_hat_lies_in_front_of_the_head_or_on_it_where_that_is_taken():
    position = played(last_round(f"{GROWN} gift@1,-1"), *heads())

    assert broken(position, lay("hat/+3@0,-2")) == ["hat-in-front"]
    assert broken(position, lay("hat/+3@0,-3")) == []
    assert broken(position, lay("hat/+3@9,9")) == ["no-bare-head"]
    assert broken(position, lay("hat/+3@1,-1")) == ["cell-taken"]


TAKEN = "yellow/corner@0,-1^2 violet/straight@1,0 violet/corner@2,0 violet/straight@2,-1^1"
"""Yellow's head at (1, -1) will look at violet's tile at (2, -1)."""


def test_a_hat_on_the_head_hides_it():
    position = played(last_round(TAKEN), lay("yellow/head@1,-1"), *passes(*FOUR[1:], "yellow"))
    assert broken(position, lay("hat/+3@2,-1", "violet")) == ["cell-taken"]
    hatted = played(position, lay("hat/+3@1,-1", "violet"))

    assert scores(hatted)["yellow"] == 4
    seen = {card.tile for card in GAME.layout(hatted).cards if card.at == (1, -1)}
    assert seen == {"hat/+3"}
    assert scores(table(write_layout(GAME.layout(hatted))))["yellow"] == 4


def test_a_hat_on_a_head_is_read_from_the_picture():
    position = played(last_round(TAKEN), lay("yellow/head@1,-1"), *passes(*FOUR[1:], "yellow"))
    change = Change(read_layout("hat/+3@1,-1"), read_layout("yellow/head@1,-1"))

    assert GAME.readings(position, change) == [lay("hat/+3@1,-1", "violet")]


FACING = (
    "yellow/corner@0,-1^2 violet/straight@1,0 violet/straight@2,0 violet/straight@3,0"
    " violet/corner@4,0 violet/corner@4,-1^3"
)
"""The heads of yellow at (1, -1) and violet at (3, -1) will both look at (2, -1)."""


@pytest.fixture
def facing():
    position = played(last_round(FACING), lay("yellow/head@1,-1"))
    return played(position, lay("violet/head@3,-1^2", "violet"), *passes("black", "red"))


def test_a_hat_between_two_heads_must_say_whose_it_is(facing):
    assert broken(facing, lay("hat/+3@2,-1")) == ["which-head"]
    assert broken(facing, lay("hat/+3@2,-1", snake="violet")) == []
    assert broken(facing, lay("hat/+3@2,-1", snake="red")) == ["no-bare-head"]


def test_the_other_of_two_heads_then_wears_its_hat_on_itself(facing):
    position = played(facing, lay("hat/+3@2,-1", snake="violet"))

    assert scores(position)["violet"] - scores(facing)["violet"] == 3
    assert broken(position, lay("hat/+2@1,-1", "violet")) == []
    assert broken(position, lay("hat/+2@3,-1", "violet")) == ["no-bare-head"]


def test_a_hat_between_two_heads_is_read_both_ways(facing):
    readings = GAME.readings(facing, Change(read_layout("hat/+3@2,-1")))

    assert [move.snake for move in readings] == ["yellow", "violet"]
    listed = {(m.at, m.snake) for m in GAME.legal_moves(facing)}
    assert listed == {((2, -1), "yellow"), ((2, -1), "violet")}


def test_a_finished_table_is_over():
    position = table(" ".join((GROWN, *HEADS, *HATS)))

    assert GAME.inspect(position) == ()
    assert GAME.outcome(position).over
    assert GAME.outcome(position).winners == ("yellow",)


def test_a_table_with_heads_is_in_its_last_round():
    position = table(f"{GROWN} {HEADS[0]}", turn="violet")

    assert broken(position, lay("violet/straight@2,0", "violet")) == ["only-heads-and-hats"]
    assert broken(position, lay("violet/head@2,0", "violet")) == []

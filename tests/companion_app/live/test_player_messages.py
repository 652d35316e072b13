"""What becomes of a player's message: whom it concerns, what it overrules, what it leads to."""

from __future__ import annotations

import pytest

from companion_app.live.errors import StoreFull, ToldError
from companion_app.live.explain import Row
from companion_app.live.questions import Question, asked_of
from engine.placement import Layout
from tests.companion_app.live.tabletop import Tabletop, said, verdicts
from tests.companion_app.live.test_judging import NEST, looks_at, table_of, without
from tests.companion_app.live.test_referee import accepted, play, unsure
from tests.companion_app.live.test_store import FailingDisk
from tests.engine.playing import variants

ASKS = next(v for v in variants() if v.options == {"hands": "ask"})
nest, asking = table_of(NEST), table_of(ASKS)


# --- a tile that was named -----------------------------------------------------------------------


def called_by_its_name(table: Tabletop) -> None:
    """Lay a card that is hard to read and a foul once somebody has named it."""
    (question,) = said(table.shows(unsure(0.6), looks=30), "question")
    table.tell({"answer": question["id"], "value": "red/curve"})
    assert verdicts(table.keeps(unsure(0.6))) == [(1, False)]


@pytest.mark.parametrize("other", ["blue/straight", "blue/curve"])
def test_foul_that_was_named_is_put_right_by_another_card_in_its_place(nest, other):
    called_by_its_name(nest)

    happened = nest.shows(f"{other}@0,0")

    assert [e["n"] for e in said(happened, "taken-back")] == [1]
    assert verdicts(happened) == [(1, True)]
    assert [move.tile for move in accepted(nest)] == [other]


@pytest.mark.parametrize("seen", [unsure(0.6), "red/curve@0,0"])
def test_foul_that_was_named_stays_one_though_a_hand_came_over_it(nest, seen):
    called_by_its_name(nest)

    assert nest.shows(seen, looks=40) == []
    assert nest.referee.doubts.pending is not None


def test_name_counts_though_the_camera_gets_surer_of_another(nest):
    (question,) = said(nest.shows(unsure(0.6), looks=30), "question")
    nest.tell({"answer": question["id"], "value": "blue/curve"})

    assert verdicts(nest.keeps("red/curve@0,0")) == [(1, True)]
    assert [move.tile for move in accepted(nest)] == ["blue/curve"]


# --- answers as they were offered ----------------------------------------------------------------


def test_guess_without_turns_is_the_one_that_is_not_turned(nest):
    nest.shows("blue/curve@0,0")
    turned = "blue/curve@0,0^2"
    (question,) = looks_at(nest, turned) + looks_at(nest, turned, 2.0)
    assert [guess[2:] for guess in question["guesses"]] == [[2], []]

    nest.tell({"answer": question["id"], "value": question["guesses"][1]})

    assert [move.turns for move in accepted(nest)] == [0]


def test_word_that_a_turned_tile_still_lies_there_does_not_turn_it(nest):
    play(nest, NEST, 5, 6)
    moves = accepted(nest)
    older = next(move for move in moves[2:-1] if move.turns)
    assert older.at is not None
    left = without(nest.match.layout, (0, *older.at))
    (question,) = said(nest.shows(left, looks=60), "question")
    assert question["guesses"] == [[older.tile, 0.5, older.turns], ["none", 0.5]]

    nest.tell({"answer": question["id"], "value": question["guesses"][0]})

    assert accepted(nest) == moves


# --- hands and passes ----------------------------------------------------------------------------

GROWN = (
    "house@0,0 yellow/straight@0,-1^1 black/straight@0,1^1 red/straight@-1,0 violet/straight@1,0"
)
HEADS = f"{GROWN} yellow/head@0,-2^3 red/head@-2,0^2"


@pytest.fixture
def two_heads(tmp_path):
    """Return a last round in which Yellow has laid two heads before a look."""
    table = Tabletop(tmp_path, "carnival", ("yellow", "black"))
    table.shows("house@0,0")
    lying = GROWN.split()
    for count in range(2, 6):
        table.shows(" ".join(lying[:count]))
    table.tell({"finale": True})
    table.shows(HEADS)
    yield table
    table.close()


def the_question(table: Tabletop) -> Question:
    (question,) = table.referee.doubts.questions.values()
    return question


def test_pass_that_is_denied_leaves_the_legal_move_before_it_and_a_foul_out_of_turn(two_heads):
    count = len(accepted(two_heads))
    assert asked_of(the_question(two_heads), two_heads.match) == ["black"]

    happened = two_heads.tell({"answer": the_question(two_heads).id, "value": "foul"})

    assert verdicts(happened) == [(count + 1, True), (count + 2, False)]
    assert [one["move"]["player"] for one in said(happened, "verdict")] == ["yellow", "yellow"]
    assert [v["rule"] for v in said(happened, "verdict")[1]["violations"]] == ["not-your-turn"]
    assert two_heads.shows(HEADS) == []


@pytest.mark.parametrize("value", ["fuol", None, "own-tile", 7])
def test_answer_that_a_question_about_a_pass_does_not_offer_calls_nobody_out(two_heads, value):
    before, question = accepted(two_heads), the_question(two_heads)

    with pytest.raises(ToldError, match="pass or foul"):
        two_heads.tell({"answer": question.id, "value": value})

    assert accepted(two_heads) == before
    assert two_heads.referee.doubts.pending is None
    assert the_question(two_heads) is question


def test_hand_is_asked_of_who_declares(asking):
    match = asking.match
    own = next(m for m in match.game.legal_moves(match.position) if not m.declares)
    after = match.game.apply(match.position, own)
    other = next(m for m in match.game.legal_moves(after) if m.declares)
    row = Row((own, other), match.game.apply(after, other))
    choices = {"no-own-tile": row, "own-tile": Layout()}
    assert other.player != own.player

    assert asked_of(Question(1, "hand", "", (), choices=choices), match) == [other.player]


# --- a full disk ---------------------------------------------------------------------------------


def test_question_stays_open_when_its_answer_cannot_be_kept(two_heads):
    question, disk = the_question(two_heads), ["full"]
    FailingDisk(two_heads.store, lambda statement: bool(disk) and "INSERT" in statement)
    with pytest.raises(StoreFull):
        two_heads.tell({"answer": question.id, "value": "pass"})

    assert the_question(two_heads) is question

    disk.clear()
    two_heads.tell({"answer": question.id, "value": "pass"})
    assert [move.do for move in accepted(two_heads)[-3:]] == ["place", "pass", "place"]

"""The referee of written games: judged up to the first foul, counted, and told as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.errors import RecordError
from engine.game import (
    Move,
    Outcome,
    Reason,
    Rule,
    ScoreLine,
    Start,
    Violation,
)
from engine.games.schlangennest import Schlangennest
from engine.games.snekagon5g import Snekagon5G
from engine.games.sssnake import Sssnake
from engine.notation import read_layout
from engine.options import flag
from engine.record import Record
from engine.referee import (
    moves_at_end,
    moves_to_json,
    outcome_to_json,
    perft,
    position_at_end,
    referee_record,
    replay,
    rules_to_json,
    score_table,
    series_of,
    violation_to_json,
)
from engine.setfile import built_in_set

NEST = Schlangennest()
RULE = Rule("askew", "Cards lie straight.", "ruling 99", "The {tile} lies askew.")


def laid(text: str) -> Move:
    """Return the move of a card's own colour that lays it: ``blue/curve@0,0^1``."""
    (card,) = read_layout(text).cards
    return Move(card.tile.partition("/")[0], "place", card.tile, card.at, card.turns)


def written(*moves: str) -> Record:
    """Return a game of Blue and Red with these cards laid in order."""
    start = Start(("blue", "red"))
    return Record(NEST, built_in_set("schlangennest"), start, tuple(map(laid, moves)))


SOUND = ("blue/curve@0,0", "red/curve@1,1")
FAR, THEN = "blue/straight@3,1", ("red/straight@1,2^1", "blue/straight@0,3")
"""A blue card that no blue end leads to, and what was laid after it all the same."""


# --- replayed ------------------------------------------------------------------------------------


def test_legal_game_is_played_to_its_end():
    played = replay(written(*SOUND))

    assert played.verdicts == ((), ())
    assert played.illegal is None
    assert NEST.layout(played.position) == read_layout(" ".join(SOUND))
    assert played.position.to_move == "blue"


def test_game_without_moves_is_its_opening():
    played = replay(written())

    assert (played.verdicts, played.illegal) == ((), None)
    assert played.position.to_move == "blue"


@pytest.mark.parametrize("sound", [0, 1, 2])
def test_game_stops_at_its_first_illegal_move_and_nothing_after_it_is_judged(sound):
    wrong = ("red/curve@0,0", "red/curve@3,0", FAR)[sound]

    played = replay(written(*SOUND[:sound], wrong, *THEN))

    assert played.illegal == sound
    assert played.verdicts[:sound] == ((),) * sound
    assert played.verdicts[sound]
    assert played.verdicts[sound + 1 :] == (None, None)
    assert NEST.layout(played.position) == read_layout(" ".join(SOUND[:sound]))


# --- a game, and several -------------------------------------------------------------------------


def test_every_move_has_its_verdict_and_the_score_stands_as_before_the_foul():
    one = {"points": 1, "why": "a blue part of the blue snake", "cells": [[0, 0]]}

    said = referee_record(written("blue/curve@0,0", "red/curve@3,0", *THEN))

    assert said == {
        "moves": [
            {"legal": True, "violations": []},
            {
                "legal": False,
                "violations": [
                    {
                        "rule": "first-touches",
                        "text": "The first red card does not touch any card, not even at a corner.",
                        "cells": [[3, 0]],
                    }
                ],
            },
            {"legal": None, "violations": []},
            {"legal": None, "violations": []},
        ],
        "scores": {"blue": 1, "red": 0},
        "lines": {"blue": [one], "red": []},
        "over": False,
        "winners": [],
    }


def test_scores_of_several_games_are_added_up():
    games = [referee_record(written(*SOUND)), referee_record(written("blue/curve@0,0"))]

    assert series_of(games) == {"games": games, "totals": {"blue": 2, "red": 1}}


def test_total_is_unknown_once_a_score_is_though_later_ones_are_known():
    scores: list[dict[str, Any]] = [{"a": 3, "b": None}, {"a": 4, "b": 5}, {"c": 0}]
    games = [{"scores": one} for one in scores]

    assert series_of(games) == {"games": games, "totals": {"a": 7, "b": None, "c": 0}}
    assert series_of([]) == {"games": [], "totals": {}}


# --- how it may go on ----------------------------------------------------------------------------


def test_moves_at_the_end_are_those_of_the_position_there():
    record = written(*SOUND)

    assert position_at_end(record) == replay(record).position
    assert moves_at_end(record) == NEST.legal_moves(replay(record).position)
    assert {move.player for move in moves_at_end(record)} == {"blue"}


@pytest.mark.parametrize("asked", [position_at_end, moves_at_end])
def test_game_with_an_illegal_move_has_no_end_and_the_error_says_all_that_is_wrong_with_it(asked):
    with pytest.raises(RecordError) as refused:
        asked(written("blue/curve@0,0", FAR))

    assert refused.value.place == "moves[1]"
    assert refused.value.problem == (
        "is illegal: It is red's turn, not blue's. No end of the blue snake leads to this place."
    )


def test_sequences_of_moves_are_counted_to_their_depth():
    opening = position_at_end(written())

    assert [perft(NEST, opening, depth) for depth in (0, 1, 2)] == [1, 14, 1468]


def test_game_that_ends_before_the_depth_is_one_sequence():
    game = Sssnake()
    out = {"straight": 58, "curve": 48, "crossing": 8, "double-curve": 4}
    position = game.opening(Start(("a", "b"), out=out), built_in_set("sssnake"))
    position = game.apply(position, Move("a", "roll", value=2, tiles=("straight", "straight")))
    position = game.apply(position, game.legal_moves(position)[0])
    last = game.legal_moves(position)

    assert len(last) > 1
    assert perft(game, position, 1) == perft(game, position, 2) == perft(game, position, 3)
    assert perft(game, position, 2) == len(last)
    over = game.apply(position, last[0])
    assert [perft(game, over, depth) for depth in (0, 1, 2)] == [1, 1, 1]


# --- a table as it lies --------------------------------------------------------------------------


def test_table_is_scored_with_what_is_wrong_on_it():
    start = Start(("blue", "red"), {}, read_layout("blue/curve@0,0 blue/curve@3,3"), midgame=True)
    position = NEST.opening(start, built_in_set("schlangennest"))

    said = score_table(NEST, built_in_set("schlangennest"), start)

    assert said == {
        **outcome_to_json(NEST.outcome(position)),
        "violations": [
            {
                "rule": "in-pieces",
                "text": "The blue snake is not in one piece.",
                "cells": [[0, 0], [3, 3]],
            }
        ],
        "open": [],
    }


def test_what_the_table_does_not_tell_is_open_with_the_scores_of_every_answer():
    game, box = Snekagon5G(), built_in_set("snekagon5g")
    tiles = ("2@0,0+1,0", "3/0@0,0+1,0+2,0", "4/00@0,0+1,0+2,0+3,0", "5/000@0,0+1,0+2,0+3,0+4,0")
    lying = " ".join(
        f"blue/{tile}#{board} clay/open@0,0>E#{board}" for board, tile in enumerate(tiles)
    )
    players = ("blue", "red", "yellow", "green")
    start = Start(players, {}, read_layout(lying, "hex"), midgame=True)
    (asked,) = game.questions(game.opening(start, box))

    (said,) = score_table(game, box, start)["open"]

    assert said["question"].startswith("Between which boards do the blue snakes escape")
    assert said["cells"] == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]
    assert [answer["answer"] for answer in said["answers"]] == [a.answer for a in asked.answers]
    assert {answer["scores"]["blue"] for answer in said["answers"]} == {7, 9}
    assert all(list(answer) == ["answer", "scores"] for answer in said["answers"])
    assert all(list(answer["scores"]) == list(players) for answer in said["answers"])


# --- as JSON -------------------------------------------------------------------------------------


def test_outcome_has_scores_their_lines_and_the_winners():
    hat = ScoreLine(3, Reason("hat", "a {tile}"), ((1, 2), (3, 4)), {"tile": "hat/+3"}, "b")
    plain = replace(hat, points=-1, cells=(), snake=None)
    outcome = Outcome({"a": 2, "b": None}, {"a": (hat, plain), "b": ()}, True, ("a", "b"))

    assert outcome_to_json(outcome) == {
        "scores": {"a": 2, "b": None},
        "lines": {
            "a": [
                {"points": 3, "why": "a hat +3", "cells": [[1, 2], [3, 4]], "snake": "b"},
                {"points": -1, "why": "a hat +3", "cells": []},
            ],
            "b": [],
        },
        "over": True,
        "winners": ["a", "b"],
    }


def test_violation_has_its_rule_its_sentence_and_its_cells_and_a_snake_where_there_are_fields():
    broken = Violation(RULE, ((1, 2), (0, 3, 4)), {"tile": "blue/curve"})
    said = {"rule": "askew", "text": "The blue curve lies askew.", "cells": [[1, 2], [0, 3, 4]]}

    assert violation_to_json(broken) == said
    assert violation_to_json(replace(broken, snake="")) == {**said, "snake": ""}


def test_rules_of_a_game_have_ids_sentences_and_sources_after_the_game_in_short():
    facts = replace(NEST.facts, rules=(RULE,), options=(flag("rain", "It rains."),))

    assert rules_to_json(facts) == {
        "summary": {
            "goal": facts.summary.goal,
            "turn": facts.summary.turn,
            "end": facts.summary.end,
            "scoring": facts.summary.scoring,
        },
        "rules": [
            {
                "id": "askew",
                "text": "Cards lie straight.",
                "source": "ruling 99",
                "rulings": [99],
            }
        ],
        "options": [
            {"name": "rain", "default": False, "values": [False, True], "text": "It rains."}
        ],
    }


def test_moves_are_written_as_in_a_record():
    assert moves_to_json(iter([laid("blue/curve@0,0^1"), Move("red", "pass")])) == {
        "moves": [
            {"player": "blue", "do": "place", "tile": "blue/curve", "at": [0, 0], "turns": 1},
            {"player": "red", "do": "pass"},
        ]
    }

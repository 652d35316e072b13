"""What rows of examples cannot say: boxes, fields, lists of moves, and games to their end."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import RecordError
from engine.game import Move, Start
from engine.games import GAMES
from engine.hexplacements import placement_table
from engine.notation import read_layout
from engine.record import parse_record
from engine.referee import referee_record, series_of
from engine.setfile import built_in_set
from tests.engine.games.test_examples import after, opening

PLAYTHROUGHS = Path(__file__).parents[2] / "playthroughs"
NEST, HEXES, FLOORS = (GAMES[name] for name in ("schlangennest", "snekagon", "snekagon5g"))
ENDS = ("scores", "lines", "over", "winners")
RING = "blue/curve@0,0^2 blue/curve@1,0^3 blue/curve@0,1^1 blue/curve@1,1"


def played(game, moves, *, pick=lambda moves: moves[0], **row):
    """Yield the moves of a game, each picked from the listed ones, and the position behind it."""
    position = opening(game, row)
    while moves and (listed := game.legal_moves(position)):
        move, moves = pick(listed), moves - 1
        position = game.apply(position, move)
        yield move, position


# --- boxes and fields


@pytest.mark.parametrize(
    ("name", "colour", "counts"),
    [
        ("schlangennest", "blue", {"straight": 7, "curve": 9, "tail": 1, "head": 1}),
        ("sssnake", None, {"straight": 60, "curve": 48, "crossing": 8, "double-curve": 4}),
    ],
)
def test_a_box_has_the_cards_of_the_rulebook(name, colour, counts):
    kinds = [kind for kind in built_in_set(name).kinds.values() if kind.colour == colour]

    assert {k.shape: k.count for k in kinds if not k.name.startswith("big/")} == counts
    assert [k.name for k in kinds if k.name.startswith("big/")] == [
        f"big/{number}" for number in range(1, 5) if name == "sssnake"
    ]


def test_every_colour_of_5g_has_ten_tiles_of_35_hexes_and_two_of_its_own():
    box = built_in_set("snekagon5g")
    for colour in ("blue", "red", "yellow", "green", "violet"):
        kinds = box.of_colour(colour)
        assert len(kinds) == 10
        assert sum(len(kind.cells) for kind in kinds) == 35

    assert len({kind.shape for kind in box.kinds.values() if kind.shape.startswith("5/")}) == 10


def test_a_full_set_lies_on_the_empty_board_in_2602_ways():
    agreed = opening(HEXES, {}).agreed
    placements = placement_table(agreed.paths["red"], agreed.side).placements
    by_tile = Counter(placed.shape for placed in placements)

    assert list(by_tile.values()) == [91, 240, 207, 420, 174, 720, 390, 360]
    assert len(placements) == len({placed.cells for placed in placements}) == 2602


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
    names = " ".join(("blue", "red", "yellow", "green")[:players])
    field = opening(NEST, {"players": names, "options": {"size": size}}).agreed.field

    assert field.holds((0, 0, fits[0] - 1, fits[1] - 1))
    assert not field.holds((0, 0, not_fits[0] - 1, not_fits[1] - 1))


def test_the_border_comes_into_being_as_in_the_rulebook():
    # 7 x 9 is agreed. Eight in one direction: that direction has nine, the other seven.
    eight = "".join(f"blue/straight@{x},0 " for x in range(7)) + "blue/curve@7,0^3"
    position = opening(NEST, {"players": "blue red yellow green", "table": eight})
    field = position.agreed.field

    assert position.bounds == (0, 0, 7, 0)
    assert field.holds((0, 0, 8, 0))
    assert field.holds((-1, 0, 7, 0))
    assert not field.holds((-1, 0, 8, 0))
    assert field.holds((0, 0, 7, 6))
    assert not field.holds((0, 0, 7, 7))


def test_blue_grey_grey_blue_blue_grey_is_one_snake():
    row = (
        "blue/straight@0,0 red/straight@1,0^1 yellow/straight@2,0^1 "
        "blue/straight@3,0 blue/straight@4,0 green/straight@5,0^1"
    )
    position = opening(NEST, {"players": "blue red yellow green", "table": row})
    (snake,) = position.web.of_colour("blue")

    assert len(snake.strands) == 6
    assert snake.colours == {"blue"}


@pytest.mark.parametrize(
    ("game", "players", "move", "problem"),
    [
        ("snekagon", ["red", "green"], {"tile": "3/0", "cells": [[0, 0], [1, 0], [1, 1]]}, "cells"),
        ("snekagon5g", ["red", "blue"], {"tile": "5/000", "cells": [[0, 0]], "board": 0}, "tile"),
    ],
)
def test_a_tile_of_another_shape_or_colour_is_a_bad_record(game, players, move, problem):
    if problem == "tile":
        move["cells"] = [[q, 0] for q in range(5)]
    move |= {"player": "red", "do": "place"}

    with pytest.raises(RecordError, match=rf"moves\[0\].{problem}"):
        parse_record({"game": game, "players": players, "moves": [move]})


# --- lists of moves


def test_a_loop_is_opened_by_a_quarter_turn_and_gains_a_part():
    position = opening(NEST, {"table": RING})
    assert NEST.outcome(position).scores["blue"] == 4

    moves = NEST.legal_moves(position)
    assert {move.do for move in moves} == {"turn"}
    assert len(moves) == 8
    for move in moves:
        opened = NEST.apply(position, move)
        assert NEST.outcome(opened).scores["blue"] == 5
        assert len(opened.ends("blue")) == 2


def test_a_loop_is_opened_whatever_was_let_stand_elsewhere():
    alone = {"players": "blue red yellow green", "options": {"size": None}, "table": RING}
    others = f"{RING} red/straight@8,0 yellow/straight@9,-1^1"
    position = opening(NEST, {**alone, "table": others, "turn": "green"})

    crowded = after(NEST, position, {"green/straight@10,0": "three-at-one-place"})

    assert [violation.rule.id for violation in NEST.inspect(crowded)] == ["three-at-one-place"]
    assert NEST.legal_moves(crowded) == NEST.legal_moves(opening(NEST, alone))


@pytest.mark.parametrize(
    ("agreed", "players", "colours"),
    [
        ("both", "blue red red blue blue red red", ["blue", "red", "green", "yellow", "blue"]),
        ("one", "blue red blue red", []),
    ],
)
def test_two_snakes_each_begin_with_their_tails(agreed, players, colours):
    options = {"two_snakes": agreed, "size": None}
    moves = [move for move, _ in played(NEST, len(players.split()), options=options)]

    assert " ".join(move.player for move in moves) == players
    assert [move.tile.split("/")[1] for move in moves[:4]] == ["tail"] * 4
    assert [move.tile.split("/")[0] for move in moves][: len(colours)] == colours
    assert {move.tile.split("/")[0] for move in moves[5:]} in (set(), {"red", "green"})


def test_the_first_tile_of_5g_may_be_any_on_any_board():
    moves = FLOORS.legal_moves(opening(FLOORS, {"players": "blue red"}))

    assert {move.tile for move in moves} == {
        kind.shape for kind in built_in_set("snekagon5g").of_colour("blue")
    }
    assert {move.board for move in moves} == {0, 1}


def test_listed_moves_of_carnival_say_what_must_be_said():
    carnival = GAMES["carnival"]
    moves = carnival.legal_moves(opening(carnival, {"options": {"hands": "ask"}}))

    assert {m.declares for m in moves if m.tile == "yellow/straight"} == {None}
    assert {m.declares for m in moves if m.tile == "violet/straight"} == {"no-own-tile"}
    assert {m.declares for m in moves if m.tile == "violet/knot"} == {None}


def test_with_one_snake_each_the_tiles_of_the_other_colours_leave_the_box():
    carnival = GAMES["carnival"]
    every = opening(carnival, {"players": "yellow black"})
    position = opening(carnival, {"players": "yellow black", "options": {"snakes": 1}})
    body = ("straight", "corner", "diamond", "knot", "sore")

    assert {move.tile for move in carnival.legal_moves(position)} == {
        *(f"{colour}/{kind}" for colour in ("yellow", "black") for kind in body),
        *(f"log/{kind}" for kind in ("straight", "corner", "crossing")),
    }
    assert every.supply.pile - position.supply.pile == 2 * 23


# --- games to their end


@pytest.mark.parametrize(("value", "share"), [(1, []), (2, ["a"]), (3, ["a", "a"])])
def test_a_short_pile_of_sssnake_serves_the_own_share_first(value, share):
    out = {"straight": 58, "curve": 48, "crossing": 8, "double-curve": 4}
    game = GAMES["sssnake"]
    position = game.apply(opening(game, {"out": out}), Move("a", "roll", value=value))
    laid = []
    while not game.outcome(position).over and position.turn.value is not None:
        move = game.legal_moves(position)[0]
        laid.append(move.snake)
        position = game.apply(position, move)

    assert laid == [*share, "b"][: min(value, 2)]


def test_the_longest_snake_wins_and_equal_ones_tie():
    ends = []
    for seed in range(30):
        *_, (_, end) = played(HEXES, 99, pick=random.Random(seed).choice)
        ends.append(HEXES.outcome(end))

    assert all(outcome.over for outcome in ends)
    assert {len(outcome.winners) for outcome in ends} == {1, 2}
    for outcome in ends:
        best = max(score or 0 for score in outcome.scores.values())
        assert list(outcome.winners) == [p for p, score in outcome.scores.items() if score == best]


def test_after_the_end_a_tile_is_too_late():
    *_, (_, end) = played(HEXES, 99, pick=random.Random(1).choice)
    (piece,) = read_layout("red/1@0,0", "hex").pieces
    late = HEXES.judge(end, Move("red", "place", "1", cells=piece.cells))

    assert HEXES.legal_moves(end) == []
    assert "game-over" in [violation.rule.id for violation in late.violations]


@pytest.mark.parametrize("seed", range(24))
def test_the_drills_of_a_table_are_found_from_its_clay(seed):
    rng = random.Random(seed)
    players = " ".join(("blue", "red", "yellow", "green", "violet")[: 2 + seed % 4])
    options = {"far_drill": seed % 3 == 0}

    def escaping(moves):
        escapes = [move for move in moves if move.origin or move.to]
        return rng.choice(escapes if escapes and rng.random() < 0.6 else moves)

    most = rng.randrange(4, 9 * (2 + seed % 4))
    *_, (_, end) = played(FLOORS, most, pick=escaping, players=players, options=options)
    start = Start(end.players, options, FLOORS.layout(end), end.to_move, midgame=True)
    taken_up = FLOORS.opening(start, built_in_set("snekagon5g"))

    for player in end.players:
        assert end.drills[player] in taken_up.doubts.get(player, (taken_up.drills[player],))
    assert FLOORS.inspect(taken_up) == ()
    if not taken_up.doubts:
        assert FLOORS.legal_moves(taken_up) == FLOORS.legal_moves(end)


def test_answers_name_boards_from_one_and_tell_ways_apart():
    lying = "blue/2@0,0+1,0#0 blue/2@0,0+1,0#1 blue/2@0,0+1,0#2 clay/open@0,0>E#1"
    (question,) = FLOORS.questions(opening(FLOORS, {"table": lying}))
    answers = [answer.answer for answer in question.answers]

    assert len(set(answers)) == len(answers) > 1
    assert "boards 1 and 2" in answers
    assert not any("0" in answer for answer in answers)


def test_colours_may_change_hands_as_long_as_the_large_tiles_are_not_laid():
    position = opening(FLOORS, {"players": "blue red yellow"})
    changed = opening(FLOORS, {"players": "red yellow blue"})
    passed_on = {"blue": "red", "red": "yellow", "yellow": "blue"}
    chance = random.Random(3)
    for _ in range(15):
        moves, others = (
            [m for m in FLOORS.legal_moves(one) if "5/" not in str(m.tile)]
            for one in (position, changed)
        )
        assert [replace(move, player=passed_on[move.player]) for move in moves] == others
        number = chance.randrange(len(moves))
        position = FLOORS.apply(position, moves[number])
        changed = FLOORS.apply(changed, others[number])


@pytest.mark.parametrize("seed", range(3))
def test_a_table_of_carnival_taken_up_in_its_middle_goes_on_as_before(seed):
    game, players = GAMES["carnival"], ("yellow", "violet", "black", "red")
    *_, (_, end) = played(game, 40, pick=random.Random(seed).choice)
    tokens = {p: sum(token.player == p for token in end.tokens) for p in players}
    start = Start(players, {}, game.layout(end), end.to_move, midgame=True, tokens=tokens)
    again = game.opening(start, built_in_set("carnival"))

    assert game.layout(again) == game.layout(end)
    assert {move for move in game.legal_moves(end) if move.at} <= set(game.legal_moves(again))
    assert again.snakes == end.snakes


@pytest.mark.parametrize("seed", range(8))
def test_a_table_of_sssnake_is_the_one_that_was_played(seed):
    game, options = GAMES["sssnake"], {"rolls": "trust"}
    rng = random.Random(seed)
    *_, (_, end) = played(game, rng.randrange(6, 24), pick=rng.choice, options=options)
    start = Start(("a", "b"), options, game.layout(end), midgame=True)
    again = game.opening(start, built_in_set("sssnake"))

    assert game.layout(again) == game.layout(end)
    assert game.inspect(again) == ()


def evening(name):
    data = json.loads((PLAYTHROUGHS / f"{name}.json").read_text(encoding="utf-8"))
    return [game["record"] for game in data["games"]]


def test_an_evening_of_sssnake_on_trust_is_the_one_without_its_rolls_and_scores_the_same():
    evenings = evening("sssnake_evening"), evening("sssnake_evening_on_trust")
    for told, trusted in zip(*evenings, strict=True):
        assert [m for m in told["moves"] if m["do"] != "roll"] == trusted["moves"]
    one, other = (series_of([referee_record(parse_record(r)) for r in each]) for each in evenings)

    assert one["totals"] == other["totals"] == {"anna": -7, "ben": -24, "cleo": -11}
    for game, same in zip(one["games"], other["games"], strict=True):
        assert [game[key] for key in ENDS] == [same[key] for key in ENDS]


def test_an_evening_of_carnival_scores_the_same_with_everything_said_and_on_trust():
    told, trusted = (
        json.loads((PLAYTHROUGHS / f"carnival_{name}.json").read_text("utf-8"))["games"][0]
        for name in ("evening", "evening_on_trust")
    )
    moves = told["record"]["moves"]

    assert told["record"]["options"] == {"hands": "ask"}
    assert sum("declares" in move for move in moves) > 10
    assert trusted["record"]["moves"] == [
        {key: value for key, value in move.items() if key != "declares"} for move in moves
    ]
    assert told["expect"]["over"]
    assert told["expect"]["scores"] == trusted["expect"]["scores"]

"""What every rule book must hold to, on random play."""

from __future__ import annotations

import copy
import random

import pytest

from engine.notation import read_layout, write_layout
from engine.record import Record, move_to_json, parse_move, parse_record, record_to_json
from tests.engine.playing import Variant, random_game, variants

VARIANTS = variants()
LOOKS = 12
"""Positions of a game that are looked at closely; all are played through."""


@pytest.fixture(params=VARIANTS, ids=str, scope="module")
def variant(request):
    return request.param


@pytest.fixture(scope="module")
def games(variant: Variant):
    """Return the steps of two random games: position, moves, and the move that was made."""
    return [list(random_game(variant, seed)) for seed in (1, 2)]


def some(steps, seed: int, count: int = LOOKS):
    """Return some of the steps of a game, the first and the last among them."""
    picked = set(random.Random(seed).sample(range(len(steps)), min(count, len(steps))))
    return [steps[i] for i in sorted(picked | {0, len(steps) - 1})]


def test_every_listed_move_is_judged_legal(variant: Variant, games):
    game = variant.game
    for position, moves, _ in some(games[0], 1):
        for move in random.Random(2).sample(moves, min(40, len(moves))):
            assert game.judge(position, move).violations == ()


def test_no_move_is_listed_twice_and_the_order_is_stable(variant: Variant, games):
    for position, moves, _ in some(games[1], 2):
        assert len(set(moves)) == len(moves)
        assert variant.game.legal_moves(position) == moves


def test_a_move_never_changes_the_position_it_was_given(variant: Variant, games):
    game = variant.game
    for position, _, move in some(games[0], 3):
        layout = copy.deepcopy(game.layout(position))
        to_move, outcome = position.to_move, game.outcome(position)
        game.apply(position, move)

        assert game.layout(position) == layout
        assert position.to_move == to_move
        assert game.outcome(position) == outcome


def test_score_lines_add_up_to_the_score(variant: Variant, games):
    game = variant.game
    for position, _, _ in some(games[1], 4):
        outcome = game.outcome(position)
        assert set(outcome.scores) == set(variant.players)
        for player, score in outcome.scores.items():
            lines = outcome.lines[player]
            assert all(line.why for line in lines)
            if score is not None:
                assert sum(line.points for line in lines) == score


def test_a_game_ends_with_winners_and_not_before(variant: Variant, games):
    game = variant.game
    *_, (position, _, move) = games[0]
    assert not game.outcome(position).over
    assert game.outcome(position).winners == ()

    outcome = game.outcome(game.apply(position, move))
    assert outcome.over
    assert outcome.winners


def test_a_pass_after_the_end_changes_nothing(variant: Variant, games):
    game = variant.game
    *_, (position, _, last) = games[1]
    end = game.apply(position, last)
    for player in variant.players:
        move = parse_move(
            game, variant.tile_set, variant.players, {"player": player, "do": "pass"}, "move"
        )
        assert game.judge(end, move).legal
        assert game.outcome(game.apply(end, move)) == game.outcome(end)


def test_a_pass_is_listed_alone_or_not_at_all_where_nothing_is_hidden(variant: Variant, games):
    if variant.game.facts.hidden:
        pytest.skip("a hidden hand may hold nothing that can be laid")
    for _, moves, _ in games[0]:
        assert not any(move.do == "pass" for move in moves) or len(moves) == 1


def test_moves_written_and_read_are_the_same(variant: Variant, games):
    game = variant.game
    for _, moves, _ in some(games[1], 8):
        for move in random.Random(3).sample(moves, min(20, len(moves))):
            written = move_to_json(move)
            assert parse_move(game, variant.tile_set, variant.players, written, "move") == move


def test_a_record_written_and_read_is_the_same(variant: Variant, games):
    game, tile_set = variant.game, variant.tile_set
    moves = tuple(move for _, _, move in games[0])
    written = record_to_json(Record(game, tile_set, parse_record_start(variant), moves))
    assert record_to_json(parse_record(written)) == written


def parse_record_start(variant: Variant):
    return parse_record(
        {
            "game": variant.game.facts.name,
            "players": list(variant.players),
            "options": variant.options,
            "moves": [],
        }
    ).start


def test_a_layout_written_in_one_line_and_read_is_the_same(variant: Variant, games):
    game = variant.game
    for position, _, _ in some(games[1], 10):
        layout = game.layout(position)
        assert read_layout(write_layout(layout), game.facts.lattice) == layout


def test_a_sound_game_leaves_nothing_to_complain_about(variant: Variant, games):
    game = variant.game
    for position, _, _ in some(games[0], 11):
        assert game.inspect(position) == ()


def test_whoever_moves_out_of_turn_is_told(variant: Variant, games):
    game = variant.game
    for position, moves, _ in some(games[1], 13, 4):
        for other in variant.players:
            if other == position.to_move or moves[0].do == "pass":
                continue
            move = parse_move(
                game,
                variant.tile_set,
                variant.players,
                {"player": other, "do": "pass"},
                "move",
            )
            rules = {broken.rule.id for broken in game.judge(position, move).violations}
            assert "not-your-turn" in rules


def test_rules_have_ids_sentences_and_sources(variant: Variant):
    rules = variant.game.facts.rules
    assert len({rule.id for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.id == rule.id.lower().replace(" ", "-")
        assert rule.text.endswith(".")
        assert rule.source

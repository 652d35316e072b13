"""The rule book and a second, naive referee agree on everything that players might try."""

from __future__ import annotations

import random

import pytest

from engine.record import move_to_json
from tests.engine.games.nest_tables import GAME, likely_move, near_legal_move, opening, settings
from tests.naive.schlangennest import NaiveSchlangennest

GAMES_PLAYED = 40
TRIES = 6
"""Moves that are tried in each position, beside those that are listed."""


def in_order(moves):
    return sorted(moves, key=lambda move: sorted((k, str(v)) for k, v in move.items()))


@pytest.mark.parametrize("seed", range(GAMES_PLAYED))
def test_both_referees_say_the_same(seed):
    rng = random.Random(seed)
    players, options, setup = settings(seed)
    position = opening(players, options, setup)
    naive = NaiveSchlangennest(players, options, setup)
    while True:
        moves = GAME.legal_moves(position)
        for move in (near_legal_move(rng, position) for _ in range(TRIES)):
            legal = GAME.judge(position, move).legal
            assert legal == naive.is_legal(move_to_json(move)), (
                move,
                naive.why(move_to_json(move)),
            )
        if rng.random() < 0.1 or len(moves) < 2:
            assert in_order(map(move_to_json, moves)) == in_order(naive.legal_moves())
        outcome = GAME.outcome(position)
        assert dict(outcome.scores) == naive.scores()
        assert outcome.over == naive.over()
        assert sorted(outcome.winners) == sorted(naive.winners())
        if not moves:
            break
        move = likely_move(rng, position, moves)
        position = GAME.apply(position, move)
        naive.play(move_to_json(move))

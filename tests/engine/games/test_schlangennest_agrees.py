"""The rule book and a second, naive referee agree on everything that players might try."""

from __future__ import annotations

import itertools
import random

import pytest

from engine.errors import RecordError
from engine.nest.position import COLOURS
from engine.record import move_to_json
from tests.engine.games.nest_tables import (
    CROSSING,
    GAME,
    frame,
    likely_move,
    near_legal_move,
    opening,
    settings,
)
from tests.naive.schlangennest import NaiveSchlangennest

GAMES_PLAYED = 20
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


def refuses(begin, error, *start):
    try:
        begin(*start)
    except error:
        return True
    return False


@pytest.mark.parametrize("two_snakes", ["off", "both", "one"])
def test_both_refuse_the_same_set_up_cards(two_snakes):
    seatings = [list(p) for n in (2, 3, 4) for p in itertools.permutations(COLOURS, n)]
    if two_snakes != "off":
        seatings = [players for players in seatings if len(players) == 2]
    asked = itertools.product(
        seatings, (("border", "fixed"), ("frame", True)), (CROSSING, frame(), None)
    )
    answers = set()
    for players, (name, value), setup in asked:
        chosen = {name: value, "two_snakes": two_snakes}
        refused = refuses(opening, RecordError, players, chosen, setup)
        assert refused == refuses(NaiveSchlangennest, ValueError, players, chosen, setup), players
        answers.add(refused)
    assert answers == ({True, False} if two_snakes == "off" else {True})

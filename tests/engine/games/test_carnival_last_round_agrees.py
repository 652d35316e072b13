"""Carnival's last round against the naive referee: every order of heads, hats and passes."""

import itertools
from typing import Any

import pytest

from engine.game import Move, Start
from engine.placement import Layout, Placement
from engine.record import move_to_json
from tests.engine.games.carnival_table import BOX, FOUR, GAME
from tests.naive.carnival import NaiveCarnival

EXITS = {"yellow": ((0, -1), 1), "violet": ((1, 0), 0), "black": ((0, 1), 1), "red": ((-1, 0), 0)}
HEADS = {"yellow": ((0, -2), 3), "violet": ((2, 0), 0), "black": ((0, 2), 1), "red": ((-2, 0), 2)}
FRONTS = {"yellow": (0, -3), "violet": (3, 0), "black": (0, 3), "red": (-3, 0)}
TWO, THREE = list(itertools.permutations(FOUR, 2)), list(itertools.permutations(FOUR, 3))
SEATINGS: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    *((players, {"snakes": 1}) for players in TWO),
    # Everybody begins, and every two sit side by side.
    *((players, {}) for players in TWO[::2]),
    *((players, {}) for players in THREE[::2]),
    (FOUR, {}),
    (FOUR[::-1], {}),
    ((FOUR[0], FOUR[2], FOUR[1], FOUR[3]), {}),
]


def grown(players, options, *more):
    """Return the same table for both referees: a straight at every exit in play."""
    naive = NaiveCarnival(list(players), options)
    laid = [Placement(f"{c}/straight", *EXITS[c]) for c in FOUR if c in naive.owner]
    laid += more
    tiles = [{"tile": p.tile, "at": list(p.at), "turns": p.turns} for p in laid]
    start = Start(tuple(players), options, Layout.of(*laid), midgame=True)
    return GAME.opening(start, BOX), NaiveCarnival(list(players), options, {"tiles": tiles})


def anything(players):
    """Return what anybody could try in a last round."""
    for player in players:
        yield Move(player, "pass")
        yield Move(player, "finale")
        for colour in FOUR:
            yield Move(player, "place", f"{colour}/head", *HEADS[colour])
            yield Move(player, "place", "hat/+3", FRONTS[colour], 0)


def agree(position, naive):
    outcome = GAME.outcome(position)
    assert outcome.over == naive.over()
    assert list(outcome.winners) == naive.winners()
    assert outcome.over or position.to_move == naive.to_move()
    for move in anything(position.players):
        legal = GAME.judge(position, move).legal
        assert legal == naive.is_legal(move_to_json(move)), (move, naive.why(move_to_json(move)))


def ways_on(position):
    """Return a pass, each head, and one hat: which hat lies where only changes points."""
    if GAME.outcome(position).over:
        return []
    moves = GAME.legal_moves(position)
    due = moves[:1] if position.last_round.phase == "hats" else moves
    return list(dict.fromkeys((Move(position.to_move, "pass"), *due)))


def standing(position):
    hatted = frozenset(hat.snake for hat in position.hats)
    return position.to_move, position.last_round, frozenset(position.cards), hatted


def compare_all(position, naive):
    """Play every row of moves to its end; return how many different standings were met."""
    waiting, met = [(position, naive)], set()
    while waiting:
        position, naive = waiting.pop()
        if standing(position) in met:
            continue
        met.add(standing(position))
        agree(position, naive)
        for move in ways_on(position):
            after = naive.copy()
            after.play(move_to_json(move))
            waiting.append((GAME.apply(position, move), after))
    return len(met)


def announced(player, position, naive):
    finale = Move(player, "finale")
    naive.play(move_to_json(finale))
    return GAME.apply(position, finale), naive


@pytest.mark.parametrize(("players", "options"), SEATINGS, ids=str)
def test_every_last_round_agrees_with_the_naive_referee(players, options):
    position, naive = announced(players[-1], *grown(players, options))

    assert compare_all(position, naive) > 10


@pytest.mark.parametrize("first", FOUR[1:])
def test_whoever_begins_the_last_round_it_agrees(first):
    position, naive = grown(FOUR, {})
    for player in FOUR[: FOUR.index(first)]:
        naive.play({"player": player, "do": "pass"})
        position = GAME.apply(position, Move(player, "pass"))
    position, naive = announced("yellow", position, naive)

    assert position.to_move == first
    compare_all(position, naive)


@pytest.mark.parametrize("players", [("yellow", "black"), FOUR[:3], FOUR], ids=len)
def test_with_a_blocked_end_every_last_round_agrees(players):
    gift = Placement("gift", (2, 0), 0)
    position, naive = announced(players[0], *grown(players, {}, gift))

    compare_all(position, naive)

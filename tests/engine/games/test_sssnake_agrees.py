"""Sssnake against a second, naive referee: random play, and moves that are nearly legal."""

import random

import pytest

from engine.game import EMPTY, Move, Start
from engine.games.sssnake import Sssnake
from engine.placement import Layout
from engine.record import layout_to_json, move_to_json
from engine.setfile import built_in_set
from tests.naive.sssnake import NaiveSssnake

GAME = Sssnake()
BOX = built_in_set("sssnake")
NO_CARDS = Layout()
TILES = ("straight", "curve", "crossing", "double-curve")
SHORT_PILE = {"straight": 54, "curve": 38, "crossing": 4, "double-curve": 2}
"""Cards that are out from the start, so that games reach the end of the pile."""
DOUBLE_PILE = {"straight": 50, "curve": 36}
"""The same, with all double cards still in."""


class FreeTrust(NaiveSssnake):
    """On trust, cards of one roll come one by one, so nobody knows whose turn it is."""

    TRUST_TURNS = "free"


def both(players, rolls="told", out=EMPTY, layout=NO_CARDS):
    start = Start(players, {"rolls": rolls}, layout, midgame=True, out=out)
    table = layout_to_json(layout)
    naive = FreeTrust(list(players), {"rolls": rolls}, table, None, out=dict(out))
    return GAME.opening(start, BOX), naive


def coils(players, chance):
    """Return a table on which everybody's ends are near each other."""
    position = GAME.opening(Start(players, {"rolls": "trust"}), BOX)
    for player in players:
        for _ in range(chance.randrange(4, 12)):
            moves = [move for move in GAME.legal_moves(position) if move.snake == player]
            missing = [(GAME.outcome(GAME.apply(position, m)).scores[player], m) for m in moves]
            some = [pair for pair in chance.choices(missing, k=3) if pair[0]]
            if some:
                position = GAME.apply(position, max(some, key=lambda pair: pair[0])[1])
    return GAME.layout(position)


def as_written(moves):
    """Return moves of records as sorted text."""
    return sorted(repr(sorted(move.items())) for move in moves)


def nearly(move, position, chance):
    """Return a legal move with one or two things changed."""
    changes = {"player": chance.choice(position.players)}
    if move.do in ("place", "discard"):
        changes["tile"] = chance.choice(TILES)
    if move.do == "place":
        x, y = move.at
        changes |= {
            "at": (x + chance.choice((-1, 0, 1)), y + chance.choice((-1, 0, 1))),
            "turns": chance.randrange(4),
            "snake": chance.choice(position.players),
        }
    if move.do == "roll":
        changes["value"] = chance.choice((1, 2, 3))
        changes["tiles"] = tuple(chance.choices(TILES, k=chance.choice((1, 2, 3))))
    fields = {
        name: getattr(move, name)
        for name in ("player", "do", "tile", "at", "turns", "snake", "value", "tiles")
    }
    for name in chance.sample(sorted(changes), min(len(changes), chance.choice((1, 1, 2)))):
        fields[name] = changes[name]
    return Move(**fields)


def other_move(position, chance):
    """Return something that a player might do at a wrong time."""
    player = chance.choice(position.players)
    return chance.choice(
        [
            Move(player, "pass"),
            Move(player, "discard", chance.choice(TILES)),
            Move(player, "roll", value=chance.choice((1, 2, 3))),
            Move(
                player,
                "place",
                chance.choice(TILES),
                chance.choice(((-1, 0), (2, 0), (0, 0))),
                chance.randrange(4),
                snake=chance.choice(position.players),
            ),
        ]
    )


def tightly(moves, chance):
    """Choose a move, rather one that coils the snake up, so that cards stop fitting."""
    some = chance.choices(moves, k=3)
    return min(some, key=lambda move: abs(move.at[0]) + abs(move.at[1]) if move.at else 0)


def untold(move, chance):
    """Forget the drawn cards now and then: they are known when laid."""
    if move.do == "roll" and chance.random() < 0.3:
        return Move(move.player, "roll", value=move.value)
    return move


def agree_on(position, naive, move):
    verdict = GAME.judge(position, move)
    assert verdict.legal == naive.is_legal(move_to_json(move)), (
        move,
        [v.rule.id for v in verdict.violations],
        naive.why(move_to_json(move)),
    )


def play_and_compare(seed, players, rolls="told", out=EMPTY, most_moves=60, coiled=False):
    """Play at random; return how many moves both have judged."""
    chance = random.Random(seed)
    layout = coils(players, chance) if coiled else NO_CARDS
    position, naive = both(players, rolls, out, layout)
    judged = 0
    for number in range(most_moves):
        legal = GAME.legal_moves(position)
        outcome = GAME.outcome(position)
        assert outcome.over == naive.over()
        assert dict(outcome.scores) == naive.scores()
        assert list(outcome.winners) == naive.winners()
        places = [move for move in legal if move.do != "discard"] if rolls == "trust" else legal
        if number % 4 == 0:
            assert as_written(map(move_to_json, places)) == as_written(naive.legal_moves())
            judged += len(legal)
        if outcome.over:
            break
        assert rolls == "trust" or position.to_move == naive.to_move()
        near = [nearly(chance.choice(legal), position, chance) for _ in range(6)]
        near += [other_move(position, chance) for _ in range(2)]
        for move in near:
            if rolls == "told" or move.do != "discard":
                agree_on(position, naive, move)
        judged += len(near)
        move = untold(tightly(places, chance), chance)
        naive.play(move_to_json(move))
        position = GAME.apply(position, move)
    return judged


def compare_games(seeds, *args, **kwargs):
    return sum(play_and_compare(seed, *args, **kwargs) for seed in range(seeds))


@pytest.mark.parametrize("players", ["ab", "abc", "abcd"])
def test_whole_games_agree_with_the_naive_referee(players):
    assert compare_games(1, tuple(players), most_moves=40) > 250


@pytest.mark.parametrize("players", ["ab", "abc", "abcd"])
def test_coiled_snakes_agree_with_the_naive_referee(players):
    assert compare_games(3, tuple(players), most_moves=20, coiled=True) > 250


@pytest.mark.parametrize("out", [SHORT_PILE, DOUBLE_PILE])
def test_games_to_the_end_of_the_pile_agree_with_the_naive_referee(out):
    assert compare_games(2, ("a", "b"), out=out, most_moves=200) > 400


@pytest.mark.parametrize("coiled", [False, True])
def test_rolls_on_trust_agree_with_the_naive_referee(coiled):
    assert compare_games(3, ("a", "b", "c"), "trust", most_moves=8, coiled=coiled) > 100

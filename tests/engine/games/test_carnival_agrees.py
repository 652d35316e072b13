"""Carnival against a second, naive referee: whole games, and moves that are nearly legal."""

import random
from dataclasses import replace

import pytest

from engine.errors import RecordError
from engine.game import Move, Start
from engine.placement import Layout, Placement
from engine.record import move_to_json
from tests.engine.games.carnival_table import BOX, FOUR, GAME
from tests.naive.carnival import NaiveCarnival

PAIRS = {"yellow": ["yellow", "red"], "black": ["black", "violet"]}
WHOLE_GAMES, BEGINNINGS, LAST_ROUNDS = 3, 12, 12
A_WHILE = 35
"""Moves of a game that is not played to its end."""
TASTES = {"any": ("place", "replace"), "grow": ("place",), "swap": ("replace",)}
"""What random players would rather do."""


def drawn(count):
    """Return the options of the game that a list of values decides, for a number of players."""
    listed = (option for option in GAME.facts.options if not option.more)
    return [option for option in listed if not option.players or count in option.players]


def both(chance, *hands):
    """Return the same game for both referees: players, options and the house at random."""
    players = chance.sample(FOUR, chance.choice((2, 3, 4)))
    options = {option.name: chance.choice(option.values) for option in drawn(len(players))}
    if hands:
        options["hands"] = chance.choice(hands)
    turns = chance.randrange(4)
    house = Layout.of(Placement("house", (0, 0), turns))
    naive = NaiveCarnival(players, options, [{"tile": "house", "at": [0, 0], "turns": turns}])
    return GAME.opening(Start(tuple(players), options, house), BOX), naive


def nearly(move, position, chance):
    """Return a legal move with one or two things changed."""
    x, y = move.at or (0, 0)
    dx, dy = chance.choice(((0, 1), (1, 0), (0, -1), (-1, 0), (0, 0)))
    changes = {
        "tile": chance.choice(list(BOX.kinds)),
        "at": chance.choice(((x + dx, y + dy), *position.cards)),
        "turns": chance.randrange(4),
        "do": chance.choice(("place", "replace")),
        "player": chance.choice(position.players),
        "declares": chance.choice((None, "no-own-tile")),
    }
    if move.at is None:
        return replace(move, player=changes["player"])
    for name in chance.sample(sorted(changes), chance.choice((1, 1, 2))):
        move = replace(move, **{name: changes[name]})
    return move


def agree_on(position, naive, move):
    verdict = GAME.judge(position, move)
    assert verdict.legal == naive.is_legal(move_to_json(move)), (
        move,
        [v.rule.id for v in verdict.violations],
        naive.why(move_to_json(move)),
    )


def agree_on_standing(position, naive):
    outcome = GAME.outcome(position)
    assert dict(outcome.scores) == naive.scores()
    assert outcome.over == naive.over()
    assert list(outcome.winners) == naive.winners()
    assert outcome.over or position.to_move == naive.to_move()
    assert GAME.inspect(position) == ()


def as_written(moves):
    return sorted(repr(sorted(move.items())) for move in moves)


def play(chance, position, naive, most_moves, tries):
    """Play on at random; both must say the same of every move, played or only tried."""
    taste = TASTES[chance.choice(sorted(TASTES))]
    for _ in range(most_moves):
        agree_on_standing(position, naive)
        moves = GAME.legal_moves(position)
        if chance.random() < 0.015 or not moves:
            assert as_written(map(move_to_json, moves)) == as_written(naive.legal_moves())
        if not moves:
            break
        for _ in range(tries):
            agree_on(position, naive, nearly(chance.choice(moves), position, chance))
        liked = [move for move in moves if move.do in taste]
        move = chance.choice(liked if liked and chance.random() < 0.8 else moves)
        if chance.random() < 0.03:
            move = Move(position.to_move, "pass")
        position = GAME.apply(position, move)
        naive.play(move_to_json(move))
    return position


@pytest.mark.parametrize("seed", range(WHOLE_GAMES))
def test_whole_games_agree_with_the_naive_referee(seed):
    chance = random.Random(seed)

    position, naive = both(chance)

    assert GAME.outcome(play(chance, position, naive, most_moves=400, tries=3)).over


@pytest.mark.parametrize("seed", range(BEGINNINGS))
def test_beginnings_agree_with_the_naive_referee(seed):
    chance = random.Random(seed)
    position, naive = both(chance)
    play(chance, position, naive, A_WHILE, tries=20)


@pytest.mark.parametrize("seed", range(LAST_ROUNDS))
def test_last_rounds_agree_with_the_naive_referee(seed):
    chance = random.Random(seed)
    position, naive = both(chance, "trust")
    for _ in range(12):
        move = chance.choice([m for m in GAME.legal_moves(position) if m.do == "place"])
        position = GAME.apply(position, move)
        naive.play(move_to_json(move))
    finale = Move(chance.choice(position.players), "finale")
    position = GAME.apply(position, finale)
    naive.play(move_to_json(finale))
    while moves := GAME.legal_moves(position):
        agree_on_standing(position, naive)
        for _ in range(10):
            agree_on(position, naive, nearly(chance.choice(moves), position, chance))
        move = chance.choice(moves) if chance.random() < 0.8 else Move(position.to_move, "pass")
        position = GAME.apply(position, move)
        naive.play(move_to_json(move))
    agree_on_standing(position, naive)


@pytest.mark.parametrize("seed", range(4))
def test_an_early_last_round_is_refused_only_where_the_naive_referee_refuses_it(seed):
    """The naive referee believes no announcement; ours is refused when it is surely wrong."""
    chance = random.Random(seed)
    players = chance.sample(FOUR, 3)
    position = GAME.opening(Start(tuple(players), {"hands": "ask"}), BOX)
    naive = NaiveCarnival(players, {"hands": "ask"})
    for _ in range(25):
        finale = Move(chance.choice(players), "finale")
        assert not GAME.judge(position, finale).legal
        assert not naive.is_legal(move_to_json(finale))
        move = chance.choice(GAME.legal_moves(position))
        position = GAME.apply(position, move)
        naive.play(move_to_json(move))


@pytest.mark.parametrize("players", [("yellow", "black"), FOUR[:3], FOUR], ids=len)
@pytest.mark.parametrize("colours", [None, PAIRS])
def test_one_snake_each_is_refused_where_the_naive_referee_refuses_it(players, colours):
    options = {"snakes": 1, **({"colours": colours} if colours else {})}
    refused = []
    for begin in (
        lambda: GAME.opening(Start(players, options), BOX),
        lambda: NaiveCarnival(list(players), options),
    ):
        try:
            begin()
        except (RecordError, ValueError):
            refused.append(begin)

    assert len(refused) == (0 if len(players) == 2 and not colours else 2)

"""Fields of Sssnake: big cards of any shape, their ends, and what fits."""

import random

import pytest

from engine.errors import RecordError
from engine.fields import bare_field
from engine.game import Start
from engine.games.sssnake import Sssnake
from engine.lattice import EDGE_NAMES
from engine.notation import read_layout
from engine.placement import Placement
from engine.record import move_to_json
from engine.setfile import parse_set
from engine.snakes import card
from tests.naive.sssnake import NaiveSssnake

GAME = Sssnake()
CARDS = """
format = 1
name = "own"
game = "sssnake"
lattice = "square"

[[tile]]
name = "straight"
count = 60
strands = [{ edges = "WE" }]

[[tile]]
name = "curve"
count = 48
strands = [{ edges = "WN" }]

[[tile]]
name = "crossing"
count = 8
strands = [{ edges = "WE" }, { edges = "NS" }]

[[tile]]
name = "double-curve"
count = 4
strands = [{ edges = "WN" }, { edges = "ES" }]
"""
BIG_CARD = """
[[tile]]
name = "big/{number}"
role = "big"
cells = {cells}
exits = [{exits}]
"""
EXIT = '{{ cell = {cell}, edge = "{edge}", name = "{name}" }}'

SQUARE = ([[0, 0]], ([0, 0], "W"), ([0, 0], "E"))
FLAT = ([[0, 0], [1, 0]], ([0, 0], "W"), ([1, 0], "E"))
TALL = ([[0, 0], [0, 1], [0, 2]], ([0, 0], "N"), ([0, 2], "W"))
ELL = ([[0, 0], [0, 1], [1, 1]], ([0, 0], "W"), ([1, 1], "N"))
HORSESHOE = ([[0, 0], [0, 1], [1, 1], [2, 1], [2, 0]], ([0, 0], "E"), ([2, 0], "W"))
BLIND = ([[0, 0], [1, 0]], ([0, 0], "W"), ([1, 0], "W"))


def box(shape):
    cells, tail, head = shape
    exits = ", ".join(
        EXIT.format(cell=cell, edge=edge, name=name)
        for (cell, edge), name in ((tail, "tail"), (head, "head"))
    )
    bigs = [BIG_CARD.format(number=n, cells=cells, exits=exits) for n in (1, 2)]
    return parse_set(CARDS + "".join(bigs), "own.toml")


def field(shape, turns=0):
    return bare_field(0, box(shape)["big/1"], Placement("big/1", (0, 0), turns, 0))


@pytest.mark.parametrize(
    ("shape", "missing"),
    [(SQUARE, 5), (FLAT, 6), (TALL, 5), (ELL, 5), (HORSESHOE, 1), (BLIND, None)],
)
@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_missing_cards_round_a_big_card_of_any_shape_however_it_lies(shape, missing, turns):
    route = field(shape, turns).route

    assert (None if route is None else len(route)) == missing


def test_exits_turn_with_the_card():
    assert field(ELL).ends == (((-1, 0), 1), ((1, 0), 2))
    assert field(ELL, 1).ends == (((0, -1), 2), ((0, 1), 3))


def test_snake_is_closed_in_the_notch_of_a_horseshoe():
    notched = field(HORSESHOE)
    straight = box(HORSESHOE)["straight"]

    assert notched.placements(straight, may_close=True) == [((1, 0), 0)]
    assert notched.placements(straight, may_close=False) == []
    assert notched.with_card((1, 0), card(straight, 0)).is_closed


def test_end_dies_at_a_side_of_the_big_card_without_an_exit():
    curve = box(ELL)["curve"]

    assert ((1, 0), 3) not in field(ELL).placements(curve, may_close=True)
    assert field(ELL).with_card((1, 0), card(curve, 3)).dead_ends == (((0, 0), 1),)


@pytest.mark.parametrize("shape", [SQUARE, TALL, ELL])
def test_games_with_any_big_card_agree_with_the_naive_referee(shape):
    chance = random.Random(4)
    cells, *exits = shape
    big = {"footprint": cells, "exits": [{"cell": c, "edge": e} for c, e in exits]}
    naive = NaiveSssnake(["a", "b"], big=big)
    position = GAME.opening(Start(("a", "b")), box(shape))
    for _ in range(25):
        moves = GAME.legal_moves(position)
        written = [move_to_json(move) for move in moves]
        assert sorted(map(repr, written)) == sorted(map(repr, map(in_order, naive.legal_moves())))
        assert dict(GAME.outcome(position).scores) == naive.scores()
        if not moves:
            break
        number = chance.randrange(len(moves))
        naive.play(written[number])
        position = GAME.apply(position, moves[number])


def in_order(move):
    keys = ("player", "do", "tile", "at", "turns", "snake", "value", "tiles")
    return {key: move[key] for key in keys if key in move}


@pytest.mark.parametrize("name", ["neck", "tail"])
def test_big_card_without_head_and_tail_is_a_bad_set(name):
    text = CARDS + BIG_CARD.format(
        number=1, cells=[[0, 0]], exits=EXIT.format(cell=[0, 0], edge="W", name=name)
    )
    with pytest.raises(RecordError, match="head"):
        GAME.opening(Start(("a",)), parse_set(text, "own.toml"))


def test_cells_the_snake_runs_through_leave_out_stray_cards():
    start = Start(("a", "b"), {}, read_layout("crossing@-1,0#0 curve@5,5#0"))
    stray = GAME.opening(start, box(ELL)).fields[0]

    assert stray.snake_cells == {(-1, 0)}
    assert [EDGE_NAMES[edge] for edge in stray.edges_faced((-2, 0))] == ["E"]


def test_card_on_top_of_another_cuts_the_snake():
    straight = box(FLAT)["straight"]
    long = field(FLAT).with_card((2, 0), card(straight, 0)).with_card((3, 0), card(straight, 0))

    assert long.with_card((2, 0), card(straight, 1)).dead_ends == (((2, 0), 3),)

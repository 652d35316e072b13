"""Cutting coloured hexes into tiles: examples, and random legal positions of both games."""

from __future__ import annotations

import random
from time import process_time

import pytest

from engine.decompose import decompose
from engine.game import Place, Start
from engine.games.snekagon import Snekagon
from engine.games.snekagon5g import Snekagon5G
from engine.hexposition import spots_of
from engine.hexsnakes import touching
from engine.lattice import hex_board
from engine.notation import read_layout, write_layout
from engine.placement import Layout
from engine.seen import Seen, notches
from engine.setfile import built_in_set
from tests.naive.snekagon import readings as naive_readings

BOX = built_in_set("snekagon")
BOX_5G = built_in_set("snekagon5g")
ROW_OF_THREE = {"red": [(0, 0), (1, 0), (2, 0)]}


def ways(found, colour="red"):
    """Return the readings of a colour in notation, the best first."""
    return [write_layout(Layout.of(*reading.pieces)) for reading in found.readings[colour]]


# --- examples


def test_all_readings_that_the_stock_allows_are_listed():
    found = decompose(ROW_OF_THREE, BOX)

    assert ways(found) == [
        "red/3/0@0,0+1,0+2,0",
        "red/1@0,0 red/2@1,0+2,0",
        "red/2@0,0+1,0 red/1@2,0",
    ]
    assert found.several
    assert found.complete


def test_a_stock_without_the_tile_leaves_the_others():
    found = decompose(ROW_OF_THREE, BOX, stock={**BOX.counts, "red/1": 0})

    assert ways(found) == ["red/3/0@0,0+1,0+2,0"]
    assert not found.several


def test_hexes_that_no_tiles_make_up_are_left_unexplained():
    apart = {"red": [(0, 0), (2, 0), (4, 0)], "green": [(0, 3)]}
    found = decompose(apart, BOX)

    assert found.readings["red"] == ()
    assert found.unexplained == ("red",)
    assert [piece.tile for piece in found.pieces] == ["green/1"]


def test_notches_decide():
    two_and_one: dict[Place, frozenset[int]] = {
        (0, 0): frozenset({1, 5}),
        (1, 0): frozenset({2, 4}),
        (2, 0): frozenset(),
    }
    found = decompose(ROW_OF_THREE, BOX, Seen(notches=two_and_one))

    assert ways(found)[0] == "red/2@0,0+1,0 red/1@2,0"
    assert len(ways(found)) == 3
    assert not found.several


def test_one_seam_may_be_enough_or_not():
    row = {"red": [(q, 0) for q in range(6)]}
    first: dict[frozenset[Place], bool] = {frozenset({(0, 0), (1, 0)}): True}
    second: dict[frozenset[Place], bool] = {
        frozenset({(1, 0), (2, 0)}): False,
        frozenset({(2, 0), (3, 0)}): True,
    }
    one = decompose(row, BOX, Seen(seams=first))
    both = decompose(row, BOX, Seen(seams=first | second))

    assert len(one.equally_good("red")) == 2
    assert one.several
    assert ways(both)[0] == "red/1@0,0 red/2@1,0+2,0 red/3/0@3,0+4,0+5,0"
    assert not both.several


def test_tiles_that_lay_there_before_are_believed_to_lie_there_still():
    last = read_layout("red/2@1,0+2,0", "hex")
    found = decompose(ROW_OF_THREE, BOX, Seen(last=last))

    assert ways(found)[0] == "red/1@0,0 red/2@1,0+2,0"
    assert not found.several


def test_a_tile_that_was_lifted_is_forgotten():
    last = read_layout("red/2@2,0+3,0", "hex")

    assert decompose(ROW_OF_THREE, BOX, Seen(last=last)).several


def test_open_clay_lies_on_an_end_and_opens_towards_the_body():
    row = {"blue": [(0, q, 0) for q in range(3)]}
    clay = read_layout("clay/open@1,0>E#0", "hex").clay
    found = decompose(row, BOX_5G, Seen(clay=clay))

    assert ways(found, "blue")[0] == "blue/1@0,0#0 blue/2@1,0+2,0#0"
    assert not found.several


def test_closed_clay_lies_on_a_single_hex():
    row = {"blue": [(0, 0, 0), (0, 1, 0)]}
    clay = read_layout("clay/closed@1,0#0", "hex").clay
    found = decompose(row, BOX_5G, Seen(clay=clay))

    assert all(reading.against for reading in found.readings["blue"])


def test_a_foul_is_read_like_anything_else():
    lying = read_layout("red/3/0@0,0+1,0+2,0 red/2@0,1+1,1", "hex")
    cells = {"red": [cell for piece in lying.pieces for cell in piece.cells]}
    seen: dict[Place, frozenset[int]] = {
        spot[1:]: notches(spot, spots_of(None, piece.cells))
        for piece in lying.pieces
        for spot in spots_of(None, piece.cells)
    }

    assert frozenset(decompose(cells, BOX, Seen(notches=seen)).pieces) == lying.pieces


def test_splits_show_where_readings_differ_and_nothing_else():
    cells = {"red": [(0, 0), (1, 0), (0, 3)], "green": [(4, 0)]}
    found = decompose(cells, BOX, stock={**BOX.counts, "red/1": 3})
    (split,) = found.splits()

    assert split.cells == ((0, 0), (1, 0))
    assert [[piece.tile for piece in way] for way in split.ways] == [["red/2"], ["red/1", "red/1"]]


def test_a_heap_does_not_take_for_ever_and_says_that_it_was_not_looked_through():
    heap = sorted(hex_board(4), key=lambda cell: (abs(cell[0]) + abs(cell[1]), cell))[:25]
    begin = process_time()
    found = decompose({"red": heap}, BOX)

    assert not found.complete
    assert process_time() - begin < 2


def test_nothing_is_nothing():
    assert decompose({}, BOX).pieces == ()
    assert decompose({"red": []}, BOX).pieces == ()


# --- random positions


def random_positions(game, players, seed):
    """Yield positions of a game that grows snakes as long as it can."""
    rng = random.Random(seed)
    position = game.opening(Start(players), built_in_set(game.facts.name))
    while moves := game.legal_moves(position):
        if moves[0].do == "place":
            some = rng.sample(moves, min(20, len(moves)))
            moves = [move for move in some if grows(position, move)] or some
        position = game.apply(position, rng.choice(moves))
        yield position


def grows(position, move):
    own = position.own[move.player]
    tile = spots_of(move.board, move.cells)
    return bool(move.origin) or any(touching(spot, own) for spot in tile)


def some(game, players):
    """Yield the last two positions of games, which have the most readings, and some before."""
    for seed in range(60):
        positions = list(random_positions(game, players, seed))
        yield from (*positions[seed % 8 : -2 : 8], *positions[-2:])


def cells_of(position):
    point = position.agreed.point
    return {colour: [point(spot) for spot in own] for colour, own in position.own.items()}


def all_notches(position):
    return {
        position.agreed.point(spot): notches(spot, tile)
        for piece in position.pieces
        for tile in (spots_of(piece.board, piece.cells),)
        for spot in tile
    }


GAMES = [(Snekagon(), ("red", "green")), (Snekagon5G(), ("yellow", "green"))]


@pytest.mark.parametrize(("game", "players"), GAMES, ids=["snekagon", "snekagon5g"])
def test_the_truth_is_among_the_readings_and_first_with_all_notches(game, players):
    box = built_in_set(game.facts.name)
    for position in some(game, players):
        cells = cells_of(position)
        found = decompose(cells, box)
        for colour in players:
            truth = frozenset(p for p in position.pieces if p.tile.startswith(f"{colour}/"))
            assert truth in [frozenset(reading.pieces) for reading in found.readings[colour]]
            for reading in found.readings[colour]:
                tiles = [piece.tile for piece in reading.pieces]
                assert all(tiles.count(tile) <= box.counts[tile] for tile in tiles)
        told = decompose(cells, box, Seen(notches=all_notches(position)))
        assert frozenset(told.pieces) == frozenset(position.pieces)
        assert not told.several


def test_the_readings_are_those_of_the_naive_cutter():
    game = Snekagon()
    stock = [kind.shape for kind in BOX.of_colour("red")]
    for seed in range(6):
        *_, position = random_positions(game, ("red", "green"), seed)
        cells = cells_of(position)
        ours = decompose({"red": cells["red"]}, BOX).readings["red"]
        theirs = naive_readings(cells["red"], stock)

        assert {frozenset((p.tile, p.cells) for p in reading.pieces) for reading in ours} == {
            frozenset((f"red/{tile}", tuple(part)) for tile, part in way) for way in theirs
        }
        assert len(ours) == len(theirs)


def test_a_board_without_any_notch_takes_at_most_50_ms():
    taken_s = []
    for seed in range(20):
        *_, position = random_positions(Snekagon(), ("red", "green"), seed)
        cells = cells_of(position)
        begin = process_time()
        decompose(cells, BOX)
        taken_s.append(process_time() - begin)

    assert sorted(taken_s)[-2] < 0.05

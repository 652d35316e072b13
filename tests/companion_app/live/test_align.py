import pytest

from companion_app.live.align import Aligner
from companion_app.live.places import contents
from engine.notation import read_layout
from engine.placement import Layout
from engine.record import layout_to_json
from engine.setfile import built_in_set
from vision.core.tables import TableState

NEST = built_in_set("schlangennest")
HEX = built_in_set("snekagon")
FIVE = built_in_set("snekagon5g")
CARDS = "blue/curve@0,0 red/curve@1,0^1 blue/straight@0,1^1 red/tail@1,1^2 blue/curve@0,2^3"
EYES = frozenset({(-1, -2), (3, -2)})
PIECES = "red/1@0,0 green/3/0@1,0+2,0+3,0 red/3/+@-1,0+-1,1+0,1"


def turned_cards(layout: Layout, turns: int, dx: int, dy: int) -> TableState:
    tiles = []
    for card in layout.cards:
        x, y = card.at
        for _ in range(turns):
            x, y = -y, x
        period = NEST[card.tile].period
        tiles.append(
            {
                "tile": card.tile,
                "at": [x + dx, y + dy],
                "turns": (card.turns + turns) % period,
                "confidence": 0.99,
            }
        )
    return TableState((9, 9), tuple(tiles))


def turned_pieces(layout: Layout, turns: int, shift: int = 0, boards: int = 1) -> TableState:
    tiles = []
    for piece in layout.pieces:
        cells = list(piece.cells)
        for _ in range(turns):
            cells = [(-r, q + r) for q, r in cells]
        entry = {"tile": piece.tile, "cells": [list(c) for c in cells], "confidence": 0.99}
        if piece.board is not None:
            entry["board"] = (piece.board + shift) % boards
        tiles.append(entry)
    return TableState((9, 9), tuple(tiles))


def believed(sighting):
    return {spot: belief.best for spot, belief in sighting.beliefs.items()}


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("shift", [(0, 0), (3, -7)])
def test_turned_and_shifted_cards_are_laid_over_the_known_ones(turns, shift):
    known = read_layout(CARDS)
    sighting = Aligner(NEST).sighting(turned_cards(known, turns, *shift), known)

    assert sighting is not None
    assert believed(sighting) == contents(known)


@pytest.mark.parametrize("turns", range(4))
def test_one_card_more_or_less_does_not_mislead(turns):
    known = read_layout(CARDS)
    more = read_layout(CARDS + " red/straight@2,0")
    less = Layout(frozenset(sorted(known.cards)[1:]))
    for table in (more, less):
        sighting = Aligner(NEST).sighting(turned_cards(table, turns, 5, 5), known)

        assert sighting is not None
        assert believed(sighting) == contents(table)


def test_another_table_is_not_taken_for_this_one():
    known = read_layout(CARDS)
    other = read_layout("yellow/curve@0,0 green/curve@1,0 yellow/straight@2,0 green/tail@2,1")

    assert Aligner(NEST).sighting(turned_cards(other, 0, 0, 0), known) is None


@pytest.mark.parametrize("turns", range(6))
def test_board_without_eyes_is_turned_back(turns):
    known = read_layout(PIECES, "hex")
    more = read_layout(PIECES + " green/1@-4,0", "hex")
    sighting = Aligner(HEX).sighting(turned_pieces(more, turns), known)

    assert sighting is not None
    assert believed(sighting) == contents(more)
    assert sighting.pieces == more.pieces


@pytest.mark.parametrize("shift", range(3))
def test_ring_of_boards_is_counted_from_the_known_one(shift):
    known = read_layout("blue/1@0,0#0 red/1@2,0#1 yellow/1@0,3#2", "hex")
    sighting = Aligner(FIVE, 3, EYES).sighting(turned_pieces(known, 0, shift, 3), known)

    assert sighting is not None
    assert sighting.pieces == known.pieces


PLACES_PX = {0: 0, 1: 500, 2: 1000}
"""By board: where it lies in the picture."""


def placed_pieces(layout: Layout, numbers: dict[int, int]) -> TableState:
    """Return tiles as they are seen, with the numbers that boards have in view."""
    tiles = []
    for piece in layout.pieces:
        assert piece.board is not None
        x = PLACES_PX[piece.board] + 20 * piece.cells[0][0]
        y = 20 * piece.cells[0][1]
        tiles.append(
            {
                "tile": piece.tile,
                "cells": [list(c) for c in piece.cells],
                "confidence": 0.99,
                "board": numbers[piece.board],
                "outline": [[x, y], [x + 20, y], [x + 20, y + 20], [x, y + 20]],
            }
        )
    return TableState((9, 9), tuple(tiles))


@pytest.mark.parametrize("covered", range(3))
def test_covered_board_does_not_rename_those_after_it(covered):
    known = read_layout("blue/1@0,0#0 red/1@2,0#1 yellow/1@0,3#2", "hex")
    aligner = Aligner(FIVE, 3, EYES)
    aligner.sighting(placed_pieces(known, {0: 0, 1: 1, 2: 2}), known)
    left = [board for board in range(3) if board != covered]
    seen = Layout(pieces=frozenset(p for p in known.pieces if p.board != covered))
    state = placed_pieces(seen, {board: number for number, board in enumerate(left)})
    sighting = aligner.sighting(state, known)

    assert sighting is not None
    assert sighting.pieces == seen.pieces


@pytest.mark.parametrize("seen_before", [True, False])
def test_tile_moved_to_the_next_board_is_no_covered_board(seen_before):
    known = read_layout("blue/1@0,0#0 red/1@2,0#2", "hex")
    aligner = Aligner(FIVE, 3, EYES)
    if seen_before:
        aligner.sighting(placed_pieces(known, {0: 0, 1: 1, 2: 2}), known)
    moved = read_layout("blue/1@0,0#0 red/1@2,0#1", "hex")
    sighting = aligner.sighting(placed_pieces(moved, {0: 0, 1: 1, 2: 2}), known)

    assert sighting is not None
    assert sighting.pieces == moved.pieces


PIECE = {"tile": "blue/1", "cells": [[0, 3]], "confidence": 0.99}
BEYOND = [
    TableState((9, 9), ({**PIECE, "board": 2},)),
    TableState((9, 9), clay=({"board": 2, "cell": [0, 3], "kind": "closed"},)),
    TableState((9, 9), splits=({"board": 2, "ways": [[PIECE]]},)),
]


@pytest.mark.parametrize("beyond", BEYOND, ids=["tile", "clay", "split"])
def test_board_beyond_those_in_play_makes_it_another_table(beyond):
    assert Aligner(FIVE, 3, EYES).sighting(beyond, Layout()) is not None
    assert Aligner(FIVE, 2, EYES).sighting(beyond, Layout()) is None


def test_pixels_decide_where_tiles_do_not():
    known = read_layout("blue/curve@0,0")
    aligner = Aligner(NEST)
    box = [[10, 10], [20, 10], [20, 20], [10, 20]]
    first = {"tile": "blue/curve", "at": [0, 0], "turns": 0, "outline": box}
    assert aligner.sighting(TableState((99, 99), (first,)), Layout()) is not None
    again = {**first, "at": [5, 5]}
    beside = {**first, "at": [4, 5], "outline": [[0, 10], [10, 10], [10, 20], [0, 20]]}
    sighting = aligner.sighting(TableState((99, 99), (beside, again)), known)

    assert sighting is not None
    assert set(sighting.beliefs) == {(0, 0, 0), (0, -1, 0)}


def test_new_tile_beside_a_covered_one_is_not_taken_for_it():
    aligner = Aligner(NEST)
    box = [[10, 10], [20, 10], [20, 20], [10, 20]]
    first = {"tile": "blue/curve", "at": [0, 0], "turns": 0, "outline": box}
    aligner.sighting(TableState((99, 99), (first,)), Layout())
    beside = {
        "tile": "red/tail",
        "at": [0, 0],
        "turns": 0,
        "outline": [[0, 10], [10, 10], [10, 20], [0, 20]],
    }
    swapped = {**beside, "outline": box}
    known = read_layout("blue/curve@0,0")

    assert aligner.sighting(TableState((99, 99), (beside,)), known) is None
    assert aligner.sighting(TableState((99, 99), (swapped,)), known) is not None


def test_entries_written_by_layouts_are_read_back():
    known = read_layout(CARDS)
    table = TableState((9, 9), tuple(layout_to_json(known)["tiles"]))

    sighting = Aligner(NEST).sighting(table, Layout())

    assert sighting is not None
    assert believed(sighting) == contents(known)


def filmed(layout: Layout, turns: int, away_px=()) -> TableState:
    """Return cards as a camera sees them 40 pixels apart, read by a lattice turned by so much."""
    away = dict(away_px)
    tiles = []
    for entry in turned_cards(layout, turns, 3, -2).tiles:
        x, y = entry["at"][0] - 3, entry["at"][1] + 2
        for _ in range(-turns % 4):
            x, y = -y, x
        dx = away.get(entry["tile"], 0)
        corners = [
            [40 * x + dx + a, 40 * y + b] for a, b in ((-20, -20), (20, -20), (20, 20), (-20, 20))
        ]
        ahead = (entry["turns"] - turns) % 4
        # An outline begins at the card's own upper left corner.
        tiles.append({**entry, "outline": corners[ahead:] + corners[:ahead]})
    return TableState((999, 999), tuple(tiles))


@pytest.mark.parametrize("turns", range(4))
def test_new_card_is_found_though_a_cup_hides_every_known_one(turns):
    # Schlangennest 10: the first three cards lay under one cup.
    known = read_layout("red/head@0,0^1 yellow/curve@1,0^3 blue/head@1,1^3")
    new = read_layout("green/tail@-1,1^3")
    aligner = Aligner(NEST)
    aligner.sighting(filmed(known, 0), known)

    sighting = aligner.sighting(filmed(new, turns), known)

    assert sighting is not None
    assert sighting.unmoored == {0}
    assert believed(sighting) == contents(new)
    assert aligner.sighting(filmed(new, turns, {"green/tail": 17}.items()), known) is None


def test_card_turned_where_it_lies_does_not_turn_the_other_one_around_it():
    # Sssnake 4: a big card and one curve, and the curve's vote counted as much.
    known = read_layout("red/head@0,0^1 blue/curve@1,0^1")
    now = read_layout("red/head@0,0^1 blue/curve@1,0^2")
    aligner = Aligner(NEST)
    aligner.sighting(filmed(known, 0), known)

    sighting = aligner.sighting(filmed(now, 0, {"red/head": 2}.items()), known)

    assert sighting is not None
    assert sighting.unmoored == frozenset()
    assert believed(sighting) == contents(now)


def test_card_of_a_field_whose_big_card_is_not_seen_does_not_hide_the_other_fields():
    # Sssnake 8: the open card of the pile was read as one of a snake far off.
    known = read_layout("big/1@0,0#0 big/2@0,0#1 big/3@0,0#2")
    seen = [{"tile": f"big/{n + 1}", "at": [0, 0], "turns": 0, "field": n} for n in (0, 1)]
    laid = {"tile": "curve", "at": [2, 0], "turns": 1, "field": 1}
    pile = {"tile": "double-curve", "at": [1, -1], "turns": 1, "field": 2}
    aligner = Aligner(built_in_set("sssnake"))

    sighting = aligner.sighting(TableState((99, 99), (*seen, laid, pile)), known)

    assert sighting is not None
    assert set(sighting.beliefs) == {(0, 0, 0), (1, 0, 0), (1, 2, 0)}
    assert sighting.covered == {(2, 0, 0)}
    assert aligner.sighting(TableState((99, 99), (pile,)), known) is None

"""Tiles under a cup: some of them seen in part, and the cup taken for a tile."""

from companion_app.live.covering import is_adrift, misses_board, with_covered
from companion_app.live.places import Belief, Sighting, Spot, contents
from engine.notation import read_layout
from engine.placement import Layout, Piece

KNOWN = read_layout("blue/4/00@0,0 red/2@-4,0", "hex")
BLUE = next(piece for piece in KNOWN.pieces if piece.tile == "blue/4/00")
ONE_CELL, *REST = sorted((0, *cell) for cell in BLUE.cells)


def seen(*hidden: Spot, more: tuple[Spot, ...] = (), half: tuple[Spot, ...] = ()) -> Sighting:
    lying = {spot: content for spot, content in contents(KNOWN).items() if spot not in hidden}
    lying |= dict.fromkeys(more, ("green", 0))
    beliefs = {spot: Belief(((content, 0.99),), sure=True) for spot, content in lying.items()}
    pieces = frozenset(Piece("green/1", (spot[1:],)) for spot in more)
    return Sighting(beliefs, pieces=pieces, half_hidden=frozenset(half))


def test_tile_of_which_a_part_is_seen_beside_a_cup_is_covered_whatever_the_cup_looks_like():
    look = with_covered(seen(*REST, half=(ONE_CELL,)), KNOWN, lambda spot: True)

    assert look.covered == set(REST)


def test_tile_whose_place_looks_bare_is_gone():
    assert with_covered(seen(ONE_CELL, *REST), KNOWN, lambda spot: True).covered == frozenset()
    assert with_covered(seen(ONE_CELL, *REST), KNOWN, lambda spot: None).covered == frozenset()


def test_single_hex_on_a_cup_is_left_out_and_one_far_off_is_not():
    near, far = (0, 1, 2), (0, -4, 5)
    look = with_covered(seen(ONE_CELL, *REST, more=(near, far)), KNOWN, lambda spot: False)

    assert near not in look.beliefs
    assert far in look.beliefs
    assert [piece.cells for piece in look.pieces] == [(far[1:],)]


def test_larger_tile_beside_a_cup_is_a_tile():
    pair = ((0, 1, 2), (0, 2, 2))
    look = with_covered(seen(ONE_CELL, *REST, more=pair), KNOWN, lambda spot: False)

    assert look.beliefs.keys() >= set(pair)


def test_single_hex_with_the_bare_board_around_it_is_a_tile_though_a_cup_is_near():
    near = (0, 1, 2)
    look = with_covered(
        seen(ONE_CELL, *REST, more=(near,)), KNOWN, lambda spot: False, lambda spot: True
    )

    assert near in look.beliefs


def test_single_hex_half_under_something_is_left_out_unless_it_is_known():
    speck = (0, -4, 5)
    look = with_covered(seen(more=(speck,), half=(speck,)), KNOWN, lambda spot: None)
    known = read_layout("green/1@-4,5 blue/4/00@0,0", "hex")

    assert speck not in look.beliefs
    assert look.pieces == frozenset()
    again = with_covered(seen(more=(speck,), half=(speck,)), known, lambda spot: None)
    assert speck in again.beliefs


def test_single_hex_half_under_something_stays_on_the_first_table():
    speck = (0, -4, 5)
    look = with_covered(seen(more=(speck,), half=(speck,)), Layout(), lambda spot: None)

    assert speck in look.beliefs


def test_board_of_which_nothing_is_seen_is_missed_only_if_several_tiles_lie_there():
    three = read_layout("blue/1@0,0#1 red/1@2,0#1 green/1@4,0#1 red/2@-4,0#0", "hex")
    one = read_layout("blue/1@0,0#1 red/2@-4,0#0", "hex")
    look = Sighting({(0, -4, 0): Belief(((("red", 0), 0.99),), sure=True)})

    assert misses_board(look, three)
    assert not misses_board(look, one)
    assert not misses_board(Sighting({(1, 0, 0): look.beliefs[0, -4, 0]}), three)


def test_new_card_alone_counts_only_while_every_known_one_lies_under_something():
    known = read_layout("red/head@0,0 blue/curve@1,0")
    look = Sighting(covered=frozenset({(0, 0, 0), (0, 1, 0)}), unmoored=frozenset({0}))

    assert not is_adrift(look, known)
    assert is_adrift(Sighting(covered=frozenset({(0, 0, 0)}), unmoored=frozenset({0})), known)
    assert not is_adrift(Sighting(), known)

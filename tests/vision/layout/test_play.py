"""Cards in play apart from sorted stocks; no picture is needed for that."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.setfile import built_in_set
from engine.tiles import TileSet
from vision.classify.reading import CellGuess, CellReading
from vision.core.lattice import fit_lattices
from vision.core.types import Detection, Detections, Guess, LatticeFit
from vision.layout.cards import CardGroup, SeenCard
from vision.layout.play import (
    NUMBERS,
    big_fields,
    game_fields,
    has_bigs,
    likely_in_play,
    numbers_of,
    play_signs,
    shipped_score,
)
from vision.layout.reconstruct import Reconstruction, reconstruct
from vision.layout.unread import Visible, hidden_outlines

PITCH = 50.0
NEST, CARNIVAL = built_in_set("schlangennest"), built_in_set("carnival")
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


def outline(x: float, y: float) -> np.ndarray:
    return np.asarray((UNIT + np.array([x, y]) + 10) * PITCH)


def read(text: str, tile_set=NEST) -> Reconstruction:
    """What is read of sure cards written ``x,y tile turns``, split by semicolons."""
    found, readings = [], []
    for card in text.split(";"):
        at, name, turns = card.split()
        x, y = map(float, at.split(","))
        found.append(Detection(outline(x, y), 0.95))
        readings.append(CellReading((CellGuess(name, 0, int(turns), 0.999),)))
    detections = Detections((1000, 1000), "square", tuple(found))
    return reconstruct(detections, fit_lattices(detections), readings, tile_set)


def row(names: str, x: float, y: float, step: float, turns: int = 0) -> str:
    cards = enumerate(names.split())
    return ";".join(f"{x + step * k},{y} {name} {turns}" for k, name in cards)


GREEN = row("green/curve green/head green/straight green/tail", -7, 5, 1.12)
RED = row("red/curve red/curve red/head red/straight red/tail", -2, -6, 1.12)


@pytest.mark.parametrize(
    "layout",
    [
        "0,0 blue/tail 1",
        "0,0 blue/tail 1;1,0 red/curve 2",
        "0,0 blue/tail 1;1,0 red/curve 2;1,1 red/head 0",
        "0,0 blue/curve 1;1,1 red/curve 2;0,2 green/tail 0;-1,1 yellow/tail 3",
    ],
    ids=["one-card", "two-cards", "three-cards", "four-cards-that-meet-at-corners"],
)
def test_first_cards_of_a_game_are_the_layout_among_stocks(layout):
    seen = read(f"{layout};{GREEN};{RED}")

    assert len(seen.tiles) == layout.count(";") + 1
    assert len(seen.aside) == 9


def test_where_only_stocks_lie_nothing_is_in_play():
    seen = read(f"{GREEN};{RED}")

    assert seen.tiles == seen.unsure == ()
    assert len(seen.aside) == 9


def test_neutral_cards_are_sorted_by_kind():
    hats = row("hat/+2 hat/+3 hat/-1 hat/-2", -2, -6, 1.12)

    seen = read(f"{hats};0,0 trouble/2 0;1,0 gift 0;0,1 violet/straight 1", CARNIVAL)

    assert {entry["tile"] for entry in seen.tiles} == {"trouble/2", "gift", "violet/straight"}


def test_cards_of_one_colour_are_a_layout_where_nothing_else_lies():
    seen = read("0,0 blue/straight 0;1,0 blue/straight 0;2,0 blue/tail 0")

    assert len(seen.tiles) == 3


def test_cards_of_one_colour_that_turn_as_a_snake_does_are_a_layout():
    snake = "0,0 blue/curve 2;1,0 blue/curve 3;1,1 blue/curve 0;0,1 blue/head 1"

    seen = read(f"{snake};{GREEN};{RED}")

    assert {entry["tile"] for entry in seen.tiles} == {"blue/curve", "blue/head"}


def test_snake_of_an_unused_colour_laid_across_the_field_is_a_layout():
    across = row("yellow/straight " * 5 + "yellow/tail", -2, 0, 1)

    seen = read(f"{across};{GREEN};{RED}")

    assert len(seen.tiles) == 6


def test_loose_row_that_makes_no_lattice_is_a_stock_all_the_same():
    loose = row("red/curve red/head red/straight", -1.5, 3, 1.5)

    seen = read(f"-1,0 blue/head 0;{loose}")

    assert [entry["tile"] for entry in (*seen.tiles, *seen.unsure)] == ["blue/head"]
    assert len(seen.aside) == 3


def test_outlines_apart_from_the_stocks_may_be_the_layout():
    stock = [outline(x, 5) for x in range(3)]
    near, far, large = outline(3.2, 5), outline(0, 0), outline(-5, 0) * 2
    every = Detections(
        (1000, 1000),
        "square",
        tuple(Detection(one, 0.9) for one in (*stock, near)),
        tuple(Detection(one, 0.3) for one in (far, large)),
    )

    hidden = hidden_outlines(every, stock)

    assert [one.tolist() for one in hidden] == [far.tolist()]


LAYOUT = "0,0 blue/tail 1;1,0 red/curve 2;1,1 red/head 0;0,1 blue/curve 1"


def test_snakes_that_go_on_beside_the_layout_are_lost_and_do_not_lie_aside_in_silence():
    laid = "-4,0 house 0;-3,0 violet/corner 2;-3,1 violet/corner 3;-4,1 violet/corner 1"
    beside = (
        "1,-1 violet/corner 1;0,0 red/straight 0;1,0 yellow/straight 0;2,0 red/corner 0;"
        "2,-1 log/straight 1;0,1 violet/corner 2;1,1 red/corner 3;0,-1 yellow/corner 1"
    )

    seen = read(f"{laid};{beside}", CARNIVAL)

    assert len(seen.tiles) == 4
    assert sum(len(group.cards) for group in seen.lost) == 8
    assert len(Visible.of(seen, (1000, 1000)).covered) == 8
    assert len(Visible.of(seen, (640, 1000)).cut_off) == 8


def test_stocks_are_not_lost():
    assert read(f"{LAYOUT};{GREEN};{RED}").lost == ()


# --- what the score looks at ---------------------------------------------------------------------


WIDE = 40.0
SSSNAKE = built_in_set("sssnake")
NOWHERE = LatticeFit({}, np.eye(3), 0.0)
SIZE_PX = (801, 601)


def seen(
    tile: str, x: float, y: float, turns: int = 0, sure: float = 0.999, **more: Any
) -> SeenCard:
    """Return a card in the cell that its middle lies in, a cell being 40 pixels wide."""
    at = (round(x), round(y))
    guesses = (Guess(tile, turns, sure),) if tile else ()
    return replace(SeenCard(at, (at,), guesses, (UNIT + np.array([x, y])) * WIDE), **more)


def big(number: int, x: float, y: float, **more: Any) -> SeenCard:
    """Return a big card of Sssnake, its first half in a cell."""
    (left, right), sure = ((round(x), round(y)), (round(x) + 1, round(y))), more.pop("sure", 0.999)
    outline = np.array([(-0.5, -0.5), (1.5, -0.5), (1.5, 0.5), (-0.5, 0.5)]) + np.array([x, y])
    guesses = (Guess(f"big/{number}", 0, sure),)
    return replace(SeenCard(left, (left, right), guesses, outline * WIDE), **more)


def group(*cards: SeenCard) -> CardGroup:
    return CardGroup(cards, NOWHERE)


def numbers(
    *groups: CardGroup, tile_set: TileSet = NEST, size_px: tuple[int, int] = SIZE_PX
) -> list[dict[str, float]]:
    """Return what the score looks at of each lattice, by name."""
    rows = numbers_of(groups, tile_set, size_px)
    return [dict(zip(NUMBERS, row.tolist(), strict=True)) for row in rows]


def test_lattice_is_told_by_its_size_its_joints_its_colours_and_what_lies_elsewhere():
    straights = group(*(seen("blue/straight", x, 0.0) for x in (0.0, 1.1, 2.3)))

    (row,) = numbers(straights)

    middle = np.array([1.1333333 * WIDE, 0.0]) - np.array([400.0, 300.0])
    assert row == pytest.approx(
        {
            "size": math.log(3),
            "widest": 0.0,
            "gaps": 0.15,
            "joined": 1.0,
            "own": 1.0,
            "broken": 0.0,
            "alike": 1.0,
            "bent": 0.0,
            "family": 1.0,
            "anchors": 0.0,
            "sides": 2 / 3,
            "space": 0.2,
            "same_way": 0.0,
            "away": math.hypot(*middle) / 500,
            "elsewhere": 0.0,
            "larger": math.log(3),
            "near": 8.0,
            "near_alike": 0.0,
            "kin": 8.0,
            "central": 0.0,
            "rival": 0.0,
            "families": math.log(4),
        }
    )


def test_where_nothing_lies_nothing_is_told():
    assert numbers_of((), NEST, SIZE_PX).shape == (0, len(NUMBERS))


def test_space_is_the_usual_one_and_a_whole_card_where_none_lies_beside_another():
    spread = group(*(seen("blue/straight", x, 0.0) for x in (0.0, 1.05, 2.2, 3.45)))
    alone = group(seen("blue/straight", 0.0, 0.0))

    assert [row["space"] for row in numbers(spread, alone)] == pytest.approx([0.15, 1.0])


def test_cards_are_turned_the_same_way_as_most_of_those_of_which_that_is_seen():
    turned = group(
        seen("blue/curve", 0, 0, 1),
        seen("red/curve", 2, 0, 1),
        seen("red/head", 4, 0, 2),
        seen("blue/straight", 6, 0, 1),
        seen("back", 8, 0, 3),
        seen("", 10, 0),
    )

    (row,) = numbers(turned)

    assert row["same_way"] == pytest.approx(2 / 3)


def test_lattice_in_the_middle_of_the_picture_is_not_away():
    (middle, corner) = numbers(group(seen("blue/curve", 10, 7.5)), group(seen("blue/curve", 0, 0)))

    assert (middle["away"], corner["away"]) == pytest.approx((0.0, 1.0))


def test_other_lattices_count_by_all_their_cards_and_by_the_largest_of_them():
    own = group(*(seen("blue/straight", x, 0) for x in range(3)))
    two = group(*(seen("red/straight", x, 6) for x in range(2)))
    four = group(*(seen("blue/straight", x, 12) for x in range(4)))

    row, other, _ = numbers(own, two, four)

    assert row["elsewhere"] == pytest.approx(math.log1p(6))
    assert row["larger"] == pytest.approx(math.log(3 / 5))
    assert other["elsewhere"] == pytest.approx(math.log1p(7))
    assert other["larger"] == pytest.approx(math.log(2 / 5))


@pytest.mark.parametrize(("away", "near"), [(1.5, 1.5), (7.9, 7.9), (8.4, 8.0)])
def test_how_near_the_next_lattice_lies_counts_up_to_eight_cards(away, near):
    own = group(seen("blue/straight", 0, 0), seen("blue/straight", 1, 0))
    far = group(seen("red/straight", 1, 19), seen("red/straight", 2, 19))
    next_one = group(
        seen("red/straight", 1 + away, 0), seen("blue/curve", 16, 0), seen("red/head", 17, 0)
    )

    row, _, back = numbers(own, far, next_one)

    assert row["near"] == pytest.approx(near)
    assert back["near"] == pytest.approx(near)


def test_nearest_lattice_of_the_same_colour_is_its_kin():
    own = group(seen("blue/straight", 0, 0))
    red, blue = group(seen("red/curve", 1.5, 0)), group(seen("blue/head", 0, 4))

    rows = numbers(own, red, blue)

    assert [row["kin"] for row in rows] == pytest.approx([4.0, 8.0, 4.0])


def test_lattice_is_central_by_how_much_nearer_to_the_middle_it_lies_than_all_others():
    near, far = group(seen("blue/curve", 10, 7.5)), group(seen("blue/curve", 0, 0))
    farther = group(seen("blue/curve", 20, 22.5))

    rows = numbers(near, far, farther)

    assert [row["central"] for row in rows] == pytest.approx(
        [1.0, -1.0, rows[0]["away"] - rows[2]["away"]]
    )


def test_snake_that_bends_elsewhere_makes_a_rival():
    bent = group(seen("blue/straight", 0, 0), seen("blue/curve", 1, 0, 3))
    row = group(*(seen("red/straight", x, 6) for x in range(2)))

    own, other = numbers(bent, row)

    assert (own["bent"], own["rival"]) == (1.0, 0.0)
    assert (other["bent"], other["rival"]) == (0.0, 1.0)


@pytest.mark.parametrize(("rival", "laid"), [(0.3, 1.0), (0.6, 6 / 7), (0.985, 1.0)])
def test_lone_card_is_doubted_as_far_as_another_lattice_may_be_the_layout(rival, laid):
    card, other = group(seen("blue/head", 0, 0)), group(seen("red/head", 4, 0))

    (field,) = game_fields({card: 0.99 if rival > 0.98 else 0.9, other: rival}, NEST)

    assert field.laid == pytest.approx(laid, abs=1e-3)


def test_cards_that_were_laid_to_each_other_are_not_doubted_for_another_lattice():
    two = group(seen("blue/head", 0, 0), seen("blue/curve", 1, 0))

    (field,) = game_fields({two: 0.7, group(seen("red/head", 4, 0)): 0.6}, NEST)

    assert (field.group, field.laid) == (two, 1.0)


def test_how_near_the_next_lattice_lies_is_counted_in_cells_of_a_big_card():
    own = group(big(1, 0, 0))
    other = group(seen("straight", 2.5, 0))

    row, back = numbers(own, other, tile_set=SSSNAKE)

    assert (row["near"], back["near"]) == pytest.approx((2.0, 2.0))
    assert (row["anchors"], back["anchors"]) == (1.0, 0.0)


def test_next_lattice_is_alike_where_most_of_its_cards_are_of_the_same_colour():
    own = group(seen("blue/straight", 0, 0), seen("blue/curve", 1, 0), seen("red/curve", 2, 0))
    alike = group(seen("red/head", 0, 2), seen("blue/head", 1, 2), seen("blue/tail", 2, 2))
    other = group(seen("red/head", 0, 8), seen("red/tail", 1, 8))

    rows = numbers(own, other, alike)

    assert [row["near_alike"] for row in rows] == [1.0, 0.0, 1.0]
    assert rows[0]["family"] == pytest.approx(2 / 3)


def test_cards_that_lie_face_down_are_of_no_colour():
    shown, hidden = group(seen("blue/straight", 0, 0)), group(seen("back", 2, 0))

    assert [row["near_alike"] for row in numbers(shown, hidden)] == [0.0, 0.0]
    assert [row["family"] for row in numbers(shown, hidden)] == [1.0, 0.0]


def test_colours_of_a_box_are_counted():
    blue = {name: kind for name, kind in NEST.kinds.items() if kind.colour == "blue"}
    lone = group(seen("blue/straight", 0, 0))

    assert numbers(lone, tile_set=replace(NEST, kinds=blue))[0]["families"] == 0.0


def test_lattices_that_show_a_card_are_as_likely_in_play_as_the_score_says():
    shown = group(seen("blue/tail", 10, 7, 1), seen("red/curve", 11, 7, 2))
    other = group(*(seen("green/curve", x, 13) for x in range(4)))
    hidden = group(seen("back", 0, 0), seen("back", 1, 0))

    likely = likely_in_play(play_signs([hidden, shown, other], NEST, SIZE_PX))

    assert list(likely) == [shown, other]
    scores = shipped_score().shares(numbers_of([shown, other], NEST, SIZE_PX))
    assert list(likely.values()) == scores.tolist()
    assert likely[shown] > 0.5 > likely[other]


# --- which lattices are the game's ---------------------------------------------------------------


def test_only_a_game_of_fields_has_big_cards():
    assert [has_bigs(box) for box in (SSSNAKE, NEST, CARNIVAL)] == [True, False, False]


def fields_of(likely: dict[CardGroup, float], tile_set: TileSet = NEST) -> list[CardGroup]:
    return [field.group for field in game_fields(likely, tile_set)]


def test_of_several_lattices_the_likeliest_is_the_games():
    one, other = group(seen("blue/tail", 0, 0)), group(seen("red/tail", 9, 0))

    assert fields_of({}) == []
    assert fields_of({one: 0.3, other: 0.7}) == [other]
    assert game_fields({one: 0.3}, NEST)[0].number is None


def test_of_lattices_that_surely_are_in_play_the_largest_is_the_games():
    small = group(seen("blue/tail", 0, 0))
    large = group(seen("red/tail", 9, 0), seen("red/head", 10, 0))

    assert fields_of({small: 0.999, large: 0.985}) == [large]
    assert fields_of({small: 0.999, large: 0.975}) == [small]


@pytest.mark.parametrize(("likely", "fields"), [(0.1, 1), (0.099, 0)])
def test_lattice_that_is_hardly_in_play_is_none(likely, fields):
    assert len(fields_of({group(seen("blue/tail", 0, 0)): likely})) == fields


def test_lattice_with_the_house_is_the_games_and_of_several_the_largest():
    home = group(seen("house", 0, 0))
    larger = group(seen("house", 9, 0), seen("violet/straight", 10, 0))
    likelier = group(*(seen("violet/corner", x, 9) for x in range(4)))

    assert fields_of({home: 0.01, likelier: 0.99}, CARNIVAL) == [home]
    assert fields_of({home: 0.9, larger: 0.01, likelier: 0.99}, CARNIVAL) == [larger]


# --- Sssnake's fields ----------------------------------------------------------------------------


def field(number: int, y: float, cards: int = 0, x: float = 0.0, **more: Any) -> CardGroup:
    """Return a big card with a row of cards laid to it."""
    laid = [seen("straight", x + 2 + n, y) for n in range(cards)]
    return group(big(number, x, y, **more), *laid)


def played(*groups: CardGroup) -> list[int | None]:
    """Return whose fields are played with, from 0."""
    fields = list(big_fields(groups, SSSNAKE))
    assert all(field.group in groups for field in fields)
    return [field.number for field in fields]


def test_fields_are_told_by_their_big_cards_in_their_order():
    assert played() == []
    assert played(group(seen("straight", 0, 0))) == []
    assert played(field(3, 0, 1), field(1, 3, 2), field(2, 6, 1)) == [0, 1, 2]
    assert [
        f.number for f in game_fields({field(2, 0, 1): 0.01, field(1, 3, 1): 0.01}, SSSNAKE)
    ] == [0, 1]


def test_of_two_lattices_with_the_same_big_card_the_one_with_more_sure_cards_counts():
    small, large, as_large = field(1, 0, 1), field(1, 3, 2), field(1, 6, 2)
    doubted = group(big(1, 0, 9), *(seen("straight", 2 + n, 9, sure=0.79) for n in range(5)))

    for groups in ((small, large), (large, small), (large, as_large), (doubted, large)):
        assert [one.group for one in big_fields(groups, SSSNAKE)] == [large]
    told = group(big(1, 0, 9), *(seen("straight", 2 + n, 9, sure=0.8) for n in range(5)))
    assert [one.group for one in big_fields((large, told), SSSNAKE)] == [told]


def test_big_card_before_another_that_grew_is_in_play_wherever_it_lies():
    far = field(1, 100)

    assert played(far, field(3, 0, 1)) == [0, 2]
    assert played(far, field(3, 0)) == [0, 2]


def test_big_card_that_grew_is_in_play_wherever_it_lies():
    assert played(field(1, 0, 3), field(2, 2, 3), field(3, 100, 1)) == [0, 1, 2]


def test_two_play_at_least_those_with_the_first_numbers():
    assert played(field(2, 0), field(4, 100), field(3, 200)) == [1, 2]
    assert played(field(4, 0, 1), field(2, 100), field(3, 200)) == [1, 2, 3]


def test_fields_before_one_that_grew_are_of_the_two_that_play_at_least_though_they_are_not_seen():
    assert played(field(3, 0, 3), field(4, 100)) == [2]
    assert played(field(2, 0, 1), field(3, 100)) == [1]
    assert played(field(1, 0, 1), field(3, 100)) == [0, 2]


def test_big_card_that_the_edge_cuts_is_none_of_the_two_that_play_at_least():
    assert played(field(2, 0), field(3, 100, cut_off=True), field(4, 200)) == [1, 3]
    assert played(field(1, 0), field(2, 100, cut_off=True), field(3, 200)) == [0, 2]


def test_where_two_play_for_sure_nobody_else_is_supposed_to():
    assert played(field(1, 0), field(3, 2, cut_off=True), field(4, 200)) == [0, 2]


def test_big_card_without_cards_is_played_with_near_another_field_only():
    two = field(1, 0, 2), field(2, 2, 2)

    assert played(*two, field(3, 5)) == [0, 1, 2]
    assert played(*two, field(3, 5.05)) == [0, 1]
    assert played(*two, field(3, 4, x=1)) == [0, 1, 2]


def spun(card: SeenCard, deg: float) -> SeenCard:
    turn = math.radians(deg)
    spin = np.array([(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))])
    middle = card.centre_px
    return replace(card, outline_px=(card.outline_px - middle) @ spin + middle)


@pytest.mark.parametrize(("deg", "numbers"), [(17.0, [0, 1, 2]), (19.0, [0, 1])])
def test_big_card_without_cards_lies_as_straight_as_other_big_cards(deg, numbers):
    assert played(field(1, 0, 2), field(2, 2, 2), group(spun(big(3, 0, 4.5), deg))) == numbers


@pytest.mark.parametrize(
    ("first", "second", "numbers"),
    [(3, 3, [0, 1, 2]), (4, 2, [0, 1, 2]), (4, 3, [0, 1]), (5, 1, [0, 1]), (4, 4, [0, 1])],
)
def test_big_card_without_cards_is_played_with_until_its_turn_has_come(first, second, numbers):
    assert played(field(1, 0, first), field(2, 2, second), field(3, 4)) == numbers


@pytest.mark.parametrize(
    "changed",
    [{"tile": "back"}, {"sure": 0.49}, {"laid": 0.79}, {"tile": "big/1"}, {"why": "glare"}],
)
def test_only_cards_that_surely_were_laid_count_as_a_turn(changed):
    doubtful = {"tile": "straight", **changed}
    row = [seen(x=2.0 + n, y=0.0, **doubtful) for n in range(7)]

    assert played(group(big(1, 0, 0), *row), field(2, 2, 1), field(3, 4)) == [0, 1, 2]
    surely = [seen("straight", 2.0 + n, 0.0, sure=0.5, laid=0.8) for n in range(7)]
    assert played(group(big(1, 0, 0), *surely), field(2, 2, 1), field(3, 4)) == [0, 1]


def test_big_card_after_a_number_that_is_not_seen_is_unused_unless_the_edge_cuts_fields():
    one = field(1, 0, 2)
    cut = group(*field(2, 2, 1).cards[:1], seen("straight", 2, 2, cut_off=True))

    assert played(one, field(2, 2, 1), field(4, 4)) == [0, 1]
    assert played(one, cut, field(4, 4)) == [0, 1, 3]
    assert played(one, field(2, 2, 1), field(4, 4, cut_off=True)) == [0, 1, 3]


def test_unused_big_cards_say_nothing_for_one_another():
    assert played(field(1, 0, 2), field(2, 2, 2), field(3, 30), field(4, 32)) == [0, 1]

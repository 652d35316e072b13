"""From outlines and readings to a table state; no picture is needed for that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.reading import CellGuess, CellReading
from vision.core.ground import Ground
from vision.core.lattice import fit_lattices
from vision.core.types import Detection, Detections
from vision.layout.around import Sight
from vision.layout.reconstruct import reconstruct, reconstruct_unknown

PITCH = 50.0
NEST, CARNIVAL, SSSNAKE = (built_in_set(n) for n in ("schlangennest", "carnival", "sssnake"))


def square(x: float, y: float, roll: int = 0) -> np.ndarray:
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * PITCH
    return np.roll(corners + np.array([300 + x * PITCH, 300 + y * PITCH]), -roll, axis=0)


def table(text: str, sure: float = 0.995, roll: int = 0):
    """Detections and readings of cards written ``x,y tile turns``, split by semicolons.

    ``roll`` says with which corner each outline begins; the reading is turned against it.
    """
    found, readings = [], []
    for card in text.split(";"):
        at, name, turns = card.split()
        x, y = (float(v) for v in at.split(","))
        tile, _, cell = name.partition("#")
        found.append(Detection(square(x, y, roll), 0.95))
        guess = CellGuess(tile, int(cell or 0), (int(turns) - roll) % 4, sure)
        readings.append(CellReading((guess,)))
    return Detections((600, 600), "square", tuple(found)), readings


def read(text: str, tile_set=NEST, roll: int = 0):
    detections, readings = table(text, roll=roll)
    return reconstruct(detections, fit_lattices(detections), readings, tile_set)


def relative(entries) -> set[tuple[str, int, int, int]]:
    """Cards counted from the upper left one of the lattice."""
    left = min(e["at"][0] for e in entries)
    top = min(e["at"][1] for e in entries)
    return {(e["tile"], e["at"][0] - left, e["at"][1] - top, e["turns"]) for e in entries}


def test_nothing_found_is_an_empty_table():
    nothing = Detections((640, 480), "square", ())

    assert reconstruct(nothing, [], [], NEST).tiles == ()
    assert reconstruct_unknown(nothing, []).tiles == ()


@pytest.mark.parametrize("roll", range(4))
def test_turns_count_from_the_lattice_wherever_outlines_begin(roll):
    seen = read("0,0 blue/curve 1;1,0 blue/head 2;0,1 red/tail 3", roll=roll)

    found = {(t, u) for t, _, _, u in relative(seen.tiles)}
    turned = [
        {("blue/curve", (1 + k) % 4), ("blue/head", (2 + k) % 4), ("red/tail", (3 + k) % 4)}
        for k in range(4)
    ]
    assert found in turned


def test_outline_begins_at_the_upper_left_corner_of_the_print():
    detections, readings = table("0,0 blue/curve 1")

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST)

    assert seen.tiles[0]["outline"][0] == pytest.approx(square(0, 0)[1])


def test_stock_that_lies_apart_is_aside():
    layout = "0,0 blue/straight 0;1,0 blue/curve 0;0,1 red/straight 1"
    stock = ";".join(f"{-4 + 1.25 * k},4 red/curve 0" for k in range(5))

    seen = read(f"{layout};{stock}")

    assert len(seen.tiles) == 3
    assert [e["tile"] for e in seen.aside] == ["red/curve"] * 5


def test_face_down_card_is_a_back_aside():
    seen = read("0,0 blue/straight 0;1,0 blue/curve 0;2,0 back 0")

    assert [e["tile"] for e in seen.aside] == ["back"]
    assert len(seen.tiles) == 2


@pytest.mark.parametrize("front", ["blue/curve", "blue/head"])
def test_card_that_may_be_face_down_stays_in_the_layout_and_is_asked_about(front):
    detections, readings = table("0,0 blue/head 0;1,0 blue/straight 0;2,0 blue/curve 0")
    readings[2] = CellReading((CellGuess("back", 0, 0, 0.5), CellGuess(front, 0, 1, 0.1)))

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST)

    assert (len(seen.tiles), len(seen.aside)) == (2, 0)
    assert {tile for tile, _ in seen.unsure[0]["guesses"]} == {"back", front}


def test_card_of_which_the_box_has_no_more_is_not_told_as_a_face_down_one_in_the_layout():
    detections, readings = table("0,0 blue/head 0;1,0 blue/straight 0;2,0 blue/curve 0")
    readings[2] = CellReading((CellGuess("back", 0, 0, 0.7), CellGuess("blue/head", 0, 1, 0.3)))

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST)

    assert [e["tile"] for e in seen.tiles] == ["blue/head", "blue/straight"]
    assert len(seen.unsure) == 1


def test_house_lies_at_the_origin_unturned():
    seen = read("1,1 house 3;1,0 red/straight 1;2,1 yellow/corner 0", CARNIVAL)

    house = next(e for e in seen.tiles if e["tile"] == "house")
    assert (house["at"], house["turns"]) == ([0, 0], 0)


def test_gift_has_no_turns():
    seen = read("0,0 house 0;1,0 gift 2", CARNIVAL)

    assert next(e["turns"] for e in seen.tiles if e["tile"] == "gift") == 0


def test_big_card_is_one_card_from_two_cells():
    seen = read("0,0 big/2#0 0;1,0 big/2#1 0;2,0 straight 0;2,1 curve 1", SSSNAKE)

    big = next(e for e in seen.tiles if e["tile"] == "big/2")
    assert (big["at"], big["turns"], big["field"]) == ([0, 0], 0, 1)
    assert big["outline"] == pytest.approx(
        np.array([square(0, 0)[0], square(1, 0)[1], square(1, 0)[2], square(0, 0)[3]])
    )
    assert len(seen.tiles) == 3


@pytest.mark.parametrize(
    ("second", "straight", "at"),
    [("0,1", "0,2", [2, 0]), ("-1,0", "-2,0", [2, 0]), ("0,-1", "0,-2", [2, 0])],
)
def test_field_is_turned_to_its_big_card(second, straight, at):
    turns = {"0,1": 1, "-1,0": 2, "0,-1": 3}[second]
    text = f"0,0 big/1#0 {turns};{second} big/1#1 {turns};{straight} straight {turns % 2}"

    seen = read(text, SSSNAKE)

    card = next(e for e in seen.tiles if e["tile"] == "straight")
    assert (card["at"], card["turns"]) == (at, 0)


def test_fields_are_told_apart_by_their_big_cards():
    one = "-4,-4 big/1#0 0;-3,-4 big/1#1 0;-2,-4 straight 0;-5,-4 straight 0"
    other = "0,3 big/2#0 0;1,3 big/2#1 0;2,3 curve 0"

    seen = read(f"{one};{other}", SSSNAKE)

    assert sorted((e["field"], e["tile"]) for e in seen.tiles) == [
        (0, "big/1"),
        (0, "straight"),
        (0, "straight"),
        (1, "big/2"),
        (1, "curve"),
    ]


def test_unused_big_card_far_off_is_aside():
    one = "-4,-4 big/1#0 0;-3,-4 big/1#1 0;-2,-4 straight 0"
    other = "-4,-1 big/2#0 0;-3,-1 big/2#1 0;-2,-1 straight 0"

    seen = read(f"{one};{other};4,5 big/3#0 0;5,5 big/3#1 0", SSSNAKE)

    assert [e["tile"] for e in seen.aside] == ["big/3"]


def unsure_beside_red():
    """A sure red straight, and right of it a card that is red or blue."""
    detections, readings = table("0,0 red/straight 0;1,0 red/straight 0")
    guesses = (CellGuess("blue/straight", 0, 0, 0.55), CellGuess("red/straight", 0, 0, 0.44))
    readings[1] = CellReading(guesses)
    return detections, readings


def test_rules_settle_an_unsure_card():
    detections, readings = unsure_beside_red()

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST)

    assert [e["tile"] for e in seen.tiles] == ["red/straight"] * 2
    assert max(e["confidence"] for e in seen.tiles) == 0.995
    assert min(e["confidence"] for e in seen.tiles) < 0.98


@pytest.mark.parametrize(("sure", "tile"), [(0.9, "red/head"), (0.9949, "blue/head")])
def test_of_more_cards_than_the_box_has_the_least_sure_is_doubted(sure, tile):
    detections, readings = table("0,0 blue/head 0;1,0 blue/head 0")
    guesses = (CellGuess("blue/head", 0, 0, sure), CellGuess("red/head", 0, 0, 1 - sure))
    readings[1] = CellReading(guesses)

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST)

    assert [e["tile"] for e in seen.tiles] == ["blue/head"]
    assert [e["tile"] for e in seen.unsure] == [tile]


FOUR_AND_ANOTHER = (
    "-4,-4 big/1#0 0;-3,-4 big/1#1 0;-2,-4 double-curve 0;-1,-4 double-curve 0;"
    "0,-4 double-curve 0;1,-4 double-curve 0;-4,3 big/2#0 0;-3,3 big/2#1 0;-2,3 double-curve 0"
)
"""Two fields of Sssnake with one double curve more than the box has."""


def test_card_too_many_is_doubted_though_the_others_lie_in_another_field():
    detections, readings = table(FOUR_AND_ANOTHER)
    readings[-1] = CellReading((CellGuess("double-curve", 0, 0, 0.99),))

    seen = reconstruct(detections, fit_lattices(detections), readings, SSSNAKE)

    assert [(e["field"], e["tile"]) for e in seen.unsure] == [(1, "double-curve")]
    assert len(seen.tiles) == 6


def test_card_of_which_all_lie_in_another_field_is_read_as_its_rival():
    detections, readings = table(FOUR_AND_ANOTHER)
    doubt = (CellGuess("double-curve", 0, 0, 0.6), CellGuess("crossing", 0, 0, 0.39))
    readings[-1] = CellReading(doubt)

    seen = reconstruct(detections, fit_lattices(detections), readings, SSSNAKE)

    assert [e["tile"] for e in seen.tiles if e["field"] == 1] == ["big/2", "crossing"]


def test_rules_never_overrule_a_sure_card():
    seen = read("0,0 red/straight 0;1,0 blue/straight 0")

    assert {e["tile"] for e in seen.tiles} == {"red/straight", "blue/straight"}


def test_unsure_card_has_its_guesses():
    detections, readings = table("0,0 red/straight 0;1,0 red/straight 0")
    readings[1] = CellReading(
        (CellGuess("red/head", 0, 0, 0.5), CellGuess("red/straight", 0, 0, 0.3))
    )

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST)

    assert [guess[0] for guess in seen.unsure[0]["guesses"]][:2] == ["red/head", "red/straight"]
    assert seen.unsure[0]["why"]


def test_nothing_is_sure_on_a_table_of_tiny_cards():
    detections, readings = table("0,0 red/head 0;0,1 red/straight 1")
    tiny = tuple(replace(d, corners_px=d.corners_px * 14 / PITCH) for d in detections.found)
    detections = replace(detections, found=tiny)

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST)

    assert not seen.tiles
    assert {entry["why"] for entry in seen.unsure} == {"small"}
    assert {entry["tile"] for entry in seen.unsure} == {"red/head", "red/straight"}


def test_card_that_the_box_has_no_more_of_is_doubted():
    detections, readings = table("0,0 red/head 0;0,1 red/straight 1;0,2 red/straight 1")
    readings[2] = CellReading((CellGuess("red/head", 0, 0, 0.5), CellGuess("red/tail", 0, 0, 0.48)))

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST)

    assert sorted(e["tile"] for e in seen.tiles) == ["red/head", "red/straight", "red/tail"]


def test_outlines_that_look_like_nothing_in_the_box_are_no_table():
    detections, _ = table("0,0 red/head 0;1,0 red/head 0")
    strange = [CellReading((), "unknown-tile")] * 2

    seen = reconstruct(detections, fit_lattices(detections), strange, NEST)

    assert (seen.tiles, seen.unsure, seen.aside) == ((), (), ())


def _turned(entries, turns):
    cells = []
    for entry in entries:
        x, y = entry["at"]
        for _ in range(turns):
            x, y = -y, x
        cells.append((entry["tile"], x, y, entry["turns"]))
    left, top = min(c[1] for c in cells), min(c[2] for c in cells)
    return [(t, x - left, y - top, u) for t, x, y, u in cells]


def test_tiles_of_any_box_are_unknown():
    detections, _ = table("0,0 red/head 0;1,0 red/head 0;1,1 red/head 0")

    seen = reconstruct_unknown(detections, fit_lattices(detections))

    assert [e["tile"] for e in seen.tiles] == ["unknown"] * 3


def layout(count: int, start: float = 0) -> str:
    kinds = ("blue/straight 0", "red/curve 1", "green/curve 2", "blue/curve 3")
    return ";".join(f"{start + k},0 {kinds[k % 4]}" for k in range(count))


def test_card_that_touches_the_layout_crookedly_belongs_to_it():
    seen = read(f"{layout(5)};5.06,0.08 red/straight 0")

    assert len(seen.tiles) == 6


def test_card_that_lies_a_good_gap_off_the_layout_is_beside_it():
    seen = read(f"{layout(5)};5.38,0.1 red/straight 0")

    assert len(seen.tiles) == 5
    assert [entry["tile"] for entry in seen.aside] == ["red/straight"]


def test_stock_in_line_with_the_layout_stays_aside():
    seen = read(f"{layout(5)};7,0 red/straight 0;8.12,0 red/curve 0")

    assert len(seen.tiles) == 5
    assert len(seen.aside) == 2


def test_house_that_is_not_sure_is_counted_from_all_the_same():
    detections, readings = table("0,0 red/straight 0;1,0 gift 0;2,0 red/corner 0;1,1 gift 0")
    doubt = (CellGuess("gift", 0, 0, 0.5), CellGuess("house", 0, 1, 0.3))
    readings[1] = CellReading(doubt)

    seen = reconstruct(detections, fit_lattices(detections), readings, CARNIVAL)

    house = next(e for e in seen.unsure if e["tile"] == "house")
    assert (house["at"], house["turns"]) == ([0, 0], 0)


def test_card_under_fingers_between_others_is_unsure_and_does_not_vanish():
    detections, readings = table("0,0 blue/straight 0;1,0 blue/curve 0;2,0 red/curve 0")
    found = list(detections.found)
    found[1] = Detection(found[1].corners_px, 0.6)
    readings[1] = CellReading((CellGuess("blue/curve", 0, 0, 0.0),), "unknown-tile")
    detections = Detections(detections.size_px, "square", tuple(found))

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST)

    assert [e["tile"] for e in seen.unsure] == ["blue/curve"]


def test_stock_whose_cards_touch_at_corners_only_is_no_layout():
    stock = "-4,3 red/curve 0;-3,4 red/straight 0;-2,3 red/tail 0;-1,4 red/head 0;0,3 red/curve 0"

    seen = read(f"0,0 blue/tail 0;{stock}")

    assert [e["tile"] for e in seen.tiles] == ["blue/tail"]


def sight_of(bgr, detections, reads=(), doubtful=()):
    """What to look with once more in a picture; outlines near to one of ``reads`` show that."""

    def look(found):
        return [
            next(
                (
                    CellReading((guess,))
                    for at, guess in reads
                    if np.linalg.norm(one.centre_px - at) < PITCH / 2
                ),
                CellReading((CellGuess("blue/curve", 0, 0, 0.0),), "unknown-tile", odd=True),
            )
            for one in found
        ]

    ground = Ground(bgr, [one.corners_px for one in detections.found])
    return Sight(ground, look, tuple(doubtful))


@pytest.fixture
def cloth():
    bgr = np.full((600, 600, 3), (60, 110, 150), np.uint8)
    bgr[::9] = (90, 140, 180)
    return bgr


ROW_AND_TWO_OFF = (
    "-3,0 red/straight 1;-2,0 blue/curve 1;-1,0 red/straight 1;0,0 blue/straight 0;"
    "3,0 blue/straight 0;4,0 green/straight 1"
)


def test_cards_in_line_beyond_bare_table_are_no_part_of_the_layout(cloth):
    detections, readings = table(ROW_AND_TWO_OFF)

    seen = reconstruct(
        detections, fit_lattices(detections), readings, NEST, sight_of(cloth, detections)
    )

    assert len(seen.tiles) == 4
    assert len(seen.aside) == 2


def test_cards_in_line_beyond_a_hand_are_asked_about(cloth):
    detections, readings = table(ROW_AND_TWO_OFF)
    cloth[200:400, 328:420] = (140, 160, 215)

    seen = reconstruct(
        detections, fit_lattices(detections), readings, NEST, sight_of(cloth, detections)
    )

    assert (len(seen.tiles), len(seen.unsure)) == (4, 2)


def test_three_cards_say_where_others_lie_beyond_a_hand(cloth):
    detections, readings = table(ROW_AND_TWO_OFF.partition(";")[2])
    cloth[200:400, 328:420] = (140, 160, 215)

    seen = reconstruct(
        detections, fit_lattices(detections), readings, NEST, sight_of(cloth, detections)
    )

    assert (len(seen.tiles), len(seen.unsure)) == (3, 2)


@pytest.fixture
def four_and_an_untaken_one(cloth):
    """A row of cards with a fifth at its end that was not taken for one, and where that lies."""
    detections, readings = table(
        "-3,0 blue/tail 0;-2,0 blue/straight 0;-1,0 blue/straight 0;0,0 blue/straight 0"
    )
    for x in range(-3, 2):
        left = 276 + x * 50
        cloth[276:324, left : left + 48] = (225, 230, 235)
    here = np.array([350.0, 300.0])
    return detections, readings, [(here, CellGuess("blue/head", 0, 2, 0.999))], here


def test_card_whose_outline_was_not_taken_is_read_where_its_neighbours_expect_it(
    cloth, four_and_an_untaken_one
):
    detections, readings, reads, here = four_and_an_untaken_one
    sight = sight_of(cloth, detections, reads, [here])

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST, sight)

    assert [(e["tile"], e["turns"]) for e in seen.tiles if e["tile"] == "blue/head"] == [
        ("blue/head", 2)
    ]
    assert len(seen.tiles) == 5


@pytest.mark.parametrize(("tile", "turns", "cards"), [("blue/head", 0, 5), ("red/straight", 0, 4)])
def test_where_no_outline_was_found_a_card_is_made_only_if_a_snake_goes_on_in_it(
    cloth, four_and_an_untaken_one, tile, turns, cards
):
    detections, readings, _, here = four_and_an_untaken_one
    sight = sight_of(cloth, detections, [(here, CellGuess(tile, 0, turns, 0.999))])

    seen = reconstruct(detections, fit_lattices(detections), readings, NEST, sight)

    assert len(seen.tiles) == cards


def test_no_card_is_made_on_bare_table_though_a_snake_goes_on(cloth, four_and_an_untaken_one):
    detections, readings, reads, _ = four_and_an_untaken_one
    cloth[276:324, 326:374] = cloth[276:324, 426:474]

    seen = reconstruct(
        detections, fit_lattices(detections), readings, NEST, sight_of(cloth, detections, reads)
    )

    assert len(seen.tiles) == 4


@pytest.mark.parametrize(("in_part", "tile"), [(True, "blue/head"), (False, "blue/straight")])
def test_card_that_was_read_in_part_is_looked_at_where_the_others_expect_it(
    cloth, four_and_an_untaken_one, in_part, tile
):
    detections, readings, reads, here = four_and_an_untaken_one
    last = Detection(square(1, 0), 0.6)
    detections = replace(detections, found=(*detections.found, last))
    half = CellReading((CellGuess("blue/straight", 0, 0, 0.999),), odd=in_part)
    sight = sight_of(cloth, detections, reads, [here])

    seen = reconstruct(detections, fit_lattices(detections), [*readings, half], NEST, sight)

    assert {e["tile"] for e in seen.tiles} == {"blue/tail", "blue/straight", tile}


def test_bricks_that_look_like_a_big_card_take_no_field_from_one_with_cards():
    detections, readings = table(
        "0,0 big/1#0 0;1,0 big/1#1 0;2,0 straight 0;3,0 curve 0;"
        "0,4 big/2#0 0;1,4 big/2#1 0;2,4 straight 0"
    )
    bricks = [Detection(square(x - 4.0, 8.5), 0.6) for x in range(8)]
    odd = [CellReading((CellGuess("big/1", 0, 0, 0.6),), odd=True)] * 2
    odd += [CellReading((CellGuess("curve", 0, 0, 0.5),), odd=True)] * 6
    every = Detections((600, 800), "square", (*detections.found, *bricks))

    seen = reconstruct(every, fit_lattices(every), [*readings, *odd], SSSNAKE)

    assert {e["field"] for e in seen.tiles} == {0, 1}
    assert sum(e["field"] == 0 for e in seen.tiles) == 3


def test_hole_that_looks_like_the_big_card_of_its_field_is_none():
    detections, readings = table(
        "0,0 big/4#0 0;1,0 big/4#1 0;2,0 straight 0;2,1 curve 0;-1,0 curve 1;-1,1 curve 2"
    )
    holes = tuple(Detection(square(x, 1.0), 0.7) for x in (0, 1))
    doubtful = [CellReading((CellGuess("big/4", cell, 0, 0.9),), odd=True) for cell in (0, 1)]
    every = Detections((600, 600), "square", (*detections.found, *holes))

    seen = reconstruct(every, fit_lattices(every), [*readings, *doubtful], SSSNAKE)

    assert [e["at"] for e in (*seen.tiles, *seen.unsure) if e["tile"] == "big/4"] == [[0, 0]]
    assert len(seen.tiles) == 5


@pytest.mark.parametrize(
    ("sure", "found", "there"),
    [
        (1.0, 0.95, True),
        (0.9, 0.95, False),
        (1.0, 0.6, False),
    ],
)
def test_second_big_card_of_a_field_counts_only_where_it_is_beyond_doubt(sure, found, there):
    text = "0,0 big/1#0 0;1,0 big/1#1 0;2,0 crossing 0;2,1 curve 0;3,0 big/4#0 0;4,0 big/4#1 0"
    detections, readings = table(text, sure=1.0)
    poor = tuple(replace(one, confidence=found) for one in detections.found[-2:])
    detections = replace(detections, found=(*detections.found[:-2], *poor))
    readings[-2:] = [CellReading((CellGuess("big/4", cell, 0, sure),)) for cell in (0, 1)]

    seen = reconstruct(detections, fit_lattices(detections), readings, SSSNAKE)

    assert ("big/4" in {e["tile"] for e in seen.tiles}) is there


def test_hole_that_looks_like_half_of_another_big_card_is_none():
    detections, readings = table(
        "0,0 big/2#0 0;1,0 big/2#1 0;2,0 straight 0;2,1 curve 0;-1,0 curve 1;-1,1 curve 2"
    )
    hole = Detection(square(0, 1.0), 0.68)
    half = CellReading((CellGuess("big/4", 0, 0, 0.992),), odd=True)
    every = Detections((600, 600), "square", (*detections.found, hole))

    seen = reconstruct(every, fit_lattices(every), [*readings, half], SSSNAKE)

    assert "big/4" not in {e["tile"] for e in (*seen.tiles, *seen.unsure)}
    assert len(seen.tiles) == 5


@pytest.mark.parametrize(
    ("wide", "gap", "laid"),
    [(1.0, 0.12, True), (1.2, 0.12, True), (0.85, 0.12, True), (1.0, 0.35, False)],
)
def test_card_beside_a_big_one_is_laid_to_it_by_the_gap_between_them(wide, gap, laid):
    row = "{0},-1 straight 0;{0},0 straight 0;{0},1 straight 0;{0},2 straight 0;{0},3 straight 0"
    others = f"-5,-2 big/1#0 0;-4,-2 big/1#1 0;{row.format(-4)};-2,-2 big/2#0 0;-1,-2 big/2#1 0;"
    detections, readings = table(
        f"{others}{row.format(-1)};3,4 big/4#0 0;4,4 big/4#1 0;2,4 straight 0"
    )
    *rest, last = detections.found
    middle = square(2.5 - gap - wide / 2, 4).mean(axis=0)
    beside = Detection((last.corners_px - last.centre_px) * wide + middle, 0.95)
    seen = replace(detections, found=(*rest, beside))

    fields = {e["field"] for e in reconstruct(seen, fit_lattices(seen), readings, SSSNAKE).tiles}

    assert (3 in fields) == laid

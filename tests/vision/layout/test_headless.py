"""Fields of Sssnake whose big card is cut off or lies under a thing: painted tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.reader import CellGuess, CellReading
from vision.core.ground import Ground
from vision.core.lattice import fit_lattices
from vision.core.types import Detection, Detections
from vision.layout.again import Sight
from vision.layout.quality import leaves
from vision.layout.reconstruct import Reconstruction, reconstruct

SSSNAKE = built_in_set("sssnake")
PITCH, SIZE = 50.0, (600, 600)
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
CLOTH, THREAD, PAPER, CUP = (60, 110, 150), (90, 140, 180), (225, 230, 235), (40, 30, 25)

FIRST = "0.5,1 big/1#0 0;1.5,1 big/1#1 0;2.5,1 straight 0"
SECOND = "7.5,1 big/2#0 0;8.5,1 big/2#1 0;9.5,1 straight 0"
THIRD = "7.5,3.3 big/3#0 0;8.5,3.3 big/3#1 0;9.5,3.3 straight 0"


def read(
    text: str, cup: tuple[int, int, int, int] | None = None,
    ornaments: Sequence[tuple[int, int]] = (), half: str = "",
) -> Reconstruction:  # fmt: skip
    """Read cards written ``x,y tile turns``, with a cup over a box of the picture.

    Ornaments of the cloth as dark as the cup lie at some places; a half of a card at another.
    """
    bgr = np.full((*SIZE, 3), CLOTH, np.uint8)
    bgr[::9] = THREAD
    for left, top in ornaments:
        bgr[top : top + 104, left : left + 60] = CUP
    found, readings = [], []
    for card in text.split(";"):
        at, name, turns = card.split()
        outline = (UNIT + np.array([float(v) for v in at.split(",")])) * PITCH
        tile, _, cell = name.partition("#")
        (left, top), (right, low) = outline[0].round().astype(int), outline[2].round().astype(int)
        bgr[max(0, top) : low, max(0, left) : right] = PAPER
        found.append(Detection(outline, 0.95, leaves(outline, SIZE)))
        readings.append(CellReading((CellGuess(tile, int(cell or 0), int(turns), 0.999),)))
    if cup is not None:
        left, top, right, low = cup
        bgr[top:low, left:right] = CUP
    detections = Detections(SIZE, "square", tuple(found))
    nothing = CellReading((CellGuess("curve", 0, 0, 0.0),), "unknown-tile", odd=True)
    ground = Ground(bgr, [one.corners_px for one in found])
    doubtful = tuple(np.array([float(v) for v in half.split(",")]) * PITCH for _ in half[:1])
    sight = Sight(bgr, ground, lambda some: [nothing] * len(some), doubtful)
    return reconstruct(detections, fit_lattices(detections), readings, SSSNAKE, sight)


def in_field(seen: Reconstruction, number: int) -> list[str]:
    return sorted(entry["tile"] for entry in seen.tiles if entry["field"] == number)


STRAIGHT_ROW = "2,8 straight 1;2,9 crossing 0;2,10 crossing 0;2,11 straight 1"


def test_row_in_which_a_snake_goes_on_is_no_stock_though_neighbours_are_alike():
    seen = read(f"{FIRST};2,7 straight 1;{STRAIGHT_ROW};2,12 straight 1")

    assert len(seen.lost) == 6
    assert all(card.cut_off for card in seen.lost)


@pytest.mark.parametrize(
    ("two", "lost"),
    [("4,11.8 curve 2;5,11.8 curve 3", 2), ("4,11.8 straight 0;5,11.8 straight 0", 0)],
    ids=["a snake goes on", "alike"],
)
def test_two_cards_that_the_edge_cuts_are_lost_where_a_snake_goes_on(two, lost):
    assert len(read(f"{THIRD};{two}").lost) == lost


def test_field_whose_big_card_lies_under_a_cup_is_the_one_that_is_missing():
    row = "2,8 straight 0;3,8 crossing 0;4,8 crossing 0"
    beyond = "7,8 crossing 0;8,8 crossing 0"

    seen = read(f"{FIRST};{THIRD};{row};{beyond}", cup=(225, 360, 325, 440))

    assert in_field(seen, 1) == ["crossing"] * 4 + ["straight"]
    places = {tuple(entry["at"]) for entry in seen.tiles if entry["field"] == 1}
    assert (-1, 0) in places and (2, 0) in places
    assert seen.lost == ()


def test_card_beside_a_cup_is_in_play_rather_than_one_that_the_edge_cuts():
    lone = "4,8 double-curve 1;11.8,8 crossing 0;7,10.5 straight 0"

    seen = read(f"{SECOND};{lone}", cup=(170, 270, 230, 374))

    assert in_field(seen, 0) == ["double-curve"]


def test_ornament_of_the_cloth_hides_no_big_card():
    lone = "4,8 double-curve 1;11.8,8 crossing 0;7,10.5 straight 0"
    ornaments = [(170, 270), (20, 270), (320, 270), (480, 270), (20, 470), (480, 470)]

    seen = read(f"{SECOND};{lone}", ornaments=ornaments)

    assert in_field(seen, 0) == ["crossing"]


@pytest.mark.parametrize(
    ("seen", "half", "lost"),
    [
        pytest.param(f"{THIRD};4,11.8 straight 0", "", 1, id="two players are missing"),
        pytest.param(f"{THIRD};4,11.8 straight 0;5.1,10.7 straight 1", "", 2, id="by a corner"),
        pytest.param(f"{FIRST};{SECOND};4,11.8 straight 0", "", 0, id="nobody is"),
        pytest.param(f"{FIRST};{SECOND};4,11.4 curve 0", "4,12.4", 1, id="laid to half a card"),
        pytest.param(f"{FIRST};{SECOND};4,11.4 curve 0", "4,12.6", 0, id="apart from one"),
    ],
)
def test_card_at_the_edge_is_lost_where_nobody_can_say_whose_it_is(seen, half, lost):
    assert len(read(seen, half=half).lost) == lost


def test_field_at_the_edge_is_nobodys_where_the_edge_cuts_another_card_too():
    field = "0.4,8 straight 0;1.4,8 curve 2;1.4,9 crossing 0"

    assert in_field(read(f"{SECOND};{field}"), 0) == ["crossing", "curve", "straight"]
    assert in_field(read(f"{SECOND};{field};8.3,11.8 curve 0"), 0) == []


def test_big_card_that_lies_apart_is_no_field_without_one():
    seen = read(f"{SECOND};-0.2,8 big/4#0 1;-0.2,9 big/4#1 1")

    assert in_field(seen, 0) == []


def test_field_in_line_with_another_around_the_edge_is_the_one_that_is_missing():
    to_the_edge = "10.5,1 crossing 0;11.5,1 curve 2"
    below = "11.5,4 straight 0;10.5,4 crossing 0;9.5,4 curve 1"

    assert len(in_field(read(f"{SECOND};{to_the_edge};{below}"), 0)) == 3
    assert len(in_field(read(f"{FIRST};{SECOND};{to_the_edge};{below}"), 1)) == 7


def test_two_cards_reach_no_field_around_the_edge_where_a_player_is_missing():
    field, two = f"{SECOND};10.5,1 crossing 0;11.5,1 curve 2", "11.7,4 curve 3;10.7,4 curve 2"

    assert len(in_field(read(f"{field};{two}"), 1)) == 4
    assert len(in_field(read(f"{FIRST};{field};{two}"), 1)) == 6

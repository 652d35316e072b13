"""Fields of Sssnake whose big card is cut off or lies under a thing: painted tables."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.again import Sight
from vision.classify import CellGuess, CellReading
from vision.ground import Ground
from vision.lattice import fit_lattices
from vision.quality import leaves
from vision.reconstruct import Reconstruction, reconstruct
from vision.types import Detection, Detections

SSSNAKE = built_in_set("sssnake")
PITCH, SIZE = 50.0, (600, 600)
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
CLOTH, THREAD, PAPER, CUP = (60, 110, 150), (90, 140, 180), (225, 230, 235), (40, 30, 25)

FIRST = "0.5,1 big/1#0 0;1.5,1 big/1#1 0;2.5,1 straight 0"
SECOND = "7.5,1 big/2#0 0;8.5,1 big/2#1 0;9.5,1 straight 0"
THIRD = "7.5,3.3 big/3#0 0;8.5,3.3 big/3#1 0;9.5,3.3 straight 0"


def read(text: str, cup: tuple[int, int, int, int] | None = None) -> Reconstruction:
    """Read cards written ``x,y tile turns``, with a cup over a box of the picture."""
    bgr = np.full((*SIZE, 3), CLOTH, np.uint8)
    bgr[::9] = THREAD
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
    sight = Sight(bgr, ground, lambda some: [nothing] * len(some))
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


def test_field_at_the_edge_is_nobodys_where_the_edge_cuts_another_card_too():
    field = "0.4,8 straight 0;1.4,8 curve 2;1.4,9 crossing 0"

    assert in_field(read(f"{SECOND};{field}"), 0) == ["crossing", "curve", "straight"]
    assert in_field(read(f"{SECOND};{field};8.3,11.8 curve 0"), 0) == []


def test_big_card_that_lies_apart_is_no_field_without_one():
    seen = read(f"{SECOND};-0.2,8 big/4#0 1;-0.2,9 big/4#1 1")

    assert in_field(seen, 0) == []

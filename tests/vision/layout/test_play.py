"""Cards in play apart from sorted stocks; no picture is needed for that."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.reader import CellGuess, CellReading
from vision.core.lattice import fit_lattices
from vision.core.types import Detection, Detections
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

    seen = read(f"-4,0 blue/head 0;{loose}")

    assert [entry["tile"] for entry in seen.tiles] == ["blue/head"]


def test_outlines_apart_from_the_stocks_may_be_the_layout():
    stock = [outline(x, 5) for x in range(3)]
    near, far, large = outline(3.2, 5), outline(0, 0), outline(-5, 0) * 2
    every = Detections(
        (1000, 1000), "square", tuple(Detection(one, 0.9) for one in (*stock, near)),
        tuple(Detection(one, 0.3) for one in (far, large)),
    )  # fmt: skip

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

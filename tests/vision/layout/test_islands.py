"""Parts of a layout that a hand or a cup hides from each other, and cards between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.reading import CellGuess, CellReading
from vision.core.ground import Ground
from vision.core.lattice import fit_lattices
from vision.core.types import Detection, Detections
from vision.layout.around import Sight
from vision.layout.reconstruct import Reconstruction, reconstruct

PITCH = 50
NEST, CARNIVAL = (built_in_set(name) for name in ("schlangennest", "carnival"))
SKIN, PAPER = (140, 160, 215), (225, 230, 235)
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * PITCH
Read = dict[tuple[float, float], tuple[str, int]]


@pytest.fixture
def cloth() -> np.ndarray:
    bgr = np.full((600, 600, 3), (60, 110, 150), np.uint8)
    bgr[::9] = (90, 140, 180)
    return bgr


def middle(x: float, y: float) -> np.ndarray:
    return np.array([300 + x * PITCH, 300 + y * PITCH])


def cover(bgr: np.ndarray, colour: tuple[int, int, int], *cells: tuple[float, float]) -> None:
    """Lay something over cells, with a narrow rim left."""
    for cell in cells:
        left, top = (middle(*cell) - PITCH / 2 + 1).astype(int)
        bgr[max(top, 0) : top + PITCH - 2, max(left, 0) : left + PITCH - 2] = colour


def table(text: str) -> tuple[Detections, list[CellReading]]:
    """Return outlines and readings of cards written ``x,y tile turns``, split by semicolons."""
    found, readings = [], []
    for card in text.split(";"):
        at, tile, turns = card.split()
        found.append(Detection(UNIT + middle(*(float(v) for v in at.split(","))), 0.95))
        readings.append(CellReading((CellGuess(tile, 0, int(turns), 0.995),)))
    return Detections((600, 600), "square", tuple(found)), readings


def read(
    text: str, bgr: np.ndarray, unseen: Read | None = None, box=NEST, **how: Any
) -> Reconstruction:
    """Return what lies on a table; what ``unseen`` names was not found, and is read ``how``."""
    detections, readings = table(text)

    def look(found):
        return [
            next(
                (
                    CellReading((CellGuess(tile, 0, turns, 0.999),), **how)
                    for at, (tile, turns) in (unseen or {}).items()
                    if np.linalg.norm(one.centre_px - middle(*at)) < PITCH / 2
                ),
                CellReading((CellGuess("blue/curve", 0, 0, 0.0),), "unknown-tile", odd=True),
            )
            for one in found
        ]

    ground = Ground(bgr, [one.corners_px for one in detections.found])
    sight = Sight(ground, look)
    return reconstruct(detections, fit_lattices(detections), readings, box, sight)


def row(xs: range, y: float, tile: str = "blue/straight") -> str:
    return ";".join(f"{x},{y} {tile} 0" for x in xs)


@pytest.mark.parametrize(
    "two",
    ["1,-5.5 red/curve 0;2.05,-5.5 red/straight 0", row(range(1, 3), -5.5)],
    ids=["sorted", "in-a-row"],
)
def test_cards_beyond_the_edge_of_the_picture_are_never_claimed(cloth, two):
    below = "-5,-4.5 green/curve 0;-4,-4.5 yellow/curve 1"
    seen = read(f"{row(range(-5, -1), -5.5)};{below};{two}", cloth)

    assert len(seen.tiles) == 6


def test_cards_on_the_far_side_of_a_cup_are_asked_about(cloth):
    cover(cloth, SKIN, *((x, y) for x in (1, 2) for y in (-2, -1, 0)), (2, -3))

    near = "0,-1 red/curve 2;0,0 red/straight 1;0,1 red/tail 1"
    seen = read(f"{near};2,-4 blue/curve 3;3,-4 blue/tail 0", cloth)

    assert (len(seen.tiles), len(seen.unsure)) == (3, 2)


SNAKE = f"-3,0 house 0;{row(range(-2, 1), 0, 'violet/straight')}"


def test_straight_log_at_the_end_of_a_snake_is_a_card_where_surely_no_table_is_seen(cloth):
    cover(cloth, PAPER, *((x, 0) for x in range(-3, 2)))

    seen = read(SNAKE, cloth, {(1, 0): ("log/straight", 0)}, CARNIVAL)

    assert len(seen.tiles) == 5


def test_covered_card_without_an_outline_is_one_where_it_is_clearly_read(cloth):
    cover(cloth, PAPER, *((x, 0) for x in range(-3, 2)))

    seen = read(SNAKE, cloth, {(1, 0): ("log/straight", 0)}, CARNIVAL, odd=True)

    assert (len(seen.tiles), len(seen.unsure)) == (5, 0)


def test_cell_is_looked_at_again_once_a_snake_goes_on_in_it(cloth):
    unseen: dict[tuple[float, float], tuple[str, int]] = {
        (1, 0): ("violet/corner", 3),
        (1, 1): ("violet/corner", 0),
        (0, 1): ("violet/corner", 2),
    }
    cover(cloth, PAPER, *((x, 0) for x in range(-3, 1)), *unseen)

    seen = read(SNAKE, cloth, unseen, CARNIVAL)

    assert len(seen.tiles) == 7


def test_no_card_is_made_at_the_edge_of_the_picture_beyond_a_thing(cloth):
    cover(cloth, SKIN, (0, -5))
    cover(cloth, PAPER, (0, -5.8), (0, -3), *((x, -4) for x in range(-3, 1)))

    seen = read(f"{row(range(-3, 1), -4)};0,-3 red/curve 2", cloth, {(0, -6): ("red/straight", 1)})

    assert len(seen.tiles) == 5


LAYOUT = "-3,0 house 0;-2,0 violet/straight 0;-1,0 violet/straight 0;-3,-1 gift 0;-3,1 trouble/2 0"
CARD = "2,0 violet/corner 2"
STOCK = "2.4,-0.6 red/corner 0;2.4,0.5 red/straight 0;2.4,1.6 red/knot 0"


@pytest.mark.parametrize(
    ("beyond", "arm", "asked"),
    [(CARD, True, 1), (STOCK, True, 0), (CARD, False, 0)],
    ids=["in-its-cell", "stock", "bare-table-between"],
)
def test_cards_beyond_an_arm_are_asked_about_if_they_lie_as_the_layout_goes_on(
    cloth, beyond, arm, asked
):
    if arm:
        cover(cloth, SKIN, (0, 0), (1, 0), (1, 1))

    seen = read(f"{LAYOUT};{beyond}", cloth, box=CARNIVAL)

    assert (len(seen.tiles), len(seen.unsure)) == (5, asked)

"""Clay is read by its look and by the drills that it marks; what is surely seen stays."""

from __future__ import annotations

import numpy as np
import pytest

from engine.lattice import HEX_SIDE_NAMES
from engine.placement import Piece
from engine.setfile import built_in_set
from vision.hexes.cells import CELLS, CellReadings
from vision.hexes.clay import SeenClay, clay_on_boards
from vision.hexes.models import CONTENTS
from vision.hexes.pieces import SeenPiece

FIVE = built_in_set("snekagon5g")
EAST = HEX_SIDE_NAMES.index("E")
FIELD = (0, 0)
SURE_NONE, SURE_OPEN = (0.9999, 0.0001, 0.0), (0.0, 0.9999, 0.0001)
TWO = ((0, 0), (1, 0))
"""The cells of a tile that goes to the east from the field."""


def board(clay: tuple[float, ...], mouth: int | None = EAST) -> CellReadings:
    """Return a board whose clay on the field looks so, and points so or every way at once."""
    bare = dict.fromkeys(CELLS, np.eye(len(CONTENTS))[0])
    none = dict.fromkeys(CELLS, np.array([1.0, 0, 0]))
    sixth = dict.fromkeys(CELLS, np.full(6, 1 / 6))
    mouths = sixth if mouth is None else sixth | {FIELD: np.eye(6)[mouth]}
    seen = none | {FIELD: np.array(clay)}
    return CellReadings(bare, dict.fromkeys(CELLS, 0.0), seen, mouths, sixth)


def read(
    clays: list[tuple[float, ...]],
    cells: tuple[tuple[int, int], ...] = TWO,
    mouth: int | None = EAST,
    tiles: list[int] | None = None,
    lost: set[tuple[int, int, int]] | None = None,
) -> list[SeenClay]:
    """Return the clay of boards that look so, with a red tile on all of them or on some."""
    pieces = [
        SeenPiece(Piece("red/2" if len(cells) > 1 else "red/1", cells, number), 1.0, 1.0)
        for number in (range(len(clays)) if tiles is None else tiles)
    ]
    boards = [board(clay, mouth) for clay in clays]
    return clay_on_boards(boards, FIVE, pieces, lost or set())


def test_clay_on_both_ends_of_a_drill_is_read():
    assert [(c.spot, c.kind, c.opens) for c in read([SURE_OPEN, SURE_OPEN])] == [
        ((0, 0, 0), "open", "E"),
        ((1, 0, 0), "open", "E"),
    ]


def test_what_hardly_looks_like_clay_is_none_where_no_drill_can_be():
    assert read([(0.86, 0.14, 0.0), SURE_NONE], tiles=[0]) == []


@pytest.mark.parametrize("look", [0.004, 0.0012])
def test_clay_that_hardly_shows_is_read_where_the_other_end_of_its_drill_has_some(look):
    found = read([(1 - look, look, 0.0), SURE_OPEN])

    assert [c.spot[0] for c in found] == [0, 1]
    assert found[0].confidence < found[1].confidence


def test_clay_that_is_surely_not_there_is_missing_though_its_drill_asks_for_it():
    assert [c.spot[0] for c in read([SURE_NONE, SURE_OPEN])] == [1]


def test_clay_that_is_surely_seen_stays_where_no_drill_can_be():
    (only,) = read([(0.005, 0.995, 0.0), SURE_NONE], tiles=[0])

    assert (only.kind, only.opens) == ("open", "E")


@pytest.mark.parametrize(
    "clay", [(0.0, 0.82, 0.18), (0.0, 0.97, 0.03)], ids=["likelier open", "open by far"]
)
def test_clay_on_a_single_hex_that_is_drilled_both_ways_is_closed(clay):
    ends = (0.0, 0.001, 0.999)

    found = read([ends, clay, ends], cells=(FIELD,), mouth=None)

    assert [c.kind for c in found] == ["closed"] * 3
    assert [c.opens for c in found] == [None] * 3


@pytest.mark.parametrize(
    ("clay", "kind"),
    [((0.0004, 0.836, 0.1636), "open"), ((0.0, 0.36, 0.64), "closed")],
    ids=["likelier open", "likelier closed"],
)
def test_clay_on_a_hex_of_one_board_alone_is_what_it_looks_like(clay, kind):
    (only,) = read([clay], cells=(FIELD,), mouth=4)

    assert (only.kind, only.opens) == (kind, "NW" if kind == "open" else None)


def test_an_open_clay_points_to_its_body_where_its_mouth_is_doubtful():
    found = read([SURE_OPEN, SURE_OPEN], mouth=None)

    assert [c.opens for c in found] == ["E", "E"]


def test_a_mouth_that_is_clearly_seen_elsewhere_is_told_so():
    found = read([SURE_OPEN, SURE_OPEN], mouth=3)

    assert [c.opens for c in found] == ["W", "W"]


def test_clay_is_read_on_a_cell_that_only_its_tile_says_is_covered():
    seen = board(SURE_OPEN)
    piece = SeenPiece(Piece("red/2", TWO, 0), 1.0, 1.0)

    assert clay_on_boards([seen], FIVE, [piece], set())
    assert not clay_on_boards([seen], FIVE, [], set())


def test_a_cell_that_is_not_seen_may_be_the_other_end_of_a_drill():
    doubtful = (0.6, 0.4, 0.0)

    assert not read([doubtful, SURE_NONE], tiles=[0])
    assert [c.spot[0] for c in read([doubtful, SURE_NONE], tiles=[0], lost={(1, 0, 0)})] == [0]


def test_no_boards_have_no_clay():
    assert clay_on_boards([], FIVE, [], set()) == []

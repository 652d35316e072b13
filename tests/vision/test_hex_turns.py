"""The eyes give a board its turn; where none is seen, clay may; else it is left open."""

from __future__ import annotations

import numpy as np

from engine.setfile import built_in_set
from vision.hex_cells import CELLS, CLAYS, CellReadings, turned_cell
from vision.hex_models import CONTENTS
from vision.hex_turns import turns_of

SNEKAGON, FIVE = built_in_set("snekagon"), built_in_set("snekagon5g")
EYES = [(q, r) for q, r in FIVE.extras["board"]["eyes"]]
DRILLED = (0, 2)


def seen_board(turn: int, tiles=(), clay=()) -> CellReadings:
    """Return what is read of a board that lies in a turn, its cells named as when upright."""
    named = {turned_cell(cell, turn): "eye" for cell in EYES}
    named |= {turned_cell(cell, turn): "red" for cell in (*tiles, *clay)}
    contents = {
        cell: np.array([float(name == named.get(cell, "empty")) for name in CONTENTS])
        for cell in CELLS
    }
    covered = {turned_cell(cell, turn) for cell in clay}
    kinds = {
        cell: np.array([float(kind == ("open" if cell in covered else "none")) for kind in CLAYS])
        for cell in CELLS
    }
    sixth = dict.fromkeys(CELLS, np.full(6, 1 / 6))
    return CellReadings(contents, dict.fromkeys(CELLS, 0.0), kinds, sixth, sixth)


def hidden(turn: int) -> set[tuple[int, int]]:
    """Return the part of a board in which its eyes are, large enough for other turns too."""
    return {turned_cell((q, r), turn) for q, r in CELLS if r < 2}


def test_eyes_give_a_board_its_turn():
    turns = turns_of([seen_board(turn) for turn in range(6)], FIVE, [()] * 6)

    assert turns == [(0,), (1,), (2,), (3,), (4,), (5,)]


def test_one_eye_is_enough():
    assert turns_of([seen_board(2)], FIVE, [{turned_cell(EYES[0], 2)}]) == [(2,)]


def test_a_tile_on_an_eye_hides_no_turn():
    assert turns_of([seen_board(4, tiles=EYES[:1])], FIVE, [()]) == [(4,)]


def test_where_no_eye_is_seen_the_turn_is_left_open():
    (turns,) = turns_of([seen_board(1)], FIVE, [hidden(1)])

    assert 1 in turns
    assert len(turns) > 1


def test_clay_where_another_board_has_some_settles_the_turn():
    whole, cut = seen_board(5, clay=[DRILLED]), seen_board(1, clay=[DRILLED])

    assert turns_of([whole, cut], FIVE, [(), hidden(1)]) == [(5,), (1,)]


def test_without_eyes_on_its_boards_any_turn_will_do():
    assert turns_of([seen_board(3)], SNEKAGON, [()]) == [(0,)]

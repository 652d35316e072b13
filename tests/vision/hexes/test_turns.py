"""The eyes give a board its turn; where none is seen it is left open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.setfile import built_in_set
from vision.hexes.cells import CELLS, CLAYS, CellReadings, turned_cell, turns_of
from vision.hexes.models import CONTENTS

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


def half_seen(board: CellReadings, cells, eye: float) -> CellReadings:
    """Return a board of which nobody can say what some cells hold, but how much like an eye."""
    other = [(1 - eye) / (len(CONTENTS) - 1)] * (len(CONTENTS) - 1)
    unknown = np.array([*other, eye])
    return replace(board, contents=board.contents | dict.fromkeys(cells, unknown))


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
    board = half_seen(seen_board(1), hidden(1), 0.03)

    (turns,) = turns_of([board], FIVE, [hidden(1)])

    assert 1 in turns
    assert len(turns) > 1


def test_without_eyes_on_its_boards_any_turn_will_do():
    assert turns_of([seen_board(3)], SNEKAGON, [()]) == [(0,)]

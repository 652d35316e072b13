"""Cells are read from laid out boards, whatever the picture holds."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.lattice import HEX_STEPS
from vision.core.crop import Pyramid
from vision.core.errors import ModelError
from vision.core.files import TRAINED
from vision.hexes.cells import (
    CELLS,
    CLAYS,
    VIEW_PX,
    CellReadings,
    agreed,
    balanced,
    evened,
    in_two_lights,
    is_doubtful,
    laid_out,
    read_cells,
    turned_cell,
)
from vision.hexes.clay import CLAY_SEEN
from vision.hexes.models import CONTENTS, MANIFEST, NETWORKS, HexModels, shipped_models
from vision.hexes.plane import HexBoard

BOARD = HexBoard(np.array([[30.0, 0, 320], [0, 30.0, 240], [0, 0, 1]]), (319.5, 239.5), 400.0)


def test_no_boards_have_no_cells():
    pyramid = Pyramid(np.zeros((480, 640, 3), np.uint8))

    assert read_cells(pyramid, [], shipped_models()) == ()


@pytest.mark.parametrize("level", [0, 255])
def test_a_blank_picture_gives_shares_that_add_up(level):
    pyramid = Pyramid(np.full((480, 640, 3), level, np.uint8))

    (reading,) = read_cells(pyramid, [BOARD], shipped_models())

    assert set(reading.contents) == set(CELLS)
    assert all(abs(shares.sum() - 1) < 1e-6 for shares in reading.contents.values())


def test_paper_is_made_grey_whatever_the_light():
    warm = np.full((VIEW_PX, VIEW_PX, 3), (90, 140, 180), np.uint8)

    assert np.ptp(balanced(warm)) <= 1


def test_the_grey_beyond_the_pictures_edge_is_no_paper():
    warm = np.full((480, 640, 3), (90, 140, 180), np.uint8)
    cut = replace(BOARD, px_from_plane=np.array([[30.0, 0, 10], [0, 30, 240], [0, 0, 1]]))

    view = laid_out(Pyramid(warm), cut)

    right = view[:, VIEW_PX * 3 // 4 :].reshape(-1, 3)
    assert np.ptp(right) <= 1


def test_rows_and_columns_of_the_view_are_q_and_r():
    picture = np.zeros((480, 640, 3), np.uint8)
    picture[230:250, 340:360] = 255

    view = laid_out(Pyramid(picture), BOARD)
    ys, xs = np.nonzero(view[..., 0] > 200)

    # The middle of cell (1, 0) lies 30 px to the right of the centre.
    assert abs(xs.mean() / 24 - 6.5 - 1) < 0.1
    assert abs(ys.mean() / 24 - 6.5) < 0.1


def test_turning_readings_turns_cells_and_sides_together():
    numbered = {cell: np.array([float(i)]) for i, cell in enumerate(CELLS)}
    sides = {cell: np.arange(6.0) for cell in CELLS}
    reading = CellReadings(numbered, dict.fromkeys(CELLS, 0.0), numbered, sides, sides)

    turned = reading.turned(1)

    assert turned.contents[(1, 0)] == numbered[(0, 1)]
    assert turned_cell(HEX_STEPS[0], 1) == HEX_STEPS[1]
    assert turned.joined[(0, 0)][0] == 1


def looks_at(cell, clays, mouths) -> list[CellReadings]:
    """Return looks at a board that differ about one cell's clay."""
    plain, none = dict.fromkeys(CELLS, np.full(7, 1 / 7)), dict.fromkeys(CELLS, 0.0)
    sixth = dict.fromkeys(CELLS, np.full(6, 1 / 6))
    nothing = dict.fromkeys(CELLS, np.array([1.0, 0, 0]))
    return [
        CellReadings(plain, none, nothing | {cell: np.array(clay)},
                     sixth | {cell: np.eye(6)[mouth]}, sixth)
        for clay, mouth in zip(clays, mouths, strict=True)
    ]  # fmt: skip


def test_one_doubtful_look_does_not_outvote_the_other_turns():
    clays = [(0.0, 0.43, 0.57)] + [(0.0, 0.95, 0.05)] * 5

    reading = agreed(looks_at((5, -1), clays, [3] * 6))

    assert reading.clay[(5, -1)].argmax() == CLAYS.index("open")
    assert reading.opens[(5, -1)][3] == 1
    assert all(abs(shares.sum() - 1) < 1e-6 for shares in reading.contents.values())


def test_a_mouth_that_each_look_sees_elsewhere_is_none():
    reading = agreed(looks_at((4, -4), [(0.0, 0.8, 0.2)] * 6, range(6)))

    assert reading.opens[(4, -4)].max() < 0.2


def test_a_shadow_is_gone_from_an_evened_board():
    view = np.full((VIEW_PX, VIEW_PX, 3), 200, np.uint8)
    view[:, : VIEW_PX // 2] = 110

    even = evened(view)

    assert np.ptp(even[:, 40:-40][:, [0, -1]]) <= 1


def test_colours_are_paler_on_an_evened_board():
    red = np.full((VIEW_PX, VIEW_PX, 3), (40, 40, 200), np.uint8)

    assert np.ptp(evened(red)[100, 100]) < 0.7 * np.ptp(red[100, 100])


def test_what_a_cell_holds_is_told_by_the_light_in_which_it_is_clearer():
    doubtful, clear = np.array([0, 0, 0.4, 0.6, 0, 0, 0]), np.array([0, 0, 0.9, 0.1, 0, 0, 0])
    looks = [
        replace(look, contents=look.contents | {(0, 0): one, (1, 0): other})
        for look, (one, other) in zip(
            looks_at((0, 0), [(1.0, 0, 0)] * 6, [0] * 6),
            [(doubtful, clear), (clear, doubtful)] * 3, strict=True
        )
    ]  # fmt: skip

    reading = in_two_lights(looks)

    assert reading.contents[(0, 0)].argmax() == reading.contents[(1, 0)].argmax() == 2
    assert reading.contents[(0, 0)][2] == pytest.approx(0.9)


def test_clay_that_strong_light_hides_is_seen_when_evened():
    clays = [(0.97, 0.03, 0.0), (0.1, 0.9, 0.0)] * 3

    reading = in_two_lights(looks_at((5, 0), clays, [4] * 6))

    assert 1 - reading.clay[(5, 0)][0] > CLAY_SEEN


def test_networks_that_are_missing_say_what_to_do(tmp_path):
    with pytest.raises(ModelError, match="make train"):
        HexModels(tmp_path)


@pytest.mark.parametrize("key", ["format", "version", "colour", "contents"])
def test_a_manifest_of_other_networks_is_refused(tmp_path, key):
    manifest = json.loads((TRAINED / MANIFEST).read_text("utf-8")) | {key: "other"}
    (tmp_path / MANIFEST).write_text(json.dumps(manifest), "utf-8")

    with pytest.raises(ModelError, match=key):
        HexModels(tmp_path)


@pytest.mark.parametrize("sums", [None, "text", {}])
def test_a_network_that_its_manifest_does_not_name_is_refused(tmp_path, sums):
    manifest = json.loads((TRAINED / MANIFEST).read_text("utf-8")) | {"sha256": sums}
    (tmp_path / MANIFEST).write_text(json.dumps(manifest), "utf-8")
    for name in NETWORKS:
        (tmp_path / f"{name}.onnx").write_bytes(b"something else")

    with pytest.raises(ModelError, match="not the file"):
        HexModels(tmp_path)


RED_CELLS, VIOLET_CELLS = ((0, 0), (1, 0), (2, 0)), ((-3, 0), (-3, 1), (-3, 2))
ODD = (4, -4)


def shares(name: str, sure: float = 0.999, second: str = "eye") -> np.ndarray:
    found = np.zeros(len(CONTENTS))
    found[CONTENTS.index(name)], found[CONTENTS.index(second)] = sure, 1 - sure
    return found


@pytest.fixture
def reading() -> CellReadings:
    contents = dict.fromkeys(CELLS, shares("empty"))
    contents |= dict.fromkeys(RED_CELLS, shares("red"))
    contents |= dict.fromkeys(VIOLET_CELLS, shares("violet"))
    sides = dict.fromkeys(CELLS, np.zeros(6))
    return CellReadings(contents, dict.fromkeys(CELLS, 0.0),
                        dict.fromkeys(CELLS, np.array([1.0, 0, 0])), sides, sides)  # fmt: skip


@pytest.mark.parametrize(("hint", "doubtful"), [(0.0001, False), (0.0007, True)])
def test_a_tile_that_hints_at_clay_is_worth_another_look(reading, hint, doubtful):
    clay = np.array([1 - hint, hint, 0.0])

    assert is_doubtful(replace(reading, clay=reading.clay | {(0, 0): clay})) is doubtful
    assert not is_doubtful(replace(reading, clay=reading.clay | {ODD: clay}))


@pytest.mark.parametrize(
    ("share", "doubtful"), [(0.001, False), (0.5, True), (0.98, True), (0.999, False)]
)
def test_a_side_that_may_part_two_tiles_is_worth_another_look(reading, share, doubtful):
    sides = {cell: reading.joined[cell].copy() for cell in CELLS}
    sides[(0, 0)][0] = sides[(1, 0)][3] = share

    assert is_doubtful(replace(reading, joined=sides)) is doubtful

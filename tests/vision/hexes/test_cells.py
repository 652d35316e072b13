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
    VIEW_PX,
    CellReadings,
    balanced,
    laid_out,
    read_cells,
    turned_cell,
)
from vision.hexes.models import MANIFEST, NETWORKS, HexModels, shipped_models
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

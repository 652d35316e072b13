"""A few tiles alone on a bare table."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.core.files import TRAINED
from vision.core.request import ReadRequest
from vision.detect.detect import few_tiles
from vision.detect.network import MANIFEST, shipped_network
from vision.intake.picture import load_picture
from vision.read import read_table

pytestmark = pytest.mark.skipif(not (TRAINED / MANIFEST).exists(), reason="no trained detector")


def test_nothing_is_found_on_a_blank_picture():
    blank = np.full((300, 400, 3), 120, np.uint8)

    assert few_tiles(blank, shipped_network()).found == ()


def test_chessboard_is_no_short_layout():
    board = np.kron(np.indices((8, 8)).sum(axis=0) % 2 * 180 + 40, np.ones((40, 40)))
    picture = cv2.copyMakeBorder(
        board.astype(np.uint8), 60, 60, 60, 60, cv2.BORDER_CONSTANT, None, 90
    )
    bgr = np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)

    assert few_tiles(bgr, shipped_network()).found == ()


@pytest.mark.skipif("SNAKE_EYE_SHARED" not in os.environ, reason="SNAKE_EYE_SHARED is not set")
def test_three_dark_tiles_of_an_unknown_box_are_found_alone_on_wood():
    photo = Path(os.environ["SNAKE_EYE_SHARED"]) / "photos" / "qwirkle" / "A_01.jpg"

    state = read_table(load_picture(photo), ReadRequest("square"))

    cells = sorted(tuple(entry["at"]) for entry in state.tiles)
    steps = np.diff(np.array(cells), axis=0)
    assert len(cells) == 3
    assert (np.abs(steps).sum(axis=1) == 1).all()
    assert state.aside == ()

"""A whole reading of the hex games, on blank pictures and on a drawn table."""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.evaluate.score import Shown, compared, smallest_cell_px
from models.lab.training.hex_samples import hex_table
from vision.core.request import ReadRequest
from vision.core.tables import TableState, quality_to_json, table_state_to_json
from vision.hexes import plane
from vision.hexes.cells import CELLS, CellReadings
from vision.hexes.models import CONTENTS
from vision.hexes.plane import HexBoard, plane_of
from vision.hexes.read import read_hex_table
from vision.intake.picture import Picture, picture_file
from vision.read import read_table


@pytest.mark.parametrize("game", ["snekagon", "snekagon5g"])
@pytest.mark.parametrize("level", [0, 200])
def test_a_blank_picture_has_nothing_and_says_so(game, level):
    blank = np.full((480, 640, 3), level, np.uint8)

    state = read_hex_table(blank, built_in_set(game), game)

    assert state.tiles == state.unsure == state.aside == state.clay == ()
    assert not state.quality.ok
    assert state.quality.advice


@pytest.mark.parametrize(("game", "seed"), [("snekagon", 1), ("snekagon5g", 2)])
def test_a_drawn_table_is_read(game, seed):
    table = hex_table(seed, game, "held-out", (1600, 1200))

    state = read_hex_table(table.bgr, built_in_set(game), game)

    shown = Shown(table.bgr, table.truth, table.boards)
    assert compared(shown, state, game)["exact"]


@pytest.fixture(scope="module")
def table():
    return hex_table(1, "snekagon", "held-out", (1024, 768))


def read(bgr):
    return read_hex_table(bgr, built_in_set("snekagon"), "snekagon")


def test_a_soft_picture_that_is_read_exactly_is_good_enough(table):
    soft = cv2.GaussianBlur(table.bgr, (0, 0), 0.065 * smallest_cell_px(table))

    state = read(soft)

    assert compared(table, state, "snekagon")["exact"]
    assert state.quality.ok


def test_cells_below_24_pixels_are_told_to_be_small(table):
    share = 20.0 / smallest_cell_px(table)
    state = read(cv2.resize(table.bgr, None, fx=share, fy=share, interpolation=cv2.INTER_AREA))

    assert not state.quality.ok
    assert "small" in {advice.what for advice in state.quality.advice}


def test_cells_that_measure_a_little_more_than_they_are_are_told_to_be_small(table):
    share = 23.9 / smallest_cell_px(table)
    state = read(cv2.resize(table.bgr, None, fx=share, fy=share, interpolation=cv2.INTER_AREA))

    assert "small" in {advice.what for advice in state.quality.advice}


def test_cells_of_24_pixels_that_measure_a_little_less_are_told_and_will_do(table):
    share = 24.0 / smallest_cell_px(table)
    state = read(cv2.resize(table.bgr, None, fx=share, fy=share, interpolation=cv2.INTER_AREA))

    assert state.quality.ok
    assert {advice.what for advice in state.quality.advice} <= {"small"}


def test_a_dark_picture_without_a_board_is_told_to_be_dark():
    dark = np.random.default_rng(1).integers(0, 12, (480, 640, 3), np.uint8)

    assert [advice.what for advice in read(dark).quality.advice] == ["dark"]


def test_of_a_board_under_something_large_nothing_is_sure_and_wrong(table):
    covered = table.bgr.copy()
    corners = table.boards[0].px(np.array([(-6.0, -6), (0.5, -6), (0.5, 6), (-6, 6)]))
    cv2.fillPoly(covered, [np.round(corners).astype(np.int32)], (90, 60, 40))

    state = read(covered)

    assert {advice.what for advice in state.quality.advice} & {"covered", "cut-off"}
    assert not {entry["tile"] for entry in state.tiles} - {t["tile"] for t in table.truth["tiles"]}


def test_single_hexes_that_a_cold_shadow_makes_up_are_not_claimed():
    table = hex_table(9, "snekagon", "held-out", (1024, 768))
    sharp = np.zeros(table.bgr.shape[:2], np.float32)
    corners = table.boards[0].px(np.array([(-6.0, -2), (6, -1), (6, 6), (-6, 6)]))
    cv2.fillPoly(sharp, [np.round(corners).astype(np.int32)], 1.0)
    shadow = cv2.GaussianBlur(sharp, (0, 0), 12)[..., None]
    cold = np.array([0.45, 0.22, 0.12], np.float32)

    state = read((table.bgr * (1 - shadow + shadow * cold)).astype(np.uint8))

    shown = Shown(table.bgr, table.truth, table.boards)
    assert compared(shown, state, "snekagon")["sure_wrong"] == 0
    singles = Counter(entry["tile"] for entry in state.tiles)
    assert all(count <= built_in_set("snekagon").counts[tile] for tile, count in singles.items())


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_board_that_the_edge_cuts_is_read_and_told_to_be_cut(table, side):
    cells = table.boards[0].px(plane_of(CELLS))
    low, high = cells[:, 0].min(), cells[:, 0].max()
    share = 0.06 * (high - low)
    start, end = (low + share, 10**6) if side == "left" else (0, high - share)
    shown = np.ascontiguousarray(table.bgr[:, int(start) : int(end)])

    state = read(shown)

    assert state.tiles
    assert "cut-off" in {advice.what for advice in state.quality.advice}
    assert {e["tile"] for e in state.tiles} <= {e["tile"] for e in table.truth["tiles"]}


def test_boards_that_keep_moving_are_not_sure(table, monkeypatch):
    monkeypatch.setattr(plane, "STEADY", -1.0)

    state = read(table.bgr)

    assert not state.tiles
    assert {entry["why"] for entry in state.unsure} == {"covered"}
    assert not state.quality.ok


@pytest.mark.parametrize(("tilt", "told"), [(-0.02, False), (-0.03, True)])
def test_cells_that_become_small_beyond_the_pictures_edge_are_told(tilt, told):
    board = HexBoard(
        np.array([[28.0, 320 * tilt, 320], [0, 26, 70], [0, tilt, 1]]), (319.5, 239.5), 400.0
    )
    bare = np.array([float(name == "empty") for name in CONTENTS])
    sides = dict.fromkeys(CELLS, np.zeros(6))
    reading = CellReadings(
        dict.fromkeys(CELLS, bare),
        dict.fromkeys(CELLS, 0.0),
        dict.fromkeys(CELLS, np.array([1.0, 0, 0])),
        sides,
        sides,
    )
    picture = np.full((480, 640, 3), 150, np.uint8)

    state = read_hex_table(
        picture, built_in_set("snekagon"), "snekagon", boards=[board], read=lambda *_: [reading]
    )

    assert ("small" in {advice.what for advice in state.quality.advice}) is told
    assert state.quality.ok


def test_where_cells_are_too_small_to_place_their_board_none_is_said_to_be_seen(table):
    tiny = cv2.resize(table.bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    rows = table.boards[0].px(plane_of(CELLS))[:, 1] / 2
    top = int(rows.min() + 0.75 * np.ptp(rows))
    rest = np.full((420, tiny.shape[1], 3), tiny[-1, 0], np.uint8)

    state = read(np.concatenate([tiny[top:], rest]))

    assert state.tiles == state.unsure == ()
    assert {advice.what for advice in state.quality.advice} == {"cut-off"}


# --- Photographs that were decoded at a half ---


def photo_at_a_half(bgr: np.ndarray) -> Picture:
    packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    return picture_file(packed, "photo.jpg").decode(most_pixels=bgr.size // 12 + 1)


def doubled(bgr: np.ndarray) -> Picture:
    """Return a picture as if its file had twice as many pixels across."""
    return Picture(bgr, (2 * bgr.shape[1], 2 * bgr.shape[0]))


def test_cells_that_are_small_at_a_half_are_read_from_all_pixels(table):
    share = 40.0 / smallest_cell_px(table)
    bgr = cv2.resize(table.bgr, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    request = ReadRequest("hex", built_in_set("snekagon"))
    half = photo_at_a_half(bgr)

    state = read_table(half, request)

    assert half.scale > 1.9
    assert state.quality.ok
    assert table_state_to_json(state) == table_state_to_json(read_table(half.finer(), request))


def cut_off_box(state: TableState) -> list[int]:
    said = quality_to_json(state.quality, state.size_px)["advice"]
    (box,) = [one["box"] for one in said if one["what"] == "cut-off"]
    return list(box)


def test_advice_and_clay_are_in_pixels_of_the_whole_picture():
    table = hex_table(1, "snekagon5g", "held-out", (1280, 960))
    request = ReadRequest("hex", built_in_set("snekagon5g"))
    cut = np.ascontiguousarray(table.bgr[:, 288:])

    own, whole = read_table(cut, request), read_table(doubled(cut), request)

    assert own.clay
    for here, there in zip(own.clay, whole.clay, strict=True):
        assert there["centre"] == pytest.approx(2 * np.array(here["centre"]) + 0.5)
    boxes = [cut_off_box(state) for state in (own, whole)]
    assert boxes[1] == [2 * side for side in boxes[0]]

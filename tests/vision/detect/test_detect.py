"""Finding tiles, stage by stage: maps painted by a formula, then the shipped network itself."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from models.lab.scenes.scene import make_scene
from vision.core.errors import ModelError
from vision.core.files import TRAINED
from vision.detect.detect import QUICK, DetectSettings, detect_tiles
from vision.detect.network import (
    CHANNELS,
    MANIFEST,
    SIZE_PX,
    STRIDE,
    TileMaps,
    TileNetwork,
    found_cells,
    outline_of,
    run_in_parts,
    shipped_network,
)

SHIPPED = (TRAINED / MANIFEST).exists()
needs_network = pytest.mark.skipif(not SHIPPED, reason="no trained detector here")


def empty_maps(rows: int, columns: int) -> np.ndarray:
    maps = np.zeros((len(CHANNELS), rows, columns), np.float32)
    maps[:6] = -8.0
    return maps


def painted(maps: np.ndarray, kind: str, centre_px, half_px: float, turn_deg: float) -> None:
    """Paint into the maps what a perfect network would say of one tile seen from above."""
    folds = 4 if kind == "square" else 6
    turn = np.radians(turn_deg)
    ys, xs = np.mgrid[0 : maps.shape[1], 0 : maps.shape[2]] * STRIDE + (STRIDE - 1) / 2
    dx, dy = xs - centre_px[0], ys - centre_px[1]
    u = (np.cos(turn) * dx + np.sin(turn) * dy) / half_px
    v = (-np.sin(turn) * dx + np.cos(turn) * dy) / half_px
    if kind == "square":
        inside = np.maximum(np.abs(u), np.abs(v)) <= 1
    else:
        sides = [np.abs(u * np.cos(a) + v * np.sin(a)) for a in np.radians([30, 90, 150])]
        inside = np.maximum.reduce(sides) <= np.sqrt(3) / 2
    maps[CHANNELS.index(kind)][inside] = 8.0
    said = [
        -dx / half_px,
        -dy / half_px,
        np.log(half_px / SIZE_PX),
        0,
        0,
        np.cos(folds * turn),
        np.sin(folds * turn),
    ]
    for channel, value in enumerate(said, start=6):
        maps[channel][inside] = np.broadcast_to(value, xs.shape)[inside]


def test_tiles_side_by_side_are_told_apart():
    maps = empty_maps(60, 80)
    for x in (60, 100, 140):
        painted(maps, "square", (x, 100), 20, 0)

    cells = found_cells(TileMaps(maps, (1.0, 1.0)))

    assert sorted(round(float(c.centre_px[0])) for c in cells) == [60, 100, 140]
    assert all(c.agreed == pytest.approx(1, abs=0.1) for c in cells)


def test_corners_of_a_turned_tile_are_exact():
    maps = empty_maps(60, 80)
    painted(maps, "square", (150.3, 120.6), 40, 25)

    cell = found_cells(TileMaps(maps, (1.0, 1.0)))[0]

    turn = np.radians(25)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    expected = np.array([(-40, -40), (40, -40), (40, 40), (-40, 40)]) @ spin.T + (150.3, 120.6)
    gaps = [np.abs(np.roll(cell.corners_px, k, axis=0) - expected).max() for k in range(4)]
    assert min(gaps) < 0.1


def test_hex_has_six_corners_and_its_kind():
    maps = empty_maps(60, 80)
    painted(maps, "hex", (150, 120), 40, 10)

    cells = found_cells(TileMaps(maps, (1.0, 1.0)), ("square", "hex"))

    assert [c.kind for c in cells] == ["hex"]
    assert np.linalg.norm(cells[0].corners_px - (150, 120), axis=1) == pytest.approx(40, abs=0.2)


def test_places_are_those_of_the_whole_picture():
    maps = empty_maps(60, 80)
    painted(maps, "square", (100.0, 80.0), 20, 0)

    cell = found_cells(TileMaps(maps, (0.5, 0.5), (300.0, 200.0)))[0]

    assert cell.centre_px == pytest.approx([300 + 201 - 0.5, 200 + 161 - 0.5], abs=0.1)


def test_places_in_maps_and_picture_lead_back():
    seen = TileMaps(empty_maps(10, 10), (0.4, 0.41), (30.0, 20.0))
    points = np.array([(100.0, 50.0), (35.5, 60.25)])

    assert seen.picture_px(seen.map_xy(points)) == pytest.approx(points)


def test_few_stray_pixels_are_no_tile():
    maps = empty_maps(60, 80)
    painted(maps, "square", (100, 100), 40, 0)
    maps[0, :, 17:] = -8

    assert found_cells(TileMaps(maps, (1.0, 1.0))) == ()


def test_tile_whose_middle_lies_far_outside_the_picture_is_none():
    maps = empty_maps(30, 40)
    painted(maps, "square", (-60, 60), 80, 0)

    assert (maps[0] > 0).any()
    assert found_cells(TileMaps(maps, (1.0, 1.0))) == ()


def test_empty_maps_show_nothing():
    assert found_cells(TileMaps(empty_maps(30, 40), (1.0, 1.0))) == ()


def test_stretched_outline_has_the_size_it_says():
    corners = outline_of(np.array([0.0, 0.3, 0.1, 1.0, 0.0]), square=True)

    x, y = corners.T
    area = abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2
    assert area == pytest.approx((2 * SIZE_PX) ** 2)


class _Painter:
    """Shows one tile at any look, and another only while the picture is looked at from afar."""

    def look(self, bgr, scale, box=None, **_):
        left, top, right, bottom = box or (0, 0, bgr.shape[1], bgr.shape[0])
        maps = empty_maps(
            int((bottom - top) * scale) // STRIDE, int((right - left) * scale) // STRIDE
        )
        for x, seen in ((300.0, True), (500.0, scale < 0.7)):
            if seen:
                middle = ((x - left) * scale, (400.0 - top) * scale)
                painted(maps, "square", middle, 20.0 * scale, 0)
        return TileMaps(maps, (scale, scale), (float(left), float(top)))


def test_tile_that_only_the_first_look_shows_is_a_faint_one():
    bgr = np.zeros((960, 1280, 3), np.uint8)
    painter: Any = _Painter()

    seen = detect_tiles(bgr, "square", network=painter, settings=QUICK)

    assert [round(float(one.centre_px[0]), -1) for one in seen.found] == [300]
    assert [round(float(one.centre_px[0]), -1) for one in seen.faint] == [500]


class _Dice:
    """Shows one large tile and three dice."""

    def look(self, bgr, scale, box=None, **_):
        left, top, right, bottom = box or (0, 0, bgr.shape[1], bgr.shape[0])
        maps = empty_maps(
            int((bottom - top) * scale) // STRIDE, int((right - left) * scale) // STRIDE
        )
        for x, half in ((200.0, 32.0), (400.0, 32.0), (600.0, 90.0), (900.0, 32.0)):
            painted(maps, "square", ((x - left) * scale, (400.0 - top) * scale), half * scale, 0)
        return TileMaps(maps, (scale, scale), (float(left), float(top)))


def test_large_tile_among_dice_is_a_faint_one_of_its_own_size():
    bgr = np.zeros((960, 1280, 3), np.uint8)
    dice: Any = _Dice()

    seen = detect_tiles(bgr, "square", network=dice, settings=QUICK)

    assert [round(float(one.centre_px[0]), -2) for one in seen.faint] == [600]
    assert seen.faint[0].across_px == pytest.approx(180, rel=0.05)


@pytest.mark.parametrize("runner", ["_runner", "_quick_runner"])
def test_parts_of_a_large_picture_have_the_maps_of_the_whole(runner):
    network = getattr(shipped_network(), runner)
    picture = np.random.default_rng(3).integers(0, 256, (701, 930, 3), np.uint8)
    whole, parts = (run_in_parts(network, picture, most) for most in (1e9, 1e5))
    np.testing.assert_array_equal(parts, whole)


def test_maps_of_another_form_are_refused():
    with pytest.raises(ValueError, match="13 x rows x columns"):
        TileMaps(np.zeros((4, 10, 10), np.float32), (1.0, 1.0))


def test_missing_model_says_what_to_do(tmp_path):
    with pytest.raises(ModelError, match="make train"):
        TileNetwork(tmp_path)


@needs_network
def test_quick_copy_finds_the_same_tiles_where_they_are():
    bgr = np.asarray(make_scene(31000, "held-out", "schlangennest", (1280, 720)).bgr, np.uint8)
    slow, quick = (
        detect_tiles(bgr, "square", settings=replace(QUICK, quick_at_once=how), wide_px=60.0)
        for how in (False, True)
    )

    assert len(slow.found) == len(quick.found) > 0
    for one in slow.found:
        other = min(quick.found, key=lambda d: np.linalg.norm(d.centre_px - one.centre_px))
        assert np.abs(other.corners_px - one.corners_px).max() < 0.06 * one.across_px


@needs_network
def test_quick_copy_that_is_not_its_manifests_is_refused(tmp_path):
    manifest = json.loads((TRAINED / MANIFEST).read_text())
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    (tmp_path / manifest["file"]).write_bytes((TRAINED / manifest["file"]).read_bytes())
    (tmp_path / manifest["quick"]["file"]).write_bytes(b"something else")

    with pytest.raises(ModelError, match="not the file"):
        TileNetwork(tmp_path)


@needs_network
def test_model_that_is_not_its_manifests_is_refused(tmp_path):
    manifest = json.loads((TRAINED / MANIFEST).read_text())
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    (tmp_path / manifest["file"]).write_bytes(b"something else")

    with pytest.raises(ModelError, match="not the file"):
        TileNetwork(tmp_path)


@needs_network
@pytest.mark.parametrize("shape", ["square", "hex", None])
def test_blank_picture_shows_no_tile(shape):
    blank = np.full((240, 320, 3), 200, np.uint8)

    assert detect_tiles(blank, shape).found == ()


@needs_network
def test_picture_of_one_pixel_shows_no_tile():
    assert detect_tiles(np.zeros((1, 1, 3), np.uint8), "square").found == ()


@needs_network
def test_chessboard_shows_no_tile():
    board = np.kron(np.indices((8, 8)).sum(axis=0) % 2, np.ones((40, 40))).astype(np.uint8)
    bgr = np.full((400, 400, 3), 180, np.uint8)
    bgr[40:360, 40:360] = np.stack([60 + 170 * board] * 3, axis=2)

    found = detect_tiles(bgr, "square", settings=DetectSettings(longest_px=640)).found

    assert found == ()


@needs_network
def test_cards_on_a_table_are_found():
    rng = np.random.default_rng(5)
    bgr = np.clip(rng.normal(120, 3, (480, 640, 3)), 0, 255).astype(np.uint8)
    places = [(150, 150), (222, 150), (294, 150), (294, 222)]
    for x, y in places:
        bgr[y - 32 : y + 38, x - 32 : x + 38] //= 2
        bgr[y - 35 : y + 35, x - 35 : x + 35] = (235, 240, 240)
        bgr[y - 12 : y + 12, x - 22 : x + 22] = rng.integers(0, 200, 3)

    detections = detect_tiles(bgr, "square", network=shipped_network())

    centres = sorted(
        (round(d.centre_px[0], -1), round(d.centre_px[1], -1)) for d in detections.found
    )
    assert len(centres) == len(places)
    assert all(not d.cut_off for d in detections.found)

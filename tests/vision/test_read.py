"""The whole way from a picture to a table state."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.art import faces
from vision.core.request import ReadRequest
from vision.intake.picture import Picture
from vision.read import grid_detections, read_table

NEST = built_in_set("schlangennest")
SIDE_PX = 96
STAGES = ["detect", "classify", "lattice", "reconstruct", "quality"]


def drawn(text: str, name: str = "schlangennest") -> np.ndarray:
    """A table seen straight from above, cards written ``x,y tile turns``."""
    tile_set = built_in_set(name)
    painted = faces(tile_set, 4.0)
    rng = np.random.default_rng(3)
    bgr = rng.normal((60, 80, 105), 6, (720, 960, 3)).clip(0, 255).astype(np.uint8)
    for card in text.split(";"):
        at, tile, turns = card.split()
        x, y = (int(v) for v in at.split(","))
        wide = len(tile_set[tile].cells)
        size = (SIDE_PX * wide, SIDE_PX)
        face = cv2.resize(painted[tile].bgr, size, interpolation=cv2.INTER_AREA)
        face = np.rot90(face, -int(turns))
        left, top = 240 + x * SIDE_PX, 170 + y * SIDE_PX
        bgr[top : top + face.shape[0], left : left + face.shape[1]] = face
    return cv2.GaussianBlur(bgr, (3, 3), 0)


def laid(state) -> list[tuple[str, int]]:
    return sorted((e["tile"], e["turns"]) for e in (*state.tiles, *state.unsure))


@pytest.mark.parametrize("level", [0, 128, 255])
@pytest.mark.parametrize("name", ["schlangennest", "carnival", "sssnake", None])
def test_blank_picture_is_an_empty_table(level, name):
    box = built_in_set(name) if name else None
    blank = np.full((240, 320, 3), level, np.uint8)

    state = read_table(blank, ReadRequest("square", box))

    assert (state.tiles, state.unsure, state.aside) == ((), (), ())


def test_drawn_table_is_read():
    text = "0,0 blue/straight 0;1,0 red/curve 1;2,0 green/head 2;1,1 yellow/tail 3;0,1 blue/curve 0"

    state = read_table(drawn(text), ReadRequest("square", NEST))

    kinds = sorted(tile for tile, _ in laid(state))
    assert kinds == ["blue/curve", "blue/straight", "green/head", "red/curve", "yellow/tail"]
    assert state.game == state.set_name == "schlangennest"


def test_house_of_a_drawn_carnival_is_the_origin():
    text = "1,1 house 0;1,0 yellow/straight 1;2,1 violet/corner 2;1,2 gift 0"

    state = read_table(drawn(text, "carnival"), ReadRequest("square", built_in_set("carnival")))

    at = {e["tile"]: tuple(e["at"]) for e in (*state.tiles, *state.unsure)}
    assert at == {
        "house": (0, 0),
        "yellow/straight": (0, -1),
        "violet/corner": (1, 0),
        "gift": (0, 1),
    }


def test_every_stage_is_timed():
    state = read_table(drawn("0,0 blue/straight 0"), ReadRequest("square", NEST))

    assert list(state.timings_ms) == STAGES


def test_outlines_are_in_pixels_of_the_whole_picture():
    bgr = drawn("0,0 blue/straight 0;1,0 red/curve 1;0,1 blue/curve 0;1,1 green/curve 0")
    half = Picture(bgr, (bgr.shape[1] * 2, bgr.shape[0] * 2))

    state = read_table(half, ReadRequest("square", NEST))

    middle = np.mean([np.mean(e["outline"], axis=0) for e in state.tiles], axis=0)
    assert middle == pytest.approx((2 * (240 + SIDE_PX), 2 * (170 + SIDE_PX)), abs=12)


def test_grid_divides_the_whole_picture():
    found = grid_detections((500, 300), (5, 3)).found

    assert len(found) == 15
    assert found[0].corners_px[0] == pytest.approx((-0.5, -0.5))
    assert found[-1].corners_px[2] == pytest.approx((499.5, 299.5))


def test_grid_of_any_box_is_all_unknown():
    request = ReadRequest("square", None, grid=(3, 2))

    state = read_table(np.zeros((200, 300, 3), np.uint8), request)

    assert {tuple(e["at"]) for e in state.tiles} == {(x, y) for x in range(3) for y in range(2)}

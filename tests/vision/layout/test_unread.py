"""Why nothing was read: outlines that may be tiles, too small to tell."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.scenes.scene import make_scene
from vision import ReadRequest, read_table
from vision.core.types import Detection, Detections, width_of
from vision.layout.unread import Visible, burnt_outlines, few_small, small_outlines, unread

UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


def outline(wide_px: float, sure: float) -> Detection:
    return Detection(UNIT * wide_px + 100, sure)


@pytest.mark.parametrize(
    ("wide_px", "sure", "scale", "told"),
    [(20, 0.7, 1.0, 1), (20, 0.3, 1.0, 0), (30, 0.7, 1.0, 0), (20, 0.7, 2.0, 0)],
)
def test_single_outline_may_be_a_small_tile(wide_px, sure, scale, told):
    one = outline(wide_px, sure)

    assert len(few_small(Detections((640, 480), "square", (one,)), scale)) == told
    assert len(few_small(Detections((640, 480), "square", (), (one,)), scale)) == told


def test_tiles_too_small_to_be_found_are_seen_when_looked_at_closely():
    scene = make_scene(60903, "held-out", "sssnake")
    nothing = Detections((640, 480), "square", ())

    small = small_outlines(scene.bgr, nothing, 1.0)

    assert len(small) > 20
    assert max(width_of(outline) for outline in small) < 16


def test_nothing_small_is_seen_on_an_empty_table():
    scene = make_scene(70002, "held-out", "nothing", (640, 480))

    assert small_outlines(scene.bgr, Detections((640, 480), "square", ()), 1.0) == ()


@pytest.mark.parametrize(("white", "burnt"), [(4, 4), (3, 0)])
def test_several_outlines_that_no_card_has_and_that_are_white_are_burnt_cards(white, burnt):
    bgr = np.full((480, 640, 3), 60, np.uint8)
    found = []
    for k in range(6):
        bgr[100:140, 100 * k + 20 : 100 * k + 60] = 255 if 0 < k <= white else 120
        found.append(Detection(UNIT * 40 + [100 * k + 39.5, 119.5], 0.9))
    read = Visible((found[0].corners_px,), beside=(found[5].corners_px + 10,))

    left = unread(read, Detections((640, 480), "square", tuple(found)))

    assert left.found == tuple(found[1:5])
    assert len(burnt_outlines(bgr, left)) == burnt


def test_row_that_light_has_burnt_white_beside_cards_that_are_read_is_not_left_out_in_silence():
    scene = make_scene(440276, "held-out", "sssnake", beside="close")

    quality = read_table(scene.bgr, ReadRequest("square", built_in_set("sssnake"))).quality

    assert not quality.ok
    assert [advice.what for advice in quality.advice] == ["glare"]

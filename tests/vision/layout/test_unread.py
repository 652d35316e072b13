"""Why nothing was read: outlines that may be tiles, too small to tell."""

from __future__ import annotations

import numpy as np
import pytest

from models.scenes.scene import make_scene
from vision.core.types import Detection, Detections, width_of
from vision.layout.unread import few_small, small_outlines

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

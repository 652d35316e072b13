"""Why nothing was read: outlines that may be tiles, too small to tell."""

from __future__ import annotations

import numpy as np
import pytest

from vision.types import Detection, Detections
from vision.unread import few_small

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

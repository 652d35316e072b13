from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.moved import movement_since, remembered
from calibration.profile import Profile, TablePlane

SIZE_PX = (1280, 720)


def table(seed: int = 1) -> Any:
    """Return a wooden table with rings, cards and scratches on it."""
    rng = np.random.default_rng(seed)
    grain = cv2.resize(rng.normal(0, 1, (720, 40)), SIZE_PX, interpolation=cv2.INTER_CUBIC)
    fine = cv2.GaussianBlur(rng.normal(0, 1, (720, 1280)), (0, 0), 1.5) * 3
    wood = 120 + 14 * grain + 8 * fine
    bgr = np.dstack([wood * 0.6, wood * 0.8, wood])
    for _ in range(30):
        x, y = rng.integers(60, 1200), rng.integers(60, 660)
        colour = tuple(float(v) for v in rng.integers(30, 240, 3))
        corners = cv2.boxPoints(((int(x), int(y)), (60, 60), float(rng.uniform(0, 90))))
        cv2.fillConvexPoly(bgr, corners.astype(np.int32), colour)
        cv2.circle(bgr, (int(x), int(y)), 14, (240, 240, 240), 5)
    return np.clip(bgr, 0, 255).astype(np.uint8)


def profile_of(bgr: Any) -> Profile:
    size = (bgr.shape[1], bgr.shape[0])
    return Profile(
        size, table=TablePlane(np.diag([0.5, 0.5, 1.0]), "tiles"), reference=remembered(bgr)
    )


def knocked(bgr: Any, shift=(0.0, 0.0), turn_deg=0.0) -> Any:
    turn = cv2.getRotationMatrix2D((700, 300), turn_deg, 1.0)
    turn[:, 2] += shift
    return cv2.warpAffine(bgr, turn, SIZE_PX, borderMode=cv2.BORDER_REFLECT)


def with_arm(bgr: Any) -> Any:
    bgr = bgr.copy()
    cv2.line(bgr, (500, 350), (300, 719), (130, 160, 210), 150)
    return bgr


def in_other_light(bgr: Any) -> Any:
    across = np.linspace(0.4, 0.9, 1280)[None, :, None]
    return np.clip(bgr * across * (0.7, 0.9, 1.1), 0, 255).astype(np.uint8)


def with_new_tiles(bgr: Any) -> Any:
    bgr = bgr.copy()
    for x in (200, 520, 900, 1100):
        cv2.rectangle(bgr, (x, 240), (x + 70, 310), (40, 200, 90), -1)
        cv2.circle(bgr, (x + 35, 275), 20, (20, 20, 20), 6)
    return bgr


def with_noise(bgr: Any) -> Any:
    rough = np.random.default_rng(3).normal(0, 6, bgr.shape)
    return np.clip(bgr + rough, 0, 255).astype(np.uint8)


CHANGES: tuple[Callable[[Any], Any], ...] = (
    np.copy,
    with_arm,
    in_other_light,
    with_new_tiles,
    with_noise,
    lambda bgr: with_noise(in_other_light(with_arm(with_new_tiles(bgr)))),
)


@pytest.mark.parametrize("change", CHANGES)
def test_camera_that_stands_still_is_still_whatever_happens_on_the_table(change):
    bgr = table()

    assert movement_since(profile_of(bgr), change(bgr)) == "still"


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    ("shift", "turn_deg"), [((9, -6), 0), ((0, 0), 1.2), ((30, 25), -1), ((140, -80), 12)]
)
def test_knock_is_noticed(change, shift, turn_deg):
    bgr = table()

    assert movement_since(profile_of(bgr), change(knocked(bgr, shift, turn_deg))) == "moved"


def test_layout_that_was_pushed_is_no_knock():
    bgr = table()
    pushed = bgr.copy()
    pushed[200:560, 312:912] = bgr[200:560, 300:900]

    assert movement_since(profile_of(bgr), pushed) == "still"


@pytest.mark.parametrize("level", [0, 90, 255])
def test_bare_table_or_covered_lens_leaves_it_open(level):
    bgr, blank = table(), np.full((720, 1280, 3), level, np.uint8)

    assert movement_since(profile_of(bgr), blank) == "unsure"
    assert movement_since(profile_of(blank), bgr) == "unsure"


def test_another_table_leaves_it_open():
    assert movement_since(profile_of(table(1)), table(2)) == "unsure"


def test_profile_that_remembers_no_picture_leaves_it_open():
    assert movement_since(Profile(SIZE_PX), table()) == "unsure"


def test_frame_of_another_resolution_is_compared():
    bgr = table()
    small = cv2.resize(bgr, (640, 360), interpolation=cv2.INTER_AREA)

    assert movement_since(profile_of(bgr), small) == "still"


def test_remembered_picture_is_small_and_grey():
    assert remembered(table()).shape == (270, 480)
    assert remembered(table()[:200, :300]).shape == (200, 300)

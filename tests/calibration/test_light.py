import numpy as np
import pytest

from calibration.light import light_from_cards
from calibration.profile import Light


def table_with_cards(tint, count=12):
    """Return cards with white, red and blue on a brown table in coloured light, and outlines."""
    true = np.full((480, 640, 3), (60, 90, 130), np.float64)
    outlines = []
    for i in range(count):
        x, y = 40 + 150 * (i % 4), 30 + 150 * (i // 4)
        true[y : y + 90, x : x + 90] = 240
        true[y + 20 : y + 70, x + 10 : x + 80] = (40, 40, 200) if i % 2 else (200, 60, 30)
        outlines.append([(x, y), (x + 89, y), (x + 89, y + 89), (x, y + 89)])
    return (true * tint).clip(0, 255).astype(np.uint8), np.array(outlines, np.float64)


@pytest.mark.parametrize("tint", [(1.0, 1.0, 1.0), (0.55, 0.8, 0.95), (1.0, 0.85, 0.7)])
def test_white_of_the_cards_tells_the_colour_of_the_light(tint):
    bgr, outlines = table_with_cards(np.array(tint))

    light = light_from_cards(bgr, outlines)

    assert light is not None
    assert light.gains_bgr == pytest.approx((tint[1] / tint[0], 1, tint[1] / tint[2]), abs=0.03)


def test_corrected_picture_has_white_cards():
    bgr, outlines = table_with_cards(np.array((0.5, 0.7, 0.9)))

    light = light_from_cards(bgr, outlines)

    assert light is not None
    even = light.corrected(bgr)
    assert even.dtype == np.uint8
    assert even[35, 50].tolist() == pytest.approx([230, 230, 230], abs=4)


@pytest.mark.parametrize("level", [0.0, 0.03, 5.0])
def test_light_that_cannot_be_measured_is_none(level):
    bgr, outlines = table_with_cards(np.array((level, level, level)))

    assert light_from_cards(bgr, outlines) is None


def test_no_cards_tell_nothing():
    bgr, _ = table_with_cards(np.ones(3))

    assert light_from_cards(bgr, np.zeros((0, 4, 2))) is None
    assert light_from_cards(bgr, np.full((5, 4, 2), -50.0)) is None


def test_slope_is_taken_out():
    light = Light((200.0, 200.0, 200.0), (0.5, 0.0))
    across = (200 * (1 + 0.5 * (np.arange(100) / 99 - 0.5))).round()
    bgr = np.repeat(across[None, :, None], 50, 0).repeat(3, 2).astype(np.uint8)

    assert np.ptp(light.corrected(bgr).astype(int)) <= 3

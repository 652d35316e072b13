"""Dice drawn on a plain table: read when they are plain to see, never guessed."""

import cv2
import numpy as np
import pytest

from vision.die import read_die

TILE = np.array([(20, 20), (80, 20), (80, 80), (20, 80)], float)
PIPS = {1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "035268"}


def table(value: int | None, side: int = 24, angle: float = 20.0, ink=(25, 25, 25)) -> np.ndarray:
    rng = np.random.default_rng(3)
    bgr = np.clip(rng.normal((70, 95, 120), 4, (240, 320, 3)), 0, 255).astype(np.uint8)
    if value is not None:
        face = np.full((96, 96, 3), 240, np.uint8)
        for spot in PIPS[value]:
            at = 24 + 24 * (int(spot) % 3), 24 + 24 * (int(spot) // 3)
            cv2.circle(face, at, 9, ink, -1, cv2.LINE_AA)
        turn = cv2.getRotationMatrix2D((48, 48), angle, side / 96)
        turn[:, 2] += np.array([200 - 48, 120 - 48])
        mask = cv2.warpAffine(np.full((96, 96), 255, np.uint8), turn, (320, 240))
        seen = cv2.warpAffine(face, turn, (320, 240), flags=cv2.INTER_AREA)
        bgr[mask > 127] = seen[mask > 127]
    return cv2.GaussianBlur(bgr, (0, 0), 0.6)


@pytest.mark.parametrize("value", [1, 2, 3])
@pytest.mark.parametrize("angle", [0.0, 20.0, 75.0])
@pytest.mark.parametrize("side", [24, 26, 29])
def test_die_is_read_however_it_lies(value, angle, side):
    die = read_die(table(value, side, angle), [TILE])

    assert die is not None
    assert die.value == value
    assert np.hypot(*(die.outline_px.mean(axis=0) - (200, 120))) < 4


@pytest.mark.parametrize("value", [1, 2, 3])
@pytest.mark.parametrize("angle", [0.0, 20.0, 45.0])
@pytest.mark.parametrize("side", [12, 15, 18, 22, 26])
def test_die_is_never_read_wrong(value, angle, side):
    die = read_die(table(value, side, angle), [TILE])

    assert die is None or die.value == value


@pytest.mark.parametrize("value", [None, 4, 5, 6])
def test_other_pips_or_none_are_no_answer(value):
    assert read_die(table(value), [TILE]) is None


def test_pale_pips_are_no_answer():
    assert read_die(table(2, ink=(215, 215, 215)), [TILE]) is None


def test_die_on_a_tile_or_among_no_tiles_is_no_answer():
    around = np.array([(150, 70), (250, 70), (250, 170), (150, 170)], float)

    assert read_die(table(2), [around]) is None
    assert read_die(table(2), []) is None


def test_two_dice_are_no_answer():
    both = table(1)
    both[:, 20:140] = table(2)[:, 140:260]

    assert read_die(both, [TILE]) is None

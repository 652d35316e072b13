"""Outlines that agree with each other: one size, one table; drawn by a formula."""

import numpy as np
import pytest

from vision.core.outline import Forms, agreed_outlines, frames_of
from vision.core.types import Shape

SIZE_PX = (1280, 720)
SQUARE = np.array([(-20.0, -20), (20, -20), (20, 20), (-20, 20)])
ANGLES = np.radians([210, 270, 330, 30, 90, 150])
HEX = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1) * 24


def table(unit: np.ndarray, elevation_deg: float, seed: int = 0) -> np.ndarray:
    """Return 30 outlines of one size, lying anyhow, as a camera sees them."""
    rng = np.random.default_rng(seed)
    up = np.radians(elevation_deg)
    outlines = []
    for k in range(30):
        turn = rng.uniform(0, 7)
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        flat = unit @ spin.T + (k % 6 * 60 - 150, k // 6 * 60 - 120)
        away = 900 - flat[:, 1] * np.cos(up)
        seen = np.stack([flat[:, 0], flat[:, 1] * np.sin(up)], 1) * 1600 / away[:, None]
        outlines.append(seen + np.array([640.0, 360]))
    return np.array(outlines)


@pytest.mark.parametrize(("unit", "shape"), [(SQUARE, "square"), (HEX, "hex")])
def test_taken_apart_and_put_together_is_the_same(unit: np.ndarray, shape: Shape):
    outlines = table(unit, 90)

    again = Forms.of(outlines, shape).corners()

    gaps = [np.abs(np.roll(again, k, axis=1) - outlines).max(axis=(1, 2)) for k in range(6)]
    assert np.min(gaps, axis=0).max() < 1e-6


@pytest.mark.parametrize(("unit", "shape"), [(SQUARE, "square"), (HEX, "hex")])
@pytest.mark.parametrize("elevation_deg", [90, 60, 45])
def test_noise_of_size_and_stretch_is_evened_out(unit, shape: Shape, elevation_deg):
    truth = table(unit, elevation_deg)
    rng = np.random.default_rng(1)
    forms = Forms.of(truth, shape)
    noisy = Forms(
        forms.middles, forms.logs + rng.normal(0, 0.06, forms.logs.shape), forms.turns, shape
    ).corners()

    agreed, _, _ = agreed_outlines(noisy, np.ones(30), shape, SIZE_PX)

    before = np.linalg.norm(noisy - truth_like(noisy, truth), axis=2).mean()
    after = np.linalg.norm(agreed - truth_like(agreed, truth), axis=2).mean()
    assert after < 0.5 * before


def truth_like(outlines: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the true outlines, each beginning with the corner that its likeness begins with."""
    best = []
    for one, other in zip(outlines, truth, strict=True):
        turned = [np.roll(other, k, axis=0) for k in range(len(other))]
        gaps = [float(np.abs(t - one).sum()) for t in turned]
        best.append(turned[int(np.argmin(gaps))])
    return np.array(best)


def test_tile_of_another_size_is_noticed_and_does_not_disturb():
    outlines = table(SQUARE, 60)
    middle = outlines[7].mean(axis=0)
    outlines[7] = middle + (outlines[7] - middle) * 2

    agreed, change, _ = agreed_outlines(outlines, np.ones(30), "square", SIZE_PX)

    assert np.argmax(np.abs(change)) == 7
    assert change[7] == pytest.approx(np.log(2), abs=0.15)
    assert np.linalg.norm(np.delete(agreed - outlines, 7, axis=0), axis=2).max() < 2.5


def test_single_tile_keeps_its_outline():
    outline = table(SQUARE, 60)[:1]

    agreed, change, _ = agreed_outlines(outline, np.ones(1), "square", SIZE_PX)

    assert np.linalg.norm(agreed - outline, axis=2).max() < 1.5
    assert change[0] == pytest.approx(0, abs=1e-6)


def test_frames_of_no_outlines_are_none():
    assert frames_of(np.zeros((0, 4, 2)), "square").shape == (0, 2, 2)

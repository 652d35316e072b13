"""Tiles and the slabs of a table are both squares, of two sizes."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detect.two_sizes import agreed_by_size, larger_of_two

SIZE_PX = (1280, 720)


def squares(widths: list[float], seed: int = 4) -> np.ndarray:
    """Outlines anywhere, each a little off its width."""
    rng = np.random.default_rng(seed)
    unit = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    middles = rng.uniform((60, 60), (1220, 660), (len(widths), 2))
    sizes = np.array(widths) * np.exp(rng.normal(0, 0.03, len(widths)))
    return np.asarray(middles[:, None] + unit * sizes[:, None, None])


def steep(count: int, seed: int = 7) -> np.ndarray:
    """Outlines of one size in a steep view: three times as wide below as above."""
    rng = np.random.default_rng(seed)
    unit = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    middles = rng.uniform((60, 60), (1220, 660), (count, 2))
    sizes = 24 * np.exp((middles[:, 1] - 60) / 600 * np.log(3))
    return np.asarray(middles[:, None] + unit * sizes[:, None, None])


def widths_of(outlines: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(outlines[:, 1] - outlines[:, 0], axis=1))


def test_tiles_keep_their_size_among_larger_slabs():
    corners = squares([28.0] * 15 + [66.0] * 20)

    outlines, change = agreed_by_size(corners, np.ones(35), "square", SIZE_PX)

    assert widths_of(outlines)[:15] == pytest.approx(28, rel=0.08)
    assert widths_of(outlines)[15:] == pytest.approx(66, rel=0.08)
    assert np.abs(change).max() < 0.12


@pytest.mark.parametrize(
    "corners", [squares([40.0] * 30), steep(40), squares([40.0] * 20 + [90.0] * 2)],
    ids=["seen-from-above", "in-a-steep-view", "beside-two-odd-ones"],
)  # fmt: skip
def test_outlines_of_one_size_are_not_told_apart(corners):
    assert larger_of_two(corners, np.ones(len(corners)), "square", SIZE_PX) is None


def test_few_outlines_say_nothing_about_two_sizes():
    corners = squares([28.0] * 3 + [66.0] * 3)

    assert larger_of_two(corners, np.ones(6), "square", SIZE_PX) is None

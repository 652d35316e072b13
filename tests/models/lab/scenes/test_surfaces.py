"""What tiles lie on is made from its name alone, and repeats without a seam."""

import numpy as np
import pytest

from models.lab.scenes.splits import SPLITS, split_of
from models.lab.scenes.world.surfaces import SIZE_PX, surface
from models.lab.training import samples


def test_a_name_always_makes_the_same_bricks_and_another_name_others():
    first = surface("brick-00").bgr.copy()
    surface.cache_clear()

    assert first.shape == (SIZE_PX, SIZE_PX, 3)
    assert np.array_equal(surface("brick-00").bgr, first)
    assert not np.array_equal(surface("brick-01").bgr, first)


@pytest.mark.parametrize("number", [0, 1, 4])
def test_courses_of_bricks_go_on_across_the_edge_of_the_picture(number):
    bgr = surface(f"brick-{number:02d}").bgr.astype(np.float64)

    for axis in (0, 1):
        steps = np.abs(bgr - np.roll(bgr, 1, axis)).mean(axis=(1 - axis, 2))
        assert steps[0] <= 1.2 * steps[1:].max()


@pytest.mark.parametrize("split", SPLITS)
def test_some_tables_that_the_detector_learns_from_are_of_brick(split, monkeypatch):
    monkeypatch.setattr(samples, "sample_of", lambda settings, _rng: settings.surface.name)

    names = [str(samples.draw_sample(seed, split)) for seed in range(200)]
    bricks = [name for name in names if name.startswith(samples.BRICK)]

    assert 0.08 < len(bricks) / len(names) < 0.22
    assert {split_of(name) for name in bricks} == {split}

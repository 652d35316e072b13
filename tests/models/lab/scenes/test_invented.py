"""Invented sets: kinds that can be told apart, in every style."""

import numpy as np
import pytest

from models.lab.scenes.splits import invented_names
from models.lab.scenes.world.invented import FEWEST_KINDS, MOST_KINDS, PAINTERS, invented_set


@pytest.mark.parametrize("shape", ["square", "hex"])
def test_a_set_is_the_same_every_time_and_its_kinds_differ(shape):
    name = invented_names("train", shape)[7]
    box = invented_set(name)
    invented_set.cache_clear()
    again = invented_set(name)

    assert box.faces.keys() == again.faces.keys()
    assert np.array_equal(box.faces["k00"].levels[0], again.faces["k00"].levels[0])
    assert len(box.faces) <= MOST_KINDS
    pictures = [face.levels[2].astype(int) for face in box.faces.values()]
    for i, one in enumerate(pictures):
        for other in pictures[:i]:
            assert np.abs(one - other).mean() > 1


def test_most_sets_have_enough_kinds_and_every_style_occurs():
    names = [*invented_names("train", "square")[:12], *invented_names("train", "hex")[:12]]
    boxes = [invented_set(name) for name in names]

    assert np.mean([len(box.faces) >= FEWEST_KINDS for box in boxes]) > 0.9
    assert {box.style for box in boxes} == set(PAINTERS)

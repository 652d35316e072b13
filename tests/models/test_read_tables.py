"""Drawn tables whose pictures are not good enough, read whole: each says what is wrong with it.

Tables that were once read wrongly are a list of their own: ``make evaluate PARTS=misread``.
"""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.scenes.scene import make_scene
from models.lab.scenes.splits import SHARED_VARIABLE
from vision.core.files import TRAINED
from vision.core.request import ReadRequest
from vision.detect.network import MANIFEST
from vision.read import read_table

pytestmark = pytest.mark.skipif(not (TRAINED / MANIFEST).exists(), reason="no trained detector")

NOT_GOOD = {
    "a-layout-under-a-cup-among-sorted-stocks": ("schlangennest", 48398, "covered"),
    "a-layout-outside-beside-a-sorted-stock": ("carnival", 48058, "cut-off"),
    "a-card-at-the-edge-whose-big-card-is-outside": ("sssnake", 45087, "cut-off"),
    "a-shining-picture-with-many-unsure-cards": ("schlangennest", 45065, "glare"),
    "a-picture-in-which-all-cards-are-burnt": ("sssnake", 46141, "glare"),
}


@pytest.fixture(autouse=True)
def drawn_surfaces(monkeypatch):
    """Draw the same tables everywhere: a photographed surface would make others of their seeds."""
    monkeypatch.delenv(SHARED_VARIABLE, raising=False)


def test_picture_in_which_an_arm_hides_big_cards_is_not_good_enough():
    scene = make_scene(20004, "held-out", "sssnake")

    state = read_table(scene.bgr, ReadRequest("square", built_in_set("sssnake")))

    assert not state.quality.ok
    assert "covered" in [advice.what for advice in state.quality.advice]


@pytest.mark.parametrize(("game", "seed", "what"), NOT_GOOD.values(), ids=NOT_GOOD.keys())
def test_picture_is_told_to_be_not_good_enough(game, seed, what):
    scene = make_scene(seed, "held-out", game)

    state = read_table(scene.bgr, ReadRequest("square", built_in_set(game)))

    assert not state.quality.ok
    assert what in [advice.what for advice in state.quality.advice]


@pytest.mark.parametrize("seed", [47102, 47221], ids=["among-larger-slabs", "as-specks"])
def test_picture_in_which_cards_are_too_small_to_be_found_says_so(seed):
    scene = make_scene(seed, "held-out", "sssnake")

    state = read_table(scene.bgr, ReadRequest("square", built_in_set("sssnake")))

    assert not state.quality.ok
    boxes = [advice.box for advice in state.quality.advice if advice.what == "small"]
    middles = [np.mean(tile["outline"], axis=0) for tile in scene.truth["tiles"]]
    assert len(boxes) == 1
    assert any(_inside(middle, boxes[0]) for middle in middles)


def _inside(point, box):
    left, top, width, height = box
    return left <= point[0] <= left + width and top <= point[1] <= top + height

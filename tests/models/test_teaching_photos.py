"""Photographs that should be taken again are named, and learnt from all the same."""

from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.teaching.labels import parse_labels
from models.teaching.report import best_photo
from models.teaching.teach import Gathered, Lesson, gather

SIDE = 80
COLOURS = ((200, 120, 40), (40, 140, 60), (60, 210, 240))


def photo() -> np.ndarray:
    """Three squares side by side, each with a dark bar."""
    tiles = [np.full((SIDE, SIDE, 3), colour, np.uint8) for colour in COLOURS]
    for tile in tiles:
        cv2.rectangle(tile, (8, 30), (SIDE - 9, 44), (20, 20, 30), -1)
    return np.concatenate(tiles, axis=1)


def gathered(folder: Path, bgr: np.ndarray) -> Gathered:
    cv2.imwrite(str(folder / "one.png"), bgr)
    entries = [{"tile": name, "at": [x, 0]} for x, name in enumerate(("sea", "wood", "sun"))]
    labels = parse_labels({"photos": {"one.png": entries}}, "square")
    return gather(Lesson("mine", "square", folder, labels, grid=(3, 1)))


def test_a_photo_that_will_do_is_not_asked_for_again(tmp_path):
    assert gathered(tmp_path, photo()).poor == ()


@pytest.mark.parametrize(
    ("gain", "added", "words"), [(0.2, 230, "too bright"), (0.08, 0, "too dark")]
)
def test_a_photo_whose_colours_are_lost_should_be_taken_again(tmp_path, gain, added, words):
    spoilt = np.clip(photo() * gain + added, 0, 255).astype(np.uint8)

    found = gathered(tmp_path, spoilt)

    ((file, why),) = found.poor
    assert file == "one.png" and words in why
    assert len(found.examples) == 3


def test_a_better_photo_helps_more_than_one_of_look_alikes():
    counts, alike = Counter({"fox": 2, "owl": 2}), [("fox", "owl", 0.1)]

    assert "in place of one.png" in str(best_photo([], counts, alike, [], ["one.png"]))
    assert "owl" in str(best_photo([], counts, alike, ["owl"], ["one.png"]))

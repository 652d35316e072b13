"""Kinds of one print and kinds of many are told apart, and what would help most is said."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from models.lab.scenes.world.invented import invented_set
from models.lab.scenes.world.lands import land_box
from models.lab.training.print_drawing import kept_faces
from models.teaching.examples import Examples, aligned
from models.teaching.fit import FEW_KINDS, shows_lands
from models.teaching.report import best_photo

LIGHTS = (0.8, 1.15)


def examples_of(faces: dict[str, tuple[Any, ...]], lights: tuple[float, ...] = LIGHTS) -> Examples:
    """Return each kind once in every light; of several prints another one each time."""
    tiles, patches = [], []
    for kind, prints in faces.items():
        for n, light in enumerate(lights):
            patch = kept_faces([prints[n % len(prints)]])[0]
            patches.append(np.clip(patch * light, 0, 255).astype(np.uint8))
            tiles.append(kind)
    turns = np.full(len(tiles), -1)
    return aligned(Examples(np.stack(patches), tuple(tiles), turns, ("a.jpg",) * len(tiles)), 4)


def test_kinds_with_many_prints_are_lands():
    box = land_box("invented-square-0003", 2)

    assert shows_lands(examples_of(dict(box.faces)), 4)


def test_kinds_with_one_print_are_none():
    box = invented_set("invented-square-0003")
    some = {kind: (face,) for kind, face in list(box.faces.items())[:6]}

    assert not shows_lands(examples_of(some), 4)


@pytest.mark.parametrize(("kinds", "lands"), [(FEW_KINDS, True), (FEW_KINDS + 1, False)])
def test_kinds_that_were_seen_once_are_lands_where_they_are_few(kinds, lands):
    names = tuple(f"k{n}" for n in range(kinds))
    patches = np.zeros((kinds, 112, 112, 3), np.uint8)

    once = Examples(patches, names, np.zeros(kinds, np.int64), ("a.jpg",) * kinds)

    assert shows_lands(once, 4) is lands


def test_prints_of_one_land_differ():
    first, second = land_box("invented-hex-0003", 2).faces["land 1"]

    assert (first.levels[0] != second.levels[0]).mean() > 0.2


@pytest.mark.parametrize(
    ("doubtful", "counts", "alike", "missing", "words"),
    [
        ([], {"fox": 2}, [], ["owl"], "a photo with owl, which no photo shows yet"),
        (["elk"], {"fox": 2}, [("fox", "owl", 0.1)], [], "a photo with fox, owl, elk side by side"),
        ([], {"fox": 1, "owl": 2}, [], [], "a second photo of fox, in another light"),
    ],
)
def test_the_photo_that_would_help_most_is_named(doubtful, counts, alike, missing, words):
    said = best_photo(doubtful, Counter(counts), alike, missing)

    assert said is not None
    assert words in said


def test_nothing_is_asked_for_where_nothing_is_doubtful():
    assert best_photo([], Counter({"fox": 2}), [], []) is None

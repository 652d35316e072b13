"""Kinds that differ by a shade are told apart by what the light of a picture makes of colours."""

from dataclasses import replace

import numpy as np
import pytest

from models.teaching.examples import plain
from vision.classify.embedding import described_count
from vision.classify.faces import Prints, turned_face
from vision.classify.taught_looks import make_reader
from vision.core.crop import PATCH_PX
from vision.core.types import Look
from vision.light.picture_light import light_map
from vision.light.same_light import in_these_colours

COLOURS = {
    "red": (40, 40, 200),
    "rose": (110, 60, 200),
    "blue": (200, 60, 40),
    "green": (50, 180, 60),
    "gold": (40, 190, 220),
    "grey": (130, 130, 130),
}
KINDS = tuple(COLOURS)
LAMP = np.array([[0.8, 0.1, 0.0], [0.0, 0.7, 0.1], [0.1, 0.0, 0.9]])
WIDE = [60.0] * len(KINDS)


def face(kind: str) -> np.ndarray:
    """A disc of the kind's colour on paper, off the middle, so that turns differ."""
    out = np.full((PATCH_PX, PATCH_PX, 3), (210, 220, 225), np.uint8)
    y, x = np.mgrid[:PATCH_PX, :PATCH_PX]
    out[(x - 26) ** 2 + (y - 32) ** 2 < 220] = COLOURS[kind]
    return out


def under_lamp(bgr: np.ndarray) -> np.ndarray:
    lit = np.clip(bgr.astype(float) @ LAMP.T * 0.9 + 8, 0, 255)
    return np.asarray(lit, np.uint8)


@pytest.fixture
def reader():
    """A box whose looks are equally far from one another, with its prints."""
    looks = [Look(kind, 0, turn) for kind in KINDS for turn in range(4)]
    size = len(looks)
    project = np.zeros((described_count(), size), np.float32)
    project[:size] = np.eye(size)
    made = make_reader(None, looks, project, 20 * np.eye(size, dtype=np.float32), 4.0, 900.0)
    prints = Prints(np.stack([face(kind) for kind in KINDS]), KINDS, (0,) * len(KINDS))
    return replace(made, prints=prints)


def seen(reader, doubtful: str, taken_for: str) -> np.ndarray:
    """Distances of every kind, upright: one of them a little nearer to another."""
    distances = np.full((len(KINDS), len(reader.looks)), 400.0, np.float32)
    for n, kind in enumerate(KINDS):
        distances[n, reader.looks.index(Look(kind, 0, 0))] = 10.0
    distances[KINDS.index(doubtful), reader.looks.index(Look(taken_for, 0, 0))] = 7.0
    return distances


def best(reader, distances) -> list[str]:
    return [reading.guesses[0].tile for reading in reader.readings(distances)]


def test_a_shade_is_told_by_what_the_lamp_makes_of_the_other_colours(reader):
    distances = seen(reader, "rose", "red")
    patches = np.stack([under_lamp(face(kind)) for kind in KINDS])

    told = in_these_colours(reader, distances, patches, WIDE)

    assert best(reader, distances)[KINDS.index("rose")] == "red"
    assert best(reader, told) == list(KINDS)
    assert all(one.best > 0.9 for one in reader.readings(told))


def test_tiles_that_are_not_in_doubt_stay_as_they_were_read(reader):
    distances = seen(reader, "rose", "red")
    patches = np.stack([under_lamp(face(kind)) for kind in KINDS])

    told = in_these_colours(reader, distances, patches, WIDE)

    others = [n for n, kind in enumerate(KINDS) if kind != "rose"]
    assert np.array_equal(told[others], distances[others])


@pytest.mark.parametrize("case", ["no prints", "few tiles", "small tiles"])
def test_nothing_is_said_where_too_little_is_known(reader, case):
    distances = seen(reader, "rose", "red")
    patches = np.stack([under_lamp(face(kind)) for kind in KINDS])
    some = slice(0, 3) if case == "few tiles" else slice(None)
    wide = [20.0] * len(KINDS) if case == "small tiles" else WIDE
    asked = replace(reader, prints=None) if case == "no prints" else reader

    told = in_these_colours(asked, distances[some], patches[some], wide[some])

    assert np.array_equal(told, distances[some])


def test_light_is_learnt_though_tiles_lie_in_more_or_less_of_it_and_some_shine():
    rng = np.random.default_rng(3)
    there = rng.uniform(3, 5.4, (8, 60, 3))
    here = 0.5 + 0.9 * there + rng.normal(0, 0.05, (8, 1, 1)) + rng.normal(0, 0.01, there.shape)
    here[0, :20] = 5.5

    light = light_map(there, here)

    asked = rng.uniform(3.3, 5.1, (50, 3))
    off = light.makes(asked) - (0.5 + 0.9 * asked)
    assert np.abs(off - off.mean()).max() < 0.1
    assert abs(off.mean()) < 0.1


@pytest.mark.parametrize("folds", [4, 6])
def test_prints_turn_as_examples_do(folds):
    rng = np.random.default_rng(5)
    coarse = rng.uniform(0, 255, (7, 7, 3)).astype(np.float32)
    kept = np.kron(coarse, np.ones((16, 16, 1))).astype(np.uint8)[None]
    upright = plain(kept, [0], folds)[0]

    for turn in range(folds):
        off = np.abs(turned_face(upright, turn, folds).astype(int) - plain(kept, [turn], folds)[0])
        assert np.median(off[16:48, 16:48]) < 6


def test_prints_that_do_not_fit_together_are_refused():
    faces = np.zeros((2, PATCH_PX, PATCH_PX, 3), np.uint8)

    with pytest.raises(ValueError, match="prints are"):
        Prints(faces, ("red",), (0,))
    with pytest.raises(ValueError, match="photograph"):
        Prints(faces, ("red", "blue"), (0,))

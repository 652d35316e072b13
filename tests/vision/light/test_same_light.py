"""Taught boxes are read in the light of each picture."""

import numpy as np

from models.lab.evaluate.taught.invented import one_print
from models.lab.scenes.world.invented import invented_set
from vision.classify.embedding import LAND_NUMBERS, described_count
from vision.classify.taught_looks import make_reader
from vision.core.types import Look
from vision.light.same_light import in_this_light

KINDS, SIZE = 8, 12
LOOKS = [Look(f"k{number}", 0, 0) for number in range(KINDS)]


def box_of(count, *, lands=False):
    """Return a reader whose looks lie on the first axes of the features."""
    project = np.zeros((described_count(), SIZE), np.float32)
    project[:SIZE] = np.eye(SIZE)
    if lands:
        project[-LAND_NUMBERS:, 0] = 1
    centres = 20 * np.eye(count, SIZE, dtype=np.float32)
    return make_reader(None, LOOKS[:count], project, centres, 4.0, 900.0)


def seen(reader, off):
    """Return every look once, all off by the same."""
    rows = np.zeros((len(reader.looks), described_count()), np.float32)
    rows[:, :SIZE] = reader.centres + off
    return rows


def test_looks_move_by_what_all_tiles_of_a_picture_have_in_common():
    reader = box_of(KINDS)
    off = np.linspace(-4, 4, SIZE)

    moved = in_this_light(reader, seen(reader, off), [50.0] * KINDS)

    before = np.linalg.norm(off)
    after = np.linalg.norm(moved.centres - reader.centres - off, axis=1)
    assert (after < before / 2).all()


def test_too_few_tiles_move_nothing():
    reader = box_of(KINDS)
    rows = seen(reader, np.full(SIZE, 2.0))[:3]

    assert in_this_light(reader, rows, [50.0] * 3) is reader


def test_lands_are_left_as_they_were_taught():
    reader = box_of(KINDS, lands=True)

    assert in_this_light(reader, seen(reader, np.full(SIZE, 2.0)), [50.0] * KINDS) is reader


def test_kinds_that_were_drawn_twice_a_pixel_beside_are_one_print():
    names = one_print(invented_set("invented-square-0839"))

    assert {kind: name for kind, name in names.items() if kind != name} == {
        "k16": "k04",
        "k18": "k06",
    }

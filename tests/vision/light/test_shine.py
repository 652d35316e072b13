"""What a lamp mirrors on a tile is taken off before it is read."""

from dataclasses import replace

import cv2
import numpy as np

from vision.classify.embedding import described
from vision.classify.faces import GAMMA, Prints
from vision.classify.reader import make_reader
from vision.classify.taught_tiles import read_taught
from vision.core.crop import PATCH_PX, cut
from vision.core.types import Detection, Look
from vision.light.picture_light import without_shine

KINDS = 8
SHINING = 3


def prints():
    """Return some prints of blots in strong colours."""
    rng = np.random.default_rng(5)
    faces = np.empty((KINDS, PATCH_PX, PATCH_PX, 3), np.uint8)
    for face in faces:
        face[:] = rng.integers(60, 200, 3)
        for _ in range(5):
            at = tuple(int(v) for v in rng.integers(12, 52, 2))
            colour = tuple(int(v) for v in rng.choice([10, 230], 3))
            cv2.circle(face, at, int(rng.integers(5, 11)), colour, -1)
    return faces


def with_shine(face, light):
    lit = (face / 255) ** GAMMA + light
    return np.round(255 * np.minimum(lit, 1) ** (1 / GAMMA)).astype(np.uint8)


def row_of(faces):
    """Return a picture of tiles in a row, and their outlines."""
    bgr = np.full((PATCH_PX + 40, PATCH_PX * len(faces) + 40, 3), 120, np.uint8)
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float) * (PATCH_PX - 1)
    found = []
    for number, face in enumerate(faces):
        left = 20 + number * PATCH_PX
        bgr[20 : 20 + PATCH_PX, left : left + PATCH_PX] = face
        found.append(Detection(unit + np.array([left, 20]), 0.9))
    return bgr, found


def taught_from(bgr, found):
    """Return a reader of the tiles of a picture."""
    patches = cut(bgr, [one.corners_px for one in found])
    rows = described(patches)
    project = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2].T
    looks = [Look(f"k{number}", 0, 0) for number in range(len(found))]
    names = tuple(look.tile for look in looks)
    centres = rows @ project
    apart = ((centres[:, None] - centres[None]) ** 2).sum(axis=2)
    known = float(np.median(apart))
    reader = make_reader(None, looks, project, centres, known / 60, known, embedded=True)
    return replace(reader, prints=Prints(patches, names, (0,) * len(names)))


def test_light_that_was_added_can_be_taken_off():
    face = prints()[0]

    off = [np.abs(one.astype(int) - face).mean() for one in without_shine(with_shine(face, 0.3))]

    assert min(off) < 6


def test_tile_with_dark_places_has_no_shine():
    face = prints()[0]
    face[20:40, 20:40] = 0

    assert len(without_shine(face)) == 0


def test_shining_tile_is_read_as_what_it_is():
    faces = prints()
    reader = taught_from(*row_of(faces))
    faces[SHINING] = with_shine(faces[SHINING], 0.45)
    bgr, found = row_of(faces)

    readings = read_taught(bgr, found, reader, lambda patches: patches)

    assert [one.guesses[0].tile for one in readings] == [f"k{n}" for n in range(KINDS)]
    assert readings[SHINING].best > 0.9

"""Small tiles of a taught box are doubted, however often they are looked at."""

import numpy as np
import pytest

from vision.classify.embedding import described
from vision.classify.taught_looks import make_reader
from vision.classify.taught_tiles import read_taught
from vision.core.crop import cut
from vision.core.types import SURE, Detection, Look

SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)


def read(wide: float) -> float:
    """Return how surely a tile of this width, in pixels, is read."""
    bgr = np.full((120, 120, 3), (60, 120, 180), np.uint8)
    tile = Detection(40 + wide * SQUARE, 0.95)
    row = described(cut(bgr, [tile.corners_px]))
    project = (row / np.linalg.norm(row)).T
    here = row @ project
    reader = make_reader(
        None,
        [Look("fox"), Look("hen")],
        project,
        np.concatenate([here, here + 10.0]),
        temperature=5.0,
        known=1000.0,
    )

    (seen,) = read_taught(bgr, [tile], reader, lambda patches: patches)
    return seen.best


@pytest.mark.parametrize(("wide", "sure"), [(17.0, False), (60.0, True)])
def test_small_tile_stays_doubted_when_it_is_looked_at_beside_its_outline(wide, sure):
    assert (read(wide) >= SURE) == sure

"""A tile among many strangers is doubted, whatever else is found in the picture."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.art import faces
from vision.classify.embedding import described
from vision.classify.evidence import Evidence, Trees
from vision.classify.faces import Prints, faces_of_prints
from vision.classify.taught_looks import TaughtReader, make_reader
from vision.core.crop import cut
from vision.core.request import ReadRequest
from vision.core.types import Detection, Detections, Look
from vision.read import Stages, read_table

NEST = built_in_set("schlangennest")
SIDE, OWN = 64, ("blue/head", "red/curve")
SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float) * (SIDE - 1)


def tiles_among(strangers: int) -> tuple[np.ndarray, list[Detection]]:
    """Return a picture of two tiles side by side and strangers apart, and all outlines."""
    rng = np.random.default_rng(4)
    bgr = rng.normal((60, 80, 105), 6, (480, 640, 3)).clip(0, 255).astype(np.uint8)
    painted = faces(NEST, 4.0)
    corners = [(20, 20), (20 + SIDE, 20)]
    corners += [(20 + 100 * (n % 6), 120 + 90 * (n // 6)) for n in range(strangers)]
    for number, (left, top) in enumerate(corners):
        place = bgr[top : top + SIDE, left : left + SIDE]
        place[:] = rng.integers(0, 255, (SIDE, SIDE, 3))
        if number < len(OWN):
            face = painted[OWN[number]].bgr
            place[:] = cv2.resize(face, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return bgr, [Detection(SQUARE + np.array(corner), 0.95) for corner in corners]


def taught_from(bgr: np.ndarray, own: list[Detection]) -> TaughtReader:
    """Return a reader of two tiles, whose evidence makes no reading surer than 0.981."""
    patches = cut(bgr, [one.corners_px for one in own])
    rows = described(patches)
    known = float(((rows[0] - rows[1]) ** 2).sum()) / 2
    project = np.eye(rows.shape[1], dtype=np.float32)
    looks = [Look(tile) for tile in OWN]
    reader = make_reader(NEST, looks, project, rows, known / 60, known)
    none = np.zeros(1, np.int32)
    same = Trees(np.log(0.981 / 0.019), none, none - 1, np.zeros(1), none, none, np.zeros(1))
    prints = faces_of_prints(Prints(patches, OWN, (0, 0)))
    return replace(reader, evidence=Evidence(prints, same, same, share=0.8))


@pytest.mark.parametrize(("strangers", "told"), [(0, True), (14, False)])
def test_tiles_among_strangers_are_not_told(strangers, told):
    bgr, found = tiles_among(strangers)
    reader = taught_from(bgr, found[:2])
    seen = Detections((640, 480), "square", tuple(found))

    state = read_table(bgr, ReadRequest("square", NEST), Stages(lambda *_: seen, reader))

    assert sorted(entry["tile"] for entry in state.tiles) == (sorted(OWN) if told else [])

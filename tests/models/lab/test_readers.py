"""The comparison of readers on the same outlines, and the network read without its training."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.evaluate.readers import Answers, Outlines, compared, counted, outline_shows
from models.lab.one_reader import CellReader, OneReader, printed
from vision.core.files import TRAINED
from vision.core.types import Detection, Look

GAME = "schlangennest"
CHECKPOINT = Path(__file__).parents[3] / "models" / "lab" / "reader.npz"
CELL = np.array([(10.0, 10.0), (50.0, 10.0), (50.0, 50.0), (10.0, 50.0)])
SEEN = {"cut": False, "glare": 0.0, "visible": 0.9}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("net")
    # The network for taught boxes has the same form; the score is the checkpoint's own.
    shutil.copy(TRAINED / "embedding.onnx", folder / "reader.onnx")
    shutil.copy(CHECKPOINT, folder / "reader.npz")
    return folder


@pytest.fixture(scope="module")
def net(written: Path) -> OneReader:
    return OneReader(written)


def shown(tile: str, corners, *found):
    return [
        outline_shows(Detection(np.array(one), 1.0), [(Look(tile), corners, SEEN)], tile_set())
        for one in found
    ]


def tile_set():
    return built_in_set(GAME)


def a_tile_without_symmetry():
    return next(kind.name for kind in tile_set().kinds.values() if kind.period == 4)


def test_print_is_read_as_itself_in_every_turn(net):
    box = printed(net, tile_set())
    face = np.random.default_rng(1).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    own = net.prototypes(face[None], ["own#0"], [4])
    turned = np.stack([np.rot90(face, -turns) for turns in range(4)])
    said = net.read(own, turned, np.full(4, 60.0, np.float32))
    assert said.names == ("own#0@0", "own#0@1", "own#0@2", "own#0@3")
    assert len(box.names) == 4 * len({name.rpartition("@")[0] for name in box.names})


def test_turns_of_a_symmetric_print_mean_the_same(net):
    face = np.full((64, 64, 3), 90, np.uint8)
    assert set(net.prototypes(face[None], ["plain"], [1]).names) == {"plain@0"}


def test_doubt_lowers_what_is_right_and_leaves_what_is_whole(net, written):
    box = printed(net, tile_set())
    patches = np.random.default_rng(2).integers(0, 256, (5, 64, 64, 3)).astype(np.uint8)
    wide = np.full(5, 40.0, np.float32)
    plain = net.read(box, patches, wide)
    doubted = OneReader(written, doubt=1.5).read(box, patches, wide)
    assert (doubted.right < plain.right).all()
    assert np.allclose(doubted.whole, plain.whole)


def test_readings_have_ranked_guesses_of_the_box(net):
    reader = CellReader(net, printed(net, tile_set()))
    patches = np.random.default_rng(3).integers(0, 256, (3, 64, 64, 3)).astype(np.uint8)
    for reading in reader.read(patches, [40.0, 40.0, 20.0]):
        sure = [guess.confidence for guess in reading.guesses]
        assert reading.guesses and sure == sorted(sure, reverse=True)
    assert reader.read(patches[:0]) == []


def test_outline_shows_the_tile_that_it_lies_on_in_its_turn():
    tile = a_tile_without_symmetry()
    once = np.roll(CELL, -1, axis=0)
    assert shown(tile, CELL, CELL + 1.0, once) == [(f"{tile}#0@0", 0.9), (f"{tile}#0@3", 0.9)]


def test_outline_beside_all_tiles_is_a_stranger_and_one_half_off_is_not_counted():
    assert shown("x", CELL, CELL + 60.0, CELL + np.array([18.0, 0.0]), CELL * 2.0) == [
        ("", 1.0),
        None,
        None,
    ]


def outlines(truth, said, sure) -> Outlines:
    count = len(truth)
    return Outlines(
        np.zeros((count, 64, 64, 3), np.uint8),
        np.full(count, 40.0, np.float32),
        np.array(truth),
        np.ones(count, np.float32),
        np.array(said),
        np.array(sure, np.float32),
        np.zeros(count, bool),
    )


def test_right_sure_and_wrong_are_counted_of_some():
    every = outlines(["a", "b", "", "d"], ["a", "x", "y", "d"], [0.95, 0.99, 0.95, 0.5])
    answers = Answers(every.said, every.sure)
    assert counted(every, answers, np.ones(4, bool)) == (4, 2, 1, 2)
    assert counted(every, answers, every.truth == "") == (1, 0, 0, 1)


def test_both_readers_stand_side_by_side():
    every = outlines(["a", "b"], ["a", "a"], [0.95, 0.95])
    network = Answers(np.array(["a", "b"]), np.array([0.95, 0.5]))
    lines = list(compared("tables", [(every, network)], lambda one: {"all": one.truth != ""}))
    assert lines == ["tables, all, 2: right 1 | 2; right and sure 1 | 1; wrong and sure 1 | 0"]

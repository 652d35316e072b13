"""Stages that are left out one at a time: what is counted, and that every one can be left out."""

from dataclasses import replace

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.lab.evaluate.ablation import Without, ablated, earnings, lines
from models.lab.evaluate.cases import NOTHING
from models.lab.scenes.scene import make_scene
from vision.core.request import ReadRequest
from vision.core.stages import STAGES, stage, watched_by
from vision.core.tables import TableState
from vision.core.types import Quality
from vision.read import read_table


@stage("test: doubled", without=lambda numbers: numbers)
def doubled(numbers):
    return [2 * n for n in numbers] if numbers else numbers


def test_stage_does_its_work_while_nobody_watches():
    assert doubled([1, 2]) == [2, 4]


def test_stage_that_is_left_out_gives_what_it_was_given():
    with watched_by(Without("test: doubled")):
        assert doubled([1, 2]) == [1, 2]
    assert doubled([1, 2]) == [2, 4]


def test_stage_that_changes_nothing_was_not_busy():
    watcher = Without()
    with watched_by(watcher):
        doubled([])
    assert watcher.busy == set()

    with watched_by(watcher):
        doubled([1])
    assert watcher.busy == {"test: doubled"}


def test_stage_has_its_name_once():
    own = [name for name in STAGES if not name.startswith("test: ")]

    assert len(own) == len(set(own)) > 12


def read_doubled():
    size = doubled([8])[0]
    return TableState((size, size), quality=Quality(ok=True))


def marks(state):
    return {**NOTHING, "exact": state.size_px == (16, 16), "tiles": 1}


def test_answer_is_given_with_and_without_each_busy_stage():
    row = ablated(read_doubled, marks)

    assert row["exact"]
    assert row["without"]["test: doubled"]["differs"]
    assert not row["without"]["test: doubled"]["exact"]


def test_stage_earns_the_tables_that_are_lost_without_it():
    row = ablated(read_doubled, marks)
    small = {**row, "small": True}

    earned = earnings([row, row, small])["test: doubled"]

    assert (earned.busy, earned.differs, earned.lost, earned.won) == (2, 2, 2, 0)
    assert "| test: doubled | 2 | 2 | 2 | 0 | +0 | +0 |" in list(
        lines({"test: doubled": earned}, 3)
    )


def test_every_stage_of_a_real_table_can_be_left_out():
    cv2.setNumThreads(1)
    bgr = np.asarray(make_scene(20001, "held-out", "carnival").bgr, np.uint8)
    request = ReadRequest("square", built_in_set("carnival"))
    whole = Without()
    with watched_by(whole):
        state = read_table(bgr, request)

    assert replace(state, timings_ms={}).tiles
    for name in whole.busy:
        with watched_by(Without(name)):
            assert read_table(bgr, request).size_px == state.size_px

"""Stages that are left out one at a time: what one gives then, and that every one can be."""

from dataclasses import replace

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.lab.evaluate.cases import NOTHING, Case, picture_of
from models.lab.evaluate.golden import Without, answer
from models.lab.scenes.scene import make_scene
from vision.core.request import ReadRequest
from vision.core.stages import STAGES, stage, watched_by
from vision.core.tables import TableState
from vision.core.types import Quality
from vision.read import read_table


@stage("test: doubled", without=lambda numbers: numbers)
def doubled(numbers):
    return [2 * n for n in numbers] if numbers else numbers


class Busy:
    """Leaves nothing out, and knows which stages did something."""

    def __init__(self) -> None:
        self.stages: set[str] = set()

    def leaves_out(self, stage: str) -> bool:
        return False

    def saw(self, stage: str, made: object, given: object) -> None:
        if given is not None and made is not given:
            self.stages.add(stage)


def test_stage_does_its_work_while_nobody_watches():
    assert doubled([1, 2]) == [2, 4]


def test_stage_that_is_left_out_gives_what_it_was_given():
    with watched_by(Without("test: doubled")):
        assert doubled([1, 2]) == [1, 2]
    assert doubled([1, 2]) == [2, 4]


def test_stage_has_its_name_once():
    own = [name for name in STAGES if not name.startswith("test: ")]

    assert len(own) == len(set(own)) > 12


def doubled_case(key):
    def read():
        size = doubled([8])[0]
        return TableState((size, size), quality=Quality(ok=True))

    picture = picture_of(np.zeros((9, 9, 3)))
    return Case(picture, read, lambda state: {**NOTHING, "exact": state.size_px == (16, 16)})


def test_tables_that_are_exact_only_with_a_stage_are_what_it_earns():
    rows = [answer("1", doubled_case, without) for without in ("", "test: doubled")]

    assert [row["exact"] for row in rows] == [True, False]
    assert rows[0]["answer"] != rows[1]["answer"]


def test_every_stage_of_a_real_table_can_be_left_out():
    cv2.setNumThreads(1)
    bgr = np.asarray(make_scene(20001, "held-out", "carnival").bgr, np.uint8)
    request = ReadRequest("square", built_in_set("carnival"))
    whole = Busy()
    with watched_by(whole):
        state = read_table(bgr, request)

    assert replace(state, timings_ms={}).tiles
    assert whole.stages
    for name in whole.stages:
        with watched_by(Without(name)):
            assert read_table(bgr, request).size_px == state.size_px

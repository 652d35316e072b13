"""The box of a game on the table: holes where the players say, no colour that nobody plays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from companion_app.boxes import box_on_the_table
from companion_app.eye.camera import TableCamera
from companion_app.eye.desk import Desk
from companion_app.live.demo import demo_record
from companion_app.live.match import Match
from companion_app.live.store import Store
from engine.game import Start

EYES = [[0, 0], [1, 3]]


def record_with(**options):
    record = demo_record("snekagon5g")
    return replace(record, start=Start(record.start.players, options))


def test_holes_stay_where_the_box_has_them_unless_somebody_says_otherwise():
    record = record_with()

    assert box_on_the_table(record) is record.tile_set
    assert box_on_the_table(demo_record("schlangennest")).name == "schlangennest"


def test_holes_that_players_name_are_on_the_table_also_after_a_restart(tmp_path: Path):
    record = record_with(eyes=EYES)
    with Store(tmp_path) as store:
        begun = Match.begin(store, record)
        resumed = Match.resume(store, begun.key)

    assert begun.box.extras["board"]["eyes"] == EYES
    assert resumed.box.extras["board"] == begun.box.extras["board"]
    assert record.tile_set.extras["board"]["eyes"] != EYES


def test_demo_table_has_the_boards_as_they_are_printed(tmp_path: Path):
    with Store(tmp_path) as store:
        camera = TableCamera(Desk(store), "demo", tmp_path)

        assert camera.feeder(record_with(eyes=EYES)) is None
        assert camera.feeder(record_with()) is not None
        camera.release()


def test_colours_that_nobody_plays_at_carnival_are_put_away(tmp_path: Path):
    record = replace(demo_record("carnival"), start=Start(("yellow", "black"), {"snakes": 1}))
    with Store(tmp_path) as store:
        begun = Match.begin(store, record)
        resumed = Match.resume(store, begun.key)

    for box in (begun.box, resumed.box):
        left = {kind.colour for kind in box.kinds.values() if kind.count}
        assert left == {"yellow", "black", None}
    three = replace(record, start=Start(("yellow", "violet", "black")))
    assert box_on_the_table(three).counts["red/head"] == 0
    assert record.tile_set.counts["red/head"] == 1

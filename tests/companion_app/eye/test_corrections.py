"""Putting hex tiles right by their cells, and the labelled pictures that corrections leave."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from companion_app.eye.corrections import MOST_KEPT, Corrections, keep_correction
from companion_app.eye.desk import Feeder
from companion_app.live.places import Spot, spots_of, turned
from engine.placement import Layout, Piece, Placement
from engine.setfile import built_in_set
from models.teaching.labels import Label, corrections_in
from tests.companion_app.web.conftest import playthrough
from vision.core.types import Frame, Shape


def picture(seed=0, size=(60, 80)):
    return np.random.default_rng(seed).integers(0, 255, (*size, 3), np.uint8)


class Camera(Feeder):
    """A feeder that sees every tile on a lattice of 40 pixels."""

    kind = "camera"

    def __init__(self, desk):
        self.newest = Frame(picture(size=(600, 800)), 1.0)
        spots = [
            s
            for one in (*desk.match.layout.cards, *desk.match.layout.pieces)
            for s in spots_of(one)
        ]
        self.loop: Any = SimpleNamespace(
            outlines_px={s: square(s) for s in spots},
            covered=frozenset(),
            unsure=frozenset(),
            looks=1,
            looked=self.newest,
        )


def square(spot):
    x, y = 400 + 40 * spot[1], 300 + 40 * spot[2]
    return ((x, y), (x + 40, y), (x + 40, y + 40), (x, y + 40))


def test_hex_tile_is_put_right_by_the_cells_it_covers(played):
    record = playthrough("snekagon_tie")
    played.begin(record)
    played.play(record, 6)
    host = played.host()
    before = host.get("/api/state")
    last = before["moves"][-1]["move"]
    fewer = [cell for cell in last["cells"] if cell != last["cells"][-1]] or [[0, 0]]

    after = host.post("/api/tell", {"correct": 6, "move": {"cells": fewer}}).get_json()

    assert after["moves"][5]["move"]["cells"] == sorted(fewer)
    assert after["moves"][5]["move"]["tile"] != last["tile"]
    assert before["board_side"] == 6


def test_cells_that_no_tile_covers_are_refused(played):
    record = playthrough("snekagon_tie")
    played.begin(record)
    played.play(record, 2)
    host = played.host()

    apart = host.post("/api/tell", {"correct": 1, "move": {"cells": [[0, 0], [4, 0]]}})
    nonsense = host.post("/api/tell", {"correct": 1, "move": {"cells": "all"}})

    assert apart.get_json()["error"]["code"] == "no-such-shape"
    assert nonsense.status_code == 400


@pytest.mark.parametrize("name", ["schlangennest_two_players", "snekagon_tie"])
def test_correction_is_kept_as_a_labelled_picture(played, tmp_path, name):
    played.eye.corrections = Corrections(tmp_path / "corrections")
    record = playthrough(name)
    played.begin(record)
    played.play(record, 4)
    played.desk.feeder = Camera(played.desk)
    host = played.host()
    third = host.get("/api/state")["moves"][2]["move"]

    changes = {"tile": third["tile"]} if "at" in third else {"cells": third["cells"]}
    host.post("/api/tell", {"correct": 3, "move": changes})

    (kept,) = host.get("/api/corrections")["corrections"]
    labels = json.loads((tmp_path / "corrections" / f"{kept['set']}.json").read_text())
    (label,) = labels["photos"][kept["file"]]
    jpeg = host.client.get(f"/api/corrections/{kept['file']}").data
    shown = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None
    high, wide = shown.shape[:2]
    assert labels["set"] == record.tile_set.name
    assert label["tile"] in record.tile_set
    assert ("turns" in label) == (record.tile_set.lattice == "square")
    assert all(0 <= x <= wide and 0 <= y <= high for x, y in label["outline"])
    played.desk.feeder = Feeder()


def test_picture_of_a_correction_shows_no_hand_that_has_come_since(played, tmp_path):
    kept = Corrections(tmp_path / "corrections")
    record = playthrough("schlangennest_two_players")
    played.begin(record)
    played.play(record, 4)
    camera = Camera(played.desk)
    camera.loop.looked = Frame(np.full((600, 800, 3), 90, np.uint8), 1.0)
    match = played.desk.match

    keep_correction(kept, camera, match, [spots_of(sorted(match.layout.cards)[0])[0]])

    (jpeg,) = (tmp_path / "corrections").glob("*.jpg")
    shown = cv2.imread(str(jpeg))
    assert shown is not None
    assert int(np.ptp(shown)) <= 4


def test_corrections_are_deleted_one_by_one_and_with_all_pictures(played, tmp_path):
    kept = played.eye.corrections = Corrections(tmp_path / "corrections")
    for seed in range(3):
        kept.keep("snekagon", picture(seed), {"tile": "red/1", "outline": []})
    host = played.host()
    first = host.get("/api/corrections")["corrections"][0]

    one = host.post("/api/corrections/forget", {"file": first["file"]})
    wiped = host.post("/api/pictures/wipe")

    assert one.get_json() == {"forgotten": 1}
    assert wiped.get_json() == {"wiped": 2}
    assert host.get("/api/corrections")["corrections"] == []
    assert not list((tmp_path / "corrections").iterdir())


def test_correction_counts_where_there_is_no_room_for_its_picture(played, tmp_path, monkeypatch):
    kept = played.eye.corrections = Corrections(tmp_path / "corrections")
    record = playthrough("schlangennest_two_players")
    played.begin(record)
    played.play(record, 4)
    played.desk.feeder = Camera(played.desk)
    host = played.host()
    third = host.get("/api/state")["moves"][2]["move"]

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("companion_app.eye.corrections.write_whole", full)
    told = host.post("/api/tell", {"correct": 3, "move": {"tile": third["tile"]}})

    assert told.status_code == 200
    assert kept.listed() == []
    assert not list((tmp_path / "corrections").iterdir())
    played.desk.feeder = Feeder()


def test_no_file_beside_the_kept_pictures_is_reached(played, tmp_path):
    played.eye.corrections = Corrections(tmp_path / "corrections")
    played.eye.corrections.keep("snekagon", picture(), {"tile": "red/1"})
    guest = played.host()

    for path in (
        "snekagon/labels.json",
        "snekagon/../../page.json",
        "../page.json",
        "x/000001.jpg",
    ):
        assert guest.client.get(f"/api/corrections/{path}").status_code == 404


def test_the_oldest_corrections_go_first(tmp_path, monkeypatch):
    monkeypatch.setattr("companion_app.eye.corrections.MOST_KEPT", 3)
    kept = Corrections(tmp_path)

    names = [kept.keep("box", picture(n), {"tile": "a"}) for n in range(5)]

    assert sorted(one["file"] for one in kept.listed()) == names[2:]
    assert MOST_KEPT > 3


def test_labels_can_be_read_by_teaching(tmp_path):
    from models.teaching.labels import corrections_in

    kept = Corrections(tmp_path)
    label = {"tile": "red/1", "outline": [[1.0, 2.0], [30, 2], [30, 28], [1, 28]], "turns": 0}
    name = kept.keep("box", picture(), label)

    labels = corrections_in(tmp_path / "box.json", "box", "square")

    assert name in str(labels)
    assert corrections_in(tmp_path / "box.json", "another", "square") is None


def seen_by(outlines_px: dict[Spot, Any]) -> Any:
    seen = Frame(picture(size=(600, 800)), 0.0)
    return SimpleNamespace(loop=SimpleNamespace(outlines_px=outlines_px, looked=seen))


def labels_in(folder, box: str, shape: Shape) -> list[Label]:
    labels = corrections_in(folder / f"{box}.json", box, shape)
    assert labels is not None
    return [one for own in labels.photos.values() for one in own]


@pytest.mark.parametrize("quarter", range(4))
def test_tile_of_a_game_that_lies_turned_is_labelled_as_the_picture_shows_it(tmp_path, quarter):
    cards = frozenset({Placement("house", (0, 0)), Placement("gift", (1, -1), 3)})
    match: Any = SimpleNamespace(box=built_in_set("carnival"), layout=Layout(cards=cards))
    lying = {(0, x, y): square((0, *turned((x, y), quarter))) for x, y in ((0, 0), (1, -1))}

    keep_correction(Corrections(tmp_path), seen_by(lying), match, [(0, 1, -1)])

    (label,) = labels_in(tmp_path, "carnival", "square")
    assert (label.tile, label.turns) == ("gift", (3 + quarter) % 4)


def test_no_picture_is_kept_of_a_tile_whose_turn_in_the_picture_is_unknown(tmp_path):
    kept = Corrections(tmp_path)
    cards = frozenset({Placement("house", (0, 0))})
    match: Any = SimpleNamespace(box=built_in_set("carnival"), layout=Layout(cards=cards))

    keep_correction(kept, seen_by({(0, 0, 0): square((0, 0, 0))}), match, [(0, 0, 0)])

    assert kept.listed() == []


def taught_match(game: str, layout: Layout) -> Any:
    return SimpleNamespace(box=replace(built_in_set(game), name="my-wood"), layout=layout)


def test_a_correction_on_a_taught_board_keeps_all_of_the_board(tmp_path):
    pieces = frozenset({Piece("red/1", ((0, 0),)), Piece("green/2", ((1, 0), (2, 0)))})
    match = taught_match("snekagon", Layout(pieces=pieces))

    keep_correction(Corrections(tmp_path), seen_by({}), match, [(0, 0, 0)])

    assert [(one.tile, one.cells) for one in labels_in(tmp_path, "my-wood", "hex")] == [
        ("green/2", ((1, 0), (2, 0))),
        ("red/1", ((0, 0),)),
    ]


def test_no_picture_is_kept_of_a_taught_board_that_is_bare(tmp_path):
    kept = Corrections(tmp_path)

    keep_correction(kept, seen_by({}), taught_match("snekagon", Layout()), [(0, 0, 0)])

    assert kept.listed() == []

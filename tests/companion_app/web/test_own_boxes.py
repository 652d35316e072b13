"""Boxes that others made are read by a worker, once for each version of their files."""

from pathlib import Path

import pytest

from companion_app.hands.errors import TooMuch
from companion_app.web.own_boxes import OwnBoxes
from engine.setfile import BUILT_IN_FOLDER

NEST = (BUILT_IN_FOLDER / "schlangennest.toml").read_text(encoding="utf-8")
EVIL = "a." * 30_000 + "b = 1"


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Return a folder with a box that is right and one made to harm."""
    folder = tmp_path / "sets"
    folder.mkdir()
    mine = NEST.replace('name = "schlangennest"', 'name = "mine"', 1)
    (folder / "mine.toml").write_text(mine, encoding="utf-8")
    (folder / "evil.toml").write_text(EVIL, encoding="utf-8")
    return folder


def test_box_is_listed_and_one_made_to_harm_is_not(shelf):
    assert OwnBoxes().named.of((shelf,)) == [("mine", "Schlangennest", "schlangennest")]


def test_shelf_is_read_once_until_a_file_changes(shelf, monkeypatch):
    read = []

    def apart(work, call, folders):
        read.append(work.name)
        return call(folders)

    monkeypatch.setattr("companion_app.web.own_boxes.done_apart", apart)
    boxes = OwnBoxes()
    for _ in range(3):
        boxes.named.of((shelf,))
    assert read == ["box"]

    (shelf / "mine.toml").unlink()

    assert boxes.named.of((shelf,)) == []
    assert read == ["box"] * 2


def test_shelf_that_is_too_much_is_empty_and_not_tried_again(shelf, monkeypatch):
    tried = []

    def too_much(*_):
        tried.append(1)
        raise TooMuch("box")

    monkeypatch.setattr("companion_app.web.own_boxes.done_apart", too_much)
    boxes = OwnBoxes()

    assert [boxes.named.of((shelf,)) for _ in range(3)] == [[], [], []]
    assert len(tried) == 1


def test_guests_see_the_box_and_nothing_of_the_other(played, shelf):
    played.companion.place = type(played.companion.place)(played.store.path, (shelf,))

    listed = {one["game"]: one["sets"] for one in played.guest().get("/api/games")["games"]}

    assert [one["set"] for one in listed["schlangennest"]] == ["schlangennest", "mine"]
    assert all(len(sets) == 1 for game, sets in listed.items() if game != "schlangennest")


def test_host_is_told_what_is_wrong_with_a_box(played, shelf):
    played.companion.place = type(played.companion.place)(played.store.path, (shelf,))

    refused = played.host().get("/api/teaching")["refused"]

    assert [one["file"] for one in refused] == ["evil.toml"]
    assert "a key has more than 8 parts" in refused[0]["detail"]

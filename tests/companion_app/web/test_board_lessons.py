"""Boards taught in the page: a wooden Snekagon is found, put right, learnt, tried and improved."""

from __future__ import annotations

import io
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion_app.hands.pool import Hands
from companion_app.web.views.teaching import DRAFT
from engine.placement import Layout
from models.lab.evaluate.taught.wood import lesson_layout, photograph
from tests.companion_app.web.conftest import Played
from tests.companion_app.web.views.test_teaching import send
from vision.hexes.cells import turned_cell

SIZE_PX = (1024, 768)
LESSON, OTHER = 3, 22
WOODEN = {"shape": "board", "game": "snekagon"}


@pytest.fixture(scope="module")
def photos() -> dict[str, bytes]:
    """The empty board, all tiles on it, and both together on another table."""
    return {
        "empty": photograph(Layout(), SIZE_PX, LESSON),
        "tiles": photograph(lesson_layout(LESSON), SIZE_PX, LESSON),
        "other": photograph(lesson_layout(OTHER), SIZE_PX, OTHER),
    }


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory, photos) -> Path:
    """The folder of a lesson of which the empty board and all tiles on it were seen."""
    table = Played(tmp_path_factory.mktemp("lesson"))
    host = table.host()
    shown(host, photos["empty"])
    shown(host, photos["tiles"])
    table.desk.close()
    table.store.close()
    return table.companion.home / "lesson"


@pytest.fixture
def host(played, looked_at):
    """The host of a desk with that lesson."""
    shutil.copytree(looked_at, played.companion.home / "lesson")
    return played.host()


@pytest.fixture
def learnt_at_home(played, monkeypatch):
    """Let boxes be learnt where they are read from."""
    home = played.store.path.parent
    monkeypatch.setenv("SNAKE_EYE_HOME", str(home))
    played.use_sets(home / "sets")
    # A worker knows the home that was set when it began.
    with Hands() as hands:
        played.companion.hands = hands
        yield


def shown(host, jpeg: bytes, **more: str):
    answer = send(host, "/api/teaching/photo", photo=(io.BytesIO(jpeg), "a.jpg"), **WOODEN, **more)
    assert answer.status_code == 200, answer.get_json()
    return answer.get_json()["lesson"]


def lying(board) -> set[frozenset[tuple[int, int]]]:
    return {frozenset((q, r) for q, r in piece["cells"]) for piece in board["pieces"]}


def true_in_some_turn(board, seed: int) -> bool:
    truth = {frozenset(piece.cells) for piece in lesson_layout(seed).pieces}
    return truth in [
        {frozenset(turned_cell(cell, turn) for cell in cells) for cells in lying(board)}
        for turn in range(6)
    ]


def by_truth(lesson, seed: int) -> dict[str, str]:
    """Return which colour of the game each sort is in truth."""
    board = next(board for board in lesson["boards"] if board["pieces"])
    for turn in range(6):
        truth = {
            frozenset(turned_cell(c, turn) for c in piece.cells): piece.tile.split("/")[0]
            for piece in lesson_layout(seed).pieces
        }
        if set(truth) == lying(board):
            return {
                str(piece["sort"]): truth[frozenset((q, r) for q, r in piece["cells"])]
                for piece in board["pieces"]
            }
    raise AssertionError("the board is not read as it lies")


def test_all_tiles_on_a_board_are_found_without_a_label(host):
    lesson = host.get("/api/teaching")["lesson"]

    empty, full = lesson["boards"]
    assert empty["pieces"] == []
    assert true_in_some_turn(full, LESSON)
    assert Counter(piece["colour"] for piece in full["pieces"]) == {"red": 8, "green": 8}
    assert [(n["tiles"], n["of"], n["touch"]) for n in lesson["needs"]] == [(8, 8, True)] * 2
    assert lesson["odd"] == 0
    for picture in ("boards/1", "sorts/0", "sorts/1"):
        assert host.client.get(f"/api/teaching/{picture}.jpg").mimetype == "image/jpeg"
    assert host.client.get("/api/teaching/boards/7.jpg").status_code == 404


def test_the_owner_puts_a_tile_right(host):
    lesson = host.get("/api/teaching")["lesson"]
    piece = next(one for one in lesson["boards"][1]["pieces"] if len(one["cells"]) == 4)

    def said(**what):
        return host.post("/api/teaching/lesson", {"board": 1, **what}).get_json()["lesson"]

    # A bent path of three and one cell that is taken away from it.
    torn = said(cells=[piece["cells"][0]], lies="bare")
    back = said(cells=piece["cells"], lies=piece["colour"])
    swapped = said(sort=piece["sort"], colour={"red": "green", "green": "red"}[piece["colour"]])

    assert sum(len(one["cells"]) for one in torn["boards"][1]["pieces"]) == 49
    assert piece["tile"] in [one["tile"] for one in back["boards"][1]["pieces"]]
    assert true_in_some_turn(back["boards"][1], LESSON)
    assert {one["colour"] for one in swapped["sorts"]} == {"red", "green"}
    assert swapped["sorts"][piece["sort"]]["colour"] != piece["colour"]
    wrong: list[dict[str, Any]] = [
        {"cells": [[9, 9]], "lies": "red"},
        {"cells": [[0, 0]], "lies": "blue"},
        {"cells": []},
        {"board": 4, "drop": True},
        {"sort": 9, "colour": "red"},
    ]
    for bad in wrong:
        assert host.post("/api/teaching/lesson", {"board": 1, **bad}).status_code == 400


def test_a_frame_that_fits_no_tile_is_not_learnt(host):
    row = [[q, 0] for q in range(-5, 1)]

    odd = host.post("/api/teaching/lesson", {"board": 1, "cells": row, "lies": "red"}).get_json()
    refused = host.post("/api/teaching/learn", {"name": "my-wood"})

    assert odd["lesson"]["odd"] >= 1
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (400, "teach-odd")


def test_a_photo_without_a_board_and_a_game_without_one_are_refused(played, photos):
    host = played.host()
    plain = cv2.imencode(".png", np.full((480, 640, 3), 90, np.uint8))[1].tobytes()
    bare = send(host, "/api/teaching/photo", photo=(io.BytesIO(plain), "a.png"), **WOODEN)
    nest = send(
        host,
        "/api/teaching/photo",
        photo=(io.BytesIO(photos["empty"]), "a.jpg"),
        shape="board",
        game="schlangennest",
    )

    assert (bare.status_code, bare.get_json()["error"]["code"]) == (400, "teach-no-board")
    assert nest.status_code == 400
    assert host.get("/api/teaching")["lesson"] is None


@pytest.mark.usefixtures("learnt_at_home")
def test_a_board_is_learnt_tried_played_and_improved(played, host, photos):
    lesson = host.get("/api/teaching")["lesson"]
    for sort, colour in by_truth(lesson, LESSON).items():
        host.post("/api/teaching/lesson", {"sort": int(sort), "colour": colour})
    assert host.post("/api/teaching/learn", {"name": "my-wood"}).status_code == 200
    played.app.extensions[DRAFT].wait(300)
    learnt = host.get("/api/teaching")

    tried = send(
        host, "/api/teaching/trial", photo=(io.BytesIO(photos["other"]), "b.jpg"), set="my-wood"
    ).get_json()
    begun = host.post(
        "/api/new", {"game": "snekagon", "set": "my-wood", "players": ["red", "green"]}
    )
    host.post("/api/teaching/lesson", {"forget": True})
    again = shown(host, photos["other"], set="my-wood")
    host.post("/api/teaching/learn", {"name": "my-wood"})
    played.app.extensions[DRAFT].wait(300)
    more = host.get("/api/teaching")

    assert learnt["learning"]["state"] == "learnt", learnt["learning"]
    assert learnt["learning"]["report"]["photos"] == 2
    assert (tried["sure"], tried["unsure"]) == (16, 0)
    assert begun.status_code == 200, begun.get_json()
    assert true_in_some_turn(again["boards"][0], OTHER)
    assert by_truth(again, OTHER) == {"0": "red", "1": "green"}
    assert more["learning"]["state"] == "learnt", more["learning"]
    assert more["learning"]["report"]["photos"] == 3

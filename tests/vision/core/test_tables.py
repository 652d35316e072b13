import json

import numpy as np

from vision.core.tables import TableState, table_state_to_json
from vision.core.types import Advice, Quality

KEYS = [
    "format",
    "version",
    "file",
    "size",
    "game",
    "set",
    "tiles",
    "unsure",
    "aside",
    "clay",
    "splits",
    "quality",
]


def test_empty_table_has_exactly_the_promised_keys():
    table = table_state_to_json(TableState((640, 480)), "a.jpg")

    assert list(table) == KEYS
    assert table["format"] == "snake-eye/table"
    assert (table["version"], table["file"], table["size"]) == (1, "a.jpg", [640, 480])
    assert (table["game"], table["set"]) == (None, None)
    assert table["quality"] == {"ok": True, "advice": []}


def test_numpy_becomes_plain_json():
    outline = np.array([[1.04, 2.0], [3.0, 4.123], [5, 6], [7, 8]], np.float32)
    tile = {
        "tile": "blue/curve",
        "at": (np.int64(2), np.int64(-1)),
        "turns": np.int8(3),
        "confidence": np.float32(0.99812345),
        "outline": outline,
    }
    unsure = {
        **tile,
        "guesses": (("blue/curve", np.float64(0.6)), ("red/head", 0.3)),
        "why": "glare",
    }
    state = TableState((640, 480), (tile,), (unsure,), game="schlangennest", set_name="mine")

    table = json.loads(json.dumps(table_state_to_json(state)))

    assert table["tiles"] == [
        {
            "tile": "blue/curve",
            "at": [2, -1],
            "turns": 3,
            "confidence": 0.9981,
            "outline": [[1.0, 2.0], [3.0, 4.1], [5.0, 6.0], [7.0, 8.0]],
        }
    ]
    assert table["unsure"][0]["guesses"] == [["blue/curve", 0.6], ["red/head", 0.3]]
    assert table["unsure"][0]["why"] == "glare"
    assert (table["game"], table["set"]) == ("schlangennest", "mine")


def test_hex_entries_keep_their_cells_clay_and_splits():
    piece = {"tile": "red/4/+-", "board": 1, "cells": [(0, 0), (1, 0), (1, 1), (2, 1)]}
    clay = {"board": 1, "cell": (0, 0), "kind": "open", "opens": "NE"}
    split = {"board": 1, "cells": [(0, 0)], "ways": [[{"tile": "red/1", "cells": [(0, 0)]}]]}

    table = table_state_to_json(TableState((9, 9), (piece,), clay=(clay,), splits=(split,)))

    assert table["tiles"][0]["cells"] == [[0, 0], [1, 0], [1, 1], [2, 1]]
    assert table["clay"] == [{"board": 1, "cell": [0, 0], "kind": "open", "opens": "NE"}]
    assert table["splits"][0]["ways"] == [[{"tile": "red/1", "cells": [[0, 0]]}]]


def test_advice_about_the_whole_picture_has_a_box_around_it():
    advice = (Advice("dark", "Light!"), Advice("glare", "Lamp!", (1, 2, 3, 4)))

    quality = table_state_to_json(TableState((64, 48), quality=Quality(False, advice)))["quality"]

    assert quality == {
        "ok": False,
        "advice": [
            {"what": "dark", "text": "Light!", "box": [0, 0, 64, 48]},
            {"what": "glare", "text": "Lamp!", "box": [1, 2, 3, 4]},
        ],
    }


def test_number_that_is_none_does_not_break_the_document():
    state = TableState((9, 9), ({"tile": "x", "confidence": float("nan")},))

    assert table_state_to_json(state)["tiles"][0]["confidence"] is None

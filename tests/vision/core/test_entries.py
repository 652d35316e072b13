"""Entries of a table state: typed inside, the promised keys for whoever writes them down."""

import numpy as np

from engine.placement import Piece
from vision.core.tables import ClayEntry, SplitEntry, TableState, TileEntry, table_state_to_json

OUTLINE = [[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]]


def test_square_tile_has_its_place_and_turns():
    entry = TileEntry("log", OUTLINE, 0.9, at=(2, -1), turns=0)

    assert list(entry) == ["tile", "at", "turns", "confidence", "outline"]
    assert (entry["at"], entry["turns"]) == ([2, -1], 0)


def test_hex_tile_has_its_cells_and_board():
    entry = TileEntry("red/1", OUTLINE, 0.9, cells=((0, 0), (1, 0)), board=0)

    assert dict(entry) == {
        "tile": "red/1",
        "cells": [[0, 0], [1, 0]],
        "board": 0,
        "confidence": 0.9,
        "outline": OUTLINE,
    }


def test_tile_beside_the_layout_has_an_outline_and_no_place():
    assert list(TileEntry("log", OUTLINE, 0.9)) == ["tile", "outline", "confidence"]


def test_unsure_tile_says_what_it_may_be_and_why():
    entry = TileEntry(
        "log",
        OUTLINE,
        0.5,
        at=(0, 0),
        turns=1,
        field=0,
        guesses=(("log", 0.5), ("egg", 0.3)),
        why="glare",
    )

    assert list(entry)[-3:] == ["field", "guesses", "why"]
    assert entry["guesses"] == [["log", 0.5], ["egg", 0.3]]


def test_key_that_does_not_apply_is_not_there():
    entry = TileEntry("log", OUTLINE, 0.9, at=(0, 0), turns=1)

    assert "field" not in entry
    assert entry.get("board") is None


def test_clay_and_splits_are_written_with_their_promised_keys():
    clay = ClayEntry(1, (0, 2), "closed", 0.9, [3.0, 4.0])
    split = SplitEntry(((0, 0), (1, 0)), ((Piece("red/2", ((0, 0), (1, 0))),),))

    written = table_state_to_json(TableState((9, 9), clay=(clay,), splits=(split,)))

    assert written["clay"] == [
        {"board": 1, "cell": [0, 2], "kind": "closed", "confidence": 0.9, "centre": [3.0, 4.0]}
    ]
    assert written["splits"] == [
        {"cells": [[0, 0], [1, 0]], "ways": [[{"tile": "red/2", "cells": [[0, 0], [1, 0]]}]]}
    ]


def test_outline_of_an_array_is_rounded_when_it_is_written():
    tile = TileEntry("log", np.array(OUTLINE) + 0.123, 0.98765, at=(0, 0), turns=0)

    (written,) = table_state_to_json(TableState((9, 9), (tile,)))["tiles"]

    assert written["outline"][0] == [0.1, 0.1]
    assert written["confidence"] == 0.9877

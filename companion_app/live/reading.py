"""The real reader as the loop wants it: frames in, plain table states out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

from companion_app.live.loop import Reader
from engine.game import AnyGame
from engine.placement import Layout
from engine.tiles import TileSet
from vision.request import ReadRequest
from vision.tables import table_state_to_json
from vision.types import Frame, TableState

ReadTable = Callable[..., TableState]


class PictureReader:
    """Reads every frame by itself; what the reader keeps between frames is its own."""

    def __init__(self, request: ReadRequest, read_table: ReadTable) -> None:
        self._request = request
        self._read_table = read_table

    def read(self, frame: Frame, known: Layout) -> TableState:
        """Return what one frame shows."""
        del known
        return plain(self._read_table(frame.bgr, self._request))

    def forget(self) -> None:
        """Keep nothing: every frame is read by itself."""


def make_reader(game: AnyGame, box: TileSet, profile: Any = None) -> Reader:
    """Return the reader of a box; nothing is loaded before it is asked for."""
    del game
    read_table: ReadTable = import_module("vision.read").read_table
    return PictureReader(ReadRequest(box.lattice, box, profile=profile), read_table)


def plain(state: TableState) -> TableState:
    """Return a table state without NumPy in its entries."""
    written = table_state_to_json(state)
    return replace(
        state,
        tiles=tuple(written["tiles"]),
        unsure=tuple(written["unsure"]),
        aside=tuple(written["aside"]),
        clay=tuple(written["clay"]),
        splits=tuple(written["splits"]),
    )

"""Adapts the picture reader to the live loop: frames in, plain table states out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibration.profile import Profile
from companion_app.live.loop import Reader
from engine.game import AnyGame
from engine.tiles import TileSet
from vision import Bgr, Frame, ReadRequest, TableState, table_state_to_json

if TYPE_CHECKING:
    from vision import TrackedTable


class PictureReader:
    """Reads frame after frame; tiles that have not changed since the last one are not re-read."""

    def __init__(self, table: TrackedTable, die: bool = False) -> None:
        self._table = table
        self._die = die
        self._last: tuple[TableState, TableState] | None = None

    def read(self, frame: Frame) -> TableState:
        """Return what one frame shows."""
        state = self._table.read(frame.bgr, frame.taken_at_s)
        if self._last is None or self._last[0] is not state:
            self._last = state, plain(self._with_die(state, frame))
        return self._last[1]

    def _with_die(self, state: TableState, frame: Frame) -> TableState:
        """Add the die to what lies aside, if the game has one and it is seen."""
        if not self._die:
            return state
        from vision import read_die

        entries = (*state.tiles, *state.unsure, *state.aside)
        die = read_die(frame.bgr, [np.asarray(entry["outline"]) for entry in entries])
        if die is None:
            return state
        entry = {"tile": f"die/{die.value}", "outline": die.outline_px, "confidence": 1.0}
        return replace(state, aside=(*state.aside, entry))

    def forget(self) -> None:
        """Drop all cached results: the camera has moved."""
        self._table.forget()

    def leave_out(self, outlines: Sequence[Any]) -> None:
        """Ignore the tiles at these outlines until another tile is laid next to them."""
        self._table.leave_out([np.asarray(outline, np.float64) for outline in outlines])

    def doubt(self) -> None:
        """Read every tile again, even if nothing seems to have changed."""
        self._table.doubt()

    def again(self, bgr: Bgr) -> TableState:
        """Read a kept picture without using the cache."""
        return plain(self._table.again(bgr))


def make_reader(game: AnyGame, box: TileSet, profile: Profile | None = None) -> Reader:
    """Return the reader for a box; its models are loaded at the first frame."""
    # Imported late: the picture libraries load slowly, and the page is shown before.
    from vision import TrackedTable

    table = TrackedTable(ReadRequest(box.lattice, box, profile=profile))
    return PictureReader(table, die="roll" in game.facts.actions)


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

"""Reads a picture, and says so where it shows the tiles of another game than the one asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.setfile import built_in_set

if TYPE_CHECKING:
    from vision import Advice, Picture, ReadRequest, TableState

SQUARE_BOX = "schlangennest"
"""The box that a picture without a board is tried with; the reader names other square boxes."""
FEWEST = 3
"""Fewest tiles that tell which box lies on the table."""
NO_SCORE: dict[str, Any] = {
    "scores": {},
    "lines": {},
    "over": False,
    "winners": [],
    "violations": [],
    "open": [],
}
"""The score of a picture that shows the tiles of another game."""


def read_as_asked(picture: Picture, request: ReadRequest) -> TableState:
    """Return the table state of a picture; a board game's picture of square tiles is told.

    The reader of square tiles itself compares the boxes. The reader of boards only knows that it
    sees no board, so such a picture is read once more.
    """
    from vision import Quality, read_table

    state = read_table(picture, request)
    if request.shape == "hex" and request.game is not None and not state.tiles:
        advice = _of_squares(picture, request)
        if advice is not None:
            return replace(state, quality=Quality(False, (advice,)))
    return state


def shows_another_game(table: Mapping[str, Any]) -> bool:
    """Say whether a table state was read from a picture of tiles of another box, or of none."""
    advice = table.get("quality", {}).get("advice", ())
    return any("looks_like" in one for one in advice)


def _of_squares(picture: Picture, request: ReadRequest) -> Advice | None:
    """Return advice that names the box of square tiles in a picture, ``None`` without any."""
    from vision import Advice, ReadRequest, read_table

    assert request.tile_set is not None
    state = read_table(picture, ReadRequest("square", built_in_set(SQUARE_BOX)))
    named = [one.looks_like for one in state.quality.advice if one.looks_like is not None]
    other = SQUARE_BOX if len(state.tiles) >= FEWEST else next(iter(named), None)
    if other is None:
        return None
    box = request.tile_set.title or request.tile_set.name
    text = f"These are not tiles of {box}; they look like {built_in_set(other).title}."
    return Advice("unknown-tile", text, looks_like=other)

"""Reads one photo of a table for the page; the photo is never written to the disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion_app.another_game import read_as_asked
from engine.games import game_named
from engine.record import find_set


def read_photo(
    data: bytes, game: str, set_name: str, set_folders: tuple[Path, ...]
) -> Mapping[str, Any]:
    """Return the table state of a photo.

    Raises:
        VisionError: the data is no picture, too large, or damaged.
    """
    from vision import ReadRequest, grey_advice, picture_file, table_state_to_json

    box = find_set(game_named(game), set_name, set_folders)
    picture, request = picture_file(data, "photo").decode(), ReadRequest(box.lattice, box)
    said = table_state_to_json(read_as_asked(picture, request), "photo")
    if picture.grey and request.needs_colours:
        said["quality"]["advice"].append({"what": "grey", "text": grey_advice().text})
    return said

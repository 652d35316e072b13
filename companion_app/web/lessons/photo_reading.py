"""Reads one photo of a table for the page; the photo is deleted at once."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.games import game_named
from engine.record import find_set


def read_photo(
    data: bytes, game: str, set_name: str, set_folders: tuple[Path, ...]
) -> Mapping[str, Any]:
    """Return the table state of a photo.

    Raises:
        VisionError: the data is no picture, too large, or damaged.
    """
    from vision import ReadRequest, load_picture, read_table, table_state_to_json

    box = find_set(game_named(game), set_name, set_folders)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "photo"
        file.write_bytes(data)
        picture = load_picture(file)
    state = read_table(picture, ReadRequest(box.lattice, box))
    return table_state_to_json(state, "photo")

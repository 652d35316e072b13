"""Tries a taught box on one more photo: how many tiles are read surely, and which are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vision import (
    Bgr,
    Picture,
    ReadRequest,
    Stages,
    TableState,
    TaughtSet,
    VisionError,
    find_taught,
    picture_file,
    read_table,
    stages_for,
)
from vision.intake.picture import WORKING_PIXELS


def read_with(box: TaughtSet, picture: Picture | Bgr) -> TableState:
    """Return what a taught box reads of a picture: the shipped stages with its reader."""
    lattice = box.tile_set.lattice
    stages = Stages(stages_for(ReadRequest(lattice)).detect, box.reader)
    return read_table(picture, ReadRequest(lattice, box.tile_set), stages)


def tried(data: bytes, name: str, folder: Path) -> dict[str, Any]:
    """Return how surely a taught box reads a picture.

    Raises:
        VisionError: there is no such box, or the data is no picture.
    """
    box = find_taught(name, (folder,))
    if box is None:
        raise VisionError(f"there is no taught box called {name}")
    state = read_with(box, picture_file(data, "the photo").decode(WORKING_PIXELS))
    return {
        "sure": len(state.tiles),
        "unsure": len(state.unsure),
        "doubtful": [
            {"tile": one["tile"], "confidence": round(float(one["confidence"]), 2)}
            for one in state.unsure
        ],
        "tiles": sorted(str(one["tile"]) for one in state.tiles),
    }

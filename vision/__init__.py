"""From a camera frame to what is believed to lie on the table.

This module is the public interface: ``from vision import ReadRequest, read_table``. Names are
imported lazily, since OpenCV is slow to import. Cameras are in ``vision.sources``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vision.classify.taught import TaughtSet, find_taught
    from vision.core.errors import (
        LargePictureError,
        ModelError,
        OutdatedError,
        PictureError,
        VisionError,
    )
    from vision.core.request import ReadRequest, pixels_enough
    from vision.core.tables import TableState, table_state_to_json
    from vision.core.types import Advice, Bgr, Frame, Points, Quality, Shape
    from vision.intake.picture import (
        Picture,
        load_picture,
        open_picture,
        picture_file,
        shown,
    )
    from vision.layout.quality import grey_advice, picture_troubles, tile_trouble
    from vision.live.die import read_die
    from vision.live.tracked import TrackedTable
    from vision.read import Stages, read_table, stages_for
    from vision.trace import traced

__all__ = [
    "Advice",
    "Bgr",
    "Frame",
    "LargePictureError",
    "ModelError",
    "OutdatedError",
    "Picture",
    "PictureError",
    "Points",
    "Quality",
    "ReadRequest",
    "Shape",
    "Stages",
    "TableState",
    "TaughtSet",
    "TrackedTable",
    "VisionError",
    "find_taught",
    "grey_advice",
    "load_picture",
    "open_picture",
    "picture_file",
    "picture_troubles",
    "pixels_enough",
    "read_die",
    "read_table",
    "shown",
    "stages_for",
    "table_state_to_json",
    "tile_trouble",
    "traced",
]

_ROOMS = {
    "classify.taught": ("TaughtSet", "find_taught"),
    "core.errors": (
        "LargePictureError",
        "ModelError",
        "OutdatedError",
        "PictureError",
        "VisionError",
    ),
    "core.request": ("ReadRequest", "pixels_enough"),
    "core.tables": ("TableState", "table_state_to_json"),
    "core.types": ("Advice", "Bgr", "Frame", "Points", "Quality", "Shape"),
    "intake.picture": ("Picture", "load_picture", "open_picture", "picture_file", "shown"),
    "layout.quality": ("grey_advice", "picture_troubles", "tile_trouble"),
    "live.die": ("read_die",),
    "live.tracked": ("TrackedTable",),
    "read": ("Stages", "read_table", "stages_for"),
    "trace": ("traced",),
}
_HOME = {name: f"vision.{room}" for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    """Return a public name, imported from its module on first use."""
    if name not in _HOME:
        raise AttributeError(f"vision has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOME[name]), name)

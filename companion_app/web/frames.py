"""Frames of the table's camera, requested from the eye and read by the hands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from companion_app.hands.work import LOOK
from companion_app.home import profile_file
from companion_app.line.commands import EyeCommands, Still
from companion_app.line.standing import kind_of
from companion_app.web.context import companion
from companion_app.web.looking import Wanted, calibrated, read_still
from companion_app.web.serving.errors import NotFound, WebError
from engine.record import Record, record_to_json


def source() -> str:
    """Return the name of the camera over the table."""
    name = companion().eye.standing().source
    if name is None:
        raise NotFound(code="no-camera")
    return name


def newest(begun: Record | None = None) -> Still | None:
    """Return the newest frame; the demo table draws the game to come, half played."""
    drawn = begun is not None and kind_of(source()) == "demo"
    to_come = record_to_json(begun) if drawn and begun is not None else None
    return companion().eye.ask(EyeCommands.look, to_come)


def read(still: Still | None, record: Record) -> dict[str, Any]:
    """Return the reading of a frame by the hands.

    Raises:
        WebError: there is no frame.
    """
    if still is None:
        raise WebError(code="no-frame")
    wanted = Wanted(companion().place, record.game.facts.name, record.tile_set.name)
    return companion().hands.do(LOOK, read_still, wanted, still)


def profile() -> Path:
    """Return the file of this camera's profile."""
    return profile_file(companion().home, source())


def profile_in_short() -> dict[str, Any] | None:
    """Return a summary of this camera's profile; ``None`` where it is not calibrated."""
    file = profile()
    return companion().hands.do(LOOK, calibrated, file) if file.is_file() else None

"""Views of a table in a hall: its name there, the raised hand, and whether help is off."""

from __future__ import annotations

import json
from pathlib import Path

from flask import Blueprint

from companion_app.help_orders import FOLDER, JOINED, help_is_off
from companion_app.line.commands import EyeCommands
from companion_app.web.context import companion
from companion_app.web.serving.errors import NotFound
from companion_app.web.serving.exchange import Doc, told

views = Blueprint("hall", __name__)


@views.get("/api/hall")
def in_a_hall() -> Doc:
    """Return the hall of this table, whether its hand is raised, and whether help is off."""
    match = companion().now().match
    return {
        "name": json.loads(_joined().read_text("utf-8"))["name"] if _joined().exists() else None,
        "hand": match is not None and match.hand > 0,
        "help_off": help_is_off(companion().home),
    }


@views.post("/api/hall/hand")
def hand() -> Doc:
    """Call the arbiter (``raised``), or withdraw the call."""
    raised = told("raised", bool, "raised is true or false")
    if not _joined().exists():
        raise NotFound(code="no-hall")
    companion().eye.ask(EyeCommands.raise_hand, raised)
    return {"hand": raised}


def _joined() -> Path:
    return companion().home / FOLDER / JOINED

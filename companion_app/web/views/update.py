"""Update from the page: the host asks, and the machine's own service does it.

The page brings no code: it only says that the release should be installed which somebody with
root or the card has put there. ``deploy/update.sh`` does it, and puts the old one back when the
new page does not answer.
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, jsonify

from companion_app.web.context import companion
from companion_app.web.serving import access
from companion_app.web.serving.errors import WebError

blueprint = Blueprint("update", __name__)
BASE = Path("/opt/snake-eye")
"""Where ``deploy/install.sh`` puts releases; elsewhere there is nothing that updates."""
WAITS_IN = (BASE / "incoming", Path("/boot/firmware"), Path("/boot"))
CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")
PLACES = "snake-eye-update-places"
"""Another base and other folders, for tests."""


@blueprint.get("/api/update")
@access.part_of("watching")
def update() -> Response:
    """Say which release runs, which waits, and what became of the last update."""
    return jsonify(_standing())


@blueprint.post("/api/update")
@access.must_be_host
def ask_for_update() -> Response:
    """Ask for the release that waits."""
    standing = _standing()
    if not standing["can"]:
        raise WebError(code="no-update")
    if standing["waiting"] is None:
        raise WebError(code="no-release")
    folder = _folder()
    try:
        folder.mkdir(exist_ok=True)
        (folder / "result").unlink(missing_ok=True)
        (folder / "wanted").touch()
    except OSError as error:
        raise WebError(f"{error.strerror}", code="not-kept") from error
    return jsonify(_standing())


def _standing() -> dict[str, Any]:
    base, folders = current_app.extensions.get(PLACES, (BASE, WAITS_IN))
    can = (base / "current").exists()
    waiting = [path for folder in folders for path in sorted(_releases(folder))]
    return {
        "version": _version(),
        "can": can,
        "why_not": None if can else "container" if _in_container() else "by-hand",
        "waiting": waiting[-1].name if waiting else None,
        "wanted": (_folder() / "wanted").exists(),
        "result": _result(),
    }


def _in_container() -> bool:
    """Say whether this copy came as an image, which is replaced as a whole."""
    return "container" in os.environ or any(Path(mark).exists() for mark in CONTAINER_MARKS)


def _releases(folder: Path) -> list[Path]:
    try:
        return list(folder.glob("snake-eye-*.tar.gz"))
    except OSError:
        return []


def _result() -> str | None:
    """Return ``done`` or ``failed`` for the last update that the page asked for."""
    try:
        status = (_folder() / "result").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return "done" if status == "0" else "failed"


def _folder() -> Path:
    return companion().home / "update"


def _version() -> str:
    try:
        return version("snake-eye")
    except PackageNotFoundError:
        return ""

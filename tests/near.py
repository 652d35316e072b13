"""A companion whose eye is in the same process, for tests; what goes between is the same text."""

from __future__ import annotations

from typing import Any

from companion_app.eye.camera import TableCamera
from companion_app.eye.commands import Commands
from companion_app.eye.corrections import Corrections
from companion_app.eye.desk import Desk
from companion_app.line.ends import NearEye
from companion_app.web.context import Companion
from companion_app.web.place import Place
from companion_app.web.serving.page_file import SettingsFile


def near_companion(
    desk: Desk, settings: SettingsFile, camera: TableCamera | None = None, **more: Any
) -> tuple[Companion, Commands]:
    """Return a page's ground with a desk in this process, and what answers it."""
    home = desk.store.path.parent
    commands = Commands(desk, camera, Corrections(home / "corrections"))
    place = Place(desk.store.path, desk.set_folders)
    eye = NearEye(commands.answer, commands.standing)
    companion = Companion(eye, settings, place, desk.hub, **more)
    eye.ask("limit-pictures", {"mb": settings.now.pictures_mb})
    return companion, commands

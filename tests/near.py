"""A companion whose eye is in the same process, for tests; what goes between is the same text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate

from companion_app.eye.camera import TableCamera
from companion_app.eye.commands import Commands
from companion_app.eye.corrections import Corrections
from companion_app.eye.desk import Desk
from companion_app.eye.machine import MachineSeats
from companion_app.line.commands import EyeCommands, Gained, Given, brought, call_of, carry_out
from companion_app.line.eye import Eye
from companion_app.line.standing import Standing
from companion_app.line.wire import packed, unpacked
from companion_app.refusal import Refusal, read_refusal
from companion_app.seat.mind import Mind, Question
from companion_app.seat.player import ANSWER_S, Doc
from companion_app.web.context import Companion
from companion_app.web.place import Place
from companion_app.web.serving.page_file import SettingsFile


class NearPlayer:
    """The machine's mind in this process: every question is answered at once."""

    def __init__(self) -> None:
        self.mind = Mind(tuple)
        self.asked: list[str] = []
        self.says: Any = None
        """Said in place of what it thinks, where a test wants to see what becomes of it."""

    def ask(
        self,
        what: str,
        body: Doc,
        within_s: float = ANSWER_S,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:
        """Return the answer to a question."""
        del within_s
        self.asked.append(what)
        if self.says is not None:
            return self.says
        said: list[Doc] = []
        self.mind.put(Question({"what": what, "body": body}, said.append, wanted))
        while not said:
            self.mind.live(0.1)
        if "refusal" in said[0]:
            raise read_refusal(said[0]["refusal"])
        return said[0]["answer"]


class NearEye(Eye):
    """An eye in this process; what goes to it and comes back are the same bytes as over a line."""

    def __init__(self, commands: Commands) -> None:
        self.is_there = True
        self._commands = commands

    def standing(self) -> Standing:
        """Return how the table stands right now."""
        standing: Standing = unpacked(packed(self._commands.standing()), Standing)
        return standing

    def ask(
        self,
        deed: Callable[Concatenate[EyeCommands, Given], Gained],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Gained:
        """Have something done at once."""
        try:
            name, sent = unpacked(packed(call_of(deed, *given, **named)), tuple[str, list[Any]])
        except (OverflowError, RecursionError) as error:
            raise Refusal from error
        body = unpacked(packed(carry_out(self._commands, name, sent)), Any)
        gained: Gained = brought(name, body)
        return gained


def near_companion(
    desk: Desk, settings: SettingsFile, camera: TableCamera | None = None, **more: Any
) -> tuple[Companion, Commands]:
    """Return a page's ground with a desk in this process, and what answers it."""
    home = desk.store.path.parent
    player = NearPlayer()
    machine = MachineSeats(desk, player)
    commands = Commands(desk, camera, Corrections(home / "corrections"), machine)
    place = Place(desk.store.path, desk.set_folders)
    eye = NearEye(commands)
    companion = Companion(eye, settings, place, desk.hub, **{"player": player, **more})
    eye.ask(EyeCommands.limit_pictures, settings.now.pictures_mb)
    return companion, commands

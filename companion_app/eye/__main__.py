"""The eye as a process: ``python -m companion_app.eye``, started by the supervisor."""

from __future__ import annotations

import sys
from argparse import Namespace

from companion_app.answers import ANSWERED, BAD_INPUT, InputError, complain
from companion_app.child import Child, settle
from companion_app.eye.camera import TableCamera
from companion_app.eye.commands import Commands
from companion_app.eye.corrections import Corrections
from companion_app.eye.demo_rounds import demo_rounds
from companion_app.eye.desk import Desk, GameLeftError
from companion_app.eye.machine import MachineSeats
from companion_app.eye.mqtt import publisher_for
from companion_app.eye.reader import CommandReader
from companion_app.eye.starting import begin, is_asked, opened_store, source_asked
from companion_app.found_cameras import found_cameras
from companion_app.home import corrections_folder, home_folder, set_folders
from companion_app.live.errors import LiveError
from companion_app.seat.player import FarPlayer
from companion_app.settings import SettingsError, load_settings
from engine.errors import EngineError

FIRST_PAGE_S, TOLD_S = 10.0, 2.0
"""Seconds to wait for the first page, and until it has been sent the current game."""
DEED_S = 5.0
"""Seconds for which the desk may be busy before it counts as hanging."""


def main() -> int:
    """Look at the table until told to stop; return the exit status."""
    child = Child()
    desks: list[Desk] = []
    # The heartbeat starts before the store is opened: salvaging a damaged file takes a while.
    child.beat(lambda: all(map(_lives, desks)))
    try:
        with opened_store(home_folder()) as store:
            desks.append(Desk(store, set_folders=set_folders()))
            return _watch(child, desks[0])
    except (LiveError, EngineError, InputError, SettingsError) as error:
        complain(str(error))
        return BAD_INPUT


def _watch(child: Child, desk: Desk) -> int:
    asked, again = Namespace(**child.told["arguments"]), child.told["life"] > 0
    home = home_folder()
    source = source_asked(asked.source, home, desk.store, again)
    camera = TableCamera(desk, source, home, asked.speed, found_cameras)
    player = FarPlayer(child.told["player"], lambda: child.report(player=True))
    machine = MachineSeats(desk, player)
    commands = Commands(desk, camera, Corrections(corrections_folder()), machine)
    commands.end_eye = child.stopping.set
    publisher = publisher_for(desk, load_settings())
    reader = CommandReader(child.told["line"], commands, desk.hub)
    reader.start()
    machine.start()
    rounds = demo_rounds(desk, camera) if camera.kind == "demo" and not is_asked(asked) else None
    try:
        if not again:
            # The first game begins when a page is there to show it, or after the timeout.
            reader.followed.wait(FIRST_PAGE_S)
        settle()
        unfinished = desk.store.unfinished()
        begin(desk, camera, asked, again)
        if rounds is not None:
            rounds.take(unfinished)
        reader.tell_now(TOLD_S)
        child.report(ready=True, source=source)
        child.stopping.wait()
    finally:
        if rounds is not None:
            rounds.close()
        machine.close()
        camera.release()
        if publisher is not None:
            publisher.close()
        reader.close()
        desk.close()
    return ANSWERED


def _lives(desk: Desk) -> bool:
    """Say whether the desk comes to do something in time."""
    try:
        desk.do(lambda: None, DEED_S)
    except (TimeoutError, GameLeftError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())

"""The page as a process: ``python -m companion_app.web``, started by the supervisor."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import sys
from contextlib import suppress
from typing import Any

from companion_app.answers import ANSWERED
from companion_app.backup import BY_PAGE
from companion_app.child import Child, settle
from companion_app.home import home_folder, set_folders
from companion_app.line.eye import Eye
from companion_app.line.hub import Hub
from companion_app.listening import reachable_host, status_of
from companion_app.live.store import FILE
from companion_app.seat.player import FarPlayer
from companion_app.web.app import create_app
from companion_app.web.context import Companion
from companion_app.web.in_hall import InHall
from companion_app.web.lessons.photo_reading import read_photo
from companion_app.web.place import Place
from companion_app.web.serving.certificate import HttpsOffer
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.sessions import Sessions
from companion_app.web.serving.web_server import Server

log = logging.getLogger(__name__)
LIGHT = "/favicon.ico"
"""The address that the page requests from itself as a health check."""
EVENTS_A_LIFE = 10**9
"""Event numbers reserved for each start of the page: a phone that reconnects asks for the events
after the last number it saw, so no two starts may share one."""

NICE = 5
"""Niceness of the page's process: on a shared core the eye gets three quarters of the CPU time."""

SWITCH_S = 0.001
"""Seconds after which a busy thread yields to the next (``sys.setswitchinterval``). A verdict
passes through two threads on its way to a phone, and each waits for every busy one before it."""


def main() -> int:
    """Serve the page until told to stop; return the exit status."""
    child = Child()
    with suppress(OSError):
        os.nice(NICE)
    sys.setswitchinterval(SWITCH_S)
    told, home = child.told, home_folder()
    settings = SettingsFile(home / "page.json")
    hub = Hub(first=told["life"] * EVENTS_A_LIFE)
    eye = Eye(told["line"], hub, lambda: settings.now.pictures_mb)
    companion = Companion(
        eye,
        settings,
        Place(home / FILE, set_folders()),
        hub,
        read_photo=read_photo,
        sessions=Sessions(home / "sessions.json"),
        player=FarPlayer(told["player"], lambda: child.report(player=True)),
    )
    companion.start_again = child.stopping.set
    # Delete backups that an earlier start of the page left behind.
    shutil.rmtree(home / BY_PAGE, ignore_errors=True)
    server, in_hall = _server(companion, told), InHall(companion)
    eye.start()
    server.start()
    child.beat(lambda: status_of(told["host"], server.port, LIGHT) != 0)
    if told["https_port"] is not None and companion.https is not None:
        _start_https(companion.https)
    try:
        while not child.stopping.is_set():
            if status_of(told["host"], server.port, "/health") == 200:
                break
            child.stopping.wait(0.1)
        settle()
        child.report(
            ready=True, url=companion.address, pin=settings.made_pin, code=settings.now.join_code
        )
        in_hall.start()
        child.stopping.wait()
    finally:
        in_hall.close()
        hub.close()
        server.close()
        eye.close()
        companion.hands.close()
    return ANSWERED


def _server(companion: Companion, told: dict[str, Any]) -> Server:
    sock = socket.socket(fileno=told["socket"])
    sock.set_inheritable(False)
    server = Server(create_app(companion), sock=sock)
    host = str(told["host"])
    companion.address = f"http://{reachable_host(host)}:{server.port}/"
    companion.https = HttpsOffer(
        home_folder() / "tls",
        host,
        server,
        told["https_port"],
        lambda: companion.settings.now.names,
    )
    return server


def _start_https(offer: HttpsOffer) -> None:
    try:
        offer.start()
    except OSError as error:
        # Without https only a phone's live camera does not work.
        log.error("no https: %s", error)


if __name__ == "__main__":
    sys.exit(main())

"""The command ``run``: supervises the companion's processes until it is stopped."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from companion_app.answers import InputError, answer
from companion_app.cli.arguments import (
    Commands,
    add_game,
    games_in_words,
    new_parser,
    port,
    speed,
)
from companion_app.listening import listening
from companion_app.supervisor import Supervisor

STOPS = (signal.SIGTERM, signal.SIGINT)
WATCHES = {
    "demo": "There is no camera: a drawn table plays by itself, to show what it is like.",
    "phone": "It watches through a phone: open the page on it and choose the camera there.",
}
"""Announcements for sources that are no camera of this machine."""


def add_run_command(commands: Commands) -> None:
    """Add ``run`` to the command line."""
    run = new_parser(
        commands,
        "run",
        [
            "run",
            "run --source webcam:0 --game schlangennest --players blue,red",
            "run --game carnival --players yellow,black --option hands=ask",
            "run --game snekagon --players red,green --machine green=3",
            "run --source demo:7 --game snekagon --speed 4",
        ],
        games_in_words(),
    )
    run.add_argument("--json", action="store_true", help="print url and host_pin when ready")
    sources = (
        "pi, webcam:0, video:FILE, folder:DIR, phone or demo[:SEED]; the first camera found where "
        "missing, else demo"
    )
    run.add_argument("--source", metavar="S", help=sources)
    add_game(run, required=False)
    run.add_argument("--players", metavar="A,B", help="players in turn order")
    run.add_argument(
        "--machine",
        action="append",
        default=[],
        metavar="A=LEVEL",
        help="a player that Snake Eye plays, at a level from 1 to 5",
    )
    where = "address to listen at; 0.0.0.0, all of this machine, at first"
    run.add_argument("--host", default="0.0.0.0", metavar="H", help=where)
    run.add_argument("--port", type=port, metavar="P", help="8080, or the next that is free")
    run.add_argument(
        "--https-port",
        type=port,
        metavar="P",
        help="serve over https as well, for a phone's live camera",
    )
    run.add_argument(
        "--resume", action="store_true", help="take up the game that was not finished, if any"
    )
    run.add_argument(
        "--speed", type=speed, default=1.0, metavar="X", help="hastens the demo; 1 is real time"
    )
    run.set_defaults(command=run_companion)


def run_companion(arguments: Namespace) -> int:
    """Keep eye and page running until somebody stops them."""
    try:
        sock = listening(arguments.host, arguments.port)
    except OSError as error:
        where = arguments.host if arguments.port is None else f"port {arguments.port}"
        raise InputError(f"{where} cannot be used: {error.strerror}") from error
    asked = {name: value for name, value in vars(arguments).items() if name != "command"}
    with sock:
        try:
            supervisor = Supervisor(asked, sock, lambda said: _announce(said, arguments))
        except OSError as error:
            raise InputError(f"nothing can be written: {error.strerror}") from error
        before = {stop: signal.signal(stop, lambda *_: supervisor.stop()) for stop in STOPS}
        try:
            return supervisor.run()
        finally:
            for stop, did in before.items():
                signal.signal(stop, did)


def _announce(said: Mapping[str, Any], arguments: Namespace) -> None:
    url, pin, source = said["url"], said["pin"], said["source"]
    hosting = [
        f"Host PIN: {pin} (who types it in on the page may begin and correct games)",
        "It is shown this once: write it down.",
    ]
    if pin is None:
        hosting = ["The host PIN is the one that you know; snake-eye pin --new makes another."]
    answer(
        arguments,
        {"url": url, "host_pin": pin},
        [
            f"Snake Eye is ready: open {url} on any phone in this network.",
            *hosting,
            f"Join code: {said['code']} (players type it in on the page to take their seat)",
            WATCHES.get(source.partition(":")[0], f"It watches through {source}."),
            "Ctrl-C stops it; the game is kept, and goes on at the next start.",
        ],
    )
    if sys.stdout.isatty() and not arguments.json:
        import segno

        segno.make(f"{url}#join={said['code']}", error="m").terminal(compact=True)
    sys.stdout.flush()

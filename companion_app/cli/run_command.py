"""The command ``run``: the companion page with the game it was asked for."""

from __future__ import annotations

import argparse
import logging
import sys
from argparse import Namespace
from dataclasses import replace

from companion_app.answers import ANSWERED, InputError, print_json, print_line
from companion_app.cli.arguments import (
    add_game,
    games_in_words,
    new_parser,
    speed,
    told_options,
    told_players,
)
from companion_app.found_cameras import found_cameras
from companion_app.home import corrections_folder, home_folder, set_folders
from companion_app.live.demo import demo_record
from companion_app.live.errors import LiveError, StoreError
from companion_app.live.match import Match
from companion_app.live.store import Store
from companion_app.settings import load_settings
from companion_app.web.app import create_app
from companion_app.web.camera import TableCamera, kind_of
from companion_app.web.context import Companion
from companion_app.web.corrections import Corrections
from companion_app.web.desk import Desk, source_in
from companion_app.web.feeder import Feeder
from companion_app.web.lessons.photo_reading import read_photo
from companion_app.web.recorded import shipped_script
from companion_app.web.serving.errors import WebError
from companion_app.web.serving.https_front import HttpsOffer
from companion_app.web.serving.mqtt import publisher_for
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.server import Server, reachable_host, serve
from companion_app.web.serving.sessions import Sessions
from engine.game import AnyGame, Start
from engine.games import game_named
from engine.record import Record, find_set

log = logging.getLogger(__name__)
DEMO_GAME = "schlangennest"
WATCHES = {
    "demo": "There is no camera: a drawn table plays by itself, to show what it is like.",
    "recorded": "There is no camera: a recorded game is shown.",
    "phone": "It watches through a phone: open the page on it and choose the camera there.",
}
"""What is said of sources that are no camera of this machine."""


def add_run_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
) -> argparse.ArgumentParser:
    """Add ``run`` to the command line."""
    does = "the companion: a page for every phone at the table"
    run = new_parser(
        commands, "run", does,
        ["run", "run --source webcam:0 --game schlangennest --players blue,red",
         "run --game carnival --players yellow,black --option hands=ask",
         "run --source demo:7 --game snekagon --speed 4"],
        games_in_words(),
    )  # fmt: skip
    run.add_argument("--json", action="store_true", help="print url and host_pin when ready")
    sources = (
        "pi, webcam:0, video:FILE, folder:DIR, phone, demo[:SEED] or recorded; the first camera "
        "found where missing, else demo"
    )
    run.add_argument("--source", metavar="S", help=sources)
    add_game(run, required=False)
    run.add_argument("--players", metavar="A,B", help="players in turn order")
    run.add_argument(
        "--host",
        default="0.0.0.0",
        metavar="H",
        help="address to listen at; 0.0.0.0, all of this machine, at first",
    )
    run.add_argument("--port", type=_port, metavar="P", help="8080, or the next that is free")
    run.add_argument("--https-port", type=_port, metavar="P",
                     help="serve over https as well, for a phone's live camera")  # fmt: skip
    run.add_argument("--resume", action="store_true",
                     help="take up the game that was not finished, if any")  # fmt: skip
    run.add_argument(
        "--speed", type=speed, default=1.0, metavar="X", help="hastens the demo; 1 is real time"
    )
    run.set_defaults(command=run_companion)
    return run


def run_companion(arguments: Namespace) -> int:
    """Serve the page until somebody stops it."""
    try:
        with Store(home_folder()) as store:
            return _serve(arguments, store)
    except LiveError as error:
        raise InputError(str(error)) from error


def source_without_asking(kept: str) -> str:
    """Return the source where none was asked for: chosen before, first found, else the demo."""
    found = found_cameras()
    return kept if kept in (*found, "phone", "demo") else next(iter(found), "demo")


def source_at_start(kept: str, store: Store) -> str:
    """Return the source where none was asked for; a game of people waits for its own camera."""
    taken = source_without_asking(kept)
    unfinished = store.unfinished()
    before = source_in(store, unfinished) if unfinished else ""
    # The demo table would play on by itself.
    waits = taken == "demo" and before.partition(":")[0] in ("pi", "webcam", "phone")
    return before if waits else taken


def _serve(arguments: Namespace, store: Store) -> int:
    desk = Desk(store, set_folders=set_folders())
    home = home_folder()
    settings = SettingsFile(home / "page.json")
    arguments.source = arguments.source or source_at_start(settings.now.source, store)
    camera = TableCamera(desk, arguments.source, home / "profiles", arguments.speed, found_cameras)
    companion = Companion(desk, settings, make_feeder=camera.feeder, read_photo=read_photo,
                          camera=camera, corrections=Corrections(corrections_folder()),
                          sessions=Sessions(home / "sessions.json"))  # fmt: skip
    publisher = publisher_for(desk, load_settings())
    server = _started(companion, arguments)
    try:
        _begin(desk, camera, arguments)
        _announce(companion, arguments)
        server.wait()
    except KeyboardInterrupt:
        pass
    finally:
        camera.release()
        if publisher is not None:
            publisher.close()
        desk.close()
        server.close()
        companion.hands.close()
    return ANSWERED


def _started(companion: Companion, arguments: Namespace) -> Server:
    try:
        server = serve(create_app(companion), arguments.host, arguments.port)
    except OSError as error:
        raise InputError(f"port {arguments.port} cannot be used: {error.strerror}") from error
    companion.address = f"http://{reachable_host(arguments.host)}:{server.port}/"
    companion.https = HttpsOffer(home_folder() / "tls", arguments.host, server.port,
                                 arguments.https_port,
                                 lambda: companion.settings.now.names)  # fmt: skip
    server.start()
    if arguments.https_port is not None:
        _start_https(companion.https)
    return server


def _start_https(offer: HttpsOffer) -> None:
    try:
        offer.start()
    except OSError as error:
        # The page works without it; only a phone's live camera does not.
        log.error("no https: %s", error)


def _begin(desk: Desk, camera: TableCamera, arguments: Namespace) -> None:
    """Take up the game that was not finished, or begin the one asked for.

    Before a camera nothing is begun unasked: the page shows the way to a game.
    """
    asked = arguments.game or arguments.players or arguments.option or arguments.set
    match = _taken_up(desk) if arguments.resume or not asked else None
    if match is not None:
        desk.feed(_opened(camera, match.record()))
        return
    if asked or camera.kind in ("demo", "recorded"):
        record = _asked_record(arguments)
        desk.begin(record, {}, _opened(camera, record))


def _taken_up(desk: Desk) -> Match | None:
    """Take up the game that was not finished; one that cannot be is told, and left as it is."""
    try:
        unfinished = desk.store.unfinished()
        return None if unfinished is None else desk.resume(unfinished)
    except StoreError as error:
        log.error("%s", error)
        desk.trouble = str(error)
        return None


def _opened(camera: TableCamera, record: Record) -> Feeder | None:
    try:
        return camera.feeder(record, patient=True)
    except WebError as error:
        raise InputError(error.detail) from error


def _asked_record(arguments: Namespace) -> Record:
    game = game_named(arguments.game or DEMO_GAME)
    asked = arguments.players or arguments.option or arguments.set
    if not asked and arguments.source == "recorded":
        script = shipped_script(game.facts.name)
        if script is not None:
            return replace(script.record, moves=())
    if not asked and arguments.source.startswith("demo"):
        return demo_record(game.facts.name)
    box = find_set(game, arguments.set, set_folders())
    players = told_players(game, arguments.players or _some_players(game))
    start = Start(players, told_options(game, arguments.option))
    game.opening(start, box)
    return Record(game, box, start)


def _some_players(game: AnyGame) -> str:
    names = game.facts.player_names or ("Anna", "Ben")
    return ",".join(names[: game.facts.fewest_players])


def _announce(companion: Companion, arguments: Namespace) -> None:
    pin = companion.settings.made_pin
    if arguments.json:
        print_json({"url": companion.address, "host_pin": pin})
        return
    print_line(f"Snake Eye is ready: open {companion.address} on any phone in this network.")
    if pin is None:
        print_line("The host PIN is the one that you know; snake-eye pin --new makes another.")
    else:
        print_line(f"Host PIN: {pin} (who types it in on the page may begin and correct games)")
        print_line("It is shown this once: write it down.")
    code = companion.settings.now.join_code
    print_line(f"Join code: {code} (players type it in on the page to take their seat)")
    print_line(WATCHES.get(kind_of(arguments.source), f"It watches through {arguments.source}."))
    print_line("Ctrl-C stops it; the game is kept, and goes on at the next start.")
    if sys.stdout.isatty():
        import segno

        segno.make(f"{companion.address}#join={code}", error="m").terminal(compact=True)
    sys.stdout.flush()


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port

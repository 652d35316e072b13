"""The command ``run``: the companion page with the game it was asked for."""

from __future__ import annotations

import argparse
import sys
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from companion_app.answers import ANSWERED, InputError, print_json, print_line
from companion_app.arguments import speed
from companion_app.home import home_folder, set_folders
from companion_app.live.demo import DemoSource
from companion_app.live.errors import LiveError
from companion_app.live.store import Store
from companion_app.record_commands import option_value
from companion_app.web.access import SettingsFile
from companion_app.web.app import Companion, create_app
from companion_app.web.desk import Desk, Feeder
from companion_app.web.photo_reading import read_photo
from companion_app.web.recorded import RecordedGame, Script, shipped_script
from companion_app.web.serving import Server, reachable_host, serve
from engine.game import AnyGame, Json, Start
from engine.games import GAMES, game_named
from engine.record import Record, find_set, parse_options, parse_players

DEMO_GAME = "schlangennest"


def add_run_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
) -> argparse.ArgumentParser:
    """Add ``run`` to the command line."""
    does = "the companion: a page for every phone at the table"
    run = commands.add_parser("run", help=does, description=does.capitalize() + ".")
    run.add_argument("--json", action="store_true", help="print url and host_pin when ready")
    sources = "pi, webcam:0, video:FILE, folder:DIR, phone, demo[:SEED] or recorded"
    run.add_argument("--source", metavar="S", help=sources)
    run.add_argument("--game", choices=GAMES, metavar="G", help="one of " + ", ".join(GAMES))
    run.add_argument("--set", metavar="N", help="the box; the game's own where it is missing")
    run.add_argument("--players", metavar="A,B", help="players in turn order")
    run.add_argument("--option", action="append", default=[], metavar="K=V",
                     help="an option; may be repeated")  # fmt: skip
    run.add_argument("--host", default="0.0.0.0", metavar="H", help="address to listen at")
    run.add_argument("--port", type=_port, metavar="P", help="8080, or the next that is free")
    run.add_argument("--speed", type=speed, default=1.0, metavar="X", help="hastens the demo")
    run.set_defaults(command=run_companion)
    return run


def run_companion(arguments: Namespace) -> int:
    """Serve the page until somebody stops it."""
    arguments.source = arguments.source or first_camera() or "demo"
    try:
        with Store(home_folder()) as store:
            return _serve(arguments, store)
    except LiveError as error:
        raise InputError(str(error)) from error


def first_camera() -> str | None:
    """Return the first camera that the system lists: a Raspberry Pi's own, else a webcam."""
    from vision.sources.pi_camera import has_library, pi_cameras

    if has_library() and pi_cameras():
        return "pi"
    found = sorted(Path("/dev").glob("video*"))
    return f"webcam:{found[0].name.removeprefix('video')}" if found else None


def _serve(arguments: Namespace, store: Store) -> int:
    desk = Desk(store, set_folders=set_folders())
    settings = SettingsFile(home_folder() / "page.json")
    companion = Companion(desk, settings, make_feeder=lambda record: _feeder(record, arguments),
                          read_photo=read_photo)  # fmt: skip
    server = _started(companion, arguments)
    try:
        _begin(desk, arguments)
        _announce(companion, arguments)
        server.wait()
    except KeyboardInterrupt:
        pass
    finally:
        desk.close()
        server.close()
    return ANSWERED


def _started(companion: Companion, arguments: Namespace) -> Server:
    try:
        server = serve(create_app(companion), arguments.host, arguments.port)
    except OSError as error:
        raise InputError(f"port {arguments.port} cannot be used: {error.strerror}") from error
    companion.address = f"http://{reachable_host(arguments.host)}:{server.port}/"
    server.start()
    return server


def _begin(desk: Desk, arguments: Namespace) -> None:
    """Take up the game that was not finished, or begin the one asked for."""
    asked = arguments.game or arguments.players or arguments.option or arguments.set
    unfinished = None if asked else desk.store.unfinished()
    if unfinished is not None:
        match = desk.resume(unfinished)
        desk.feed(_feeder(match.record(), arguments))
        return
    record = _asked_record(arguments)
    desk.begin(record, {}, _feeder(record, arguments))


def _asked_record(arguments: Namespace) -> Record:
    game = game_named(arguments.game or DEMO_GAME)
    asked = arguments.players or arguments.option or arguments.set
    if not asked and arguments.source == "recorded":
        script = shipped_script(game.facts.name)
        if script is not None:
            return replace(script.record, moves=())
    box = find_set(game, arguments.set, set_folders())
    listed = arguments.players.split(",") if arguments.players else _some_players(arguments, game)
    players = parse_players(game, listed, "--players")
    start = Start(players, parse_options(game, _options(arguments.option), "--option"))
    game.opening(start, box)
    return Record(game, box, start)


def _some_players(arguments: Namespace, game: AnyGame) -> list[str]:
    facts = game.facts
    kind, _, seed = arguments.source.partition(":")
    if kind == "demo":
        return list(DemoSource(facts.name, int(seed) if seed.isdigit() else 1).players)
    names = facts.player_names or ("Anna", "Ben")
    return list(names[: facts.fewest_players])


def _options(given: list[str]) -> Mapping[str, Json]:
    options = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--option {text}: write it as name=value")
        options[name] = option_value(value)
    return options


def _feeder(record: Record, arguments: Namespace) -> Feeder | None:
    """Return what shows tables to a game: a camera, the demo table, or the recorded game."""
    name = record.game.facts.name
    if arguments.source == "recorded":
        script = shipped_script(name)
        if script is None or not _same_start(script, record):
            return None
        return RecordedGame(script, arguments.speed)
    from companion_app.live.opening import open_source
    from companion_app.live.reading import make_reader
    from companion_app.web.watching import Watched

    source = open_source(arguments.source, name, speed=arguments.speed)
    if isinstance(source, DemoSource) and source.players != record.start.players:
        # The demo table plays its own people; others lay their tiles before a camera.
        return None
    kind = arguments.source.split(":")[0]
    shown = kind if kind in ("demo", "phone") else "camera"
    return Watched(shown, source, make_reader(record.game, record.tile_set))


def _same_start(script: Script, record: Record) -> bool:
    return script.record.start == record.start and script.record.tile_set.name == (
        record.tile_set.name
    )


def _announce(companion: Companion, arguments: Namespace) -> None:
    pin = companion.settings.now.pin
    if arguments.json:
        print_json({"url": companion.address, "host_pin": pin})
        return
    print_line(f"Snake Eye is ready: open {companion.address} on any phone in this network.")
    print_line(f"Host PIN: {pin}")
    if sys.stdout.isatty():
        import segno

        segno.make(companion.address, error="m").terminal(compact=True)
    sys.stdout.flush()


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port

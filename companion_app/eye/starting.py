"""How the eye starts: which source it uses, and which game it begins or resumes."""

from __future__ import annotations

import json
import logging
import time
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from companion_app.answers import InputError
from companion_app.boxes import some_players
from companion_app.cli.arguments import told_machine, told_options, told_players
from companion_app.eye.camera import TableCamera
from companion_app.eye.desk import Desk, Feeder, is_demo, is_real_camera, source_in
from companion_app.eye.recorded import shipped_script
from companion_app.found_cameras import found_cameras
from companion_app.home import set_folders
from companion_app.live.demo import demo_record
from companion_app.live.errors import StoreError, StoreInUse
from companion_app.live.machine import NAME
from companion_app.live.match import Match
from companion_app.live.opening import check_source
from companion_app.live.store import Store
from companion_app.refusal import Refusal
from engine.asked import check_start
from engine.game import Start
from engine.games import game_named
from engine.record import Record, find_set

log = logging.getLogger(__name__)
DEMO_GAME = "schlangennest"
GOING_S = 1.5
"""Seconds for which an eye that was just killed may still hold the store's lock."""


def opened_store(home: Path, patience_s: float = GOING_S) -> Store:
    """Open the store of a home, retrying for a while if it is still locked.

    Raises:
        StoreError: the store cannot be opened.
    """
    until_s = time.monotonic() + patience_s
    while True:
        try:
            return Store(home)
        except StoreInUse:
            if time.monotonic() > until_s:
                raise
            time.sleep(0.05)


# --- which source --------------------------------------------------------------------------------


def source_asked(asked: str | None, home: Path, store: Store, again: bool) -> str:
    """Return the source to start with.

    Args:
        asked: the source of the command line, if any.
        home: the folder in which the page keeps the source that was chosen on it.
        store: the games.
        again: whether this eye replaces one that has died or was restarted.

    Raises:
        InputError: there is no source as the command line names it.
    """
    if asked is not None and not again:
        check_source(asked)
    before = source_in(store, store.unfinished()) if again else ""
    return before or asked or source_at_start(source_kept(home), store)


def source_kept(home: Path) -> str:
    """Return the source that was chosen on the page; empty if none was."""
    try:
        kept = json.loads((home / "page.json").read_text(encoding="utf-8"))
        return str(kept.get("source", ""))
    except (OSError, ValueError, AttributeError):
        return ""


def source_without_asking(kept: str) -> str:
    """Return the default source: the one chosen before, the first found, else the demo."""
    found = found_cameras()
    return kept if kept in (*found, "phone", "demo") else next(iter(found), "demo")


def source_at_start(kept: str, store: Store) -> str:
    """Return the default source; an unfinished game with a camera waits for that camera."""
    taken = source_without_asking(kept)
    before = source_in(store, store.unfinished())
    # The demo table must not resume it: its simulated players would play people's game.
    return before if taken == "demo" and is_real_camera(before) else taken


# --- which game ----------------------------------------------------------------------------------


def begin(desk: Desk, camera: TableCamera, asked: Namespace, again: bool) -> None:
    """Resume the unfinished game, or begin the one asked for.

    With a camera no game is begun unasked: people begin one on the page. An eye that replaces a
    dead one only resumes, and never begins a game.
    """
    named = is_asked(asked)
    match = _taken_up(desk) if asked.resume or again or not named else None
    if match is not None:
        if camera.kind != "demo" or is_demo(match.now.source):
            desk.feed(_opened(camera, match.record()))
    elif not again and (named or camera.kind in ("demo", "recorded")):
        record = _asked_record(asked, camera)
        machine = told_machine(record.start.players, asked.machine)
        names = dict.fromkeys(machine, NAME)
        desk.begin(record, names, _opened(camera, record), machine, by_people=named)


def is_asked(asked: Namespace) -> bool:
    """Say whether the command line names a game, or anything about one."""
    named = asked.players is not None
    return bool(asked.game or named or asked.option or asked.set or asked.machine)


def _taken_up(desk: Desk) -> Match | None:
    """Resume the unfinished game; one that cannot be read is reported and left unchanged."""
    try:
        unfinished = desk.store.unfinished()
        return None if unfinished is None else desk.resume(unfinished)
    except StoreError as error:
        log.error("%s", error)
        desk.say("trouble", text=str(error))
        return None


def _opened(camera: TableCamera, record: Record) -> Feeder | None:
    try:
        return camera.feeder(record, patient=True)
    except Refusal as error:
        raise InputError(error.detail) from error


def _asked_record(asked: Namespace, camera: TableCamera) -> Record:
    game = game_named(asked.game or DEMO_GAME)
    named = asked.players is not None or asked.option or asked.set
    if not named and camera.kind == "recorded":
        script = shipped_script(game.facts.name)
        if script is not None:
            return replace(script.record, moves=())
    if not named and camera.kind == "demo":
        return demo_record(game.facts.name)
    box = find_set(game, asked.set, set_folders())
    players = some_players(game)
    if asked.players is not None:
        players = told_players(game, asked.players)
    start = Start(players, told_options(game, asked.option))
    check_start(game, box, start, "--players")
    game.opening(start, box)
    return Record(game, box, start)

"""A desk with a written game, and a guest at it."""

from __future__ import annotations

import atexit
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion_app.eye.camera import TableCamera
from companion_app.eye.desk import Desk
from companion_app.eye.recorded import Script, laid, read_script, settled_on, shipped_script
from companion_app.hands.pool import Hands
from companion_app.live.store import Store
from companion_app.web.app import create_app
from companion_app.web.serving.limits import Limiter
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.sessions import Sessions
from engine.game import Move
from engine.placement import Layout, Placement
from engine.record import Record, move_to_json, parse_record
from engine.tiles import TileSet
from tests.near import near_companion

PLAYTHROUGHS = Path(__file__).parents[2] / "playthroughs"
PIN = "424242"
HANDS = Hands()
"""Shared by all desks of a run: a worker takes a moment to begin."""
atexit.register(HANDS.close)
SILENT = ("roll", "discard", "pass", "finale")


def playthrough(name: str) -> Record:
    """Return the first game of a playthrough file."""
    text = (PLAYTHROUGHS / f"{name}.json").read_text(encoding="utf-8")
    return parse_record(json.loads(text)["games"][0]["record"])


def ten_tiles_of(box: TileSet) -> Layout:
    """Return ten different cards of a box, side by side in two rows."""
    cards = [kind for kind in box.kinds.values() if len(kind.cells) == 1]
    shown = [cards[number * len(cards) // 10] for number in range(10)]
    return Layout(
        frozenset(
            Placement(kind.name, (n % 5, n // 5), (n * 3 // 2) % kind.period)
            for n, kind in enumerate(shown)
        )
    )


class Guest:
    """A phone: a test client that knows its token."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.token = client.get("/api/me").get_json()["token"]

    def get(self, path: str, **more: Any) -> Any:
        """Return the JSON of an address."""
        return self.client.get(path, **more).get_json()

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """Send JSON as our page does; return the response."""
        return self.client.post(
            path, json={} if body is None else body, headers={"X-Snake-Eye": self.token, **headers}
        )

    def be_host(self) -> Guest:
        """Show the PIN."""
        assert self.post("/api/login", {"pin": PIN}).status_code == 200
        return self

    def join(self, code: str, *seats: str) -> Guest:
        """Show the join code and sit down."""
        assert self.post("/api/join", {"code": code, "seats": list(seats)}).status_code == 200
        return self


class Played:
    """A desk at which a written game can be played move by move, through the referee."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)
        self.desk = Desk(self.store)
        self.settings = SettingsFile(folder / "page.json", pin_cost=2)
        if not self.settings.is_pin(PIN):
            self.settings.change_pin(PIN)
        self.time_s = 0.0
        self.companion, self.eye = near_companion(
            self.desk,
            self.settings,
            limiter=Limiter(lambda: self.time_s),
            address="http://pi/",
            sessions=Sessions(folder / "sessions.json"),
            hands=HANDS,
        )
        self.app = create_app(self.companion)

    def use_sets(self, folder: Path) -> None:
        """Let boxes of the owner be found in a folder."""
        self.desk.set_folders = (folder,)
        self.companion.place = replace(self.companion.place, set_folders=(folder,))

    def look_through(self, camera: TableCamera) -> TableCamera:
        """Let the table have a camera."""
        self.eye.camera = camera
        return camera

    def guest(self) -> Guest:
        """Return a new phone."""
        return Guest(self.app.test_client())

    def host(self) -> Guest:
        """Return a new phone that has shown the PIN."""
        return self.guest().be_host()

    def seat(self, *seats: str) -> Guest:
        """Return a new phone that speaks for players of the game that is on."""
        return self.guest().join(self.settings.now.join_code, *seats)

    def begin(self, record: Record, names: dict[str, str] | None = None) -> None:
        """Begin a game without a move."""
        self.desk.begin(replace(record, moves=()), names)

    def play(self, record: Record, count: int | None = None) -> None:
        """Play moves of a record as the live loop would: tables seen, the rest told."""
        for move in record.moves[: len(record.moves) if count is None else count]:
            self.lay(move)

    def lay(self, move: Move) -> None:
        """Lay the tile of a move, legal or not."""
        referee = self.desk.referee
        assert referee is not None
        match = referee.match
        self.time_s += 10
        if move.do in SILENT:
            if move.player == match.position.to_move and not match.ended:
                told = {"move": move_to_json(move)}
                self.desk.do(partial(referee.tell, told, self.time_s))
            return
        fields = match.game.facts.player_names is None
        field = match.start.players.index(move.snake or move.player) if fields else None
        after = laid(match.layout, move, field)
        if match.game.judge(match.position, move).legal:
            after = match.game.layout(match.game.apply(match.position, move))
        self.desk.do(referee.state.touch)
        for _ in range(4):
            self.time_s += 1
            self.desk.do(partial(referee.look, settled_on(after), self.time_s))

    def look_at_the_table(self) -> None:
        """Look at the table as it was accepted: what lay there besides was lifted."""
        referee = self.desk.referee
        assert referee is not None
        self.time_s += 10
        self.desk.do(referee.state.touch)
        self.desk.do(partial(referee.look, settled_on(referee.match.layout), self.time_s))


@contextmanager
def busy(desk: Desk) -> Iterator[None]:
    """Keep the desk's thread busy while the block runs."""
    free = threading.Event()
    with ThreadPoolExecutor(1) as other:
        deed = other.submit(desk.do, free.wait)
        try:
            yield
            assert not deed.done()
        finally:
            free.set()


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    """Return a desk of its own."""
    table = Played(tmp_path)
    yield table
    table.desk.close()
    table.store.close()


@pytest.fixture(scope="session")
def script() -> Script:
    """Return the recorded game with its fouls."""
    shipped = shipped_script("schlangennest")
    assert shipped is not None
    return shipped


__all__ = ["PIN", "Guest", "Played", "playthrough", "read_script"]

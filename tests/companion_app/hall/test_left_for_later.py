"""Faults of the hall that its rewriting mended."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from companion_app.games.play import play
from companion_app.hall.process import Asked, HallProcess
from companion_app.live.match import Match
from companion_app.live.store import Store
from tests.browser.chromium import wait_until
from tests.companion_app.hall.test_standing import record_of

ROOT = Path(__file__).parents[3]
ENDS_WITHIN_S = 3.0


@pytest.fixture
def match(tmp_path):
    with Store(tmp_path / "table") as store:
        yield Match.begin(store, record_of("schlangennest_two_players"), "g1")


def test_foul_of_before_is_gone_when_the_game_goes_on_from_another_table(match):
    match.foul(first_move(), (), 0.0)
    match.restart(match.start)

    assert play(match.store.lines("g1")).pending is None


def test_foul_lies_again_when_what_was_said_of_it_is_undone(match):
    match.foul(first_move(), (), 0.0)
    mark = match.now
    match.accept((first_move(),))
    match.go_back(mark)

    assert play(match.store.lines("g1")).pending is not None


def first_move():
    return record_of("schlangennest_two_players").moves[0]


def test_nothing_of_a_hall_listens_on_another_address_than_it_was_told(tmp_path):
    with HallProcess(Asked(tmp_path / "hall", host="127.0.0.2", port=0, tables_port=0)) as hall:
        for port in (hall.tables.port, hall.port):
            assert answers("127.0.0.2", port)
            assert not answers("127.0.0.1", port)


def test_nothing_outlives_a_hall_that_was_killed(tmp_path):
    command = [sys.executable, "-m", "companion_app.cli", "hall", "--json", "--host", "127.0.0.1"]
    hall = subprocess.Popen(
        [*command, "--port", "0", "--tables-port", "0"],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "SNAKE_EYE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
    )
    assert hall.stdout is not None and json.loads(hall.stdout.readline())["url"]
    assert hall.pid in running_with(tmp_path)

    hall.kill()
    hall.communicate()

    wait_until(lambda: not [*running_with(tmp_path)], ENDS_WITHIN_S)


def running_with(home: Path) -> Iterator[int]:
    """Yield the processes that were started for a home, also where nobody else started them."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"SNAKE_EYE_HOME={home}\0".encode() in (folder / "environ").read_bytes():
                yield int(folder.name)


def answers(host: str, port: int) -> bool:
    """Say whether somebody listens at an address."""
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0

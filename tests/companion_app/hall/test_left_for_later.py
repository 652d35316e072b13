"""Faults of the hall that its rewriting mends; each test turns with the step that it names."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from companion_app.games.play import play
from companion_app.hall.line.broker import BrokerAddress, answers, find_mosquitto
from companion_app.hall.process import Asked, HallProcess
from companion_app.live.match import Match
from companion_app.live.store import Store
from tests.browser.chromium import wait_until
from tests.companion_app.hall.cluster import free_port
from tests.companion_app.hall.test_standing import record_of
from tests.faults.companion import has_ended
from tests.steps import comes_with

ROOT = Path(__file__).parents[3]
ENDS_WITHIN_S = 3.0
needs_broker = pytest.mark.skipif(find_mosquitto() is None, reason="there is no Mosquitto here")


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


@needs_broker
@comes_with("hall")
def test_nothing_of_a_hall_listens_on_another_address_than_it_was_told(tmp_path):
    port = free_port()
    hall = HallProcess(Asked(tmp_path / "hall", host="127.0.0.2", port=0, broker_port=port))
    hall.start()
    try:
        wait_until(lambda: answers(BrokerAddress("127.0.0.2", port)))
        heard = answers(BrokerAddress("127.0.0.1", port))
    finally:
        hall.close()

    assert not heard


@needs_broker
@comes_with("hall")
def test_nothing_outlives_a_hall_that_was_killed(tmp_path):
    command = [sys.executable, "-m", "companion_app.cli", "hall", "--json", "--host", "127.0.0.1"]
    hall = subprocess.Popen(
        [*command, "--port", "0", "--broker-port", str(free_port())],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "SNAKE_EYE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
    )
    assert hall.stdout is not None and json.loads(hall.stdout.readline())["url"]
    (pid_file,) = tmp_path.rglob("mosquitto.pid")
    broker = int(pid_file.read_text())

    hall.kill()
    hall.communicate()

    try:
        with suppress(AssertionError):
            wait_until(lambda: has_ended(broker), ENDS_WITHIN_S)
        assert has_ended(broker)
    finally:
        with suppress(ProcessLookupError):
            os.kill(broker, signal.SIGTERM)

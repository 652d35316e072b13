"""The command ``run`` as a process: ready within moments, and the same game after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from companion_app.answers import InputError
from companion_app.eye import starting
from companion_app.games.entries import Source
from companion_app.live.demo import demo_record
from companion_app.live.match import Match
from companion_app.live.store import Store
from tests.browser.chromium import wait_until

START = (
    "import argparse, sys; from companion_app.cli.run_command import add_run_command;"
    "p = argparse.ArgumentParser(); add_run_command(p.add_subparsers());"
    "a = p.parse_args(); sys.exit(a.command(a))"
)
ROOT = Path(__file__).parents[3]


def started(home: Path, *arguments: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    command = [sys.executable, "-c", START, "run", "--json", "--host", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--source", "recorded", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "SNAKE_EYE_HOME": str(home)},
    )
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def state(url: str) -> Any:
    with urllib.request.urlopen(url + "api/state", timeout=20) as answer:
        return json.loads(answer.read())


def state_with_moves(url: str, moves: int = 0) -> Any:
    """The state once that many moves are made; the page may be there before the eye's game is."""

    def enough() -> Any:
        page = state(url)
        return page if "moves" in page and len(page["moves"]) >= moves else None

    return wait_until(enough, 20, f"a game of {moves} moves")


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert process.stdout is not None
    process.stdout.close()


def test_run_serves_a_game_and_takes_it_up_again_after_a_kill(tmp_path):
    process, said = started(tmp_path, "--speed", "40")
    try:
        assert set(said) == {"url", "host_pin"}
        before = state_with_moves(said["url"], 3)
        assert before["source"]["kind"] == "recorded"
    finally:
        killed(process)

    process, again = started(tmp_path, "--speed", "0.01")
    try:
        after = state_with_moves(again["url"])
    finally:
        killed(process)

    assert len(said["host_pin"]) == 6
    assert again["host_pin"] is None, "a PIN is shown once"
    assert after["key"] == before["key"]
    assert after["moves"][: len(before["moves"])] == before["moves"]


def test_page_starts_though_the_last_game_cannot_be_understood(tmp_path):
    with Store(tmp_path) as store:
        store.append("torn", "started", {"record": {"game": "chess"}})
    process, said = started(tmp_path, "--source", "phone")
    try:
        # The page may be there a moment before the eye has tried the last game.
        wait_until(lambda: state(said["url"])["trouble"], 20, "the trouble")
        page = state(said["url"])
        with urllib.request.urlopen(said["url"] + "api/history", timeout=20) as answer:
            kept = json.loads(answer.read())
    finally:
        killed(process)

    assert page["game"] is None
    assert "line 1 of game torn (started) cannot be understood" in page["trouble"]
    assert "a new game can be begun" in page["trouble"]
    assert kept["games"] == []
    assert [game["key"] for game in kept["unreadable"]] == ["torn"]

    process, said = started(tmp_path)
    try:
        after = state_with_moves(said["url"])
    finally:
        killed(process)
    assert after["game"] == "schlangennest"
    assert after["trouble"] is None


def test_page_starts_without_its_camera_says_so_and_keeps_the_game(tmp_path):
    process, said = started(tmp_path, "--speed", "200")
    try:
        before = state_with_moves(said["url"], 1)
    finally:
        killed(process)

    process, said = started(tmp_path, "--source", "webcam:93", "--game", "carnival", "--resume")
    after: dict[str, Any] = {}
    try:
        for _ in range(200):
            after = state(said["url"])
            if after["seeing"]["state"] == "camera-lost":
                break
            time.sleep(0.05)
    finally:
        killed(process)

    assert after["seeing"]["state"] == "camera-lost"
    assert after["seeing"]["text"] == "No picture from the camera"
    assert "Check its cable" in after["seeing"]["why"]["text"]
    assert after["key"] == before["key"]


@pytest.mark.parametrize(
    ("found", "noted", "taken"),
    [
        ([], "webcam:0", "webcam:0"),
        ([], "phone", "phone"),
        ([], "demo", "demo"),
        ([], "folder:x", "demo"),
        (["webcam:1"], "webcam:0", "webcam:1"),
    ],
    ids=["camera-is-gone", "phone", "demo", "pictures", "another-camera"],
)
def test_demo_table_never_plays_on_in_a_game_of_people(monkeypatch, tmp_path, found, noted, taken):
    monkeypatch.setattr(starting, "found_cameras", lambda: found)
    with Store(tmp_path) as store:
        Match.begin(store, demo_record("schlangennest")).note(Source(noted))

        assert starting.source_at_start("", store) == taken


@pytest.mark.parametrize(
    ("found", "kept", "taken"),
    [
        ([], "", "demo"),
        (["pi", "webcam:0"], "", "pi"),
        (["webcam:0"], "phone", "phone"),
        (["webcam:0"], "webcam:3", "webcam:0"),
        (["webcam:0"], "folder:x", "webcam:0"),
    ],
    ids=["nothing-found", "first-found", "chosen", "chosen-is-gone", "not-a-choice"],
)
def test_camera_that_was_chosen_is_taken_again_where_it_is_still_there(
    monkeypatch, found, kept, taken
):
    monkeypatch.setattr(starting, "found_cameras", lambda: found)

    assert starting.source_without_asking(kept) == taken


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("moon", "there is no source 'moon'"),
        ("pi2", "there is no source 'pi2'"),
        ("phone:2", "there is no source 'phone:2'"),
        ("webcam:x", "write a whole number"),
        ("demo:x", "write a whole number"),
        ("video:/none.mp4", "there is no video /none.mp4"),
        ("folder:/none", "the folder /none cannot be read"),
    ],
)
def test_a_source_that_there_is_none_of_is_refused(tmp_path, source, said):
    with Store(tmp_path) as store, pytest.raises(InputError, match=said):
        starting.source_asked(source, tmp_path, store, again=False)


@pytest.mark.parametrize("source", ["phone", "recorded", "demo:7", "webcam:63", "pi"])
def test_a_camera_that_may_be_plugged_in_later_is_waited_for(tmp_path, source):
    with Store(tmp_path) as store:
        assert starting.source_asked(source, tmp_path, store, again=False) == source


def test_run_refuses_a_source_in_a_new_home_and_in_one_with_a_game(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    with Store(old) as store:
        Match.begin(store, demo_record("schlangennest"))

    for home in (new, old):
        refused = subprocess.run(
            [sys.executable, "-c", START, "run", "--json", "--port", "0", "--source", "moon"],
            capture_output=True,
            check=False,
            text=True,
            cwd=ROOT,
            env={**os.environ, "SNAKE_EYE_HOME": str(home)},
            timeout=60,
        )
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "there is no source 'moon'; sources are pi, webcam:0" in refused.stderr

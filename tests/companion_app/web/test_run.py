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

START = (
    "import argparse, sys; from companion_app.run_command import add_run_command;"
    "p = argparse.ArgumentParser(); add_run_command(p.add_subparsers());"
    "a = p.parse_args(); sys.exit(a.command(a))"
)
ROOT = Path(__file__).parents[3]


def started(home: Path, *arguments: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    command = [sys.executable, "-c", START, "run", "--json", "--host", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--source", "recorded", *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "SNAKE_EYE_HOME": str(home)},
    )  # fmt: skip
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def state(url: str) -> Any:
    with urllib.request.urlopen(url + "api/state", timeout=20) as answer:
        return json.loads(answer.read())


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert process.stdout is not None
    process.stdout.close()


def test_run_serves_a_game_and_takes_it_up_again_after_a_kill(tmp_path):
    process, said = started(tmp_path, "--speed", "40")
    try:
        assert set(said) == {"url", "host_pin"}
        before = state(said["url"])
        for _ in range(200):
            before = state(said["url"])
            if len(before["moves"]) >= 3:
                break
            time.sleep(0.05)
        assert before["source"]["kind"] == "recorded"
    finally:
        killed(process)

    process, again = started(tmp_path, "--speed", "0.01")
    try:
        after = state(again["url"])
    finally:
        killed(process)

    assert again["host_pin"] == said["host_pin"]
    assert after["key"] == before["key"]
    assert after["moves"][: len(before["moves"])] == before["moves"]

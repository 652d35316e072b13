"""The endless demo: its eye killed between two rounds, and its disk full for a while.

``python -m tests.faults.demo FOLDER`` fills the disk of a demo in a name space of its own, where it
may lay a file system over a folder without anybody else seeing it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.faults.companion import ROOT, Companion

PAGE = 4096
SIZE_MB = 24
HASTE = "8"
FULL_S = 20.0
LONGEST_S = 240.0


def go_on_after_a_kill(home: Path) -> list[str]:
    """Kill the eye while the end of a round is on the table; return what did not go on."""
    demo = Companion(home, "--speed", HASTE, source="demo")
    try:
        if not demo.ready():
            return ["the demo did not begin"]
        ended = _waited_for(demo, lambda said: said.get("over") and said.get("moves"))
        if ended is None:
            return ["the first round did not end"]
        demo.kill_one("companion_app.eye")
        went_on = _waited_for(
            demo, lambda said: said.get("key") != ended["key"] and said.get("moves")
        )
        return [] if went_on else ["no round followed the kill"]
    finally:
        demo.kill()


def go_on_after_a_full_disk(space: list[str]) -> list[str]:
    """Play the demo on a disk that is full for a while; return what did not go on."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*space, sys.executable, "-m", "tests.faults.demo", folder],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
    notes: list[str] = json.loads(done.stdout)
    return notes


def _waited_for(demo: Companion, true: Callable[[Any], Any]) -> Any:
    """Return the first state for which something is true; ``None`` if none comes in time."""
    until_s = time.monotonic() + LONGEST_S
    while time.monotonic() < until_s:
        with suppress(OSError):
            said = demo.get("api/state")
            if true(said):
                return said
        time.sleep(0.5)
    return None


def _played_on_a_full_disk(folder: Path) -> list[str]:
    filler = folder / "filler"
    demo = Companion(folder / "home", "--speed", HASTE, source="demo")
    try:
        if not demo.ready() or _waited_for(demo, lambda said: said.get("moves")) is None:
            return ["the demo did not begin"]
        with filler.open("ab", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * PAGE):
                pass
        told = _waited_for(demo, lambda said: said.get("trouble"))
        time.sleep(FULL_S)
        os.truncate(filler, 0)
        if told is None:
            return ["nobody was told of the full disk"]
        key, count = told["key"], len(told["moves"])
        went_on = _waited_for(
            demo, lambda said: said.get("key") != key or len(said.get("moves", ())) > count + 1
        )
        return [] if went_on else [f"stuck at move {count} since the disk was full"]
    finally:
        demo.kill()


if __name__ == "__main__":
    table = Path(sys.argv[1])
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}M", "none", str(table)], check=True
    )
    sys.stdout.write(json.dumps(_played_on_a_full_disk(table)))

"""Makes the home beside this file by version 0.1.0 itself: a game, settings, a box, a session.

Run once, in a checkout of that version (commit e94454e), which is all that it imports:

    git archive e94454e | tar -x -C OLD
    cd OLD && PYTHONPATH=. python THIS/make.py THIS/home

It plays the recorded game through the real page over a real socket, becomes host by the PIN there,
changes settings, teaches a box from a drawn photo, keeps a correction and a camera profile, and
writes what must be found again into ``expected.json``.
"""

import http.client
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import cv2
import numpy as np

MOVES = 6
KINDS = ("fox", "owl")
SETTINGS = {"pin": "246810", "players_answer": False, "pictures_mb": 7}


def main(home: Path) -> None:
    """Make the home and what is expected of it."""
    shutil.rmtree(home, ignore_errors=True)
    os.environ["SNAKE_EYE_HOME"] = str(home)
    os.environ.pop("SNAKE_EYE_SETTINGS", None)
    home.mkdir(parents=True)
    (home / "snake-eye.toml").write_text('[game]\nname = "sssnake"\n[page]\nport = 8181\n')
    expected = play()
    teach(home)
    keep(home)
    with closing(sqlite3.connect(home / "games.sqlite3")) as games:
        games.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (home / "games.lock").unlink()
    page = json.loads((home / "page.json").read_text())
    expected["page"] = {name: page[name] for name in ("secret", "pin_number", "pictures_mb")}
    (home.parent / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def play() -> dict[str, Any]:
    """Let the page play, be host there, and return what it showed."""
    command = [
        sys.executable,
        "-c",
        "from companion_app.cli import main; raise SystemExit(main())",
        "run",
        "--json",
        "--source",
        "recorded",
        "--game",
        "schlangennest",
        "--speed",
        "40",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        ready = json.loads(running.stdout.readline())
        port = int(ready["url"].rstrip("/").rpartition(":")[2])
        try:
            return asked(port, ready["host_pin"])
        finally:
            running.terminate()


def asked(port: int, pin: str) -> dict[str, Any]:
    """Return the record, the state and the cookie of a host, once some moves were played."""
    cookie, token = "", ""

    def ask(method: str, path: str, body: object = None) -> dict[str, Any]:
        nonlocal cookie
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        headers = {"Cookie": cookie, "X-Snake-Eye": token, "Content-Type": "application/json"}
        line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = line.getresponse()
        cookie = (answer.headers["Set-Cookie"] or cookie).split(";")[0]
        return dict(json.loads(answer.read()))

    token = str(ask("GET", "/api/me")["token"])
    assert ask("POST", "/api/login", {"pin": pin}) == {"host": True}
    ask("POST", "/api/settings", SETTINGS)
    while len(list(ask("GET", "/api/state")["moves"])) < MOVES:
        time.sleep(0.2)
    key = str(ask("GET", "/api/state")["key"])
    ask("POST", "/api/end", {})
    record = ask("GET", f"/api/games/{key}/record.json")
    assert ask("GET", "/api/me")["host"] is True
    return {"key": key, "record": record, "cookie": cookie, "pin": SETTINGS["pin"]}


def teach(home: Path) -> None:
    """Teach a box of two kinds, and lay a set file of an own box beside it."""
    photos = home.parent / "photos"
    photos.mkdir(exist_ok=True)
    tiles = []
    for number, letter in enumerate("AB"):
        tile = np.full((72, 72, 3), (60 + 90 * number, 120, 180 - 90 * number), np.uint8)
        tiles.append(cv2.putText(tile, letter, (16, 56), 0, 1.8, (250, 250, 250), 6))
    cv2.imwrite(str(photos / "one.png"), np.concatenate(tiles, axis=1))
    labels = {"photos": {"one.png": [{"tile": k, "at": [x, 0]} for x, k in enumerate(KINDS)]}}
    (photos / "labels.json").write_text(json.dumps(labels))
    # A module of one file in that version, and a folder in later ones.
    command = [
        "teach",
        "ropes",
        "--shape",
        "square",
        "--photos",
        str(photos),
        "--grid",
        "2x1",
        "--labels",
        str(photos / "labels.json"),
    ]
    done = import_module("companion_app.cli").main(command)
    assert done == 0
    shutil.rmtree(photos)
    from engine.setfile import BUILT_IN_FOLDER

    text = (BUILT_IN_FOLDER / "sssnake.toml").read_text()
    own = text.replace('name = "sssnake"', 'name = "garden-hose"', 1)
    (home / "sets/garden-hose.toml").write_text(own)


def keep(home: Path) -> None:
    """Keep a correction and what was learnt about a camera."""
    from companion_app.web.corrections import Corrections  # type: ignore[import-not-found,import-untyped,unused-ignore]

    from calibration.profile import Light, Profile
    from calibration.profile_file import save_profile

    Corrections(home / "corrections").keep(
        "schlangennest",
        np.full((32, 32, 3), 90, np.uint8),
        {"tile": "blue/curve", "outline": [[1, 1], [30, 1], [30, 30], [1, 30]], "turns": 1},
    )
    lamp = Light((250.0, 250.0, 240.0), (0.0, 0.0))
    save_profile(Profile((1280, 720), None, None, lamp, None), home / "profiles/webcam-0.json")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())

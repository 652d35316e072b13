"""Every request that changes something, on a full disk: refused whole or done whole, never broken.

``python -m tests.faults.full_disk_page FOLDER`` runs in a name space of its own, where it may lay
a small file system over a folder without anybody else seeing it.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from companion_app.eye.corrections import Corrections
from companion_app.web.serving.page_file import read_settings
from tests.companion_app.web.conftest import HANDS, Guest, Played, playthrough
from tests.faults.full_disk import PAGE

SIZE_MB = 16
JPEG = bytes(range(256)) * 40
NOT_CHANGED = ("t", "clock", "now_s", "version", "trouble")
DELETES: dict[str, dict[str, Any]] = {
    "/api/pictures/wipe": {},
    "/api/corrections/forget": {},
    "/api/teaching/boxes": {"delete": "old"},
    "/api/teaching/lesson": {"forget": True},
    "/api/sessions/end": {"others": True},
    "/api/logout": {},
}
BODIES: dict[str, list[dict[str, Any]]] = {
    "/api/login": [{"pin": "424242"}, {"pin": "1"}],
    "/api/join": [{"code": "wrong"}],
    "/api/settings": [
        {"pin": "135790", "players_answer": False, "names": ["a.example"], "pictures_mb": 7},
        {"new_code": True},
        {"open_to": {"pictures": "host"}},
    ],
    "/api/card": [{"make": True}, {"forget": True}],
    "/api/new": [{"game": "schlangennest", "players": ["blue", "red"]}],
    "/api/tell": [{"pass": True}, {"roll": 3}, {"answer": 1, "value": True}, {"overrule": 1}],
    "/api/seats/free": [{"seat": "blue"}],
    "/api/camera": [{"source": "demo"}],
    "/api/teaching/learn": [{"name": "ropes"}],
    "/api/teaching/boxes": [{"rename": "old", "to": "new"}],
    "/api/corrections/forget": [{"file": "x"}],
}
FILES = {
    "/api/photo-score": "photo",
    "/api/camera/picture": "picture",
    "/api/teaching/photo": "photo",
    "/api/teaching/import": "box",
    "/api/teaching/trial": "photo",
}


@dataclass
class Walked:
    """What came of it."""

    asked: int = 0
    refused: int = 0
    """Answered that it cannot be kept."""
    broken: list[str] = field(default_factory=list)
    """Answered by a fault of the program."""
    half: list[str] = field(default_factory=list)
    """Refused, and something was changed all the same."""
    not_deleted: list[str] = field(default_factory=list)


def walk_on_a_full_disk(space: list[str]) -> Walked:
    """Ask for everything on a full disk, in a process and a name space of its own."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*space, sys.executable, "-m", "tests.faults.full_disk_page", folder],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[2],
        )
        if done.returncode:
            raise AssertionError(done.stderr[-3000:])
    return Walked(**json.loads(done.stdout.splitlines()[-1]))


class FullHome:
    """A page whose disk has no room."""

    def __init__(self, disk: Path) -> None:
        self.disk, self.home = disk, disk / "home"
        self.played = Played(self.home)
        self.corrections = Corrections(self.home / "corrections")
        self.played.eye.corrections = self.corrections
        self.corrections.keep("schlangennest", np.zeros((64, 64, 3), np.uint8), {"tile": "x"})
        (self.home / "sets").mkdir()
        (self.home / "sets/old.json").write_text("{}")
        (self.home / "lesson").mkdir()
        (self.home / "lesson/lesson.json").write_text(
            '{"shape": "square", "photos": [], "tiles": [], "names": {}, "up": {}}'
        )
        self.played.use_sets(self.home / "sets")

    def fill(self) -> None:
        """Take what is free."""
        with (self.disk / "filler").open("ab", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * PAGE):
                pass

    def stands(self, host: Guest) -> str:
        """Return how everything stands, as a text to compare."""
        state = host.get("/api/state")
        told = {key: value for key, value in state.items() if key not in NOT_CHANGED}
        now = asdict(self.played.settings.now)
        moves = len(self.played.desk.match.accepted) if self.played.desk.match else None
        return json.dumps([told, now, moves], sort_keys=True, default=str)


def main(folder: Path) -> Walked:
    """Fill a small disk, and ask for everything."""
    disk = folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "none", disk], check=True)
    full, walked = FullHome(disk), Walked()
    record = playthrough("schlangennest_fouls")
    full.played.begin(record)
    full.played.play(record, 3)
    assert full.played.desk.match is not None
    full.played.store.append(full.played.desk.match.key, "picture", {}, {"after": JPEG})
    host = full.played.host()
    full.fill()
    for path in posts(full.played.app):
        if path not in DELETES or path in BODIES:
            for body in BODIES.get(path, [{}]):
                ask(full, host, path, body, walked)
    for path, body in DELETES.items():
        full.fill()
        answer = post(full, host, path, body)
        if answer.status_code != 200:
            walked.not_deleted.append(
                f"{path}: {answer.status_code} {answer.get_data(as_text=True)}"
            )
    pictures = full.played.store.picture(4, "after") or list((full.home / "corrections").glob("*"))
    if pictures or (full.home / "lesson").exists() or (full.home / "sets/old.json").exists():
        walked.not_deleted.append("something is still there")
    full.played.store.close()
    HANDS.close()
    return walked


def posts(app: Any) -> list[str]:
    """Return every address that changes something, logging out last."""
    found = {rule.rule for rule in app.url_map.iter_rules() if rule.methods & {"POST", "DELETE"}}
    return sorted(found - {"/api/logout"})


def post(full: FullHome, host: Guest, path: str, body: dict[str, Any]) -> Any:
    full.played.time_s += 100
    if path in FILES:
        return host.client.post(
            path,
            data={
                FILES[path]: (io.BytesIO(JPEG), "x.jpg"),
                "game": "schlangennest",
                "shape": "square",
                "set": "old",
            },
            content_type="multipart/form-data",
            headers={"X-Snake-Eye": host.token},
        )
    return host.post(path, body)


def ask(full: FullHome, host: Guest, path: str, body: dict[str, Any], walked: Walked) -> None:
    """Ask once on a full disk, and hold what is shown against what was and what is kept."""
    full.fill()
    before = full.stands(host)
    answer = post(full, host, path, body)
    walked.asked += 1
    walked.refused += answer.status_code == 507
    where = f"{path} {json.dumps(body)}: {answer.status_code}"
    if answer.status_code == 500:
        walked.broken.append(where)
    if answer.status_code == 507 and full.stands(host) != before:
        walked.half.append(where)
    if asdict(read_settings(full.home / "page.json")) != asdict(full.played.settings.now):
        walked.half.append(f"{where}, settings")
    if not host.get("/api/me")["host"]:
        host.be_host()


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(asdict(main(Path(sys.argv[1])))))

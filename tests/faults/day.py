"""The long run: 24 simulated hours, a dozen games with an idle table between them.

Memory, threads and open files of the companion are written down after every game; nothing may
grow. Phones come and go all day, and every announced move is asked for at the end.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import urlsplit

from companion_app.live.match import Match
from companion_app.live.store import Store
from engine.record import move_to_json
from tests.faults.companion import ROOT, Phone, as_the_service
from tests.faults.scripted import Announced
from tests.faults.watched import filmed

PHONES = 5
SETTLED_AFTER = 3
"""Games after which everything is loaded that will be."""
PATIENCE_S = 1800.0


@dataclass
class Day:
    """What a long run came to."""

    hours: float
    memory_mb: list[float] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    """Open files and sockets of the companion, after each game."""
    laid: int = 0
    """Moves that were made on the table."""
    accepted: int = 0
    lost: int = 0

    def grown_mb(self) -> float:
        """Return by how much memory has grown since everything was loaded."""
        return self.memory_mb[-1] - self.memory_mb[min(SETTLED_AFTER, len(self.memory_mb)) - 1]


class Host:
    """A phone that has shown the PIN."""

    def __init__(self, url: str, pin: str) -> None:
        parts = urlsplit(url)
        self._where = (str(parts.hostname), int(parts.port or 80))
        self._headers: dict[str, str] = {}
        answer, cookie = self._ask("GET", "/api/me")
        self._headers = {
            "X-Snake-Eye": answer["token"],
            "Cookie": cookie,
            "Content-Type": "application/json",
        }
        _, cookie = self._ask("POST", "/api/login", {"pin": pin})
        self._headers["Cookie"] = cookie

    def post(self, path: str, body: Any = None) -> Any:
        """Change something."""
        return self._ask("POST", path, body or {})[0]

    def get(self, path: str) -> Any:
        """Return the JSON of an address."""
        return self._ask("GET", path)[0]

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[Any, str]:
        line = http.client.HTTPConnection(*self._where, timeout=120)
        try:
            sent = None if body is None else json.dumps(body)
            line.request(method, path, sent, self._headers)
            answer = line.getresponse()
            data = json.loads(answer.read())
            assert answer.status == 200, data
            return data, (answer.headers.get("Set-Cookie") or "").split(";")[0]
        finally:
            line.close()


def live_a_day(games: int = 12, hours: float = 24.0, moves: int = 3, seed: int = 3) -> Day:
    """Play so many games in so many simulated hours; return what was written down."""
    day = Day(hours)
    with tempfile.TemporaryDirectory() as place:
        film, home = Path(place) / "film", Path(place) / "home"
        film.mkdir()
        _, players = filmed("schlangennest", seed, film, moves)
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.faults.long_table",
                str(home),
                str(film),
                str(hours / games),
            ],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, **as_the_service(), "PYTHONPATH": "."},
        )
        out = cast(IO[str], process.stdout)
        try:
            said = json.loads(out.readline())
            host = Host(said["url"], said["host_pin"])
            games_played = [
                _play(host, said["url"], players, day, process.pid) for _ in range(games)
            ]
        finally:
            process.kill()
            process.wait()
            out.close()
        day.laid = games * moves
        for key, announced in games_played:
            _compare(home, key, announced, day)
    return day


def _play(
    host: Host, url: str, players: tuple[str, ...], day: Day, pid: int
) -> tuple[str, Announced]:
    """Play one game and its idle hours with phones that come and go; write down how it stands."""
    announced = Announced()
    # What was said before is of the game before, also that its hours are over.
    before = host.get("/api/state")["version"]
    host.post("/api/new", {"game": "schlangennest", "players": list(players)})
    key = host.get("/api/state")["key"]
    heard = [announced, *(Announced() for _ in range(PHONES - 1))]
    phones = [Phone(url, one, before) for one in heard]
    assert phones[0].wait_for(lambda: phones[0].events["rest"] > 0, PATIENCE_S)
    assert not phones[0].missed
    for path in ("/api/state", "/api/health", "/api/history", "/api/statistics"):
        host.get(path)
    host.post("/api/end")
    for phone in phones:
        phone.hang_up()
    day.memory_mb.append(_memory_mb(pid))
    day.threads.append(len(list(Path(f"/proc/{pid}/task").iterdir())))
    day.files.append(len(list(Path(f"/proc/{pid}/fd").iterdir())))
    return key, announced


def _memory_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def _compare(home: Path, key: str, announced: Announced, day: Day) -> None:
    with Store(home) as store:
        kept = [move_to_json(one.move) for one in Match.resume(store, key).accepted]
    day.accepted += len(announced.moves)
    day.lost += sum(n > len(kept) or kept[n - 1] != m for n, m in announced.moves.items())

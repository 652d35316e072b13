"""Eye, page and supervisor as real processes: each is killed, stopped or hung in mid-game."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from companion_app.answers import BAD_INPUT
from companion_app.games.kept import KeptGames
from companion_app.listening import listening
from companion_app.live.match import Match
from companion_app.live.store import Store
from companion_app.supervisor import Patience, Supervisor, Systemd
from tests.faults.one_by_one import runs
from tests.kit.phones import JSON, Guest, Phone

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
ARGUMENTS: dict[str, Any] = {
    "source": "recorded",
    "game": None,
    "players": None,
    "option": [],
    "set": None,
    "machine": [],
    "host": "127.0.0.1",
    "https_port": None,
    "resume": False,
    "speed": 1.0,
}


class House:
    """A supervisor in a thread of this process, with a real eye and a real page."""

    def __init__(self, home: Path, speed: float, patience: Patience, systemd: Systemd) -> None:
        os.environ["SNAKE_EYE_HOME"] = str(home)
        self.said: list[Any] = []
        self.sock = listening("127.0.0.1", 0)
        arguments = ARGUMENTS | {"speed": speed}
        self.supervisor = Supervisor(arguments, self.sock, self.said.append, patience, systemd)
        self.status: int | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        wait_for(lambda: self.said or not self._thread.is_alive())

    def _run(self) -> None:
        self.status = self.supervisor.run()

    @property
    def url(self) -> str:
        return str(self.said[0]["url"])

    @property
    def eye(self) -> int:
        assert self.supervisor.eye.popen is not None
        return self.supervisor.eye.popen.pid

    @property
    def player(self) -> int | None:
        popen = self.supervisor.player.popen
        return None if popen is None else popen.pid

    @property
    def page(self) -> int:
        assert self.supervisor.page.popen is not None
        return self.supervisor.page.popen.pid

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read())

    def has(self, path: str, holds: Callable[[Any], bool]) -> bool:
        """Say whether something holds of an answer; no answer is none."""
        with suppress(OSError, http.client.HTTPException):
            return holds(self.get(path))
        return False

    def stop(self) -> None:
        self.supervisor.stop()
        self._thread.join(PATIENCE_S)
        self.sock.close()


def wait_for(true: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    until_s = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < until_s, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def heard(tmp_path) -> Iterator[socket.socket]:
    """Return where systemd would listen."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.setblocking(False)
        yield systemd


@pytest.fixture
def house(tmp_path, monkeypatch, heard) -> Iterator[House]:
    """Return a house in which a recorded game is played, slowly enough to be interrupted."""
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "home"))
    patience = Patience(silence=12.0)
    systemd = Systemd({"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "9000000"})
    one = House(tmp_path / "home", 3.0, patience, systemd)
    yield one
    one.stop()


def all_heard(systemd: socket.socket) -> list[str]:
    said = []
    with suppress(BlockingIOError):
        while True:
            said.append(systemd.recv(100).decode())
    return said


def test_page_that_is_killed_comes_back_at_its_port_while_the_game_goes_on(house, heard):
    phone = Phone(house.url)
    phone.hear("verdict")
    number = phone.last_id
    eye, page, before = house.eye, house.page, house.get("api/state")

    os.kill(page, signal.SIGKILL)
    assert phone.is_cut()
    again = Phone(house.url, number)
    again.hear("missed")

    after = house.get("api/state")
    assert house.page != page and house.eye == eye
    assert after["key"] == before["key"]
    assert after["moves"][: len(before["moves"])] == before["moves"]
    assert after["version"] > number, "no number of an event is used twice"
    again.hear("verdict")
    assert all_heard(heard).count("READY=1") == 1
    assert len(house.said) == 1


def test_eye_that_is_killed_comes_back_with_the_whole_game_and_the_page_stays(house):
    phone = Phone(house.url)
    for _ in range(3):
        phone.hear("verdict")
    eye, page, before = house.eye, house.page, house.get("api/state")

    os.kill(eye, signal.SIGKILL)
    phone.hear("missed")
    phone.hear("verdict")

    after = house.get("api/state")
    assert house.eye != eye and house.page == page
    assert after["key"] == before["key"]
    assert after["moves"][: len(before["moves"])] == before["moves"]
    assert len(after["moves"]) > len(before["moves"])
    assert after["trouble"] is None


def test_without_its_eye_the_page_shows_the_game_and_says_what_is_wrong(house):
    house.supervisor.eye._pause_s = PATIENCE_S
    Phone(house.url).hear("verdict")

    os.kill(house.eye, signal.SIGKILL)
    wait_for(lambda: house.has("api/state", lambda said: said["trouble"]))

    said = house.get("api/state")
    assert said["moves"]
    assert "do not answer just now" in said["trouble"]
    assert health_refused(house) == (503, "2", "eye-away")


def health_refused(house: House) -> tuple[int, str, str]:
    """Ask for the health of a page whose eye is away; return status, patience and code."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        house.get("health")
    with refused.value as answer:
        code = json.loads(answer.read())["error"]["code"]
        return answer.code, answer.headers["Retry-After"], code


def test_page_that_hangs_is_started_again_and_stops_no_move(house):
    Phone(house.url).hear("verdict")
    eye, page = house.eye, house.page
    before = moves_kept(house)

    os.kill(page, signal.SIGSTOP)
    wait_for(lambda: moves_kept(house) >= before + 2)
    still_hanging = house.page == page
    wait_for(lambda: house.supervisor.page.popen is not None and house.page != page)
    wait_for(lambda: house.has("api/state", lambda said: len(said["moves"]) >= before + 2))

    assert still_hanging, "the eye went on while the page hung"
    assert house.eye == eye


def moves_kept(house: House) -> int:
    """Return how many moves are in the file, whatever the page says."""
    kept = KeptGames(Path(os.environ["SNAKE_EYE_HOME"]) / "games.index")
    (key,) = kept.last_lines(1)
    return sum(line.kind == "moves" for line in kept.lines(key))


def test_eye_that_hangs_is_started_again_and_page_and_systemd_tell_the_truth(house, heard):
    Phone(house.url).hear("verdict")
    eye = house.eye
    wait_for(lambda: "WATCHDOG=1" in all_heard(heard))

    os.kill(eye, signal.SIGSTOP)
    time.sleep(0.1)
    all_heard(heard)
    refused = health_refused(house)
    wait_for(lambda: house.supervisor.eye.popen is None or house.eye != eye)
    while_hanging = all_heard(heard)
    wait_for(lambda: "WATCHDOG=1" in all_heard(heard))

    assert refused == (503, "2", "eye-away")
    assert while_hanging.count("WATCHDOG=1") <= 1, "what was heard before it hung"
    assert house.has("api/state", lambda said: said["game"] == "schlangennest")


def test_told_to_stop_it_closes_the_store_and_leaves_nothing(house, tmp_path):
    Phone(house.url).hear("verdict")
    pids, line = (house.eye, house.page), Path(house.supervisor._told["line"])
    told = [Path(f"/proc/{pid}/environ").read_bytes() for pid in pids]

    house.stop()

    assert house.status == 0
    assert all(b"MALLOC_ARENA_MAX=2" in one for one in told), "threads keep no memory of their own"
    assert not any(map(runs, pids))
    assert not line.parent.exists()
    assert not (tmp_path / "home/games.index-wal").exists(), "the store was closed"
    with Store(tmp_path / "home") as store:
        key = store.unfinished()
        assert key is not None and Match.resume(store, key).accepted


def test_settled_process_collects_only_what_came_later():
    settled = """
import gc
from companion_app.child import settle
settle()
came_later = len(gc.get_objects())
print(gc.get_freeze_count() > 10 * came_later)
"""
    said = subprocess.run([sys.executable, "-c", settled], capture_output=True, check=True).stdout
    assert said == b"True\n"


def highest_mb(pid: int) -> int:
    """Return the most memory that a process ever took."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10


def test_box_made_to_harm_takes_nothing_of_the_page_nor_is_what_reads_pictures_loaded(
    house, tmp_path
):
    folder = tmp_path / "home/sets"
    folder.mkdir()
    house.get("api/games")
    before = highest_mb(house.page)
    # A key of 30,000 parts; a box that is right lies beside it.
    (folder / "evil.toml").write_text("a." * 30_000 + "b = 1", encoding="utf-8")
    mine = (ROOT / "engine/sets/schlangennest.toml").read_text(encoding="utf-8")
    mine = mine.replace('name = "schlangennest"', 'name = "mine"', 1)
    (folder / "mine.toml").write_text(mine, encoding="utf-8")

    answers = [house.get("api/games")["games"] for _ in range(3)]

    listed = [{one["game"]: one["sets"] for one in games} for games in answers]
    for sets in listed:
        assert [one["set"] for one in sets["schlangennest"]] == ["schlangennest", "mine"]
    assert highest_mb(house.page) < before + 60
    assert house.get("health")["ok"]
    assert not readers_of_pictures(house)


def readers_of_pictures(house: House) -> list[str]:
    """Return what reads pictures and was loaded by a page that was asked for all that it tells."""
    for path in ("api/state", "api/games", "api/health", "api/history", "api/camera", "api/moves"):
        house.get(path)
    loaded = Path(f"/proc/{house.page}/maps").read_text()
    return [name for name in ("cv2", "onnxruntime", "numpy") if f"/{name}" in loaded]


# --- the command itself ---


def run(home: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "companion_app.cli",
            "run",
            "--json",
            "--source",
            "recorded",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            *arguments,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "SNAKE_EYE_HOME": str(home)},
    )


def children_of(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_everything_that_is_kept_is_for_its_owner_alone(tmp_path):
    before = os.umask(0o022)
    try:
        process = run(tmp_path / "home")
    finally:
        os.umask(before)
    assert process.stdout is not None and process.stdout.readline()
    process.terminate()
    process.communicate(timeout=PATIENCE_S)

    kept = [tmp_path / "home", *(tmp_path / "home").rglob("*")]
    assert len(kept) > 3
    assert [str(path) for path in kept if path.lstat().st_mode & 0o077] == []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_the_command_however_it_ends(tmp_path, how):
    process = run(tmp_path)
    assert process.stdout is not None
    said = json.loads(process.stdout.readline())
    children = children_of(process.pid)

    with ExitStack() as phones:
        for _ in range(6):
            phones.enter_context(urllib.request.urlopen(said["url"] + "api/events"))
        process.send_signal(how)
        _, errors = process.communicate(timeout=PATIENCE_S)

    assert set(said) == {"url", "host_pin"}
    assert len(children) == 2
    wait_for(lambda: not any(map(runs, children)))
    assert process.returncode == (-how if how == signal.SIGKILL else 0)
    assert how == signal.SIGKILL or errors == ""


def test_page_that_is_still_starting_holds_up_no_refusal(tmp_path, monkeypatch, caplog):
    slow = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n"
    (tmp_path / "slow_page.py").write_text(slow, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "home"))
    with listening("127.0.0.1", 0) as sock:
        supervisor = Supervisor(ARGUMENTS | {"source": "moon"}, sock, lambda _: None)
        supervisor.page.module = "slow_page"

        assert supervisor.run() == BAD_INPUT
    assert caplog.text == ""


def test_what_cannot_be_is_said_and_ends_the_command(tmp_path):
    process = run(tmp_path, "--game", "sssnake", "--players", "a,b,c,d,e,f,g")

    out, errors = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, out) == (BAD_INPUT, "")
    assert errors.startswith("snake-eye: ")
    assert errors.count("\n") == 1


# --- the machine's process -----------------------------------------------------------------------


def done(guest: Guest, path: str, body: Any = None, kind: str = JSON) -> bytes:
    """Ask for something; or, with a body, have something done."""
    answer = guest.ask("GET" if body is None else "POST", f"/{path}", body, kind)
    assert answer.status == 200, answer.data
    return answer.data


def alone(house: House, name: str = "", body: Any = None) -> Any:
    """Play alone against the machine, as a phone does."""
    return json.loads(done(Guest(house.url), f"api/alone{name}", body))


def test_machines_process_runs_when_wanted_is_bounded_and_comes_back_when_killed(house):
    assert house.player is None
    begun = alone(house, body={"game": "schlangennest", "level": 1})
    first = house.player
    assert first is not None
    limits = Path(f"/proc/{first}/limits").read_text()
    status = Path(f"/proc/{first}/status").read_text()
    assert f"{180 << 20}" in next(line for line in limits.splitlines() if "data size" in line)
    assert int(status.split("VmHWM:")[1].split()[0]) < 200 << 10
    eye, page = house.eye, house.page
    yields = os.getpriority(os.PRIO_PROCESS, first) - os.getpriority(os.PRIO_PROCESS, eye)
    assert yields >= 15

    os.kill(first, signal.SIGKILL)
    after = alone(house, "/" + begun["alone"]["id"], {"move": begun["legal"][0]["move"]})

    assert len(after["moves"]) > len(begun["moves"])
    assert house.player not in (None, first)
    assert (house.eye, house.page) == (eye, page)


# --- a backup ------------------------------------------------------------------------------------


def host_of(house: House) -> Guest:
    """Return a phone that showed the PIN."""
    host = Guest(house.url)
    done(host, "api/login", {"pin": house.said[0]["pin"]})
    return host


def test_restored_backup_is_what_eye_and_page_start_again_with(house):
    Phone(house.url).hear("verdict")
    host, before = host_of(house), {house.eye, house.page}
    done(host, "api/backup", {})
    backup = done(host, "api/backup.zip")
    kept = {game["key"] for game in house.get("api/history")["games"]}
    done(host, "api/new", {"game": "schlangennest", "players": ["blue", "red"]})
    newer = house.get("api/state")["key"]
    assert newer not in kept

    done(host, "api/end", {})
    done(host, "api/backup/part?at=0", backup, "application/octet-stream")
    done(host, "api/backup/restore", {})
    both = (house.supervisor.eye, house.supervisor.page)
    wait_for(lambda: all(one.popen and one.popen.pid not in before for one in both))
    wait_for(lambda: house.has("api/history", lambda said: bool(said["games"])))

    games = {game["key"] for game in house.get("api/history")["games"]}
    assert kept <= games
    assert newer not in games
    assert house.get("health")["ok"]
    assert done(host_of(house), "api/backup", {}), "the PIN is the same as before"

"""The command ``hall`` as people type it: opened, joined, played, proved, backed up, closed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from companion_app.cli.main import main
from companion_app.hall.demo import Player
from companion_app.hall.errors import HallError
from companion_app.hall.store.backup import backup, restore
from companion_app.hall.store.database import address_of, open_engine
from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.table.membership import MembershipFiles, ask_to_join
from companion_app.hall.table.sender import send_log
from companion_app.live.store import Store
from tests.browser.chromium import wait_until
from tests.companion_app.hall.test_hall_page import HallOfTest
from tests.kit.phones import Guest

ROOT = Path(__file__).parents[3]


class Started(Protocol):
    def __call__(self, home: Path, module: str, *arguments: str) -> subprocess.Popen[str]: ...


@pytest.fixture
def started() -> Iterator[Started]:
    """Return what starts a process; none outlives its test."""
    made: list[subprocess.Popen[str]] = []

    def start(home: Path, module: str, *arguments: str) -> subprocess.Popen[str]:
        made.append(
            subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=ROOT,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "SNAKE_EYE_HOME": str(home)},
            )
        )
        return made[-1]

    yield start
    for process in made:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=40)


def said(capsys, *arguments: str) -> tuple[int, dict]:  # type: ignore[type-arg]
    status = main([*arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_table_joins_a_hall_sends_its_game_and_proves_it(started, tmp_path, monkeypatch, capsys):
    hall = started(
        tmp_path / "hall",
        "companion_app.cli",
        "hall",
        "--json",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--tables-port",
        "0",
    )
    assert hall.stdout is not None
    ready = json.loads(hall.stdout.readline())
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "table"))

    assert main(["hall", "verify"]) == 2
    status, joined = said(
        capsys, "hall", "join", ready["url"], ready["code"].lower(), "--name", "Final"
    )
    assert (status, joined["name"]) == (0, "Final")
    with Store(tmp_path / "table") as store:
        stop = threading.Event()

        def send() -> None:
            send_log(tmp_path / "table", dict, lambda _do, _number: {}, stop)

        sending = threading.Thread(target=send)
        sending.start()
        player = Player(store, 1, "snekagon")
        for _ in range(4):
            player.step()
        guest = Guest(int(ready["url"].rstrip("/").rpartition(":")[2]))
        wait_until(lambda: [t.get("moves") for t in guest.get("/api/hall")["tables"]] == [3])

        assert said(capsys, "hall", "verify") == (
            0,
            {"ok": True, "lines": 5, "differing": [], "missing": []},
        )
    assert said(capsys, "hall", "leave") == (0, {"left": True})
    sending.join(20)
    assert not sending.is_alive()
    assert said(capsys, "hall", "leave") == (1, {"left": False})

    hall.send_signal(signal.SIGTERM)
    hall.communicate(timeout=30)
    assert hall.returncode == 0
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "hall"))
    assert said(capsys, "hall", "migrate")[1]["now"] == "0004"
    assert len(said(capsys, "hall", "pin")[1]["arbiter_pin"]) == 6
    assert said(capsys, "hall", "backup", str(tmp_path / "evening.backup"))[0] == 0


def test_table_that_runs_sends_by_itself_what_is_played(started, tmp_path):
    hall = HallOfTest(tmp_path)
    home = tmp_path / "table"
    page = f"http://127.0.0.1:{hall.port}"
    MembershipFiles(home).join(ask_to_join(page, hall.process.code, "Table 1", 0))
    asked = "--json --source recorded --game schlangennest --host 127.0.0.1 --port 0 --speed 20"
    table = started(home, "companion_app.cli", "run", *asked.split())
    guest = Guest(hall.port)

    wait_until(lambda: any(t.get("moves", 0) > 1 for t in guest.get("/api/hall")["tables"]), 90)
    table.send_signal(signal.SIGTERM)
    assert table.wait(40) == 0
    table.communicate()
    hall.close()


def test_backup_of_a_hall_comes_back_whole(tmp_path, cluster):
    for database, other in (
        (None, None),
        (cluster.new_database("kept"), cluster.new_database("back")),
    ):
        store = HallStore(open_engine(address_of(database, tmp_path / "one")))
        store.add_table("a" * 24, "key", "Table 1", 7)
        file = tmp_path / f"{database is None}.backup"
        assert backup(database, tmp_path / "one", file) > 1000
        with pytest.raises(HallError, match="there already"):
            backup(database, tmp_path / "one", file)
        restore(other, tmp_path / "two", file)
        back = HallStore(open_engine(address_of(other, tmp_path / "two")))

        assert back.member("a" * 24) == store.member("a" * 24)
        back.close()
        store.close()


def test_backup_made_to_harm_is_refused_and_nothing_is_there(tmp_path):
    file = tmp_path / "evil.backup"
    file.write_bytes(b"SQLite format 3\0" + b"x" * 5000)

    with pytest.raises(HallError):
        restore(None, tmp_path / "hall", file)
    with pytest.raises(HallError, match="there is no"):
        restore(None, tmp_path / "hall", tmp_path / "none")
    assert list((tmp_path / "hall").glob("hall.sqlite3")) == []


def test_hall_without_its_libraries_says_what_to_do(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    assert main(["hall"]) == 2
    assert "make hall-ready" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--database", "mysql://x"], "PostgreSQL or in a file"),
        (["--broker", "mqtts://hall.local:8883"], "needs no broker any more"),
        (["--broker-port", "8884"], "--tables-port P"),
        (["--database", "postgresql://nobody@127.0.0.1:9/x"], "does not answer"),
    ],
)
def test_mistake_in_the_command_is_named(arguments, why, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))

    assert main(["hall", "--json", *arguments]) == 2
    assert why in capsys.readouterr().err


def test_game_at_home_loads_nothing_of_the_hall():
    asked = (
        "import sys, companion_app.cli.main, companion_app.cli.run_command, companion_app.web.app; "
        "print(sorted({'sqlalchemy', 'alembic', 'psycopg', 'cryptography', "
        "'companion_app.hall'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert ran.stdout == "[]\n"

"""The real command ``snake-eye run`` as a process, and a phone that writes down what it hears."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import urlsplit

from tests.faults.scripted import Announced

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0


def as_the_service() -> dict[str, str]:
    """Return how the service is told to deal with memory."""
    unit = (ROOT / "deploy/debian/snake-eye.service").read_text(encoding="utf-8")
    return dict(re.findall(r"^Environment=(MALLOC_\w+)=(\w+)$", unit, re.MULTILINE))


def family(pid: int) -> list[int]:
    """Return a process and all that come of it, itself first."""
    found = [pid]
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                found += family(int(child))
    return found


def has_ended(pid: int) -> bool:
    """Say whether a process has let go of all it held, whether or not anybody waited for it."""
    with suppress(OSError):
        threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        return threads == 1 and told.rpartition(")")[2].split()[0] in "ZX"
    return True


def memory_mb(*pids: int) -> float:
    """Return the memory that processes take together (PSS): what they share counts once."""
    total = 0
    for pid in pids:
        with suppress(OSError, StopIteration):
            rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
            total += int(next(row for row in rows if row.startswith("Pss:")).split()[1])
    return total * 1024 / 1e6


class Companion:
    """One life of ``snake-eye run``, from its start to its end."""

    def __init__(
        self,
        home: Path,
        *arguments: str,
        source: str = "recorded",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home
        command = [sys.executable, "-m", "companion_app.cli", "run", "--json", "--source", source]
        self.process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                **(environment or {}),
                "SNAKE_EYE_HOME": str(home),
            },
        )
        self.url = ""
        self.pin = ""

    def ready(self) -> bool:
        """Wait until the page is up; say whether it came to that."""
        line = cast(IO[str], self.process.stdout).readline()
        if not line:
            return False
        said = json.loads(line)
        self.url, self.pin = said["url"], said["host_pin"]
        return True

    def get(self, path: str) -> Any:
        """Return the JSON of an address."""
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read())

    def family(self) -> list[int]:
        """Return the numbers of the supervisor, its eye and page, and of all that they began."""
        return family(self.process.pid)

    def memory_mb(self) -> float:
        """Return how much memory all of them take."""
        return memory_mb(*self.family())

    def kill_one(self, module: str) -> None:
        """End the eye or the page alone: ``companion_app.eye`` or ``companion_app.web``."""
        for pid in self.family():
            with suppress(OSError):
                told = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if module.encode() in told:
                    os.kill(pid, signal.SIGKILL)

    def kill(self) -> None:
        """End all of them as nothing else can: at once, between any two of their steps."""
        family = self.family()
        for pid in family:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._gone()
        patience = time.monotonic() + PATIENCE_S
        while not all(map(has_ended, family)):
            assert time.monotonic() < patience, f"a killed process of {family} does not end"
            time.sleep(0.01)

    def stop(self) -> None:
        """End it as systemd does."""
        self.process.terminate()
        self._gone()

    def _gone(self) -> None:
        self.process.wait(PATIENCE_S)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


class Phone:
    """Listens to the page in a thread of its own, outside the process that is killed."""

    def __init__(self, url: str, announced: Announced, after: int = 0) -> None:
        """Call the page; it repeats first what it said after an event of that number."""
        self.announced = announced
        self.heard = 0
        self.events: Counter[str] = Counter()
        self.missed = False
        """Whether the page said that there was more than it could repeat."""
        self._news = threading.Condition()
        parts = urlsplit(url)
        self._line = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE_S)
        self._line.request("GET", "/api/events", headers={"Last-Event-ID": str(after)})
        self._socket = self._line.sock
        self._answer = self._line.getresponse()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def wait_for(self, is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
        """Wait until something holds of what was heard; say whether it does."""
        with self._news:
            return self._news.wait_for(is_so, patience_s)

    def quiet(self, seconds: float = 0.1) -> None:
        """Wait until nothing more comes: what was sent has arrived."""
        while True:
            heard = self.heard
            time.sleep(seconds)
            if heard == self.heard:
                return

    def hang_up(self) -> None:
        """Go away, as phones do."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self.end()

    def end(self) -> None:
        """Hear out what was sent before the end."""
        self._thread.join(PATIENCE_S)
        self._line.close()

    def _listen(self) -> None:
        with suppress(OSError, http.client.HTTPException, ValueError):
            for line in self._answer:
                if not line.startswith(b"data: ") or not line.endswith(b"\n"):
                    continue
                event = json.loads(line[6:])
                with self._news:
                    self.missed = self.missed or event["event"] == "missed"
                    self.announced.hear(event)
                    self.heard += 1
                    self.events[event["event"]] += 1
                    self._news.notify_all()

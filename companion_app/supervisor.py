"""The supervisor: starts eye and page, starts again what dies or hangs, stops all cleanly.

A table that is in a hall has a third process, which sends its log there.
The machine's process (``seat``) is started when eye or page report that they want it, and is left
alone once it has ended by itself: nobody wanted it for a while.

It loads nothing of what they do, so that it weighs little and has nothing to hang on. It holds
the socket that phones call, so that whoever calls while the page is being started again waits a
moment and is answered at the same port. Neither process outlives it, however it ends.
"""

from __future__ import annotations

import json
import logging
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from companion_app.answers import ANSWERED
from companion_app.home import home_folder

log = logging.getLogger(__name__)
TICK_S = 0.25
LONGEST_REPORT = 64 << 10
NAMES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
"""What systemd says to the process that it starts, and to no other."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long each thing is waited for, in seconds."""

    start: float = 120.0
    """Until a process is ready."""
    silence: float = 25.0
    """Without a sign of life; then it is killed and started again."""
    stop: float = 10.0
    """Until it has stopped; then it is killed."""
    first_pause: float = 0.2
    """Before it is started again; twice as long after each life that was short."""
    longest_pause: float = 10.0
    short_life: float = 30.0


class Process:
    """Eye, page or the machine's seat: one process at a time, and how its lives went."""

    def __init__(self, module: str, patience: Patience, pass_fds: tuple[int, ...] = ()) -> None:
        self.module = module
        self.ready: Mapping[str, Any] | None = None
        """What it said when it was ready; ``None`` before."""
        self.lives = 0
        """How often it was started."""
        self.wants_player = False
        """Whether it has reported that the machine's process is wanted."""
        self.popen: subprocess.Popen[bytes] | None = None
        self.heard_s = 0.0
        self._patience, self._pass_fds = patience, pass_fds
        self._began_s = 0.0
        self._pause_s = patience.first_pause
        self._again_s = 0.0
        """When it may be started again."""
        self._rest = b""

    def start(self, told: Mapping[str, Any]) -> None:
        """Start it, with what it has to know."""
        said = json.dumps({**told, "life": self.lives})
        self.ready, self._rest = None, b""
        self._began_s = self.heard_s = time.monotonic()
        quiet = {name: value for name, value in os.environ.items() if name not in NAMES}
        try:
            self.popen = subprocess.Popen(
                [sys.executable, "-m", self.module, said], env=quiet, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, pass_fds=self._pass_fds,
            )  # fmt: skip
        except OSError as error:
            log.error("%s cannot be started now: %s", self.module, error)
            self._wait_longer()
            return
        self.lives += 1
        os.set_blocking(self.out.fileno(), False)

    @property
    def out(self) -> IO[bytes]:
        """Where it reports."""
        assert self.popen is not None
        return cast(IO[bytes], self.popen.stdout)

    def hear(self) -> bool:
        """Take in what it has reported; say whether there may be more."""
        try:
            data = os.read(self.out.fileno(), LONGEST_REPORT)
        except BlockingIOError:
            return True
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-LONGEST_REPORT:]
        for line in lines:
            with suppress(ValueError):
                said = json.loads(line)
                if isinstance(said, dict):
                    self.heard_s = time.monotonic()
                    self.ready = said if "ready" in said else self.ready
                    self.wants_player |= "player" in said
        return bool(data)

    @property
    def hangs(self) -> bool:
        """Whether it has given no sign of life for too long."""
        patience = self._patience.silence if self.ready is not None else self._patience.start
        return time.monotonic() - self.heard_s > patience

    @property
    def is_due(self) -> bool:
        """Whether it may be started again."""
        return self.popen is None and time.monotonic() >= self._again_s

    def kill(self) -> None:
        """End it at once."""
        if self.popen is not None:
            self.popen.kill()

    def ended(self) -> int | None:
        """Return the status with which it has ended, and clear up after it; ``None`` if it runs."""
        if self.popen is None or (status := self.popen.poll()) is None:
            return None
        for stream in (self.popen.stdin, self.popen.stdout):
            if stream is not None:
                stream.close()
        lived_s = time.monotonic() - self._began_s
        if lived_s > self._patience.short_life:
            self._pause_s = self._patience.first_pause
        self._wait_longer()
        self.popen = None
        return int(status)

    def _wait_longer(self) -> None:
        """Say when it may be started again: later each time."""
        self._again_s = time.monotonic() + self._pause_s
        self._pause_s = min(2 * self._pause_s, self._patience.longest_pause)


class Systemd:
    """Whoever started the service; nobody where it was not systemd."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        patience_s = int(environment.get("WATCHDOG_USEC", "0") or 0) / 1e6
        self.every_s = patience_s / 3 if patience_s else 0.0
        """How often it wants to hear that the eye lives; 0 for never."""

    def tell(self, what: str) -> None:
        """Send one message, where somebody listens."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.connect(address)
            out.send(what.encode())


class Supervisor:
    """Looks after eye, page and the machine's seat until told to stop."""

    def __init__(
        self, arguments: Mapping[str, Any], sock: socket.socket,
        announce: Callable[[Mapping[str, Any]], None], patience: Patience | None = None,
        systemd: Systemd | None = None,
    ) -> None:  # fmt: skip
        """Look after processes that are not started yet.

        Args:
            arguments: of the command ``run``, as plain data.
            sock: listens where phones call.
            announce: told once, when eye and page are ready, what both have said.
            patience: how long everything may take.
            systemd: who is told as well.
        """
        patience = patience or Patience()
        self.eye = Process("companion_app.eye", patience)
        self.page = Process("companion_app.web", patience, (sock.fileno(),))
        self.sender = Process("companion_app.hall.table", patience)
        self._membership = home_folder() / "hall-table" / "hall.json"
        """There while this table is in a hall."""
        self.player = Process("companion_app.seat", patience)
        """The machine's; runs only while somebody wants it."""
        self._player_wanted = False
        self._announce, self._patience = announce, patience
        self._systemd = systemd or Systemd(os.environ)
        self._folder = _own_folder()
        self._told = {
            "arguments": dict(arguments), "line": str(self._folder / "line"),
            "player": str(self._folder / "player"), "socket": sock.fileno(),
            "host": arguments["host"], "port": sock.getsockname()[1],
            "https_port": arguments["https_port"], "log": _log_level(),
        }  # fmt: skip
        self._stopping = False
        self._announced = False
        self._told_s = 0.0
        """When systemd was told last that the eye lives."""

    def stop(self) -> None:
        """Say that it is time to stop."""
        self._stopping = True

    def run(self) -> int:
        """Keep both running; return the exit status once both have ended."""
        status: int | None = None
        try:
            while not self._stopping and status is None:
                status = self._look()
                self._hear(TICK_S)
        finally:
            self._systemd.tell("STOPPING=1")
            self._end()
            shutil.rmtree(self._folder, ignore_errors=True)
        return ANSWERED if status is None else status

    def _look(self) -> int | None:
        """Start what is due; return the status of an eye that could not even begin."""
        self._hear_whether_the_player_is_wanted()
        for process in self._kept():
            if process.is_due:
                process.start(self._told)
            elif process.popen is not None and process.hangs:
                log.error("%s hangs; it is started again", process.module)
                process.kill()
            was_ready = process.ready is not None
            status = process.ended()
            if status is not None and process is self.player and status == ANSWERED:
                self._player_wanted = False
            elif status is not None:
                never_began = process.lives == 1 and not was_ready and status > 0
                if never_began and process in (self.eye, self.page):
                    # What it was asked for cannot be; it has said why.
                    return status
                log.error("%s has ended (%s); it is started again", process.module, status)
        if not self._announced and self.eye.ready and self.page.ready:
            self._announced = True
            self._announce({**self.eye.ready, **self.page.ready})
            self._systemd.tell("READY=1")
        self._say_that_the_eye_lives()
        return None

    def _kept(self) -> tuple[Process, ...]:
        """Return the processes that run, or are to be started again."""
        wanted = {self.sender: self._membership.exists(), self.player: self._player_wanted}
        others = [one for one, is_wanted in wanted.items() if is_wanted or one.popen is not None]
        return self.eye, self.page, *others

    def _hear_whether_the_player_is_wanted(self) -> None:
        for process in (self.eye, self.page):
            self._player_wanted |= process.wants_player
            process.wants_player = False

    def _say_that_the_eye_lives(self) -> None:
        now_s = time.monotonic()
        if self._announced and self._systemd.every_s and self.eye.ready is not None:
            heard = now_s - self.eye.heard_s < self._systemd.every_s
            if heard and now_s - self._told_s >= self._systemd.every_s:
                self._told_s = now_s
                self._systemd.tell("WATCHDOG=1")

    def _hear(self, seconds: float) -> None:
        """Take in what they report, for so long at most."""
        with selectors.DefaultSelector() as ready:
            for process in self._kept():
                if process.popen is not None:
                    ready.register(process.out, selectors.EVENT_READ, process)
            if not ready.get_map():
                time.sleep(seconds)
                return
            for key, _ in ready.select(seconds):
                if not key.data.hear():
                    # It has closed its report, and is about to end.
                    time.sleep(TICK_S / 10)

    def _end(self) -> None:
        """Stop them all; what does not stop in time is killed."""
        every = (self.sender, self.player, self.page, self.eye)
        running = [one for one in every if one.popen is not None]
        for process in running:
            assert process.popen is not None
            process.popen.send_signal(signal.SIGTERM)
        until_s = time.monotonic() + self._patience.stop
        for process in running:
            assert process.popen is not None
            try:
                process.popen.wait(max(0.0, until_s - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.error("%s does not stop; it is killed", process.module)
                process.kill()
                process.popen.wait()
            process.ended()


def _own_folder() -> Path:
    """Return a new folder that only this user may enter, in memory where there is such a place.

    Raises:
        OSError: nothing can be written anywhere.
    """
    places = [os.environ.get("RUNTIME_DIRECTORY"), os.environ.get("XDG_RUNTIME_DIR"), "/dev/shm"]
    for place in places:
        # A disk that is full does not keep the eye from its page.
        with suppress(OSError):
            if place:
                return Path(tempfile.mkdtemp(prefix="snake-eye-", dir=place))
    return Path(tempfile.mkdtemp(prefix="snake-eye-"))


def _log_level() -> str | None:
    """Return how much the processes write down; ``None`` where nobody has said."""
    root = logging.getLogger()
    return logging.getLevelName(root.level) if root.handlers else None

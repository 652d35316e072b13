"""The supervisor: starts eye and page, restarts processes that die or hang, stops all cleanly.

The machine's process (``seat``) is started when eye or page report that they want it. It exits
when nobody has used it for a while, and is not restarted then.

The supervisor imports nothing of what the processes do, so that it stays small and cannot hang.
It owns the socket that phones connect to, so that a connection made while the page is being
restarted waits and is answered at the same port. No process outlives it, however it ends.
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

log = logging.getLogger(__name__)
TICK_S = 0.25
LONGEST_REPORT = 64 << 10
NAMES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
"""Environment variables from systemd that are for the supervisor only, not for its processes."""
ARENAS = {"MALLOC_ARENA_MAX": "2"}
"""Told to the C library of its processes: else every thread keeps freed memory of its own."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Timeouts in seconds."""

    start: float = 120.0
    """Longest silence of a process that is not ready yet; then it is killed and restarted."""
    silence: float = 25.0
    """Longest silence of a ready process; then it is killed and restarted."""
    stop: float = 10.0
    """Longest time for all processes to stop; then they are killed."""
    first_pause: float = 0.2
    """Pause before the first restart; it doubles with each restart."""
    longest_pause: float = 10.0
    """Upper bound of the pause before a restart."""
    short_life: float = 30.0
    """Lifetime above which a process resets the pause to ``first_pause``."""


class Process:
    """A supervised program (eye, page or seat): its process, restarts and reports."""

    def __init__(self, module: str, patience: Patience, pass_fds: tuple[int, ...] = ()) -> None:
        self.module = module
        self.ready: Mapping[str, Any] | None = None
        """The report by which the process said that it is ready; ``None`` before."""
        self.lives = 0
        """Number of starts."""
        self.wants_player = False
        """Whether the process has reported that it wants the machine's process."""
        self.popen: subprocess.Popen[bytes] | None = None
        self.heard_s = 0.0
        self._patience, self._pass_fds = patience, pass_fds
        self._began_s = 0.0
        self._pause_s = patience.first_pause
        self._again_s = 0.0
        """Time from which on the process may be restarted."""
        self._rest = b""

    def start(self, told: Mapping[str, Any]) -> None:
        """Start the process with its start data as a JSON argument."""
        said = json.dumps({**told, "life": self.lives})
        self.ready, self._rest = None, b""
        self._began_s = self.heard_s = time.monotonic()
        quiet = ARENAS | {name: value for name, value in os.environ.items() if name not in NAMES}
        try:
            self.popen = subprocess.Popen(
                [sys.executable, "-m", self.module, said],
                env=quiet,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=self._pass_fds,
            )
        except OSError as error:
            log.error("%s cannot be started now: %s", self.module, error)
            self._wait_longer()
            return
        self.lives += 1
        os.set_blocking(self.out.fileno(), False)

    @property
    def out(self) -> IO[bytes]:
        """The pipe with the process's reports."""
        assert self.popen is not None
        return cast(IO[bytes], self.popen.stdout)

    def hear(self) -> bool:
        """Read the process's new reports; return ``False`` once its pipe is closed."""
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
        """Whether the process has reported nothing for too long."""
        patience = self._patience.silence if self.ready is not None else self._patience.start
        return time.monotonic() - self.heard_s > patience

    @property
    def is_due(self) -> bool:
        """Whether the process has ended and its pause is over."""
        return self.popen is None and time.monotonic() >= self._again_s

    def kill(self) -> None:
        """Kill the process if it runs."""
        if self.popen is not None:
            self.popen.kill()

    def ended(self) -> int | None:
        """Return the exit status and clean up; ``None`` if the process still runs."""
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
        """Set the time of the next restart, and double the pause (exponential backoff)."""
        self._again_s = time.monotonic() + self._pause_s
        self._pause_s = min(2 * self._pause_s, self._patience.longest_pause)


class Systemd:
    """Notifies systemd; does nothing if systemd did not start this process."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        patience_s = int(environment.get("WATCHDOG_USEC", "0") or 0) / 1e6
        self.every_s = patience_s / 3 if patience_s else 0.0
        """Seconds between watchdog notifications; 0 for none."""

    def tell(self, what: str) -> None:
        """Send one notification if systemd listens."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        # A game is not ended because nobody listens there any more.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.connect(address)
            out.send(what.encode())


class Supervisor:
    """Runs eye, page and seat until told to stop."""

    def __init__(
        self,
        arguments: Mapping[str, Any],
        sock: socket.socket,
        announce: Callable[[Mapping[str, Any]], None],
        patience: Patience | None = None,
        systemd: Systemd | None = None,
    ) -> None:
        """Set up the processes without starting them.

        Args:
            arguments: of the command ``run``, as plain data.
            sock: the listening socket that phones connect to.
            announce: called once, when eye and page are ready, with the ready reports of both.
            patience: timeouts.
            systemd: notified as well.
        """
        patience = patience or Patience()
        self.eye = Process("companion_app.eye", patience)
        self.page = Process("companion_app.web", patience, (sock.fileno(),))
        self.player = Process("companion_app.seat", patience)
        """The machine's process; runs only while eye or page want it."""
        self._player_wanted = False
        self._announce, self._patience = announce, patience
        self._systemd = systemd or Systemd(os.environ)
        self._folder = _own_folder()
        self._told = {
            "arguments": dict(arguments),
            "line": str(self._folder / "line"),
            "player": str(self._folder / "player"),
            "socket": sock.fileno(),
            "host": arguments["host"],
            "port": sock.getsockname()[1],
            "https_port": arguments["https_port"],
            "log": _log_level(),
        }
        self._stopping = False
        self._announced = False
        self._told_s = 0.0
        """Time of the last watchdog notification to systemd."""

    def stop(self) -> None:
        """Make ``run`` stop all processes and return."""
        self._stopping = True

    def run(self) -> int:
        """Keep the processes running until stopped; return the exit status."""
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
        """Start what is due; return the status of an eye or page that failed its first start."""
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
                    # Its arguments or settings cannot be used, and it has printed why. A page that
                    # is still starting has nothing to close.
                    if self.page.ready is None:
                        self.page.kill()
                    return status
                log.error("%s has ended (%s); it is started again", process.module, status)
        if not self._announced and self.eye.ready and self.page.ready:
            self._announced = True
            self._announce({**self.eye.ready, **self.page.ready})
            self._systemd.tell("READY=1")
        self._say_that_the_eye_lives()
        return None

    def _kept(self) -> tuple[Process, ...]:
        """Return the processes that run or should be running."""
        is_kept = self._player_wanted or self.player.popen is not None
        return (self.eye, self.page, self.player) if is_kept else (self.eye, self.page)

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
        """Read reports, waiting at most ``seconds`` for the first one."""
        with selectors.DefaultSelector() as ready:
            for process in self._kept():
                if process.popen is not None:
                    ready.register(process.out, selectors.EVENT_READ, process)
            if not ready.get_map():
                time.sleep(seconds)
                return
            for key, _ in ready.select(seconds):
                if not key.data.hear():
                    # The pipe is closed, so the process is about to end: do not spin until then.
                    time.sleep(TICK_S / 10)

    def _end(self) -> None:
        """Stop all processes; kill those that do not stop in time."""
        running = [(one, one.popen) for one in (self.player, self.page, self.eye) if one.popen]
        for _, popen in running:
            popen.send_signal(signal.SIGTERM)
        until_s = time.monotonic() + self._patience.stop
        for process, popen in running:
            try:
                popen.wait(max(0.0, until_s - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.error("%s does not stop; it is killed", process.module)
                popen.kill()
                popen.wait()
            process.ended()


def _own_folder() -> Path:
    """Create a private folder for sockets, in memory if possible.

    Raises:
        OSError: no place is writable.
    """
    places = [os.environ.get("RUNTIME_DIRECTORY"), os.environ.get("XDG_RUNTIME_DIR"), "/dev/shm"]
    for place in places:
        # A full disk must not stop eye and page from connecting.
        with suppress(OSError):
            if place:
                return Path(tempfile.mkdtemp(prefix="snake-eye-", dir=place))
    return Path(tempfile.mkdtemp(prefix="snake-eye-"))


def _log_level() -> str | None:
    """Return the log level for the processes; ``None`` if logging is not configured."""
    root = logging.getLogger()
    return logging.getLevelName(root.level) if root.handlers else None

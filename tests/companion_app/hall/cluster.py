"""A PostgreSQL cluster in a folder of its own, made and run by an ordinary user."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

TOOLS = Path("/usr/lib/postgresql")
ORDINARY = ("postgres", "nobody")
"""Who runs it where the tests are run by root, whom PostgreSQL refuses."""
QUICK = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=on",
    "max_connections=60",
    "shared_buffers=32MB",
)


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def why_not() -> str:
    """Say why there can be no cluster here; empty where there can."""
    if _tools() is None:
        return "PostgreSQL is not installed"
    if os.getuid() == 0 and (shutil.which("setpriv") is None or _user() is None):
        return "PostgreSQL is not run by root, and there is no other user here"
    return ""


class Cluster:
    """PostgreSQL on a port of the loopback address. Close it, or use ``with``."""

    def __init__(self, settings: tuple[str, ...] = QUICK) -> None:
        tools = _tools()
        assert tools is not None
        self._tools, self._settings = tools, settings
        self.folder = Path(tempfile.mkdtemp(prefix="snake-eye-pg-"))
        self.port = free_port()
        if os.getuid() == 0:
            user = _user()
            assert user is not None
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self._do(
            "initdb",
            "-D",
            str(self._data),
            "-A",
            "trust",
            "-U",
            "hall",
            "-N",
            "-E",
            "UTF8",
            "--locale=C",
        )
        self.start()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = " ".join(
            [
                f"-p {self.port} -h 127.0.0.1 -k {self.folder}",
                *(f"-c {one}" for one in self._settings),
            ]
        )
        self._do(
            "pg_ctl",
            "-D",
            str(self._data),
            "-w",
            "-t",
            "60",
            "-o",
            options,
            "-l",
            str(self.folder / "log"),
            "start",
        )

    def stop(self, how: str = "immediate") -> None:
        """Stop it: ``immediate`` as a crash does."""
        self._do("pg_ctl", "-D", str(self._data), "-w", "-m", how, "stop")

    def close(self) -> None:
        """Stop it and remove its folder."""
        self.stop()
        shutil.rmtree(self.folder)

    def new_database(self, name: str) -> str:
        """Make an empty database and return its address."""
        self._do("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "hall", name)
        return f"postgresql://hall@127.0.0.1:{self.port}/{name}"

    def _do(self, tool: str, *arguments: str) -> None:
        command = [str(self._tools / tool), *arguments]
        if os.getuid() == 0:
            user = _user()
            assert user is not None
            command = [
                "setpriv",
                f"--reuid={user.pw_uid}",
                f"--regid={user.pw_gid}",
                "--clear-groups",
                *command,
            ]
        # What it leaves running must not hold our pipes open.
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(
                command,
                stdout=said,
                stderr=said,
                cwd="/",
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=120,
            )
            said.seek(0)
            assert done.returncode == 0, said.read().decode(errors="replace")


def _tools() -> Path | None:
    found = sorted(TOOLS.glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    return found[-1].parent if found else None


def _user() -> pwd.struct_passwd | None:
    names = {one.pw_name: one for one in pwd.getpwall()}
    return next((names[name] for name in ORDINARY if name in names), None)

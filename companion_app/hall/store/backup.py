"""Backup by the database's own tools: ``pg_dump`` and ``pg_restore``, or SQLite's own copy."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from companion_app.hall.errors import DatabaseError, HallError
from companion_app.hall.store.database import FILE, address_of, migrate

TOOLS = "/usr/lib/postgresql"


def backup(database: str | None, folder: Path, file: Path) -> int:
    """Write everything into one file while the hall runs on; return its size in bytes.

    Raises:
        HallError: it cannot be written, or is there already.
    """
    if file.exists():
        raise HallError(f"{file} is there already; choose another name")
    if database is None:
        _copied(folder / FILE, file)
    else:
        _do("pg_dump", "--format=custom", "--no-owner", f"--file={file}", f"--dbname={database}")
    file.chmod(0o600)
    return file.stat().st_size


def restore(database: str | None, folder: Path, file: Path) -> None:
    """Restore a backup, also an older version's, into an empty hall, completely or not at all.

    Raises:
        HallError: the file is missing, the hall is not empty, or the backup is not a hall's.
    """
    if not file.exists():
        raise HallError(f"there is no {file}")
    if database is None:
        target = folder / FILE
        if target.exists():
            raise HallError(f"{target} is there already; move it away first")
        beside = target.with_name("restored.sqlite3")
        _copied(file, beside)
        try:
            migrate(f"sqlite:///{beside}", folder)
        except DatabaseError:
            beside.unlink()
            raise
        for end in ("-wal", "-shm"):
            beside.with_name(beside.name + end).unlink(missing_ok=True)
        beside.rename(target)
        return
    _do(
        "pg_restore",
        "--no-owner",
        "--single-transaction",
        "--exit-on-error",
        f"--dbname={database}",
        str(file),
    )
    migrate(address_of(database, folder), folder)


def _copied(source: Path, target: Path) -> None:
    if not source.exists():
        raise HallError("there is no hall here yet")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new)
            # Without a write-ahead log the backup is a single file.
            new.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        raise HallError(f"{source} cannot be copied: {error}") from error


def _do(tool: str, *arguments: str) -> None:
    program = shutil.which(tool) or next(
        (str(path) for path in sorted(Path(TOOLS).glob(f"*/bin/{tool}"), reverse=True)), None
    )
    if program is None:
        raise HallError(f"{tool} is missing: install Debian's package postgresql-client")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise HallError(f"{tool} failed: {said[-1] if said else 'without a word'}")

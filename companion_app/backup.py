"""Backup of everything that is kept: one zip file with a manifest and hashes.

It can be made while a game is played; ``restore`` puts it back.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from errno import EIO
from pathlib import Path
from typing import IO, Any

from companion_app.answers import InputError
from companion_app.version import version

FORMAT, VERSION = "snake-eye/backup", 1
MANIFEST = "manifest.json"
CHUNK = 1 << 20
BY_PAGE = "backup"
"""The folder in which the page keeps a backup until it is downloaded or restored."""
TAKEN_IN = "taken-in.zip"
"""Name of the backup that was uploaded to the page to be restored."""
LEFT_OUT = (
    "games.lock",
    "games.index",
    "games.log",
    "games.spare",
    "games.damage.json",
    "games.salvaged.json",
    "tls",
    "update",
    BY_PAGE,
)
"""Files that belong to this machine: the lock and the index of its games, what tells of damage, TLS
keys, files of an update, backups in transit; and what the store of 1.0.0 kept beside its games."""
LEFT_OUT_ENDS = (".part", ".new", "-wal", "-shm", "-journal", ".lock")
SQLITE_START = b"SQLite format 3\x00"


class BackupError(InputError):
    """A backup cannot be made or restored; nothing was changed."""

    def __init__(self, text: str, code: str = "bad-backup") -> None:
        super().__init__(text)
        self.code = code
        """Key of the page's sentence for this error."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One file of a backup."""

    path: str
    """Path relative to the data folder, with slashes."""
    size: int
    sha256: str


def make_backup(home: Path, file: Path, now_s: Callable[[], float] = time.time) -> tuple[Kept, ...]:
    """Write everything under ``home`` into a new file and return the files in it.

    Raises:
        BackupError: there is nothing to keep, the file exists, or the disk fails.
    """
    if not home.is_dir():
        raise BackupError(f"there is nothing to back up: {home} does not exist yet")
    part = file.with_name(file.name + ".part")
    # Beside the backup: the folder for temporary files may be in memory, where games do not fit.
    copy = file.with_name(file.name + ".copy.part")
    try:
        if file.exists():
            raise BackupError(f"{file} exists already; name a new file")
        part.unlink(missing_ok=True)
        with (
            private_file(part) as handle,
            zipfile.ZipFile(handle, "w", zipfile.ZIP_DEFLATED) as to,
        ):
            kept = tuple(_packed(home, file, to, copy))
            to.writestr(MANIFEST, json.dumps(_manifest(kept, now_s()), indent=1))
        put_on_disk(part)
        part.replace(file)
    except OSError as error:
        for left in (part, copy):
            with suppress(OSError):
                left.unlink(missing_ok=True)
        text = f"{file} cannot be written: {error.strerror or error}"
        raise BackupError(text, "not-kept") from error
    return kept


def _packed(home: Path, file: Path, to: zipfile.ZipFile, copy: Path) -> Iterator[Kept]:
    for path in sorted(_files(home)):
        if path.resolve() in (file.resolve(), file.with_name(file.name + ".part").resolve()):
            continue
        try:
            # Games are played on, and a picture may be deleted before its turn comes.
            with suppress(FileNotFoundError):
                source = _still_copy(path, copy)
                yield _added(to, source, path.relative_to(home).as_posix())
        finally:
            copy.unlink(missing_ok=True)


def _files(home: Path) -> Iterator[Path]:
    """Yield the files to back up; symlinks are left out, since they may point anywhere."""
    for folder, folders, names in os.walk(home):
        here = Path(folder)
        out = LEFT_OUT if here == home else ()
        folders[:] = [
            name for name in folders if name not in out and not (here / name).is_symlink()
        ]
        for name in names:
            path = here / name
            is_plain = path.is_file() and not path.is_symlink()
            if is_plain and name not in out and not name.endswith(LEFT_OUT_ENDS):
                yield path


def _still_copy(path: Path, copy: Path) -> Path:
    """Return a file that does not change: a database is copied by SQLite's backup."""
    with path.open("rb") as handle:
        if handle.read(len(SQLITE_START)) != SQLITE_START:
            return path
    copy.unlink(missing_ok=True)
    private_file(copy).close()
    try:
        with (
            closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            target.execute("PRAGMA journal_mode = OFF")  # a copy that fails is deleted
            source.backup(target)
    except sqlite3.Error as error:
        if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
            # The disk is full or fails: without its write-ahead file the database lacks moves.
            raise OSError(EIO, str(error)) from error
        # A damaged database is backed up unchanged: some of it can still be read.
        copy.unlink(missing_ok=True)
        return path
    return copy


def _added(to: zipfile.ZipFile, source: Path, name: str) -> Kept:
    digest, size = hashlib.sha256(), 0
    # A fixed date: the manifest has the time, and zip fails on dates of a clock that is wrong.
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | 0o600) << 16
    with source.open("rb") as read, to.open(entry, "w", force_zip64=True) as write:
        while chunk := read.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            write.write(chunk)
    return Kept(name, size, digest.hexdigest())


def _manifest(kept: tuple[Kept, ...], now_s: float) -> dict[str, Any]:
    files = [{"path": one.path, "size": one.size, "sha256": one.sha256} for one in kept]
    made_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_s))
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_at": made_at,
        "by": version(),
        "files": files,
    }


def private_file(path: Path) -> IO[bytes]:
    """Create a file that only this user may read: it holds pictures of homes and the PIN."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")


def put_on_disk(path: Path) -> None:
    """Sync a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""Restores a backup in place of the data folder.

Everything in the backup is checked before anything is changed, and the old data folder is kept
beside the restored one.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from companion_app.backup import (
    CHUNK,
    FORMAT,
    LEFT_OUT,
    LEFT_OUT_ENDS,
    MANIFEST,
    VERSION,
    BackupError,
    Kept,
    private_file,
    put_on_disk,
)
from companion_app.live.errors import StoreError
from companion_app.live.store import number_on
from companion_app.restore_check import OWN, OWN_FOLDERS, check_games, check_own, leave_out_unusable
from companion_app.whole_file import write_whole
from engine.errors import RecordError
from engine.given import load_json

MOST_FILES = 200_000
LARGEST_MANIFEST = 64 << 20
LARGEST_TOTAL = 64 << 30
SPARE_BYTES = 64 << 20
"""Bytes that must stay free on the disk, so that games can go on after a restore."""
STAGING = ".restoring-"
"""Stands in the name of the folder in which a backup is unpacked."""
TLS = "tls"
"""The folder of this machine's certificates, which are in no backup."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore."""

    files: int
    kept: Path | None
    """Where the old data folder is now; ``None`` if there was none."""
    left_out: tuple[str, ...] = ()
    """A sentence for each file that was left out because it cannot be used."""
    own: bool = True
    """Whether this machine kept its own PIN, sessions, settings and place in a hall."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A backup that was unpacked and checked, and waits to be put in place."""

    file: Path
    staging: Path
    left_out: tuple[str, ...]
    own: bool
    """As for ``Restored``."""


def restore_backup(
    home: Path,
    file: Path,
    free_bytes: Callable[[Path], int] | None = None,
    *,
    with_secrets: bool = False,
    let_go: Callable[[], None] = lambda: None,
) -> Restored:
    """Replace ``home`` by the content of a backup; the old folder is kept beside it.

    Args:
        home: the data folder.
        file: the backup.
        free_bytes: returns the free space of a disk, for tests.
        with_secrets: take PIN, sessions, settings and the place in a hall from the backup too.
            Otherwise those of this machine stay; if it has none, the next start makes a new PIN.
        let_go: called once everything is checked, before anything is changed, to close the store
            if this process has it open.

    Raises:
        BackupError: the file is not a valid backup, does not fit on the disk, or another process
            has the games open.
    """
    return put_in_place(home, unpacked(home, file, with_secrets, free_bytes), let_go)


def unpacked(
    home: Path,
    file: Path,
    with_secrets: bool,
    free_bytes: Callable[[Path], int] | None = None,
) -> Unpacked:
    """Unpack a backup beside the data folder and check everything in it; nothing else is changed.

    Args and errors are those of ``restore_backup``.
    """
    parent = home.parent
    with _telling(file):
        parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(file) as archive:
            kept = _checked(archive, file)
            free = free_bytes(parent) if free_bytes else shutil.disk_usage(parent).free
            if sum(one.size for one in kept) + SPARE_BYTES > free:
                text = f"{file} does not fit on the disk: {free >> 20} MB are free"
                raise BackupError(text, "backup-no-room")
            staging = Path(tempfile.mkdtemp(prefix=f"{home.name}{STAGING}", dir=parent))
            try:
                _unpack(archive, kept, staging, file)
                check_games(staging, file)
                if with_secrets:
                    check_own(staging, file)
                else:
                    _keep_own(home, staging)
                _keep_folder(home / TLS, staging / TLS)
                return Unpacked(file, staging, leave_out_unusable(staging), not with_secrets)
            except BaseException:
                shutil.rmtree(staging, ignore_errors=True)
                raise


def put_in_place(
    home: Path, backup: Unpacked, let_go: Callable[[], None] = lambda: None
) -> Restored:
    """Put an unpacked backup in place of the data folder.

    Args and errors are those of ``restore_backup``.
    """
    staging = backup.staging
    with _telling(backup.file):
        try:
            number_on(staging, home)
            let_go()
            files = sum(path.is_file() for path in staging.rglob("*"))
            return Restored(files, _swapped(home, staging), backup.left_out, backup.own)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def sweep(home: Path) -> None:
    """Delete what a check that was cut off has left beside the data folder."""
    for left in home.parent.glob(f"{home.name}{STAGING}*"):
        shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _telling(file: Path) -> Iterator[None]:
    """Turn what goes wrong into a ``BackupError`` that names the file."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        EOFError,
        UnicodeDecodeError,
    ) as error:
        raise BackupError(f"{file} is no backup of Snake Eye: {error}") from error
    except StoreError as error:
        raise BackupError(str(error), "not-kept") from error
    except OSError as error:
        text = f"{file} cannot be restored: {error.strerror or error}"
        raise BackupError(text, "not-kept") from error


def _checked(archive: zipfile.ZipFile, file: Path) -> tuple[Kept, ...]:
    """Return the manifest's files, after checking them against the archive's own directory."""
    entries = archive.infolist()
    if len(entries) > MOST_FILES + 1:
        raise BackupError(f"{file} has more files than any backup: {len(entries)}")
    by_name = {entry.filename: entry for entry in entries}
    if len(by_name) != len(entries):
        raise BackupError(f"{file} holds two files of one name")
    kept = _read_manifest(archive, by_name.get(MANIFEST), file)
    if {one.path for one in kept} != set(by_name) - {MANIFEST}:
        raise BackupError(f"{file} does not hold the files that its manifest lists")
    for one in kept:
        _check_entry(by_name[one.path], one, file)
    if sum(one.size for one in kept) > LARGEST_TOTAL:
        raise BackupError(f"{file} would unpack to more than {LARGEST_TOTAL >> 30} GB")
    _check_no_file_is_a_folder(kept, file)
    return kept


def _read_manifest(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo | None, file: Path
) -> tuple[Kept, ...]:
    if entry is None or entry.file_size > LARGEST_MANIFEST or entry.flag_bits & 1:
        raise BackupError(f"{file} is no backup of Snake Eye: it has no manifest")
    try:
        with archive.open(entry) as handle:
            manifest = load_json(handle.read(LARGEST_MANIFEST + 1), largest=LARGEST_MANIFEST)
        if manifest["format"] != FORMAT:
            raise BackupError(f"{file} is no backup of Snake Eye")
        if manifest["version"] != VERSION:
            text = f"{file} was made by a newer Snake Eye; update this one first"
            raise BackupError(text, "backup-newer")
        return tuple(_entry_of(one) for one in manifest["files"])
    except (RecordError, KeyError, TypeError) as error:
        raise BackupError(f"{file} has a broken manifest: {error}") from error


def _entry_of(one: Any) -> Kept:
    path, size, sha256 = one["path"], one["size"], one["sha256"]
    right = isinstance(path, str) and isinstance(sha256, str) and type(size) is int and size >= 0
    if not right:
        raise TypeError("a file is listed by path, size and sha256")
    return Kept(path, size, sha256)


def _check_entry(entry: zipfile.ZipInfo, one: Kept, file: Path) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if not _is_plain_path(one.path):
        raise BackupError(f"{file} holds a file that would lie elsewhere: {one.path[:80]!r}")
    if entry.is_dir() or kind not in (0, stat.S_IFREG):
        raise BackupError(f"{file} holds something that is no plain file: {one.path[:80]!r}")
    if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BackupError(f"{file} is packed in a way that Snake Eye never uses: {one.path[:80]!r}")
    if entry.file_size != one.size:
        raise BackupError(f"{file} and its manifest disagree on the size of {one.path[:80]!r}")


def _is_plain_path(path: str) -> bool:
    parts = path.split("/")
    safe = path.isprintable() and "\\" not in path and ":" not in path and len(path) <= 255
    plain = all(part not in ("", ".", "..") for part in parts) and len(parts) <= 12
    left_out = parts[0] in LEFT_OUT or parts[-1].endswith(LEFT_OUT_ENDS)
    return safe and plain and not left_out and not PurePosixPath(path).is_absolute()


def _check_no_file_is_a_folder(kept: tuple[Kept, ...], file: Path) -> None:
    paths = {one.path for one in kept}
    for path in paths:
        if any(str(above) in paths for above in PurePosixPath(path).parents):
            raise BackupError(f"{file} holds a file inside a file: {path[:80]!r}")


def _unpack(archive: zipfile.ZipFile, kept: tuple[Kept, ...], staging: Path, file: Path) -> None:
    for one in kept:
        target = staging.joinpath(*one.path.split("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with archive.open(one.path) as read, private_file(target) as write:
            # The size in a zip file's directory may be false, so the bytes are counted.
            while chunk := read.read(CHUNK):
                size += len(chunk)
                if size > one.size:
                    raise BackupError(f"{file}: {one.path!r} unpacks to more than it says")
                digest.update(chunk)
                write.write(chunk)
            write.flush()
            os.fsync(write.fileno())
        if size != one.size or digest.hexdigest() != one.sha256:
            raise BackupError(f"{file} is damaged: {one.path!r} is not what was backed up")


def _keep_own(home: Path, staging: Path) -> None:
    """Replace the backup's PIN, sessions, settings, keys and place in a hall by this machine's."""
    for name in OWN_FOLDERS:
        _keep_folder(home / name, staging / name)
    for name in OWN:
        (staging / name).unlink(missing_ok=True)
        if (home / name).is_file() and not (home / name).is_symlink():
            write_whole(staging / name, (home / name).read_bytes(), 0o600)


def _keep_folder(own: Path, restored: Path) -> None:
    shutil.rmtree(restored, ignore_errors=True)
    if own.is_dir() and not own.is_symlink():
        # A file that is just being replaced has this ending, and may be gone before it is copied.
        shutil.copytree(own, restored, symlinks=True, ignore=shutil.ignore_patterns("*.new"))


def _swapped(home: Path, staging: Path) -> Path | None:
    """Move the new folder in place of the old one; return where the old one is now."""
    staging.chmod(0o700)
    if not home.exists():
        staging.rename(home)
        put_on_disk(home.parent)
        return None
    aside = _free_name(home)
    try:
        # The store's lock is held while the folders are swapped, so that no game begins.
        with (home / "games.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            home.rename(aside)
            try:
                staging.rename(home)
            except OSError:
                aside.rename(home)
                raise
    except BlockingIOError as error:
        raise BackupError(
            f"nothing was restored: another Snake Eye has the games in {home} open; stop it first"
        ) from error
    put_on_disk(home.parent)
    return aside


def _free_name(home: Path) -> Path:
    number = 1
    while (aside := home.with_name(f"{home.name}.before-restore-{number}")).exists():
        number += 1
    return aside

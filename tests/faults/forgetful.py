"""A disk under the logs that takes down every write, and can forget what was not synced.

It is put under the unchanged store in place of the calls of ``os`` by which logs are written.
Everything is passed on to the real file system; afterwards the files can be made as a power cut at
any moment would have left them. Of the index, which waits for no disk, an older one is left, none,
or bytes that are none.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from errno import ENOSPC
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

from companion_app.live.store import FILE

SECTOR = 512
"""What a card writes whole or not at all."""
WAYS = ("forgotten", "kept", "torn", "mixed")
"""What may become of writes that were not synced: none, all, the last in part, any sectors."""


@dataclass(frozen=True, slots=True)
class Op:
    """One thing that was asked of the disk, or said aloud between two of them."""

    what: str
    """``name`` of a new file or folder, ``write``, ``truncate``, ``sync``, ``said``."""
    path: Path = Path()
    """Relative to the home."""
    at: int = 0
    """Where a write begins, the size of a truncated file."""
    data: bytes = b""
    said: Any = None
    index: bytes = b""
    """The file of the index when something was said."""


class ForgetfulDisk:
    """While it is entered, the logs of one home lie on it."""

    def __init__(self, home: Path, refuse: Callable[[int], bool] = lambda _number: False) -> None:
        self.ops: list[Op] = []
        self.writes = 0
        """Writes asked for, refused ones too."""
        self._home, self._refuse = home, refuse
        self._paths: dict[int, Path] = {}
        self._real = {name: getattr(os, name) for name in ("open", "write", "fsync", "mkdir")}
        self._cut_off = os.ftruncate
        self._patch = mock.patch.multiple(
            os,
            open=self._open,
            write=self._write,
            fsync=self._sync,
            mkdir=self._mkdir,
            ftruncate=self._truncate,
        )

    def __enter__(self) -> ForgetfulDisk:
        self._patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.stop()

    def say(self, what: Any) -> None:
        """Take down that something was announced at this moment."""
        self.ops.append(Op("said", said=what, index=(self._home / FILE).read_bytes()))

    # --- called in place of the system ---------------------------------------------------------

    def _mkdir(self, path: Any, *rest: Any, **named: Any) -> None:
        self._real["mkdir"](path, *rest, **named)
        if Path(path).is_relative_to(self._home):
            self.ops.append(Op("name", Path(path).relative_to(self._home)))

    def _open(self, path: Any, flags: int, *rest: Any, **named: Any) -> int:
        ours = isinstance(path, (str, Path)) and Path(path).is_relative_to(self._home)
        is_new = ours and flags & os.O_CREAT and not Path(path).exists()
        handle = int(self._real["open"](path, flags, *rest, **named))
        self._paths.pop(handle, None)
        if ours:
            self._paths[handle] = Path(path).relative_to(self._home)
        if is_new:
            self.ops.append(Op("name", self._paths[handle]))
        return handle

    def _write(self, handle: int, data: bytes) -> int:
        if handle not in self._paths:
            return int(self._real["write"](handle, data))
        self.writes += 1
        is_refused = self._refuse(self.writes)
        at, data = os.fstat(handle).st_size, data[: len(data) // 2] if is_refused else data
        done = int(self._real["write"](handle, data))
        self.ops.append(Op("write", self._paths[handle], at, data))
        if is_refused and self.writes % 2:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        return done

    def _truncate(self, handle: int, size: int) -> None:
        self._cut_off(handle, size)
        if handle in self._paths:
            self.ops.append(Op("truncate", self._paths[handle], size))

    def _sync(self, handle: int) -> None:
        self._real["fsync"](handle)
        if handle in self._paths:
            self.ops.append(Op("sync", self._paths[handle]))


class Cut:
    """The files of a disk as a power cut leaves them; takes in operations one by one."""

    def __init__(self) -> None:
        self._names, self._files = {Path()}, dict[Path, bytes]()
        self._waiting: list[Op] = []
        self._indexes = [b""]

    def take(self, op: Op) -> None:
        """Take in one operation."""
        if op.what == "said":
            self._indexes.append(op.index)
        elif op.what == "sync":
            # Names are of the folder, not of the file.
            synced = [
                one
                for one in self._waiting
                if (one.path.parent if one.what == "name" else one.path) == op.path
            ]
            self._waiting = [one for one in self._waiting if one not in synced]
            self._names, self._files = _applied(self._names, self._files, synced)
        else:
            self._waiting.append(op)

    def files(self, way: str, chance: random.Random) -> dict[Path, bytes]:
        """Return what lies on the disk when the power comes back."""
        survivors = list(_survivors(self._waiting, way, chance))
        names, files = _applied(self._names, self._files, survivors)
        whole = {path: data for path, data in files.items() if {path, *path.parents} <= names}
        older = chance.choice(self._indexes[-3:])
        index = {"forgotten": b"", "mixed": chance.randbytes(9000)}.get(way, older)
        return whole | ({Path(FILE): index} if index else {})


def _survivors(waiting: Sequence[Op], way: str, chance: random.Random) -> Iterator[Op]:
    if way == "forgotten":
        return
    last = max((n for n, op in enumerate(waiting) if op.what == "write"), default=-1)
    for number, op in enumerate(waiting):
        if op.what != "write" or way == "kept" or (way == "torn" and number != last):
            yield op
        elif way == "torn":
            yield Op("write", op.path, op.at, op.data[: chance.randrange(len(op.data) + 1)])
        else:
            # Sectors are those of the disk, and a file's end may lie in the middle of one.
            edges = [0, *range(SECTOR - op.at % SECTOR, len(op.data), SECTOR), len(op.data)]
            for begin, end in pairwise(edges):
                if chance.random() < 0.5:
                    yield Op("write", op.path, op.at + begin, op.data[begin:end])


def _applied(
    names: set[Path], files: dict[Path, bytes], ops: Sequence[Op]
) -> tuple[set[Path], dict[Path, bytes]]:
    names, files = set(names), dict(files)
    for op in ops:
        data = files.get(op.path, b"")
        if op.what == "name":
            names.add(op.path)
        elif op.what == "truncate":
            files[op.path] = data[: op.at].ljust(op.at, b"\0")
        elif op.data:
            # A hole before the write reads as zeros, as on any file system.
            files[op.path] = (
                data[: op.at].ljust(op.at, b"\0") + op.data + data[op.at + len(op.data) :]
            )
    return names, files

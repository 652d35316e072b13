"""A disk under SQLite that takes down every write, and can forget what was not synced.

It is put under the unchanged store by SQLite's own door for such layers (a VFS), reached through
``ctypes`` in the very library that Python's ``sqlite3`` uses. Everything is passed on to the real
file system; afterwards the files can be made as a power cut at any moment would have left them.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator, Sequence
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p, cast
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

OK, FULL, IO_ERROR = 0, 13, 10
CREATE = 0x4
SECTOR = 512
"""What a card writes whole or not at all."""
WAYS = ("forgotten", "kept", "torn", "mixed")
"""What may become of writes that were not synced: none, all, the last in part, any sectors."""

# A name is passed on as the pointer it came as: SQLite keeps more behind its end.
OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
SYNC = CFUNCTYPE(c_int, c_void_p, c_int)


class _Vfs(Structure):
    _fields_ = [
        ("iVersion", c_int),
        ("szOsFile", c_int),
        ("mxPathname", c_int),
        ("pNext", c_void_p),
        ("zName", c_char_p),
        ("pAppData", c_void_p),
        ("xOpen", OPEN),
        ("xDelete", DELETE),
        *[(f"x{number}", c_void_p) for number in range(14)],
    ]


class _Methods(Structure):
    _fields_ = [
        ("iVersion", c_int),
        ("xClose", c_void_p),
        ("xRead", c_void_p),
        ("xWrite", WRITE),
        ("xTruncate", TRUNCATE),
        ("xSync", SYNC),
        *[(f"x{number}", c_void_p) for number in range(13)],
    ]


@dataclass(frozen=True, slots=True)
class Op:
    """One thing that was asked of the disk, or said aloud between two of them."""

    what: str
    """``create``, ``write``, ``truncate``, ``sync``, ``delete``, ``said``."""
    name: str = ""
    at: int = 0
    """Where a write begins, the size of a truncated file; of ``sync`` and ``delete``, whether the
    names in the folder are synced as well."""
    data: bytes = b""
    said: Any = None


def sqlite_library() -> ctypes.CDLL | None:
    """Return the library under Python's ``sqlite3``; ``None`` where it hides inside of Python."""
    import _sqlite3

    try:
        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_vfs_find.restype = c_void_p
    except (AttributeError, OSError):
        return None
    return library


class ForgetfulDisk:
    """While it is entered, every database of this process lies on it."""

    def __init__(self, refuse: Callable[[int], bool] = lambda _number: False) -> None:
        library = sqlite_library()
        assert library is not None
        self._library = library
        self.ops: list[Op] = []
        self.writes = 0
        """Writes asked for, refused ones too."""
        self._refuse = refuse
        """Asked with the number of a write whether there is no room for it."""
        self._names: dict[int, str] = {}
        self._new: set[str] = set()
        self._methods: dict[int, _Methods] = {}
        self._real = cast(self._library.sqlite3_vfs_find(None), POINTER(_Vfs))
        self._layer = _Vfs.from_buffer_copy(self._real.contents)
        self._layer.zName = b"forgetful"
        self._layer.xOpen, self._layer.xDelete = OPEN(self._open), DELETE(self._delete)
        # Methods of open files are called by SQLite long after: kept from the collector here.
        self._called = (WRITE(self._write), TRUNCATE(self._truncate), SYNC(self._sync))

    def __enter__(self) -> ForgetfulDisk:
        self._library.sqlite3_vfs_register(byref(self._layer), 1)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._library.sqlite3_vfs_unregister(byref(self._layer))
        self._library.sqlite3_vfs_register(self._real, 1)

    def say(self, what: Any) -> None:
        """Take down that something was announced at this moment."""
        self.ops.append(Op("said", said=what))

    # --- called by SQLite ------------------------------------------------------------------

    def _open(self, _vfs: Any, name: Any, file: Any, flags: int, out: Any) -> int:
        path = Path(ctypes.string_at(name).decode()) if name else None
        there = path is not None and path.exists()
        answer = int(self._real.contents.xOpen(self._real, name, file, flags, out))
        if answer == OK and path is not None:
            self._names[file] = path.name
            if flags & CREATE and not there:
                self.ops.append(Op("create", self._names[file]))
                self._new.add(self._names[file])
            pointer = cast(file, POINTER(c_void_p))
            real = pointer[0]
            pointer[0] = ctypes.addressof(self._methods_over(real))
        return answer

    def _methods_over(self, real: Any) -> _Methods:
        if real not in self._methods:
            mine = _Methods.from_buffer_copy(cast(real, POINTER(_Methods)).contents)
            self._under = _Methods.from_buffer_copy(mine)
            mine.xWrite, mine.xTruncate, mine.xSync = self._called
            self._methods[real] = mine
        return self._methods[real]

    def _delete(self, _vfs: Any, name: bytes, sync: int) -> int:
        answer = int(self._real.contents.xDelete(self._real, name, sync))
        if answer == OK:
            self.ops.append(Op("delete", Path(name.decode()).name, at=sync))
        return answer

    def _write(self, file: Any, data: Any, size: int, at: int) -> int:
        self.writes += 1
        if self._refuse(self.writes):
            return FULL
        answer = int(self._under.xWrite(file, data, size, at))
        if answer == OK:
            written = ctypes.string_at(data, size)
            self.ops.append(Op("write", self._names[file], at, written))
        return answer

    def _truncate(self, file: Any, size: int) -> int:
        answer = int(self._under.xTruncate(file, size))
        if answer == OK:
            self.ops.append(Op("truncate", self._names[file], size))
        return answer

    def _sync(self, file: Any, flags: int) -> int:
        answer = int(self._under.xSync(file, flags))
        if answer == OK:
            name = self._names[file]
            # SQLite syncs the folder with the first sync of a new journal or write-ahead file.
            folder_too = name in self._new and name.endswith(("-wal", "-journal"))
            self._new.discard(name)
            self.ops.append(Op("sync", name, int(folder_too)))
        return answer


class Cut:
    """The files of a disk as a power cut leaves them; takes in operations one by one."""

    def __init__(self) -> None:
        self._synced: dict[str, bytes] = {}
        self._waiting: list[Op] = []

    def take(self, op: Op) -> None:
        """Take in one operation."""
        if op.what == "said":
            return
        if op.what != "sync":
            self._waiting.append(op)
        if op.what == "sync":
            self._put_down(lambda one: one.name == op.name)
        if op.what in ("sync", "delete") and op.at:
            self._put_down(lambda one: one.what in ("create", "delete"))

    def _put_down(self, is_synced: Callable[[Op], bool]) -> None:
        self._synced = _applied(self._synced, [one for one in self._waiting if is_synced(one)])
        self._waiting = [one for one in self._waiting if not is_synced(one)]

    def files(self, way: str, chance: random.Random) -> dict[str, bytes]:
        """Return what lies on the disk when the power comes back."""
        return _applied(self._synced, list(_survivors(self._waiting, way, chance)))


def _survivors(waiting: Sequence[Op], way: str, chance: random.Random) -> Iterator[Op]:
    if way == "forgotten":
        return
    last = max((n for n, op in enumerate(waiting) if op.what == "write"), default=-1)
    for number, op in enumerate(waiting):
        if op.what != "write" or way == "kept" or (way == "torn" and number != last):
            yield op
        elif way == "torn":
            whole = chance.randrange(len(op.data) // SECTOR + 1) * SECTOR
            yield Op("write", op.name, op.at, op.data[:whole])
        else:
            for at in range(0, len(op.data), SECTOR):
                if chance.random() < 0.5:
                    yield Op("write", op.name, op.at + at, op.data[at : at + SECTOR])


def _applied(before: dict[str, bytes], ops: Sequence[Op]) -> dict[str, bytes]:
    if not ops:
        return before
    files = {name: bytearray(data) for name, data in before.items()}
    for op in ops:
        if op.what == "delete":
            files.pop(op.name, None)
        elif op.what == "create":
            files[op.name] = bytearray()
        elif op.what == "truncate":
            files[op.name] = files.get(op.name, bytearray())[: op.at].ljust(op.at, b"\0")
        elif op.what == "write" and op.data:
            file = files.setdefault(op.name, bytearray())
            # A hole before the write reads as zeros, as on any file system.
            file.extend(bytes(max(0, op.at - len(file))))
            file[op.at : op.at + len(op.data)] = op.data
    return {name: bytes(data) for name, data in files.items()}

"""What runs in a worker: at low priority, within its memory, gone with the program or its time."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import multiprocessing
import os
import pickle
import resource
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)
NICE = 5
"""More than the page, which steps back behind the eye already."""
M_ARENA_MAX, M_MMAP_THRESHOLD = -8, -3
"""Numbers of settings in the C library's malloc.h."""
RESERVED = 3
"""How many times as much memory may be asked for as may be used: libraries ask for buffers that
they never touch. The program watches what is used; this stops one huge bite at once."""
GRACE_S = 5.0
"""So much later than the program would, a worker whose program is gone ends itself."""


def begin_worker() -> None:
    """Make this process a worker."""
    # Ctrl-C ends the program, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        os.nice(NICE)
    except PermissionError:
        log.warning("a worker runs at full priority: the system does not let it step back")
    _give_memory_back()
    threading.Thread(target=_end_with_program, daemon=True).start()


def worker_pid() -> int:
    """Return the worker's number, for whoever has to end it."""
    return os.getpid()


def do_work(seconds: float, memory: int, call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Return what a call returns.

    Args:
        seconds: after so long the process ends.
        memory: bytes that the call may use.
        call: importable by its name, as everything that goes to another process.
        args: plain data.
    """
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE_S)
    try:
        with _bounded(memory):
            return call(*args)
    except Exception as error:
        if _can_be_sent(error):
            raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _give_memory_back() -> None:
    """Let memory of pictures go back to the system at once, whichever thread held it.

    A photo that is read then takes 350 MB at most and leaves 120, instead of 590 and 390.
    """
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_ARENA_MAX, 2)
        libc.mallopt(M_MMAP_THRESHOLD, 256 << 10)


def _can_be_sent(error: Exception) -> bool:
    """Say whether the program can read an error; one that it cannot would cost the worker."""
    try:
        pickle.loads(pickle.dumps(error))
    except (TypeError, AttributeError, ValueError, pickle.PickleError):
        return False
    return True


@contextlib.contextmanager
def _bounded(memory: int) -> Any:
    # Unlike the limit on addresses this one counts only what is written to: libraries reserve more
    # addresses than they ever use.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + RESERVED * memory, hard))
    except (OSError, ValueError):
        log.warning("a worker's memory is not bounded: the system does not let it")
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def _data_bytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    line = next(line for line in status.splitlines() if line.startswith("VmData:"))
    return int(line.split()[1]) << 10


def _end_with_program() -> None:
    program = multiprocessing.parent_process()
    if program is not None:
        program.join()
        os._exit(1)

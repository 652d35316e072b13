"""Code of the worker process: low priority, limited memory and time, exits with its parent."""

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
"""Niceness added to that of the page, which already yields to the eye."""
M_ARENA_MAX, M_MMAP_THRESHOLD = -8, -3
"""Option numbers of ``mallopt`` in the C library's malloc.h."""
RESERVED = 3
"""Factor of the allocation limit over the memory limit: libraries allocate buffers that they never
touch. The parent watches the memory in use; this limit stops a single huge allocation."""
GRACE_S = 5.0
"""Seconds after its time limit at which a worker ends itself if its parent has not killed it."""


def begin_worker() -> None:
    """Set up this process as a worker."""
    # Ctrl-C is for the parent, which ends its worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        os.nice(NICE)
    except PermissionError:
        log.warning("a worker runs at full priority: the system does not let it step back")
    _give_memory_back()
    threading.Thread(target=_end_with_program, daemon=True).start()


def worker_pid() -> int:
    """Return the worker's process id, so that the parent can kill it."""
    return os.getpid()


def do_work(seconds: float, memory: int, call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Run a function within limits and return its result.

    Args:
        seconds: time limit; the process ends itself ``GRACE_S`` after it.
        memory: bytes that the call may use.
        call: a function that can be imported by its name.
        args: plain data for it.
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
        with contextlib.suppress(AttributeError, OSError):
            # What a photo leaves behind otherwise, some 30 MB, is not free for the game.
            ctypes.CDLL(None).malloc_trim(0)


def _give_memory_back() -> None:
    """Configure malloc to return the memory of pictures to the system at once, from any thread.

    Reading a photo then takes at most 350 MB and leaves 120, instead of 590 and 390.
    """
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_ARENA_MAX, 2)
        libc.mallopt(M_MMAP_THRESHOLD, 256 << 10)


def _can_be_sent(error: Exception) -> bool:
    """Say whether an exception survives pickling; one that does not would break the pool."""
    try:
        pickle.loads(pickle.dumps(error))
    except (TypeError, AttributeError, ValueError, pickle.PickleError):
        return False
    return True


@contextlib.contextmanager
def _bounded(memory: int) -> Any:
    # RLIMIT_DATA counts only private writable memory, unlike RLIMIT_AS: libraries reserve more
    # address space than they ever use.
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

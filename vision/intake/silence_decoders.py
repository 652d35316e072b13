"""Keeps what picture decoders say to themselves, instead of letting it fall on the screen.

libjpeg and libpng write straight to the process's standard error, and that is the only place
where OpenCV lets them say that a picture was damaged on the way.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

_ONE_AT_A_TIME = threading.Lock()
LONGEST_TALK_BYTES = 65536

DECODERS = re.compile(
    r"jpeg|jfif|adobe|libpng|png |webp|huffman|premature end|progression|sos param|^warning: ", re.I
)
EXTRANEOUS = re.compile(r"(\d+) extraneous bytes")
HARMLESS_BYTES = 1024
"""Some cameras leave a few bytes over at the end; a lost part leaves many more."""


@contextmanager
def decoder_talk() -> Iterator[list[str]]:
    """Collect the lines that decoders write to standard error while the block runs.

    The list is filled when the block ends. What others wrote meanwhile goes where it was meant to.
    """
    lines: list[str] = []
    with _ONE_AT_A_TIME:
        try:
            screen = os.dup(2)
        except OSError:  # Standard error is closed: nothing can fall on it.
            yield lines
            return
        try:
            with _scratch() as kept:
                os.dup2(kept.fileno(), 2)
                try:
                    yield lines
                finally:
                    os.dup2(screen, 2)
                    kept.seek(0)
                    _sort_out(kept.read(LONGEST_TALK_BYTES), lines)
        finally:
            os.close(screen)


def says_damaged(lines: list[str]) -> bool:
    """Say whether a decoder met data that cannot be what the camera wrote."""
    for line in lines:
        extra = EXTRANEOUS.search(line)
        few_left_over = extra is not None and int(extra[1]) <= HARMLESS_BYTES
        # libpng warns about colour profiles and remarks, and calls broken pixels an error.
        if few_left_over or "libpng warning" in line:
            continue
        if re.search(r"corrupt|premature|invalid|inconsistent|error", line, re.I):
            return True
    return False


def _scratch() -> IO[bytes]:
    """Return a file in memory where the system has such, so that a full disk does no harm."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("decoder-talk"), "w+b")
    return tempfile.TemporaryFile()


def _sort_out(talk: bytes, lines: list[str]) -> None:
    for raw in talk.splitlines(keepends=True):
        line = raw.decode("utf-8", "replace").strip()
        if DECODERS.search(line):
            lines.append(line)
        elif line:
            os.write(2, raw)

"""A second copy of the log: a plain text file beside the store, one text line per log line.

The database is authoritative, and on the disk before anything is announced. The copy is written
afterwards without ``fsync``; with it, a damaged database can be rebuilt without a gap.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from companion_app.whole_file import write_whole

FILE = "games.log"


class SecondCopy:
    """The file of the second copy."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._half_written = False

    def read(self) -> list[str]:
        """Return the lines of the file, intact or not; empty if there is no file."""
        with suppress(OSError):
            return self.path.read_text(encoding="ascii", errors="replace").splitlines()
        return []

    def add(self, text: str) -> None:
        """Append one line; disk errors are ignored, since the database has the line."""
        try:
            with self.path.open("ab", buffering=0) as file:
                data = (b"\n" if self._half_written else b"") + text.encode("ascii") + b"\n"
                self._half_written = file.write(data) != len(data)
        except OSError:
            self._half_written = True

    def rewrite(self, texts: Iterable[str]) -> None:
        """Replace the whole copy atomically; if the disk fails, the old one stays."""
        with suppress(OSError):
            write_whole(self.path, "".join(f"{text}\n" for text in texts))

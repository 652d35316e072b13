"""A second copy of the log: a plain text file beside the store, one line a line.

The database is what counts, and is on the disk before anything is announced. The copy is written
a moment later and not waited for; it is what puts a damaged database together again without a
gap, wherever the damage is.
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
        """Return the lines that are there, whole or not; nothing where there is no file."""
        with suppress(OSError):
            return self.path.read_text(encoding="ascii", errors="replace").splitlines()
        return []

    def add(self, text: str) -> None:
        """Write one more line; a disk that fails is passed over, since the database has it."""
        try:
            with self.path.open("ab", buffering=0) as file:
                data = (b"\n" if self._half_written else b"") + text.encode("ascii") + b"\n"
                self._half_written = file.write(data) != len(data)
        except OSError:
            self._half_written = True

    def rewrite(self, texts: Iterable[str]) -> None:
        """Write the whole copy anew, in one step; the old one stays where the disk fails."""
        with suppress(OSError):
            write_whole(self.path, "".join(f"{text}\n" for text in texts))

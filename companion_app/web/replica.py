"""A read-only replica of the running game in the page's process, built from the log.

Each line of the log is applied once. A match is never changed in place: the next line makes a new
one, so that drawing an older one needs no lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from companion_app.line.forms import pending_from_json, question_read
from companion_app.line.standing import Standing
from companion_app.live.kept import KeptGames
from companion_app.live.match import Match
from companion_app.live.questions import Question
from companion_app.live.referee_state import Pending
from companion_app.live.store import Store
from companion_app.web.place import Place


@dataclass(frozen=True, slots=True)
class Now:
    """An immutable snapshot of the table for the page."""

    standing: Standing
    version: int
    """The number of the newest event."""
    match: Match | None = None
    pending: Pending | None = None
    """The announced foul that still lies on the table."""
    pictures: frozenset[str] = frozenset()
    """The names of the kept pictures of the pending foul."""
    questions: tuple[Question, ...] = ()
    is_watched: bool = True
    """Whether the eye is connected."""

    @property
    def mark(self) -> tuple[int, int, bool]:
        """A version mark that changes whenever the page has to show something new."""
        return self.version, self.standing.mark, self.is_watched


class Replica:
    """Follows the log of the running game."""

    def __init__(self, place: Callable[[], Place], begun: Callable[[Match], None]) -> None:
        self._place, self._begun = place, begun
        self._lock = threading.Lock()
        self._match: Match | None = None

    def now(self, standing: Standing, version: int, is_watched: bool) -> Now:
        """Return the snapshot of the table that belongs to a standing.

        Raises:
            StoreError: the file of games cannot be read.
        """
        if standing.key is None:
            return Now(standing, version, is_watched=is_watched)
        match = self._at(standing.key, standing.seq)
        pending, kept = None, frozenset[str]()
        if standing.pending is not None:
            pending = pending_from_json(standing.pending, match)
            kept = KeptGames(self._place().file).pictures_of(pending.seq)
        asked = tuple(question_read(one, match) for one in standing.questions)
        return Now(standing, version, match, pending, kept, asked, is_watched)

    def _at(self, key: str, seq: int) -> Match:
        """Return a game as it stood after a line of its log."""
        with self._lock:
            known = self._match
            if known is None or known.key != key:
                self._match = self._read(key, seq)
                self._begun(self._match)
            elif known.seq != seq:
                self._match = self._grown(known, seq) or self._read(key, seq)
            assert self._match is not None
            return self._match

    def _grown(self, known: Match, seq: int) -> Match | None:
        if seq < known.seq:
            return None
        return known.followed(KeptGames(self._place().file).lines(known.key, known.seq, seq))

    def _read(self, key: str, seq: int) -> Match:
        place = self._place()
        kept = KeptGames(place.file)
        # A match that is only read uses nothing of its store but the lines.
        lines = kept.lines(key, upto=seq)
        return Match.of_lines(cast(Store, kept), key, lines, place.set_folders)

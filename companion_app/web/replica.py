"""The game that is on as the page knows it: followed line by line in the log, never written.

Each line is taken in once. What was shown stays as it is while somebody draws it: the next line
makes another match, so that nobody waits for a drawing.
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
    """How the table stands, as the page shows it."""

    standing: Standing
    version: int
    """The number of the newest event."""
    match: Match | None = None
    pending: Pending | None = None
    """The announced foul that still lies on the table."""
    pictures: frozenset[str] = frozenset()
    """Those that are kept of the foul, by name."""
    questions: tuple[Question, ...] = ()
    is_watched: bool = True
    """Whether the eye is there."""

    @property
    def mark(self) -> tuple[int, int, bool]:
        """Another one whenever there is something else to show."""
        return self.version, self.standing.mark, self.is_watched


class Replica:
    """Follows the log of the game that is on."""

    def __init__(self, place: Callable[[], Place], begun: Callable[[Match], None]) -> None:
        self._place, self._begun = place, begun
        self._lock = threading.Lock()
        self._match: Match | None = None

    def now(self, standing: Standing, version: int, is_watched: bool) -> Now:
        """Return how the table stands by a standing.

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
        # Of a store a match that is only read needs no more than its lines.
        lines = kept.lines(key, upto=seq)
        return Match.of_lines(cast(Store, kept), key, lines, place.set_folders)

"""Summaries of the kept games: cached beside the log, and computed by the hands where missing.

Listing games never takes the desk's lock, so browsing a thousand games does not delay the referee.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any

from companion_app.aside import Turn
from companion_app.games.kept import Kept, KeptGames
from companion_app.hands.errors import HandsError
from companion_app.hands.pool import Hands
from companion_app.hands.work import REPLAY
from companion_app.live.errors import StoreError
from companion_app.refusal import Refusal
from companion_app.version import version
from companion_app.web.people import person_of
from companion_app.web.place import Place
from companion_app.web.replays import Doc, summed_up
from companion_app.web.speech import Speech
from engine.games import game_named

MOST_LISTED = 200
AT_ONCE = 20
"""Games in one job for a worker; between jobs other work in the queue gets its turn."""
PATIENCE_S = 20.0
AGAIN_S = 20.0
"""Minimum seconds between two replays of a running game, so that listing does not replay it at
every move."""
BEHIND_S = 2.0
"""Maximum age in seconds of a cached list in which a summary is older than its game's log."""
TURNS = ("ended", "reopened", "names")
"""Kinds of log lines after which a game is summed up at once, without waiting ``AGAIN_S``."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The newest kept games, in descending order of time."""

    games: tuple[tuple[str, Kept], ...]
    unreadable: tuple[tuple[str, str], ...]
    """Keys of games that cannot be replayed, each with the reason."""
    pending: int
    """The number of games without a summary, since the workers were busy."""


class Summaries:
    """Summaries of games; a game is replayed once, and again some time after its log has grown."""

    def __init__(
        self,
        place: Callable[[], Place],
        hands: Hands,
        keep: Callable[[Mapping[str, Kept], str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._place, self._hands, self._keep, self._clock = place, hands, keep, clock
        self._kept = KeptGames(place().file)
        self._made_by = version()
        """The program version; summaries of another version are recomputed."""
        self._unreadable: dict[str, tuple[int, frozenset[str], str]] = {}
        self._lock = Turn()
        """Held while one thread rebuilds the list; the others wait for its result. Twenty guests
        may ask after a move: twenty concurrent rebuilds would delay the move's verdict."""
        self._newest: tuple[object, float, Listed] | None = None
        """The cached list, with its version mark and the time at which it expires."""
        self._summed_up_s: dict[str, float] = {}
        """The time of each game's last replay."""

    def listed(self) -> Listed:
        """Return the newest games.

        Raises:
            StoreError: the file of games cannot be read.
        """
        newest = self._still(self._mark())
        if newest is not None:
            return newest
        with self._lock.within(PATIENCE_S) as is_alone:
            mark = self._mark()
            return self._still(mark) or self._read(mark, sums_up=is_alone)

    def _mark(self) -> object:
        return self._kept.mark(), self._boxes()

    def _still(self, mark: object) -> Listed | None:
        """Return the cached list if its mark is the same and it has not expired."""
        newest = self._newest
        if newest is None or newest[0] != mark or self._clock() >= newest[1]:
            return None
        return newest[2]

    def _read(self, mark: object, *, sums_up: bool) -> Listed:
        last = self._kept.last_lines(MOST_LISTED)
        known = self._kept.summaries(self._made_by)
        if sums_up:
            self._sum_up(self._missing(last, known), last, known)
        bad = {key: why for key, (_, _, why) in self._unreadable.items() if key in last}
        games = tuple((key, known[key]) for key in last if key in known and key not in bad)
        listed = Listed(games, tuple(bad.items()), len(last) - len(games) - len(bad))
        if not listed.pending:
            behind = any(one.seq < last[key] for key, one in games)
            self._newest = mark, self._clock() + BEHIND_S if behind else inf, listed
        return listed

    def _missing(self, last: dict[str, int], known: dict[str, Kept]) -> list[str]:
        """Return the keys of games whose summary is missing or due to be recomputed."""
        boxes = self._boxes()
        return [
            key
            for key, seq in last.items()
            if (key not in known or (known[key].seq < seq and not self._waits(key, seq)))
            and self._unreadable.get(key, (0, boxes, ""))[:2] != (seq, boxes)
        ]

    def _waits(self, key: str, seq: int) -> bool:
        """Say whether a game was replayed so recently that its older summary is still shown."""
        again_s = self._summed_up_s.get(key, -inf) + AGAIN_S
        return self._clock() < again_s and self._kept.kind(seq) not in TURNS

    def _sum_up(self, keys: list[str], last: dict[str, int], known: dict[str, Kept]) -> None:
        boxes = self._boxes()
        for begin in range(0, len(keys), AT_ONCE):
            try:
                made = self._hands.do(
                    REPLAY, summed_up, self._place(), keys[begin : begin + AT_ONCE]
                )
            except HandsError:
                # List the games that already have a summary.
                return
            good = {key: one for key, one in made.items() if isinstance(one, Kept)}
            self._summed_up_s.update(dict.fromkeys(good, self._clock()))
            for key, one in made.items():
                if isinstance(one, str):
                    self._unreadable[key] = (last[key], boxes, one)
                else:
                    self._unreadable.pop(key, None)
            known.update(good)
            with suppress(StoreError, Refusal):
                # A summary that cannot be stored is only computed again next time.
                self._keep(good, self._made_by)

    def _boxes(self) -> frozenset[str]:
        """Return the files of the owner's boxes: a new box may make an unreadable game readable."""
        return frozenset(
            file.name
            for folder in self._place().set_folders
            if folder.is_dir()
            for file in folder.iterdir()
        )


def in_words(listed: Listed, language: str) -> list[Doc]:
    """Return listed games in words; those that cannot be read are left out."""
    return [said(key, one.summary, language) for key, one in listed.games]


def said(key: str, summary: Any, language: str) -> Doc:
    """Return a game's summary for the page, in a language."""
    words = Speech(language, summary["names"])
    return {
        "key": key,
        "game": summary["game"],
        "title": game_named(summary["game"]).facts.title,
        "moves": summary["moves"],
        "ended": summary["ended"],
        "winners": summary["winners"],
        "demo": summary.get("demo", False),
        "players": [
            {
                "id": one["id"],
                "name": words.player(one["id"]),
                "word": words.colour(one["id"]) if one["coloured"] else "",
                "person": person_of(one, summary["names"]),
                "machine": one.get("machine"),
                "colour": one["colour"],
                "score": one["score"],
                "winner": one["winner"],
                "fouls": one["fouls"],
            }
            for one in summary["players"]
        ],
        "fouls": summary["fouls"],
        "began_s": summary["began_s"],
        "ended_s": summary["ended_s"],
    }

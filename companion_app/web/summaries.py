"""The kept games in short: read from beside the log, and made by the hands where they are missing.

The desk is not asked and its lock not held: whoever looks through a thousand games does not keep
the referee from looking at the table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from companion_app.hands.errors import HandsError
from companion_app.hands.pool import Hands
from companion_app.hands.work import REPLAY
from companion_app.live.errors import StoreError
from companion_app.live.kept import Kept, KeptGames
from companion_app.refusal import Refusal
from companion_app.version import version
from companion_app.web.place import Place
from companion_app.web.replays import Doc, summed_up
from companion_app.web.speech import Speech
from engine.games import game_named

MOST_LISTED = 200
AT_ONCE = 20
"""Games that a worker sums up before it is asked whether others wait."""
PATIENCE_S = 20.0


@dataclass(frozen=True, slots=True)
class Listed:
    """The newest kept games, the newest first."""

    games: tuple[tuple[str, Kept], ...]
    unreadable: tuple[tuple[str, str], ...]
    """Games that cannot be understood, each with the reason."""
    pending: int
    """Games that are not summed up yet, since other work came first."""


class Summaries:
    """Games in short; each is played through once, and again when something was added."""

    def __init__(
        self, place: Callable[[], Place], hands: Hands,
        keep: Callable[[Mapping[str, Kept], str], None],
    ) -> None:  # fmt: skip
        self._place, self._hands, self._keep = place, hands, keep
        self._kept = KeptGames(place().file)
        self._made_by = version()
        """Another version may count otherwise, so it sums up anew."""
        self._unreadable: dict[str, tuple[int, frozenset[str], str]] = {}
        self._lock = threading.Lock()
        """Held by whoever lists the games anew; the others wait for that list. Twenty guests may
        ask when a move is written: if each listed for himself, its verdict would be late."""
        self._newest: tuple[object, Listed] | None = None
        """What was listed last, with the mark of what it was read from."""
        self._words: dict[str, tuple[Listed, list[Doc]]] = {}
        """The same in words, by language."""

    def listed(self, most: int = MOST_LISTED) -> Listed:
        """Return the newest games.

        Raises:
            StoreError: the file of games cannot be read.
        """
        newest = self._still(self._mark(most))
        if newest is not None:
            return newest
        alone = self._lock.acquire(timeout=PATIENCE_S)
        try:
            mark = self._mark(most)
            return self._still(mark) or self._read(mark, most, sums_up=alone)
        finally:
            if alone:
                self._lock.release()

    def _mark(self, most: int) -> object:
        return most, self._kept.mark(), self._boxes()

    def _still(self, mark: object) -> Listed | None:
        """Return what was listed last, unless something was written since."""
        newest = self._newest
        return newest[1] if newest is not None and newest[0] == mark else None

    def in_words(self, listed: Listed, language: str) -> list[Doc]:
        """Return listed games in words; those that cannot be read are left out."""
        known = self._words.get(language)
        if known is None or known[0] is not listed:
            known = listed, [said(key, one.summary, language) for key, one in listed.games]
            self._words[language] = known
        return known[1]

    def _read(self, mark: object, most: int, *, sums_up: bool) -> Listed:
        last = self._kept.last_lines(most)
        known = self._kept.summaries(self._made_by)
        if sums_up:
            self._sum_up(self._missing(last, known), known)
        bad = {key: why for key, (_, _, why) in self._unreadable.items() if key in last}
        games = tuple((key, known[key]) for key in last if key in known and key not in bad)
        listed = Listed(games, tuple(bad.items()), len(last) - len(games) - len(bad))
        if not listed.pending:
            self._newest = mark, listed
        return listed

    def _missing(self, last: dict[str, int], known: dict[str, Kept]) -> list[str]:
        """Return games that were never summed up, or have gone on since."""
        boxes = self._boxes()
        return [
            key for key, seq in last.items()
            if (key not in known or known[key].seq < seq)
            and self._unreadable.get(key, (0, boxes, ""))[:2] != (seq, boxes)
        ]  # fmt: skip

    def _sum_up(self, keys: list[str], known: dict[str, Kept]) -> None:
        boxes, last = self._boxes(), self._kept.last_lines(MOST_LISTED)
        for begin in range(0, len(keys), AT_ONCE):
            try:
                made = self._hands.do(
                    REPLAY, summed_up, self._place(), keys[begin : begin + AT_ONCE]
                )
            except HandsError:
                # What is known already is told all the same.
                return
            good = {key: one for key, one in made.items() if isinstance(one, Kept)}
            for key, one in made.items():
                if isinstance(one, str):
                    self._unreadable[key] = (last.get(key, 0), boxes, one)
                else:
                    self._unreadable.pop(key, None)
            known.update(good)
            with suppress(StoreError, Refusal):
                # A full disk costs the next visitor the same work, no more.
                self._keep(good, self._made_by)

    def _boxes(self) -> frozenset[str]:
        """Return the names of the owner's boxes: with another one, a game may be read after all."""
        return frozenset(
            file.name for folder in self._place().set_folders if folder.is_dir()
            for file in folder.iterdir()
        )  # fmt: skip


def said(key: str, summary: Any, language: str) -> Doc:
    """Return a game in short, in words."""
    words = Speech(language, summary["names"])
    return {
        "key": key, "game": summary["game"], "title": game_named(summary["game"]).facts.title,
        "moves": summary["moves"], "ended": summary["ended"], "winners": summary["winners"],
        "demo": summary.get("demo", False),
        "players": [
            {
                "id": one["id"], "name": words.player(one["id"]),
                "word": words.colour(one["id"]) if one["coloured"] else "",
                "colour": one["colour"], "score": one["score"], "winner": one["winner"],
                "fouls": one["fouls"],
            }
            for one in summary["players"]
        ],
        "fouls": summary["fouls"], "began_s": summary["began_s"], "ended_s": summary["ended_s"],
    }  # fmt: skip

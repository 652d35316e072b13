"""A process's cache of the hall's tournaments, invalidated by the database's notices.

A change is read once for all readers. The public sees a tournament with the delay that its
director set; a phone that is signed in by a code or a PIN sees it live.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.tournament_store import (
    NOTICE,
    Kept,
    Steps,
    change,
    ids_of,
    kept,
)
from companion_app.hall.tournament.log import shown_at
from companion_app.hall.tournament.model import Tournament
from companion_app.hall.tournament.view import shown

MOST_AT_HAND = 400
"""Cached tournaments; the rounds keeper looks at all that are not over every two seconds."""
MOST_WRITTEN = 80
"""Cached documents; a tournament has one for each language that is asked for."""
HEARTBEAT_S = 10.0
SOONEST_S = 0.05
HELLO = "retry: 1500\n: hello\n\n"
STILL_HERE = "event: beat\ndata: {}\n\n"
"""An event, as browsers do not tell the page of comments."""
Doc = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """A tournament as staff, players or the public see it."""

    id: str
    tournament: Tournament
    now_s: float
    """The viewer's time: for the public, earlier than the hall's clock by the delay."""
    mark: tuple[int, int]
    """A version that changes whenever the tournament looks different."""


class Tournaments:
    """The cache of all tournaments."""

    def __init__(self, store: HallStore) -> None:
        self._store = store
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._late: dict[str, Seen] = {}
        self._written: OrderedDict[tuple[str, tuple[int, int], str, bool], Doc] = OrderedDict()
        self._due: set[str] = set()
        self._lock = threading.RLock()
        self._news = threading.Condition()
        self._heard = 0
        self._closed = False

    def start(self) -> None:
        """Subscribe to the notices of changes."""
        self._store.notices.listen(self.hear)

    def close(self) -> None:
        """End all event streams."""
        with self._news:
            self._closed = True
            self._news.notify_all()

    def hear(self, changed: frozenset[str]) -> None:
        """Mark changed tournaments as outdated; all of them where ``changed`` is empty."""
        mine = {one.removeprefix(NOTICE) for one in changed if one.startswith(NOTICE)}
        if changed and not mine:
            return
        with self._news:
            self._due |= mine or {*self._kept}
            self._heard += 1
            self._news.notify_all()

    # --- looking ---------------------------------------------------------------------------

    def ids(self) -> list[str]:
        """Return all tournaments, the newest first."""
        return ids_of(self._store)

    def now(self, id_: str) -> Kept | None:
        """Return a tournament as it is now; ``None`` where there is none."""
        with self._lock:
            known = self._kept.get(id_)
            if known is not None and id_ not in self._due:
                self._kept.move_to_end(id_)
                return known
            with self._news:
                self._due.discard(id_)
            found = kept(self._store, id_, known)
            if found is not None:
                self._keep(found)
            return found

    def change(self, id_: str, steps: Steps) -> Kept | None:
        """Apply steps to a tournament and return it; ``None`` where there is none.

        Raises:
            TournamentError: a step cannot be done now; nothing was changed.
        """
        done = change(self._store, id_, steps, self.now(id_))
        if done is not None:
            with self._lock:
                self._keep(done)
        return done

    def seen(self, id_: str, live: bool) -> Seen | None:
        """Return a tournament live, or as the public sees it."""
        found, now_s = self.now(id_), self._store.clock()
        if found is None:
            return None
        if live or not found.delay_s:
            return Seen(id_, found.now, now_s, (len(found.events), 0))
        then_s = now_s - found.delay_s
        mark = (_count_until(found, then_s), len(found.events))
        with self._lock:
            late = self._late.get(id_)
            if late is None or late.mark != mark:
                late = Seen(id_, shown_at(found.events, now_s, found.delay_s), then_s, mark)
                self._late[id_] = late
        return Seen(id_, late.tournament, then_s, mark)

    def document(self, seen: Seen, language: str, staff: bool = False) -> Doc:
        """Return everything that a page shows; all but the clocks is cached."""
        key = (seen.id, seen.mark, language, staff)
        with self._lock:
            whole = self._written.pop(key, None)
            if whole is None:
                whole = shown(seen.tournament, seen.now_s, language, staff)
            self._written[key] = whole
            while len(self._written) > MOST_WRITTEN:
                self._written.popitem(last=False)
        clocks = [round_.clock for round_ in seen.tournament.rounds]
        rounds = [
            {**round_, "left_s": None if clock is None else round(clock.left_s(seen.now_s), 1)}
            for round_, clock in zip(whole["rounds"], clocks, strict=True)
        ]
        return {"id": seen.id, "events": seen.tournament.events, **whole, "rounds": rounds}

    def follow(self, id_: str, live: bool, heartbeat_s: float = HEARTBEAT_S) -> Iterator[str]:
        """Yield server-sent events with the number of the last visible event when it changes."""
        yield HELLO
        known: tuple[int, int] | None = None
        while not self._closed:
            heard = self._heard
            seen = self.seen(id_, live)
            if seen is None:
                return
            if seen.mark != known:
                known = seen.mark
                said = json.dumps({"id": id_, "events": seen.tournament.events})
                yield f"id: {seen.tournament.events}\nevent: tournament\ndata: {said}\n\n"
                continue
            wait_s = min(heartbeat_s, self._next_s(id_, live))
            with self._news:
                if heard == self._heard and not self._closed:
                    self._news.wait(wait_s)
                waited = heard == self._heard
            if waited:
                yield STILL_HERE

    def _next_s(self, id_: str, live: bool) -> float:
        """Return the seconds until the viewer sees the next event of a delayed tournament."""
        found = self.now(id_)
        if live or found is None or not found.delay_s:
            return HEARTBEAT_S
        then_s = self._store.clock() - found.delay_s
        coming = (event.at_s - then_s for event in found.events if event.at_s > then_s)
        return max(SOONEST_S, min(coming, default=HEARTBEAT_S))

    def _keep(self, found: Kept) -> None:
        self._kept[found.id] = found
        self._kept.move_to_end(found.id)
        while len(self._kept) > MOST_AT_HAND:
            old, _ = self._kept.popitem(last=False)
            self._late.pop(old, None)


def _count_until(found: Kept, then_s: float) -> int:
    return sum(event.at_s <= then_s for event in found.events)


def in_short(id_: str, tournament: Tournament) -> Mapping[str, Any]:
    """Return a tournament's entry in the list of tournaments."""
    round_ = tournament.round
    return {
        "id": id_,
        "name": tournament.settings.name,
        "game": tournament.settings.game,
        "round": 0 if round_ is None else round_.number,
        "rounds": tournament.settings.rounds,
        "stage": "" if round_ is None else round_.stage,
        "over": tournament.over,
        "players": len(tournament.players),
    }

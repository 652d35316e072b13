"""A process's cache of the hall's tournaments, invalidated by the database's notices.

A change is read once for all readers.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any

from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.tournament_store import NOTICE, Kept, Steps, change, ids_of, kept
from companion_app.hall.tournament.model import Tournament
from companion_app.hall.tournament.view import shown
from companion_app.web.serving.streams import Bell

MOST_AT_HAND = 400
"""Cached tournaments; the rounds keeper looks at all that are not over every two seconds."""
MOST_WRITTEN = 80
"""Cached documents; a tournament has one for each language that is asked for."""
HEARTBEAT_S = 10.0
HELLO = b"retry: 1500\n: hello\n\n"
STILL_HERE = b"event: beat\ndata: {}\n\n"
"""An event, as browsers do not tell the page of comments."""
Doc = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """A tournament at a moment."""

    id: str
    tournament: Tournament
    now_s: float
    """The hall's clock."""


class Tournaments:
    """The cache of all tournaments."""

    def __init__(self, store: HallStore) -> None:
        self._store = store
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._written: OrderedDict[tuple[str, int, str, bool], Doc] = OrderedDict()
        self._due: set[str] = set()
        self._lock = threading.RLock()
        self._due_lock = threading.Lock()
        self._bells: set[Bell] = set()
        self._closed = False

    def start(self) -> None:
        """Subscribe to the notices of changes."""
        self._store.notices.listen(self.hear)

    def close(self) -> None:
        """End all event streams."""
        self._closed = True
        self._ring()

    def hear(self, changed: frozenset[str]) -> None:
        """Mark changed tournaments as outdated; all of them where ``changed`` is empty."""
        mine = {one.removeprefix(NOTICE) for one in changed if one.startswith(NOTICE)}
        if changed and not mine:
            return
        with self._due_lock:
            self._due |= mine or {*self._kept}
        self._ring()

    def _ring(self) -> None:
        for bell in tuple(self._bells):
            bell.ring()

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
            with self._due_lock:
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

    def seen(self, id_: str) -> Seen | None:
        """Return a tournament at this moment; ``None`` where there is none."""
        found = self.now(id_)
        return None if found is None else Seen(id_, found.now, self._store.clock())

    def document(self, seen: Seen, language: str, staff: bool = False) -> Doc:
        """Return everything that a page shows; all but the clocks is cached."""
        key = (seen.id, seen.tournament.events, language, staff)
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

    async def follow(
        self, id_: str, bell: Bell, heartbeat_s: float = HEARTBEAT_S
    ) -> AsyncGenerator[bytes, None]:
        """Yield server-sent events with the number of the last event when it changes."""
        yield HELLO
        known: int | None = None
        self._bells.add(bell)
        try:
            while not self._closed:
                # In a thread: the database may be asked.
                found = await asyncio.to_thread(self.now, id_)
                if found is None:
                    return
                if found.now.events != known:
                    known = found.now.events
                    text = json.dumps({"id": id_, "events": known})
                    yield f"id: {known}\nevent: tournament\ndata: {text}\n\n".encode()
                elif not await bell.wait(heartbeat_s):
                    yield STILL_HERE
        finally:
            self._bells.discard(bell)

    def _keep(self, found: Kept) -> None:
        self._kept[found.id] = found
        self._kept.move_to_end(found.id)
        while len(self._kept) > MOST_AT_HAND:
            self._kept.popitem(last=False)


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

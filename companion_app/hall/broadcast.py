"""The public's view of tables that are shown with a delay.

The view is built from the lines that were stored by now minus the delay, so every process shows
the same, and a restarted process shows nothing too early.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from companion_app.hall.keeper import Games
from companion_app.hall.standing import BROKEN, GameSoFar
from companion_app.hall.store.hall_store import HallStore, Standing
from companion_app.hall.store.tournament_store import LONGEST_DELAY_S, NOTICE, late_ids
from companion_app.hall.tournament.events import Event
from companion_app.hall.tournaments import Tournaments

FACT = "delay_s"
MOST_AT_HAND = 100


@dataclass(frozen=True, slots=True)
class Seen:
    """How much of a table's log the public sees."""

    number: int
    """Number of the last line that the public sees."""
    next_s: float | None
    """When the first hidden line was stored, as Unix time; ``None`` where no line is hidden."""


class Broadcast:
    """The tables that are shown late: their delays and their delayed standings."""

    def __init__(self, store: HallStore, tournaments: Tournaments) -> None:
        self._store, self._tournaments = store, tournaments
        # Separate caches: page threads draw games while the overview's thread extends its own.
        self._games, self._at_page = Games(store, MOST_AT_HAND), Games(store, MOST_AT_HAND)
        self._seen: dict[str, Seen] = {}
        self.delays: Mapping[str, float] = {}
        """Delay in seconds by table id; tables that are shown live are absent."""

    def read(self) -> None:
        """Reload the delay of every table, and how far the public sees it."""
        whole_s = hall_delay_s(self._store)
        ids = [one.id for one in self._store.members()] if whole_s else []
        delays = dict.fromkeys(ids, whole_s)
        for id_ in late_ids(self._store):
            for box, delay_s in self._of_tournament(id_).items():
                delays[box] = max(delay_s, delays.get(box, 0.0))
        self.delays = delays
        self._seen = {id_: self._looked(id_, delay_s) for id_, delay_s in delays.items()}

    def hears(self, changed: set[str]) -> bool:
        """Say whether a notice of changes may concern the delays."""
        return any(one.startswith(NOTICE) for one in changed)

    def due(self) -> set[str]:
        """Return the late tables that have a new line to show by now."""
        now_s = self._store.clock()
        return {
            id_
            for id_, seen in self._seen.items()
            if seen.next_s is not None and seen.next_s <= now_s - self.delays.get(id_, 0.0)
        }

    def upto(self, table: str) -> int | None:
        """Return the last line of a table that the public sees; ``None`` where it sees all."""
        delay_s = self.delays.get(table)
        return None if delay_s is None else self._looked(table, delay_s).number

    def game(self, table: str, key: str, upto: int) -> GameSoFar | None:
        """Return a game as far as the public sees it; ``None`` where it sees nothing of it."""
        return self._at_page.game(table, key, upto)

    def standing(self, table: str) -> Standing | None:
        """Return the delayed standing of a table; ``None`` where the public sees no line yet."""
        self._seen[table] = seen = self._looked(table, self.delays[table])
        upto = seen.number
        key = self._store.newest_game(table, upto)
        if key is None:
            return None
        game = self._games.game(table, key, upto)
        try:
            document = {"broken": True} if game is None else game.document()
        except BROKEN:
            document = {"broken": True}
        return Standing(table, upto, upto, key, document)

    def _looked(self, table: str, delay_s: float) -> Seen:
        return Seen(*self._store.stored_by(table, self._store.clock() - delay_s))

    def _of_tournament(self, id_: str) -> dict[str, float]:
        """Return the delay by box of a late tournament; empty once the public has seen its end."""
        found, public = self._tournaments.now(id_), self._tournaments.seen(id_, False)
        if found is None or public is None or public.tournament.over:
            return {}
        # From the log: what a box sent before it was swapped is not for the public yet either.
        boxes = {box for event in found.events for box in _boxes_in(event)}
        return dict.fromkeys(boxes - {""}, found.delay_s)


def _boxes_in(event: Event) -> Iterator[str]:
    """Yield the boxes that an event assigns to tables."""
    if event.do == "pair-round":
        yield from (str(table.get("box", "")) for table in event.data.get("tables", ()))
    elif event.do == "swap-box":
        yield str(event.data.get("box", ""))


def hall_delay_s(store: HallStore) -> float:
    """Return the delay of the public's view of every table, in seconds."""
    return float(json.loads(store.fact(FACT) or "0"))


def keep_hall_delay(store: HallStore, delay_s: float) -> None:
    """Store the delay of the public's view of every table, limited to 0 to 3600 seconds."""
    store.keep_fact(FACT, json.dumps(min(max(0.0, delay_s), LONGEST_DELAY_S)))
    with store.writing() as change:
        change.tables.add(NOTICE)

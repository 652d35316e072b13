"""Tournaments and their logs: an event is added once, by somebody who has seen all before it.

Nothing is locked while somebody thinks: who adds an event says its number, and where another was
quicker, the change is made again on what is there by then.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, update

from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.schema import tournament_events, tournaments
from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.events import Event
from companion_app.hall.tournament.log import happened, replay, without_erased
from companion_app.hall.tournament.model import Tournament

NOTICE = "tournament:"
"""How notices of tournaments begin; a table's is its id."""
MOST_TRIES = 50
"""How often others may be quicker."""
LONGEST_DELAY_S = 3600.0


@dataclass(frozen=True, slots=True)
class Step:
    """Something to be done in a tournament."""

    do: str
    data: Mapping[str, Any]
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A tournament with its log."""

    id: str
    delay_s: float
    """How much later the public sees it."""
    events: tuple[Event, ...]
    now: Tournament


Steps = Callable[[Tournament], Sequence[Step]]
"""What is to be done, seen the tournament as it is; asked again where another was quicker."""


def new_tournament(store: HallStore, by: str, settings: Mapping[str, Any]) -> str:
    """Set a tournament up and return its id.

    Raises:
        TournamentError: it cannot be played like this; nothing was kept.
    """
    id_ = secrets.token_hex(4)
    step = Step("set-up", {"settings": dict(settings)}, by)
    first, _ = _happened(Tournament(), step, store.clock())
    with store.writing() as change:
        row = {"id": id_, "made_s": store.clock(), "events": 1}
        change.line.execute(tournaments.insert().values(row))
        _insert(change.line, id_, [first])
        change.tables.add(NOTICE + id_)
    return id_


def ids_of(store: HallStore) -> list[str]:
    """Return all tournaments, the newest first."""
    asked = select(tournaments.c.id).order_by(tournaments.c.made_s.desc(), tournaments.c.id)
    with store.reading() as line:
        return [str(id_) for id_ in line.execute(asked).scalars()]


def late_ids(store: HallStore) -> list[str]:
    """Return the tournaments that the public sees later."""
    asked = select(tournaments.c.id).where(tournaments.c.delay_s > 0)
    with store.reading() as line:
        return [str(id_) for id_ in line.execute(asked).scalars()]


def kept(store: HallStore, id_: str, known: Kept | None = None) -> Kept | None:
    """Return a tournament with its log; ``None`` where there is none.

    Args:
        store: the hall's store.
        id_: which one.
        known: as it was a while ago; then only what came since is read.
    """
    with store.reading() as line:
        head = line.execute(select(tournaments).where(tournaments.c.id == id_)).first()
        if head is None:
            return None
        old = known.events if known is not None else ()
        fresh = _read(line, id_, len(old))
        if old and any(event.do == "erase-player" for event in fresh):
            # The log was written anew, without a name.
            old, fresh = (), _read(line, id_, 0)
    before = known.now if known is not None and old else Tournament()
    now = replay(fresh, before)
    return Kept(id_, float(head.delay_s), (*old, *fresh), now)


def change(store: HallStore, id_: str, steps: Steps, known: Kept | None = None) -> Kept | None:
    """Do something in a tournament, all of it or nothing; ``None`` where there is no such one.

    Raises:
        TournamentError: it cannot be done now; nothing was changed.
    """
    for _ in range(MOST_TRIES):
        known = kept(store, id_, known)
        if known is None:
            return None
        now, fresh = known.now, list[Event]()
        for step in steps(now):
            # Clocks of several machines differ; in a log, time never goes back.
            at_s = max([store.clock(), *(one.at_s for one in (*known.events[-1:], *fresh[-1:]))])
            event, now = _happened(now, step, at_s)
            fresh.append(event)
        if not fresh:
            return known
        if _added(store, known, fresh):
            return kept(store, id_, known) or known
    raise TournamentError("out-of-order")


def keep_delay(store: HallStore, id_: str, delay_s: float) -> bool:
    """Keep how much later the public sees it; say whether there is such a tournament."""
    delay_s = min(max(0.0, delay_s), LONGEST_DELAY_S)
    with store.writing() as change_:
        done = change_.line.execute(
            update(tournaments).where(tournaments.c.id == id_).values(delay_s=delay_s)
        )
        change_.tables.add(NOTICE + id_)
    return bool(done.rowcount)


def _happened(now: Tournament, step: Step, at_s: float) -> tuple[Event, Tournament]:
    try:
        return happened(now, step.do, step.data, step.by, at_s, step.why)
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        # What a phone sends may be of any kind.
        raise TournamentError("bad-event") from error


def _added(store: HallStore, known: Kept, fresh: Sequence[Event]) -> bool:
    """Add events to a log; say whether nobody was quicker."""
    before = len(known.events)
    with store.writing() as change_:
        free = change_.line.execute(
            update(tournaments)
            .where(tournaments.c.id == known.id, tournaments.c.events == before)
            .values(events=before + len(fresh))
        ).rowcount
        if not free:
            return False
        _insert(change_.line, known.id, fresh)
        if any(event.do == "erase-player" for event in fresh):
            _without_names(change_.line, known.id)
        change_.tables.add(NOTICE + known.id)
    return True


def _without_names(line: Connection, id_: str) -> None:
    """Write a log anew without the names of those who asked to be forgotten."""
    old = _read(line, id_, 0)
    for before, after in zip(old, without_erased(old), strict=True):
        if before != after:
            line.execute(
                update(tournament_events)
                .where(tournament_events.c.tournament == id_,
                       tournament_events.c.number == after.number)
                .values(event=json.dumps(after.to_json()))
            )  # fmt: skip


def _insert(line: Connection, id_: str, fresh: Sequence[Event]) -> None:
    rows = [
        {"tournament": id_, "number": event.number, "event": json.dumps(event.to_json())}
        for event in fresh
    ]
    line.execute(tournament_events.insert(), rows)


def _read(line: Connection, id_: str, after: int) -> tuple[Event, ...]:
    asked = (
        select(tournament_events.c.event)
        .where(tournament_events.c.tournament == id_, tournament_events.c.number > after)
        .order_by(tournament_events.c.number)
    )
    return tuple(Event.from_json(json.loads(text)) for text in line.execute(asked).scalars())

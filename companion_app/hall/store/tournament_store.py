"""Tournaments and their logs, changed with optimistic locking.

No lock is held while a change is computed. An event has a number; where another process has taken
it first, the change is computed again on the newer state.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, update

from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.schema import decisions, tournament_events, tournaments
from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.events import Event
from companion_app.hall.tournament.log import happened, replay, without_erased
from companion_app.hall.tournament.model import Tournament
from companion_app.help_orders import HELP_OFF

NOTICE = "tournament:"
"""Prefix of notices about tournaments; a notice about a table is its id."""
MOST_TRIES = 50
"""Attempts of a change before it is given up because other processes were always faster."""


@dataclass(frozen=True, slots=True)
class Step:
    """An action in a tournament, before it becomes an event."""

    do: str
    data: Mapping[str, Any]
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A tournament with its log."""

    id: str
    events: tuple[Event, ...]
    now: Tournament


Steps = Callable[[Tournament], Sequence[Step]]
"""Returns the steps for the current tournament; called again where another process was faster."""


def new_tournament(store: HallStore, by: str, settings: Mapping[str, Any]) -> str:
    """Create a tournament and return its id.

    Raises:
        TournamentError: it cannot be played with these settings; nothing was stored.
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


def kept(store: HallStore, id_: str, known: Kept | None = None) -> Kept | None:
    """Return a tournament with its log; ``None`` where there is none.

    Args:
        store: the hall's store.
        id_: the tournament's id.
        known: an earlier state; only later events are then read.
    """
    with store.reading() as line:
        head = line.execute(select(tournaments).where(tournaments.c.id == id_)).first()
        if head is None:
            return None
        old = known.events if known is not None else ()
        fresh = _read(line, id_, len(old))
        if old and any(event.do == "erase-player" for event in fresh):
            # Erasing a player rewrites earlier events, so all are read again.
            old, fresh = (), _read(line, id_, 0)
    before = known.now if known is not None and old else Tournament()
    now = replay(fresh, before)
    return Kept(id_, (*old, *fresh), now)


def change(store: HallStore, id_: str, steps: Steps, known: Kept | None = None) -> Kept | None:
    """Apply steps to a tournament, all or none; return it, ``None`` where there is none.

    Raises:
        TournamentError: a step cannot be done now; nothing was changed.
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


def _happened(now: Tournament, step: Step, at_s: float) -> tuple[Event, Tournament]:
    try:
        return happened(now, step.do, step.data, step.by, at_s, step.why)
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        # Data from a phone may be of any type.
        raise TournamentError("bad-event") from error


def _added(store: HallStore, known: Kept, fresh: Sequence[Event]) -> bool:
    """Append events to a log; return ``False`` where another process was faster."""
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
    """Remove the names of erased players from a log, and all from the orders to its tables."""
    old = _read(line, id_, 0)
    for before, after in zip(old, without_erased(old), strict=True):
        if before != after:
            line.execute(
                update(tournament_events)
                .where(
                    tournament_events.c.tournament == id_,
                    tournament_events.c.number == after.number,
                )
                .values(event=json.dumps(after.to_json()))
            )
    orders = select(decisions).where(decisions.c.who == id_, decisions.c.what == HELP_OFF)
    for order in line.execute(orders).all():
        body = json.loads(order.body)
        body["order"] = {**body.get("order", {}), "players": []}
        line.execute(
            update(decisions).where(decisions.c.id == order.id).values(body=json.dumps(body))
        )


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

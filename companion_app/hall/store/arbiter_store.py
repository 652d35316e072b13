"""Alerts for arbiters and their decisions, stored permanently with who and when."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, select, update

from companion_app.hall.store.hall_store import LINE, HallStore
from companion_app.hall.store.schema import alerts, decisions, tables

SENT_AGAIN_S = 600.0
"""Seconds for which a ruling without an answer is sent again."""


@dataclass(frozen=True, slots=True)
class Alert:
    """Something at a table that wants an arbiter."""

    id: int
    table: str
    kind: str
    """``foul``, ``question``, ``camera``, ``hand`` or ``away``."""
    about: str
    """Identifies the occasion, such as the line of a foul, so that it raises only one alert."""
    number: int
    """Number of the log line that caused it; 0 for none."""
    opened_s: float
    claimed_by: str
    closed_s: float | None


@dataclass(frozen=True, slots=True)
class Cause:
    """A reason to call an arbiter."""

    table: str
    kind: str
    about: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """A ruling for a table, with the table's answer."""

    id: int
    table: str
    ruling: int
    at_s: float
    who: str
    what: str
    body: Mapping[str, Any]
    done: bool
    answer: str


# --- alerts --------------------------------------------------------------------------------------


def open_alerts(store: HallStore) -> list[Alert]:
    """Return the open alerts, the oldest first."""
    asked = select(alerts).where(alerts.c.closed_s.is_(None)).order_by(alerts.c.opened_s)
    with store.reading() as line:
        return [Alert(**_renamed(row._asdict())) for row in line.execute(asked)]


def keep_alerts(store: HallStore, seen: Sequence[Alert], causes: set[Cause]) -> None:
    """Open an alert for each cause that has none, and close those without a cause.

    Args:
        store: the hall's store.
        seen: the open alerts that the causes were found with; no others are closed.
        causes: why arbiters are wanted.
    """
    known = {Cause(one.table, one.kind, one.about, one.number): one for one in seen}
    fresh = sorted(causes - known.keys(), key=lambda one: (one.table, one.kind, one.about))
    gone = [alert for cause, alert in known.items() if cause not in causes]
    if not fresh and not gone:
        return
    now_s = store.clock()
    rows = [
        {
            "table_id": one.table,
            "kind": one.kind,
            "about": one.about,
            "number": one.number,
            "opened_s": now_s,
        }
        for one in fresh
    ]
    with store.writing() as change:
        store.insert_new(change.line, alerts, rows)
        for alert in gone:
            # ``about`` is made unique, so that the same cause can raise a new alert later.
            change.line.execute(
                update(alerts)
                .where(alerts.c.id == alert.id)
                .values(closed_s=now_s, about=f"{alert.about}#{alert.id}")
            )
        change.tables.update([one.table for one in fresh], [one.table for one in gone])


def claim(store: HallStore, id_: int, who: str) -> bool:
    """Assign an open alert to the first arbiter who claims it; say whether it was free."""
    with store.writing() as change:
        done = change.line.execute(
            update(alerts)
            .where(alerts.c.id == id_, alerts.c.claimed_by == "", alerts.c.closed_s.is_(None))
            .values(claimed_by=who)
            .returning(alerts.c.table_id)
        ).scalar()
        if done is not None:
            change.tables.add(str(done))
    return done is not None


# --- decisions -----------------------------------------------------------------------------------


def decide(
    store: HallStore, table: str, who: str, what: str, body: Mapping[str, Any]
) -> Decision | None:
    """Store a decision with its table's next ruling number; ``None`` where it is no member."""
    with store.writing() as change:
        ruling = change.line.execute(
            update(tables)
            .where(tables.c.id == table, tables.c.revoked_s.is_(None))
            .values(ruled=tables.c.ruled + 1)
            .returning(tables.c.ruled)
        ).scalar()
        if ruling is None:
            return None
        row = change.line.execute(
            decisions.insert()
            .values(
                table_id=table,
                ruling=ruling,
                at_s=store.clock(),
                who=who,
                what=what,
                body=json.dumps(dict(body)),
            )
            .returning(*decisions.c)
        ).one()
        change.tables.update((table, LINE + table))
    return _decision(row._asdict())


def keep_answer(store: HallStore, table: str, ruling: int, ok: object, text: str) -> None:
    """Store a table's answer to a ruling; only the first answer counts."""
    word = "done" if ok is True else "refused" if ok is False else ""
    answer = f"{word}: {text}" if text and word else word or "unknown"
    with store.writing() as change:
        change.line.execute(
            update(decisions)
            .where(
                decisions.c.table_id == table,
                decisions.c.ruling == ruling,
                decisions.c.done.is_(False),
            )
            .values(done=True, answer=answer)
        )
        change.tables.add(table)


def unanswered(store: HallStore, among: Collection[str]) -> list[Decision]:
    """Return what these tables have not answered of ``SENT_AGAIN_S``, the oldest ruling first."""
    asked = (
        select(decisions)
        .where(
            decisions.c.table_id.in_(sorted(among)),
            decisions.c.done.is_(False),
            decisions.c.at_s > store.clock() - SENT_AGAIN_S,
        )
        .order_by(decisions.c.id)
    )
    return _read(store, asked)


def decisions_of(store: HallStore, table: str | None = None, most: int = 200) -> list[Decision]:
    """Return the last decisions, of one table or all, the newest first."""
    asked = select(decisions).order_by(decisions.c.id.desc()).limit(most)
    if table is not None:
        asked = asked.where(decisions.c.table_id == table)
    return _read(store, asked)


def last_decisions(store: HallStore, whats: Collection[str]) -> dict[str, Decision]:
    """Return by table the last decision of these kinds; revoked tables are left out."""
    newest = (
        select(func.max(decisions.c.id))
        .join(tables, tables.c.id == decisions.c.table_id)
        .where(decisions.c.what.in_(list(whats)), tables.c.revoked_s.is_(None))
        .group_by(decisions.c.table_id)
    )
    found = _read(store, select(decisions).where(decisions.c.id.in_(newest)))
    return {one.table: one for one in found}


def _read(store: HallStore, asked: Select[Any]) -> list[Decision]:
    with store.reading() as line:
        return [_decision(row._asdict()) for row in line.execute(asked)]


def _decision(row: Mapping[str, Any]) -> Decision:
    values = _renamed(row)
    return Decision(**{**values, "body": json.loads(values["body"])})


def _renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {("table" if name == "table_id" else name): value for name, value in row.items()}

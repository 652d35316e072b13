"""Leagues: which evenings are joined into one table, and how many of them count."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass

from sqlalchemy import Row, select, update

from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.schema import leagues


@dataclass(frozen=True, slots=True)
class League:
    """Evenings that belong together."""

    id: str
    name: str
    counting: int | None
    """How many of a person's best evenings count; ``None`` for all."""
    evenings: tuple[str, ...]
    """Tournaments, in the order they were played."""


def keep_league(
    store: HallStore, name: str, counting: int | None, evenings: tuple[str, ...], id_: str = ""
) -> str | None:
    """Create a league, or update league ``id_``; return its id, ``None`` where there is none."""
    values = {"name": name, "counting": counting, "evenings": json.dumps(evenings)}
    with store.writing() as change:
        if id_:
            done = change.line.execute(
                update(leagues).where(leagues.c.id == id_).values(**values)
            ).rowcount
            return id_ if done else None
        made = secrets.token_hex(4)
        change.line.execute(leagues.insert().values(id=made, made_s=store.clock(), **values))
        return made


def league(store: HallStore, id_: str) -> League | None:
    """Return a league."""
    with store.reading() as line:
        row = line.execute(select(leagues).where(leagues.c.id == id_)).first()
    return None if row is None else _league(row)


def all_leagues(store: HallStore) -> list[League]:
    """Return all leagues, the newest first."""
    asked = select(leagues).order_by(leagues.c.made_s.desc(), leagues.c.id)
    with store.reading() as line:
        return [_league(row) for row in line.execute(asked)]


def _league(row: Row[tuple[object, ...]]) -> League:
    evenings = tuple(str(one) for one in json.loads(row.evenings))
    return League(str(row.id), str(row.name), row.counting, evenings)

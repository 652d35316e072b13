"""Stored photos and what was read in them, on SQLite and PostgreSQL alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, update

from companion_app.hall.errors import HallError
from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.schema import photos

MOST_WAITING, MOST_OF_ONE = 400, 20
"""Unread photos at most, in total and of one sender; further photos are refused."""
MOST_TRIES = 2
KEPT_S = 3600.0
"""Seconds for which a photo and what was read in it are kept."""


class TooManyPhotosError(HallError):
    """There is no room for one more photo; some must be read first."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo of a table."""

    id: int
    whose: str
    game: str
    box: str
    language: str
    jpeg: bytes


def ask(store: HallStore, whose: str, game: str, box: str, language: str, jpeg: bytes) -> int:
    """Store a photo to be read; return its number.

    Raises:
        TooManyPhotosError: too many wait already, in total or of this sender.
    """
    with store.writing() as change:
        old = photos.delete().where(photos.c.asked_s < store.clock() - KEPT_S)
        change.line.execute(old)
        open_ = select(func.count()).select_from(photos).where(photos.c.answered_s.is_(None))
        in_all = change.line.execute(open_).scalar_one()
        own = change.line.execute(open_.where(photos.c.whose == whose)).scalar_one()
        if in_all >= MOST_WAITING or own >= MOST_OF_ONE:
            raise TooManyPhotosError("too many photos wait to be read")
        row = {
            "whose": whose,
            "game": game,
            "box": box,
            "language": language,
            "jpeg": jpeg,
            "asked_s": store.clock(),
            "rank": own,
        }
        made = change.line.execute(photos.insert().values(**row).returning(photos.c.id))
        return int(made.scalar_one())


def withdraw(store: HallStore, number: int) -> None:
    """Delete a photo that nobody will read."""
    with store.writing() as change:
        change.line.execute(photos.delete().where(photos.c.id == number))


def begin(store: HallStore, number: int) -> Photo | None:
    """Begin an attempt to read a photo; ``None`` where it was read or no attempt is left."""
    with store.writing() as change:
        row = change.line.execute(
            update(photos)
            .where(
                photos.c.id == number, photos.c.answered_s.is_(None), photos.c.tries < MOST_TRIES
            )
            .values(tries=photos.c.tries + 1)
            .returning(
                photos.c.id,
                photos.c.whose,
                photos.c.game,
                photos.c.box,
                photos.c.language,
                photos.c.jpeg,
            )
        ).first()
    return None if row is None else Photo(*row)


def answer(store: HallStore, number: int, read: Mapping[str, Any]) -> bool:
    """Store what was read in a photo, unless it has an answer; say whether it was stored."""
    with store.writing() as change:
        done = change.line.execute(
            update(photos)
            .where(photos.c.id == number, photos.c.answered_s.is_(None))
            .values(answer=json.dumps(dict(read)), answered_s=store.clock(), jpeg=b"")
        )
    return bool(done.rowcount)


def answer_of(store: HallStore, number: int) -> Mapping[str, Any] | None:
    """Return what was read in a photo, ``{}`` while it waits, ``None`` where there is none."""
    with store.reading() as line:
        row = line.execute(select(photos.c.answer).where(photos.c.id == number)).first()
    if row is None:
        return None
    read: Mapping[str, Any] = json.loads(row.answer) if row.answer else {}
    return read


def rank_of(store: HallStore, number: int) -> int:
    """Return how many photos of the same sender waited when this one came."""
    with store.reading() as line:
        return int(line.execute(select(photos.c.rank).where(photos.c.id == number)).scalar() or 0)


def next_waiting(store: HallStore) -> int | None:
    """Return the photo to be read next: each sender's first before anybody's second.

    One without attempts left is among them: whoever takes it up answers that it was not read.
    """
    asked = (
        select(photos.c.id)
        .where(photos.c.answered_s.is_(None))
        .order_by(photos.c.rank, photos.c.id)
        .limit(1)
    )
    with store.reading() as line:
        found = line.execute(asked).scalar()
    return None if found is None else int(found)

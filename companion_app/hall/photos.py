"""Photos of tables without a box: they wait in the hall's database, and any number of readers read.

A reader takes a photo for as long as reading may last (a lease). One that it did not answer by
then, since it was killed, is taken by another reader; the first answer counts.
"""

from __future__ import annotations

import json
import logging
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import func, or_, select, update

from companion_app.answers import ANSWERED, print_json, print_line
from companion_app.hall.errors import DatabaseError, HallError
from companion_app.hall.store.database import address_of, open_engine
from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.schema import photos
from companion_app.hands.errors import HandsError
from companion_app.hands.pool import Hands
from companion_app.hands.work import PHOTO
from companion_app.home import home_folder, set_folders
from companion_app.web.lessons.photo_reading import read_photo
from companion_app.web.place import Place
from companion_app.web.scoring import scored_photo
from companion_app.web.serving.errors import WebError
from engine.errors import EngineError
from vision import VisionError

log = logging.getLogger(__name__)
MOST_WAITING, MOST_OF_ONE = 400, 20
"""Unread photos at most, in total and of one sender; further photos are refused."""
MOST_TRIES = 2
KEPT_S = 3600.0
"""Seconds for which a photo and what was read in it are kept."""
LEASE_S = PHOTO.seconds + 15.0
"""Seconds for which a photo is one reader's: the time limit of reading, and a start."""
LOOK_S = 0.5
"""Seconds between two looks of a reader for the next photo."""


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
    tries: int
    """Which attempt to read it this is."""


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


def take(store: HallStore) -> Photo | None:
    """Take the photo to be read next: each sender's first before anybody's second.

    One without attempts left is answered instead: its readers were killed.
    """
    free = (
        photos.c.answered_s.is_(None),
        or_(photos.c.lease_s.is_(None), photos.c.lease_s <= store.clock()),
    )
    # SQLite takes no locks of rows; there, all that write wait for one another.
    following = (
        select(photos.c.id)
        .where(*free)
        .order_by(photos.c.rank, photos.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    with store.writing() as change:
        change.line.execute(
            update(photos)
            .where(*free, photos.c.tries >= MOST_TRIES)
            .values(_answered(store, {"error": "not-read"}))
        )
        row = change.line.execute(
            update(photos)
            .where(photos.c.id == following)
            .values(tries=photos.c.tries + 1, lease_s=store.clock() + LEASE_S)
            .returning(
                photos.c.id,
                photos.c.whose,
                photos.c.game,
                photos.c.box,
                photos.c.language,
                photos.c.jpeg,
                photos.c.tries,
            )
        ).first()
    return None if row is None else Photo(*row)


def give_back(store: HallStore, photo: Photo, tried: bool) -> None:
    """Let another reader take a photo at once; say whether this attempt counts."""
    with store.writing() as change:
        change.line.execute(
            update(photos)
            .where(photos.c.id == photo.id, photos.c.tries == photo.tries)
            .values(lease_s=None, tries=photo.tries - (not tried))
        )


def answer(store: HallStore, number: int, read: Mapping[str, Any]) -> bool:
    """Store what was read in a photo, unless it has an answer; say whether it was stored."""
    with store.writing() as change:
        done = change.line.execute(
            update(photos)
            .where(photos.c.id == number, photos.c.answered_s.is_(None))
            .values(_answered(store, read))
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


def _answered(store: HallStore, read: Mapping[str, Any]) -> dict[str, Any]:
    return {"answer": json.dumps(dict(read)), "answered_s": store.clock(), "jpeg": b""}


# --- reading -------------------------------------------------------------------------------------


class Reader:
    """Has one photo after the other read by a worker process with limited memory and time."""

    def __init__(self, store: HallStore, hands: Hands | None = None) -> None:
        self._store, self._hands = store, hands or Hands()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.run, name="photos", daemon=True)

    def start(self) -> None:
        """Read in a thread: a hall on SQLite does so by itself."""
        self._thread.start()

    def close(self) -> None:
        """Stop; the photo that is being read waits for the next reader."""
        self._stop.set()
        self._hands.close()
        if self._thread.ident is not None:
            self._thread.join(5)

    def run(self) -> None:
        """Read until ``close`` is called."""
        while not self._stop.wait(LOOK_S):
            try:
                while not self._stop.is_set() and self.read_next():
                    pass
            except DatabaseError as error:
                log.warning("%s", error)

    def read_next(self) -> bool:
        """Take the next photo and try to read it; say whether there was one."""
        photo = take(self._store)
        if photo is None:
            return False
        try:
            read = self._read(photo)
        except (VisionError, EngineError, WebError):
            read = {"error": "no-photo"}
        except HandsError as error:
            log.warning("photo %d was not read: %s", photo.id, error)
            if self._stop.is_set() or photo.tries < MOST_TRIES:
                give_back(self._store, photo, tried=not self._stop.is_set())
                return True
            read = {"error": "not-read"}
        except KeyboardInterrupt:
            give_back(self._store, photo, tried=False)
            raise
        answer(self._store, photo.id, read)
        return True

    def _read(self, photo: Photo) -> Mapping[str, Any]:
        place, box = Place(Path(), set_folders()), photo.box or None
        return self._hands.do(
            PHOTO, scored_photo, place, photo.language, read_photo, photo.jpeg, photo.game, box
        )


def read_photos(database: str, announce: bool = False) -> int:
    """Read photos for a hall until somebody stops it; return the exit status."""
    address = address_of(database, home_folder())
    if not address.startswith("postgresql"):
        raise HallError("readers work for a hall on PostgreSQL: postgresql://USER@HOST/NAME")
    store = HallStore(open_engine(address))
    reader = Reader(store)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if announce:
        print_json({"queue": "photos"})
    else:
        print_line("Reading photos for the hall. Ctrl-C stops it; others go on.")
    with suppress(KeyboardInterrupt):
        reader.run()
    reader.close()
    store.close()
    return ANSWERED

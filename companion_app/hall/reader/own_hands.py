"""Reads photos by the hall's own hands, where the store is embedded and there are no workers."""

from __future__ import annotations

import logging
import threading

from companion_app.hall.errors import DatabaseError
from companion_app.hall.reader.photos import next_waiting
from companion_app.hall.reader.reading import TryAgainError, read_one
from companion_app.hall.store.hall_store import HallStore
from companion_app.hands.pool import Hands

log = logging.getLogger(__name__)
LOOK_S = 5.0


class OwnHands:
    """A thread that has one photo after the other read by a worker process of the hands."""

    def __init__(self, store: HallStore) -> None:
        self._store = store
        self._hands = Hands()
        self._news = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="photos", daemon=True)
        self._thread.start()

    def put(self, number: int, whose: str) -> None:
        """Wake the thread for a new photo."""
        del number, whose
        self._news.set()

    def close(self) -> None:
        """Stop; photos that still wait are read after the next start."""
        self._stopped = True
        self._news.set()
        self._hands.close()
        self._thread.join(5)

    def _run(self) -> None:
        while not self._stopped:
            self._news.wait(LOOK_S)
            self._news.clear()
            try:
                self._read_all()
            except DatabaseError as error:
                log.warning("%s", error)

    def _read_all(self) -> None:
        while (number := next_waiting(self._store)) is not None:
            if self._stopped:
                return
            self._read(number)

    def _read(self, number: int) -> None:
        try:
            read_one(self._store, self._hands, number)
        except TryAgainError as error:
            log.warning("photo %d is tried once more: %s", number, error)

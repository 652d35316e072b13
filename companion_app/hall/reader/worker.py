"""The queue of photos in PostgreSQL, and the worker ``snake-eye reader``.

The queue is procrastinate: it uses psycopg, which the hall needs anyway, can be called from plain
threads, and detects dead workers by their heartbeat. PgQueuer does the same, but needs an event
loop and pydantic. The photo of a dead worker is given to another one.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

from procrastinate import App, PsycopgConnector, RetryStrategy, SyncPsycopgConnector
from procrastinate.exceptions import ProcrastinateException
from procrastinate.schema import SchemaManager
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from companion_app.answers import ANSWERED, print_json, print_line
from companion_app.hall.errors import DatabaseError, HallError
from companion_app.hall.reader.photos import rank_of
from companion_app.hall.reader.reading import TryAgainError, read_one
from companion_app.hall.store.database import address_of, open_engine
from companion_app.hall.store.hall_store import HallStore
from companion_app.hands.pool import Hands
from companion_app.home import home_folder

QUEUE, TASK = "photos", "snake-eye.read-photo"
VANISHED_S = 30.0
"""Seconds without a heartbeat after which a worker counts as dead, and its photo is requeued."""


def make_queue(engine: Engine) -> None:
    """Create the queue's own tables, where they are missing."""
    with engine.begin() as line:
        line.execute(text("SELECT pg_advisory_xact_lock(5284191)"))
        if line.execute(text("SELECT to_regclass('procrastinate_jobs')")).scalar() is None:
            # Bypasses SQLAlchemy, which would take percent signs for placeholders.
            line.connection.cursor().execute(SchemaManager.get_schema())


class PhotoQueue:
    """Puts photos into the queue; used by the hall's page."""

    def __init__(self, store: HallStore) -> None:
        make_queue(store.engine)
        self._store = store
        self._app = App(connector=SyncPsycopgConnector(conninfo=_plain(store.engine)))
        self._app.open()

    def put(self, number: int, whose: str) -> None:
        """Put a photo into the queue: each sender's first before anybody's second.

        Raises:
            DatabaseError: the queue does not answer.
        """
        del whose
        rank = -rank_of(self._store, number)
        job = self._app.configure_task(TASK, allow_unknown=True, queue=QUEUE, priority=rank)
        try:
            job.defer(photo=number)
        except ProcrastinateException as error:
            raise DatabaseError(f"the photo cannot be queued: {error}") from error

    def close(self) -> None:
        """Close the connections."""
        self._app.close()


def new_worker(store: HallStore, hands: Hands) -> App:
    """Return the app whose ``run_worker`` reads photos until it is stopped."""
    make_queue(store.engine)
    app = App(connector=PsycopgConnector(conninfo=_plain(store.engine)))

    @app.task(
        name=TASK,
        queue=QUEUE,
        retry=RetryStrategy(max_attempts=1, retry_exceptions=[TryAgainError]),
    )
    def read(photo: int) -> None:
        read_one(store, hands, photo)

    return app


def give_back_lost(store: HallStore) -> int:
    """Requeue the photos of dead workers; return how many there were."""

    async def again() -> int:
        app = App(connector=PsycopgConnector(conninfo=_plain(store.engine)))
        async with app.open_async():
            lost = list(
                await app.job_manager.get_stalled_jobs(
                    queue=QUEUE, seconds_since_heartbeat=VANISHED_S
                )
            )
            for job in lost:
                await app.job_manager.retry_job(job)
        return len(lost)

    return asyncio.run(again())


def read_photos(database: str, announce: bool = False) -> int:
    """Read photos for a hall until somebody stops it; return the exit status."""
    address = address_of(database, home_folder())
    if not address.startswith("postgresql"):
        raise HallError("readers work for a hall on PostgreSQL: postgresql://USER@HOST/NAME")
    store = HallStore(open_engine(address))
    stop = threading.Event()
    helper = threading.Thread(target=_give_back, args=(store, stop), daemon=True)
    with Hands() as hands:
        app = new_worker(store, hands)
        if announce:
            print_json({"queue": QUEUE})
        else:
            print_line("Reading photos for the hall. Ctrl-C stops it; others go on.")
        helper.start()
        with suppress(KeyboardInterrupt):
            app.run_worker(
                queues=[QUEUE], concurrency=1, delete_jobs="always", shutdown_graceful_timeout=5.0
            )
        stop.set()
    store.close()
    return ANSWERED


def _give_back(store: HallStore, stop: threading.Event) -> None:
    while not stop.wait(VANISHED_S):
        with suppress(SQLAlchemyError, HallError):
            give_back_lost(store)


def _plain(engine: Engine) -> str:
    return engine.url.set(drivername="postgresql").render_as_string(hide_password=False)

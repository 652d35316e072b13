"""Transactions on the hall's database, SQLite or PostgreSQL, and values of the whole hall."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Table, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from companion_app.hall.errors import DatabaseError
from companion_app.hall.store.database import WRITES, reason
from companion_app.hall.store.notices import Notices, notices_for
from companion_app.hall.store.schema import facts

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Change:
    """An open transaction, and the ids that its notices will name."""

    line: Connection
    tables: set[str]


class Transactions:
    """A database of a hall; safe to use from several threads and processes."""

    def __init__(self, engine: Engine, clock: Clock = time.time) -> None:
        self.engine = engine
        self.clock = clock
        self.notices: Notices = notices_for(engine)
        # PostgreSQL shows every query the newest commits, within a transaction too; without one,
        # a read asks the server half as often.
        is_postgres = engine.dialect.name == "postgresql"
        self._reads = (
            engine.execution_options(isolation_level="AUTOCOMMIT") if is_postgres else (engine)
        )

    def close(self) -> None:
        """Close all connections."""
        self.notices.close()
        self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read; in SQLite within one transaction.

        Raises:
            DatabaseError: the database does not answer.
        """
        with _errors(), self._reads.connect() as line:
            yield line

    @contextmanager
    def writing(self) -> Iterator[Change]:
        """Write within one transaction; listeners are notified of its changes.

        Raises:
            DatabaseError: the database does not answer; nothing was written.
        """
        with _errors():
            with self.engine.connect().execution_options(**{WRITES: True}) as line, line.begin():
                change = Change(line, set())
                yield change
                self.notices.tell(line, sorted(change.tables))
            self.notices.committed(sorted(change.tables))

    def insert_new(self, line: Connection, into: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows; existing rows with the same key stay as they are."""
        if rows:
            kind = postgresql if self.engine.dialect.name == "postgresql" else sqlite
            line.execute(kind.insert(into).on_conflict_do_nothing(), list(rows))

    # --- the hall itself -------------------------------------------------------------------

    def fact(self, name: str) -> str | None:
        """Return the value that is stored under a name; ``None`` where there is none."""
        with self.reading() as line:
            found = line.execute(select(facts.c.value).where(facts.c.name == name)).scalar()
        return None if found is None else str(found)

    def keep_fact(self, name: str, value: str, *, once: bool = False) -> str:
        """Store a value for the whole hall and return what is stored.

        Args:
            name: its name.
            value: the value.
            once: keep a value that is already stored, for example by another process.
        """
        with self.writing() as change:
            self.insert_new(change.line, facts, [{"name": name, "value": value}])
            if not once:
                change.line.execute(update(facts).where(facts.c.name == name).values(value=value))
            kept = change.line.execute(select(facts.c.value).where(facts.c.name == name))
            return str(kept.scalar_one())

    def facts_like(self, beginning: str) -> dict[str, str]:
        """Return the values whose names have a beginning, by name."""
        with self.reading() as line:
            found = line.execute(
                select(facts.c.name, facts.c.value).where(facts.c.name.startswith(beginning))
            )
            return {str(name): str(value) for name, value in found}

    def forget_facts(self, names: Sequence[str]) -> None:
        """Delete values of the whole hall."""
        if names:
            with self.writing() as change:
                change.line.execute(delete(facts).where(facts.c.name.in_(names)))


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise DatabaseError(f"the hall's database does not answer: {reason(error)}") from error

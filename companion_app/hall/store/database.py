"""Opens the hall's database, creates the schema where it is empty, and refuses other versions.

SQLAlchemy Core builds the queries for both databases and pools the connections; Alembic, which is
based on it, migrates the schema. psycopg's own pool is not used: one pool is enough.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from companion_app.hall.errors import DatabaseError
from companion_app.hall.store.schema import metadata
from companion_app.whole_file import write_whole

FILE = "hall.sqlite3"
LEAGUES = "leagues.json"
"""Has the leagues of 1.0.0, by name with their evenings, after the migration."""
WRITES = "hall_writes"
"""Execution option of a transaction that will write: SQLite then takes its lock at the start."""
BUSY_S = 10
MOST_LINES = 12
"""Pooled connections of one process to PostgreSQL; the one that listens for notices is extra."""


def address_of(database: str | None, folder: Path) -> str:
    """Return the SQLAlchemy URL of a database; by default of an SQLite file in a folder.

    Raises:
        DatabaseError: the address is of a database that the hall cannot use.
    """
    if database is None:
        return f"sqlite:///{folder / FILE}"
    if re.match(r"postgres(ql)?://", database):
        return "postgresql+psycopg://" + database.partition("://")[2]
    if database.startswith(("postgresql+psycopg://", "sqlite:///")):
        return database
    raise DatabaseError(
        "the hall keeps its games in PostgreSQL or in a file: write --database "
        "postgresql://USER@HOST/NAME, or leave it out"
    )


def open_engine(address: str) -> Engine:
    """Return the engine of a database of this version; an empty database gets its tables.

    Raises:
        DatabaseError: it does not answer, or is of another version.
    """
    engine = _engine(address)
    try:
        with engine.connect() as line:
            is_empty = not inspect(line).get_table_names()
            now = MigrationContext.configure(line).get_current_revision()
        if is_empty:
            upgrade(engine)
        elif now != newest_version():
            engine.dispose()
            raise DatabaseError(_another_version(now))
    except SQLAlchemyError as error:
        engine.dispose()
        raise DatabaseError(f"the hall's database does not answer: {reason(error)}") from error
    return engine


def upgrade(engine: Engine) -> None:
    """Migrate a database to the newest version, or make it; processes wait for one another."""
    with engine.begin() as line:
        if line.dialect.name == "postgresql":
            # An arbitrary lock number that nothing else uses.
            line.exec_driver_sql("SELECT pg_advisory_xact_lock(5284190)")
        config = _config()
        config.attributes["connection"] = line
        if inspect(line).get_table_names():
            command.upgrade(config, "head")
        else:
            metadata.create_all(line)
            command.stamp(config, "head")


@dataclass(frozen=True, slots=True)
class Migrated:
    """What became of an old database."""

    before: str | None
    """Its version before; ``None`` where it was empty."""
    now: str
    files: tuple[Path, ...]
    """What left the database, each in a file of its own."""


def migrate(address: str, folder: Path) -> Migrated:
    """Migrate an old database; what it can no longer hold is written into the hall's folder first.

    Raises:
        DatabaseError: it does not answer, is newer than this Snake Eye or another program's, or
            what leaves it cannot be written.
    """
    engine = _engine(address)
    try:
        with engine.connect() as line:
            before = MigrationContext.configure(line).get_current_revision()
            names = inspect(line).get_table_names()
            known = [step.revision for step in _scripts().walk_revisions()]
            if before not in known if before is not None else names:
                raise DatabaseError(_another_version(before))
            files = _leagues_kept(line, folder) if "leagues" in names else ()
        upgrade(engine)
    except SQLAlchemyError as error:
        raise DatabaseError(f"the hall's database does not answer: {reason(error)}") from error
    finally:
        engine.dispose()
    return Migrated(before, newest_version(), files)


def _leagues_kept(line: Connection, folder: Path) -> tuple[Path, ...]:
    """Write the leagues of 1.0.0 into a file; none where there are none."""
    query = "SELECT id, name, counting, evenings, made_s FROM leagues ORDER BY made_s, id"
    found = [dict(row._mapping) for row in line.execute(text(query))]
    if not found:
        return ()
    leagues = [{**one, "evenings": json.loads(one["evenings"])} for one in found]
    file = folder / LEAGUES
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(file, json.dumps({"leagues": leagues}, ensure_ascii=False, indent=1) + "\n")
    except OSError as error:
        raise DatabaseError(
            f"{file} cannot be written, and nothing was migrated: {error}"
        ) from error
    return (file,)


def newest_version() -> str:
    """Return the schema version of this Snake Eye."""
    return str(_scripts().get_current_head())


def reason(error: SQLAlchemyError) -> str:
    """Return why a database refused, in one line and without its password."""
    said = str(getattr(error, "orig", None) or error).strip().splitlines()
    return said[0] if said else type(error).__name__


def _engine(address: str) -> Engine:
    try:
        url = make_url(address)
        if url.get_backend_name() == "sqlite":
            Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
            engine = create_engine(url, connect_args={"timeout": BUSY_S})
            event.listen(engine, "connect", _sqlite_line)
            event.listen(engine, "begin", _sqlite_begins)
            return engine
        return create_engine(
            url,
            pool_size=MOST_LINES,
            max_overflow=0,
            pool_pre_ping=True,
            pool_recycle=600,
            connect_args={"connect_timeout": 5, "application_name": "snake-eye hall"},
        )
    except (ArgumentError, OSError) as error:
        raise DatabaseError(f"the hall's database cannot be opened: {error}") from error


def _sqlite_line(line: Any, _record: object) -> None:
    # Turns off the driver's implicit BEGIN, which comes too late: ``_sqlite_begins`` sends it.
    line.isolation_level = None
    for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        line.execute(f"PRAGMA {setting}")


def _sqlite_begins(line: Connection) -> None:
    writes = line.get_execution_options().get(WRITES, False)
    line.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _config() -> Config:
    config = Config()
    here = Path(__file__).parent
    config.set_main_option("script_location", str(here).replace("%", "%%"))
    config.set_main_option("version_locations", str(here / "versions").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _another_version(found: str | None) -> str:
    if found is None:
        return "the database has tables of another program; give the hall one of its own"
    if found in [step.revision for step in _scripts().walk_revisions()]:
        return (
            f"the hall's database is of version {found}, and this Snake Eye writes version "
            f"{newest_version()}; make a backup, then run: snake-eye hall migrate"
        )
    return f"the hall's database is of the newer version {found}; update Snake Eye first"

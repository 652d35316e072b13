"""The tables of the hall's database in the newest version; ``versions/`` has the migrations."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
)
from sqlalchemy.types import Boolean

metadata = MetaData()
_NUMBER = BigInteger().with_variant(Integer, "sqlite")
"""Type of automatic ids; SQLite increments only columns of type INTEGER."""

facts = Table(
    "facts", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False)
)
"""Named values of the whole hall: its keys, its code, the arbiters' PIN."""

tables = Table(
    "tables",
    metadata,
    Column("id", Text, primary_key=True),
    Column("public_key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("joined_s", Float, nullable=False),
    Column("revoked_s", Float),
    Column("acked", BigInteger, nullable=False),
    Column("heard_s", Float),
    Column("health_n", BigInteger, nullable=False, server_default="0"),
    Column("health", Text, nullable=False, server_default="{}"),
    Column("ruled", BigInteger, nullable=False, server_default="0"),
    Column("by_https", Boolean, nullable=False, server_default=false()),
)
"""Boxes that joined. ``acked`` is the number of the last log line stored without a gap; ``ruled``
counts the rulings for the table; one that joined under 1.0.0 is not ``by_https`` until updated."""

events = Table(
    "events",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id"), primary_key=True),
    Column("game", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("line", Text, nullable=False),
    Column("stored_s", Float, nullable=False),
)
Index("events_in_order", events.c.table_id, events.c.number)

pictures = Table(
    "pictures",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("jpeg", LargeBinary, nullable=False),
    Column("stored_s", Float, nullable=False),
)

standings = Table(
    "standings",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id"), primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("game", Text, nullable=False),
    Column("document", Text, nullable=False),
)
"""How each table stands, derived from its events and rebuilt whenever it is behind them."""

alerts = Table(
    "alerts",
    metadata,
    Column("id", _NUMBER, primary_key=True, autoincrement=True),
    Column("table_id", Text, ForeignKey("tables.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("opened_s", Float, nullable=False),
    Column("claimed_by", Text, nullable=False, server_default=""),
    Column("closed_s", Float),
    UniqueConstraint("table_id", "kind", "about", name="alert_once"),
)

decisions = Table(
    "decisions",
    metadata,
    Column("id", _NUMBER, primary_key=True, autoincrement=True),
    Column("table_id", Text, ForeignKey("tables.id"), nullable=False),
    Column("ruling", BigInteger, nullable=False),
    Column("at_s", Float, nullable=False),
    Column("who", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("done", Boolean, nullable=False, server_default=false()),
    Column("answer", Text, nullable=False, server_default=""),
    UniqueConstraint("table_id", "ruling", name="ruling_once"),
)
"""Decisions of arbiters and tournaments. Only the table's answer ever changes a row, and the names
of players go when one of them is erased."""

photos = Table(
    "photos",
    metadata,
    Column("id", _NUMBER, primary_key=True, autoincrement=True),
    Column("whose", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("box", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("jpeg", LargeBinary, nullable=False),
    Column("asked_s", Float, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("answer", Text),
    Column("answered_s", Float),
    Column("lease_s", Float),
)
"""Photos of tables without a box; deleted after an hour. Until ``lease_s`` a reader has it."""

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Text, primary_key=True),
    Column("made_s", Float, nullable=False),
    Column("events", BigInteger, nullable=False, server_default="0"),
)
"""``events`` is the number of the last event, compared before adding one (optimistic locking)."""

tournament_events = Table(
    "tournament_events",
    metadata,
    Column("tournament", Text, ForeignKey("tournaments.id"), primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("event", Text, nullable=False),
)

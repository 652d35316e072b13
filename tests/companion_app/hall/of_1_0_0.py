"""The database of a hall as 1.0.0 made it."""

from __future__ import annotations

from sqlalchemy import Connection, text

KINDS = {
    "sqlite": {"number": "INTEGER", "bytes": "BLOB"},
    "postgresql": {"number": "BIGSERIAL", "bytes": "BYTEA"},
}
TABLES = """
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO alembic_version VALUES ('0003');
CREATE TABLE facts (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE tables (id TEXT NOT NULL PRIMARY KEY, public_key TEXT NOT NULL, name TEXT NOT NULL,
    joined_s FLOAT NOT NULL, revoked_s FLOAT, acked BIGINT NOT NULL, heard_s FLOAT,
    health_n BIGINT DEFAULT '0' NOT NULL, health TEXT DEFAULT '{{}}' NOT NULL,
    ruled BIGINT DEFAULT '0' NOT NULL);
CREATE TABLE events (table_id TEXT NOT NULL REFERENCES tables (id), game TEXT NOT NULL,
    number BIGINT NOT NULL, kind TEXT NOT NULL, line TEXT NOT NULL, stored_s FLOAT NOT NULL,
    PRIMARY KEY (table_id, game, number));
CREATE INDEX events_in_order ON events (table_id, number);
CREATE TABLE pictures (table_id TEXT NOT NULL REFERENCES tables (id), number BIGINT NOT NULL,
    name TEXT NOT NULL, jpeg {bytes} NOT NULL, stored_s FLOAT NOT NULL,
    PRIMARY KEY (table_id, number, name));
CREATE TABLE standings (table_id TEXT NOT NULL PRIMARY KEY REFERENCES tables (id),
    version BIGINT NOT NULL, number BIGINT NOT NULL, game TEXT NOT NULL, document TEXT NOT NULL);
CREATE TABLE alerts (id {number} NOT NULL PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES tables (id), kind TEXT NOT NULL, about TEXT NOT NULL,
    number BIGINT NOT NULL, opened_s FLOAT NOT NULL, claimed_by TEXT DEFAULT '' NOT NULL,
    closed_s FLOAT, CONSTRAINT alert_once UNIQUE (table_id, kind, about));
CREATE TABLE decisions (id {number} NOT NULL PRIMARY KEY,
    table_id TEXT NOT NULL REFERENCES tables (id), ruling BIGINT NOT NULL, at_s FLOAT NOT NULL,
    who TEXT NOT NULL, what TEXT NOT NULL, body TEXT NOT NULL,
    done BOOLEAN DEFAULT false NOT NULL, answer TEXT DEFAULT '' NOT NULL,
    CONSTRAINT ruling_once UNIQUE (table_id, ruling));
CREATE TABLE photos (id {number} NOT NULL PRIMARY KEY, whose TEXT NOT NULL, game TEXT NOT NULL,
    box TEXT NOT NULL, language TEXT NOT NULL, jpeg {bytes} NOT NULL, asked_s FLOAT NOT NULL,
    rank INTEGER NOT NULL, tries INTEGER DEFAULT '0' NOT NULL, answer TEXT, answered_s FLOAT);
CREATE TABLE tournaments (id TEXT NOT NULL PRIMARY KEY, made_s FLOAT NOT NULL,
    delay_s FLOAT DEFAULT '0' NOT NULL, events BIGINT DEFAULT '0' NOT NULL);
CREATE TABLE tournament_events (tournament TEXT NOT NULL REFERENCES tournaments (id),
    number BIGINT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (tournament, number));
CREATE TABLE leagues (id TEXT NOT NULL PRIMARY KEY, made_s FLOAT NOT NULL, name TEXT NOT NULL,
    counting INTEGER, evenings TEXT NOT NULL)
"""


def make_hall_of_1_0_0(line: Connection) -> None:
    """Make the tables in an empty database."""
    for statement in TABLES.format(**KINDS[line.dialect.name]).split(";"):
        line.execute(text(statement))

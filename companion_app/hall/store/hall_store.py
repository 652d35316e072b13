"""What the hall keeps of its tables: who joined, their logs line by line, how they stand.

Lines are stored once, in order and without a gap: a batch that begins after a gap is not stored,
and the answer tells the table where to continue. Writes are idempotent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, func, or_, select, update

from companion_app.games.entries import Line, read_line
from companion_app.hall.errors import FullHallError
from companion_app.hall.line.message import Batch
from companion_app.hall.store.schema import events, pictures, standings, tables
from companion_app.hall.store.transactions import Transactions

LINE = "line:"
"""Beginning of the notices of tables that were sent away, or for which an arbiter has ruled."""
MOST_EMBEDDED = 20
"""Tables that the embedded store takes; more need PostgreSQL."""
AWAY_S = 30.0
"""Seconds without a message after which a table counts as away."""
MOST_PICTURES = 40
"""Pictures kept for one table; the oldest are deleted first."""


@dataclass(frozen=True, slots=True)
class Member:
    """A box that joined."""

    id: str
    public_key: str
    name: str
    joined_s: float
    revoked_s: float | None
    acked: int
    heard_s: float | None
    health: Mapping[str, Any]
    by_https: bool = True
    """Whether it sends by https; one that joined under 1.0.0 does once it is updated."""


MEMBER = [field.name for field in fields(Member)]


@dataclass(frozen=True, slots=True)
class Taken:
    """The outcome of storing a batch."""

    table: str
    ask: str
    acked: int
    added: int
    game: str
    """The game of the last new line; empty where no line is new."""


@dataclass(frozen=True, slots=True)
class Health:
    """A table's report about its health."""

    table: str
    number: int
    """Increases with every report; a report with a lower number is ignored."""
    health: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """A new standing of a table, not stored yet."""

    table: str
    number: int
    game: str
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """The stored standing of a table."""

    table: str
    version: int
    number: int
    """Number of the last line that it includes."""
    game: str
    document: Mapping[str, Any]


NEW_HEALTH = (
    update(tables)
    .where(tables.c.id == bindparam("of"))
    .values(
        health=bindparam("health"),
        health_n=bindparam("health_n"),
        heard_s=bindparam("heard_s"),
        by_https=True,
    )
)
NEW_ACKED = (
    update(tables)
    .where(tables.c.id == bindparam("of"))
    .values(acked=bindparam("acked"), heard_s=bindparam("heard_s"))
)
NEW_STANDING = (
    update(standings)
    .where(standings.c.table_id == bindparam("of"), standings.c.number < bindparam("than"))
    .values(
        version=standings.c.version + 1,
        number=bindparam("number"),
        game=bindparam("game"),
        document=bindparam("document"),
    )
)
"""Like ``NEW_HEALTH`` and ``NEW_ACKED``, an update that is executed with many rows at once."""


class HallStore(Transactions):
    """The hall's database; safe to use from several threads and processes."""

    # --- tables ----------------------------------------------------------------------------

    def add_table(self, id_: str, public_key: str, name: str, since: int) -> Member:
        """Admit a table, or admit it again; its log continues where it was.

        Raises:
            FullHallError: the embedded store is full.
        """
        row = {
            "id": id_,
            "public_key": public_key,
            "name": name,
            "joined_s": self.clock(),
            "acked": since,
            "by_https": True,
        }
        with self.writing() as change:
            self._check_room(change.line, id_)
            self.insert_new(change.line, tables, [row])
            change.line.execute(
                update(tables).where(tables.c.id == id_).values(name=name, revoked_s=None)
            )
            change.tables.add(id_)
        found = self.member(id_)
        assert found is not None
        return found

    def _check_room(self, line: Connection, id_: str) -> None:
        others = select(func.count()).where(tables.c.id != id_, tables.c.revoked_s.is_(None))
        if (
            self.engine.dialect.name == "sqlite"
            and line.execute(others).scalar_one() >= MOST_EMBEDDED
        ):
            raise FullHallError(
                f"the embedded store takes {MOST_EMBEDDED} tables; for more, start the hall with "
                "--database postgresql://USER@HOST/NAME"
            )

    def revoke(self, id_: str) -> bool:
        """Revoke a table: its messages are ignored from now on. Say whether it was a member."""
        with self.writing() as change:
            done = change.line.execute(
                update(tables)
                .where(tables.c.id == id_, tables.c.revoked_s.is_(None))
                .values(revoked_s=self.clock())
            )
            change.tables.update((id_, LINE + id_))
        return bool(done.rowcount)

    def rename(self, id_: str, name: str) -> bool:
        """Rename a table; say whether it exists."""
        with self.writing() as change:
            done = change.line.execute(update(tables).where(tables.c.id == id_).values(name=name))
            change.tables.add(id_)
        return bool(done.rowcount)

    def member(self, id_: str) -> Member | None:
        """Return a table that joined, even if it was revoked; ``None`` where it never joined."""
        with self.reading() as line:
            row = line.execute(select(tables).where(tables.c.id == id_)).first()
        return None if row is None else _member(row)

    def members(self) -> list[Member]:
        """Return all tables, sorted by name; revoked tables are left out."""
        asked = select(tables).where(tables.c.revoked_s.is_(None)).order_by(tables.c.name)
        with self.reading() as line:
            return [_member(row) for row in line.execute(asked)]

    def keep_health(self, told: Sequence[Health]) -> set[str]:
        """Store health reports; return the tables whose report was newer than the stored one."""
        newest: dict[str, Health] = {}
        for one in sorted(told, key=lambda one: one.number):
            newest[one.table] = one
        now_s = self.clock()
        asked = (
            select(tables.c.id, tables.c.heard_s, tables.c.health_n, tables.c.by_https)
            .where(tables.c.id.in_(sorted(newest)), tables.c.revoked_s.is_(None))
            .order_by(tables.c.id)
            .with_for_update(key_share=True)
        )
        with self.writing() as change:
            rows = change.line.execute(asked).all()
            news = [row for row in rows if row.health_n < newest[row.id].number]
            for row in news:
                # Reports arrive all the time; listeners are notified only of a table that was away.
                away = row.heard_s is None or now_s - row.heard_s > AWAY_S
                if away or not row.by_https:
                    change.tables.add(row.id)
            if news:
                change.line.execute(
                    NEW_HEALTH,
                    [
                        {
                            "of": row.id,
                            "health": json.dumps(dict(newest[row.id].health)),
                            "health_n": newest[row.id].number,
                            "heard_s": now_s,
                        }
                        for row in news
                    ],
                )
        return {str(row.id) for row in news}

    # --- logs ------------------------------------------------------------------------------

    def take_in(self, batches: Sequence[Batch]) -> list[Taken]:
        """Store batches of any tables in one transaction; return the outcome of each."""
        taken: list[Taken] = []
        rows: list[dict[str, Any]] = []
        now_s = self.clock()
        with self.writing() as change:
            acked = self._locked(change.line, {batch.table for batch in batches})
            before = dict(acked)
            for batch in batches:
                if batch.table not in acked:
                    continue
                fresh = _following(batch, acked[batch.table])
                rows += [
                    {
                        "table_id": batch.table,
                        "game": line.game,
                        "number": line.seq,
                        "kind": line.kind,
                        "line": text,
                        "stored_s": now_s,
                    }
                    for line, text in fresh
                ]
                if fresh:
                    acked[batch.table] = fresh[-1][0].seq
                game = fresh[-1][0].game if fresh else ""
                taken.append(Taken(batch.table, batch.ask, acked[batch.table], len(fresh), game))
            self.insert_new(change.line, events, rows)
            grown = [
                {"of": id_, "acked": last, "heard_s": now_s}
                for id_, last in acked.items()
                if last != before[id_]
            ]
            if grown:
                change.line.execute(NEW_ACKED, grown)
        return taken

    def lines(self, table: str, game: str, after: int = 0) -> list[Line]:
        """Return the lines of one table's game in order, after number ``after``."""
        return self.lines_of({(table, game): after})[table, game]

    def lines_of(self, after: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], list[Line]]:
        """Return the lines of many games in order, each after a number; one query for all.

        Args:
            after: the number by table id and key of the game.
        """
        found: dict[tuple[str, str], list[Line]] = {mark: [] for mark in after}
        if not after:
            return found
        asked = (
            select(events.c.table_id, events.c.game, events.c.line)
            .where(
                or_(
                    *(
                        and_(
                            events.c.table_id == table,
                            events.c.game == game,
                            events.c.number > number,
                        )
                        for (table, game), number in after.items()
                    )
                )
            )
            .order_by(events.c.number)
        )
        with self.reading() as line:
            rows = line.execute(asked).all()
        for row in rows:
            if (read := read_line(str(row.line))) is not None:
                found[row.table_id, row.game].append(read)
        return found

    def texts_after(self, table: str, after: int, most: int) -> list[tuple[int, str]]:
        """Return the next lines of a table's log as they were sent, each with its number."""
        asked = (
            select(events.c.number, events.c.line)
            .where(events.c.table_id == table, events.c.number > after)
            .order_by(events.c.number)
            .limit(most)
        )
        with self.reading() as line:
            return [(int(row.number), str(row.line)) for row in line.execute(asked)]

    def newest_game(self, table: str) -> str | None:
        """Return the game of a table's last line."""
        asked = (
            select(events.c.game)
            .where(events.c.table_id == table)
            .order_by(events.c.number.desc())
            .limit(1)
        )
        with self.reading() as line:
            found = line.execute(asked).scalar()
        return None if found is None else str(found)

    def games(self, table: str) -> list[str]:
        """Return the games of a table, the newest first."""
        asked = (
            select(events.c.game)
            .where(events.c.table_id == table)
            .group_by(events.c.game)
            .order_by(func.min(events.c.number).desc())
        )
        with self.reading() as line:
            return [str(game) for game in line.execute(asked).scalars()]

    # --- pictures --------------------------------------------------------------------------

    def keep_picture(self, table: str, number: int, name: str, jpeg: bytes) -> None:
        """Store a picture of a table, and delete its oldest ones beyond ``MOST_PICTURES``."""
        row = {
            "table_id": table,
            "number": number,
            "name": name,
            "jpeg": jpeg,
            "stored_s": self.clock(),
        }
        with self.writing() as change:
            if not self._locked(change.line, {table}):
                return
            self.insert_new(change.line, pictures, [row])
            old = (
                select(pictures.c.number)
                .where(pictures.c.table_id == table)
                .order_by(pictures.c.number.desc())
                .offset(MOST_PICTURES)
                .limit(1)
            )
            if (last := change.line.execute(old).scalar()) is not None:
                change.line.execute(
                    pictures.delete().where(pictures.c.table_id == table, pictures.c.number <= last)
                )

    def picture(self, table: str, number: int, name: str) -> bytes | None:
        """Return a picture of a table as JPEG; ``None`` where there is none."""
        asked = select(pictures.c.jpeg).where(
            pictures.c.table_id == table, pictures.c.number == number, pictures.c.name == name
        )
        with self.reading() as line:
            found = line.execute(asked).scalar()
        return None if found is None else bytes(found)

    # --- standings -------------------------------------------------------------------------

    def behind(self, age_s: float = 0.0) -> list[str]:
        """Return the tables whose standing lacks their last line, stored at least ``age_s`` ago."""
        made = tables.outerjoin(standings, standings.c.table_id == tables.c.id)
        # A scalar, found by the index for each such table: a join could read all lines there are.
        last_s = (
            select(func.max(events.c.stored_s))
            .where(events.c.table_id == tables.c.id, events.c.number == tables.c.acked)
            .scalar_subquery()
        )
        asked = (
            select(tables.c.id)
            .select_from(made)
            .where(
                tables.c.revoked_s.is_(None),
                func.coalesce(standings.c.number, -1) < tables.c.acked,
                last_s <= self.clock() - age_s,
            )
        )
        with self.reading() as line:
            return [str(id_) for id_ in line.execute(asked).scalars()]

    def keep_standings(self, made: Sequence[Made]) -> None:
        """Store standings; one that includes fewer lines never replaces a newer one."""
        known = (
            select(standings.c.table_id, standings.c.number)
            .where(standings.c.table_id.in_(sorted(one.table for one in made)))
            .order_by(standings.c.table_id)
            .with_for_update(key_share=True)
        )
        with self.writing() as change:
            numbers = {row.table_id: row.number for row in change.line.execute(known)}
            first = [
                {"table_id": one.table, "version": 0, "number": -1, "game": "", "document": "{}"}
                for one in sorted(made, key=lambda one: one.table)
                if one.table not in numbers
            ]
            self.insert_new(change.line, standings, first)
            newer = [one for one in made if one.number > numbers.get(one.table, -1)]
            if newer:
                change.line.execute(
                    NEW_STANDING,
                    [
                        {
                            "of": one.table,
                            "number": one.number,
                            "than": one.number,
                            "game": one.game,
                            "document": json.dumps(dict(one.document)),
                        }
                        for one in sorted(newer, key=lambda one: one.table)
                    ],
                )
            change.tables.update(one.table for one in newer)

    def standings(self, among: Iterable[str] | None = None) -> dict[str, Standing]:
        """Return the standings of all tables, or of some, by table id."""
        asked = select(standings)
        if among is not None:
            asked = asked.where(standings.c.table_id.in_(list(among)))
        with self.reading() as line:
            return {row.table_id: _standing(row) for row in line.execute(asked)}

    def stood(self, among: Iterable[str] | None = None) -> list[tuple[Member, Standing | None]]:
        """Return all tables, or some, with how they stand; revoked tables are left out."""
        made = tables.outerjoin(standings, standings.c.table_id == tables.c.id)
        asked = select(tables, standings).select_from(made).where(tables.c.revoked_s.is_(None))
        if among is not None:
            asked = asked.where(tables.c.id.in_(list(among)))
        with self.reading() as line:
            return [
                (_member(row), None if row.table_id is None else _standing(row))
                for row in line.execute(asked)
            ]

    def _locked(self, line: Connection, ids: set[str]) -> dict[str, int]:
        """Lock the rows of these tables; return the last line number of each that is a member."""
        # Rows are always locked in the same order, so that processes do not deadlock.
        asked = (
            select(tables.c.id, tables.c.acked)
            .where(tables.c.id.in_(sorted(ids)), tables.c.revoked_s.is_(None))
            .order_by(tables.c.id)
            .with_for_update(key_share=True)
        )
        return {str(row.id): int(row.acked) for row in line.execute(asked)}


def _following(batch: Batch, acked: int) -> list[tuple[Line, str]]:
    """Return the new lines of a batch; none where lines before the batch are missing."""
    if batch.after > acked:
        return []
    return [(line, text) for line, text in batch.lines if line.seq > acked]


def _standing(row: Row[Any]) -> Standing:
    return Standing(row.table_id, row.version, row.number, row.game, json.loads(row.document))


def _member(row: Row[Any]) -> Member:
    values = {name: row._mapping[name] for name in MEMBER}
    return Member(**{**values, "health": json.loads(row.health)})

"""The hall's store, the same on SQLite and PostgreSQL."""

from __future__ import annotations

import json
import threading

import pytest
from sqlalchemy import text

from companion_app.games.entries import Line, written
from companion_app.hall import photos
from companion_app.hall.errors import DatabaseError
from companion_app.hall.line.message import Batch
from companion_app.hall.store.database import (
    _engine,
    address_of,
    migrate,
    newest_version,
    open_engine,
)
from companion_app.hall.store.hall_store import HallStore, Health, Made
from companion_app.hall.store.schema import metadata
from tests.browser.chromium import wait_until
from tests.companion_app.hall.of_1_0_0 import make_hall_of_1_0_0

ID = "a" * 24
OTHER = "b" * 24


def batch(first: int, last: int, table: str = ID, after: int | None = None, game: str = "g1"):
    lines = [Line(n, game, "moves", {"n": n}, 0.0) for n in range(first, last + 1)]
    before = first - 1 if after is None else after
    return Batch(table, f"ask{first}", before, tuple((line, written(line)) for line in lines))


def numbers(store: HallStore, table: str = ID) -> list[int]:
    return [number for number, _ in store.texts_after(table, 0, 1000)]


@pytest.fixture
def hall(store):
    store.add_table(ID, "key", "Table 1", 0)
    store.add_table(OTHER, "key", "Table 2", 10)
    return store


def test_lines_are_stored_in_order_and_acknowledged(hall):
    taken = hall.take_in([batch(1, 3), batch(4, 5), batch(11, 12, OTHER)])

    assert [(one.table, one.acked, one.added) for one in taken] == [
        (ID, 3, 3),
        (ID, 5, 2),
        (OTHER, 12, 2),
    ]
    assert numbers(hall) == [1, 2, 3, 4, 5]
    assert [line.seq for line in hall.lines(OTHER, "g1")] == [11, 12]


def test_lines_of_many_games_are_read_each_after_its_own_number(hall):
    hall.take_in([batch(1, 4), batch(5, 6, game="g2"), batch(11, 13, OTHER)])

    found = hall.lines_of({(ID, "g1"): 2, (ID, "g2"): 6, (OTHER, "g1"): 0, (OTHER, "g9"): 0})

    assert {mark: [line.seq for line in lines] for mark, lines in found.items()} == {
        (ID, "g1"): [3, 4],
        (ID, "g2"): [],
        (OTHER, "g1"): [11, 12, 13],
        (OTHER, "g9"): [],
    }
    assert hall.lines_of({}) == {}


def test_lines_that_come_again_are_stored_once(hall):
    hall.take_in([batch(1, 4)])

    taken = hall.take_in([batch(1, 4), batch(3, 6), batch(1, 2)])

    assert [(one.acked, one.added) for one in taken] == [(4, 0), (6, 2), (6, 0)]
    assert numbers(hall) == [1, 2, 3, 4, 5, 6]


def test_batch_after_a_gap_waits_for_what_is_missing(hall):
    taken = hall.take_in([batch(1, 2), batch(5, 6)])

    assert [(one.acked, one.added) for one in taken] == [(2, 2), (2, 0)]
    assert numbers(hall) == [1, 2]


def test_number_that_the_table_itself_has_lost_is_no_gap(hall):
    hall.take_in([batch(1, 2)])

    (taken,) = hall.take_in([batch(7, 8, after=2)])

    assert (taken.acked, numbers(hall)) == (8, [1, 2, 7, 8])


def test_table_that_nobody_let_in_writes_nothing(hall):
    hall.revoke(OTHER)

    assert hall.take_in([batch(1, 2, "c" * 24), batch(11, 12, OTHER)]) == []
    assert numbers(hall, OTHER) == []


def test_two_processes_that_take_the_same_lines_store_them_once(hall, address):
    second = HallStore(open_engine(address))
    sent = [batch(n, n) for n in range(1, 41)]

    def take(into: HallStore) -> None:
        for one in sent:
            into.take_in([one])

    threads = [threading.Thread(target=take, args=(into,)) for into in (hall, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    second.close()

    assert numbers(hall) == list(range(1, 41))


def test_change_is_told_to_whoever_listens(hall, address):
    listener = hall if address.startswith("sqlite") else HallStore(open_engine(address))
    heard: list[frozenset[str]] = []
    listener.notices.listen(heard.append)
    if listener is not hall:
        wait_until(lambda: heard == [frozenset()])
    hall.keep_standings([Made(ID, 5, "g1", {"title": "x"})])

    wait_until(lambda: frozenset([ID]) in heard)
    if listener is not hall:
        listener.close()


def test_standing_of_fewer_lines_never_takes_the_place_of_a_newer(hall):
    hall.keep_standings([Made(ID, 5, "g1", {"at": 5})])
    hall.keep_standings([Made(ID, 3, "g1", {"at": 3})])
    hall.keep_standings([Made(ID, 6, "g1", {"at": 6})])

    standing = hall.standings()[ID]
    assert (standing.version, standing.number, standing.document) == (2, 6, {"at": 6})


def test_line_that_was_stored_just_now_is_left_to_the_process_that_stored_it(hall):
    now_s = 1000.0
    hall.clock = lambda: now_s
    hall.take_in([batch(1, 3)])
    assert hall.behind(age_s=1.0) == []

    now_s += 1.0
    assert hall.behind(age_s=1.0) == [ID]


def test_table_comes_with_how_it_stands(hall):
    hall.add_table("2" * 24, "key", "Table 2", 0)
    hall.keep_standings([Made(ID, 3, "g1", {"at": 3})])

    stood = {member.id: standing for member, standing in hall.stood([ID, "2" * 24])}
    assert stood == {ID: hall.standings()[ID], "2" * 24: None}
    hall.revoke(ID)
    assert [member.id for member, _ in hall.stood([ID, "2" * 24])] == ["2" * 24]


def test_standing_that_is_behind_the_log_is_found(hall):
    assert hall.behind() == []

    hall.take_in([batch(1, 3)])
    assert hall.behind() == [ID]

    hall.keep_standings([Made(ID, 3, "g1", {})])
    assert hall.behind() == []


def test_old_health_message_changes_nothing(hall):
    newest = Health(ID, 2, {"camera": "looking"})
    assert hall.keep_health([newest, Health(ID, 1, {"camera": "lost"})]) == {ID}
    assert hall.keep_health([Health(ID, 1, {"camera": "lost"})]) == set()
    assert hall.keep_health([Health(ID, 2, {"camera": "lost"})]) == set()

    assert hall.member(ID).health == {"camera": "looking"}


def test_oldest_pictures_make_room(hall):
    for number in range(1, 44):
        hall.keep_picture(ID, number, "after", b"jpeg")

    assert hall.picture(ID, 43, "after") == b"jpeg"
    assert hall.picture(ID, 1, "after") is None


def test_fact_that_another_process_kept_stands(hall):
    assert hall.keep_fact("key", "first", once=True) == "first"
    assert hall.keep_fact("key", "second", once=True) == "first"
    assert hall.keep_fact("key", "third") == "third"
    assert hall.fact("key") == "third"


def test_database_of_another_version_is_refused_in_words(address, tmp_path):
    open_engine(address).dispose()
    engine = _engine(address)
    with engine.begin() as line:
        line.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()

    with pytest.raises(DatabaseError, match="newer version 9999"):
        open_engine(address)
    with pytest.raises(DatabaseError, match="newer version 9999"):
        migrate(address, tmp_path)


def test_leagues_of_1_0_0_leave_the_database_for_a_file(address, tmp_path):
    engine = _engine(address)
    values = "'a1', 7.5, 'Früh<b>', 2, '[\"0a\", \"0b\"]'"
    with engine.begin() as line:
        make_hall_of_1_0_0(line)
        line.execute(
            text(f"INSERT INTO leagues (id, made_s, name, counting, evenings) VALUES ({values})")
        )
    engine.dispose()
    with pytest.raises(DatabaseError, match="hall migrate"):
        open_engine(address)

    done = migrate(address, tmp_path / "hall")

    assert (done.before, done.now) == ("0003", newest_version())
    assert [json.loads(file.read_text()) for file in done.files] == [
        {
            "leagues": [
                {
                    "id": "a1",
                    "name": "Früh<b>",
                    "counting": 2,
                    "evenings": ["0a", "0b"],
                    "made_s": 7.5,
                }
            ]
        }
    ]
    assert migrate(address, tmp_path / "hall").files == ()
    open_engine(address).dispose()


def test_queue_of_1_0_0_leaves_postgresql_and_photos_that_wait_are_read(cluster, tmp_path):
    address = address_of(cluster.new_database("of_1_0_0"), tmp_path)
    engine = _engine(address)
    queue = (
        "CREATE TYPE procrastinate_job_status AS ENUM ('todo', 'doing')",
        "CREATE TABLE procrastinate_jobs (id bigserial PRIMARY KEY, s procrastinate_job_status)",
        "CREATE TABLE procrastinate_events (job bigint REFERENCES procrastinate_jobs)",
        "CREATE FUNCTION procrastinate_told() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN RETURN NEW; END $$",
        "CREATE TRIGGER procrastinate_tells BEFORE INSERT ON procrastinate_jobs "
        "FOR EACH ROW EXECUTE FUNCTION procrastinate_told()",
    )
    with engine.begin() as line:
        make_hall_of_1_0_0(line)
        for made in queue:
            line.execute(text(made))
        line.execute(
            text(
                "INSERT INTO photos (whose, game, box, language, jpeg, asked_s, rank) "
                "VALUES ('a', 'snekagon', '', 'en', 'x', 1.0, 0)"
            )
        )
    engine.dispose()

    migrate(address, tmp_path)

    store = HallStore(open_engine(address))
    parts = (("pg_tables", "tablename"), ("pg_proc", "proname"), ("pg_type", "typname"))
    with store.reading() as line:
        for catalogue, name in parts:
            found = f"SELECT count(*) FROM {catalogue} WHERE starts_with({name}, 'procrastinate_')"
            assert line.execute(text(found)).scalar_one() == 0
    assert photos.take(store) is not None
    store.close()


def test_database_of_another_program_is_refused(address, tmp_path):
    engine = _engine(address)
    with engine.begin() as line:
        line.execute(text("CREATE TABLE recipes (id INTEGER)"))
    engine.dispose()

    with pytest.raises(DatabaseError, match="another program"):
        open_engine(address)
    with pytest.raises(DatabaseError, match="another program"):
        migrate(address, tmp_path)


def test_hall_of_1_0_0_is_led_to_the_schema_of_today(address, tmp_path):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    engine = _engine(address)
    with engine.begin() as line:
        make_hall_of_1_0_0(line)
    migrate(address, tmp_path)
    with engine.connect() as line:
        differences = compare_metadata(MigrationContext.configure(line), metadata)
    engine.dispose()

    assert differences == []
    assert newest_version()


def test_database_that_does_not_answer_is_said_in_words():
    with pytest.raises(DatabaseError, match="does not answer"):
        open_engine("postgresql+psycopg://hall@127.0.0.1:9/none")

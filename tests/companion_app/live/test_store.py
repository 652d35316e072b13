import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import tracemalloc
from errno import EACCES, ENOSPC
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

from companion_app.live import salvage
from companion_app.live import store as keeping
from companion_app.live.errors import StoreError, StoreFull, StoreInUse
from companion_app.live.salvage_report import Salvaged, told
from companion_app.live.second_copy import FILE as COPY
from companion_app.live.spare_room import FILE as SPARE
from companion_app.live.store import FILE, Store

ROOT = Path(__file__).parents[3]


def kept(folder: Path, game: str = "g") -> list[tuple[str, object]]:
    with Store(folder) as store:
        return [(line.kind, line.body["n"]) for line in store.lines(game)]


def fill(folder: Path, count: int) -> None:
    with Store(folder) as store:
        for n in range(count):
            store.append("g", "moves", {"n": n, "moves": [{"tile": "blue/curve"}]}, {"after": b"x"})


class FailingDisk:
    """The database of a store on a disk that has no room for some statements."""

    def __init__(self, store, fails):
        self._db, self._fails = store._db, fails
        store._db = self

    def execute(self, statement, *values):
        if self._fails(statement):
            raise sqlite3.OperationalError("database or disk is full")
        return self._db.execute(statement, *values)

    def close(self):
        self._db.close()
        if self._fails("close"):
            raise sqlite3.OperationalError("disk I/O error")


def damage(folder, what=b"blue/curve", by=b"blue/curse"):
    """Change one letter of the first line of the database, and take the second copy away."""
    (folder / COPY).unlink()
    file = folder / FILE
    file.write_bytes(file.read_bytes().replace(what, by, 1))


# --- writing and reading -------------------------------------------------------------------------


def test_lines_come_back_in_order_with_their_pictures(tmp_path):
    with Store(tmp_path) as store:
        first = store.append("g", "moves", {"n": 1}, {"after": b"one"})
        store.append("other", "moves", {"n": 1})
        store.append("g", "taken-back", {"n": 1})

    with Store(tmp_path) as store:
        assert [line.kind for line in store.lines("g")] == ["moves", "taken-back"]
        assert store.picture(first.seq, "after") == b"one"
        assert store.picture(first.seq, "before") is None
        assert store.games() == ["g", "other"]


def test_lines_of_all_games_are_numbered_from_one_without_a_gap(tmp_path):
    with Store(tmp_path) as store:
        numbers = [store.append(game, "moves", {}).seq for game in ("g", "other", "g")]

    assert numbers == [1, 2, 3]


def test_line_says_when_it_was_written_to_the_millisecond(tmp_path):
    with Store(tmp_path, clock=lambda: 1234.56789) as store:
        said = store.append("g", "moves", {"n": 1})

        assert said.at_s == 1234.568
        assert store.lines("g") == [said]


def test_line_is_in_the_second_copy_as_soon_as_it_is_kept(tmp_path):
    with Store(tmp_path) as store:
        store.append("g", "moves", {"n": 1})
        (kept_line,) = store._db.execute("SELECT line FROM log").fetchone()

        assert (tmp_path / COPY).read_text() == kept_line + "\n"


def test_folder_is_made_where_there_is_none(tmp_path):
    fill(tmp_path / "of" / "games", 1)

    assert kept(tmp_path / "of" / "games") == [("moves", 0)]


def test_store_serves_every_thread(tmp_path):
    with Store(tmp_path) as store:
        other = Thread(target=store.append, args=("g", "moves", {"n": 1}))
        other.start()
        other.join()

        assert len(store.lines("g")) == 1


def test_picture_belongs_to_a_line_that_is_kept(tmp_path):
    with Store(tmp_path) as store, pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        store._db.execute("INSERT INTO pictures VALUES (7, 'after', x'00')")


@pytest.mark.parametrize(
    ("kinds", "goes_on"),
    [
        ([], False),
        (["started", "moves"], True),
        (["started", "ended"], False),
        (["ended", "moves"], False),
        (["ended", "reopened"], True),
        (["ended", "reopened", "moves"], True),
        (["ended", "reopened", "ended"], False),
    ],
)
def test_game_goes_on_until_it_has_ended_for_good(tmp_path, kinds, goes_on):
    with Store(tmp_path) as store:
        for kind in kinds:
            store.append("g", kind, {})

        assert store.unfinished() == ("g" if goes_on else None)


def test_only_the_game_that_was_played_last_goes_on(tmp_path):
    with Store(tmp_path) as store:
        store.append("left", "started", {})
        store.append("newest", "started", {})
        store.append("left", "names", {})
        assert store.unfinished() == "newest"

        store.append("newest", "ended", {})
        assert store.unfinished() is None

        store.append("left", "moves", {})
        assert store.unfinished() == "left"


# --- how it is kept ------------------------------------------------------------------------------


def test_store_writes_ahead_and_waits_for_the_disk(tmp_path):
    fill(tmp_path, 1)
    with Store(tmp_path) as store:
        assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store._db.execute("PRAGMA user_version").fetchone() == (len(keeping.MIGRATIONS),)


@pytest.mark.parametrize("statement", ["DELETE FROM log", "UPDATE log SET kind = 'x'"])
def test_log_is_never_changed_nor_shortened(tmp_path, statement):
    fill(tmp_path, 2)
    with Store(tmp_path) as store, pytest.raises(sqlite3.IntegrityError, match="never"):
        store._db.execute(statement)


def test_pictures_can_be_wiped_and_the_moves_stay(tmp_path):
    fill(tmp_path, 3)
    with Store(tmp_path) as store:
        assert store.forget_pictures() == 3
        assert store.picture(1, "after") is None
        assert len(store.lines("g")) == 3


def test_pictures_of_one_game_can_be_wiped_and_those_of_others_stay(tmp_path):
    with Store(tmp_path) as store:
        first = store.append("g", "moves", {}, {"before": b"a" * 5000, "after": b"b"})
        other = store.append("other", "moves", {}, {"after": b"c"})

        assert store.forget_pictures("g") == 2
        assert store.picture(first.seq, "before") is None
        assert store.picture(other.seq, "after") == b"c"
        assert b"a" * 100 not in (tmp_path / FILE).read_bytes()
        assert (tmp_path / f"{FILE}-wal").stat().st_size == 0


@pytest.mark.parametrize(("game", "wiped"), [("g", 1), (None, 2)])
def test_pictures_are_wiped_on_a_full_disk_by_the_room_kept_free(tmp_path, game, wiped):
    spare = tmp_path / SPARE
    with Store(tmp_path) as store:
        store.append("g", "moves", {}, {"after": b"a"})
        other = store.append("other", "moves", {}, {"after": b"c"})
        assert spare.exists()
        FailingDisk(store, lambda statement: "DELETE" in statement and spare.exists())

        assert store.forget_pictures(game) == wiped
        assert store.picture(1, "after") is None
        assert (store.picture(other.seq, "after") == b"c") == (game == "g")
        assert spare.exists(), "room is held for the next time"


def test_pictures_are_wiped_though_there_is_no_room_to_make_the_file_smaller(tmp_path, caplog):
    fill(tmp_path, 3)
    with Store(tmp_path) as store:
        FailingDisk(store, lambda statement: statement == "VACUUM")

        assert store.forget_pictures() == 3
        assert store.picture(1, "after") is None
    assert [message.split(",")[0] for message in caplog.messages] == ["pictures are wiped"]


@pytest.mark.parametrize(
    ("most_bytes", "gone", "left"),
    [
        (60, 0, [1, 2, 3]),
        (59, 2, [2, 3]),
        (41, 2, [2, 3]),
        (40, 2, [2, 3]),
        (39, 3, [3]),
        (20, 3, [3]),
        (0, 4, []),
    ],
)
def test_oldest_pictures_go_until_the_rest_take_no_more_room(tmp_path, most_bytes, gone, left):
    with Store(tmp_path) as store:
        store.append("g", "moves", {"n": 1}, {"after": b"x" * 10, "before": b"x" * 10})
        for n in (2, 3):
            store.append("g", "moves", {"n": n}, {"after": b"x" * 20})

        assert store.limit_pictures(most_bytes) == gone
        assert [seq for seq in (1, 2, 3) if store.picture(seq, "after")] == left
        assert len(store.lines("g")) == 3


# --- forgetting a game ---------------------------------------------------------------------------


@pytest.fixture
def two_games(tmp_path):
    with Store(tmp_path) as store:
        store.append("gone", "moves", {"secret": "leaves no trace" * 400}, {"after": b"GONE" * 900})
        store.append("stays", "moves", {"n": 1}, {"after": b"STAYS"})
        store.append("gone", "ended", {})
        for game in ("gone", "stays"):
            store._db.execute("INSERT INTO summaries VALUES (?, 1, 'x', 'y')", (game,))
        yield store


def test_forgotten_game_is_gone_with_its_pictures_and_its_summary(two_games):
    two_games.forget("gone")

    assert two_games.games() == ["stays"]
    assert two_games.lines("gone") == []
    assert two_games.picture(1, "after") is None
    assert two_games._db.execute("SELECT game FROM summaries").fetchall() == [("stays",)]


def test_forgetting_a_game_leaves_the_others_as_they_were(two_games, tmp_path):
    lines = two_games.lines("stays")

    two_games.forget("gone")

    assert two_games.lines("stays") == lines
    assert two_games.picture(2, "after") == b"STAYS"
    two_games.close()
    with Store(tmp_path) as store:
        assert store.salvaged is None
        assert store.games() == ["stays"]


def test_forgotten_game_leaves_no_byte_in_any_file(two_games, tmp_path):
    two_games.forget("gone")

    for file in tmp_path.iterdir():
        data = file.read_bytes()
        assert b"leaves no trace" not in data, file.name
        assert b"GONE" not in data, file.name


def test_log_is_guarded_again_once_a_game_is_forgotten(two_games):
    two_games.forget("gone")

    with pytest.raises(sqlite3.IntegrityError, match="never shortened"):
        two_games._db.execute("DELETE FROM log")
    assert two_games._db.execute("PRAGMA secure_delete").fetchone() == (0,)


def test_number_of_a_forgotten_line_is_not_given_again(two_games, tmp_path):
    two_games.forget("gone")

    assert two_games.append("next", "started", {}).seq == 4
    two_games.forget("next")
    two_games.close()
    with Store(tmp_path) as store:
        store.forget("stays")
        assert store.append("last", "started", {}).seq == 5


def test_number_of_a_forgotten_line_is_not_given_again_after_damage(tmp_path):
    with Store(tmp_path) as store:
        store.append("stays", "moves", {"tile": "blue"})
        store.append("stays", "moves", {"tile": "red"})
        store.append("gone", "started", {})
        store.forget("gone")
    damage(tmp_path, b"blue", b"blur")

    with Store(tmp_path) as store:
        assert store.salvaged is not None
        assert store.append("next", "started", {}).seq == 4


def test_game_that_could_not_be_forgotten_is_there_whole(two_games, tmp_path):
    lines = two_games.lines("gone")
    FailingDisk(two_games, lambda statement: statement == "DELETE FROM log WHERE game = ?")

    with pytest.raises(StoreFull):
        two_games.forget("gone")

    assert two_games.picture(1, "after") == b"GONE" * 900
    two_games.close()
    with Store(tmp_path) as store:
        assert store.salvaged is None
        assert store.lines("gone") == lines
    assert len((tmp_path / COPY).read_text().splitlines()) == 3


# --- opening -------------------------------------------------------------------------------------


def test_second_instance_is_told_that_the_games_are_open(tmp_path):
    with Store(tmp_path), pytest.raises(StoreInUse, match="another Snake Eye"):
        Store(tmp_path)

    assert kept(tmp_path) == []


def test_store_of_a_newer_program_is_left_alone(tmp_path):
    fill(tmp_path, 1)
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()

    with pytest.raises(StoreError, match="newer Snake Eye"):
        Store(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute(f"PRAGMA user_version = {len(keeping.MIGRATIONS)}")
    db.close()
    assert kept(tmp_path) == [("moves", 0)], "who failed to open it gives the lock back"


def test_store_of_an_older_program_is_brought_up_to_date(tmp_path):
    db = sqlite3.connect(tmp_path / FILE)
    db.executescript(keeping.MIGRATIONS[0] + "PRAGMA user_version = 1;")
    db.close()

    with Store(tmp_path) as store:
        store.append("g", "moves", {"n": 1})
        store._db.execute("INSERT INTO summaries VALUES ('g', 1, 'x', 'y')")
        assert store._db.execute("PRAGMA user_version").fetchone() == (len(keeping.MIGRATIONS),)


def test_folder_that_cannot_be_is_said_with_its_place(tmp_path):
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(StoreError, match=r"games cannot be kept in \S*/file/games: .*directory"):
        Store(tmp_path / "file" / "games")


def test_file_that_is_no_store_is_said_with_its_place(tmp_path):
    (tmp_path / FILE).mkdir()

    with pytest.raises(StoreError, match=rf"games cannot be kept in \S*/{FILE}: unable to open"):
        Store(tmp_path)


def test_store_that_fails_while_it_is_closed_gives_the_lock_back(tmp_path):
    fill(tmp_path, 1)
    with Store(tmp_path) as store:
        FailingDisk(store, lambda statement: statement == "close")

    assert kept(tmp_path) == [("moves", 0)]


# --- a disk that fails ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "free_bytes", "said"),
    [
        (sqlite3.OperationalError("database or disk is full"), 1 << 30, StoreFull),
        (OSError(ENOSPC, "No space left on device"), 1 << 30, StoreFull),
        (sqlite3.OperationalError("disk I/O error"), (128 << 10) - 1, StoreFull),
        (sqlite3.OperationalError("disk I/O error"), 128 << 10, StoreError),
        (OSError(EACCES, "Permission denied"), 1 << 30, StoreError),
    ],
)
def test_full_disk_is_told_from_a_broken_one(tmp_path, monkeypatch, error, free_bytes, said):
    asked = []

    def usage(folder):
        asked.append(folder)
        return SimpleNamespace(free=free_bytes)

    monkeypatch.setattr("shutil.disk_usage", usage)

    answer = keeping._said(error, tmp_path / FILE)

    assert type(answer) is said
    assert str(tmp_path / FILE) in str(answer)
    assert (str(error) in str(answer)) == (said is StoreError)
    assert set(asked) <= {tmp_path}


def test_disk_that_cannot_say_how_full_it_is_is_not_called_full(tmp_path):
    answer = keeping._said(sqlite3.OperationalError("disk I/O error"), tmp_path / "gone" / FILE)

    assert type(answer) is StoreError


def test_full_disk_is_said_and_nothing_is_half_written(tmp_path):
    with Store(tmp_path) as store:
        store.append("g", "moves", {"n": 1})
        (pages,) = store._db.execute("PRAGMA page_count").fetchone()
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreFull, match="disk is full"):
            store.append("g", "moves", {"n": 2}, {"after": b"x" * 100_000})
        store._db.execute("PRAGMA max_page_count = 100000")
        store.append("g", "moves", {"n": 3})

    assert kept(tmp_path) == [("moves", 1), ("moves", 3)]


# --- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0.02, 0.3, 0.6, 0.95])
def test_damaged_store_is_put_aside_and_its_log_salvaged(tmp_path, place):
    fill(tmp_path, 40)
    (tmp_path / COPY).unlink()
    file = tmp_path / FILE
    data = bytearray(file.read_bytes())
    at = int(len(data) * place)
    data[at : at + 300] = b"\xa5" * 300
    file.write_bytes(bytes(data))

    with Store(tmp_path) as store:
        lines = store.lines("g")
        if store.salvaged is None:
            # The bytes were between the lines, where nothing is kept.
            assert len(lines) == 40
        else:
            assert store.salvaged.read_bytes() == bytes(data)
        # Three hundred bytes hold at most three lines.
        assert len(lines) >= 37
        assert [line.seq for line in lines] == sorted(line.seq for line in lines)
        store.append("g", "moves", {"n": 99})


def test_lines_of_a_game_that_was_deleted_are_not_told_as_lost(tmp_path):
    with Store(tmp_path) as store:
        store.append("kept", "started", {})
        for number in range(9):
            store.append("deleted", "move", {"n": number})
        store.append("newer", "started", {})
        store.forget("deleted")
    # A power cut left half a line in the copy; later the head of the file was damaged.
    with (tmp_path / "games.log").open("ab") as copy:
        copy.write(b'{"seq": 12, "ga')
    with (tmp_path / FILE).open("r+b") as file:
        file.write(bytes(100))

    with Store(tmp_path) as store:
        assert store.games() == ["kept", "newer"]
    found = told(tmp_path)
    assert found is not None
    assert found.lines_lost == 0


@pytest.mark.parametrize("block_bytes", [1000, salvage.BLOCK_BYTES])
def test_store_whose_header_is_gone_is_salvaged_from_its_bytes(tmp_path, monkeypatch, block_bytes):
    monkeypatch.setattr(salvage, "BLOCK_BYTES", block_bytes)
    fill(tmp_path, 20)
    (tmp_path / COPY).unlink()
    file = tmp_path / FILE
    data = file.read_bytes()
    file.write_bytes(b"\x00" * 4096 + data[4096:])

    assert [n for _, n in kept(tmp_path)] == list(range(20))


def test_salvage_takes_less_memory_than_the_pictures(tmp_path):
    with Store(tmp_path) as store:
        for n in range(8):
            store.append("g", "moves", {"tile": "blue", "n": n}, {"after": bytes([n]) * (2 << 20)})
    damage(tmp_path, b"blue", b"blur")

    tracemalloc.start()
    with Store(tmp_path) as store:
        _, most_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert store.salvaged is not None
        assert store.picture(1, "after") == bytes(2 << 20)
    assert most_bytes < 8 << 20


def test_single_wrong_letter_in_a_line_is_noticed(tmp_path):
    fill(tmp_path, 5)
    damage(tmp_path)

    with Store(tmp_path) as store:
        assert store.salvaged is not None
        assert len(store.lines("g")) == 4


def test_what_was_saved_and_what_was_not_is_told(tmp_path):
    with Store(tmp_path) as store:
        store.append("g", "moves", {"tile": "red"}, {"before": b"1", "after": b"2"})
        store.append("g", "moves", {"tile": "blue"}, {"after": b"3"})
        store.append("other", "moves", {}, {"before": b"4", "after": b"5"})
    damage(tmp_path, b"blue", b"blur")

    with Store(tmp_path) as store:
        assert [line.seq for line in store.lines("g") + store.lines("other")] == [1, 3]
        assert store.picture(1, "after") == b"2"
        assert store.picture(2, "after") is None
        assert store.picture(3, "before") == b"4"
    assert told(tmp_path) == Salvaged(games=2, lines=2, lines_lost=1, pictures=4, pictures_lost=1)


def test_deleted_games_are_not_told_as_lost(tmp_path):
    fill(tmp_path, 5)
    with Store(tmp_path) as store:
        store.append("other", "moves", {"tile": "red"})
        store.forget("g")
        store.append("other", "moves", {"tile": "blue"})
    file = tmp_path / FILE
    file.write_bytes(b"\x00" * 4096 + file.read_bytes()[4096:])

    with Store(tmp_path) as store:
        assert len(store.lines("other")) == 2
    found = told(tmp_path)
    assert found is not None
    assert (found.games, found.lines, found.lines_lost) == (1, 2, 0)


def test_store_of_which_nothing_is_left_is_begun_anew(tmp_path):
    (tmp_path / FILE).write_bytes(b"no database" * 1000)

    with Store(tmp_path) as store:
        assert store.games() == []
        assert store.salvaged == tmp_path / "games.damaged-1.sqlite3"
    assert told(tmp_path) == Salvaged(0, 0, 0, 0, 0)


def test_damaged_files_are_put_aside_by_numbers_that_are_free(tmp_path):
    for _ in range(3):
        (tmp_path / FILE).write_bytes(b"no database" * 1000)
        Store(tmp_path).close()

    assert sorted(file.name for file in tmp_path.glob("games.damaged-*")) == [
        f"games.damaged-{number}.sqlite3" for number in (1, 2, 3)
    ]


def test_damaged_store_is_put_aside_with_its_write_ahead_file(tmp_path):
    running, found = tmp_path / "running", tmp_path / "found"
    found.mkdir()
    with Store(running) as store:
        store.append("g", "moves", {"n": 1})
        (found / FILE).write_bytes(b"no database" * 1000)
        ahead = bytearray((running / f"{FILE}-wal").read_bytes())
        ahead[24:32] = bytes(8)  # the checksum of its head
        (found / f"{FILE}-wal").write_bytes(ahead)

    with Store(found) as store:
        assert [line.body for line in store.lines("g")] == [{"n": 1}]
        assert store.salvaged is not None
        assert store.salvaged.with_name(f"{store.salvaged.name}-wal").read_bytes() == ahead


def test_salvage_that_broke_off_is_begun_anew(tmp_path):
    fill(tmp_path, 2)
    (tmp_path / FILE).write_bytes(b"")
    for end in ("", "-wal", "-shm"):
        (tmp_path / f"games.salvaged.sqlite3{end}").write_bytes(b"half written" * 1000)

    assert [n for _, n in kept(tmp_path)] == [0, 1]
    assert list(tmp_path.glob("games.salvaged.sqlite3*")) == []


def test_salvage_that_fails_leaves_the_damaged_store_where_it_is(tmp_path):
    fill(tmp_path, 2)
    (tmp_path / FILE).write_bytes(b"no database")
    (tmp_path / "games.salvaged.sqlite3").mkdir()

    with pytest.raises(StoreError):
        Store(tmp_path)

    assert (tmp_path / FILE).read_bytes() == b"no database"
    (tmp_path / "games.salvaged.sqlite3").rmdir()
    assert [n for _, n in kept(tmp_path)] == [0, 1]


def test_second_copy_fills_what_the_damage_took(tmp_path):
    fill(tmp_path, 20)
    file = tmp_path / FILE
    data = file.read_bytes()
    file.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))

    with Store(tmp_path) as store:
        assert store.salvaged is not None
        assert [line.body["n"] for line in store.lines("g")] == list(range(20))


@pytest.mark.parametrize("left", [None, b""], ids=["gone", "empty"])
def test_store_that_is_gone_comes_back_from_the_second_copy(tmp_path, left):
    fill(tmp_path, 5)
    (tmp_path / FILE).unlink()
    if left is not None:
        (tmp_path / FILE).write_bytes(left)

    assert [n for _, n in kept(tmp_path)] == list(range(5))


def test_second_copy_of_another_store_is_written_anew(tmp_path):
    fill(tmp_path / "one", 3)
    with Store(tmp_path / "two") as store:
        store.append("other", "moves", {"n": 7})
    (tmp_path / "one" / COPY).replace(tmp_path / "two" / COPY)

    with Store(tmp_path / "two") as store:
        assert store.games() == ["other"]
    assert (tmp_path / "two" / COPY).read_text().count("\n") == 1


def test_nothing_announced_is_lost_when_the_process_is_killed(tmp_path):
    script = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from companion_app.live.store import Store
        store = Store(Path(sys.argv[1]))
        for n in range(100000):
            store.append("g", "moves", {"n": n}, {"after": b"x" * 2000})
            sys.stdout.write(f"{n}\\n")
            sys.stdout.flush()
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    announced = [int(process.stdout.readline()) for _ in range(25)]
    process.send_signal(signal.SIGKILL)
    announced += [int(line) for line in process.stdout if line.endswith("\n")]
    process.stdout.close()
    process.wait()

    found = [n for _, n in kept(tmp_path)]
    assert found[: len(announced)] == announced

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from errno import EACCES, EIO, ENOSPC
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from companion_app.games import log as logs
from companion_app.games.entries import Line, read_line, written
from companion_app.live import store as keeping
from companion_app.live.damage import Damage, told
from companion_app.live.errors import StoreError, StoreFull, StoreInUse
from companion_app.live.store import FILE, Store

ROOT = Path(__file__).parents[3]
LOG = "games/g/log"


def kept(folder: Path, game: str = "g") -> list[tuple[str, object]]:
    with Store(folder) as store:
        return [(line.kind, line.body["n"]) for line in store.lines(game)]


def numbers(folder: Path, game: str = "g") -> list[object]:
    return [number for _, number in kept(folder, game)]


def fill(folder: Path, count: int) -> None:
    with Store(folder) as store:
        for n in range(count):
            store.append("g", "moves", {"n": n, "moves": [{"tile": "blue/curve"}]}, {"after": b"x"})


def decide(store: Store, *bodies: object) -> None:
    """Write a decision of several lines."""
    coming = [store.coming("g", "moves", {"n": n}, ahead) for ahead, n in enumerate(bodies)]
    store.write([(line, {}) for line in coming])


class FailingDisk:
    """The index of a store on a disk that has no room for some statements."""

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


def test_folder_is_made_where_there_is_none(tmp_path):
    fill(tmp_path / "of" / "games", 1)

    assert kept(tmp_path / "of" / "games") == [("moves", 0)]


def test_store_serves_every_thread(tmp_path):
    with Store(tmp_path) as store:
        other = Thread(target=store.append, args=("g", "moves", {"n": 1}))
        other.start()
        other.join()

        assert len(store.lines("g")) == 1


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


# --- the log -------------------------------------------------------------------------------------


def test_line_is_in_the_log_of_its_game_as_soon_as_it_is_kept(tmp_path):
    with Store(tmp_path) as store:
        line = store.append("g", "moves", {"n": 1})

        assert (tmp_path / LOG).read_text() == written(line) + "\n"


def test_decision_is_one_write_and_one_wait_for_the_disk(tmp_path, monkeypatch):
    fill(tmp_path, 1)
    with Store(tmp_path) as store, monkeypatch.context() as disk:
        calls = Mock()
        for name in ("write", "fsync"):
            disk.setattr(os, name, Mock(side_effect=getattr(os, name)))
            calls.attach_mock(getattr(os, name), name)
        decide(store, 1, 2, 3)

    assert [name for name, *_ in calls.mock_calls] == ["write", "fsync"]


@pytest.mark.parametrize("game", ["../g", "a/b", "", "ä", "x" * 100, "..", "a.b", "=0"])
def test_every_game_has_a_folder_among_the_others_whatever_it_is_called(tmp_path, game):
    folder = logs.folder_of(tmp_path, game)

    assert folder.parent == tmp_path / "games"
    assert folder.name not in ("", ".", "..", game)


@pytest.mark.parametrize("lines_left", [0, 1, 2])
@pytest.mark.parametrize("has_index", [False, True])
def test_half_a_decision_is_none(tmp_path, lines_left, has_index):
    with Store(tmp_path) as store:
        decide(store, 0)
        index = (tmp_path / FILE).read_bytes(), (tmp_path / f"{FILE}-wal").read_bytes()
        decide(store, 1, 2, 3)
    (tmp_path / FILE).unlink()
    if has_index:
        (tmp_path / FILE).write_bytes(index[0])
        (tmp_path / f"{FILE}-wal").write_bytes(index[1])
    *texts, _ = (tmp_path / LOG).read_text().split("\n")
    (tmp_path / LOG).write_text("\n".join(texts[: 1 + lines_left]) + "\n" + texts[-1][:40])

    with Store(tmp_path) as store:
        assert [line.body["n"] for line in store.lines("g")] == [0]
        assert store.damage is None
        decide(store, 4, 5)
    assert numbers(tmp_path) == [0, 4, 5]
    assert told(tmp_path) is None


def test_refused_decision_that_could_not_be_cut_off_does_not_count(tmp_path, monkeypatch):
    fill(tmp_path, 1)
    with Store(tmp_path) as store:
        monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError(EIO, "Input/output error")))
        monkeypatch.setattr(os, "ftruncate", Mock(side_effect=OSError(EIO, "Input/output error")))
        with pytest.raises(StoreError):
            decide(store, 1, 2, 3)
        monkeypatch.undo()
        decide(store, 4, 5)
    (tmp_path / FILE).unlink()

    assert numbers(tmp_path) == [0, 4, 5]


def test_what_the_index_cannot_take_is_not_in_the_log_either(tmp_path):
    fill(tmp_path, 1)
    before = (tmp_path / LOG).read_bytes()
    with Store(tmp_path) as store:
        index = FailingDisk(store, lambda statement: statement == "COMMIT")
        with pytest.raises(StoreFull):
            store.append("g", "foul", {"n": 1}, {"before": b"jpeg"})
        assert (tmp_path / LOG).read_bytes() == before
        store._db = index._db
        store.append("g", "moves", {"n": 2})

        assert store.picture(2, "before") is None, "a picture of what was refused is of no line"
    assert numbers(tmp_path) == [0, 2]


def test_picture_of_a_line_that_never_came_is_not_of_the_next(tmp_path):
    fill(tmp_path, 1)
    (tmp_path / "games/g/2-before.jpg").write_bytes(b"killed before the line")

    with Store(tmp_path) as store:
        line = store.append("g", "moves", {"n": 1})
        assert store.picture(line.seq, "before") is None


def test_lines_that_do_not_come_next_are_refused(tmp_path):
    with Store(tmp_path) as store:
        line = store.coming("g", "moves", {"n": 1})
        store.append("g", "moves", {"n": 0})

        with pytest.raises(StoreError, match="other lines came first"):
            store.write([(line, {})])
    assert numbers(tmp_path) == [0]


@pytest.mark.parametrize(("more", "read"), [(0, 0), (2, 2), (-1, None), ("2", None), (1.0, None)])
def test_line_with_an_odd_number_of_lines_to_follow_is_none(more, read):
    line = read_line(written(Line(1, "g", "moves", {}, 0.0, more)))

    assert (line and line.more) == read


# --- pictures ------------------------------------------------------------------------------------


def test_pictures_are_files_beside_the_log(tmp_path):
    fill(tmp_path, 2)

    assert (tmp_path / "games/g/2-after.jpg").read_bytes() == b"x"


def test_picture_that_a_power_cut_left_empty_is_none(tmp_path):
    fill(tmp_path, 1)
    (tmp_path / "games/g/1-after.jpg").write_bytes(b"")

    with Store(tmp_path) as store:
        assert store.picture(1, "after") is None


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
        assert [file.name for file in (tmp_path / "games/g").iterdir()] == ["log"]


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


def test_forgotten_game_is_gone_with_its_pictures_and_the_others_stay(two_games, tmp_path):
    lines = two_games.lines("stays")

    two_games.forget("gone")

    assert two_games.games() == ["stays"]
    assert two_games.lines("gone") == []
    assert two_games.picture(1, "after") is None
    assert two_games._db.execute("SELECT game FROM summaries").fetchall() == [("stays",)]
    two_games.close()
    with Store(tmp_path) as store:
        assert (store.games(), store.damage) == (["stays"], None)
        assert store.lines("stays") == lines
        assert store.picture(2, "after") == b"STAYS"


def test_forgotten_game_leaves_no_byte_in_any_file(two_games, tmp_path):
    two_games.forget("gone")

    for file in tmp_path.rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        assert b"leaves no trace" not in data, file.name
        assert b"GONE" not in data, file.name


@pytest.mark.parametrize("has_index", [True, False])
def test_number_of_a_forgotten_line_is_not_given_again(two_games, tmp_path, has_index):
    two_games.forget("gone")

    assert two_games.append("next", "started", {}).seq == 4
    two_games.forget("next")
    two_games.close()
    if not has_index:
        (tmp_path / FILE).write_bytes(b"no database" * 1000)
    with Store(tmp_path) as store:
        store.forget("stays")
        assert store.append("last", "started", {}).seq == 5


def test_game_that_could_not_be_forgotten_is_there_whole(two_games, tmp_path):
    lines = two_games.lines("gone")
    FailingDisk(two_games, lambda statement: statement == "DELETE FROM log WHERE game = ?")

    with pytest.raises(StoreFull):
        two_games.forget("gone")

    assert two_games.picture(1, "after") == b"GONE" * 900
    two_games.close()
    with Store(tmp_path) as store:
        assert (store.lines("gone"), store.damage) == (lines, None)


def test_game_that_was_forgotten_by_half_when_the_power_went_is_gone(two_games, tmp_path):
    (tmp_path / "games/gone").rename(tmp_path / "games/gone.forgotten")
    two_games._db.execute("DELETE FROM log WHERE game = 'gone'")
    two_games._save_numbers([2])
    two_games.close()

    with Store(tmp_path) as store:
        assert (store.games(), store.damage) == (["stays"], None)
    assert not (tmp_path / "games/gone.forgotten").exists()


def test_forgotten_game_does_not_come_back_from_an_older_index(two_games, tmp_path):
    two_games._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    older = (tmp_path / FILE).read_bytes()
    two_games.forget("gone")
    two_games.close()
    (tmp_path / FILE).write_bytes(older)

    with Store(tmp_path) as store:
        assert (store.games(), store.lines("gone"), store.damage) == (["stays"], [], None)
    assert [file.name for file in (tmp_path / "games").iterdir() if file.is_dir()] == ["stays"]


# --- opening -------------------------------------------------------------------------------------


def test_second_instance_is_told_that_the_games_are_open(tmp_path):
    with Store(tmp_path), pytest.raises(StoreInUse, match="another Snake Eye"):
        Store(tmp_path)

    assert kept(tmp_path) == []


def test_index_of_a_newer_program_is_left_alone(tmp_path):
    fill(tmp_path, 1)
    for version, error in ((99, "newer Snake Eye"), (keeping.INDEX_VERSION, None)):
        with closing(sqlite3.connect(tmp_path / FILE)) as db:
            db.execute(f"PRAGMA user_version = {version}")
        if error:
            with pytest.raises(StoreError, match=error):
                Store(tmp_path)
    assert kept(tmp_path) == [("moves", 0)], "who failed to open it gives the lock back"


@pytest.mark.parametrize(
    "bytes_of_index", [None, b"", b"no database" * 1000], ids=["gone", "empty", "none"]
)
def test_index_is_made_anew_from_the_logs(tmp_path, bytes_of_index):
    fill(tmp_path, 5)
    (tmp_path / FILE).unlink()
    if bytes_of_index is not None:
        (tmp_path / FILE).write_bytes(bytes_of_index)

    assert numbers(tmp_path) == list(range(5))
    assert told(tmp_path) is None


def test_lines_count_in_whatever_order_they_lie(tmp_path):
    fill(tmp_path, 6)
    *texts, _ = (tmp_path / LOG).read_text().split("\n")
    (tmp_path / LOG).write_text("\n".join([*texts[3:], *texts[:3], texts[1]]) + "\n")
    (tmp_path / FILE).unlink()

    assert numbers(tmp_path) == list(range(6))
    assert told(tmp_path) is None


def test_index_of_other_games_is_made_anew(tmp_path):
    fill(tmp_path / "one", 3)
    with Store(tmp_path / "two") as store:
        store.append("other", "moves", {"n": 7})
        store.append("g", "moves", {"n": 8})
    (tmp_path / "one" / LOG).replace(tmp_path / "two" / LOG)
    (tmp_path / "two" / LOG).write_text((tmp_path / "two" / LOG).read_text().split("\n", 1)[1])

    with Store(tmp_path / "two") as store:
        assert [line.seq for line in store.lines("g")] == [2, 3]
        assert store.games() == ["other", "g"]


def test_folder_that_cannot_be_is_said_with_its_place(tmp_path):
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(StoreError, match=r"games cannot be kept in \S*/file/games: .*directory"):
        Store(tmp_path / "file" / "games")


def test_file_that_is_no_index_is_said_with_its_place(tmp_path):
    (tmp_path / FILE).mkdir()

    with pytest.raises(StoreError, match=rf"games cannot be kept in \S*/{FILE}: unable to open"):
        Store(tmp_path)


def test_log_that_cannot_be_read_is_no_empty_one(tmp_path, monkeypatch):
    fill(tmp_path, 2)
    before = (tmp_path / LOG).read_bytes()
    monkeypatch.setattr(Path, "read_bytes", Mock(side_effect=OSError(EIO, "Input/output error")))
    with pytest.raises(StoreError, match="Input/output"):
        Store(tmp_path)
    monkeypatch.undo()

    assert (tmp_path / LOG).read_bytes() == before


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


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_full_disk_is_said_and_nothing_is_half_written(tmp_path, monkeypatch, call):
    with Store(tmp_path) as store:
        store.append("g", "moves", {"n": 1})
        monkeypatch.setattr(os, call, Mock(side_effect=OSError(ENOSPC, "No space left on device")))
        with pytest.raises(StoreFull, match="disk is full"):
            store.append("g", "moves", {"n": 2}, {"after": b"x"})
        monkeypatch.undo()
        assert store.picture(2, "after") is None
        store.append("g", "moves", {"n": 3})

    assert kept(tmp_path) == [("moves", 1), ("moves", 3)]


# --- damage --------------------------------------------------------------------------------------


def damage(home: Path, first: int, upto: int, by: bytes = b"\xa5") -> bytes:
    """Overwrite the lines from one to another in their middles; return the damaged log."""
    texts = (home / LOG).read_bytes().split(b"\n")
    begin = len(b"\n".join(texts[:first])) + 20
    end = len(b"\n".join(texts[: upto + 1])) - 20
    data = (home / LOG).read_bytes()
    data = data[:begin] + by * (end - begin) + data[end:]
    (home / LOG).write_bytes(data)
    return data


@pytest.mark.parametrize(("first", "upto"), [(0, 0), (3, 3), (3, 6), (9, 9)])
def test_lines_that_a_log_has_lost_come_back_from_the_index(tmp_path, first, upto):
    fill(tmp_path, 10)
    before, harmed = (tmp_path / LOG).read_bytes(), damage(tmp_path, first, upto)

    assert numbers(tmp_path) == list(range(10))
    assert (tmp_path / LOG).read_bytes() == before
    assert (tmp_path / "games/g/damaged-1").read_bytes() == harmed
    assert told(tmp_path) is None


@pytest.mark.parametrize("by", [b"\xa5", b"\n", b"\0"])
@pytest.mark.parametrize(("first", "upto"), [(0, 0), (3, 3), (3, 6), (5, 8)])
def test_damage_to_log_and_index_costs_the_damaged_lines_alone_and_is_told(
    tmp_path, first, upto, by
):
    fill(tmp_path, 10)
    harmed = damage(tmp_path, first, upto, by)
    (tmp_path / FILE).unlink()
    lost = upto - first + 1

    with Store(tmp_path) as store:
        assert store.damage == Damage(lines=lost, games=1)
    assert told(tmp_path) == Damage(lines=lost, games=1)
    assert numbers(tmp_path) == [n for n in range(10) if not first <= n <= upto]
    assert (tmp_path / "games/g/damaged-1").read_bytes() == harmed
    with Store(tmp_path) as store:
        assert store.damage is None, "it is told once"
        assert store.append("g", "moves", {"n": 10}).seq == 11


def test_last_line_that_is_damaged_is_told_and_its_number_not_given_again(tmp_path):
    fill(tmp_path, 3)
    damage(tmp_path, 2, 2)
    (tmp_path / FILE).unlink()

    with Store(tmp_path) as store:
        assert store.damage == Damage(lines=1, games=1)
        assert store.append("g", "moves", {"n": 3}).seq == 4


def test_single_wrong_letter_in_a_line_is_noticed(tmp_path):
    fill(tmp_path, 5)
    (tmp_path / FILE).unlink()
    (tmp_path / LOG).write_bytes((tmp_path / LOG).read_bytes().replace(b"curve", b"curse", 1))

    assert numbers(tmp_path) == [1, 2, 3, 4]


def test_lines_of_forgotten_games_are_not_told_as_lost(tmp_path):
    with Store(tmp_path) as store:
        for number in range(12):
            store.append(("g", "gone", "g")[number // 4], "moves", {"n": number})
        store.append("gone", "names", {})
        store.append("g", "moves", {"n": 12})
        store.forget("gone")
    damage(tmp_path, 2, 2)
    (tmp_path / FILE).write_bytes(b"no database" * 1000)

    with Store(tmp_path) as store:
        assert store.damage == Damage(lines=1, games=1)


def test_nothing_is_told_as_lost_where_nobody_knows_what_was_forgotten(tmp_path):
    with Store(tmp_path) as store:
        store.append("gone", "moves", {"n": 0})
        store.append("g", "moves", {"n": 1})
        store.forget("gone")
    (tmp_path / "games/numbers.json").write_bytes(b"\0" * 30)

    with Store(tmp_path) as store:
        assert store.damage is None
        assert store.append("g", "moves", {"n": 2}).seq == 3


def test_game_whose_folder_is_gone_comes_back_from_the_index(tmp_path):
    fill(tmp_path, 3)
    (tmp_path / LOG).unlink()
    (tmp_path / "games/g/1-after.jpg").unlink()

    assert numbers(tmp_path) == [0, 1, 2]
    assert (tmp_path / LOG).exists()


def test_damaged_log_that_cannot_be_mended_stays_as_it_is(tmp_path, monkeypatch):
    fill(tmp_path, 3)
    harmed = damage(tmp_path, 1, 1)
    monkeypatch.setattr(
        logs, "write_whole", Mock(side_effect=OSError(ENOSPC, "No space left on device"))
    )
    with pytest.raises(StoreFull):
        Store(tmp_path)
    monkeypatch.undo()

    assert (tmp_path / LOG).read_bytes() == harmed
    assert numbers(tmp_path) == [0, 1, 2]


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

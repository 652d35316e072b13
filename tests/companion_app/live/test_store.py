import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from companion_app.live import store as keeping
from companion_app.live.errors import StoreError, StoreFull, StoreInUse
from companion_app.live.second_copy import FILE as COPY
from companion_app.live.store import FILE, Store

ROOT = Path(__file__).parents[3]


def kept(folder: Path, game: str = "g") -> list[tuple[str, object]]:
    with Store(folder) as store:
        return [(line.kind, line.body["n"]) for line in store.lines(game)]


def fill(folder: Path, count: int) -> None:
    with Store(folder) as store:
        for n in range(count):
            store.append("g", "moves", {"n": n, "moves": [{"tile": "blue/curve"}]}, {"after": b"x"})


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


def test_store_whose_header_is_gone_is_salvaged_from_its_bytes(tmp_path):
    fill(tmp_path, 20)
    (tmp_path / COPY).unlink()
    file = tmp_path / FILE
    data = file.read_bytes()
    file.write_bytes(b"\x00" * 4096 + data[4096:])

    assert [n for _, n in kept(tmp_path)] == list(range(20))


def test_single_wrong_letter_in_a_line_is_noticed(tmp_path):
    fill(tmp_path, 5)
    (tmp_path / COPY).unlink()
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes().replace(b"blue/curve", b"blue/curse", 1))

    with Store(tmp_path) as store:
        assert store.salvaged is not None
        assert len(store.lines("g")) == 4


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
        stdout=subprocess.PIPE, cwd=ROOT, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stdout is not None
    announced = [int(process.stdout.readline()) for _ in range(25)]
    process.send_signal(signal.SIGKILL)
    announced += [int(line) for line in process.stdout if line.endswith("\n")]
    process.stdout.close()
    process.wait()

    found = [n for _, n in kept(tmp_path)]
    assert found[: len(announced)] == announced

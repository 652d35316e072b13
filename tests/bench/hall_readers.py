"""Photos for a hall: what a second worker gains over one, and whether any table starves.

The yardstick is plain loops that read the same photo in the same run, without queue and database.
Needs PostgreSQL and the extra ``hall``; says so where they are missing. No asserts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from tests.browser.chromium import wait_until
from tests.companion_app.hall import cluster as clusters
from tests.faults.hall import ROOT, why_not

if TYPE_CHECKING:
    from companion_app.hall.store.hall_store import HallStore

Row = tuple[str, float, str, str]
SECONDS = float(os.environ.get("HALL_READ_SECONDS", "30"))
TURNS = int(os.environ.get("HALL_READ_TURNS", "2"))
"""How often each is measured, in turns: the machine is shared."""
AT_ONCE = int(os.environ.get("HALL_PHOTOS", "200"))
OF_ONE = 10
"""Photos of one table."""
PHOTO, GAME = ROOT / "tests/examples/table.jpg", "schlangennest"
LONGEST_S = 1800.0


def rows() -> Iterator[Row]:
    """Yield the figures."""
    if why := why_not():
        yield ("readers of the hall", float("nan"), "", f"not measured: {why}")
        return
    read = {"loops": {1: 0, 2: 0}, "workers": {1: 0, 2: 0}}
    with clusters.Cluster() as cluster, tempfile.TemporaryDirectory() as home:
        for _ in range(TURNS):
            for count in (1, 2):
                read["loops"][count] += read_by_loops(count)
                with at_work(cluster, Path(home), count, AT_ONCE) as store:
                    read["workers"][count] += read_meanwhile(store)
        loops, workers = read["loops"], read["workers"]
        gain = (workers[2] / max(1, workers[1])) / (loops[2] / max(1, loops[1]))
        yield (
            "gain of a second worker, over that of a second plain loop",
            gain,
            "times",
            f"photos in {TURNS} x {SECONDS:g} s: workers {workers[1]} and {workers[2]}, "
            f"loops {loops[1]} and {loops[2]}",
        )
        with at_work(cluster, Path(home), 2, AT_ONCE) as store:
            wait_until(lambda: answered(store) == AT_ONCE, LONGEST_S, "all photos")
            first_s, last_s = waits_s(store)
    yield (
        f"longest wait of a table's first photo, over the last of {AT_ONCE} at once",
        first_s / last_s,
        "times",
        f"{AT_ONCE} photos of {AT_ONCE // OF_ONE} tables all answered; {first_s:.0f} s against "
        f"{last_s:.0f} s",
    )


def read_by_loops(count: int) -> int:
    """Return how many photos so many plain loops read in the time."""
    loops = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.bench.hall_readers"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(count)
    ]
    for loop in loops:
        assert loop.stdout is not None
        loop.stdout.readline()
    for loop in loops:
        assert loop.stdin is not None
        loop.stdin.write("go\n")
        loop.stdin.flush()
    return sum(int(loop.communicate()[0]) for loop in loops)


def loop() -> None:
    """Read the photo again and again until the time is over; write how often."""
    from companion_app.home import set_folders
    from companion_app.web.lessons.photo_reading import read_photo
    from companion_app.web.place import Place
    from companion_app.web.scoring import scored_photo

    place, jpeg = Place(Path(), set_folders()), PHOTO.read_bytes()
    scored_photo(place, "en", read_photo, jpeg, GAME, None)
    print("ready", flush=True)
    sys.stdin.readline()
    until_s, done = time.monotonic() + SECONDS, 0
    while time.monotonic() < until_s:
        scored_photo(place, "en", read_photo, jpeg, GAME, None)
        done += 1
    print(done, flush=True)


@contextmanager
def at_work(cluster: clusters.Cluster, home: Path, count: int, photos: int) -> Iterator[HallStore]:
    """Return the store of a hall in which so many workers read so many photos."""
    from companion_app.hall import photos as waiting
    from companion_app.hall.store.database import address_of, open_engine
    from companion_app.hall.store.hall_store import HallStore

    database = cluster.new_database(f"readers{time.time_ns()}")
    store = HallStore(open_engine(address_of(database, home)))
    jpeg = PHOTO.read_bytes()
    for number in range(photos):
        whose = f"table{number // OF_ONE}"
        waiting.ask(store, whose, GAME, "", "en", jpeg)
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "companion_app.cli", "reader", "--database", database],
            cwd=ROOT,
            env={**os.environ, "SNAKE_EYE_HOME": str(home / str(n))},
            stdout=subprocess.DEVNULL,
        )
        for n in range(count)
    ]
    try:
        yield store
    finally:
        for worker in workers:
            worker.kill()
            worker.wait(20)
        store.close()


def read_meanwhile(store: HallStore) -> int:
    """Return how many photos are answered in the time, from when all workers are warm."""
    wait_until(lambda: answered(store) >= 2, LONGEST_S, "the first photos")
    before = answered(store)
    time.sleep(SECONDS)
    return answered(store) - before


def answered(store: HallStore) -> int:
    """Return how many photos are answered."""
    from companion_app.hall.store.schema import photos

    with store.reading() as line:
        asked = select(func.count()).where(photos.c.answered_s.is_not(None))
        return int(line.execute(asked).scalar_one())


def waits_s(store: HallStore) -> tuple[float, float]:
    """Return the longest wait of any table's first photo, and of any photo."""
    from companion_app.hall.store.schema import photos

    with store.reading() as line:
        found = line.execute(select(photos.c.rank, photos.c.answered_s, photos.c.asked_s)).all()
    begun_s = min(row.asked_s for row in found)
    waits = [(row.rank, row.answered_s - begun_s) for row in found]
    return max(wait for rank, wait in waits if not rank), max(wait for _, wait in waits)


if __name__ == "__main__":
    loop()

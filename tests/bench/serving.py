"""The page in a crowd on one core: 220 phones listen while 20 guests ask without a pause.

``python -m tests.bench.serving ../other`` measures another checkout beside this one, in turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from tests.faults.companion import family, memory_mb
from tests.faults.load import House

LISTENERS, GUESTS, SECONDS, ROUNDS = 220, 20, 8.0, 2
HERE = Path(__file__).parents[2]
PATHS = ("/api/state", "/api/me", "/", "/api/table.svg")

Row = tuple[str, float, str, str]


@dataclass
class Crowded:
    """What the guests saw of one page."""

    took_ms: list[float] = field(default_factory=list)
    seconds: float = 0.0
    page_mb: float = 0.0
    refused: int = 0

    def share_ms(self, share: float) -> float:
        """Return the time within which a share of the requests was answered."""
        ordered = sorted(self.took_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def rows(checkout: Path = HERE) -> list[Row]:
    """Return the figures of a checkout."""
    crowded = Crowded()
    for _ in range(ROUNDS):
        crowd(checkout, crowded)
    return told(crowded)


def told(crowded: Crowded) -> list[Row]:
    """Return the rows of what was seen."""
    counted = f"{len(crowded.took_ms)} answers, {crowded.refused} refused, one core for the page"
    return [
        ("page: a request in a crowd, median", crowded.share_ms(0.5), "ms", counted),
        ("page: a request in a crowd, 99 of 100 within", crowded.share_ms(0.99), "ms", counted),
        (
            "page: requests in a crowd",
            len(crowded.took_ms) / crowded.seconds,
            "a second",
            f"{LISTENERS} phones listen, {GUESTS} guests ask for {', '.join(PATHS)}",
        ),
        ("page: memory of its process in a crowd", crowded.page_mb, "MB (PSS)", "at the end"),
    ]


def crowd(checkout: Path, crowded: Crowded) -> None:
    """Fill the page of a checkout with phones and guests, and add what was seen."""
    with page_of(checkout) as (url, pid), House(url) as house:
        house.listen(LISTENERS)
        house.hear(3.0)
        end_s = time.monotonic() + SECONDS
        guests = [
            threading.Thread(target=ask, args=(url, number, end_s, crowded), daemon=True)
            for number in range(GUESTS)
        ]
        for guest in guests:
            guest.start()
        house.hear(SECONDS)
        for guest in guests:
            guest.join()
        crowded.seconds += SECONDS
        crowded.page_mb = max(crowded.page_mb, memory_mb(pid))


def ask(url: str, number: int, end_s: float, crowded: Crowded) -> None:
    """Ask for one thing after the other, each on a line of its own."""
    where = urlsplit(url)
    while time.monotonic() < end_s:
        began_s = time.monotonic()
        line = HTTPConnection(
            str(where.hostname), where.port, 60, source_address=(f"127.0.1.{number + 1}", 0)
        )
        line.request("GET", PATHS[number % len(PATHS)])
        answer = line.getresponse()
        answer.read()
        line.close()
        if answer.status == 200:
            crowded.took_ms.append(1000 * (time.monotonic() - began_s))
        else:
            crowded.refused += 1
            time.sleep(0.2)


@contextmanager
def page_of(checkout: Path) -> Iterator[tuple[str, int]]:
    """Run the companion of a checkout, its page on one core; yield its address and that process."""
    command = [sys.executable, "-m", "companion_app.cli", "run", "--json", "--source", "demo"]
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [*command, "--game", "schlangennest", "--host", "127.0.0.1", "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": str(checkout), "SNAKE_EYE_HOME": home},
        )
        assert process.stdout is not None
        try:
            url = json.loads(process.stdout.readline())["url"]
            (page,) = [pid for pid in family(process.pid) if _is_page(pid)]
            for pid in family(process.pid):
                _keep_to(pid, cores[:1] if pid == page else cores[1:])
            _keep_to(os.getpid(), cores[1:])
            yield str(url), page
        finally:
            _keep_to(os.getpid(), cores)
            process.terminate()
            process.wait(20)
            process.stdout.close()


def _keep_to(pid: int, cores: list[int]) -> None:
    """Hold all threads of a process on some cores, where the machine has so many."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread.name), cores or os.sched_getaffinity(0))


def _is_page(pid: int) -> bool:
    return b"companion_app.web\0" in Path(f"/proc/{pid}/cmdline").read_bytes()


def main(others: list[str]) -> None:
    """Measure this checkout and others in turn, and print their figures."""
    seen = {checkout: Crowded() for checkout in [*map(Path, others), HERE]}
    for _ in range(ROUNDS):
        for checkout, crowded in seen.items():
            crowd(checkout.resolve(), crowded)
    for checkout, crowded in seen.items():
        for what, figure, unit, counted in told(crowded):
            print(f"{checkout.name}: {what}: {figure:.3g} {unit}\n    {counted}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

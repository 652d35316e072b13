"""Heavy work is done apart from the game, and every limit on it holds."""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from companion_app.hands import work
from companion_app.hands.errors import HandLost, HandsFull, OneAtATime, TooLong, TooMuch
from companion_app.hands.pool import MOST_WAITING, Hands
from companion_app.hands.work import LEAST_MEMORY_MB, MB, Work, memory_bytes
from companion_app.web.serving.errors import NotFound, WebError
from engine.errors import RecordError
from tests.companion_app.hands import heavy
from vision.core.errors import PictureError

WORK = Work("test", seconds=60.0, memory_mb=300)
SHORT = Work("short", seconds=0.2)


@pytest.fixture(scope="module")
def hands():
    with Hands() as hands:
        yield hands


class Held:
    """A worker that is kept busy until it is let go."""

    def __init__(self, hands: Hands, folder: Path) -> None:
        self.gate = folder / "gate"
        self._thread = threading.Thread(
            target=hands.do, args=(WORK, heavy.waits_for, str(self.gate)), kwargs={"whose": "anna"}
        )

    def __enter__(self) -> Held:
        self._thread.start()
        begun = Path(f"{self.gate}.begun")
        while not begun.exists():
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self.gate.touch()
        self._thread.join()


def test_work_is_done_in_another_process_at_low_priority(hands):
    assert hands.do(WORK, heavy.add, 2, 3) == 5
    assert hands.do(WORK, heavy.pid) != os.getpid()
    assert hands.do(WORK, heavy.priority) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 5)


def test_what_the_work_refuses_comes_through_as_it_is(hands):
    with pytest.raises(ValueError, match="not like this"):
        hands.do(WORK, heavy.refuses)


def test_an_error_that_cannot_be_sent_is_told_in_text(hands):
    before = hands.do(WORK, heavy.pid)

    with pytest.raises(RuntimeError, match="Unsendable: this and that"):
        hands.do(WORK, heavy.refuses_oddly)

    assert hands.do(WORK, heavy.pid) == before


@pytest.mark.parametrize(
    "error",
    [
        RecordError("moves[3]", "is no move"),
        WebError("why", code="teach-nothing"),
        NotFound(code="no-game"),
        PictureError("a photo is damaged"),
    ],
)
def test_our_own_errors_pass_between_processes(error):
    got = pickle.loads(pickle.dumps(error))

    assert (type(got), str(got), vars(got)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("call", [heavy.never_ends, heavy.never_listens])
def test_work_that_never_ends_is_killed_and_the_next_is_done(hands, call):
    before = hands.do(WORK, heavy.pid)

    with pytest.raises(TooLong):
        hands.do(SHORT, call)

    assert not Path(f"/proc/{before}").exists()
    assert hands.do(WORK, heavy.add, 2, 3) == 5


@pytest.mark.parametrize(("call", "megabytes"), [(heavy.uses, 500), (heavy.asks_for, 4000)])
def test_work_that_takes_too_much_memory_is_stopped_and_the_next_is_done(hands, call, megabytes):
    with pytest.raises(TooMuch):
        hands.do(WORK, call, megabytes)

    assert hands.do(WORK, heavy.asks_for, 200) == 200 << 20


WORKS = [one for one in vars(work).values() if isinstance(one, Work)]


@pytest.mark.parametrize("kind", WORKS, ids=lambda kind: kind.name)
def test_every_kind_of_work_is_bounded_in_memory(hands, kind):
    assert 0 < hands.do(kind, heavy.data_limit_mb) <= 3 * kind.memory_mb
    assert kind.memory_mb <= 300, "on a small Pi the game needs the rest"


def test_a_worker_killed_at_its_work_is_replaced(hands):
    with pytest.raises(HandLost):
        hands.do(WORK, heavy.dies)

    assert hands.do(WORK, heavy.add, 2, 3) == 5


def test_a_worker_killed_at_rest_is_replaced_without_a_word(hands):
    os.kill(hands.do(WORK, heavy.pid), signal.SIGKILL)

    assert hands.do(WORK, heavy.add, 2, 3) == 5


def test_a_full_queue_refuses_and_says_when_to_come_back(tmp_path):
    with Hands() as hands, ThreadPoolExecutor(MOST_WAITING) as guests:
        with Held(hands, tmp_path):
            waiting = [guests.submit(hands.do, WORK, heavy.add, n, 0) for n in range(MOST_WAITING)]
            while hands.waiting < MOST_WAITING:
                time.sleep(0.01)

            with pytest.raises(HandsFull) as refused:
                hands.do(WORK, heavy.add, 2, 3)

        assert refused.value.retry_after_s
        assert [one.result() for one in waiting] == list(range(MOST_WAITING))


def test_who_waits_longer_than_a_phone_would_is_sent_away(tmp_path):
    with (
        Hands(patience_s=0.01) as hands,
        Held(hands, tmp_path),
        pytest.raises(HandsFull),
    ):
        hands.do(WORK, heavy.add, 2, 3)


def test_a_guest_has_one_of_a_kind_done_at_a_time(tmp_path):
    with Hands(patience_s=0.01) as hands, Held(hands, tmp_path):
        with pytest.raises(OneAtATime):
            hands.do(WORK, heavy.add, 2, 3, whose="anna")
        with pytest.raises(HandsFull):
            hands.do(WORK, heavy.add, 2, 3, whose="ben")


def test_nothing_is_begun_before_it_is_needed_and_nothing_is_left():
    with Hands() as hands:
        assert hands.pids == []
        pid = hands.do(WORK, heavy.pid)
        assert hands.pids == [pid]

    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(HandLost):
        hands.do(WORK, heavy.pid)


def test_a_worker_goes_with_the_program_that_was_killed(tmp_path):
    program = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys\n"
            "from companion_app.hands.pool import Hands\n"
            "from companion_app.hands.work import PHOTO\n"
            "from tests.companion_app.hands import heavy\n"
            "if __name__ == '__main__':\n"
            "    hands = Hands()\n"
            "    print(hands.do(PHOTO, heavy.pid), flush=True)\n"
            "    hands.do(PHOTO, heavy.never_ends)\n",
        ],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    worker = int(program.stdout.readline())
    ended = os.pidfd_open(worker)
    program.kill()
    program.communicate()

    assert select_readable(ended)


def select_readable(handle: int) -> bool:
    """Wait until a process has ended; say whether it has."""
    try:
        return bool(select.select([handle], [], [], 30)[0])
    finally:
        os.close(handle)


@pytest.mark.parametrize(
    ("free_kb", "most_mb"), [(4_000_000, 300), (400_000, 195), (10_000, LEAST_MEMORY_MB)]
)
def test_a_small_machine_gives_work_less_memory(tmp_path, free_kb, most_mb):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text(f"MemTotal: 9 kB\nMemAvailable: {free_kb} kB\n", encoding="ascii")

    assert memory_bytes(WORK, meminfo) == most_mb * MB

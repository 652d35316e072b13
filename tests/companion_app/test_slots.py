"""Of many requests only a few are computed at once; those that wait for others stand aside."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from companion_app.slots import SlotLock, Slots, waiting

LONG_S = 20.0
"""Longer than anything here takes; a test that waits for it fails."""


@pytest.fixture()
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


class Page:
    """An application whose answers come when the test lets them."""

    def __init__(self, inside: Callable[[], None] = lambda: None) -> None:
        self.go_on = threading.Event()
        self.begun = threading.Semaphore(0)
        self._inside = inside

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        del environ, start_response
        self.begun.release()
        assert self.go_on.wait(LONG_S)
        self._inside()
        return [b"done"]


def asked(pool: ThreadPoolExecutor, slots: Slots) -> Future[Iterable[bytes]]:
    return pool.submit(slots, {}, None)


def test_a_third_request_waits_until_one_of_two_is_answered(threads: ThreadPoolExecutor) -> None:
    page = Page()
    slots = Slots(page, most=2, patience_s=LONG_S)
    answers = [asked(threads, slots) for _ in range(3)]
    assert page.begun.acquire(timeout=LONG_S) and page.begun.acquire(timeout=LONG_S)
    assert not page.begun.acquire(timeout=0.1)
    page.go_on.set()
    assert page.begun.acquire(timeout=LONG_S)
    assert [answer.result(LONG_S) for answer in answers] == [[b"done"]] * 3


def test_a_request_that_blocks_does_not_block_the_others_for_ever(
    threads: ThreadPoolExecutor,
) -> None:
    page = Page()
    slots = Slots(page, most=1, patience_s=0.01)
    answers = [asked(threads, slots) for _ in range(2)]
    assert page.begun.acquire(timeout=LONG_S) and page.begun.acquire(timeout=LONG_S)
    page.go_on.set()
    assert [answer.result(LONG_S) for answer in answers] == [[b"done"]] * 2
    assert slots._free._value == 1, "a request without a slot has given one back"


def test_an_error_frees_the_slot() -> None:
    def broken(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        raise ValueError

    slots = Slots(broken, most=1, patience_s=LONG_S)
    for _ in range(3):
        with pytest.raises(ValueError):
            slots({}, None)


def test_a_request_that_waits_for_another_process_lets_others_be_computed(
    threads: ThreadPoolExecutor,
) -> None:
    far, waits = threading.Event(), threading.Event()

    def page(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ.get("far"):
            with waiting():
                waits.set()
                assert far.wait(LONG_S)
        return [b"done"]

    slots = Slots(page, most=1, patience_s=LONG_S)
    slow = threads.submit(slots, {"far": True}, None)
    assert waits.wait(LONG_S)
    assert slots({}, None) == [b"done"]
    far.set()
    assert slow.result(LONG_S) == [b"done"]


def test_requests_that_wait_for_a_lock_leave_a_slot_to_its_holder(
    threads: ThreadPoolExecutor,
) -> None:
    lock, held, far = SlotLock(), threading.Event(), threading.Event()

    def page(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        with lock, waiting():
            held.set()
            assert far.wait(LONG_S)
        return [b"done"]

    slots = Slots(page, most=1, patience_s=LONG_S)
    answers = [asked(threads, slots) for _ in range(4)]
    assert held.wait(LONG_S)
    far.set()
    assert [answer.result(LONG_S / 2) for answer in answers] == [[b"done"]] * 4


def test_a_lock_that_stays_taken_is_not_waited_for_longer_than_asked() -> None:
    lock = SlotLock()
    with lock:
        assert not lock.acquire(timeout=0.01)
    assert lock.acquire(timeout=0.01)


def test_a_thread_without_a_slot_just_waits() -> None:
    with waiting():
        pass

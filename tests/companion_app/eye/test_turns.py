"""The eye's lock goes to whoever has waited for it."""

from __future__ import annotations

import threading

import pytest

from companion_app.eye.feeder import Turns


def test_holder_may_take_it_again():
    turns = Turns()

    with turns, turns:
        pass

    assert turns.acquire(timeout=0)
    turns.release()


def test_who_waits_comes_before_who_gives_it_back_and_asks_anew():
    turns, order, waits = Turns(), [], threading.Event()

    def wait() -> None:
        waits.set()
        with turns:
            order.append("waited")

    turns.acquire()
    other = threading.Thread(target=wait)
    other.start()
    waits.wait(10)
    while not turns._first.locked():
        pass
    turns.release()
    with turns:
        order.append("asked anew")
    other.join(10)

    assert order == ["waited", "asked anew"]


def test_holder_takes_it_again_while_somebody_waits():
    turns = Turns()

    def wait() -> None:
        with turns:
            pass

    turns.acquire()
    other = threading.Thread(target=wait)
    other.start()
    while not turns._first.locked():
        pass

    assert turns.acquire(timeout=0)
    turns.release()
    turns.release()
    other.join(10)
    assert not other.is_alive()


def test_who_cannot_have_it_in_time_is_told_and_leaves_the_place_to_others():
    turns = Turns()
    turns.acquire()
    told: list[bool] = []
    other = threading.Thread(target=lambda: told.append(turns.acquire(timeout=0.01)))
    other.start()
    other.join(10)
    turns.release()

    assert told == [False]
    assert turns.acquire(timeout=0)
    turns.release()


def test_only_its_holder_gives_it_back():
    with pytest.raises(RuntimeError):
        Turns().release()

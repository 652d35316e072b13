"""Photos for a hall: bounded, fair, retried once, answered once; read by real workers."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from companion_app.hall.reader import photos
from companion_app.hall.reader.own_hands import OwnHands
from companion_app.hall.reader.reading import TryAgainError, read_one
from companion_app.hall.store.database import address_of, open_engine
from companion_app.hall.store.hall_store import HallStore
from companion_app.hands.errors import HandLost
from companion_app.hands.pool import Hands
from tests.browser.chromium import wait_until

PHOTO = (Path(__file__).parents[2] / "examples/table.jpg").read_bytes()
GAME = "schlangennest"


def ask(store, whose="a", jpeg=b"x"):
    return photos.ask(store, whose, GAME, "", "en", jpeg)


class NoHands(Hands):
    """Workers that are lost as soon as they are given something."""

    def do(self, *_: Any, **__: Any) -> Any:
        raise HandLost("photo")


def test_first_photo_of_each_table_comes_before_the_second_of_any(store):
    numbers = [ask(store, whose) for whose in "aaabac"]
    order = []
    while (number := photos.next_waiting(store)) is not None:
        order.append(number - numbers[0])
        photos.answer(store, number, {"ok": True})

    assert order == [0, 3, 5, 1, 2, 4]


def test_table_that_sends_too_many_is_told_to_wait_and_others_are_not(store):
    for _ in range(photos.MOST_OF_ONE):
        ask(store)

    with pytest.raises(photos.TooManyPhotosError):
        ask(store)
    assert ask(store, "b")


def test_photo_is_tried_twice_and_answered_once(store):
    number = ask(store)
    with pytest.raises(TryAgainError):
        read_one(store, NoHands(), number)
    read_one(store, NoHands(), number)
    read_one(store, NoHands(), number)

    assert photos.answer_of(store, number) == {"error": "not-read"}
    assert not photos.answer(store, number, {"scores": {}})
    assert photos.answer_of(store, 99_999) is None


def test_photo_whose_last_try_was_cut_short_is_answered(store):
    number = ask(store)
    for _ in range(photos.MOST_TRIES):
        photos.begin(store, number)

    assert photos.next_waiting(store) == number
    read_one(store, NoHands(), number)

    assert photos.answer_of(store, number) == {"error": "not-read"}
    assert photos.next_waiting(store) is None


def test_photo_that_nobody_will_read_makes_room(store):
    numbers = [ask(store) for _ in range(photos.MOST_OF_ONE)]
    photos.withdraw(store, numbers[0])

    assert ask(store)
    assert photos.answer_of(store, numbers[0]) is None


def test_small_hall_reads_photos_with_its_own_hands(small_store):
    hands = OwnHands(small_store)
    good, bad = ask(small_store, "a", PHOTO), ask(small_store, "b", b"no photo")
    hands.put(good, "a")
    wait_until(lambda: photos.answer_of(small_store, bad), 120)
    hands.close()

    assert (photos.answer_of(small_store, good) or {})["scores"]
    assert photos.answer_of(small_store, bad) == {"error": "no-photo"}


def test_workers_read_photos_over_the_queue(cluster, tmp_path):
    from companion_app.hall.reader.worker import PhotoQueue, give_back_lost, new_worker

    address = address_of(cluster.new_database("photos"), tmp_path)
    store = HallStore(open_engine(address))
    queue = PhotoQueue(store)
    numbers = [ask(store, whose, PHOTO if whose == "b" else b"none") for whose in "aab"]
    for number, whose in zip(numbers, "aab", strict=True):
        queue.put(number, whose)

    with Hands() as hands:
        app = new_worker(store, hands)
        work = threading.Thread(
            target=app.run_worker,
            kwargs={"queues": ["photos"], "wait": False, "install_signal_handlers": False},
        )
        work.start()
        work.join(120)
    assert [bool((photos.answer_of(store, number) or {}).get("scores")) for number in numbers] == [
        False,
        False,
        True,
    ]
    assert give_back_lost(store) == 0
    queue.close()
    store.close()

"""Photos for a hall: bounded, fair, leased, retried once, answered once; read by real workers."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from companion_app.hall import photos
from companion_app.hall.photos import LEASE_S, MOST_TRIES, Reader
from companion_app.hall.store.database import address_of, open_engine
from companion_app.hall.store.hall_store import HallStore
from companion_app.hands.errors import HandLost
from companion_app.hands.pool import Hands
from tests.browser.chromium import wait_until

PHOTO = (Path(__file__).parents[2] / "examples/table.jpg").read_bytes()
GAME = "schlangennest"


def ask(store, whose="a", jpeg=b"x"):
    return photos.ask(store, whose, GAME, "", "en", jpeg)


def taken(store):
    photo = photos.take(store)
    return None if photo is None else photo.id


class NoHands(Hands):
    """Workers that are lost as soon as they are given something."""

    def do(self, *_: Any, **__: Any) -> Any:
        raise HandLost("photo")


def test_first_photo_of_each_table_comes_before_the_second_of_any(store):
    numbers = [ask(store, whose) for whose in "aaabac"]

    order = [taken(store) for _ in range(7)]

    assert order == [*(numbers[n] for n in (0, 3, 5, 1, 2, 4)), None]


def test_table_that_sends_too_many_is_told_to_wait_and_others_are_not(store):
    for _ in range(photos.MOST_OF_ONE):
        ask(store)

    with pytest.raises(photos.TooManyPhotosError):
        ask(store)
    assert ask(store, "b")


def test_photo_is_tried_twice_and_answered_once(store):
    number = ask(store)
    reader = Reader(store, NoHands())
    tries = [reader.read_next() for _ in range(MOST_TRIES + 1)]
    reader.close()

    assert tries == [True, True, False]
    assert photos.answer_of(store, number) == {"error": "not-read"}
    assert not photos.answer(store, number, {"scores": {}})
    assert photos.answer_of(store, 99_999) is None


def test_photo_of_a_killed_reader_is_another_ones_when_its_lease_is_over(store):
    now_s = 1000.0
    store.clock = lambda: now_s
    number = ask(store)

    assert taken(store) == number
    now_s += LEASE_S - 1
    assert taken(store) is None
    now_s += 1
    assert taken(store) == number
    now_s += LEASE_S
    assert taken(store) is None
    assert photos.answer_of(store, number) == {"error": "not-read"}


def test_photo_of_a_stopped_reader_is_another_ones_at_once_and_was_not_tried(store):
    number = ask(store)
    for _ in range(MOST_TRIES + 1):
        photo = photos.take(store)
        assert photo is not None and (photo.id, photo.tries) == (number, 1)
        photos.give_back(store, photo, tried=False)

    assert taken(store) == number


def test_reader_that_came_too_late_takes_nothing_from_the_one_that_reads(store):
    now_s = 1000.0
    store.clock = lambda: now_s
    ask(store)
    late = photos.take(store)
    assert late is not None
    now_s += LEASE_S
    photos.take(store)

    photos.give_back(store, late, tried=True)

    assert photos.take(store) is None


def test_readers_that_take_at_once_take_each_photo_once(store, address):
    numbers = [ask(store, f"table {n}") for n in range(60)]
    stores = [store, *(HallStore(open_engine(address)) for _ in range(3))]
    found: list[int] = []

    def take_all(one: HallStore) -> None:
        while (number := taken(one)) is not None:
            found.append(number)

    threads = [threading.Thread(target=take_all, args=(one,)) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for one in stores[1:]:
        one.close()

    assert Counter(found) == dict.fromkeys(numbers, 1)


def test_small_hall_reads_photos_with_its_own_hands(small_store):
    good, bad = ask(small_store, "a", PHOTO), ask(small_store, "b", b"no photo")
    reader = Reader(small_store)
    reader.start()
    wait_until(lambda: photos.answer_of(small_store, bad), 120)
    reader.close()

    assert (photos.answer_of(small_store, good) or {})["scores"]
    assert photos.answer_of(small_store, bad) == {"error": "no-photo"}


def test_reader_on_any_machine_reads_photos_and_ends_when_it_is_told_to(cluster, tmp_path):
    database = cluster.new_database("photos")
    store = HallStore(open_engine(address_of(database, tmp_path)))
    numbers = [ask(store, whose, PHOTO if whose == "b" else b"none") for whose in "aab"]

    command = [sys.executable, "-m", "companion_app.cli", "reader", "--database", database]
    reader = subprocess.Popen(command, cwd=Path(__file__).parents[3])
    try:
        wait_until(lambda: all(photos.answer_of(store, number) for number in numbers), 120)
        reader.terminate()
        assert reader.wait(30) == 0
    finally:
        reader.kill()
        reader.wait()
    read = [bool((photos.answer_of(store, number) or {}).get("scores")) for number in numbers]
    assert read == [False, False, True]
    store.close()

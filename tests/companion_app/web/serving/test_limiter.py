"""Counting what addresses do, also when there are very many of them."""

from __future__ import annotations

from companion_app.web.serving.access import (
    LONGEST_WINDOW_S,
    LOOKS,
    MOST_ADDRESSES,
    PIN_TRIES,
    PIN_WINDOW_S,
    Limiter,
)


def crowd(limiter: Limiter, what: str = "post") -> None:
    for number in range(2 * MOST_ADDRESSES):
        limiter.wait_s(what, f"guest {number}", 60, 10.0)
        limiter.count(what, f"guest {number}")


def test_many_addresses_do_not_wipe_what_one_did():
    now = [0.0]
    limiter = Limiter(lambda: now[0])
    for _ in range(PIN_TRIES):
        limiter.count("pin", "mallory")
    now[0] = 20.0
    crowd(limiter)

    assert limiter.wait_s("pin", "mallory", PIN_TRIES, PIN_WINDOW_S) == 40


def test_addresses_that_went_silent_do_not_break_the_count():
    now = [0.0]
    limiter = Limiter(lambda: now[0])
    crowd(limiter)
    now[0] = LONGEST_WINDOW_S + 1
    for number in range(MOST_ADDRESSES):
        limiter.wait_s("post", f"guest {number}", 60, 10.0)

    crowd(limiter, "look")

    assert limiter.wait_s("look", "guest 1", 2, 10.0) == 0


def test_newcomers_share_one_count_while_there_are_too_many():
    limiter = Limiter(lambda: 0.0)
    crowd(limiter)

    assert limiter.wait_s("post", "newcomer", 60, 10.0) > 0
    assert limiter.wait_s("post", "guest 1", 60, 10.0) == 0


def test_looks_at_old_games_are_limited_like_posts(played):
    client = played.guest().client

    answers = [client.get("/api/statistics").status_code for _ in range(LOOKS + 1)]

    assert answers == [200] * LOOKS + [429]
    assert int(client.get("/api/history").headers["Retry-After"]) > 0

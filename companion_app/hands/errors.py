"""Why heavy work was not done, as a tree.

HandsError
├── HandsFull     too much waits already; says when to ask again
├── OneAtATime    this guest's last work of that kind is still being done
├── TooLong       it took more time than such work may
├── TooMuch       it took more memory than such work may
└── HandLost      the worker was ended from outside
"""

from __future__ import annotations


class HandsError(Exception):
    """Heavy work was not done; the game on the table goes on."""

    status = 503
    code = "hands-lost"
    """Which sentence the page has for it."""
    retry_after_s: int | None = 5


class HandsFull(HandsError):  # noqa: N818 - each is an answer to a guest, in its own words
    """Too much waits already."""

    code, retry_after_s = "hands-full", 15


class OneAtATime(HandsError):  # noqa: N818
    """This guest's last work of that kind is still being done."""

    code = "hands-one"


class TooLong(HandsError):  # noqa: N818
    """It took more time than such work may."""

    code, retry_after_s = "hands-long", 60


class TooMuch(HandsError):  # noqa: N818
    """It took more memory than such work may."""

    status, code, retry_after_s = 413, "hands-much", None


class HandLost(HandsError):  # noqa: N818
    """The worker was ended from outside."""

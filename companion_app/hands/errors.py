"""Exceptions for heavy work that was not done, as a tree.

HandsError
├── HandsFull     the queue is full; says when to retry
├── OneAtATime    the guest's previous work of that kind is still being done
├── TooLong       the work exceeded its time limit
├── TooMuch       the work exceeded its memory limit
└── HandLost      the worker was killed from outside, or did not start
"""

from __future__ import annotations


class HandsError(Exception):
    """Heavy work was not done; the game on the table goes on."""

    status = 503
    code = "hands-lost"
    """Key of the page's sentence for this error."""
    retry_after_s: int | None = 5


class HandsFull(HandsError):  # noqa: N818 - each is an answer to a guest, in its own words
    """The queue is full, or a worker was waited for too long."""

    code, retry_after_s = "hands-full", 15


class OneAtATime(HandsError):  # noqa: N818
    """The guest's previous work of that kind is still being done."""

    code = "hands-one"


class TooLong(HandsError):  # noqa: N818
    """The work exceeded its time limit."""

    code, retry_after_s = "hands-long", 60


class TooMuch(HandsError):  # noqa: N818
    """The work exceeded its memory limit."""

    status, code, retry_after_s = 413, "hands-much", None


class HandLost(HandsError):  # noqa: N818
    """The worker was killed from outside, or did not start."""

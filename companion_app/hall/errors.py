"""Exceptions of the hall.

HallError
    DatabaseError   the database is missing, of another version, or does not answer
    JoinError       a table could not join, or has not joined
    FullHallError   the embedded store takes no more tables
    NoAnswerError   the hall does not answer a table
    RefusedError    the hall answered that it does not take a table's message
BadMessageError     a message is malformed, forged or too large
"""

from __future__ import annotations

from companion_app.answers import InputError


class HallError(InputError):
    """A request to the hall cannot be carried out; the message says what to do instead."""


class DatabaseError(HallError):
    """The hall's database cannot be used."""


class JoinError(HallError):
    """A table could not join the hall, or has not joined one."""


class FullHallError(HallError):
    """The embedded store takes no more tables."""


class NoAnswerError(HallError):
    """The hall does not answer a table."""


class RefusedError(HallError):
    """The hall does not take a message: it is malformed, or its table was sent away."""


class BadMessageError(Exception):
    """A message is discarded because it is malformed, forged or too large."""

"""What may go wrong in the hall.

HallError
    DatabaseError   the database is missing, of another version, or does not answer
    JoinError       a table could not join, or has not joined
    FullHallError   the embedded store takes no more tables
    BadMessageError      a message that is not what it says, or not by whom it says
"""

from __future__ import annotations

from companion_app.answers import InputError


class HallError(InputError):
    """Something of the hall cannot be done; the message says what to do instead."""


class DatabaseError(HallError):
    """The hall's database cannot be used."""


class JoinError(HallError):
    """A table could not join the hall, or has not joined one."""


class FullHallError(HallError):
    """The embedded store takes no more tables."""


class BadMessageError(Exception):
    """A message that is thrown away: garbage, forged, or too large."""

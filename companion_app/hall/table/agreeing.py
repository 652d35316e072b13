"""Compares the table's log with the hall's, line by line, by marks that the hall has signed."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from companion_app.games.kept import KeptGames
from companion_app.hall.errors import NoAnswerError
from companion_app.hall.line.message import MARKS, mark_of_line
from companion_app.hall.table.hall_line import Doors, HallLine
from companion_app.hall.table.membership import Membership, with_door

TRIES = 3


@dataclass(frozen=True, slots=True)
class Agreement:
    """The result of comparing the two logs."""

    lines: int
    """Number of lines that are the same on both sides."""
    differing: tuple[int, ...]
    missing: tuple[int, ...]
    """Numbers of lines that only one side has."""

    @property
    def ok(self) -> bool:
        """Whether both logs are the same."""
        return not self.differing and not self.missing


def compare(membership: Membership, journal: KeptGames, doors: tuple[str, ...] = ()) -> Agreement:
    """Compare table and hall line by line, by marks that the hall has signed.

    Raises:
        HallError: the hall does not answer.
    """
    ours = {
        number: mark_of_line(text)
        for number, text in journal.after(membership.since, sys.maxsize, sys.maxsize)
    }
    theirs: dict[int, str] = {}
    member = membership if membership.fingerprint else with_door(membership)
    line = HallLine(member, Doors(member, doors))
    try:
        after = membership.since
        while page := _marks(line, after):
            theirs.update(page)
            after = max(page)
    finally:
        line.close()
    both = ours.keys() & theirs.keys()
    differing = tuple(sorted(n for n in both if ours[n] != theirs[n]))
    return Agreement(
        len(both) - len(differing), differing, tuple(sorted(ours.keys() ^ theirs.keys()))
    )


def _marks(line: HallLine, after: int) -> dict[int, str]:
    """Return the marks of the hall's next lines, by their numbers."""
    for trial in range(1, TRIES + 1):
        try:
            answer = line.ask(MARKS, {"after": after})
            return {int(number): str(mark) for number, mark in answer["marks"]}
        except NoAnswerError:
            if trial == TRIES:
                raise
    raise AssertionError("the last try returns or raises")

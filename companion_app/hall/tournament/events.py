"""Events: everything that ever happens to a tournament, as plain JSON that any store can keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion_app.hall.tournament.errors import TournamentError

DIRECTOR, ARBITER, TABLE, PLAYER = "director", "arbiter", "table", "player"
STAFF = (DIRECTOR, ARBITER)
WHO_MAY: Mapping[str, tuple[str, ...]] = {
    "set-up": (DIRECTOR,),
    "add-player": STAFF,
    "change-player": STAFF,
    "hide-player": (*STAFF, PLAYER),
    "erase-player": (*STAFF, PLAYER),
    "check-in": (*STAFF, PLAYER),
    "leave": (*STAFF, PLAYER),
    "sit-out": (*STAFF, PLAYER),
    "forbid": STAFF,
    "allow": STAFF,
    "pair-round": (DIRECTOR,),
    "drop-round": (DIRECTOR,),
    "swap-players": STAFF,
    "start-round": (DIRECTOR,),
    "pause-clock": STAFF,
    "resume-clock": STAFF,
    "add-time": STAFF,
    "result": (TABLE, PLAYER, *STAFF),
    "confirm": (PLAYER,),
    "object": (PLAYER,),
    "correct": (ARBITER,),
    "forfeit": (ARBITER,),
    "swap-box": STAFF,
    "help": (TABLE, *STAFF),
    "close-round": (DIRECTOR,),
    "end": (DIRECTOR,),
}
"""Roles that may cause each event; the hall determines the role of whoever asks."""

WITH_REASON = frozenset(["correct", "forfeit", "swap-box", "swap-players", "drop-round"])
"""Events that need a reason."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened."""

    number: int
    """Counts from 1 without a gap."""
    do: str
    at_s: float
    """When it happened, as Unix time by the hall's clock."""
    by: str
    """Who did it: a role, and after a colon whoever it was, as in ``arbiter:Eva``."""
    why: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def role(self) -> str:
        """The role of who did it."""
        return self.by.partition(":")[0]

    @property
    def who(self) -> str:
        """Who did it, without his role."""
        return self.by.partition(":")[2]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON; ``from_json`` reads it back."""
        return {
            "number": self.number,
            "do": self.do,
            "at_s": self.at_s,
            "by": self.by,
            "why": self.why,
            "data": dict(self.data),
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Event:
        """Return an event that was written by ``to_json``."""
        try:
            return cls(
                int(written["number"]),
                str(written["do"]),
                float(written["at_s"]),
                str(written["by"]),
                str(written["why"]),
                dict(written["data"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise TournamentError("bad-event") from error


def check_who(event: Event) -> None:
    """Refuse an event that its role may not cause, or that lacks the reason it needs."""
    if event.do not in WHO_MAY:
        raise TournamentError("bad-event")
    if event.role not in WHO_MAY[event.do]:
        raise TournamentError("not-allowed")
    if event.do in WITH_REASON and not event.why.strip():
        raise TournamentError("no-reason")
    about = event.data.get("player")
    if event.role == PLAYER and about is not None and about != event.who:
        raise TournamentError("not-allowed")

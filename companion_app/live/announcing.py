"""How the referee speaks: events with their time."""

from __future__ import annotations

from collections.abc import Callable

from companion_app.live.match import Accepted
from companion_app.live.referee_state import Event
from engine.game import Json
from engine.record import move_to_json
from engine.referee import violation_to_json


class Voice:
    """Says what has happened; nothing is announced before it is on the disk."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit

    def say(self, event: str, t: float, **what: Json) -> None:
        """Send out one event."""
        self._emit({"t": round(t, 3), "event": event, **what})

    def verdict(self, n: int, one: Accepted, t: float) -> None:
        """Say how the nth move was judged."""
        said: Event = {"n": n, "move": move_to_json(one.move)}
        said |= {"legal": not one.violations or one.overruled}
        said |= {"violations": [violation_to_json(v) for v in one.violations], "seq": one.seq}
        if one.overruled:
            said["overruled"] = True
        self.say("verdict", t, **said)

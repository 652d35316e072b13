"""Whatever shows tables to the referee, and what it needs of the desk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from companion_app.eye.turns import Turns
from companion_app.live.loop import LiveLoop
from companion_app.live.match import Match
from companion_app.live.referee import Referee
from vision import Frame


class Table(Protocol):
    """What a feeder needs of the desk."""

    lock: Turns
    """Held while the referee works."""
    referee: Referee | None
    """The referee of the game that is on."""

    @property
    def match(self) -> Match | None:
        """The game that is on."""
        ...

    def emit(self, event: Mapping[str, Any]) -> None:
        """Tell everybody."""
        ...

    def take_foul_back(self) -> None:
        """Say that the tile of an announced foul has been lifted."""
        ...


class Feeder:
    """Shows tables to the referee; this one none: the game is told by people, or stands still."""

    kind: str = "none"
    """``camera``, ``demo``, ``phone``, ``recorded`` or ``none``; the page says it."""
    name: str = ""
    """What its source is called, ``webcam:0``; empty where it has no name."""
    loop: LiveLoop | None = None
    """What watches the frames; ``None`` where none are watched."""
    newest: Frame | None = None
    """What the camera sees right now; ``None`` where it sees nothing."""

    def start(self, table: Table) -> None:
        """Begin to show tables to the desk's referee."""

    def stop(self) -> None:
        """Stop, and wait until it has."""

    def tell(self, message: Mapping[str, Any], referee: Referee, t: float) -> None:
        """Pass on what a player told, at ``t`` or by the source's own clock."""
        referee.tell(message, t)

    def picture(self) -> bytes | None:
        """Return what the camera sees right now, as JPEG."""
        return None

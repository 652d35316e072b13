"""The interface of feeders, which show tables to the referee, and what they need of the desk."""

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
    """The referee of the current game."""
    trouble: str | None
    """What is wrong right now, as a sentence; ``None`` when all is well."""

    @property
    def match(self) -> Match | None:
        """The current game."""
        ...

    def emit(self, event: Mapping[str, Any]) -> None:
        """Send an event to every listener."""
        ...

    def take_foul_back(self) -> None:
        """Take back the announced foul: its tile has been lifted."""
        ...


class Feeder:
    """Shows tables to the referee. The base class shows none: only people's messages count."""

    kind: str = "none"
    """``camera``, ``demo``, ``phone``, ``recorded`` or ``none``; shown on the page."""
    name: str = ""
    """Name of the source, such as ``webcam:0``; empty if it has none."""
    loop: LiveLoop | None = None
    """The live loop that watches the frames; ``None`` without frames."""
    newest: Frame | None = None
    """The newest frame; ``None`` without frames."""

    def start(self, table: Table) -> None:
        """Start to show tables to the desk's referee."""

    def stop(self) -> None:
        """Stop, and wait until it has stopped."""

    def tell(self, message: Mapping[str, Any], referee: Referee, t: float) -> None:
        """Pass on a player's message, timed by ``t`` or by the source's own clock."""
        referee.tell(message, t)

    def picture(self) -> bytes | None:
        """Return the newest frame as JPEG; ``None`` without frames."""
        return None

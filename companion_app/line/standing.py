"""The standing: what the page must know of the table and cannot read in the log of games."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

Doc = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """How the table stands at one moment; every field is a JSON value."""

    number: int = 0
    """Increases with every standing of one run of the eye."""
    key: str | None = None
    """Key of the current game; ``None`` before the first."""
    seq: int = 0
    """Number of the last line of the current game's log at this moment."""
    names: Mapping[str, str] = field(default_factory=dict)
    seeing: str = "looking"
    why: Doc | None = None
    """What has kept the referee from a verdict for a while."""
    trouble: str | None = None
    kind: str = "none"
    """What shows tables to the game: ``camera``, ``demo``, ``phone``, ``recorded``, ``none``."""
    source: str | None = None
    """The camera that was chosen, ``webcam:0``; ``None`` where only written games are shown."""
    covered: Sequence[Sequence[int]] = ()
    unsure: Sequence[Sequence[int]] = ()
    questions: Sequence[Doc] = ()
    can_undo: bool = False
    can_redo: bool = False
    paused: bool = False
    """Whether people asked the camera to look away for a while."""
    by_people: bool = True
    """Whether people have begun the game, and not the demo by itself."""
    machine: Doc | None = None
    """The machine's seats and what it wants; ``None`` where it plays no seat."""
    looks: int = 0
    """Number of times that the table was looked at."""

    @property
    def is_fed(self) -> bool:
        """Whether something shows tables to the game that is on."""
        return self.kind != "none"

    @property
    def waits(self) -> bool:
        """Whether people's game has only the demo table, and it was not asked to play."""
        demo = self.source is not None and kind_of(self.source) == "demo"
        begun = self.key is not None and self.by_people
        return demo and begun and not (self.is_fed or self.paused)

    @property
    def mark(self) -> int:
        """A checksum that changes whenever the page has something else to show."""
        said = {**self.to_json(), "number": 0, "looks": 0}
        return zlib.crc32(json.dumps(said, sort_keys=True).encode())

    def to_json(self) -> dict[str, Any]:
        """Return the standing as JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def read_standing(said: Doc) -> Standing:
    """Return a standing from JSON."""
    return Standing(**said)


def kind_of(name: str) -> str:
    """Return what kind of source a name means: ``camera``, ``demo``, ``phone``, ``recorded``."""
    kind = name.partition(":")[0]
    return kind if kind in ("demo", "phone", "recorded") else "camera"

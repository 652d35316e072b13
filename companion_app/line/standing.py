"""The standing: what the page must know of the table and cannot read in the log of games."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from companion_app.live.questions import QuestionShown

Doc = Mapping[str, Any]


class MachineWish(msgspec.Struct, frozen=True):
    """What the machine wants of people."""

    player: str
    """Which of its seats wants it."""
    level: int
    thinking: bool = False
    move: Doc | None = None
    """The move that somebody should lay for it."""
    needs: str | None = None
    """What it cannot do: ``roll``, ``draw``, ``hand``; ``people`` while it does not answer."""
    laid: Doc | None = None
    """The move that lies there instead."""


class Standing(msgspec.Struct, frozen=True):
    """How the table stands at one moment."""

    at: int = 0
    """When that was: monotonic nanoseconds, which go on when the eye is started again."""
    key: str | None = None
    """Key of the current game; ``None`` before the first."""
    seq: int = 0
    """Number of the last line of its log at this moment."""
    seeing: str = "looking"
    why: Doc | None = None
    """What has kept the referee from a verdict for a while."""
    trouble: str | None = None
    kind: str = "none"
    """What shows tables to the game: ``camera``, ``demo``, ``phone``, ``recorded``, ``none``."""
    source: str | None = None
    """The camera that was chosen, ``webcam:0``; ``None`` where only written games are shown."""
    covered: tuple[tuple[int, ...], ...] = ()
    unsure: tuple[tuple[int, ...], ...] = ()
    questions: tuple[QuestionShown, ...] = ()
    can_undo: bool = False
    can_redo: bool = False
    paused: bool = False
    by_people: bool = True
    """Whether people have begun the game, and not the demo by itself."""
    wish: MachineWish | None = None
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
        shown = msgspec.structs.replace(self, at=0, looks=0)
        return zlib.crc32(msgspec.msgpack.encode(shown))


class News(msgspec.Struct, frozen=True):
    """What happened, and how the table stands after it."""

    standing: Standing
    events: Sequence[Doc]


def kind_of(name: str) -> str:
    """Return what kind of source a name means: ``camera``, ``demo``, ``phone``, ``recorded``."""
    kind = name.partition(":")[0]
    return kind if kind in ("demo", "phone", "recorded") else "camera"

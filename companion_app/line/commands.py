"""What the page may ask of the eye, and how that goes over the line.

A command is a method of ``EyeCommands``, called from afar: what is given and what is brought are
of the types that it names, which both ends check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import Signature, signature
from typing import Any, ParamSpec, Protocol, TypeVar

import msgspec

from companion_app.games.kept import Kept
from companion_app.line.standing import Standing
from companion_app.refusal import Refusal

Doc = Mapping[str, Any]
Given = ParamSpec("Given")
Gained = TypeVar("Gained")
Call = tuple[str, list[Any], bool]
"""A command as a message: its name, what is given, and whether news of the table is to follow."""
CHANGES: set[str] = set()
"""The commands that change the table, whose answer brings the new standing."""
WITHIN_S = {"here": 3.0, "look": 40.0, "restore": 900.0}
"""Seconds to wait for an answer: the first frame of a camera may take half a minute."""
ANSWER_S = 30.0
"""The same of other commands: a game that begins may have to wait for its camera."""


class EyeAway(Refusal):
    """The eye does not answer: it is being started again, or ends."""

    status = 503
    code = "eye-away"

    def __init__(self) -> None:
        super().__init__(retry_after_s=2)


class Still(msgspec.Struct, frozen=True):
    """A frame of the camera: height x width pixels of blue, green and red, a byte each."""

    height: int
    width: int
    taken_at_s: float
    data: bytes

    def bgr(self) -> Any:
        """Return the frame as a NumPy array."""
        import numpy as np

        return np.frombuffer(self.data, np.uint8).reshape(self.height, self.width, 3)


class HallRuling(msgspec.Struct, frozen=True):
    """What the hall's arbiter rules."""

    what: str
    key: str | None
    """Key of the game that it is about."""
    ruling: int
    """Its own number."""
    move_n: int | None = None
    """Number of the move that was another one."""
    move: Doc | None = None
    number: int | None = None
    """Number of the last line of the log that the arbiter had seen."""
    foul: int | None = None
    """Number of the line of the foul that it is about."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to a command: what it brought, or why it was refused, or what broke."""

    body: Any = None
    standing: Standing | None = None
    """How the table stands after a change."""
    refusal: Doc | None = None
    broken: str | None = None


def changes(deed: Callable[Given, Gained]) -> Callable[Given, Gained]:
    """Mark a command as one that changes the table."""
    CHANGES.add(deed.__name__)
    return deed


class EyeCommands(Protocol):
    """The commands of the page, which authorises them by role.

    What depends on the game that is on, such as whose question an answer is for, the eye checks.
    """

    # --- the game that is on ---------------------------------------------------------------

    @changes
    def tell(self, sent: Doc, is_host: bool, seats: Sequence[str] = ()) -> None:
        """Tell the referee an answer, roll, pass, overruling or correction, for these seats."""

    @changes
    def take_foul_back(self) -> None:
        """Tell that the tile of the announced foul was lifted, or will be."""

    @changes
    def undo(self, count: int | None) -> None:
        """Undo what was done last, or so many moves."""

    @changes
    def redo(self) -> None:
        """Redo the move that was undone last."""

    @changes
    def begin(self, record: Doc, names: dict[str, str], machine: dict[str, int]) -> None:
        """Begin a game, with people's names and the machine's levels by player."""

    @changes
    def resume(self, key: str | None) -> None:
        """Go on with a kept game, or with the one that is on."""

    @changes
    def pause(self, on: bool) -> None:
        """Let the camera look away, or go on."""

    @changes
    def end(self) -> None:
        """End the game as it stands."""

    def raise_hand(self, raised: bool) -> None:
        """Tell that the hall's arbiter is called, or no longer needed."""

    def obey(self, ruling: HallRuling) -> None:
        """Carry out a ruling of the hall's arbiter, exactly once."""

    # --- the machine -----------------------------------------------------------------------

    @changes
    def seat(self, player: str, level: int | None) -> None:
        """Give the machine a seat, or free it without a level."""

    @changes
    def mute(self, on: bool) -> None:
        """Mute or unmute the machine."""

    @changes
    def show_hand(self, player: str, tiles: Sequence[str] | None) -> None:
        """Set an open hand; without tiles it is what the camera sees aside."""

    @changes
    def draw(self, tiles: Sequence[str]) -> None:
        """Set the cards that were drawn for the machine."""

    @changes
    def take_hint(self, player: str, most: int) -> int:
        """Count a hint; return how many of ``most`` are left."""

    # --- the camera ------------------------------------------------------------------------

    def here(self) -> None:
        """Say that you are there."""

    def sources(self) -> list[str]:
        """Return the sources that can be chosen."""

    @changes
    def choose(self, source: str) -> None:
        """Look through another source."""

    def picture(self) -> bytes | None:
        """Return the newest picture as JPEG."""

    def look(self, record: Doc | None) -> Still | None:
        """Return the newest frame; the demo table shows the game to come."""

    def seen(self) -> dict[str, Any] | None:
        """Return the tiles' outlines in the newest picture; ``None`` before the first one."""

    def phone_picture(self, data: bytes, still: bool) -> Sequence[int]:
        """Take the picture of a phone that is the camera; return its width and height."""

    # --- what is kept ----------------------------------------------------------------------

    def rename(self, key: str, player: str, name: str) -> dict[str, str]:
        """Rename a player of a kept game; return all names."""

    def call_otherwise(self, name: str, to: str, nobody: str) -> int:
        """Call a person otherwise in all games; forget whom nothing is to be called any more."""

    def delete_game(self, key: str) -> None:
        """Delete a kept game with its pictures."""

    def limit_pictures(self, most_mb: int | None) -> None:
        """Keep no more pictures than this."""

    def wipe_pictures(self) -> int:
        """Delete all pictures, those of corrections too; return how many there were."""

    def forget_corrections(self, file: str | None) -> int:
        """Delete the picture of a correction, or all; return how many there were."""

    def keep_summaries(self, made: dict[str, Kept], made_by: str) -> None:
        """Keep summaries of games that a version made."""

    def restore(self, with_secrets: bool) -> dict[str, int]:
        """Put the backup in place that was uploaded to the page; return what it held."""

    def start_again(self) -> None:
        """End, to be started again."""


@cache
def _types(name: str) -> tuple[Signature, Any, Any]:
    """Return how a command is called, and the types of what is given and brought."""
    called = signature(getattr(EyeCommands, name), eval_str=True)
    _, *given = called.parameters.values()
    return called, tuple[tuple(one.annotation for one in given)], called.return_annotation  # type: ignore[misc]


def call_of(deed: Callable[..., Any], *given: Any, **named: Any) -> tuple[str, list[Any]]:
    """Return a command's name, and all that is given."""
    bound = _types(deed.__name__)[0].bind(None, *given, **named)
    bound.apply_defaults()
    return deed.__name__, list(bound.args[1:])


def carry_out(commands: EyeCommands, name: str, given: list[Any]) -> Any:
    """Execute a command that came over the line; return what it brings.

    Raises:
        Refusal: there is no such command, or it is given something else.
    """
    if name.startswith("_") or not hasattr(EyeCommands, name):
        raise Refusal(f"nothing is called {name}")
    try:
        sent = msgspec.convert(given, _types(name)[1])
    except msgspec.ValidationError as error:
        raise Refusal(str(error)) from error
    return getattr(commands, name)(*sent)


def brought(name: str, body: Any) -> Any:
    """Return what a command brought, as the type that it names."""
    return msgspec.convert(body, _types(name)[2])

"""The page's interface to the eye: its newest standing, and commands that it answers.

The page knows the game only by an ``Eye``; ``FarEye`` implements it for an eye in another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from companion_app.line.standing import Standing
from companion_app.refusal import Refusal

Doc = Mapping[str, Any]
ANSWER_S = 30.0
"""Seconds to wait for an answer: a game that begins may have to wait for its camera."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a command: a JSON value, and the bytes of a picture where one was asked for."""

    body: Any = None
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Still:
    """A frame of the camera: height x width pixels of blue, green and red, a byte each."""

    height: int
    width: int
    taken_at_s: float
    data: bytes

    def bgr(self) -> Any:
        """Return the frame as a NumPy array."""
        import numpy as np

        return np.frombuffer(self.data, np.uint8).reshape(self.height, self.width, 3)


class EyeAway(Refusal):
    """The eye does not answer: it is being started again."""

    status = 503
    code = "eye-away"

    def __init__(self) -> None:
        super().__init__(retry_after_s=2)


class Eye(Protocol):
    """Camera, referee and store, wherever they run."""

    @property
    def is_there(self) -> bool:
        """Whether the eye can be asked right now."""
        ...

    def standing(self) -> Standing:
        """Return the newest standing that has arrived here.

        Raises:
            EyeAway: none has arrived yet.
        """
        ...

    def ask(
        self, what: str, body: Doc | None = None, data: bytes = b"", within_s: float = ANSWER_S
    ) -> Answer:
        """Send a command and return its answer; ``standing`` is then at least as new.

        Raises:
            EyeAway: no answer came in time.
            Refusal: the eye refused the command, with the reason.
        """
        ...

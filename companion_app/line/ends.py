"""The eye as the page knows it: its newest standing, and questions that it answers.

The page holds an ``Eye`` and nothing else of the game; ``FarEye`` is the one in another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from companion_app.line.standing import Standing
from companion_app.refusal import Refusal

Doc = Mapping[str, Any]
ANSWER_S = 30.0
"""So long an answer is waited for: a game that begins may have to wait for its camera."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked for: a JSON value, and the bytes of a picture where it is one."""

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
        """Return it as an array."""
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
        """Whether it can be asked right now."""
        ...

    def standing(self) -> Standing:
        """Return how the table stands, as far as is known here.

        Raises:
            EyeAway: nothing is known yet.
        """
        ...

    def ask(
        self, what: str, body: Doc | None = None, data: bytes = b"", within_s: float = ANSWER_S
    ) -> Answer:
        """Have something done, and return the answer; the standing is then as new as it.

        Raises:
            EyeAway: no answer came in time.
            Refusal: it was not done, and why.
        """
        ...

"""The exceptions of the engine, as a tree.

EngineError
├── SetError       a set file does not describe a box; names the file and the line
├── RecordError    a record, table or option is not what the interface promises; names the place
└── NotationError  a one-line layout cannot be read; names the word

An illegal move is never an error: it is a verdict with violations.
"""

from __future__ import annotations

LONGEST_PLACE = 200
LONGEST_PROBLEM = 300


def readable(text: str, longest: int = LONGEST_PROBLEM) -> str:
    """Return a text shortened in its middle, with unprintable characters escaped."""
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}…{text[-half:]}"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class EngineError(Exception):
    """Something the engine was given is broken; the message is for the person who gave it."""


class SetError(EngineError):
    """A set file does not describe a box of tiles."""

    def __init__(self, problem: str) -> None:
        super().__init__(readable(problem, LONGEST_PLACE + LONGEST_PROBLEM))


class RecordError(EngineError):
    """A record, table or option does not follow the interface."""

    def __init__(self, place: str, problem: str, code: str = "cannot-be") -> None:
        """Keep the place (``moves[3].at``) apart from the problem there.

        ``code`` names the sentence for people who gave it at the table, in their language.
        """
        self.code = code
        self.place = readable(place, LONGEST_PLACE)
        self.problem = readable(problem)
        super().__init__(f"{self.place}: {self.problem}" if place else self.problem)

    def of(self, name: str) -> RecordError:
        """Return the same error with the name of the file or line prepended to its place."""
        return RecordError(f"{name}: {self.place}" if self.place else name, self.problem, self.code)

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, str, str]]:
        """Make the error picklable, so that it can pass between processes."""
        return type(self), (self.place, self.problem, self.code)


class NotationError(EngineError):
    """A one-line layout cannot be read."""

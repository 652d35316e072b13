"""What can go wrong in the engine, as a tree.

EngineError
├── SetError       a set file does not describe a box; names the file and the line
├── RecordError    a record, table or option is not what the interface promises; names the place
└── NotationError  a one-line layout cannot be read; names the word

An illegal move is never an error: it is a verdict with violations.
"""


class EngineError(Exception):
    """Something the engine was given is broken; the message is for the person who gave it."""


class SetError(EngineError):
    """A set file does not describe a box of tiles."""


class RecordError(EngineError):
    """A record, table or option does not follow the interface."""

    def __init__(self, place: str, problem: str) -> None:
        """Remember the place (``moves[3].at``) apart from what is wrong there."""
        super().__init__(f"{place}: {problem}" if place else problem)
        self.place = place
        self.problem = problem


class NotationError(EngineError):
    """A one-line layout cannot be read."""

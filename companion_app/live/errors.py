"""Exceptions of the live referee, as a tree.

LiveError
├── StoreError       games cannot be saved or read; says what to do
│   ├── StoreFull    the disk is full
│   └── StoreInUse   another Snake Eye has these games open
└── ToldError        a player's message cannot be used; says what would be accepted
    ├── QuestionGone the answered question is not open any more
    └── WouldDrop    the answer would drop accepted moves and lacks a confirmation
"""


class LiveError(Exception):
    """The live referee was given something unusable; the message is for the user."""


class StoreError(LiveError):
    """Games cannot be saved or read."""


class StoreFull(StoreError):  # noqa: N818 - a state of the disk, said in its own words
    """The disk is full: the change was not saved."""


class StoreInUse(StoreError):  # noqa: N818 - the same
    """Another process has the games open."""


class ToldError(LiveError):
    """A player's message cannot be used."""

    code = "cannot-be"
    """Key of the page's sentence for this error."""

    def __init__(self, problem: str, code: str = "") -> None:
        super().__init__(problem)
        self.code = code or self.code


class QuestionGone(ToldError):  # noqa: N818 - an answer to a player, in its own words
    """The answered question is not open any more."""

    code = "question-gone"


class WouldDrop(ToldError):  # noqa: N818 - the same
    """An answer would drop accepted moves."""

    code = "drops-moves"

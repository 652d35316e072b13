"""What can go wrong in the live referee, as a tree.

LiveError
├── StoreError       games cannot be kept; says what to do
│   ├── StoreFull    the disk is full
│   └── StoreInUse   another Snake Eye has these games open
└── ToldError        what a player told cannot be used; says what would be
    ├── QuestionGone it answers a question that nobody asks any more
    └── WouldDrop    it would drop accepted moves, and nobody has confirmed that
"""


class LiveError(Exception):
    """Something that the live referee was given is broken; the message is for the person."""


class StoreError(LiveError):
    """Games cannot be kept or read."""


class StoreFull(StoreError):  # noqa: N818 - a state of the disk, said in its own words
    """There is no room for one more move."""


class StoreInUse(StoreError):  # noqa: N818 - the same
    """Another process has the games open."""


class ToldError(LiveError):
    """What a player told cannot be used."""

    code = "cannot-be"
    """Which sentence the page has for it."""


class QuestionGone(ToldError):  # noqa: N818 - an answer to a player, in its own words
    """What was answered is not asked any more."""

    code = "question-gone"


class WouldDrop(ToldError):  # noqa: N818 - the same
    """An answer would drop accepted moves."""

    code = "drops-moves"

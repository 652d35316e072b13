"""What the referee of Snekagon 5G says, besides what it shares with Snekagon.

Headings are those of the English rules (A. Španěl, M. Veselý); rulings are numbered as on the
rulings page.
"""

from __future__ import annotations

from engine.game import Rule
from engine.sentences.snekagon import (
    BRANCHES,
    CELL_TAKEN,
    FIRST_IS_1,
    GAME_OVER,
    LONGEST,
    MUST_MOVE,
    NONE_LEFT,
    NOT_YOUR_TURN,
    OFF_BOARD,
    OWN_SNAKES_TOUCH,
    SHARP_TURN,
    TOO_MANY,
    TOUCHES_ITSELF,
    TOUCHES_ONLY_OPPONENT,
)  # fmt: skip

ON_EYE = Rule(
    "on-eye", "No tile may lie on the two eyes of a board.", "rulebook, Creating a new snake",
    "This tile lies on an eye of the board.",
)  # fmt: skip
NOT_AN_END = Rule(
    "not-an-end", "A snake escapes to another board from one of its ends.",
    "rulebook, Escape to another floor; ruling 3",
    "There is no end of a {player} snake to drill at.",
)  # fmt: skip
OTHER_FIELD = Rule(
    "other-field", "The tile goes on with one of its ends on the same field of the other board.",
    "rulebook, Escape to another floor; ruling 3",
    "No end of this tile lies on the same field as the drilled {player} hex.",
)  # fmt: skip
BOARDS_APART = Rule(
    "boards-apart", "A snake escapes to a neighbouring board only.",
    "rulebook, Escape to another floor; ruling 1", "Boards {one} and {other} are not neighbours.",
)  # fmt: skip
AGAINST_DIRECTION = Rule(
    "against-direction", "Over a drill, a snake turns by at most 60 degrees.",
    "rulebook, Advanced game; ruling 5",
    "The {player} snake does not keep its direction from board to board here.",
)  # fmt: skip
NO_FAR_DRILL = Rule(
    "no-far-drill", "A tile drills onto an own end only where that was agreed before the game.",
    "ruling 3, option far_drill", "Drilling onto an own end was not agreed for this game.",
)  # fmt: skip
DRILLED_TWICE = Rule(
    "drilled-twice", "A tile is drilled to an end once only.", "ruling 2",
    "The tile comes from this end already and cannot be drilled onto it again.",
)  # fmt: skip
CLAY_AMISS = Rule(
    "clay-amiss",
    "Open clay marks both ends of a drill, closed clay a single hex drilled both ways.",
    "rulebook, Escape to another floor; ruling 4",
    "The clay here does not fit the snakes.",
)  # fmt: skip

__all__ = [
    "AGAINST_DIRECTION", "BOARDS_APART", "BRANCHES", "CELL_TAKEN", "CLAY_AMISS", "DRILLED_TWICE",
    "FIRST_IS_1", "GAME_OVER", "LONGEST", "MUST_MOVE", "NONE_LEFT", "NOT_AN_END", "NOT_YOUR_TURN",
    "NO_FAR_DRILL", "OFF_BOARD", "ON_EYE", "OTHER_FIELD", "OWN_SNAKES_TOUCH", "SHARP_TURN",
    "TOO_MANY", "TOUCHES_ITSELF", "TOUCHES_ONLY_OPPONENT",
]  # fmt: skip

"""What Snekagon's referee says.

Headings are those of the English rules (A. Španěl); rulings are numbered as on the rulings page.
"""

from __future__ import annotations

from engine.game import Reason, Rule

GAME_OVER = Rule("game-over", "The game is over.", "rulebook, End of the game; ruling 4")
NOT_YOUR_TURN = Rule(
    "not-your-turn", "Players move in turn.", "rulebook, Course of the game",
    "It is {turn}'s turn, not {player}'s.",
)  # fmt: skip
MUST_MOVE = Rule(
    "must-move", "Whoever can lay a tile must lay one; only who cannot passes.",
    "rulebook, Course of the game; ruling 4",
    "{player} can still lay a tile, so passing is not allowed.",
)  # fmt: skip
NONE_LEFT = Rule(
    "none-left", "A tile can be laid only while there is one left.", "rulebook, Components",
    "{player} has no tile {tile} left.",
)  # fmt: skip
FIRST_IS_1 = Rule(
    "first-is-1", "The first tile of the game is the single hex.",
    "rulebook, Course of the game; ruling 3",
    "The game begins with a single hex, not with the tile {tile}.",
)  # fmt: skip
OFF_BOARD = Rule(
    "off-board", "A tile lies on the board with all of its hexes.", "rulebook, Set up",
    "This tile sticks out over the edge of the board.",
)  # fmt: skip
CELL_TAKEN = Rule(
    "cell-taken", "A tile goes on empty hexes.", "rulebook, Course of the game",
    "Another tile lies there already.",
)  # fmt: skip
TOUCHES_ITSELF = Rule(
    "touches-itself", "A snake may not touch itself.", "rulebook, Course of the game; ruling 1",
    "The {player} snake touches itself here.",
)  # fmt: skip
SHARP_TURN = Rule(
    "sharp-turn", "A snake may not turn so sharply that three of its hexes lie in a triangle.",
    "rulebook, Course of the game; ruling 1", "The {player} snake turns too sharply here.",
)  # fmt: skip
BRANCHES = Rule(
    "branches", "A snake may not branch: it goes on from its ends only.",
    "rulebook, Course of the game; ruling 1", "The {player} snake branches here.",
)  # fmt: skip
OWN_SNAKES_TOUCH = Rule(
    "own-snakes-touch", "Two snakes of one player may not touch, but end to end, which joins them.",
    "rulebook, Course of the game; ruling 1", "Two {player} snakes touch each other here.",
)  # fmt: skip
TOUCHES_ONLY_OPPONENT = Rule(
    "touches-only-opponent",
    "A tile that touches an opponent's must touch one of its own colour too.",
    "rulebook, Create a new snake, Grow a snake; ruling 2",
    "This tile touches {others}, but no {player} tile.",
)  # fmt: skip
TOO_MANY = Rule(
    "too-many", "No more tiles can lie there than are in the box.", "rulebook, Components",
    "More {tile} lie on the table than {player} has in this game.",
)  # fmt: skip

LONGEST = Reason("longest-snake", "the hexes of the longest {player} snake")

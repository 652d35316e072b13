"""What Snekagon's referee says, in playing order.

Headings are those of the English rules (A. Španěl); rulings are numbered as in ``RULINGS.md``.
"""

from __future__ import annotations

from engine.game import Reason, Rule, Summary

SUMMARY = Summary(
    goal="Build the longest snake on the board.",
    turn="Lay one of your tiles: extend one of your snakes at an end, or start a new snake"
    " that touches nothing.",
    end="The game ends when neither player can lay a tile.",
    scoring="Only your longest snake counts, one point for each of its hexes."
    " Equal lengths are a tie.",
)

NOT_YOUR_TURN = Rule(
    "not-your-turn",
    "Players take turns.",
    "rulebook, Course of the game",
    "It is {turn}'s turn, not {player}'s.",
)
FIRST_IS_1 = Rule(
    "first-is-1",
    "The first tile of the game is the single hex.",
    "rulebook, Course of the game; ruling 3",
    {
        "one": "The game starts with the single hex.",
        "other": "The game starts with the single hex, but this tile has {n} hexes.",
    },
)
NONE_LEFT = Rule(
    "none-left",
    "You have each of your tiles only once. You may turn it and flip it over as you like.",
    "rulebook, Components; ruling 3",
    "{player} has no tile of this shape left.",
)
OFF_BOARD = Rule(
    "off-board",
    "A tile lies completely on the board.",
    "rulebook, Set up",
    "This tile sticks out over the edge of the board.",
)
CELL_TAKEN = Rule(
    "cell-taken",
    "A tile covers only empty hexes.",
    "rulebook, Course of the game",
    "This tile lies on top of another one: {others}.",
)
TOUCHES_ONLY_OPPONENT = Rule(
    "touches-only-opponent",
    "A tile may touch your opponent's snake only if it also extends one of your own."
    " A new snake touches nothing.",
    "rulebook, Create a new snake, Grow a snake; ruling 2",
    "This tile touches {others}, but it does not extend a {colour} snake.",
)
BRANCHES = Rule(
    "branches",
    "A snake grows only at its two ends. It may not branch.",
    "rulebook, Course of the game; ruling 1",
    "Too many {colour} hexes meet here: the snake branches.",
    {
        "middle": "The tile docks at the middle of the {colour} snake, not at an end.",
        "side": "The end of the {colour} snake meets the middle of the tile, not one of its ends.",
    },
)
SHARP_TURN = Rule(
    "sharp-turn",
    "A snake may not turn so sharply that three of its hexes form a triangle.",
    "rulebook, Course of the game; ruling 1",
    "These three {colour} hexes form a triangle: the turn is too sharp.",
)
TOUCHES_ITSELF = Rule(
    "touches-itself",
    "A snake may not touch itself. Joining its two ends to form a ring is allowed; a ring has no"
    " end, so it cannot grow.",
    "rulebook, Course of the game, Notes; rulings 1 and 4",
    "The tile touches the {colour} snake in a second place, and not end to end.",
)
OWN_SNAKES_TOUCH = Rule(
    "own-snakes-touch",
    "Your snakes may not touch each other, except end to end: then they become one.",
    "rulebook, Course of the game, Grow a snake; ruling 1",
    "Two {colour} snakes touch here, and not end to end.",
    {"alongside": "The tile lies alongside the {colour} snake instead of end to end."},
)
MUST_MOVE = Rule(
    "must-move",
    "If you can lay a tile, you must, and only one each turn. You pass only when none of your"
    " tiles fits.",
    "rulebook, Grow a snake; ruling 4",
    "{player} may not pass: a tile still fits here.",
)
GAME_OVER = Rule(
    "game-over",
    "Once neither player can lay a tile, the game is over.",
    "rulebook, End of the game; ruling 4",
    "The game is over.",
)
LONGEST_COUNTS = Rule(
    "longest-counts",
    "Only your longest snake counts, one point for each hex that it covers, a ring too. Equal"
    " lengths are a tie.",
    "rulebook, Goal of the game, End of the game; ruling 4",
)
TOO_MANY = Rule(
    "too-many",
    "No more tiles can lie on the board than each player has.",
    "rulebook, Components",
    "More tiles of this shape lie on the board than {player} has.",
)

LONGEST = Reason(
    "longest-snake",
    {
        "one": "the longest {colour} snake: {n} hex",
        "other": "the longest {colour} snake: {n} hexes",
    },
)

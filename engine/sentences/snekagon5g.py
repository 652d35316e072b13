"""What the referee of Snekagon 5G says, in playing order.

Headings are those of the English rules (A. Španěl, M. Veselý); rulings are numbered as in
``RULINGS.md``.
"""

from __future__ import annotations

from engine.game import Reason, Rule, Summary

SUMMARY = Summary(
    goal="Build the longest snake, on one board or across several.",
    turn="Lay one of your tiles: start a new snake that touches nothing, extend one of your"
    " snakes at an end, or escape from an end to the same field of a neighbouring board.",
    end="The game ends when nobody can lay a tile.",
    scoring="Only your longest snake counts, one point for each of its hexes on all boards."
    " Equal lengths share the win.",
)

NOT_YOUR_TURN = Rule(
    "not-your-turn",
    "Players take turns.",
    "rulebook, Gameplay overview",
    "It is {turn}'s turn, not {player}'s.",
)
FIRST_IS_1 = Rule(
    "first-is-1",
    "If you agreed on it, the first tile of the game is the single hex.",
    "option single_opening",
    {
        "one": "You agreed to start with the single hex.",
        "other": "You agreed to start with the single hex, but this tile has {n} hexes.",
    },
)
NONE_LEFT = Rule(
    "none-left",
    "You have each of your tiles only once. You may turn it and flip it over as you like.",
    "rulebook, Components",
    "{player} has no tile of this shape left.",
)
OFF_BOARD = Rule(
    "off-board",
    "A tile lies completely on one board.",
    "rulebook, Gameplay overview",
    "This tile sticks out over the edge of the board.",
)
ON_EYE = Rule(
    "on-eye",
    "No tile may cover one of the two holes of a board.",
    "rulebook, Creating a new snake",
    "This tile covers a hole of the board.",
)
CELL_TAKEN = Rule(
    "cell-taken",
    "A tile covers only empty hexes.",
    "rulebook, Creating a new snake",
    "This tile lies on top of another one: {others}.",
)
TOUCHES_ONLY_OPPONENT = Rule(
    "touches-only-opponent",
    "A new snake touches nothing. A tile may touch an opponent's snake only if it extends one of"
    " your own, on the same board or by an escape.",
    "rulebook, Creating a new snake, Extension of the snake within the same floor,"
    " Extension of the snake by escape to another floor; ruling 3",
    "This tile touches {others}, but it neither extends a {colour} snake nor comes from an escape.",
)
BRANCHES = Rule(
    "branches",
    "A snake grows only at its two ends. It may not branch.",
    "rulebook, Gameplay overview; ruling 2",
    "Too many {colour} hexes meet here: the snake branches.",
    {
        "middle": "The tile docks at the middle of the {colour} snake, not at an end.",
        "side": "The end of the {colour} snake meets the middle of the tile, not one of its ends.",
        "drilled": "The {colour} snake already goes on to another board here: this is no longer"
        " an end.",
    },
)
SHARP_TURN = Rule(
    "sharp-turn",
    "A snake may not turn so sharply that three of its hexes form a triangle.",
    "rulebook, Gameplay overview",
    "These three {colour} hexes form a triangle: the turn is too sharp.",
)
TOUCHES_ITSELF = Rule(
    "touches-itself",
    "A snake may not touch itself. Joining its two ends to form a ring is allowed; a ring has no"
    " end, so it cannot grow.",
    "rulebook, Gameplay overview; ruling 6",
    "The tile touches the {colour} snake in a second place, and not end to end.",
)
OWN_SNAKES_TOUCH = Rule(
    "own-snakes-touch",
    "Your snakes may not touch each other, except end to end: then they become one.",
    "rulebook, Gameplay overview, Extension of the snake within the same floor",
    "Two {colour} snakes touch here, and not end to end.",
    {"alongside": "The tile lies alongside the {colour} snake instead of end to end."},
)
NOT_AN_END = Rule(
    "not-an-end",
    "A snake escapes to another board only from one of its ends.",
    "rulebook, Extension of the snake by escape to another floor; ruling 3",
    "There is no {colour} snake here that could escape.",
    {
        "middle": "The {colour} snake already goes on both ways here: it can escape only from"
        " an end."
    },
)
BOARDS_APART = Rule(
    "boards-apart",
    "There is one board for each player, laid in a ring. A snake escapes only to a neighbouring"
    " board: the next one on either side, or the other one of two.",
    "rulebook, Game setup, Extension of the snake by escape to another floor; ruling 1",
    "Boards {one} and {other} are not neighbours.",
    {"same": "A snake escapes to another board, but this tile lies on board {one}, too."},
)
BOARDS_DO_NOT_TOUCH = Rule(
    "boards-do-not-touch",
    "On the same field of two boards, snakes do not touch. Only an escape joins the two fields:"
    " each then counts as a neighbour of the other.",
    "rulebook, Extension of the snake by escape to another floor; ruling 2",
)
OTHER_FIELD = Rule(
    "other-field",
    "After an escape the snake comes out on the same field of the other board. One end of the new"
    " tile lies on that field.",
    "rulebook, Extension of the snake by escape to another floor; ruling 3",
    "The {colour} snake comes out on the same field of the other board, but the tile does not"
    " lie there.",
    {"middle": "The {colour} snake comes out in the middle of the tile, not at one of its ends."},
)
AGAINST_DIRECTION = Rule(
    "against-direction",
    "In the advanced game, an escape keeps the direction: the snake turns by at most 60 degrees."
    " It does not matter which tile was laid first; escapes in a row through single hexes count as"
    " one.",
    "rulebook, Advanced game; ruling 5",
    "The {colour} snake turns by more than 60 degrees between these boards.",
)
NO_FAR_DRILL = Rule(
    "no-far-drill",
    "If you agreed on it, a new tile may also be joined at once to one of your ends on a"
    " neighbouring board.",
    "option far_drill; ruling 3",
    "You did not agree that a new tile may be joined to an end on another board.",
)
DRILLED_TWICE = Rule(
    "drilled-twice",
    "A tile that comes out of one of your ends is already joined to it. It cannot escape back to"
    " that end.",
    "ruling 2",
    "The tile already comes from this end. It cannot be joined to it again.",
)
CLAY_AMISS = Rule(
    "clay-amiss",
    "Open clay marks the hexes on both sides of an escape and opens towards the snake's body. A"
    " single hex that has just come out gets no clay; once it goes on, it gets an open piece on"
    " the same board and a closed piece if it escapes again. The number of pieces limits nobody.",
    "rulebook, Extension of the snake by escape to another floor; ruling 4",
    "The clay here does not match the snakes.",
    {
        "extra": "There should be no clay here.",
        "open": "An open piece of clay belongs here, opening towards the snake's body.",
        "closed": "A closed piece of clay belongs here: this single hex escapes both ways.",
    },
)
MUST_MOVE = Rule(
    "must-move",
    "If you can lay a tile, you must, and only one each turn. You pass only when none of your"
    " tiles fits.",
    "rulebook, Extension of the snake by escape to another floor",
    "{player} may not pass: a tile still fits here.",
)
GAME_OVER = Rule(
    "game-over",
    "Once nobody can lay a tile, the game is over.",
    "rulebook, End of the game",
    "The game is over.",
)
LONGEST_COUNTS = Rule(
    "longest-counts",
    "Only your longest snake counts, one point for each hex that it covers on all boards, a ring"
    " over several boards too. Equal lengths share the win.",
    "rulebook, Aim of the game, End of the game; ruling 6",
)
TOO_MANY = Rule(
    "too-many",
    "No more tiles can lie on the boards than each player has.",
    "rulebook, Components",
    "More tiles of this shape lie on the boards than {player} has.",
)

LONGEST = Reason(
    "longest-snake",
    {
        "one": "the longest {colour} snake: {n} hex",
        "other": "the longest {colour} snake: {n} hexes",
    },
)

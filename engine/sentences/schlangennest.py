"""What Schlangennest's referee says.

Headings are those of the English rules (G. Cornett 1995); rulings are numbered as on the rulings
page.
"""

from __future__ import annotations

from engine.game import Reason, Rule

GAME_OVER = Rule("game-over", "The game is over.", "rulebook, End of game")
NOT_YOUR_TURN = Rule(
    "not-your-turn", "Players move in turn.", "rulebook, Course of the game",
    "It is {turn}'s turn, not {player}'s.",
)  # fmt: skip
NOT_YOUR_CARD = Rule(
    "not-your-card", "A player lays cards of his own stock only.", "rulebook, laydown-rules",
    "{player} has no {tile} to lay: that colour is not {player}'s.",
)  # fmt: skip
NONE_LEFT = Rule(
    "none-left", "A card can be laid only while there is one left.", "rulebook, contents",
    "The box has only {count} {tile}.",
)  # fmt: skip
CELL_TAKEN = Rule(
    "cell-taken", "A card goes on an empty place.", "ruling 1", "A card lies there already."
)
FIRST_TOUCHES = Rule(
    "first-touches", "A player's first card goes next to a lying card, at a side or a corner.",
    "rulebook, Course of the game; ruling 2",
    "The first {colour} card must lie next to a card, at a side or a corner.",
)  # fmt: skip
TAIL_FIRST = Rule(
    "tail-first", "The first card of a colour is its tail.",
    "rulebook, A snake with only one end; Two snakes for every player",
    "The first {colour} card must be the tail.",
)  # fmt: skip
OWN_END = Rule(
    "own-end", "The coloured part of a new card must itself go on from an end of the own snake.",
    "rulebook, laydown-rules; ruling 3",
    "The {colour} part of this card does not go on from an end of the {colour} snake.",
)  # fmt: skip
COLOURS_JOINED = Rule(
    "colours-joined", "No snake may hold two colours.", "rulebook, laydown-rules; ruling 1",
    "This joins {one} and {other}.",
)  # fmt: skip
THREE_AT_ONE = Rule(
    "three-at-one-place", "No empty place may be reached by three snakes.",
    "rulebook, Special cases; ruling 4", "Now {snakes} reach the same empty place.",
)  # fmt: skip
FOUR_AT_TWO = Rule(
    "four-at-two-places", "No two neighbouring empty places may be reached by all four snakes.",
    "rulebook, Special cases; ruling 4",
    "Now all four snakes reach these two neighbouring empty places.",
)  # fmt: skip
MUST_CLOSE = Rule(
    "must-close",
    "When both ends of two snakes reach one place, the next of the two must close his own there.",
    "rulebook, Special cases; ruling 5",
    "Both ends of {colour} and of another snake reach one place: {colour} must be closed there"
    " with a {card}.",
)  # fmt: skip
CANNOT_CLOSE = Rule(
    "cannot-be-closed",
    "Nobody may bring both ends of two snakes to one place, side by side, when the next of the two"
    " has no curve left.",
    "rulebook, Special cases; ruling 5",
    "Both ends of {one} and {other} would reach one place, and {colour} has no curve left.",
)  # fmt: skip
OUTSIDE = Rule(
    "outside-field", "Straight and curved cards must fit the field; head and tail may lie outside.",
    "rulebook, The border comes into being; ruling 6",
    "With this card the straight and curved cards no longer fit {field}.",
)  # fmt: skip
OPEN_FIRST = Rule(
    "open-first", "Whose snake is a closed loop opens it instead of laying a card.",
    "rulebook, A snake without ends; ruling 7",
    "The {colour} snake is a closed loop: it must be opened, no card may be laid.",
)  # fmt: skip
NO_LOOP = Rule(
    "no-loop", "Cards are turned or swapped only to open a closed loop.",
    "rulebook, A snake without ends; ruling 7", "The {colour} snake is no closed loop.",
)  # fmt: skip
NOT_OWN_CURVE = Rule(
    "not-own-curve", "Only a curve of one's own colour is turned.",
    "rulebook, A snake without ends; ruling 7", "There is no curve of {player} to turn.",
)  # fmt: skip
NOT_A_QUARTER = Rule(
    "not-a-quarter", "The curve is turned by a quarter, either way.",
    "rulebook, A snake without ends; ruling 7", "The curve must be turned by a quarter.",
)  # fmt: skip
STILL_CLOSED = Rule(
    "still-closed", "Afterwards the snake has at least one end.", "ruling 7",
    "The {colour} snake would have no end.",
)  # fmt: skip
IN_PIECES = Rule(
    "in-pieces", "A snake is one piece.", "rulebook, laydown-rules; ruling 7",
    "The {colour} snake would be in pieces.",
)  # fmt: skip
CAN_BE_OPENED = Rule(
    "can-be-opened", "The tail is swapped in only when no curve can be turned.",
    "rulebook, A snake without ends; ruling 7",
    "A curve can still be turned to open the loop, so the tail may not be swapped in.",
)  # fmt: skip
NOT_OWN_STRAIGHT = Rule(
    "not-own-straight", "The tail replaces a straight of one's own colour.",
    "rulebook, A snake without ends; ruling 7", "There is no straight of {player} to replace.",
)  # fmt: skip
NOT_THE_TAIL = Rule(
    "not-the-tail", "Only the tail card replaces a card.",
    "rulebook, A snake without ends; ruling 7", "A straight can be replaced by the tail card only.",
)  # fmt: skip
NOT_ALONG = Rule(
    "not-along", "The tail is laid along the straight it replaces.", "ruling 7",
    "The tail must lie along the straight that it replaces.",
)  # fmt: skip
SNAKE_FINISHED = Rule(
    "snake-finished", "A finished snake does not grow.", "rulebook, Head and tail; ruling 8",
    "The {colour} snake is finished.",
)  # fmt: skip
OTHER_SNAKE = Rule(
    "other-snake", "With two snakes each, a turn is one action for each colour.",
    "rulebook, Two snakes for every player; ruling 10", "It is {due}'s action now, not {colour}'s.",
)  # fmt: skip
MUST_MOVE = Rule(
    "must-move", "Whoever can move must move.", "rulings, conventions; ruling 8",
    "{player} can still move, so passing is not allowed.",
)  # fmt: skip
PART = Reason("part", "a {colour} part of the {snake} snake")
CAP = Reason("cap", "a {colour} {cap} of the {snake} snake")

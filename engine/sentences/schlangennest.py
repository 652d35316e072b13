"""What Schlangennest's referee says, in playing order.

Headings are those of the English rules (G. Cornett 1995); rulings are numbered as in
``RULINGS.md``.
"""

from __future__ import annotations

from engine.game import Reason, Rule, Summary

SUMMARY = Summary(
    goal="Build the longest snake of your colour in the nest.",
    turn="Lay one card of your colour so that its coloured part extends your snake at an end."
    " Grey parts that connect to your snake belong to it. If your snake is a closed ring, open it"
    " instead.",
    end="The game ends when all snakes are finished or nobody can move.",
    scoring="Every part of your snake counts one point, coloured or grey, heads and tails too."
    " The most points win.",
)

NOT_YOUR_TURN = Rule(
    "not-your-turn",
    "Players take turns.",
    "rulebook, Course of the game",
    "It is {turn}'s turn, not {player}'s.",
)
OTHER_SNAKE = Rule(
    "other-snake",
    "With two snakes each, tails come first. Then, as agreed, you lay one card for each of your"
    " snakes every turn, or one card for the snake of your choice.",
    "rulebook, Two snakes for every player; ruling 10",
    "A {one} card is due now, not a {colour} one.",
)
NOT_YOUR_CARD = Rule(
    "not-your-card",
    "You lay only cards of your own colour.",
    "rulebook, When everybody has put his first card on the table every new card has to lengthen"
    " the players' own snake",
    "This {tile} is not one of {player}'s cards.",
)
NONE_LEFT = Rule(
    "none-left",
    "You can lay a card only while you have one left.",
    "rulebook, Schlangennest",
    {
        "one": "The only {tile} is already on the table.",
        "other": "The box has {n} {tile} cards, and all of them are already on the table.",
    },
    {
        "over": {
            "one": "The box has only {n} {tile}, but more lie on the table.",
            "other": "The box has only {n} {tile} cards, but more lie on the table.",
        }
    },
)
CELL_TAKEN = Rule(
    "cell-taken",
    "A card goes on an empty place.",
    "ruling 1",
    "A {lying} already lies here.",
)
FIRST_TOUCHES = Rule(
    "first-touches",
    "Your first card goes next to a card on the table, side to side or corner to corner.",
    "rulebook, Course of the game; ruling 2",
    "The first {colour} card does not touch any card, not even at a corner.",
)
TAIL_FIRST = Rule(
    "tail-first",
    "If you agreed on it, the first card of a snake is its tail.",
    "rulebook, A snake with only one end, Two snakes for every player",
    "The first {colour} card must be the tail.",
)
OWN_END = Rule(
    "own-end",
    "The coloured part of your new card must extend your snake at one of its ends.",
    "rulebook, When everybody has put his first card on the table every new card has to lengthen"
    " the players' own snake; ruling 3",
    "No end of the {colour} snake leads to this place.",
    {
        "grey": "Here the end of the {colour} snake meets the grey part of the card, not the"
        " {colour} part."
    },
)
COLOURS_JOINED = Rule(
    "colours-joined",
    "Parts of different colours may never be connected, not even through grey.",
    "rulebook, The following laydown-rules are valid, Special cases; ruling 1",
    "This connects {one} and {other} in one snake.",
)
IN_PIECES = Rule(
    "in-pieces",
    "All parts of your colour form one single snake.",
    "rulebook, When everybody has put his first card on the table every new card has to lengthen"
    " the players' own snake; ruling 7",
    "The {colour} snake is not in one piece.",
)
OUTSIDE = Rule(
    "outside-field",
    "Straights and curves must stay inside the field you agreed on. Heads and tails may lie"
    " outside.",
    "rulebook, The border comes into being, Game with fixed border; ruling 6",
    "This straight or curve lies outside the border.",
    {
        "size": "The straights and curves now cover {wide} × {high} places, but the field is"
        " {a} × {b}."
    },
)
THREE_AT_ONE = Rule(
    "three-at-one-place",
    "No empty place may be reached by three snakes.",
    "rulebook, Special cases; ruling 4",
    "Three snakes or more reach this empty place: {snakes}.",
)
FOUR_AT_TWO = Rule(
    "four-at-two-places",
    "Two empty places side by side may not be reached by all four snakes.",
    "rulebook, Special cases; ruling 4",
    "All four snakes reach these two empty places side by side.",
)
MUST_CLOSE = Rule(
    "must-close",
    "When both ends of two snakes reach the same empty place, the one of the two who plays next"
    " must connect both ends of their own snake there: with a straight if the ends are opposite,"
    " or with the tail if no straight is left; with a curve if the ends are side by side.",
    "rulebook, More rarely you have to follow this rule; ruling 5",
    "Both ends of {colour} and both ends of {other} reach this place: {colour} must close its"
    " own snake here with a {card}.",
)
CANNOT_CLOSE = Rule(
    "cannot-be-closed",
    "Both ends of two snakes may not be brought to the same place, side by side, if the one of"
    " the two who plays next has no curve left to close with.",
    "rulebook, More rarely you have to follow this rule; ruling 5",
    "Both ends of {one} and both ends of {other} would reach this place, but {colour} plays next"
    " and has no curve left.",
)
SNAKE_FINISHED = Rule(
    "snake-finished",
    "A snake with a head or tail at both ends is finished and does not grow any more.",
    "rulebook, Head and tail; ruling 8",
    "The {colour} snake has a head or tail at both ends: it is finished.",
)
OPEN_FIRST = Rule(
    "open-first",
    "If your snake is a closed ring, you open it instead of laying a card.",
    "rulebook, A snake without ends; ruling 7",
    "The {colour} snake is a closed ring. Open it first: turn a curve.",
)
NO_LOOP = Rule(
    "no-loop",
    "You turn or swap a card only to open a closed ring.",
    "rulebook, A snake without ends; ruling 7",
    "The {colour} snake is not a closed ring, so this card stays as it lies.",
)
NOT_OWN_CURVE = Rule(
    "not-own-curve",
    "To open your ring, turn a curve of your own colour.",
    "rulebook, A snake without ends; ruling 7",
    "This is not one of {player}'s curves.",
    {"empty": "No card lies here."},
)
NOT_A_QUARTER = Rule(
    "not-a-quarter",
    "The curve is turned by a quarter, to the left or to the right.",
    "rulebook, A snake without ends; ruling 7",
    "The curve must be turned by exactly a quarter.",
)
STILL_CLOSED = Rule(
    "still-closed",
    "After the turn your snake has at least one end.",
    "ruling 7",
    "After this turn the {colour} snake still has no end.",
)
CAN_BE_OPENED = Rule(
    "can-be-opened",
    "Only if no curve can be turned, replace one of your straights with your tail. That finishes"
    " your snake.",
    "rulebook, A snake without ends; ruling 7",
    "This curve can be turned to open the ring, so the tail stays out.",
)
NOT_THE_TAIL = Rule(
    "not-the-tail",
    "A straight is replaced only with the tail of the same colour.",
    "rulebook, A snake without ends; ruling 7",
    "Only the player's own tail may go here.",
)
NOT_OWN_STRAIGHT = Rule(
    "not-own-straight",
    "The tail replaces a straight of your own colour.",
    "rulebook, A snake without ends; ruling 7",
    "This is not one of {player}'s straights.",
    {"empty": "No card lies here."},
)
NOT_ALONG = Rule(
    "not-along",
    "The tail lies in the direction of the straight that it replaces.",
    "ruling 7",
    "The tail lies across the straight that it replaces, not along it.",
)
MUST_MOVE = Rule(
    "must-move",
    "If you can move, you must, even if only your head or tail fits. You pass only when nothing"
    " fits.",
    "rulebook, Head and tail; ruling 8",
    "{player} may not pass: a {tile} still fits here.",
    {
        "turn": "{player} may not pass: this curve can be turned to open the ring.",
        "replace": "{player} may not pass: this straight can be replaced with the tail.",
    },
)
GAME_OVER = Rule(
    "game-over",
    "Once all snakes are finished or nobody can move, the game is over.",
    "rulebook, End of game; ruling 8",
    "The game is over.",
)

PART = Reason("part", "a {colour} part of the {snake} snake")
CAP = Reason("cap", "a {colour} {cap} on the {snake} snake")

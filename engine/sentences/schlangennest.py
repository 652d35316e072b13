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
    "With two snakes each, tails come first. Either you lay a card for both snakes every turn, in"
    " any order: then the first player begins with one tail, the second lays both, and the first"
    " lays the other tail and a card on the first snake. Or you lay one card of your choice every"
    " turn: then your first two are your tails. A snake that is finished or cannot move is left"
    " out.",
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
    "The first card of the game may lie anywhere. Your own first card goes next to a card on the"
    " table, side to side or corner to corner.",
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
    "The coloured part of your new card must extend your snake at one of its ends. That end may be"
    " grey, but the snake must have had it before your move.",
    "rulebook, When everybody has put his first card on the table every new card has to lengthen"
    " the players' own snake; ruling 3",
    "No end of the {colour} snake leads to this place.",
    {
        "grey": "Here the end of the {colour} snake meets the grey part of the card, not the"
        " {colour} part."
    },
)
GREY_JOINS = Rule(
    "grey-joins",
    "Grey that meets a snake becomes part of it, whether you want it or not, and another player's"
    " snake can grow by it too. As long as it meets no colour, grey belongs to nobody.",
    "rulebook, The following laydown-rules are valid, When everybody has put his first card on the"
    " table every new card has to lengthen the players' own snake; ruling 3",
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
FIELD_SIZE = Rule(
    "field-size",
    "Agree on the size of the field before you begin. Recommended are 5 × 7 places for two"
    " players, 6 × 8 or 5 × 9 for three, 7 × 9 or 6 × 10 for four; easy are 6 × 6, 7 × 7 and 8 ×"
    " 8; hard are 4 × 8, 4 × 10 and 5 × 11. For two players with two snakes each, the size for"
    " four is best.",
    "rulebook, Schlangennest; ruling 10",
)
HOW_THE_BORDER_COMES = Rule(
    "how-the-border-comes",
    "The border comes into being as you lay: all straights and curves together must fit into a"
    " field of the agreed size, upright or across. Where exactly it lies stays open until they"
    " reach as far as they may. You can also play without a border, or fix it before the game with"
    " the cards of a colour that nobody plays: its two cards furthest apart mark the first and"
    " last row and column.",
    "rulebook, The border comes into being, Easy game for younger children, Game with fixed"
    " border; rulings 6 and 10",
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
LAID_BEFORE = Rule(
    "laid-before",
    "Cards laid before the game belong to nobody: their colour may be joined to no other, they"
    " count where snakes crowd one place, and their grey can become part of your snake. With a"
    " frame, straights and curves stay inside it.",
    "rulebook, Game with fixed border; ruling 10",
)
THREE_AT_ONE = Rule(
    "three-at-one-place",
    "No empty place may be reached by three snakes. The player who caused it takes the card back"
    " and lays another one.",
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
    " or with the tail if no straight is left; with a curve if the ends are side by side. The"
    " other snake becomes a closed ring too and is opened later. If you lay one card of your"
    " choice every turn, it must be this one.",
    "rulebook, More rarely you have to follow this rule; ruling 5",
    "Both ends of {colour} and both ends of {other} reach this place: {colour} must close its"
    " own snake here with a {card}.",
)
CANNOT_CLOSE = Rule(
    "cannot-be-closed",
    "Both ends of two snakes may not be brought to the same place, side by side, if the one of the"
    " two who plays next has no curve left to close with. Lay another card instead, your head or"
    " tail if nothing else fits.",
    "rulebook, More rarely you have to follow this rule; ruling 5",
    "Both ends of {one} and both ends of {other} would reach this place, but {colour} plays next"
    " and has no curve left.",
)
SNAKE_FINISHED = Rule(
    "snake-finished",
    "A snake with a head or tail at both ends is finished and does not grow any more, even if it"
    " is the grey one of another player's card. Its player is skipped; the others play on, even if"
    " only one is left.",
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
RING_STAYS = Rule(
    "ring-stays",
    "If no curve can be turned and you have no straight of your own to replace, you pass, and the"
    " ring counts as long as it is. A tail in the place of a straight brings one point more, since"
    " its two parts both count.",
    "rulebook, A snake without ends; ruling 7",
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
POINTS = Rule(
    "points",
    "Every part of your snake counts one point, coloured or grey, a head or tail too: parts count,"
    " not cards. Two snakes of one player are added up. Equal points share the win.",
    "rulebook, End of game; rulings 9 and 10",
)

PART = Reason("part", "a {colour} part of the {snake} snake")
CAP = Reason("cap", "a {colour} {cap} on the {snake} snake")

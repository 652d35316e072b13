"""What Sssnake's referee says.

Headings are those of the French rules (after B. & B. Micksch); rulings are numbered as on the
rulings page.
"""

from __future__ import annotations

from engine.game import Reason, Rule

GAME_OVER = Rule("game-over", "The game is over.", "rulebook, La fin du jeu")
NOT_YOUR_TURN = Rule(
    "not-your-turn", "Players move in turn; a card that is given is laid by whom it is given to.",
    "rulebook, Le déroulement; ruling 4", "It is {turn}'s turn, not {player}'s.",
)  # fmt: skip
NOT_THE_ROLLER = Rule(
    "not-the-roller", "Only who rolled puts a card out of the game.", "rulebook, Le dé; ruling 4",
    "Only {turn}, who rolled, puts a card out of the game.",
)  # fmt: skip
ROLLS_ON_TRUST = Rule(
    "rolls-on-trust", "Where rolls are on trust, none is written down.", "option rolls",
    "Rolls are on trust in this game: write down only the cards.",
)  # fmt: skip
NOT_ROLLED = Rule(
    "not-rolled", "A turn begins with a roll of the die.", "rulebook, Le déroulement",
    "{turn} has not rolled yet.",
)  # fmt: skip
ALREADY_ROLLED = Rule(
    "already-rolled", "The die is rolled once a turn.", "rulebook, Le déroulement",
    "{turn} has rolled, and the cards are not all laid yet.",
)  # fmt: skip
WRONG_DRAW = Rule(
    "wrong-draw", "As many cards are drawn as the die shows, or as the pile has left.",
    "rulebook, Le déroulement; ruling 4",
    "{due} must be drawn for a {value}, not {drawn}.",
)  # fmt: skip
NONE_LEFT = Rule(
    "none-left", "A card can be drawn and laid only while there is one left.",
    "rulebook, Le contenu du jeu", "The box has no more {tile}.",
)  # fmt: skip
NOT_DRAWN = Rule(
    "not-drawn", "Only the cards that were drawn are laid.", "rulebook, Le déroulement",
    "{tile} is not among the drawn cards.",
)  # fmt: skip
WRONG_SNAKE = Rule(
    "wrong-snake",
    "The roll says whose snake a card goes on: one's own, or the left neighbour's where it fits.",
    "rulebook, Le dé; ruling 4", "This card goes on {due}'s snake, not on {snake}'s.",
)  # fmt: skip
CELL_TAKEN = Rule(
    "cell-taken", "A card goes on an empty place.", "rulebook, Compléter les serpents; ruling 1",
    "A card lies there already.",
)  # fmt: skip
NOT_AT_AN_END = Rule(
    "not-at-an-end", "A card is laid on at the head end or the tail end.",
    "rulebook, Compléter les serpents; ruling 1",
    "This card does not go on from an end of {snake}'s snake.",
)  # fmt: skip
NOT_JOINED = Rule(
    "not-joined", "The card must carry the snake on.", "rulebook, Compléter les serpents; ruling 1",
    "This card turns a blank side to the end of {snake}'s snake.",
)  # fmt: skip
DEAD_END = Rule(
    "dead-end", "No end may run against a blank side of a card.",
    "rulebook, Compléter les serpents; ruling 2",
    "An end of {snake}'s snake runs against a blank side.",
)  # fmt: skip
NOT_FEASIBLE = Rule(
    "not-feasible", "It must stay possible to join head and tail.",
    "rulebook, Compléter les serpents; ruling 2",
    "Head and tail of {snake}'s snake can no longer be joined.",
)  # fmt: skip
CLOSES_TOO_EARLY = Rule(
    "closes-too-early", "A snake is closed only with the last card that its player has to lay.",
    "rulebook, La fin du jeu; ruling 5",
    "{player} has another card of his own to lay first, so this one may not close the snake.",
)  # fmt: skip
COULD_BE_LAID = Rule(
    "could-be-laid", "A card goes out of the game only when it cannot be laid.",
    "rulebook, Compléter les serpents; ruling 4", "{tile} can be laid on {snake}'s snake.",
)  # fmt: skip
MUST_MOVE = Rule(
    "must-move", "Whoever can move must move.", "rulings, conventions",
    "{player} can still move, so passing is not allowed.",
)  # fmt: skip

CLOSED = Reason("closed", "{snake}'s snake is closed")
MISSING = Reason("missing", "{cards} missing to close {snake}'s snake")
UNREACHABLE = Reason("unreachable", "head and tail of {snake}'s snake can no longer be joined")

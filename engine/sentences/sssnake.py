"""What Sssnake's referee says, in playing order.

Headings are those of the French rules (after B. & B. Micksch); rulings are numbered as in
``RULINGS.md``.
"""

from __future__ import annotations

from engine.game import Reason, Rule, Summary

SUMMARY = Summary(
    goal="Be the first to join the head and the tail of your snake.",
    turn="Roll the die and draw that many cards. On a 1, lay the card on your left neighbour's"
    " snake. On a 2 or 3, give one card to your left neighbour and lay the rest on your own snake.",
    end="The game ends as soon as a snake is closed, or when the pile is used up.",
    scoring="A closed snake wins. If the pile runs out first, the snake that needs the fewest"
    " cards to close wins. Every missing card is a minus point.",
)

NOT_YOUR_TURN = Rule(
    "not-your-turn",
    "Players take turns. A card that you are given is yours to lay.",
    "rulebook, La préparation, Le dé; ruling 4",
    "It is {turn}'s turn, not {player}'s.",
)
NOT_ROLLED = Rule(
    "not-rolled",
    "A turn begins with a roll of the die.",
    "rulebook, Le déroulement",
    "{turn} has not rolled yet.",
)
ROLLS_ON_TRUST = Rule(
    "rolls-on-trust",
    "If you agreed to trust each other's rolls, only the cards are recorded: any card may go on"
    " your own or your left neighbour's snake, and a card leaves the game if it does not fit your"
    " own.",
    "option rolls; ruling 6",
    "Rolls are trusted in this game: only the cards are recorded.",
)
ALREADY_ROLLED = Rule(
    "already-rolled",
    "You roll the die once a turn.",
    "rulebook, Le déroulement",
    "{turn} has already rolled and still has cards to lay.",
)
WRONG_DRAW = Rule(
    "wrong-draw",
    "Draw as many cards as the die shows, or what is left in the pile. If that is less, your own"
    " share comes first.",
    "rulebook, Le déroulement; ruling 4",
    {
        "one": "On a {value}, {n} card is drawn, not {drawn}.",
        "other": "On a {value}, {n} cards are drawn, not {drawn}.",
    },
    {
        "short": {
            "one": "Only {n} card is left in the pile, so {n} is drawn, not {drawn}.",
            "other": "Only {n} cards are left in the pile, so {n} are drawn, not {drawn}.",
        }
    },
)
NONE_LEFT = Rule(
    "none-left",
    "A card can be drawn and laid only while one is left.",
    "rulebook, Le contenu du jeu",
    {
        "one": "The only {tile} of the box is already in play.",
        "other": "The box has {n} {tile} cards, and all of them are already in play.",
    },
)
NOT_DRAWN = Rule(
    "not-drawn",
    "You lay only cards that were drawn this turn.",
    "rulebook, Le déroulement",
    "No {tile} was drawn this turn.",
)
WRONG_SNAKE = Rule(
    "wrong-snake",
    "On a 1, the card goes on your left neighbour's snake if it fits there, otherwise on yours. On"
    " a 2 or 3, you first lay all cards but one of your choice on your own snake; that one goes to"
    " your left neighbour, who lays it if it fits, otherwise it comes back to you.",
    "rulebook, Le dé; ruling 4",
    "This card goes on the snake of {due}, not on {snake}'s.",
    {
        "own": "This is one of {due}'s own cards: it goes on {due}'s snake, not on {snake}'s.",
        "neighbour": "On a 1, the card goes on the left neighbour's snake while it fits there:"
        " {due}'s, not {snake}'s.",
        "given": "This card was given to {due}: it goes on {due}'s snake, not on {snake}'s.",
    },
)
CELL_TAKEN = Rule(
    "cell-taken",
    "A card goes on an empty place. Cards that lie never move.",
    "rulebook, Compléter les serpents; ruling 1",
    "A card already lies here.",
)
NOT_AT_AN_END = Rule(
    "not-at-an-end",
    "A card goes where the head end or the tail end of the snake points.",
    "rulebook, Compléter les serpents; ruling 1",
    "Neither end of {snake}'s snake points to this place.",
    {"apart": "These cards are not part of {snake}'s snake."},
)
NOT_JOINED = Rule(
    "not-joined",
    "The card must continue the snake.",
    "rulebook, Compléter les serpents; ruling 1",
    "This card turns a blank side to the end of {snake}'s snake.",
)
SECOND_STRAND = Rule(
    "second-strand",
    "The second piece of snake on a double card is free: if an end of the same snake comes upon"
    " it, the snake runs on through it at once. It need not be used.",
    "rulebook, Le contenu du jeu; ruling 1",
)
DEAD_END = Rule(
    "dead-end",
    "No end of a snake may run into a blank side.",
    "rulebook, Compléter les serpents; ruling 2",
    "Both ends of {snake}'s snake run into a blank side.",
    {
        "head": "The head end of {snake}'s snake runs into a blank side here.",
        "tail": "The tail end of {snake}'s snake runs into a blank side here.",
    },
)
NOT_FEASIBLE = Rule(
    "not-feasible",
    "It must always stay possible to join head and tail, as the cards lie; which cards are left"
    " does not matter.",
    "rulebook, Compléter les serpents; ruling 2",
    "Both ends of {snake}'s snake are shut in, each in a pocket of its own.",
    {
        "head": "The head end of {snake}'s snake has no way out of this pocket.",
        "tail": "The tail end of {snake}'s snake has no way out of this pocket.",
    },
)
CLOSES_TOO_EARLY = Rule(
    "closes-too-early",
    "You may close your snake only with the last card that you have to lay on it this turn. On a"
    " 3, the first of your two cards may not close it. The card for your neighbour does not count.",
    "rulebook, La fin du jeu; ruling 5",
    "{player} has one more card to lay, so this first card may not close the snake.",
)
CLOSED_WINS = Rule(
    "closed-wins",
    "A player whose snake is closed wins at once, even by a neighbour's card. Cards still in hand"
    " are dropped.",
    "rulebook, Le but du jeu, La fin du jeu; ruling 5",
)
NOT_THE_ROLLER = Rule(
    "not-the-roller",
    "Only the player who rolled takes a card out of the game.",
    "rulebook, Le dé; ruling 4",
    "{turn} rolled, so only {turn} takes a card out of the game.",
)
COULD_BE_LAID = Rule(
    "could-be-laid",
    "A card leaves the game only if it fits nowhere it may go. If none of the cards that you still"
    " have to lay on your own snake fits, you choose which of them leaves; it counts as laid.",
    "rulebook, Le dé, Compléter les serpents; ruling 4",
    "The {tile} fits {snake}'s snake here.",
)
MUST_MOVE = Rule(
    "must-move",
    "You must roll and lay your cards. You pass only when there is nothing to do.",
    "rulebook, Le déroulement",
    "{player} may not pass: there is still a card to lay or to take out of the game.",
    {"roll": "{player} may not pass: the die has to be rolled."},
)
GAME_OVER = Rule(
    "game-over",
    "Once a snake is closed or the pile is used up, the game is over.",
    "rulebook, La fin du jeu, Particularité",
    "The game is over.",
)
MISSING_CARDS = Rule(
    "missing-cards",
    "If the pile runs out first, the snake with the fewest missing cards wins; equal numbers share"
    " the win. They are counted with the best cards: the empty places of the shortest way between"
    " head and tail, where a free second piece on a double card costs nothing. In a series each"
    " missing card is a minus point, and a closed snake has none.",
    "rulebook, Particularité, Comptabilisation des points; ruling 3",
)

CLOSED = Reason("closed", "{snake}'s snake is closed")
MISSING = Reason(
    "missing",
    {
        "one": "{n} card is missing to close {snake}'s snake",
        "other": "{n} cards are missing to close {snake}'s snake",
    },
)
UNREACHABLE = Reason("unreachable", "head and tail of {snake}'s snake can no longer be joined")

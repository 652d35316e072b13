"""What the carnival's referee says.

Headings are those of the Russian rules; rulings are numbered as on the rulings page.
"""

from __future__ import annotations

from engine.game import Reason, Rule

GAME_OVER = Rule("game-over", "The game is over.", "rulebook, Подсчёт очков; ruling 9")
NOT_YOUR_TURN = Rule(
    "not-your-turn", "Players move in turn.", "rulebook, step 6",
    "It is {turn}'s turn, not {player}'s.",
)  # fmt: skip
NONE_LEFT = Rule(
    "none-left", "A tile can be laid only while there is one left.",
    "rulebook, step 6; rulings 10 and 11", "There is no {tile} left.",
)  # fmt: skip
CELL_TAKEN = Rule(
    "cell-taken", "A tile goes on an empty place, unless it replaces another.", "ruling 1",
    "A tile lies there already.",
)  # fmt: skip
NOT_AT_AN_END = Rule(
    "not-at-an-end",
    "A snake is one piece: a tile or log goes where an end points, one of its exits meeting it.",
    "rulebook, step 6; ruling 1", "No exit of this tile meets the end of {snake}.",
)  # fmt: skip
BLOCKED = Rule(
    "blocked", "A snake does not grow while something lies where its end points.", "ruling 1",
    "The {colour} snake cannot grow: something lies where its end points.",
)  # fmt: skip
TWO_SNAKES_JOINED = Rule(
    "two-snakes-joined", "A log joins whatever meets it, but it may never join two snakes.",
    "ruling 1", "This joins the {one} snake and the {other} one.",
)  # fmt: skip
UNDECLARED = Rule(
    "undeclared",
    "A plain tile of another colour is laid only by a player who has no own one to lay,"
    " and he must say so.",
    "rulebook, step 6; ruling 2",
    "{player} must say that there is no own plain tile to lay before laying a {tile}.",
)  # fmt: skip
GIFT_ALONE = Rule(
    "gift-alone", "A gift or a trouble touches at least one tile of a snake with a side.",
    "rulebook, Подарки; ruling 3", "No side of the {what} touches a snake.",
)  # fmt: skip
BLOCKS_AN_END = Rule(
    "blocks-an-end", "A gift or a trouble may not block another player's snake.",
    "rulebook, Подарки; ruling 3", "The {what} lies where the end of the {colour} snake points.",
)  # fmt: skip
NOTHING_TO_REPLACE = Rule(
    "nothing-to-replace", "Only a tile that lies there can be replaced.", "rulebook, Бревно",
    "There is no tile to replace.",
)  # fmt: skip
NOT_REPLACEABLE = Rule(
    "not-replaceable",
    "Gifts, troubles, the house, heads, hats and crossing logs stay where they are.",
    "rulebook, Подарки, Бревно, Тайлы неприятностей, Шляпа; rulings 3 and 4",
    "A {what} may not be replaced.",
)  # fmt: skip
NOT_A_REPLACEMENT = Rule(
    "not-a-replacement",
    "Only logs replace tiles, and only snake tiles replace straight and corner logs.",
    "rulebook, Подарки, Бревно; rulings 3 to 5", "A {what} may not replace a {lying}.",
)  # fmt: skip
WRONG_COLOUR = Rule(
    "wrong-colour", "A log in a snake is replaced only by a tile of that snake's colour.",
    "rulebook, Бревно; ruling 5", "The log belongs to the {colour} snake, the tile is {other}.",
)  # fmt: skip
WRONG_SHAPE = Rule(
    "wrong-shape", "A tile is replaced only by one of the same shape.",
    "rulebook, Бревно; ruling 4", "A {what} may not replace a {lying}: the shapes differ.",
)  # fmt: skip
CONNECTION_LOST = Rule(
    "connection-lost", "Replacing keeps every connection; only a free exit may be turned.",
    "rulebook, Бревно; ruling 4", "The {colour} snake would come apart here.",
)  # fmt: skip
LAST_ROUND_ONLY = Rule(
    "last-round-only", "Heads and hats are laid in the last round, once it is announced.",
    "rulebook, Голова, Шляпа; ruling 9", "The last round is not announced yet: no {what} now.",
)  # fmt: skip
ONLY_HEADS_AND_HATS = Rule(
    "only-heads-and-hats", "In the last round only heads and hats are laid.",
    "rulebook, Конец игры; ruling 9", "It is the last round: only heads and hats are laid now.",
)  # fmt: skip
HEADS_BEFORE_HATS = Rule(
    "heads-before-hats", "In the last round all heads are laid first, then the hats.",
    "rulebook, Конец игры; ruling 9", "First heads, then hats: it is time for {due} now.",
)  # fmt: skip
NOT_YOUR_HEAD = Rule(
    "not-your-head", "A player lays heads on his own snakes only.", "ruling 9",
    "The {colour} snake is not {player}'s.",
)  # fmt: skip
NO_BARE_HEAD = Rule(
    "no-bare-head", "A hat goes on a head that has none yet.", "rulebook, Шляпа; ruling 9",
    "There is no head without a hat for this place.",
)  # fmt: skip
HAT_IN_FRONT = Rule(
    "hat-in-front", "A hat lies in front of the head; on the head only where that is taken.",
    "ruling 9", "The place in front of the {colour} head is free: the hat goes there.",
)  # fmt: skip
WHICH_HEAD = Rule(
    "which-head", "Where two heads look at one place, a player says whose the hat is.",
    "ruling 9", "The hat could be {one}'s or {other}'s: say whose.",
)  # fmt: skip
ALREADY_ANNOUNCED = Rule(
    "already-announced", "The last round is announced once.", "rulebook, Конец игры",
    "The last round is announced already.",
)  # fmt: skip
FINALE_TOO_EARLY = Rule(
    "finale-too-early",
    "The last round is announced when nothing but heads and hats is left that can be laid.",
    "rulebook, Конец игры; ruling 9", "A {tile} is not laid yet, and whoever has it can lay it.",
)  # fmt: skip
TOO_MANY = Rule(
    "too-many", "No more tiles can lie than are in the box.", "ruling 10",
    "More {tile} tiles lie on the table than the box has.",
)  # fmt: skip

PRINTED = Reason("printed", "printed on the {tile}")
GIFT_SIDE = Reason("gift-side", "a gift touches the {colour} snake")
TROUBLE_SIDE = Reason("trouble-side", "a trouble touches the {colour} snake")
TOKEN = Reason("token", "the token for laying a {tile}")
INSTEAD_OF_TOKEN = Reason(
    "instead-of-token", "for laying a {tile}, less {value} since troubles touch it"
)
EARLIER_TOKENS = Reason("earlier-tokens", "diamond tokens taken before")
HAT = Reason("hat", "{tile} on the {colour} head")

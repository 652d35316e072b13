"""What the carnival's referee says, in playing order.

Headings are those of the Russian rules; rulings are numbered as in ``RULINGS.md``.
"""

from __future__ import annotations

from engine.game import Reason, Rule, Summary

SUMMARY = Summary(
    goal="Grow your snake from the house and dress it up for the carnival.",
    turn="Lay one tile: grow a snake at its end, put a gift or a trouble beside a snake, or"
    " replace a tile with a log. Then draw a tile. If you can lay nothing, pass and draw one more.",
    end="When only heads and hats are left, the last round is announced: first everybody lays"
    " heads, then hats. In each part a pass is final.",
    scoring="Add up the points printed on your snake, its hat and the gifts that touch it; take"
    " off the troubles that touch it. A diamond is worth 4 points to the player who lays it, less"
    " the troubles that touch it. The most points win.",
)

NOT_YOUR_TURN = Rule(
    "not-your-turn",
    "Players take turns clockwise.",
    "rulebook, step 6",
    "It is {turn}'s turn, not {player}'s.",
)
COLOURS_OF_PLAYERS = Rule(
    "colours-of-players",
    "Your snake has the colour of the exit of the house that faces you. Two players sit opposite"
    " and have two colours each, the one that faces them and the one at their right hand, and add"
    " them up; if you agreed on it, they have one each. Three players leave one colour out. The"
    " tiles of a colour that nobody plays stay in the box, and its exit is a wall.",
    "rulebook, step 5, Подсчёт очков; rulings 1 and 10",
)
NONE_LEFT = Rule(
    "none-left",
    "A tile can be laid only while one is left.",
    "rulebook, step 6; rulings 10 and 11",
    {
        "one": "The only {tile} of the box is already laid or out of the game.",
        "other": "The box has {n} {tile} tiles, "
        "and all of them are already laid or out of the game.",
    },
    {"left-out": "The {colour} tiles are not part of this game."},
)
DRAWING = Rule(
    "drawing",
    "You begin with four tiles and draw one after each turn, so that you always hold at least"
    " four. When the pile is used up, the discard is shuffled and drawn from; from the second time"
    " on, replaced tiles leave the game.",
    "rulebook, step 4, step 6; ruling 11",
)
PASSING = Rule(
    "passing",
    "If you can lay nothing, you pass and draw one more tile: if you hold only heads and hats, or,"
    " before any snake has begun, only these, gifts and troubles.",
    "rulebook, step 6; ruling 11",
)
CELL_TAKEN = Rule(
    "cell-taken",
    "A tile goes on an empty place, unless it replaces another one.",
    "ruling 1",
    "A {lying} already lies here.",
)
NOT_AT_AN_END = Rule(
    "not-at-an-end",
    "A snake has one end. Its next tile or a log goes where that end points, and an exit of the"
    " tile meets it.",
    "rulebook, step 6; ruling 1",
    "The end of the {colour} snake does not point to this place.",
    {
        "turned": "The tile lies the wrong way round: none of its exits meets the end of the"
        " {colour} snake.",
        "capped": "The {colour} snake already has its head: it does not grow any more.",
        "no-end": "No end of a snake points to this place.",
        "log-turned": "The log lies the wrong way round: none of its exits meets the end of a"
        " snake.",
        "loose": "This tile is not part of any snake.",
    },
)
BLOCKED = Rule(
    "blocked",
    "A snake does not grow while something lies where its end points. You may lay a snake's tile"
    " in another snake's way. Ends of two colours that face each other do not join: both are"
    " blocked.",
    "rulebook, step 6, Пример; rulings 1 and 6",
    "The {colour} snake is blocked: a {lying} lies in front of its end.",
)
TWO_SNAKES_JOINED = Rule(
    "two-snakes-joined",
    "A log becomes part of the snake that meets it. It may never join two snakes.",
    "ruling 1",
    "This joins the {one} snake and the {other} snake.",
)
UNDECLARED = Rule(
    "undeclared",
    "Plain tiles are straights, corners and diamonds. You lay a plain tile of another colour only"
    " if you have none of your own to lay. If you agreed on it, you have to say so.",
    "rulebook, step 6; ruling 2",
    "Before laying a {tile}, {player} must say that there is no plain tile of their own to lay.",
)
KNOTS_AND_SORES = Rule(
    "knots-and-sores",
    "Knots and sores go on the snake of their colour, your own or another's, at any time. They"
    " cost the points printed on them until a log takes their place.",
    "rulebook, Бревно, Узел, Болячки; ruling 2",
)
GIFT_ALONE = Rule(
    "gift-alone",
    "A gift or a trouble touches a tile of a snake with at least one side.",
    "rulebook, Подарки; ruling 3",
    "No side of the {what} touches a snake.",
)
BLOCKS_AN_END = Rule(
    "blocks-an-end",
    "A gift or a trouble may not block another player's snake.",
    "rulebook, Подарки; ruling 3",
    "The {what} blocks the {colour} snake: its end points here.",
)
NOTHING_TO_REPLACE = Rule(
    "nothing-to-replace",
    "You can replace only a tile that lies on the table.",
    "rulebook, Бревно",
    "There is no tile here to replace.",
)
NOT_REPLACEABLE = Rule(
    "not-replaceable",
    "Gifts, troubles, the house, heads, hats and crossing logs are never replaced.",
    "rulebook, step 3, Подарки, Бревно, Тайлы неприятностей, Шляпа; rulings 3 and 4",
    "The {what} may not be replaced.",
)
NOT_A_REPLACEMENT = Rule(
    "not-a-replacement",
    "Only a log replaces a tile, and only a snake tile replaces a straight or corner log. The"
    " replaced tile goes to the discard.",
    "rulebook, Подарки, Бревно; rulings 3 to 5",
    "A {what} may not replace a {lying}.",
)
WRONG_COLOUR = Rule(
    "wrong-colour",
    "A log in a snake is replaced only by a tile of that snake's colour.",
    "rulebook, Бревно; ruling 5",
    "This log is part of the {colour} snake, but the tile is {other}.",
    {"loose": "This log is not part of any snake."},
)
WRONG_SHAPE = Rule(
    "wrong-shape",
    "A tile is replaced only by one of the same shape: straight or corner.",
    "rulebook, Бревно; ruling 4",
    "A {what} may not replace a {lying}: one is straight, the other turns a corner.",
)
CONNECTION_LOST = Rule(
    "connection-lost",
    "A replacement keeps the snake connected. Only the exit at its free end may point elsewhere.",
    "rulebook, Бревно; ruling 4",
    "Laid this way, the tile cuts the {colour} snake apart.",
)
CROSSING_LOGS = Rule(
    "crossing-logs",
    "A crossing log is laid like a straight log, or replaces a straight tile. The way across it is"
    " free: the snake whose end meets it, your own too, runs on through it, at once or later. The"
    " log stays where it is, and gives no snake a second end.",
    "rulebook, Бревно, Пример; ruling 4",
)
ALREADY_ANNOUNCED = Rule(
    "already-announced",
    "The last round is announced once.",
    "rulebook, Конец игры",
    "The last round has already been announced.",
)
FINALE_TOO_EARLY = Rule(
    "finale-too-early",
    "The last round is announced when nothing but heads and hats can be laid. Hands are hidden:"
    " if you agreed to trust each other, the announcement is trusted.",
    "rulebook, step 6, Конец игры; ruling 9",
    "It is too early for the last round: a player who holds a {tile} can still lay it here.",
)
LAST_ROUND_ONLY = Rule(
    "last-round-only",
    "Heads and hats are laid only in the last round.",
    "rulebook, Конец игры, Голова, Шляпа; ruling 9",
    "The last round has not been announced yet, so no {what} may be laid.",
)
ONLY_HEADS_AND_HATS = Rule(
    "only-heads-and-hats",
    "In the last round only heads and hats are laid.",
    "rulebook, Конец игры; ruling 9",
    "This is the last round: only heads and hats may be laid.",
)
HEADS_BEFORE_HATS = Rule(
    "heads-before-hats",
    "In the last round all heads are laid first, then the hats.",
    "rulebook, Конец игры; ruling 9",
    "Heads come before hats, and not everybody is done with heads yet.",
    {"hats": "The heads are over: only hats are laid now."},
)
PASS_IS_FINAL = Rule(
    "pass-is-final",
    "In the last round you must lay a head or a hat if you can. A pass is final: you are skipped"
    " until everybody is done with heads, or with hats. A snake without a head or a hat still"
    " counts.",
    "rulebook, Конец игры; ruling 9",
)
NOT_YOUR_HEAD = Rule(
    "not-your-head",
    "You lay a head only on your own snake.",
    "rulebook, Голова; ruling 9",
    "The {colour} snake does not belong to {player}.",
)
NO_BARE_HEAD = Rule(
    "no-bare-head",
    "A hat goes on a head that has no hat yet, your own or another's.",
    "rulebook, Шляпа; ruling 9",
    "No head without a hat belongs to this place.",
)
HAT_IN_FRONT = Rule(
    "hat-in-front",
    "A hat lies in front of the head. It lies on the head only if the place in front is taken.",
    "ruling 9",
    "The place in front of the {colour} head is free: the hat goes there.",
)
WHICH_HEAD = Rule(
    "which-head",
    "If two heads face the same place, say which of them gets the hat.",
    "ruling 9",
    "This hat could belong to {one} or {other}: say to which.",
)
GAME_OVER = Rule(
    "game-over",
    "Once no head and no hat can be laid, the game is over.",
    "rulebook, Подсчёт очков; ruling 9",
    "The game is over.",
)
DIAMONDS = Rule(
    "diamonds",
    "The player who lays a diamond, on any snake, takes 4 points. If troubles touch the diamond,"
    " then or later, the player has 4 less their values instead, and these sides cost the snake"
    " nothing more. The points stay when a log replaces the diamond.",
    "rulebook, Бриллианты, Тайлы неприятностей; ruling 7",
)
GIFTS = Rule(
    "gifts",
    "Each side of a gift that touches a tile of a snake gives that snake 1 point, up to 4. A log"
    " wins nothing from a gift; if you agreed on it, a gift that a log touches gives nobody a"
    " point.",
    "rulebook, Подарки; ruling 8; option gift_beside_log",
)
TROUBLES = Rule(
    "troubles",
    "Each side of a trouble that touches a tile of a snake takes its value from that snake. Logs,"
    " hats and the house lose nothing.",
    "rulebook, Тайлы неприятностей; ruling 8",
)
POINTS = Rule(
    "points",
    "Add up what is printed on the tiles and hats of your snakes, gifts, troubles and diamonds."
    " Logs have no points. The most points win; equal points share the win. The rulebook tells"
    " neither how many tiles there are nor what is printed on them: in this box both are ours.",
    "rulebook, Подсчёт очков; rulings 8 and 10",
)
TOO_MANY = Rule(
    "too-many",
    "No more tiles can lie on the table than the box has.",
    "ruling 10",
    {
        "one": "The box has only {n} {tile}, but more lie on the table.",
        "other": "The box has only {n} {tile} tiles, but more lie on the table.",
    },
)

PRINTED = Reason("printed", "printed on the {tile}")
GIFT_SIDE = Reason("gift-side", "a gift touches the {colour} snake")
TROUBLE_SIDE = Reason("trouble-side", "a trouble touches the {colour} snake")
TOKEN = Reason("token", "for laying a {tile}")
INSTEAD_OF_TOKEN = Reason(
    "instead-of-token", "for laying a {tile}, less {value} for the troubles that touch it"
)
EARLIER_TOKENS = Reason("earlier-tokens", "for diamonds laid earlier")
HAT = Reason("hat", "{tile} on the {colour} head")

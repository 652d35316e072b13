"""Carnival tables for tests, written in notation."""

from engine.game import Move, Start
from engine.games.carnival import Carnival
from engine.notation import read_layout
from engine.setfile import BUILT_IN_FOLDER, built_in_set, parse_set

GAME = Carnival()
BOX = built_in_set("carnival")
FOUR = ("yellow", "violet", "black", "red")
TWO = ("yellow", "black")


def opening(players=FOUR, turn=None, **options):
    """Return the first position of a game; the house lies as printed."""
    return GAME.opening(Start(players, options, next=turn), BOX)


def table(text, *, players=FOUR, turn=None, tokens=None, box=BOX, **options):
    """Return the position of a table taken up in its middle."""
    start = Start(players, options, read_layout(text), turn, midgame=True, tokens=tokens or {})
    return GAME.opening(start, box)


def lay(text, player="yellow", do="place", **said):
    """Return the move that lays one tile."""
    (card,) = read_layout(text).cards
    return Move(player, do, card.tile, card.at, card.turns, **said)


def swap(text, player="yellow", **said):
    """Return the move that lays one tile in place of another."""
    return lay(text, player, "replace", **said)


def broken(position, move):
    """Return the ids of the rules that a move breaks."""
    return [violation.rule.id for violation in GAME.judge(position, move).violations]


def played(position, *moves):
    """Return the position after some moves, each of which must be legal."""
    for move in moves:
        assert broken(position, move) == [], move
        position = GAME.apply(position, move)
    return position


def in_turn(position, *texts, declares=None):
    """Return the position after tiles laid in turn order; ``-`` is a pass."""
    for text in texts:
        player = position.to_move
        move = Move(player, "pass") if text == "-" else lay(text, player, declares=declares)
        position = played(position, move)
    return position


def owners_box(*changes):
    """Return the box after changes of its set file, each an old text and a new one."""
    text = (BUILT_IN_FOLDER / "carnival.toml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return parse_set(text, "mine.toml")


def scores(position):
    return dict(GAME.outcome(position).scores)


def lines(position, player):
    """Return a player's score lines as points, reason and first cell."""
    return [
        (line.points, line.reason.id, *line.cells[:1])
        for line in GAME.outcome(position).lines[player]
    ]

"""Fouls that chance hardly ever makes: which a table can show, and a search that finds one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion_app.live.explain import explain
from engine.game import AnyGame
from engine.infer import change_between
from engine.placement import Layout
from engine.tiles import TileSet
from models.lab.scenes.world.arrays import Random
from tests.live_games.fouls import NOT_TO_BE_HAD, Rules
from tests.live_games.one_change import one_change_away

Found = tuple[Layout, Rules]

SHOWN: Mapping[str, tuple[str, ...]] = {
    "schlangennest": (
        "not-your-turn",
        "not-your-card",
        "own-end",
        "colours-joined",
        "first-touches",
        "three-at-one-place",
        "four-at-two-places",
        "must-close",
        "cannot-be-closed",
        "outside-field",
        "open-first",
        "no-loop",
        "not-own-curve",
        "not-a-quarter",
        "still-closed",
        "in-pieces",
        "can-be-opened",
        "not-own-straight",
        "not-the-tail",
        "not-along",
        "snake-finished",
        "game-over",
    ),
    "snekagon": (
        "not-your-turn",
        "first-is-1",
        "touches-itself",
        "sharp-turn",
        "branches",
        "own-snakes-touch",
        "touches-only-opponent",
        "game-over",
    ),
    "snekagon5g": (
        "not-your-turn",
        "touches-itself",
        "sharp-turn",
        "branches",
        "own-snakes-touch",
        "touches-only-opponent",
        "on-eye",
        "not-an-end",
        "other-field",
        "boards-apart",
        "game-over",
    ),
    "sssnake": (
        "not-your-turn",
        "not-drawn",
        "wrong-snake",
        "not-at-an-end",
        "not-joined",
        "dead-end",
        "not-feasible",
        "closes-too-early",
        "game-over",
    ),
    "carnival": (
        "cell-taken",
        "not-at-an-end",
        "blocked",
        "two-snakes-joined",
        "gift-alone",
        "blocks-an-end",
        "not-replaceable",
        "not-a-replacement",
        "wrong-colour",
        "wrong-shape",
        "connection-lost",
        "last-round-only",
        "only-heads-and-hats",
        "heads-before-hats",
        "not-your-head",
        "no-bare-head",
        "hat-in-front",
        "game-over",
    ),
}
"""Rules whose breach a table shows by itself in a game without options. Never seen are

- what needs a word or a roll (``not-rolled``, ``undeclared``, ``finale-too-early``, …; a card laid
  before the roll was told is a roll told late), and who passes (``must-move``);
- what no table can hold: a tile that the box has not (``none-left``, ``too-many``), two tiles in
  one place (``cell-taken``: the upper one is seen in place of the lower; Carnival's big tiles
  reach into other cells), a hex tile half beside the board (``off-board``);
- what only an option forbids or allows (``tail-first``, ``other-snake``, ``against-direction``,
  ``no-far-drill``, ``drilled-twice``), and clay laid amiss, which waits for its tile.
"""
APART = ("first-touches",)
"""Rules that a card breaks which touches no other. It is seen with one place free between, straight
across; further off it lies beside the game, with the stocks."""
ENOUGH = 6
"""Of so many tables with a foul the one is taken that breaks the fewest rules beside it."""


def find_seldom(
    game: AnyGame,
    box: TileSet,
    position: Any,
    before: Layout,
    rule: str,
    rng: Random,
    is_another_thing: Callable[[Layout], bool] = lambda table: False,
) -> Found | None:
    """Return a table that breaks a certain rule, and all rules that it breaks.

    Args:
        game: the rule book.
        box: the set.
        position: where the game stands.
        before: what lies on the table.
        rule: what is to be broken.
        rng: draws one of many.
        is_another_thing: says whether a table would be taken for something else.
    """
    tables = list(one_change_away(box, position, before, rule in APART))
    found: list[Found] = []
    for number in rng.permutation(len(tables)):
        table = tables[int(number)]
        if rule in _judged(game, position, before, table):
            rules = told_by(game, position, table)
            if rule in rules and not is_another_thing(table):
                found.append((table, rules))
                if len(rules) == 1 or len(found) == ENOUGH:
                    break
    return min(found, key=lambda one: len(one[1]), default=None)


def told_by(game: AnyGame, position: Any, table: Layout) -> Rules:
    """Return what a table breaks that lies there in one go; nothing where it may be legal."""
    told = explain(game, position, table)
    if not told.fouls or told.rows or told.asks_hand or told.fouls[0].before.moves:
        return ()
    return tuple(v.rule.id for v in told.fouls[0].verdict.violations)


def _judged(game: AnyGame, position: Any, before: Layout, table: Layout) -> Rules:
    moves = game.readings(position, change_between(before, table))
    verdicts = [game.judge(position, move) for move in moves]
    if not verdicts or any(verdict.legal for verdict in verdicts):
        return ()
    rules = tuple(violation.rule.id for violation in verdicts[0].violations)
    return () if NOT_TO_BE_HAD in rules else rules

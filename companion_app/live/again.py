"""Kept pictures read again: what later moves were, once an earlier one has been put right.

A move was found with what was known then. Where a correction makes a later one illegal, its
picture is looked at anew: it may show another tile, or another way to cut the same cells.
"""

from __future__ import annotations

from collections.abc import Callable

from companion_app.live.align import aligner_for
from companion_app.live.explain import explain
from companion_app.live.match import Match
from companion_app.live.places import Content, Spot, contents
from companion_app.live.settle import Settled
from companion_app.live.table import read_settled
from engine.game import Move
from vision import TableState

LookAgain = Callable[[bytes], TableState | None]
"""Reads a kept picture; ``None`` where it cannot be read."""


def moves_shown(match: Match, n: int, look_again: LookAgain) -> tuple[int, tuple[Move, ...]] | None:
    """Return the moves that the picture of the nth move shows to have been made.

    All moves that were accepted together share one picture; the first of them is numbered.
    ``None`` where there is no picture, it is not clear, or it shows what was accepted.
    """
    seq = match.accepted[n - 1].seq
    numbers = [i for i, one in enumerate(match.accepted, start=1) if one.seq == seq]
    first, last = numbers[0], numbers[-1]
    jpeg = match.store.picture(seq, "after")
    table = None if jpeg is None else look_again(jpeg)
    settled = None if table is None else _settled(match, table, last)
    if settled is None:
        return None
    before, after = contents(match.layouts[first - 1]), contents(match.layouts[last])
    # Whatever lay there already is known better than one small picture can say.
    told: dict[Spot, Content | None] = {
        spot: content for spot, content in before.items() if after.get(spot) == content
    }
    several = match.game.facts.several_boards
    reading = read_settled(settled, match.layouts[first - 1], match.box, told, several)
    if reading.doubts or reading.loose:
        return None
    tables = [explain(match.game, match.positions[first - 1], one) for one in reading.layouts]
    rows = [
        row.moves for told_by in tables for row in told_by.rows if len(row.moves) == len(numbers)
    ]
    accepted = tuple(match.accepted[i - 1].move for i in numbers)
    return (first, rows[0]) if len(rows) == 1 and rows[0] != accepted else None


def _settled(match: Match, table: TableState, n: int) -> Settled | None:
    """Return one look at the table after the nth move; what it does not see is still there."""
    look = aligner_for(match).sighting(table, match.layouts[n])
    if look is None:
        return None
    sure = {s: (b.best, b.guesses[0][1]) for s, b in look.beliefs.items() if b.sure and b.guesses}
    doubts = {spot: belief for spot, belief in look.beliefs.items() if spot not in sure}
    return Settled(1, sure, doubts, last=look, enough_for_gone=False)

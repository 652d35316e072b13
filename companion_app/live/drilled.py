"""Clay that is laid after its tile: what the last move was, once it is seen."""

from __future__ import annotations

from companion_app.live.likeness import clay_seen
from companion_app.live.match import Match
from engine.game import Change, Move
from engine.placement import Layout


def drill_shown(match: Match, table: Layout) -> Move | None:
    """Return the drill that the last move was by clay that is new since; ``None`` without any.

    Clay that lay there before may be missed or misread, so only new places count.
    """
    before = match.positions[-2]
    lay = clay_seen(match.layouts[-2])
    fresh = frozenset(clay for clay in table.clay if (clay.board, clay.cell) not in lay)
    laid = Layout(pieces=match.layout.pieces - match.layouts[-2].pieces, clay=fresh)
    if clay_seen(laid) <= clay_seen(match.layout):
        return None
    found = []
    for move in match.game.readings(before, Change(laid, Layout())):
        marks = clay_seen(match.game.layout(match.game.apply(before, move)))
        if match.game.judge(before, move).legal and lay < marks <= lay | clay_seen(laid):
            found.append(move)
    return found[0] if len(found) == 1 and found[0] != match.accepted[-1].move else None

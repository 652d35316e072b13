"""Draws the table of a match: the current one, an earlier one, or one with a foul marked."""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from companion_app.live.match import Match
from companion_app.live.referee_state import Pending
from companion_app.web.drawing.table import spot, table_in_words
from companion_app.web.speech import Speech
from engine.game import AnyGame, Place, Violation
from engine.placement import Layout


def last_spots(match: Match, upto: int | None = None) -> list[str]:
    """Return the places of the last move that left something on the table."""
    return [spot(p) for p in _last_places(match, upto)]


def _last_places(match: Match, upto: int | None) -> list[Place]:
    for one in reversed(match.accepted[:upto]):
        if cells := match.cells_of(one.move):
            return cells
    return []


@dataclass(frozen=True, slots=True)
class Shown:
    """The content of a drawing: the layout, the cells of broken rules, and the last move."""

    layout: Layout
    marked: tuple[Place, ...]
    last: tuple[Place, ...]


def shown(match: Match, upto: int | None = None) -> Shown:
    """Return the content of a drawing, now or after ``upto`` moves."""
    count = len(match.accepted) if upto is None else max(0, min(upto, len(match.accepted)))
    layout = match.game.layout(match.positions[count])
    return Shown(layout, (), tuple(_last_places(match, count)))


def shown_with_foul(match: Match, pending: Pending) -> Shown:
    """Return the table with an announced foul on it, its places marked."""
    last = match.cells_of(pending.move)
    marked = [place for broken in pending.violations for place in pointed(broken, match)]
    return Shown(pending.layout, tuple(marked or last), tuple(last))


def mark_of(match: Match, pending: Pending | None) -> str:
    """Return a checksum of what the drawing shows; it changes when a redraw is needed."""
    now = shown(match) if pending is None else shown_with_foul(match, pending)
    seen = (match.key, now.layout.placements(), sorted(now.marked), sorted(now.last))
    return f"{zlib.crc32(repr(seen).encode()):08x}"


def pointed(broken: Violation, match: Match) -> list[Place]:
    """Return the places of a violation, each prefixed with its field or board."""
    if broken.snake in match.start.players and match.game.facts.several_fields:
        field = match.start.players.index(broken.snake)
        return [(field, *cell) for cell in broken.cells]
    return [cell if len(cell) == 3 else (0, *cell) for cell in broken.cells]


def drawing(match: Match, speech: Speech, what: Shown | None = None, stacked: bool = False) -> str:
    """Return the table of a match as SVG: the current one, unless ``what`` is given."""
    what = what or shown(match)
    return table_in_words(
        match.box, what.layout, match.start.players, speech, match.game.facts.title,
        marked=_flat(what.marked, match.game), last=_flat(what.last, match.game), stacked=stacked,
    )  # fmt: skip


def _flat(places: Iterable[Place], game: AnyGame) -> list[Place]:
    """Return places as drawings name them: without the prefix where there is only one field."""
    several = game.facts.several_fields or game.facts.several_boards
    return list(places) if several else [place[-2:] for place in places]

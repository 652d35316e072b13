"""Hindrances: why the referee has no verdict yet, as a code that is announced once it lasts.

Every state in which a game can be stuck has a code. The message catalogues have a sentence for
each (``why-…``) that says what is seen, what is missing and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import dist
from typing import Literal

from companion_app.live.doubts import Standing, needs_roll
from companion_app.live.likeness import same
from companion_app.live.places import Point, Spot, beside, contents, spots_of, tiles_of
from companion_app.live.questions import is_about_the_table
from companion_app.live.referee import Referee
from companion_app.live.settle import Settled
from companion_app.live.table import Reading
from engine.game import Json
from engine.infer import change_between
from engine.placement import Layout, Piece, Placement
from engine.tiles import TileSet

What = Literal[
    "looking",
    "hand",
    "moving",
    "flickering",
    "too-dark",
    "too-bright",
    "camera-moved",
    "camera-lost",
    "not-kept",
    "question",
    "roll",
    "foul",
    "hidden",
    "unreadable",
    "part",
    "apart",
    "one-lifted",
    "several-lifted",
    "missing",
    "one-laid",
    "several-laid",
    "changed",
    "other-table",
]
SAME_PLACE_PX = 12.0
"""Distance in pixels within which a tile aside is the same one; tiles are at least twice that."""
SAID_AFTER_S = 4.0
"""Seconds without a verdict after which the page says why, before people wonder."""
STEADY_S = 0.5
"""Seconds for which a hindrance must stay the same before it is said: single looks vary."""


@dataclass(frozen=True, slots=True)
class Hindrance:
    """What keeps the referee from a verdict."""

    what: What
    spots: tuple[Spot, ...] = ()
    """The spots concerned, as far as they are known."""

    def to_json(self) -> dict[str, Json]:
        """Return the hindrance as a JSON object; a spot is field or board, then the cell."""
        return {"what": self.what, "spots": [list(spot) for spot in self.spots]}


CAMERA_LOST = Hindrance("camera-lost")
NOT_KEPT = Hindrance("not-kept")
TOO_BRIGHT = Hindrance("too-bright")


@dataclass
class Lasting:
    """Debounces hindrances by the frames' clock, and remembers which one was announced."""

    said: Hindrance | None = None
    _waiting_for: str = ""
    _since_s: float = float("-inf")
    _now: Hindrance | None = None
    _steady_since_s: float = float("-inf")

    def note(self, waiting_for: str, hindrance: Hindrance | None, t: float) -> None:
        """Note the current hindrance; the timer restarts when ``waiting_for`` changes."""
        if waiting_for != self._waiting_for:
            self._waiting_for, self._since_s = waiting_for, t
            self.said = None
        if hindrance != self._now:
            self._now, self._steady_since_s = hindrance, t

    def news(self, t: float) -> bool:
        """Return whether a hindrance has lasted and is to be announced; mark it as announced."""
        lasted = t - self._since_s >= SAID_AFTER_S and t - self._steady_since_s >= STEADY_S
        # Without frames the frames' clock stands still, and a lost camera has lasted already.
        lasted = lasted or self._now == CAMERA_LOST
        if not lasted or self._now == self.said:
            return False
        self.said = self._now
        return True


def at_the_table(referee: Referee, standing: Standing, settled: Settled) -> Hindrance | None:
    """Return what keeps the referee from a verdict on a settled table."""
    reading = referee.doubts.reading
    if standing == "settling":
        return Hindrance("flickering", tuple(sorted(settled.flickering)))
    if (asked := _asked(referee)) is not None:
        return asked
    if reading is None:
        # Nothing was read because the tile of an announced foul is covered.
        return Hindrance("hidden", tuple(sorted(settled.covered)))
    if standing == "settled":
        return _while_settled(referee)
    return _unread(referee, reading, settled) or _unexplained(referee, reading, settled)


def newly_aside(settled: Settled, before: Iterable[Point], box: TileSet) -> Hindrance | None:
    """Return a hindrance if a tile lies aside where none lay before, else ``None``."""
    lay, seen = list(before), settled.last.aside_px
    new = [one for one, at in seen if all(dist(at, place) > SAME_PLACE_PX for place in lay)]
    return Hindrance("apart") if any(tile in box for tile in new) else None


def _asked(referee: Referee) -> Hindrance | None:
    """Return the open question about the table; unexplained tables get a more specific code."""
    for question in referee.doubts.questions.values():
        unexplained = question.about == "next" and referee.match.accepted
        if is_about_the_table(question) and not unexplained:
            return Hindrance("question", () if question.spot is None else (question.spot,))
    return None


def _while_settled(referee: Referee) -> Hindrance | None:
    if referee.doubts.pending is not None:
        laid = (
            contents(referee.doubts.pending.layout).keys() - contents(referee.match.layout).keys()
        )
        return Hindrance("foul", tuple(sorted(laid)))
    if any(question.about == "roll" for question in referee.doubts.questions.values()):
        return Hindrance("roll")
    return Hindrance("question") if referee.doubts.questions else None


def _unread(referee: Referee, reading: Reading, settled: Settled) -> Hindrance | None:
    """Return a hindrance for tiles that cannot be read, else ``None``."""
    if reading.doubts:
        hidden = [spot for spot, belief in reading.doubts.items() if belief.why == "covered"]
        if hidden:
            return Hindrance("hidden", tuple(sorted(hidden)))
        return Hindrance("unreadable", tuple(sorted(reading.doubts)))
    loose = reading.loose - referee.doubts.strays
    if loose:
        near = beside(loose, settled.covered)
        return Hindrance("hidden" if near else "part", tuple(sorted(loose)))
    return None


def _unexplained(referee: Referee, reading: Reading, settled: Settled) -> Hindrance:
    """Return what is wrong with a table that was read but that no moves lead to."""
    known, table = referee.match.layout, reading.layouts[0]
    change = change_between(known, table)
    laid, lifted = tiles_of(change.laid), tiles_of(change.lifted)
    if referee.doubts.waived is not None and same(table, referee.doubts.waived):
        return Hindrance("foul", _places(laid))
    if laid and needs_roll(referee.match.now, referee.doubts):
        return Hindrance("roll", _places(laid))
    if laid and lifted:
        return Hindrance("changed", _places((*laid, *lifted)))
    covered = settled.covered & contents(known).keys()
    if lifted and covered:
        return Hindrance("missing", tuple(sorted({*_places(lifted), *covered})))
    if lifted:
        several = len(lifted) > 1
        return Hindrance("several-lifted" if several else "one-lifted", _places(lifted))
    return _unexplained_new(laid, known, covered)


def _unexplained_new(
    laid: list[Placement | Piece], known: Layout, covered: frozenset[Spot]
) -> Hindrance:
    if beside(_places(laid), covered):
        return Hindrance("hidden", tuple(sorted(covered)))
    apart = [one for one in laid if not beside(spots_of(one), contents(known))]
    if len(laid) == 1:
        return Hindrance("apart" if apart else "one-laid", _places(laid))
    return Hindrance("apart" if len(apart) == 1 else "several-laid", _places(apart or laid))


def _places(tiles: Iterable[Placement | Piece]) -> tuple[Spot, ...]:
    return tuple(sorted({spot for one in tiles for spot in spots_of(one)}))

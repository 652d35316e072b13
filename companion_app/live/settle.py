"""Combines several looks at a still table: a change counts once they agree.

Looks at a still table are not independent, so their log-odds are averaged instead of added: ten
looks at the same glare are no better than one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp, log

from companion_app.live.places import Belief, Content, Point, Sighting, Spot
from engine.placement import Clay

LEAST_SURE = 1e-4
"""Confidences are clipped to this distance from 0 and 1: infinite log-odds outvote all others."""
SURE_AT = 0.9
"""Averaged confidence from which on a spot is sure although some looks were unsure of it."""
LOOKS = 3
"""Agreeing looks that make a change count: 0.3 s at ten looks a second."""
LOOKS_GONE = 4
"""Looks in a row that must miss a tile before it counts as gone."""
REMEMBERED = 8
"""Most looks that are kept; older ones are dropped."""


@dataclass(frozen=True)
class Settled:
    """What several looks agree on, in the game's own cells."""

    looks: int
    sure: Mapping[Spot, tuple[Content, float]] = field(default_factory=dict)
    """Spots with a sure content, and its confidence."""
    doubts: Mapping[Spot, Belief] = field(default_factory=dict)
    """Spots with an unsure content, and its guesses."""
    steady: frozenset[Spot] = frozenset()
    """Unsure spots for which every look has the same single guess: more looks will not help."""
    covered: frozenset[Spot] = frozenset()
    flickering: frozenset[Spot] = frozenset()
    """Spots that some looks see and others miss."""
    last: Sighting = field(default_factory=Sighting)
    """The newest look: its cuts, clay and pixels."""
    known_px: Mapping[Spot, Point] = field(default_factory=dict)
    """Where known tiles were seen last."""
    die: int | None = None
    """Value of the die in view, if all looks agree on it."""
    enough_for_gone: bool = True
    """Whether there were enough looks to say that a tile which none of them saw is gone."""
    hand: str | None = None
    """The player whose hand has surely been the only one since the table was settled last."""


@dataclass
class Settler:
    """Collects looks until the table moves."""

    looks: deque[Sighting] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def moved(self) -> None:
        """Drop all looks: something moves at the table."""
        self.looks.clear()

    def add(self, look: Sighting) -> None:
        """Add one look at the still table."""
        self.looks.append(look)

    def settled(self, known_px: Mapping[Spot, Point] | None = None) -> Settled | None:
        """Return what the looks agree on, or ``None`` while there are too few."""
        if len(self.looks) < LOOKS:
            return None
        sure: dict[Spot, tuple[Content, float]] = {}
        doubts: dict[Spot, Belief] = {}
        flickering: set[Spot] = set()
        recent = list(self.looks)[-LOOKS_GONE:]
        spots = {spot for look in self.looks for spot in look.beliefs}
        lately = frozenset(spot for look in recent for spot in look.covered) - self._read_surely()
        covered = lately & self.looks[-1].covered  # Earlier looks may show a leaving hand.
        # One look that sees a tile continue under something is enough.
        half_hidden = frozenset(spot for look in self.looks for spot in look.half_hidden)
        for spot in spots:
            seen = [look.beliefs[spot] for look in self.looks if spot in look.beliefs]
            seen_lately = sum(1 for look in recent if spot in look.beliefs)
            if not seen_lately:
                continue
            belief = averaged(seen)
            agree = sum(1 for one in seen if one.sure and one.best == belief.best)
            share = belief.guesses[0][1] if belief.guesses else 0.0
            # If every look was sure, the reader had more to go by than the confidence.
            sure_enough = belief.sure or share >= SURE_AT
            if agree >= LOOKS and agree > len(seen) / 2 and sure_enough:
                sure[spot] = (belief.best, share)
            elif len(seen) < LOOKS and len(self.looks) > len(seen):
                flickering.add(spot)
            else:
                doubts[spot] = belief
        return Settled(
            len(self.looks),
            sure,
            doubts,
            frozenset(filter(self._is_steady, doubts)),
            covered,
            frozenset(flickering),
            replace(self.looks[-1], clay=self._clay(), half_hidden=half_hidden),
            known_px or {},
            self._die(),
            len(self.looks) >= LOOKS_GONE and covered == lately,
        )

    def _is_steady(self, spot: Spot) -> bool:
        """Say whether every look has the same single guess at what lies in a spot."""
        guesses = [look.beliefs[spot].guesses for look in self.looks if spot in look.beliefs]
        if len(guesses) < max(len(self.looks), LOOKS_GONE):
            return False
        return all(len(one) == 1 and one[0][0] == guesses[0][0][0] for one in guesses)

    def _read_surely(self) -> frozenset[Spot]:
        """Return the spots that any look was sure of: they were missed later, not covered."""
        return frozenset(
            spot
            for look in self.looks
            for spot, belief in look.beliefs.items()
            if belief.sure and spot not in look.covered
        )

    def _clay(self) -> frozenset[Clay]:
        """Return the clay that most looks show, as the newest look with clay there shows it."""
        times = Counter((c.board, c.cell) for look in self.looks for c in look.clay)
        newest = {(c.board, c.cell): c for look in self.looks for c in look.clay}
        return frozenset(c for at, c in newest.items() if 2 * times[at] > len(self.looks))

    def _die(self) -> int | None:
        shown = {look.die for look in self.looks}
        return shown.pop() if len(shown) == 1 else None


def averaged(beliefs: list[Belief]) -> Belief:
    """Return the guesses of several looks with their log-odds averaged, best first."""
    contents = dict.fromkeys(content for belief in beliefs for content, _ in belief.guesses)
    odds = {
        content: sum(_log_odds(dict(belief.guesses).get(content, 0.0)) for belief in beliefs)
        / len(beliefs)
        for content in contents
    }
    shares = {content: 1 / (1 + exp(-value)) for content, value in odds.items()}
    total = max(1.0, sum(shares.values()))
    ranked = sorted(
        ((content, share / total) for content, share in shares.items()),
        key=lambda item: (-item[1], item[0]),
    )
    whys = Counter(belief.why for belief in beliefs if belief.why)
    sure = all(belief.sure for belief in beliefs)
    why = None if sure else whys.most_common(1)[0][0] if whys else None
    return Belief(tuple(ranked), sure, why)


def _log_odds(share: float) -> float:
    share = min(1 - LEAST_SURE, max(LEAST_SURE, share))
    return log(share / (1 - share))

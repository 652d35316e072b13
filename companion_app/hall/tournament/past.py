"""What pairing knows of each player: points, whom he met, where he sat, byes and short tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

MOST_SEATS = 5
WHOLE = 60
"""Units of one game in a seat: the least common multiple of the table sizes two to five."""


@dataclass(frozen=True, slots=True)
class Past:
    """One player before a round is paired."""

    player: str
    score: Fraction = Fraction(0)
    met: Mapping[str, int] = field(default_factory=dict)
    """How often he has met each other player at a table where they really played."""
    seats: tuple[int, ...] = (0,) * MOST_SEATS
    """How often he has sat in each seat; the first seat starts."""
    shares: tuple[int, ...] = (0,) * MOST_SEATS
    """Fair share of each seat in sixtieths of a game: a table of four adds fifteen to each."""
    byes: int = 0
    short: int = 0
    """How often he has sat at a table smaller than the wanted size."""
    missed: int = 0
    """Rounds in which he was not there: arrived later, sat out, or did not come to the table."""

    def seat_cost(self, seat: int, size: int) -> tuple[int, int]:
        """Return the cost of a seat: seats out of balance, then squared distance from fair.

        A seat is balanced while its count is less than one game away from the fair share, so at
        tables of one size no seat was taken two times more often than another.
        """
        out = far = 0
        for place in range(MOST_SEATS):
            share = self.shares[place] + (WHOLE // size if place < size else 0)
            away = WHOLE * (self.seats[place] + (place == seat)) - share
            out += abs(away) >= WHOLE
            far += away * away
        return out, far

    def seat_costs(self, size: int) -> list[tuple[int, int]]:
        """Return the cost of each seat of a table of that size."""
        return [self.seat_cost(seat, size) for seat in range(size)]


Pair = frozenset[str]


def meetings(pasts: Sequence[Past]) -> dict[Pair, int]:
    """Return how often each pair of the players has met; pairs that never met are absent."""
    here = {past.player for past in pasts}
    return {
        frozenset((past.player, other)): times
        for past in pasts
        for other, times in past.met.items()
        if times and other in here
    }

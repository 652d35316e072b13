"""Looks ahead in a small field: chooses the seating that leaves the best later rounds.

Sixteen players at tables of four can play five rounds without meeting again, but most second
rounds that look equally good make that impossible. For each of several seatings the later rounds
are simulated, and the seating with the fewest meetings again in total is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from companion_app.hall.tournament.past import MOST_SEATS, WHOLE, Pair, Past, meetings
from companion_app.hall.tournament.tables import little_effort, repeats, seat_tables
from companion_app.hall.tournament.two import Paired

CROWDED = 0.5
"""Share of the field that a player meets by the end from which on looking ahead pays."""
SEATINGS = 8
"""Seatings that are compared."""
FEW = 9
"""Number of players up to which a seating takes almost no time."""
SEATINGS_OF_FEW = 64
"""Seatings that are compared where few players might never meet again. With 8, nine players at
tables of three met again in 8 of 100 evenings of three rounds; with 64 in none of 100. The first
seating without a meeting again ends the search."""


def seat_ahead(
    pasts: Sequence[Past],
    sizes: Sequence[int],
    wanted: int,
    forbidden: frozenset[Pair],
    rounds_left: int,
    chance: Random,
) -> Paired:
    """Return tables like ``seat_tables``, chosen with regard to the rounds that are left."""
    known = max((len(past.met) for past in pasts), default=0)
    to_meet = known + (max(sizes) - 1) * rounds_left
    if rounds_left < 2 or to_meet < CROWDED * len(pasts):
        return seat_tables(pasts, sizes, wanted, forbidden, chance)
    options = []
    for number in range(SEATINGS_OF_FEW if _all_new(pasts, sizes, to_meet) else SEATINGS):
        first = number == 0
        effort = None if first else little_effort(len(pasts))
        paired = seat_tables(pasts, sizes, wanted, forbidden, chance, effort, by_score=first)
        again = repeats(paired.tables, meetings(pasts))
        later, out = _played_on(pasts, paired, wanted, forbidden, rounds_left - 1, chance)
        if not (paired.seats_out + out + again + later):
            return paired
        options.append(((paired.seats_out + out, again + later, again, number), paired))
    return min(options)[1]


def _all_new(pasts: Sequence[Past], sizes: Sequence[int], to_meet: int) -> bool:
    """Return whether a small field may avoid repeats: at least as many tables as seats at one."""
    return len(pasts) <= FEW and to_meet < len(pasts) and max(sizes) <= len(sizes)


def _played_on(
    pasts: Sequence[Past],
    paired: Paired,
    wanted: int,
    forbidden: frozenset[Pair],
    rounds: int,
    chance: Random,
) -> tuple[int, int]:
    """Simulate the later rounds; return their meetings again and seats out of balance."""
    again = out = 0
    effort = little_effort(len(pasts))
    for _ in range(rounds):
        pasts = after(pasts, paired, wanted)
        sizes = [len(table) for table in paired.tables]
        paired = seat_tables(pasts, sizes, wanted, forbidden, chance, effort)
        again += repeats(paired.tables, meetings(pasts))
        out += paired.seats_out
    return again, out


def after(pasts: Sequence[Past], paired: Paired, wanted: int) -> tuple[Past, ...]:
    """Return the players as they stand after a round, their points untouched."""
    place = {player: (table, seat) for table in paired.tables for seat, player in enumerate(table)}
    return tuple(_sat(past, *place[past.player], wanted) for past in pasts if past.player in place)


def _sat(past: Past, table: tuple[str, ...], seat: int, wanted: int) -> Past:
    size = len(table)
    met = dict(past.met)
    for other in table:
        if other != past.player:
            met[other] = met.get(other, 0) + 1
    return replace(
        past,
        met=met,
        seats=tuple(past.seats[n] + (n == seat) for n in range(MOST_SEATS)),
        shares=tuple(
            past.shares[n] + (WHOLE // size if n < size else 0) for n in range(MOST_SEATS)
        ),
        short=past.short + (size < wanted),
    )

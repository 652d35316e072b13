"""Seats three to five at a table: a tabu search over swaps of two players.

The cost of a seating is a sum over the pairs at each table (meetings again, squared; unequal
scores) and over the seats (out of balance; a short table again), so the gains of all possible swaps
form one small matrix. The best swap is taken until nothing has improved for a while; then the
search starts elsewhere. CP-SAT of ortools was measured on ten rounds of 8 to 32 players: it proves
nine in up to 3 s and not the tenth in 20 s. The search, in 0.15 s or less, has as few meetings
again and seats out of balance in 49 of 50 tries, and in 36 of them the same cost in points too.
ortools would bring 170 MB (pandas among it) and a protobuf older than the one we have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from companion_app.hall.tournament.past import WHOLE, Pair, Past, meetings
from companion_app.hall.tournament.seats import seated
from companion_app.hall.tournament.two import Paired

FORBIDDEN, SEAT, AGAIN, SHORT, UNFAIR = 1e8, 1e6, 1e4, 1e2, 1e0
"""Weights of the costs; the unit is a pair of players an eighth of the field's points apart."""
FORGET = 9
"""Tabu tenure: steps for which a moved player may not go back to his table."""
HAIR = 1e-6


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard a search tries."""

    starts: int
    """Number of seatings from which the search starts."""
    still: int
    """Steps without improvement after which the search stops."""


def full_effort(players: int) -> Effort:
    """Return the effort of the final search, with which the search was measured."""
    return Effort(4 if players <= 64 else 2, min(150, 30 + 3 * players))


def little_effort(players: int) -> Effort:
    """Return the effort of one search among many, as for looking ahead."""
    return Effort(1, min(50, 10 + players))


Matrix = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Costs:
    """Cost matrices: of two players at one table, and of a player in a seat."""

    pair: Matrix
    seat: Matrix
    """Rows are players, columns are seats, numbered through all tables."""


def seat_tables(
    pasts: Sequence[Past],
    sizes: Sequence[int],
    wanted: int,
    forbidden: frozenset[Pair],
    chance: Random,
    effort: Effort | None = None,
    by_score: bool = True,
) -> Paired:
    """Return tables of the given sizes for exactly as many players.

    Args:
        pasts: the history of each player.
        sizes: the number of seats at each table.
        wanted: the size that a table should have; a smaller one is a short table.
        forbidden: pairs that never sit together while it can be avoided.
        chance: the source of randomness.
        effort: how hard the search tries; full by default.
        by_score: whether the first search starts from players sorted by points, not shuffled.
    """
    players = chance.sample(list(pasts), len(pasts))
    if by_score:
        players.sort(key=lambda past: -past.score)
    # Shuffled, so that short tables are not always those of the lowest points.
    shuffled = chance.sample(list(sizes), len(sizes))
    costs = Costs(pair_costs(players, forbidden), seat_costs(players, shuffled, wanted))
    table_of_seat = np.repeat(np.arange(len(shuffled)), shuffled)
    effort = effort or full_effort(len(players))
    found = [searched(costs, table_of_seat, np.arange(len(players)), effort.still)]
    for _ in range(effort.starts - 1):
        start = np.array(chance.sample(range(len(players)), len(players)))
        found.append(searched(costs, table_of_seat, start, effort.still))
    seat_of = min(found, key=lambda one: total(costs, table_of_seat, one))
    tables, out = [], 0
    for table in range(len(shuffled)):
        here = np.flatnonzero(table_of_seat[seat_of] == table)
        seats, wrong = seated([players[n] for n in here], chance)
        tables.append(tuple(past.player for past in seats))
        out += wrong
    return Paired(tuple(tables), (), out)


def total(costs: Costs, table_of_seat: Numbers, seat_of: Numbers) -> float:
    """Return the cost of a seating."""
    table_of = table_of_seat[seat_of]
    together = table_of[:, None] == table_of[None, :]
    seats = costs.seat[np.arange(len(seat_of)), seat_of]
    return float(costs.pair[together].sum() / 2 + seats.sum())


def searched(costs: Costs, table_of_seat: Numbers, start: Numbers, patience: int) -> Numbers:
    """Return the seat of each player in the cheapest seating found from a start."""
    seat_of = start.copy()
    tables = np.arange(table_of_seat[-1] + 1)
    at_table = costs.pair @ (table_of_seat[seat_of][:, None] == tables).astype(np.float64)
    barred = np.zeros(at_table.shape, dtype=np.int64)
    # Costs are relative to the start: only changes matter.
    cost = least = 0.0
    best, still, step = seat_of.copy(), 0, 0
    while still < patience:
        step, still = step + 1, still + 1
        table_of = table_of_seat[seat_of]
        change = _changes(costs, seat_of, table_of, at_table)
        closed = barred[:, table_of] > step
        change[(closed | closed.T) & (cost + change >= least - HAIR)] = np.inf
        one, two = divmod(int(change.argmin()), len(change))
        cost += change[one, two]
        if not np.isfinite(cost):
            break
        a, b = table_of[one], table_of[two]
        barred[one, a] = barred[two, b] = step + FORGET
        moved = costs.pair[:, two] - costs.pair[:, one]
        at_table[:, a] += moved
        at_table[:, b] -= moved
        seat_of[one], seat_of[two] = seat_of[two], seat_of[one]
        if cost < least - HAIR:
            least, best, still = cost, seat_of.copy(), 0
    return best


def _changes(costs: Costs, seat_of: Numbers, table_of: Numbers, at_table: Matrix) -> Matrix:
    """Return by how much the cost changes when two players swap seats."""
    there = at_table[:, table_of]
    own = np.diagonal(there)
    change = there - own[:, None] - costs.pair
    change[table_of[:, None] == table_of[None, :]] = 0
    seat = costs.seat[:, seat_of]
    change += seat - np.diagonal(seat)[:, None]
    change = change + change.T
    np.fill_diagonal(change, np.inf)
    return change


def pair_costs(players: Sequence[Past], forbidden: frozenset[Pair]) -> Matrix:
    """Return the cost of each pair of players at one table."""
    number = {past.player: n for n, past in enumerate(players)}
    score = np.array([float(past.score) for past in players])
    unit = max(float(score.max() - score.min()) / 8, HAIR)
    cost: Matrix = ((score[:, None] - score[None, :]) / unit) ** 2
    extra: Mapping[Pair, float] = {
        pair: AGAIN * times**2 for pair, times in meetings(players).items()
    }
    for pair, more in (*extra.items(), *((pair, FORBIDDEN) for pair in forbidden)):
        if pair <= number.keys():
            one, two = (number[player] for player in pair)
            cost[one, two] += more
            cost[two, one] += more
    return cost


def seat_costs(players: Sequence[Past], sizes: Sequence[int], wanted: int) -> Matrix:
    """Return the cost of each player in each seat of all tables."""
    rows = []
    for past in players:
        by_size = {
            size: [
                SEAT * out + UNFAIR * far / WHOLE**2 + SHORT * (size < wanted) * past.short**2
                for out, far in past.seat_costs(size)
            ]
            for size in set(sizes)
        }
        rows.append([cost for size in sizes for cost in by_size[size]])
    return np.array(rows)


def repeats(tables: Sequence[Sequence[str]], met: Mapping[Pair, int]) -> int:
    """Return how many meetings again a round has, each counted as often as they met before."""
    return sum(met.get(frozenset(pair), 0) for table in tables for pair in combinations(table, 2))

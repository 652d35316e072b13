"""Pairs two at a table: a minimum-cost perfect matching by rustworkx (Edmonds' blossoms).

Costs are compared lexicographically, so that no saving in a later one justifies a repeat:
forbidden pairs are never made; then meetings again; second byes; seats out of balance; a bye for
one who ranks high or missed rounds; unequal scores; and last a random number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from random import Random

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.past import Pair, Past, meetings
from companion_app.hall.tournament.seats import seated

LEVELS = (1 << 16, 1 << 10, 1 << 12, 1 << 10, 1 << 27, 1 << 18)
"""Upper limits of the sum of each cost over all tables, sufficient for 512 tables and more."""
MOST_GROUPS_APART = 255
LOT = 256
TRIES = 40
"""Attempts to find a matching of a small field that leaves later rounds without repeats."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The tables of a round in seat order, and who has a bye."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()
    seats_out: int = 0
    """Number of seats that could not be kept in balance."""


def pair_two(
    pasts: Sequence[Past], forbidden: frozenset[Pair], rounds_left: int, chance: Random
) -> Paired:
    """Return a round of two at a table for the players who are there.

    Args:
        pasts: the history of each player.
        forbidden: pairs that are never made.
        rounds_left: rounds that are still planned, this one among them; a small field is paired so
            that they can be played without meeting again.
        chance: the source of randomness.
    """
    players = chance.sample(list(pasts), len(pasts))
    edges = _edges(players, forbidden, chance)
    chosen = _lasting(players, edges, rounds_left, chance)
    taken = {number for pair in chosen for number in pair}
    tables, out = [], 0
    for first, second in sorted(chosen):
        if second < len(players):
            order, wrong = seated((players[first], players[second]), chance)
            tables.append(tuple(past.player for past in order))
            out += wrong
    alone = [n for n in range(len(players)) if n not in taken]
    alone += [first for first, second in chosen if second == len(players)]
    return Paired(tuple(tables), tuple(players[n].player for n in sorted(alone)), out)


def _edges(
    players: Sequence[Past], forbidden: frozenset[Pair], chance: Random
) -> dict[tuple[int, int], int]:
    """Return the cost of every pair; the number after the last player's stands for the bye."""
    met = meetings(players)
    order = {score: n for n, score in enumerate(sorted({past.score for past in players}))}
    group = [order[past.score] for past in players]
    seats = [past.seat_costs(2) for past in players]
    edges = {}
    for i, one in enumerate(players):
        for j, two in enumerate(players[i + 1 :], start=i + 1):
            pair = frozenset((one.player, two.player))
            if pair not in forbidden:
                apart = min(abs(group[i] - group[j]), MOST_GROUPS_APART)
                out = _seats(seats[i], seats[j])
                edges[i, j] = _weigh(
                    met.get(pair, 0) ** 2, 0, out, 0, apart * apart, chance.randrange(LOT)
                )
        if len(players) % 2:
            high = min(group[i], 250) + (500 if one.missed else 0)
            edges[i, len(players)] = _weigh(0, one.byes**2, 0, high, 0, chance.randrange(LOT))
    return edges


def _seats(one: Sequence[tuple[int, int]], two: Sequence[tuple[int, int]]) -> int:
    """Return the seats out of balance at the better order of two players."""
    return min(one[0][0] + two[1][0], one[1][0] + two[0][0])


def _weigh(*costs: int) -> int:
    total = 0
    for cost, room in zip(costs, LEVELS, strict=True):
        total = total * room + min(cost, room - 1)
    return total


def _matched(players: int, edges: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    try:
        import rustworkx
    except ImportError as error:
        raise TournamentError("needs-hall-extra", part="rustworkx") from error
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(players + players % 2))
    most = max(edges.values(), default=0) + 1
    graph.add_edges_from([(i, j, most - cost) for (i, j), cost in edges.items()])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in found)


def _lasting(
    players: Sequence[Past], edges: Mapping[tuple[int, int], int], rounds_left: int, chance: Random
) -> list[tuple[int, int]]:
    """Return the cheapest matching found that lets the later rounds avoid repeats too.

    While every player still has half of the field to meet in the last round, any matching will do
    (Dirac's theorem); otherwise it could leave two groups with only their own members to meet.
    """
    best = _matched(len(players), edges)
    unit = prod(LEVELS[1:])
    fresh = {pair for pair, cost in edges.items() if cost < unit and not _had_bye(players, pair)}
    new = Counter(number for pair in fresh for number in pair)
    fewest = min(new.values(), default=0)
    # Rounds without repeats are limited by the fewest new opponents of any player.
    later = min(rounds_left, fewest) - 1
    if 2 * (fewest - later) >= len(players) + len(players) % 2 or not fresh.issuperset(best):
        return best
    costs = dict(edges)
    for _ in range(TRIES):
        chosen = _matched(len(players), costs)
        if _goes_on(len(players), fresh.difference(chosen), later, chance):
            return chosen
        pair = chance.choice(chosen)
        costs[pair] += unit // LEVELS[1]
    return best


def _goes_on(players: int, fresh: set[tuple[int, int]], rounds: int, chance: Random) -> bool:
    """Return whether ``rounds`` later rounds without repeats were found."""
    for _ in range(TRIES):
        left = set(fresh)
        for _ in range(rounds):
            found = _matched(players, {pair: chance.randrange(LOT) for pair in sorted(left)})
            left.difference_update(found)
            if 2 * len(found) < players:
                break
        else:
            return True
    return False


def _had_bye(players: Sequence[Past], pair: tuple[int, int]) -> bool:
    return pair[1] == len(players) and players[pair[0]].byes > 0

"""A lower bound on the meetings again of any pairing, with which `tests.tournaments` compares.

A meeting again is counted as often as the two have met before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from companion_app.hall.tournament.past import Pair


def fewest_repeats(
    sizes: Sequence[int],
    met: Mapping[Pair, int],
    earlier: Sequence[Sequence[frozenset[str]]],
    players: Sequence[str],
) -> int:
    """Return a number of meetings again that no pairing of this round can go below.

    The larger of two bounds. Pigeonholes: where an earlier round had ``t`` tables, some of
    ``k > t`` players at one table have shared a table then. New faces: a player who has not met
    ``u`` of the others meets at least ``k - 1 - u`` again at the smallest table, of ``k`` seats.

    Args:
        sizes: the sizes of this round's tables.
        met: how often each two have met.
        earlier: the tables of each earlier round.
        players: who is seated now or has a bye.
    """
    return max(_pigeonholes(sizes, earlier, players), _new_faces(sizes, met, players))


def _pigeonholes(
    sizes: Sequence[int], earlier: Sequence[Sequence[frozenset[str]]], players: Sequence[str]
) -> int:
    here = frozenset(players)
    total = 0
    for tables in earlier:
        together = [table & here for table in tables]
        groups = sum(1 for table in together if table)
        # A player without a table in that round is a group of his own.
        groups += len(here) - sum(len(table) for table in together)
        total += sum(_same_hole(size, groups) for size in sizes)
    return total


def _same_hole(size: int, holes: int) -> int:
    """Return the fewest pairs in one hole when ``size`` players are spread over ``holes``."""
    each, more = divmod(size, holes)
    return more * (each + 1) * each // 2 + (holes - more) * each * (each - 1) // 2


def _new_faces(sizes: Sequence[int], met: Mapping[Pair, int], players: Sequence[str]) -> int:
    known = dict.fromkeys(players, 0)
    for pair in met:
        for player in pair:
            if player in known:
                known[player] += 1
    others = min(sizes, default=1) - 1
    again = sorted(max(0, others - (len(players) - 1 - count)) for count in known.values())
    return ceil(sum(again[: sum(sizes)]) / 2)

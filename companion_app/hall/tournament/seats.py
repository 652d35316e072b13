"""Assigns the seats of a table so that each player has every seat, and starts, equally often."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from random import Random

from companion_app.hall.tournament.past import Past


def seated(table: Sequence[Past], chance: Random) -> tuple[tuple[Past, ...], int]:
    """Return the players in seat order, the first starts, and how many seats are out of balance."""
    shuffled = chance.sample(list(table), len(table))
    size = len(shuffled)
    costs = [past.seat_costs(size) for past in shuffled]
    best = min(permutations(range(size)), key=lambda order: _cost(costs, order))
    return tuple(shuffled[number] for number in best), _cost(costs, best)[0]


def _cost(costs: Sequence[Sequence[tuple[int, int]]], order: Sequence[int]) -> tuple[int, int]:
    chosen = [costs[number][seat] for seat, number in enumerate(order)]
    return sum(out for out, _ in chosen), sum(far for _, far in chosen)

"""A league: the evenings of a season added up, all of them or only each person's best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from companion_app.hall.tournament.model import Player, Tournament
from companion_app.hall.tournament.people import public_name
from companion_app.hall.tournament.standings import standings


@dataclass(frozen=True, slots=True)
class Season:
    """One person's row in the table of a league."""

    rank: int
    """Shared by all who are level."""
    name: str
    points: Fraction
    """Sum of the points of the evenings that count."""
    best: Fraction
    """Points of the best evening: the first tie-break, before the number of evenings won."""
    evenings_won: int
    evenings: tuple[Fraction | None, ...]
    """Points of every evening; ``None`` where the person was not there."""


def season(
    evenings: Sequence[Tournament], counting: int | None = None, language: str = "en"
) -> list[Season]:
    """Return the table of a league; who is hidden on one evening has no name in it.

    Args:
        evenings: its tournaments, in the order they were played.
        counting: how many of a person's best evenings count; all by default.
        language: of what is said in place of a hidden name.
    """
    names: dict[str, str] = {}
    earned: dict[str, list[Fraction | None]] = {}
    won: dict[str, int] = {}
    hidden: set[str] = set()
    for number, evening in enumerate(evenings):
        for row in standings(evening):
            player = evening.players[row.player]
            key = _person(player, number)
            if key in earned and earned[key][number] is not None:
                # Somebody else of the same name, who has a row of his own.
                key = f"{key} {number} {player.id}"
            if key not in hidden:
                names[key] = public_name(player, language)
            hidden.update([key] if player.hidden else [])
            earned.setdefault(key, [None] * len(evenings))[number] = row.points
            won[key] = won.get(key, 0) + (row.rank == 1 and row.played > 0)
    keyed = {key: (*_counted(every, counting), won[key]) for key, every in earned.items()}
    order = sorted(keyed, key=lambda key: (keyed[key], names[key]), reverse=True)
    rows: list[Season] = []
    for place, key in enumerate(order, start=1):
        points, best, wins = keyed[key]
        level = place > 1 and keyed[order[place - 2]] == keyed[key]
        rank = rows[-1].rank if level else place
        rows.append(Season(rank, names[key], points, best, wins, tuple(earned[key])))
    return rows


def _person(player: Player, evening: int) -> str:
    """Return the key of a person across evenings; an erased player gets a key of his own."""
    if player.erased:
        return f"erased {evening} {player.id}"
    return (player.person or player.name).casefold()


def _counted(every: Sequence[Fraction | None], counting: int | None) -> tuple[Fraction, Fraction]:
    best = sorted((one for one in every if one is not None), reverse=True)
    return sum(best[:counting], Fraction(0)), best[0]

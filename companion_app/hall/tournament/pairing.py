"""Pairs the next round, each group apart: tables of two by matching, larger ones by search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from companion_app.hall.tournament.ahead import seat_ahead
from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.history import pasts
from companion_app.hall.tournament.model import Settings, Tournament
from companion_app.hall.tournament.past import Pair, Past
from companion_app.hall.tournament.rounds import to_pair
from companion_app.hall.tournament.sizes import table_sizes
from companion_app.hall.tournament.two import Paired, pair_two


def paired(tournament: Tournament, seed: int, boxes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the data of a ``pair-round`` event.

    Args:
        tournament: before the round; all earlier rounds are closed.
        seed: of the random numbers; the same seed gives the same pairing.
        boxes: the boxes of the tables, in the order of the tables.
    """
    if tournament.round is not None and tournament.round.stage != "closed":
        raise TournamentError("round-open")
    chance = Random(seed)
    here = to_pair(tournament)
    tables: list[dict[str, Any]] = []
    byes: list[str] = []
    for group in sorted({player.group for player in here}):
        field = pasts(tournament, (player.id for player in here if player.group == group))
        found = pair_field(
            field,
            tournament.settings,
            tournament.forbidden,
            max(1, tournament.settings.rounds - len(tournament.rounds)),
            chance,
        )
        byes += found.byes
        for players in _top_first(found, field):
            number = len(tables) + 1
            box = boxes[number - 1] if number <= len(boxes) else ""
            tables.append({"number": number, "players": list(players), "group": group, "box": box})
    if not tables:
        raise TournamentError("too-few-players", n=tournament.settings.fewest)
    return {
        "round": len(tournament.rounds) + 1,
        "tables": tables,
        "byes": byes,
        "seed": seed,
        "rated": tournament.settings.rated,
    }


def byes_ahead(tournament: Tournament) -> dict[str, int]:
    """Return how many have a bye in the next round: as grouped, and if all were one group."""
    here, settings = to_pair(tournament), tournament.settings
    sizes = Counter(player.group for player in here)
    return {
        "grouped": sum(_over(count, settings) for count in sizes.values()),
        "together": _over(len(here), settings),
    }


def _over(players: int, settings: Settings) -> int:
    return players - sum(table_sizes(players, settings.size, settings.fewest, settings.most))


def pair_field(
    field: Sequence[Past],
    settings: Settings,
    forbidden: frozenset[Pair],
    rounds_left: int,
    chance: Random,
) -> Paired:
    """Return the tables of one group, and who has a bye."""
    if settings.most == 2:
        return pair_two(field, forbidden, rounds_left, chance)
    sizes = table_sizes(len(field), settings.size, settings.fewest, settings.most)
    if not sizes:
        return Paired((), tuple(past.player for past in field))
    byes = _byes(field, len(field) - sum(sizes), chance)
    seated = [past for past in field if past.player not in byes]
    found = seat_ahead(seated, sizes, settings.size, forbidden, rounds_left, chance)
    return _kept_apart(found, byes, settings, forbidden)


def _byes(field: Sequence[Past], count: int, chance: Random) -> tuple[str, ...]:
    """Return who has a bye: players with the fewest byes, then no missed round, then low points."""
    lots = {past.player: chance.random() for past in field}
    order = sorted(field, key=lambda p: (p.byes, p.missed > 0, p.score, lots[p.player]))
    return tuple(past.player for past in order[:count])


def _kept_apart(
    found: Paired, byes: tuple[str, ...], settings: Settings, forbidden: frozenset[Pair]
) -> Paired:
    """Return the tables with the byes; refuse them where a forbidden pair shares a table."""
    for table in found.tables:
        if any(pair <= set(table) for pair in forbidden):
            raise TournamentError("forbidden-meet", n=settings.size)
    return Paired(found.tables, byes, found.seats_out)


def _top_first(found: Paired, field: Sequence[Past]) -> list[tuple[str, ...]]:
    """Return the tables by the points at them: the leaders sit at table 1."""
    score = {past.player: past.score for past in field}
    return sorted(
        found.tables,
        key=lambda table: (-max(score[p] for p in table), -sum(score[p] for p in table)),
    )

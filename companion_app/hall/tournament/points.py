"""Points of a table: each place earns points, and tied players share those of their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.model import Settings, Table

Row = tuple[Fraction, ...]
CHAMPIONSHIP = ((5, 3, 1), (5, 3, 2, 1))
WINS = ((1, 0), (1, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0, 0))
SCHEMES: Mapping[str, Sequence[Sequence[int]]] = {"championship": CHAMPIONSHIP, "wins": WINS}


def rows(settings: Settings) -> dict[int, Row]:
    """Return what each place earns, by size of table."""
    if settings.points == "own":
        return {len(row): row for row in settings.own_points}
    return {len(row): tuple(map(Fraction, row)) for row in SCHEMES[settings.points]}


def row_for(settings: Settings, size: int) -> Row:
    """Return what each place earns at a table of that size."""
    known = rows(settings)
    if size not in known:
        raise TournamentError("no-points-for-size", n=size)
    return known[size]


def bye_points(settings: Settings) -> Fraction:
    """Return what a bye earns."""
    if settings.bye_points is not None:
        return settings.bye_points
    row = row_for(settings, settings.size)
    return row[0] if settings.size == 2 else sum(row, Fraction(0)) / len(row)


def places(table: Table) -> list[tuple[str, ...]]:
    """Return the players by place, ties together: winners, then by score, those without last."""
    if table.result is None:
        return []
    scores, winners = table.result.scores, table.result.winners

    def standing(player: str) -> tuple[bool, bool, int]:
        score = scores.get(player)
        return player in winners, score is not None, score or 0

    order = sorted({standing(player) for player in table.playing}, reverse=True)
    # Winners share the first place whatever their scores: the game's rules declared them winners.
    if winners:
        rest = [one for one in order if not one[0]]
        groups = [tuple(p for p in table.playing if standing(p) == one) for one in rest]
        return [tuple(p for p in table.playing if p in winners), *groups]
    return [tuple(p for p in table.playing if standing(p) == one) for one in order]


def table_points(settings: Settings, table: Table) -> dict[str, Fraction]:
    """Return what each player earns at a table; nothing while it has no result."""
    groups = places(table)
    if not groups:
        return {}
    known = rows(settings)
    row = known.get(len(table.playing)) or row_for(settings, len(table.players))
    earned = dict.fromkeys(table.players, Fraction(0))
    first = 0
    for group in groups:
        held = row[first : first + len(group)]
        for player in group:
            earned[player] = sum(held, Fraction(0)) / len(group)
        first += len(group)
    return earned


def shares(table: Table, full: int) -> dict[str, Fraction]:
    """Return each player's share of the table's points.

    A table that is not full gets virtual players with the mean of the others, so that a share
    weighs the same everywhere. Where scores are negative, all are raised by the lowest; a player
    without a score counts as the lowest.
    """
    if table.result is None or len(table.playing) < 2:
        return {}
    told = {player: table.result.scores.get(player) for player in table.playing}
    counted = {player: score for player, score in told.items() if score is not None}
    lowest = min([0, *counted.values()])
    raised = {player: Fraction(counted.get(player, lowest) - lowest) for player in table.playing}
    total = sum(raised.values())
    size = len(table.playing)
    seats = max(size, full)
    if not total:
        return dict.fromkeys(table.playing, Fraction(1, seats))
    return {player: own * size / (total * seats) for player, own in raised.items()}

"""Collects the history that pairing needs from earlier rounds: one ``Past`` for each player."""

from __future__ import annotations

from collections.abc import Iterable

from companion_app.hall.tournament.model import Round, Table, Tournament
from companion_app.hall.tournament.past import MOST_SEATS, WHOLE, Past
from companion_app.hall.tournament.standings import points_of


def pasts(tournament: Tournament, players: Iterable[str]) -> list[Past]:
    """Return the history of each of the players."""
    points = points_of(tournament)
    return [
        Past(player, points.totals[player], *_seats(tournament, player), *_rest(tournament, player))
        for player in players
    ]


def really_met(table: Table) -> tuple[str, ...]:
    """Return who met at a table; nobody where fewer than two played."""
    return table.playing if len(table.playing) >= 2 else ()


def _seats(
    tournament: Tournament, player: str
) -> tuple[dict[str, int], tuple[int, ...], tuple[int, ...]]:
    met: dict[str, int] = {}
    seats, shares = [0] * MOST_SEATS, [0] * MOST_SEATS
    for table in _tables(tournament.rounds, player):
        for other in really_met(table):
            if other != player:
                met[other] = met.get(other, 0) + 1
        size = len(table.players)
        seats[table.players.index(player)] += 1
        for seat in range(size):
            shares[seat] += WHOLE // size
    return met, tuple(seats), tuple(shares)


def _rest(tournament: Tournament, player: str) -> tuple[int, int, int]:
    wanted = tournament.settings.size
    byes = sum(player in round_.byes for round_ in tournament.rounds)
    # A win without play is as good as a bye, so it is not given to the same player twice.
    byes += sum(table.playing == (player,) for table in _at(tournament.rounds, player))
    short = sum(len(table.players) < wanted for table in _tables(tournament.rounds, player))
    seen = sum(player in table.playing for table in _at(tournament.rounds, player))
    seen += sum(player in round_.byes for round_ in tournament.rounds)
    return byes, short, len(tournament.rounds) - seen


def _at(rounds: Iterable[Round], player: str) -> list[Table]:
    return [table for one in rounds if (table := one.table_of(player)) is not None]


def _tables(rounds: Iterable[Round], player: str) -> list[Table]:
    """Return the tables at which a player really played."""
    return [table for table in _at(rounds, player) if player in really_met(table)]

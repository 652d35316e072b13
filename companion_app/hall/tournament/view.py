"""The tournament as JSON for pages, feeds and boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from companion_app.hall.tournament.model import Player, Round, Table, Tournament
from companion_app.hall.tournament.pairing import byes_ahead
from companion_app.hall.tournament.people import full_name, public_name
from companion_app.hall.tournament.settings import write_settings
from companion_app.hall.tournament.standings import number_in_words, standings, tie_breaks_in_words


def names(tournament: Tournament, language: str = "en", staff: bool = False) -> dict[str, str]:
    """Return what each player is called: for everybody, or for the staff; no two the same."""
    name: Callable[[Player, str], str] = full_name if staff else public_name
    called = {key: name(player, language) for key, player in tournament.players.items()}
    times = Counter(called.values())
    return {
        key: said if times[said] == 1 else f"{said} ({key.removeprefix('p')})"
        for key, said in called.items()
    }


def shown(
    tournament: Tournament, now_s: float, language: str = "en", staff: bool = False
) -> dict[str, Any]:
    """Return everything that a page shows; without ``staff`` nothing that is not public."""
    called = names(tournament, language, staff)
    groups = sorted({player.group for player in tournament.players.values()})
    return {
        "format": "snake-eye/tournament",
        "version": 1,
        "settings": write_settings(tournament.settings),
        "over": tournament.over,
        "players": [_player(player, called, staff) for player in tournament.players.values()],
        "rounds": [_round(round_, called, now_s) for round_ in tournament.rounds],
        "tie_breaks": tie_breaks_in_words(tournament, language),
        "groups": groups,
        "byes_ahead": byes_ahead(tournament),
        "standings": {group: standing_rows(tournament, called, group) for group in groups},
        "overall": standing_rows(tournament, called),
    }


def standing_rows(
    tournament: Tournament, called: dict[str, str], group: str | None = None
) -> list[dict[str, Any]]:
    """Return the standings as JSON."""
    kinds = tournament.settings.tie_breaks
    return [
        {
            "rank": row.rank,
            "player": row.player,
            "name": called[row.player],
            "points": number_in_words(row.points),
            "tie_breaks": dict(zip(kinds, map(number_in_words, row.breaks), strict=True)),
            "played": row.played,
            "provisional": row.provisional,
        }
        for row in standings(tournament, group)
    ]


def orders(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the orders for each table's box: who plays in which seat, and whether it may help."""
    round_ = tournament.round
    if round_ is None or round_.stage == "closed":
        return []
    called = names(tournament)
    return [
        {
            "round": round_.number,
            "table": table.number,
            "box": table.box,
            "game": tournament.settings.game,
            "players": [called[player] for player in table.playing],
            "start": round_.stage == "running",
            "help": not round_.rated,
        }
        for table in round_.tables
    ]


def _player(player: Player, called: dict[str, str], staff: bool) -> dict[str, Any]:
    public = {
        "id": player.id,
        "name": called[player.id],
        "group": player.group,
        "here": player.here,
        "from_round": player.from_round,
    }
    if not staff:
        return public
    return public | {
        "full_name": player.name,
        "nickname": player.nickname,
        "person": player.person,
        "hidden": player.hidden,
        "sits_out": list(player.sits_out),
    }


def _round(round_: Round, called: dict[str, str], now_s: float) -> dict[str, Any]:
    clock = round_.clock
    return {
        "round": round_.number,
        "stage": round_.stage,
        "rated": round_.rated,
        "left_s": None if clock is None else clock.left_s(now_s),
        "paused": clock is not None and clock.paused_at_s is not None,
        "byes": list(round_.byes),
        "tables": [*map(partial(_table, called), round_.tables)],
    }


def _table(called: dict[str, str], table: Table) -> dict[str, Any]:
    result = table.result
    return {
        "table": table.number,
        "group": table.group,
        "box": table.box,
        "players": list(table.players),
        "names": [called[player] for player in table.players],
        "forfeits": list(table.forfeits),
        "help_off": table.help_off,
        "result": None
        if result is None
        else {
            "scores": dict(result.scores),
            "winners": list(result.winners),
            "source": result.source,
            "confirmed": list(result.confirmed),
            "objected": list(result.objected),
            "final": result.final,
        },
    }

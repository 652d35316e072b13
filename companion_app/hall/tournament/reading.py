"""Reads values from the data of an event; refuses missing ones and wrong types."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.events import Event
from companion_app.hall.tournament.model import Player, Round, Table, Tournament

LONGEST_NAME = 80
JOINERS = "\u200c\u200d"
"""Zero-width characters that several scripts and emoji need; all others are dropped."""


def clean(text: object) -> str:
    """Return a name for display: one line, no invisible characters, shortened."""
    kept = "".join(
        " " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c
        for c in unicodedata.normalize("NFC", str(text))
        if c in JOINERS or unicodedata.category(c) not in ("Cf", "Cs", "Co", "Cn")
    )
    return " ".join(kept.split())[:LONGEST_NAME].strip()


def player_of(tournament: Tournament, event: Event, key: str = "player") -> Player:
    """Return the player that an event names under ``key``."""
    player = tournament.players.get(str(event.data.get(key)))
    if player is None:
        raise TournamentError("no-such-player")
    return player


def whole(event: Event, key: str) -> int:
    """Return a whole number that an event carries."""
    value: Any = event.data.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TournamentError("bad-event")
    return value


def several(event: Event, key: str) -> tuple[Any, ...]:
    """Return a list that an event carries; an empty one where it says nothing."""
    value: Any = event.data.get(key, ())
    if not isinstance(value, list | tuple):
        raise TournamentError("bad-event")
    return tuple(value)


def round_of(tournament: Tournament, event: Event) -> Round:
    """Return the round that an event names; the newest one where it names none."""
    number = event.data.get("round", len(tournament.rounds))
    for round_ in tournament.rounds:
        if round_.number == number:
            return round_
    raise TournamentError("no-such-round")


def table_of(tournament: Tournament, event: Event) -> tuple[Round, Table]:
    """Return the table that an event names, with its round."""
    round_ = round_of(tournament, event)
    for table in round_.tables:
        if table.number == whole(event, "table"):
            return round_, table
    raise TournamentError("no-such-table")


def with_round(tournament: Tournament, round_: Round) -> Tournament:
    """Return the tournament with a round in place of the one of the same number."""
    rounds = (round_ if one.number == round_.number else one for one in tournament.rounds)
    return replace(tournament, rounds=tuple(rounds))


def with_table(tournament: Tournament, round_: Round, table: Table) -> Tournament:
    """Return the tournament with a table in place of the one of the same number."""
    tables = (table if one.number == table.number else one for one in round_.tables)
    return with_round(tournament, replace(round_, tables=tuple(tables)))


def with_player(tournament: Tournament, player: Player) -> Tournament:
    """Return the tournament with a player added or changed."""
    return replace(tournament, players={**tournament.players, player.id: player})

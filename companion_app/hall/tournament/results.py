"""Events about results: told by the referee, typed in, confirmed, objected to, corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.events import ARBITER, DIRECTOR, PLAYER, Event
from companion_app.hall.tournament.model import Result, Source, Table, Tournament
from companion_app.hall.tournament.reading import player_of, several, table_of, with_table
from companion_app.hall.tournament.rounds import check_box

MOST_POINTS = 10_000


def from_referee(table: Table, answer: Mapping[str, Any], seats: Sequence[str]) -> dict[str, Any]:
    """Return the data of a ``result`` event from a referee's answer.

    Args:
        table: the table of the round.
        answer: ``scores`` and ``winners`` as the referee says them.
        seats: what the game calls its players, in seat order: colours or names.
    """
    player = dict(zip(seats, table.playing, strict=True))
    return {
        "table": table.number,
        "scores": {player[name]: score for name, score in answer["scores"].items()},
        "winners": [player[name] for name in answer["winners"]],
    }


def take_result(tournament: Tournament, event: Event) -> Tournament:
    """Enter a result; one by staff is final at once, any other waits to be confirmed."""
    round_, table = table_of(tournament, event)
    check_box(event, table)
    if round_.stage != "running":
        raise TournamentError("round-not-running")
    if event.role == PLAYER and event.who not in table.playing:
        raise TournamentError("not-allowed")
    scores, winners = _read(event, table)
    source: Source = "referee"
    if event.role in (ARBITER, DIRECTOR):
        source = "arbiter"
    elif event.role == PLAYER:
        source = "players"
    old = table.result
    if old is not None:
        same = (dict(old.scores), old.winners) == (scores, winners)
        if old.final and not same:
            raise TournamentError("result-stands")
        # Told once more it changes nothing; but what waits becomes final when staff says the same.
        if same and (old.final or source != "arbiter"):
            return tournament
    confirmed = (event.who,) if source == "players" else ()
    result = Result(scores, winners, source, event.by, confirmed)
    result = replace(result, final=source == "arbiter" or _agreed(tournament, table, result))
    return with_table(tournament, round_, replace(table, result=result))


def confirm(tournament: Tournament, event: Event) -> Tournament:
    """Note that a player at the table confirms its result: the one he saw, where he says which."""
    return _voted(tournament, event, agrees=True)


def objects(tournament: Tournament, event: Event) -> Tournament:
    """Note that a player at the table objects to its result, which the arbiter then decides."""
    return _voted(tournament, event, agrees=False)


def correct(tournament: Tournament, event: Event) -> Tournament:
    """Correct a result, also of a closed round; the arbiter's result is final."""
    round_, table = table_of(tournament, event)
    if round_.stage == "paired":
        raise TournamentError("round-not-running")
    forfeits = table.forfeits
    if "forfeits" in event.data:
        forfeits = tuple(map(str, several(event, "forfeits")))
    if not set(forfeits) <= set(table.players):
        raise TournamentError("no-such-player")
    table = replace(table, forfeits=forfeits)
    scores, winners = _read(event, table)
    result = Result(scores, winners, "arbiter", event.by, final=True)
    return with_table(tournament, round_, replace(table, result=result))


def forfeit(tournament: Tournament, event: Event) -> Tournament:
    """Note that a player did not come or was sent away; the others play on or win without play."""
    round_, table = table_of(tournament, event)
    player = player_of(tournament, event).id
    if round_.stage == "paired":
        raise TournamentError("round-not-running")
    if player not in table.playing:
        raise TournamentError("no-such-player")
    table = replace(table, forfeits=(*table.forfeits, player))
    if len(table.playing) < 2:
        result = Result({}, table.playing, "arbiter", event.by, final=True)
        table = replace(table, result=result)
    elif table.result is not None:
        winners = tuple(one for one in table.result.winners if one != player)
        winners = winners or _best(table.result.scores, table)
        table = replace(table, result=replace(table.result, winners=winners))
    return with_table(tournament, round_, table)


def _voted(tournament: Tournament, event: Event, agrees: bool) -> Tournament:
    round_, table = table_of(tournament, event)
    result = table.result
    if event.who not in table.playing:
        raise TournamentError("not-allowed")
    if result is None:
        raise TournamentError("no-result")
    if result.final:
        raise TournamentError("result-stands")
    seen = event.data.get("scores"), event.data.get("winners")
    # Another result may have come since the phone showed one.
    if seen not in ((None, None), (dict(result.scores), list(result.winners))):
        raise TournamentError("out-of-order")
    confirmed = tuple(one for one in result.confirmed if one != event.who)
    objected = tuple(one for one in result.objected if one != event.who)
    if agrees:
        confirmed = (*confirmed, event.who)
    else:
        objected = (*objected, event.who)
    result = replace(result, confirmed=confirmed, objected=objected)
    result = replace(result, final=_agreed(tournament, table, result))
    return with_table(tournament, round_, replace(table, result=result))


def _agreed(tournament: Tournament, table: Table, result: Result) -> bool:
    needed = min(tournament.settings.confirmations, len(table.playing))
    return len(result.confirmed) >= needed and not result.objected


def _read(event: Event, table: Table) -> tuple[dict[str, int | None], tuple[str, ...]]:
    scores, winners = event.data.get("scores"), event.data.get("winners", [])
    if not isinstance(scores, Mapping) or not isinstance(winners, list | tuple):
        raise TournamentError("bad-result")
    if not set(table.playing) <= set(scores) <= set(table.players):
        raise TournamentError("bad-result")
    for score in scores.values():
        whole = isinstance(score, int) and not isinstance(score, bool)
        if score is not None and not (whole and abs(score) <= MOST_POINTS):
            raise TournamentError("bad-result")
    told = tuple(player for player in table.playing if player in winners)
    if len(told) != len(winners):
        raise TournamentError("bad-result")
    kept = {player: scores[player] for player in table.players if player in scores}
    return kept, told or _best(kept, table)


def _best(scores: Mapping[str, int | None], table: Table) -> tuple[str, ...]:
    """Return the players with the highest score, for a result that names no winner."""
    most = max((s for p in table.playing if (s := scores[p]) is not None), default=None)
    return tuple(player for player in table.playing if scores[player] == most)

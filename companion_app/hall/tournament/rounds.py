"""Events about rounds: set-up, pairing, start, clock, boxes, help, end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.events import Event
from companion_app.hall.tournament.model import Clock, Player, Round, Table, Tournament
from companion_app.hall.tournament.points import row_for
from companion_app.hall.tournament.reading import (
    clean,
    player_of,
    round_of,
    several,
    table_of,
    whole,
    with_round,
    with_table,
)
from companion_app.hall.tournament.settings import read_settings

LONGEST_ROUND_S = 24 * 3600


def set_up(tournament: Tournament, event: Event) -> Tournament:
    """Set how the tournament is played, until its first round is paired."""
    if tournament.rounds:
        raise TournamentError("round-begun")
    return replace(tournament, settings=read_settings(event.data.get("settings")))


def to_pair(tournament: Tournament) -> tuple[Player, ...]:
    """Return who is there and plays the next round."""
    number = len(tournament.rounds) + 1
    here = (player for player in tournament.players.values() if player.here)
    return tuple(player for player in here if number not in player.sits_out)


def pair_round(tournament: Tournament, event: Event) -> Tournament:
    """Take over the pairing of the next round, found by ``pairing.paired`` or made by hand."""
    last = tournament.round
    if tournament.over:
        raise TournamentError("over")
    if last is not None and last.stage != "closed":
        raise TournamentError("round-open")
    if whole(event, "round") != len(tournament.rounds) + 1:
        raise TournamentError("bad-event")
    tables = tuple(_read_table(written) for written in several(event, "tables"))
    byes = tuple(map(str, several(event, "byes")))
    seats = Counter([*byes, *(player for table in tables for player in table.players)])
    here = {player.id for player in to_pair(tournament)}
    if set(seats) != here or any(times > 1 for times in seats.values()):
        raise TournamentError("not-everybody-once")
    if len({table.number for table in tables}) != len(tables):
        raise TournamentError("bad-event")
    for table in tables:
        row_for(tournament.settings, len(table.players))
    rated = bool(event.data.get("rated", tournament.settings.rated))
    round_ = Round(len(tournament.rounds) + 1, tables, byes, rated)
    players = {
        key: replace(one, from_round=one.from_round or round_.number) if key in here else one
        for key, one in tournament.players.items()
    }
    return replace(tournament, players=players, rounds=(*tournament.rounds, round_))


def drop_round(tournament: Tournament, event: Event) -> Tournament:
    """Drop a round that has not been started, so that it can be paired again."""
    round_ = round_of(tournament, event)
    if round_.stage != "paired" or round_ is not tournament.round:
        raise TournamentError("round-begun")
    players = {
        key: replace(one, from_round=0) if one.from_round == round_.number else one
        for key, one in tournament.players.items()
    }
    return replace(tournament, players=players, rounds=tournament.rounds[:-1])


def swap_players(tournament: Tournament, event: Event) -> Tournament:
    """Let two players change places before the round is started."""
    round_ = round_of(tournament, event)
    if round_.stage != "paired":
        raise TournamentError("round-begun")
    one, two = player_of(tournament, event, "one").id, player_of(tournament, event, "two").id
    seated = [player for table in round_.tables for player in table.players]
    if not {one, two} <= {*seated, *round_.byes}:
        raise TournamentError("no-such-player")
    other = {one: two, two: one}
    tables = tuple(
        replace(table, players=tuple(other.get(player, player) for player in table.players))
        for table in round_.tables
    )
    byes = tuple(other.get(player, player) for player in round_.byes)
    return with_round(tournament, replace(round_, tables=tables, byes=byes))


def start_round(tournament: Tournament, event: Event) -> Tournament:
    """Start the round for every table at once, with its clock."""
    round_ = round_of(tournament, event)
    if round_.stage != "paired":
        raise TournamentError("round-begun")
    length_s = event.data.get("length_s", tournament.settings.round_minutes * 60)
    if not isinstance(length_s, int | float) or not 0 < length_s <= LONGEST_ROUND_S:
        raise TournamentError("bad-event")
    clock = Clock(event.at_s, length_s)
    return with_round(tournament, replace(round_, stage="running", clock=clock))


def pause_clock(tournament: Tournament, event: Event) -> Tournament:
    """Stop the round's clock; pausing twice changes nothing."""
    round_, clock = _clock_of(tournament, event)
    if clock.paused_at_s is None:
        clock = replace(clock, paused_at_s=event.at_s)
    return with_round(tournament, replace(round_, clock=clock))


def resume_clock(tournament: Tournament, event: Event) -> Tournament:
    """Let the round's clock run on where it stood."""
    round_, clock = _clock_of(tournament, event)
    if clock.paused_at_s is not None:
        stood_s = max(0.0, event.at_s - clock.paused_at_s)
        clock = replace(clock, paused_at_s=None, length_s=clock.length_s + stood_s)
    return with_round(tournament, replace(round_, clock=clock))


def add_time(tournament: Tournament, event: Event) -> Tournament:
    """Give the round more time, or less."""
    round_, clock = _clock_of(tournament, event)
    length_s = clock.length_s + whole(event, "seconds")
    if not 0 < length_s <= 2 * LONGEST_ROUND_S:
        raise TournamentError("bad-event")
    return with_round(tournament, replace(round_, clock=replace(clock, length_s=length_s)))


def swap_box(tournament: Tournament, event: Event) -> Tournament:
    """Assign another box to a table, also in mid-round; the old box is ignored from then on."""
    round_, table = table_of(tournament, event)
    box = clean(event.data.get("box", ""))
    if any(one.box == box and one.number != table.number for one in round_.tables if box):
        raise TournamentError("box-taken")
    # The old box's report about its hints does not apply to the new box.
    return with_table(tournament, round_, replace(table, box=box, help_off=None))


def note_help(tournament: Tournament, event: Event) -> Tournament:
    """Note whether a table's box has switched hints and the machine's help off."""
    round_, table = table_of(tournament, event)
    check_box(event, table)
    off = event.data.get("off")
    if not isinstance(off, bool):
        raise TournamentError("bad-event")
    return with_table(tournament, round_, replace(table, help_off=off))


def close_round(tournament: Tournament, event: Event) -> Tournament:
    """Close a round whose results are all final."""
    round_ = round_of(tournament, event)
    if round_.stage != "running":
        raise TournamentError("round-not-running")
    waiting = [str(table.number) for table in round_.tables if not table.done]
    if waiting:
        raise TournamentError("tables-open", tables=", ".join(waiting))
    return with_round(tournament, replace(round_, stage="closed"))


def end(tournament: Tournament, event: Event) -> Tournament:
    """End the tournament after a closed round; corrections stay possible."""
    del event
    if tournament.round is not None and tournament.round.stage != "closed":
        raise TournamentError("round-open")
    return replace(tournament, over=True)


def check_box(event: Event, table: Table) -> None:
    """Refuse an event by a box about a table that it does not watch."""
    if event.role == "table" and event.who != (table.box or str(table.number)):
        raise TournamentError("not-allowed")


def _clock_of(tournament: Tournament, event: Event) -> tuple[Round, Clock]:
    round_ = round_of(tournament, event)
    if round_.clock is None or round_.stage != "running":
        raise TournamentError("round-not-running")
    return round_, round_.clock


def _read_table(written: Mapping[str, Any]) -> Table:
    try:
        return Table(
            int(written["number"]),
            tuple(map(str, written["players"])),
            clean(written.get("group", "")),
            clean(written.get("box", "")),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TournamentError("bad-event") from error

"""The log: a tournament's state is nothing but the replay of its events in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion_app.hall.tournament import people, results, rounds
from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.events import Event, check_who
from companion_app.hall.tournament.model import Tournament

CHANGES: Mapping[str, Callable[[Tournament, Event], Tournament]] = {
    "set-up": rounds.set_up,
    "add-player": people.add_player,
    "change-player": people.change_player,
    "hide-player": people.hide_player,
    "erase-player": people.erase_player,
    "check-in": people.check_in,
    "leave": people.leave,
    "sit-out": people.sit_out,
    "forbid": people.forbid,
    "allow": people.allow,
    "pair-round": rounds.pair_round,
    "drop-round": rounds.drop_round,
    "swap-players": rounds.swap_players,
    "start-round": rounds.start_round,
    "pause-clock": rounds.pause_clock,
    "resume-clock": rounds.resume_clock,
    "add-time": rounds.add_time,
    "result": results.take_result,
    "confirm": results.confirm,
    "object": results.objects,
    "correct": results.correct,
    "forfeit": results.forfeit,
    "swap-box": rounds.swap_box,
    "help": rounds.note_help,
    "close-round": rounds.close_round,
    "end": rounds.end,
}
NAMES = ("name", "nickname", "person")
ERASED = "–"


def apply(tournament: Tournament, event: Event) -> Tournament:
    """Return the tournament after one more event.

    Raises:
        TournamentError: when it cannot be done now; the tournament is as it was.
    """
    check_who(event)
    if event.number != tournament.events + 1:
        raise TournamentError("out-of-order")
    return replace(CHANGES[event.do](tournament, event), events=event.number)


def happened(
    tournament: Tournament, do: str, data: Mapping[str, Any], by: str, at_s: float, why: str = ""
) -> tuple[Event, Tournament]:
    """Return the next event, which the caller stores, and the tournament after it."""
    event = Event(tournament.events + 1, do, at_s, by, why, data)
    return event, apply(tournament, event)


def replay(events: Iterable[Event], before: Tournament | None = None) -> Tournament:
    """Return the tournament after replaying events, from the start or from state ``before``."""
    tournament = before or Tournament()
    for event in events:
        tournament = apply(tournament, event)
    return tournament


def without_erased(events: Sequence[Event]) -> list[Event]:
    """Return the log without the names of those who asked to be erased.

    The store replaces the old log by it: numbers and results stay, and it replays to the same
    tournament.
    """
    gone = {str(event.data.get("player")) for event in events if event.do == "erase-player"}
    return list(_without_names(events, gone))


def public_log(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return the public log: which role or player id did what and why, without any name."""
    everybody = {str(event.data.get("player")) for event in events if event.do == "add-player"}
    return [
        event.to_json() | {"by": event.by if event.role == "player" else event.role}
        for event in _without_names(events, everybody)
    ]


def _without_names(events: Sequence[Event], gone: set[str]) -> Iterator[Event]:
    names = {
        str(event.data[key])
        for event in events
        for key in NAMES
        if event.do in ("add-player", "change-player")
        and event.data.get("player") in gone
        and event.data.get(key)
    }
    # The longest first, so that no part of a longer name is left.
    words = sorted({part for name in names for part in (name, *name.split())}, key=len)[::-1]
    for event in events:
        data = dict(event.data)
        if event.do in ("add-player", "change-player") and data.get("player") in gone:
            data.update({key: ERASED if key == "name" else "" for key in NAMES if key in data})
        yield replace(event, data=data, why=_struck(event.why, words))


def _struck(text: str, words: Sequence[str]) -> str:
    """Return a text without these words, each also with an ending of up to three letters."""
    for word in words:
        if len(word) > 1:
            text = re.sub(rf"(?<!\w){re.escape(word)}\w{{0,3}}(?!\w)", ERASED, text, flags=re.I)
    return text

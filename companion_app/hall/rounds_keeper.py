"""Connects rounds with tables: enters results of referees, and orders help off or on.

Every process of a hall runs a rounds keeper, and several may overlap: a result that is already
there is not entered again, and a table obeys each order once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select

from companion_app.games.entries import read_line
from companion_app.hall.line.message import shown_name
from companion_app.hall.store.arbiter_store import SENT_AGAIN_S, Decision, decide, last_decisions
from companion_app.hall.store.hall_store import HallStore, Standing
from companion_app.hall.store.schema import events
from companion_app.hall.store.tournament_store import Kept, Step
from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.model import Round, Table, Tournament
from companion_app.hall.tournament.people import known_names
from companion_app.hall.tournament.results import from_referee
from companion_app.hall.tournament.view import orders
from companion_app.hall.tournaments import Tournaments
from companion_app.help_orders import HELP_OFF, HELP_ON

log = logging.getLogger(__name__)
REFUSED_AGAIN_S = 30.0
"""Seconds after which a refused help order is repeated: the table may only have been starting."""


class RoundsKeeper:
    """Handles the open rounds of all tournaments."""

    def __init__(self, store: HallStore, tournaments: Tournaments) -> None:
        self._store, self._tournaments = store, tournaments
        self._over: set[str] = set()
        """Tournaments that have ended, which nothing undoes."""

    def look(self) -> None:
        """Enter the results of finished games, and order the help at tables off or on."""
        wanted: dict[str, Mapping[str, Any]] = {}
        for open_ in self._open():
            try:
                self._take_results(open_)
                self._note_help(open_)
            except TournamentError as error:
                # Another process was faster, or the round was closed; the next look sees it.
                log.info("tournament %s: %s", open_.id, error)
            for order in orders(open_.now):
                if order["box"] and not order["help"]:
                    wanted[order["box"]] = {**order, "tournament": open_.id}
        self._order(wanted)

    def _open(self) -> Iterator[Kept]:
        for id_ in self._tournaments.ids():
            found = None if id_ in self._over else self._tournaments.now(id_)
            if found is None:
                continue
            if found.now.over:
                self._over.add(id_)
            elif found.now.round is not None and found.now.round.stage != "closed":
                yield found

    # --- results ---------------------------------------------------------------------------

    def _take_results(self, open_: Kept) -> None:
        round_ = open_.now.round
        assert round_ is not None
        if round_.stage != "running":
            return
        boxes = [table.box for table in round_.tables if table.box and not table.done]
        stood = self._store.standings(boxes) if boxes else {}
        over = {box: one for box, one in stood.items() if one.document.get("over") is True}
        if not over:
            return
        since_s = paired_s(open_, round_)
        ours = {box: one for box, one in over.items() if self._began_s(one) >= since_s}
        if any(result_steps(open_.now, ours)):
            self._tournaments.change(open_.id, lambda now: list(result_steps(now, ours)))

    def _began_s(self, standing: Standing) -> float:
        """Return when a game began at the latest, as Unix time by the hall's clock.

        A box that was offline sends its games late: a game began not only before its first line
        was stored, but also as long before its last line was stored as it took.
        """
        asked = select(events.c.stored_s, events.c.line).where(
            events.c.table_id == standing.table, events.c.game == standing.game
        )
        with self._store.reading() as line:
            first = line.execute(asked.order_by(events.c.number).limit(1)).first()
            last = line.execute(asked.order_by(events.c.number.desc()).limit(1)).first()
        if first is None or last is None:
            return 0.0
        began, ended = read_line(first.line), read_line(last.line)
        took_s = ended.at_s - began.at_s if began and ended else 0.0
        return float(min(first.stored_s, last.stored_s - took_s))

    # --- help ------------------------------------------------------------------------------

    def _note_help(self, open_: Kept) -> None:
        """Enter the tables' answers to help orders in the tournament's log."""
        told = self._last_orders()
        if any(help_steps(open_.now, told)):
            self._tournaments.change(open_.id, lambda now: list(help_steps(now, told)))

    def _order(self, wanted: Mapping[str, Mapping[str, Any]]) -> None:
        told = self._last_orders()
        for box, order in wanted.items():
            if is_due(told.get(box), order, self._store.clock()):
                decide(self._store, box, str(order["tournament"]), HELP_OFF, body(HELP_OFF, order))
        for box, last in told.items():
            free = box not in wanted
            if free and (last.what == HELP_OFF or is_late(last, self._store.clock())):
                decide(self._store, box, last.who, HELP_ON, body(HELP_ON, {}))

    def _last_orders(self) -> dict[str, Decision]:
        """Return the last help order of each table."""
        return last_decisions(self._store, (HELP_OFF, HELP_ON))


def paired_s(kept: Kept, round_: Round) -> float:
    """Return when a round was paired; games that began earlier do not belong to it."""
    times = [
        event.at_s
        for event in kept.events
        if event.do == "pair-round" and event.data.get("round") == round_.number
    ]
    return max(times, default=0.0)


def result_steps(now: Tournament, over: Mapping[str, Standing]) -> Iterator[Step]:
    """Yield the referees' results that the tournament does not have yet."""
    round_ = now.round
    if round_ is None or round_.stage != "running":
        return
    for table in round_.tables:
        standing, old = over.get(table.box), table.result
        if standing is None or table.done or (old is not None and old.source != "referee"):
            continue
        data = _result(now, table, standing.document)
        if data is None:
            continue
        if old is None or (dict(old.scores), list(old.winners)) != (
            data["scores"],
            sorted(data["winners"], key=table.players.index),
        ):
            yield Step("result", {**data, "round": round_.number}, f"table:{table.box}")


def _result(now: Tournament, table: Table, document: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the referee's result; ``None`` where game or number of players are not the round's."""
    players: Sequence[Mapping[str, Any]] = document.get("players", [])
    if document.get("game") != now.settings.game or len(players) != len(table.playing):
        return None
    answer = {
        "scores": {player["id"]: player["score"] for player in players},
        "winners": [player["id"] for player in players if player["winner"]],
    }
    return from_referee(table, answer, _seats(now, table, players))


def _seats(now: Tournament, table: Table, players: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the game calls the players of a table, in the order of ``table.playing``.

    The names at the table tell who sits where, which may differ from the pairing; of one player
    the name may be missing, such as one that was erased.
    """
    seats = [str(player["id"]) for player in players]
    told = {str(player["name"]).casefold(): str(player["id"]) for player in players}
    found = []
    for player in table.playing:
        known = {shown_name(name).casefold() for name in known_names(now.players[player])}
        found.append(next((seat for name, seat in told.items() if name in known), ""))
    free = [seat for seat in seats if seat not in found]
    if len(free) == 1:
        found = [seat or free[0] for seat in found]
    return found if sorted(found) == sorted(seats) else seats


def help_steps(now: Tournament, told: Mapping[str, Decision]) -> Iterator[Step]:
    """Yield the tables' answers to help orders that the tournament does not have yet."""
    round_ = now.round
    for order in orders(now):
        assert round_ is not None
        last = told.get(order["box"])
        if last is None or order["help"] or not last.done or not is_about(last, order):
            continue
        off = last.answer.startswith("done")
        table = next(one for one in round_.tables if one.number == order["table"])
        if table.help_off is not off and not last.answer.startswith("unknown"):
            yield Step("help", {"table": table.number, "off": off}, f"table:{table.box}")


def is_due(last: Decision | None, order: Mapping[str, Any], now_s: float) -> bool:
    """Say whether a table must be ordered to switch its help off."""
    return last is None or not is_about(last, order) or is_late(last, now_s)


def is_about(last: Decision, order: Mapping[str, Any]) -> bool:
    """Say whether the last decision ordered help off for the same round, table and box."""
    said = last.body.get("order") or {}
    same = all(said.get(key) == order[key] for key in ("round", "table", "box"))
    return last.what == HELP_OFF and same


def is_late(last: Decision, now_s: float) -> bool:
    """Say whether an order must be repeated: timed out, refused, or answered by ``unknown``."""
    since_s = now_s - last.at_s
    if last.answer.startswith("refused"):
        return since_s > REFUSED_AGAIN_S
    return (not last.done and since_s > SENT_AGAIN_S) or last.answer == "unknown"


def body(what: str, order: Mapping[str, Any]) -> dict[str, Any]:
    """Return an order as the body of a decision."""
    return {"what": what, "key": "", "order": dict(order)}

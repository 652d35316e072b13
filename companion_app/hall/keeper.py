"""Background work of a hall: updates standings, calls arbiters, resends unanswered rulings.

Every process of a hall runs one keeper. Its work is idempotent, so several may overlap.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from companion_app.hall.errors import DatabaseError
from companion_app.hall.standing import BROKEN, GameSoFar
from companion_app.hall.store.arbiter_store import (
    Cause,
    Decision,
    keep_alerts,
    open_alerts,
    unanswered,
)
from companion_app.hall.store.hall_store import HallStore, Made, Member, Standing
from companion_app.live.log_line import Line

log = logging.getLogger(__name__)
LOOK_S = 2.0
"""Seconds between two checks for new alerts and for work that another process left undone."""
LEFT_S = 1.0
"""Seconds after which a line without a standing counts as left undone by its process."""
GATHER_S = 0.1
"""Seconds for which grown logs are collected before they are read together."""
KEPT_TOGETHER = 32
"""Standings that are stored in one transaction."""
MOST_AT_HAND = 600
"""Games cached in memory, about 0.1 MB each; the least recently used is evicted."""
FOUL_S, QUESTION_S, AWAY_S = 30.0, 60.0, 45.0
"""Seconds after which an arbiter is called: for a foul that is not taken back, for a question
without an answer, for a table that is not heard from."""
LOST = ("camera-lost", "camera-moved", "too-dark")
Tell = Callable[[str, Mapping[str, Any]], None]
Mark = tuple[str, str]
"""A table's id and the key of one of its games."""


class Games:
    """A cache of games, each replayed up to the last stored line; a lock serializes access."""

    def __init__(self, store: HallStore, most: int = MOST_AT_HAND) -> None:
        self._store, self._most = store, most
        self._lock = threading.Lock()
        self._at_hand: OrderedDict[Mark, GameSoFar] = OrderedDict()

    def game(self, table: str, key: str) -> GameSoFar | None:
        """Return a game replayed to its end; ``None`` where it is broken."""
        with self._lock:
            mark = table, key
            known = self._at_hand.get(mark)
            lines = self._store.lines(table, key, known.number if known else 0)
            return self._replayed(mark, known, lines)

    def games(self, marks: Iterable[Mark]) -> dict[Mark, GameSoFar | None]:
        """Return games replayed to their ends; their new lines are read by one query."""
        with self._lock:
            known = {mark: self._at_hand.get(mark) for mark in marks}
            found = self._store.lines_of(
                {mark: 0 if one is None else one.number for mark, one in known.items()}
            )
            return {mark: self._replayed(mark, one, found[mark]) for mark, one in known.items()}

    def _replayed(self, mark: Mark, known: GameSoFar | None, lines: list[Line]) -> GameSoFar | None:
        """Return a game with its next lines, and cache it; ``None`` where it is broken."""
        try:
            if known is None:
                known = GameSoFar(lines)
            else:
                known.add(lines)
        except BROKEN as error:
            log.info("game %s of table %s cannot be played through: %r", mark[1], mark[0], error)
            self._at_hand.pop(mark, None)
            return None
        self._at_hand[mark] = known
        self._at_hand.move_to_end(mark)
        while len(self._at_hand) > self._most:
            self._at_hand.popitem(last=False)
        return known


class Keeper:
    """A thread that keeps standings, alerts and rulings up to date."""

    def __init__(
        self,
        store: HallStore,
        games: Games,
        tell: Tell,
        clock: Callable[[], float] = time.time,
        also: Callable[[], None] = lambda: None,
    ) -> None:
        self.foul_s = FOUL_S
        self._store, self._games, self._tell, self._clock = store, games, tell, clock
        self._also = also
        """Called at every check, for other periodic work: the rounds of tournaments."""
        self._due: dict[str, str] = {}
        self._news = threading.Condition()
        self._stopped = False
        self._fouls_s: dict[tuple[str, int], float] = {}
        """When each foul was first seen, by table and line number."""
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread."""
        with self._news:
            self._stopped = True
            self._news.notify_all()
        self._thread.join(10)

    def added(self, games: Mapping[str, str]) -> None:
        """Take note of the tables whose logs have grown, each with the game of its last line."""
        with self._news:
            self._due.update(games)
            self._news.notify()

    def _run(self) -> None:
        look_s = 0.0
        while not self._stopped:
            with self._news:
                if not self._due:
                    self._news.wait(LOOK_S)
                awaited = bool(self._due)
            if awaited:
                time.sleep(GATHER_S)
            with self._news:
                due, self._due = self._due, {}
            try:
                self.keep_up(due)
                if time.monotonic() >= look_s:
                    look_s = time.monotonic() + LOOK_S
                    self.look()
            except DatabaseError as error:
                log.warning("%s", error)
                with self._news:
                    self._news.wait(LOOK_S / 4)

    def keep_up(self, due: Mapping[str, str]) -> None:
        """Update the standings of tables; ``due`` has the newest game of each table.

        A transaction stores at most ``KEPT_TOGETHER`` standings, so that the first tables do not
        wait for the last.
        """
        tables = list(due)
        for first in range(0, len(tables), KEPT_TOGETHER):
            some = tables[first : first + KEPT_TOGETHER]
            newest = {table: due[table] or self._store.newest_game(table) for table in some}
            games = self._games.games((table, key) for table, key in newest.items() if key)
            made = [
                one
                for (table, key), game in games.items()
                if (one := self._made(table, key, game)) is not None
            ]
            if made:
                self._store.keep_standings(made)

    def _made(self, table: str, newest: str, game: GameSoFar | None) -> Made | None:
        """Return the standing of a table from its newest game, which may be broken."""
        if game is None:
            member = self._store.member(table)
            return None if member is None else Made(table, member.acked, newest, {"broken": True})
        try:
            document = game.document()
        except BROKEN as error:
            log.info("game %s of table %s cannot be scored: %r", newest, table, error)
            document = {"broken": True}
        return Made(table, game.number, newest, document)

    def look(self) -> None:
        """Update outdated standings, call arbiters, and resend unanswered rulings."""
        self.keep_up(dict.fromkeys(self._store.behind(LEFT_S), ""))
        alerts = open_alerts(self._store)
        called = {(one.table, one.number) for one in alerts if one.kind == "foul"}
        causes = self.causes(self._store.stood(), called)
        keep_alerts(self._store, alerts, causes)
        self._also()
        for decision in unanswered(self._store):
            self._tell(decision.table, ruling(decision))

    def causes(
        self, stood: Iterable[tuple[Member, Standing | None]], called: Set[tuple[str, int]]
    ) -> set[Cause]:
        """Return why an arbiter is wanted right now.

        Args:
            stood: all tables, with how they stand.
            called: the fouls that an arbiter was called for already, also by another process.
        """
        now_s = self._clock()
        found: set[Cause] = set()
        fouls: dict[tuple[str, int], float] = {}
        for member, standing in stood:
            document = {} if standing is None else standing.document
            foul, hand = document.get("foul"), document.get("hand")
            if foul:
                mark = (member.id, int(foul["number"]))
                fouls[mark] = self._fouls_s.get(mark, now_s)
                if mark in called or now_s - fouls[mark] >= self.foul_s:
                    found.add(Cause(member.id, "foul", str(foul["number"]), mark[1]))
            if hand:
                found.add(Cause(member.id, "hand", str(hand), int(hand)))
            found |= _health_causes(member, now_s, bool(document) and not document.get("over"))
        self._fouls_s = fouls
        return found


def ruling(decision: Decision) -> dict[str, Any]:
    """Return a decision as the message that its table receives."""
    return {"ruling": decision.ruling, "do": dict(decision.body)}


def _health_causes(member: Member, now_s: float, playing: bool) -> set[Cause]:
    if not playing:
        return set()
    if member.heard_s is not None and now_s - member.heard_s > AWAY_S:
        return {Cause(member.id, "away", "")}
    found: set[Cause] = set()
    if member.health.get("camera") in LOST:
        found.add(Cause(member.id, "camera", str(member.health["camera"])))
    open_s = member.health.get("question_s")
    if isinstance(open_s, (int, float)) and open_s >= QUESTION_S:
        found.add(Cause(member.id, "question", ""))
    return found

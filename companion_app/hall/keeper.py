"""Background work of a hall: updates standings, and calls arbiters.

Every process of a hall runs one keeper. Its work is idempotent, so several may overlap.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from companion_app.games.entries import Line
from companion_app.games.play import BROKEN, Game, Games
from companion_app.hall.errors import DatabaseError
from companion_app.hall.line.message import shown_name
from companion_app.hall.store.arbiter_store import Cause, keep_alerts, open_alerts
from companion_app.hall.store.hall_store import HallStore, Made, Member, Standing
from companion_app.live.errors import StoreError
from companion_app.live.places import leading
from companion_app.web.drawing.match import mark_of
from companion_app.web.snapshot import colour_of

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
MOST_LINES = 5000
"""Lines of one game at most; the longest that people play has some 300."""
FOUL_S, QUESTION_S, AWAY_S = 30.0, 60.0, 45.0
"""Seconds after which an arbiter is called: for a foul that is not taken back, for a question
without an answer, for a table that is not heard from."""
LOST = ("camera-lost", "camera-moved", "too-dark")
Mark = tuple[str, str]
"""A table's id and the key of one of its games."""


class TableGames:
    """The games of all tables, each followed up to its last stored line."""

    def __init__(self, store: HallStore, most: int = MOST_AT_HAND) -> None:
        self._store = store
        self._games = Games[Mark](most, MOST_LINES, is_trusted=True)

    def game(self, table: str, key: str) -> Game | None:
        """Return a game as it stands; ``None`` where its lines make none."""
        return self.games([(table, key)])[table, key]

    def games(self, marks: Iterable[Mark]) -> dict[Mark, Game | None]:
        """Return games as they stand; their new lines are read by one query."""
        known = {mark: self._games.seq(mark) for mark in marks}
        found = self._store.lines_of(known)
        return {mark: self._followed(mark, known[mark], found[mark]) for mark in known}

    def _followed(self, mark: Mark, known: int, found: list[Line]) -> Game | None:
        def read(after: int) -> list[Line]:
            return found if after == known else self._store.lines(*mark, after)

        try:
            return self._games.at(mark, read)
        except StoreError as error:
            log.info("game %s of table %s cannot be played through: %s", mark[1], mark[0], error)
            return None


class Keeper:
    """A thread that keeps standings and alerts up to date."""

    def __init__(
        self,
        store: HallStore,
        games: TableGames,
        clock: Callable[[], float] = time.time,
        also: Iterable[Callable[[], None]] = (),
    ) -> None:
        self.foul_s = FOUL_S
        self._store, self._games, self._clock = store, games, clock
        self._also = tuple(also)
        """Called at every check, for other periodic work, such as the rounds of tournaments."""
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

    def _made(self, table: str, newest: str, game: Game | None) -> Made | None:
        """Return the standing of a table from its newest game, which may be broken."""
        if game is None:
            member = self._store.member(table)
            return None if member is None else Made(table, member.acked, newest, {"broken": True})
        try:
            document = how_it_stands(game)
        except BROKEN as error:
            log.info("game %s of table %s cannot be scored: %r", newest, table, error)
            document = {"broken": True}
        return Made(table, game.seq, newest, document)

    def look(self) -> None:
        """Update outdated standings, and call arbiters."""
        self.keep_up(dict.fromkeys(self._store.behind(LEFT_S), ""))
        alerts = open_alerts(self._store)
        called = {(one.table, one.number) for one in alerts if one.kind == "foul"}
        causes = self.causes(self._store.stood(), called)
        keep_alerts(self._store, alerts, causes)
        for work in self._also:
            work()

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


def names_in(game: Game) -> dict[str, str]:
    """Return people's names as they can be shown, by player."""
    return {player: shown_name(name) for player, name in game.names.items()}


def how_it_stands(game: Game) -> dict[str, Any]:
    """Return how a game stands as JSON, independent of the reader's language."""
    facts, players, names = game.game.facts, game.start.players, names_in(game)
    outcome = game.game.outcome(game.position)
    over = outcome.over or game.ended
    turn = None if over else game.position.to_move
    winners = outcome.winners or (leading(outcome.scores) if over else ())
    foul = game.pending
    return {
        "game": facts.name,
        "title": facts.title,
        "players": [
            {
                "id": player,
                "name": names.get(player, ""),
                "coloured": player in game.box.colours,
                "colour": colour_of(game, player),
                "score": outcome.scores.get(player),
                "turn": player == turn,
                "winner": player in winners,
            }
            for player in players
        ],
        "moves": len(game.accepted),
        "over": over,
        "foul": foul
        and {
            "number": foul.seq,
            "n": foul.n,
            "player": foul.move.player,
            "rules": list(foul.rules),
        },
        "hand": game.hand,
        "drawing": mark_of(game, None),
    }


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

"""An evening that is played by events alone, as the hall plays it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from companion_app.hall.tournament.events import Event
from companion_app.hall.tournament.log import happened
from companion_app.hall.tournament.model import Table, Tournament
from companion_app.hall.tournament.pairing import paired
from companion_app.hall.tournament.people import next_id

DIRECTOR, ARBITER = "director:Dora", "arbiter:Eva"


class Evening:
    """A tournament with its log; the clock goes on by a second with every event."""

    def __init__(self, settings: Mapping[str, Any] | None = None, players: int = 0) -> None:
        self.now = Tournament()
        self.events: list[Event] = []
        if settings is not None:
            self.do("set-up", settings=dict(settings))
        for number in range(1, players + 1):
            self.enter(f"Player {number}")

    def do(self, what: str, by: str = DIRECTOR, why: str = "", **data: Any) -> Event:
        """Let something happen and keep it."""
        event, self.now = happened(self.now, what, data, by, float(len(self.events)), why)
        self.events.append(event)
        return event

    def enter(self, name: str, here: bool = True, **more: str) -> str:
        """Enter a player, check him in, and return his id."""
        player = next_id(self.now)
        self.do("add-player", player=player, name=name, **more)
        if here:
            self.do("check-in", player=player)
        return player

    def pair(self, seed: int = 1) -> None:
        """Pair the next round."""
        self.do("pair-round", **paired(self.now, seed))

    def begin(self, seed: int = 1) -> None:
        """Pair the next round and start it."""
        self.pair(seed)
        self.do("start-round")

    @property
    def tables(self) -> Sequence[Table]:
        """The tables of the newest round."""
        return self.now.rounds[-1].tables

    def finish(self, table: Table, *scores: int | None) -> None:
        """Let the arbiter write down the result of a table, in seat order."""
        told = dict(zip(table.players, scores, strict=True))
        self.do("result", ARBITER, table=table.number, scores=told)

    def play(
        self, chance: Random, skill: Mapping[str, float] | None = None, draws: float = 0.0
    ) -> None:
        """Finish every open table by chance, the stronger more often before the weaker."""
        for table in self.tables:
            if not table.done:
                strength = {
                    p: (skill or {}).get(p, 0.0) + chance.gauss(0, 1) for p in table.players
                }
                order = sorted(table.players, key=lambda p: strength[p])
                level = chance.random() < draws
                scores = {p: 10 if level else 3 * n for n, p in enumerate(order)}
                self.finish(table, *(scores[player] for player in table.players))
        self.do("close-round")

    def round(self, seed: int = 1) -> None:
        """Play a whole round."""
        self.begin(seed)
        self.play(Random(seed))

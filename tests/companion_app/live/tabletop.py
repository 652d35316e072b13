"""A table to test the live referee on: layouts in, looks and events out, no picture needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion_app.live.align import Aligner
from companion_app.live.doubts import Standing
from companion_app.live.match import Match
from companion_app.live.places import Sighting, Spot, contents
from companion_app.live.referee import Referee
from companion_app.live.settle import Settled, Settler
from companion_app.live.store import Store
from engine.game import Start
from engine.games import game_named
from engine.notation import read_layout
from engine.placement import Layout
from engine.record import Record, find_set, layout_to_json, parse_options
from vision.core.tables import TableState

STEP_S = 0.1
NOTHING: frozenset[Spot] = frozenset()


class Tabletop:
    """A match whose table is laid by the test."""

    def __init__(
        self,
        folder: Path,
        game: str,
        players: tuple[str, ...],
        options: Mapping[str, Any] | None = None,
        resume: str | None = None,
    ) -> None:
        self.store = Store(folder, clock=lambda: 0.0)
        self._again = folder, game, players, options
        rules = game_named(game)
        start = Start(players, parse_options(rules, dict(options or {})))
        record = Record(rules, find_set(rules, None), start)
        self.match = Match.resume(self.store, resume) if resume else Match.begin(self.store, record)
        self.events: list[dict[str, Any]] = []
        self.referee = Referee(self.match, self.events.append)
        self.aligner = Aligner(self.match.box)
        if game == "snekagon5g":
            agreed = self.match.position.agreed
            self.aligner = Aligner(self.match.box, agreed.boards, agreed.eyes)
        self.settler = Settler()
        self.hand: str | None = None
        """Whose hand has surely been the only one."""
        self.picture = b"jpeg"
        """The picture of every look."""
        self.t = 0.0
        self.standing: Standing | None = None
        """How sure the referee was at its last look."""
        self.referee.start(0.0)
        self.events.clear()

    def shows(
        self, table: Layout | str | TableState, looks: int = 6, covered: frozenset[Spot] = NOTHING
    ) -> list[dict[str, Any]]:
        """Let a hand pass, then show a table for some looks; return the events."""
        self.settler.moved()
        self.referee.touch()
        return self.keeps(table, looks, covered)

    def keeps(
        self, table: Layout | str | TableState, looks: int = 6, covered: frozenset[Spot] = NOTHING
    ) -> list[dict[str, Any]]:
        """Show a table for some looks with nobody near it; return the events."""
        before = len(self.events)
        for _ in range(looks):
            self.t += STEP_S
            look = self.aligner.sighting(self.state(table), self.match.layout)
            if look is None:
                self.settler.moved()
                continue
            self.sees(replace(look, covered=covered) if covered else look)
        return self.events[before:]

    def sees(self, look: Sighting) -> None:
        """Take in one look, and show the referee what all of them agree on."""
        self.settler.add(look)
        settled = self.settler.settled(self.aligner.centres_px)
        if settled is not None:
            settled = replace(settled, hand=self.hand)
            self.standing = self.referee.look(settled, self.t, lambda: self.picture)

    def finds(
        self,
        layout: Layout,
        looks: int = 8,
        sure: float | Mapping[Spot, float] = 0.999,
        covered: frozenset[Spot] = NOTHING,
    ) -> list[dict[str, Any]]:
        """Let the referee look at a table that so many looks agree on; return the events."""
        before, lying = len(self.events), contents(layout)
        shares = dict.fromkeys(lying, sure) if isinstance(sure, float) else sure
        agreed = {spot: (content, shares[spot]) for spot, content in lying.items()}
        last = Sighting(pieces=layout.pieces, clay=layout.clay)
        settled = Settled(looks, agreed, covered=covered, last=last)
        self.standing = self.referee.look(settled, self.t)
        return self.events[before:]

    def tell(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        before = len(self.events)
        self.referee.tell(message, self.t)
        return self.events[before:]

    def state(self, table: Layout | str | TableState) -> TableState:
        if isinstance(table, TableState):
            return table
        if isinstance(table, str):
            table = read_layout(table, self.match.box.lattice)
        written = layout_to_json(table)
        tiles = tuple({**tile, "confidence": 0.999} for tile in written["tiles"])
        return TableState((100, 100), tiles, clay=tuple(written.get("clay", ())))

    def wake(self) -> None:
        """Go on from the log, as after a kill."""
        key = self.match.key
        self.close()
        self.__init__(*self._again, key)  # type: ignore[misc]

    def close(self) -> None:
        self.store.close()


def said(events: list[dict[str, Any]], event: str) -> list[dict[str, Any]]:
    return [one for one in events if one["event"] == event]


def verdicts(events: list[dict[str, Any]]) -> list[tuple[int, bool]]:
    return [(one["n"], one["legal"]) for one in said(events, "verdict")]

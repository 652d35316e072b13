"""The referee: holds the last accepted position, turns settled tables into verdicts and questions.

"Illegal" is said only when every changed tile was surely read; what is not sure is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from companion_app.live.bench import Event, Pending, Picture, RefereeSettings, Standing
from companion_app.live.explain import Explanation, Foul, Row, explain
from companion_app.live.likeness import (
    cells_of,
    clay_places,
    differ_by_drill,
    differ_by_player,
    differ_by_tile,
    gone,
    key,
    newly_laid,
    same,
)
from companion_app.live.places import Content, Sighting, Spot, contents
from companion_app.live.questions import Question, question_to_json
from companion_app.live.settle import Settled
from companion_app.live.table import Reading, read_settled
from companion_app.live.told import Listener
from engine.game import Change, Json
from engine.infer import change_between
from engine.placement import Layout
from engine.record import move_to_json
from engine.referee import violation_to_json

JOINED_FROM = 3
"""A first table with so many tiles laid is from the middle of a game, not its first moves."""


class Referee(Listener):
    """Turns settled tables and what players tell into events."""

    def touched(self) -> None:
        """Take note that something moved at the table: tiles may lie differently now."""
        self._touched = True

    def look(self, settled: Settled, t: float, picture: Picture = lambda: None) -> Standing:
        """Take in a settled table; return how sure the referee is of it.

        Raises:
            StoreError: what happened could not be kept, so it was not announced; the next look
                tries again.
        """
        self._see_die(settled, t)
        if self._foul_is_covered(settled):
            return "unsure"
        reading = read_settled(
            settled, self._table_known(), self.match.box, self.answers, self._several_boards()
        )
        if reading.waiting:
            return "settling"
        if reading.doubts:
            self._doubtful(reading, t)
            return "unsure"
        standing = self._judge_table(reading, settled, t, picture)
        if standing == "settled":
            self._touched = False
            self._try_rolls(t)
        return standing

    def _foul_is_covered(self, settled: Settled) -> bool:
        """Say whether something lies over the tile of an announced foul."""
        if self.pending is None:
            return False
        laid = contents(self.pending.layout).keys() - contents(self.match.layout).keys()
        return not settled.covered.isdisjoint(laid)

    def _table_known(self) -> Layout:
        return self.match.layout

    def _several_boards(self) -> bool:
        return self.match.game.facts.name == "snekagon5g"

    def _judge_table(
        self, reading: Reading, settled: Settled, t: float, picture: Picture
    ) -> Standing:
        known = self._table_known()
        tables = [layout for layout in reading.layouts if not same(layout, known)]
        if len(tables) < len(reading.layouts) or not tables:
            self._as_accepted(reading, t)
            self._late_clay(reading, settled, t, picture)
            return "settled"
        if self.pending and any(same(table, self.pending.layout) for table in tables):
            return "settled"
        if self._over and len(gone(known, tables[0])) > len(known.placements()) / 2:
            # The game is over and the table is being cleared.
            return "settled"
        if self._misread(reading, known, t):
            return "unsure"
        return self._changed(tables, reading, settled, t, picture)

    def _as_accepted(self, reading: Reading, t: float) -> None:
        del reading
        self._begun = True
        self._since.clear()
        self._drop_questions("tile", "order", "hand")
        if self.pending:
            self._take_foul_back(t)

    def _misread(self, reading: Reading, known: Layout, t: float) -> bool:
        """Ask about tiles that look different though nobody has touched the table."""
        if self._touched or self.match.box.lattice == "hex":
            return False
        lying = contents(known)
        now = contents(reading.layouts[0])
        odd = [s for s in sorted(reading.changed) if s in lying and s in now]
        if not odd or len(odd) != len(reading.changed):
            return False
        for spot in odd:
            if self._waited(("misread", spot), t, self.settings.ask_after_s):
                tiles = [now[spot], lying[spot]]
                self._ask_tile(spot, [(content, 0.5) for content in tiles], t)
        return True

    def _changed(
        self, tables: list[Layout], reading: Reading, settled: Settled, t: float, picture: Picture
    ) -> Standing:
        match = self.match
        if not self._begun and self._maybe_join(tables[0], t, least=JOINED_FROM):
            return "unsure"
        undo = self._undone_by(tables[0])
        if self._needs_roll() and not undo:
            # Nobody has told the roll yet: the card waits for it.
            return "unsure"
        answers = [explain(match.game, match.position, table) for table in tables]
        rows = [row for answer in answers for row in answer.rows]
        if rows:
            return self._legal(rows, tables, undo, t, picture)
        if undo:
            return self._undo(undo, t, picture)
        hands = [row for answer in answers for row in answer.asks_hand]
        if hands:
            self._ask_hand(hands[0], tables[0], t)
            return "unsure"
        return self._unexplained(answers, tables[0], reading, settled, t, picture)

    def _unexplained(
        self, answers: list[Explanation], table: Layout, reading: Reading, settled: Settled,
        t: float, picture: Picture,
    ) -> Standing:  # fmt: skip
        """Deal with a table that no legal moves lead to."""
        if self._after_told_roll(table, t, picture):
            return "settled"
        if self._instead(table, reading, settled, t, picture):
            return "settled"
        if self._maybe_join(table, t):
            return "unsure"
        fouls = [foul for answer in answers for foul in answer.fouls]
        if fouls and not gone(self.match.layout, table, fouls[0]):
            return self._foul(fouls[0], table, reading, settled, t, picture)
        return self._puzzled(table, reading, t)

    def _legal(
        self, rows: list[Row], tables: list[Layout], undo: int, t: float, picture: Picture
    ) -> Standing:
        table = tables[0]
        row = self._chosen.get(key(table)) or (rows[0] if len(rows) == 1 and not undo else None)
        if row is None and not undo and differ_by_drill(rows):
            # Clay that tells the moves apart may be laid a moment later; without any there is
            # no drill.
            if not self._waited(("clay", key(table)), t, self.settings.clay_s):
                return "unsure"
            row = min(rows, key=lambda row: sum(m.origin is not None for m in row.moves))
        if row is None and not undo and differ_by_player(rows):
            # Where rolls are on trust nobody knows who laid a card: most likely the snake's owner.
            row = next((r for r in rows if all(m.player == m.snake for m in r.moves)), rows[0])
        if row is None:
            self._ask_order(rows, undo, table, t)
            return "unsure"
        if self.pending:
            self._take_foul_back(t)
        self._accept(row.moves, t, picture)
        return "settled"

    def _foul(
        self, foul: Foul, table: Layout, reading: Reading, settled: Settled, t: float,
        picture: Picture,
    ) -> Standing:  # fmt: skip
        if settled.looks < self.settings.looks_for_foul:
            return "settling"
        if reading.least_sure < self.settings.foul_at:
            # Better asked than accused: the tile may have been read wrong.
            if self._waited(("foul", key(table)), t, self.settings.ask_after_s):
                for spot in reading.changed & settled.sure.keys():
                    if settled.sure[spot][1] < self.settings.foul_at:
                        self._ask_tile(spot, [settled.sure[spot]], t)
            return "unsure"
        if self.pending:
            self._take_foul_back(t)
        if foul.before.moves:
            self._accept(foul.before.moves, t, picture)
        shot = picture()
        seq = self.match.foul(foul.move, foul.verdict.violations, t, self._picture, shot)
        self.pending = Pending(
            self.match.next_n, foul.move, foul.verdict.violations, table, seq
        )  # fmt: skip
        self._say(
            "verdict", t, n=self.pending.n, move=move_to_json(foul.move), legal=False,
            violations=[violation_to_json(v) for v in foul.verdict.violations], seq=seq,
        )  # fmt: skip
        return "settled"

    def _undone_by(self, table: Layout) -> int:
        """Return how many of the last moves must be undone to get a table; 0 for none."""
        match = self.match
        for count in range(1, len(match.accepted) + 1):
            lying = match.layouts[-1 - count]
            if same(lying, table):
                gone = len(match.layout.placements()) - len(lying.placements())
                return count if gone <= self.settings.most_taken_back else 0
        return 0

    def _instead(
        self, table: Layout, reading: Reading, settled: Settled, t: float, picture: Picture
    ) -> bool:
        """Find moves taken back with others laid in their place; say whether it was that."""
        match = self.match
        lifted = gone(match.layout, table)
        if not lifted:
            return False
        for count in range(1, min(len(match.accepted), 8) + 1):
            position = match.positions[-1 - count]
            if not gone(match.layouts[-1 - count], table):
                found = explain(match.game, position, table)
                if len(found.rows) == 1:
                    self._undo(count, t, lambda: None)
                    self._accept(found.rows[0].moves, t, picture)
                    return True
                if found.fouls and not found.rows and not found.fouls[0].before.moves:
                    if settled.looks < self.settings.looks_for_foul:
                        return False
                    if reading.least_sure >= self.settings.foul_at:
                        self._undo(count, t, lambda: None)
                        self._foul(found.fouls[0], table, reading, settled, t, picture)
                        return True
                return False
        return False

    def _late_clay(self, reading: Reading, settled: Settled, t: float, picture: Picture) -> None:
        """Put the last move right when clay shows that it was a drill after all."""
        match = self.match
        seen = settled.last.clay
        if not seen or not match.accepted or not self._several_boards():
            return
        del picture
        known = match.layout.clay
        last = match.accepted[-1].move
        if {(c.board, c.cell) for c in seen} == {(c.board, c.cell) for c in known}:
            return
        before = match.positions[-2]
        change = Change(
            replace(reading.layouts[0], pieces=newly_laid(before, match), clay=seen), Layout()
        )
        better = [
            move
            for move in match.game.readings(before, change)
            if match.game.judge(before, move).legal
            and clay_places(match, before, move) == {(c.board, c.cell) for c in seen}
        ]
        if len(better) == 1 and better[0] != last:
            n = len(match.accepted)
            for one in match.correct(n, better[0], t):
                self._verdict(n, one, t)
                n += 1
            self._go_on(t)

    def _doubtful(self, reading: Reading, t: float) -> None:
        groups: dict[object, list[Spot]] = {}
        for spot, belief in reading.doubts.items():
            if belief.why != "covered" and belief.guesses:
                # The cells of one hex tile are doubtful together.
                key = (spot[0], belief) if self.match.box.lattice == "hex" else spot
                groups.setdefault(key, []).append(spot)
        for spots in groups.values():
            first = min(spots)
            if self._waited(("doubt", first), t, self.settings.ask_after_s):
                self._ask_tile(first, reading.doubts[first].guesses[:4], t, sorted(spots))

    def _ask_tile(
        self, spot: Spot, guesses: Iterable[tuple[Content, float]], t: float,
        spots: Iterable[Spot] = (),
    ) -> None:  # fmt: skip
        listed = list(guesses)
        choices: dict[str, Content] = {}
        for content, _ in listed:
            choices.setdefault(content[0], content)
        shown = [[c[0], round(share, 3), *([c[1]] if c[1] else [])] for c, share in listed]
        self._ask("tile", ("tile", spot), shown, t, spot=spot, choices=choices, cells=tuple(spots))

    def _ask_order(self, rows: list[Row], undo: int, table: Layout, t: float) -> None:
        choices: dict[str, Any] = {str(i): row for i, row in enumerate(rows)}
        shown: list[Json] = [[move_to_json(move) for move in row.moves] for row in rows]
        if undo:
            choices[str(len(shown))] = undo
            shown.append("taken-back")
        about = "tile" if differ_by_tile(rows) else "order"
        self._ask(about, ("order", key(table)), shown, t, choices=choices,
                  cells=tuple(sorted(cells_of(rows))))  # fmt: skip

    def _ask_hand(self, row: Row, table: Layout, t: float) -> None:
        declares = any(move.declares for move in row.moves)
        words = ("no-own-tile", "own-tile") if declares else ("pass", "foul")
        choices = {words[0]: row, words[1]: None}
        self._ask("hand", ("hand", key(table)), list(choices), t, choices=choices,
                  cells=tuple(sorted(cells_of([row]))))  # fmt: skip

    def strange_table(self, look: Sighting, t: float) -> None:
        """Ask who is next on a table on which nothing lies as it is known."""
        if all(belief.sure for belief in look.beliefs.values()):
            settled = Settled(1, {s: (b.best, 1.0) for s, b in look.beliefs.items()}, last=look)
            opening = self.match.layouts[0]
            reading = read_settled(settled, opening, self.match.box, {}, self._several_boards())
            self._ask_next(reading.layouts[0], t)

    def _maybe_join(self, table: Layout, t: float, least: int = 2) -> bool:
        """Ask who is next when the first table is one from the middle of a game."""
        if self.match.accepted or self.match.start.midgame:
            return False
        laid = change_between(self.match.layout, table).laid.placements()
        if len(laid) < least:
            return False
        self.joining = True
        self._ask_next(table, t)
        return True

    def _ask_next(self, table: Layout, t: float) -> None:
        players = list(self.match.start.players)
        self._ask("next", ("next", key(table)), players, t, choices={"table": table})

    def _puzzled(self, table: Layout, reading: Reading, t: float) -> Standing:
        """Ask about a table that no moves explain, once it has lain so for a while."""
        if self._waited(("puzzled", key(table)), t, self.settings.puzzled_after_s):
            lifted = sorted(reading.changed - contents(table).keys())
            lying = contents(self.match.layout)
            if len(reading.changed) == 1 and lifted:
                spot = lifted[0]
                guesses = [[lying[spot][0], 0.5], ["none", 0.5]]
                self._ask("tile", ("gone", spot), guesses, t, spot=spot,
                          choices={lying[spot][0]: lying[spot]})  # fmt: skip
            else:
                self._ask_next(table, t)
        return "unsure"


__all__ = ["Event", "Question", "Referee", "RefereeSettings", "question_to_json"]

"""Explains settled tables: which moves lead there, which rule is broken, what must be asked.

A foul is announced only when every changed tile is sure; about unsure tiles the referee asks.
"""

from __future__ import annotations

from dataclasses import replace

from companion_app.games.entries import LaidInstead
from companion_app.live.asker import Asker
from companion_app.live.doubts import Picture, Standing, move_at
from companion_app.live.draft import Draft, Part
from companion_app.live.explain import Explanation, Foul, Row, explain, up_to_a_word
from companion_app.live.keeping import Keeper
from companion_app.live.likeness import (
    changed_spots,
    changes,
    clay_seen,
    differ_by_drill,
    differ_by_player,
    drill_shown,
    gone,
    key,
    last_laid,
    moves_seen,
    same,
)
from companion_app.live.machine import LaidOtherwise, MachineTurn
from companion_app.live.places import Spot, contents, hanging_on, spots_of
from companion_app.live.rolling import Rolls
from companion_app.live.settle import Settled
from companion_app.live.table import Reading, read_settled
from engine.placement import Layout
from engine.record import move_to_json

JOINED_FROM = 3
"""Number of tiles from which on the first table is a game in progress, not its first moves."""
SWAPS_TO_KNOW = 2
"""Tiles laid back as moves, as people have said, from which on they are known to play so."""


class Judge(Part):
    """Turns settled tables into moves, fouls and questions."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._keeper, self._asker, self._rolls = Keeper(draft), Asker(draft), Rolls(draft)
        self._looks = 0
        self._hand: str | None = None

    def look(self, settled: Settled, picture: Picture) -> Standing:
        """Judge a settled table; return how sure the referee is of it."""
        self._looks, self._hand = settled.looks, settled.hand
        self._rolls.see_die(settled)
        draft = self._draft
        seen = settled.sure.keys() | settled.doubts.keys()
        draft.change(reading=None, there=draft.doubts.there - seen)
        draft.doubts = draft.doubts.without_replaced(settled, contents(self._match.layout).keys())
        if hidden := self._covered_foul(settled):
            self._asker.ask_whether_lifted(hidden)
            return "unsure"
        reading = self._read(settled)
        draft.change(reading=reading)
        if reading.waiting:
            return "settling"
        if reading.doubts:
            self._asker.doubtful(reading, settled)
            return "unsure"
        if reading.loose <= self._doubts.strays:
            standing = self._judge_table(reading, settled, picture)
        else:
            self._asker.loose(reading.loose, settled)
            near = self._hanging_on_covered(reading, settled)
            standing = self._beside_covered(near, settled, picture) if near else "unsure"
        if standing == "settled":
            lying = contents(self._match.layout)
            read = {spot: content for spot, (content, _) in settled.sure.items()}
            draft.change(clear=frozenset(s for s, c in lying.items() if read.get(s) == c))
            if draft.doubts.touched:
                draft.change(touched=False, matched_s=self._t)
            self._rolls.try_rolls()
        return standing

    def _read(self, settled: Settled) -> Reading:
        """Return the layouts that looks, the known layout and people's answers allow."""
        return read_settled(
            settled,
            self._match.layout,
            self._match.box,
            self._doubts.answers,
            self._match.game.facts.several_boards,
            self._doubts.there,
            self._doubts.clear if self._doubts.touched else (),
        )

    def _covered_foul(self, settled: Settled) -> list[Spot]:
        """Return the spots of an announced foul's tile that seem to be covered."""
        if self._doubts.pending is None:
            return []
        laid = contents(self._doubts.pending.layout).keys() - contents(self._match.layout).keys()
        lifted = {spot for spot, told in self._doubts.answers.items() if told is None}
        return sorted(settled.covered & (laid - lifted))

    def _judge_table(self, reading: Reading, settled: Settled, picture: Picture) -> Standing:
        known = self._match.layout
        tables = [layout for layout in reading.layouts if not same(layout, known)]
        if not tables:
            self._as_accepted()
            self._late_clay(reading)
            return "settled"
        if self._doubts.pending and any(
            same(table, self._doubts.pending.layout) for table in tables
        ):
            return self._clay_came(tables, picture) or "settled"
        if self._doubts.waived is not None and any(
            same(table, self._doubts.waived) for table in tables
        ):
            return "unsure"
        if self._doubts.over and len(gone(known, tables[0])) > len(known.placements()) / 2:
            # The game is over and the table is being cleared.
            return "settled"
        if self._misread(reading, tables):
            return "unsure"
        return self._changed(tables, reading, settled, picture)

    def _as_accepted(self) -> None:
        self._draft.change(begun=True, waived=None, since={})
        self._draft.withdraw_about_the_table()
        if self._doubts.pending:
            self._keeper.take_foul_back()
        if self._doubts.otherwise is not None:
            self._draft.change(otherwise=None)
            self._draft.say("machine")

    def _misread(self, reading: Reading, tables: list[Layout]) -> bool:
        """Ask about tiles that look different though nobody has touched the table."""
        if self._doubts.touched or self._match.box.lattice == "hex":
            return False
        lying = contents(self._match.layout)
        now = contents(reading.layouts[0])
        odd = [s for s in sorted(reading.changed) if s in lying and s in now]
        if not odd or len(odd) != len(reading.changed):
            return False
        if self._t - self._doubts.matched_s < self._draft.settings.ask_after_s and any(
            explain(self._match.game, self._match.position, table).rows for table in tables
        ):
            # The first look after a hand took a tile for the one that it replaces.
            self._draft.change(touched=True)
            return False
        for spot in odd:
            if self._draft.waited(("misread", spot), self._draft.settings.ask_after_s):
                tiles = [now[spot], lying[spot]]
                self._asker.ask_tile(spot, [(content, 0.5) for content in tiles])
        return True

    def _changed(
        self, tables: list[Layout], reading: Reading, settled: Settled, picture: Picture
    ) -> Standing:
        match = self._match
        if not self._doubts.begun and self._asker.maybe_join(tables[0], settled, JOINED_FROM):
            return "unsure"
        undo = self._undone_by(tables[0])
        if self._draft.needs_roll() and not undo:
            # The roll is not known yet: a new card must wait for it, a card laid again need not.
            return self._instead(tables[0], reading, settled, picture) or "unsure"
        answers = [explain(match.game, match.position, table) for table in tables]
        rows = [row for answer in answers for row in answer.rows]
        if rows:
            several = moves_seen(match.layouts[-1 - undo :]) > 1
            long_ago = undo > len(match.start.players) + 1
            if (several or long_ago) and not self._restores_several(tables[0]):
                # Only one tile changed, yet undone would be several visible moves, or a whole
                # round of passes: it is a new move.
                undo = 0
            anew = None
            if not undo and self._is_turned_on(tables[0]):
                anew = self._instead(tables[0], reading, settled, picture)
            return anew or self._legal(rows, tables, undo, picture)
        if undo:
            return self._keeper.undo(undo, picture)
        hands = [row for answer in answers for row in answer.asks_hand]
        if hands:
            self._asker.ask_hand(hands[0], tables[0])
            return "unsure"
        return self._unexplained(answers, tables[0], reading, settled, picture)

    def _unexplained(
        self,
        answers: list[Explanation],
        table: Layout,
        reading: Reading,
        settled: Settled,
        picture: Picture,
    ) -> Standing:
        """Handle a table that no legal moves lead to."""
        if self._rolls.after_told_roll(table, picture):
            return "settled"
        standing = self._instead(table, reading, settled, picture)
        if standing is not None:
            return standing
        if self._asker.maybe_join(table, settled):
            return "unsure"
        if near := self._hanging_on_covered(reading, settled):
            return self._beside_covered(near, settled, picture)
        fouls = [foul for answer in answers for foul in answer.fouls]
        if fouls and not gone(self._match.layout, table, fouls[0]):
            return self._foul(fouls[0], table, reading, settled, picture)
        return self._but_for_missed(table, picture) or self._asker.puzzled(table, reading)

    def _but_for_missed(self, table: Layout, picture: Picture) -> Standing | None:
        """Accept the only legal moves that lead to a table on which known tiles are not seen.

        What stands in front of a tile may look like the bare table. The tiles stay known, and are
        asked about afterwards; ``None`` if that explains nothing.
        """
        match = self._match
        lying, now = contents(match.layout), contents(table)
        missed = lying.keys() - now.keys()
        if not missed or match.box.lattice == "hex":
            return None
        hidden = {card for card in match.layout.cards if not missed.isdisjoint(spots_of(card))}
        whole = replace(table, cards=table.cards | hidden)
        if same(whole, match.layout):
            return None
        found = explain(match.game, match.position, whole)
        return self._legal(list(found.rows), [whole], 0, picture) if len(found.rows) == 1 else None

    def _hanging_on_covered(self, reading: Reading, settled: Settled) -> frozenset[Spot]:
        """Return the changed spots that are connected to a covered tile."""
        lying = contents(self._match.layout).keys()
        return hanging_on(reading.changed, settled.covered & lying)

    def _beside_covered(
        self, near: frozenset[Spot], settled: Settled, picture: Picture
    ) -> Standing:
        """Accept moves away from covered tiles; no foul is called on a half-covered place.

        A change next to a covered tile may be part of the covering object, so it waits until
        that object is taken away.
        """
        seen = {spot: what for spot, what in settled.sure.items() if spot not in near}
        covered = settled.covered | near
        clear = replace(settled, sure=seen, covered=covered)
        known = self._match.layout
        reading = self._read(clear)
        tables = [layout for layout in reading.layouts if not same(layout, known)]
        if not tables or not reading.loose <= self._doubts.strays:
            return "unsure"
        found = [explain(self._match.game, self._match.position, table) for table in tables]
        rows = [row for answer in found for row in answer.rows]
        return self._legal(rows, tables, 0, picture) if len(rows) == 1 else "unsure"

    def _legal(
        self, rows: list[Row], tables: list[Layout], undo: int, picture: Picture
    ) -> Standing:
        table = tables[0]
        row = self._doubts.chosen.get((len(self._match.accepted), key(table)))
        if row not in rows:
            if undo and self._is_taken_back(rows, undo):
                return self._keeper.undo(undo, picture)
            is_known = changes(self._match.layout, table) <= self._doubts.laid_back
            is_plain = not undo or is_known or self._is_swap_as_before(rows[0], undo)
            row = rows[0] if len(rows) == 1 and is_plain else None
        if row is None and not undo:
            row = self._as_the_machine_wants(rows)
        if row is None and not undo and differ_by_drill(rows):
            # The clay that marks a drill may be laid a moment later: wait for it, and take the
            # move as no drill if none comes.
            if not self._draft.waited(("clay", key(table)), self._draft.settings.clay_s):
                return "unsure"
            row = min(rows, key=lambda row: sum(m.origin is not None for m in row.moves))
        if row is None and not undo and differ_by_player(rows):
            # Without known rolls nobody can tell who laid a card: most likely the snake's owner.
            row = min(rows, key=lambda row: sum(m.player != m.snake for m in row.moves))
        if row is None and undo and self._restores_several(table):
            # Several changed places that restore an earlier table are an undo, not moves.
            return self._keeper.undo(undo, picture)
        if row is None:
            self._asker.ask_order(rows, undo, table)
            return "unsure"
        if self._doubts.pending:
            self._keeper.take_foul_back()
        if self._is_otherwise(row, table, picture):
            return "settled"
        self._keeper.accept(row.moves, picture)
        return "settled"

    def _is_swap_as_before(self, row: Row, undo: int) -> bool:
        """Say whether people have called such swaps moves, and this one is by the mover's hand.

        Whose hand it was is of no account where turn and points are as if it were undone.
        """
        now, before = row.position, self._match.positions[-1 - undo]
        outcome = self._match.game.outcome
        alike = now.to_move == before.to_move and outcome(now) == outcome(before)
        own = self._hand == row.moves[-1].player not in self._undone_players(undo)
        return (alike or own) and len(self._doubts.laid_back) >= SWAPS_TO_KNOW

    def _is_taken_back(self, rows: list[Row], undo: int) -> bool:
        """Say whether the hand that has laid tiles has lifted them, which is not to move now."""
        is_next = any(row.moves[-1].player == self._hand for row in rows)
        return not is_next and self._undone_players(undo) == {self._hand}

    def _undone_players(self, undo: int) -> set[str | None]:
        """Return the players of the last moves that have laid tiles."""
        undone = self._match.accepted[-undo:]
        return {one.move.player for one in undone if one.move.tile is not None}

    # --- the machine's move ----------------------------------------------------------------

    def _machines_turn(self) -> MachineTurn | None:
        """Return the machine's turn if it is for the current position, else ``None``."""
        turn = self._doubts.machine
        return turn if turn is not None and turn.position is self._match.position else None

    def _as_the_machine_wants(self, rows: list[Row]) -> Row | None:
        """Return the machine's chosen move from rows that lead to the same table."""
        turn = self._machines_turn()
        return next((row for row in rows if turn and row.moves == (turn.move,)), None)

    def _is_otherwise(self, row: Row, table: Layout, picture: Picture) -> bool:
        """Say whether a row differs from the machine's move; announce the right place once."""
        turn = self._machines_turn()
        if turn is None or row.moves[0].player != turn.player:
            return False
        if turn.move is None:
            # The machine still thinks: people may not choose its move.
            return True
        match = self._match
        if same(match.after(row.moves[0]), match.after(turn.move)):
            return False
        before = self._doubts.otherwise
        if before is not None and same(before.layout, table):
            return True
        if self._looks >= self._draft.settings.looks_for_foul:
            laid = [move_to_json(move) for move in row.moves]
            belongs = move_to_json(turn.move)
            match.note(LaidInstead(laid, belongs, self._t))
            self._draft.change(otherwise=LaidOtherwise(row, table, picture()))
            self._draft.say("machine", player=turn.player, laid=laid[0], belongs=belongs)
        return True

    def _foul(
        self,
        foul: Foul,
        table: Layout,
        reading: Reading,
        settled: Settled,
        picture: Picture,
    ) -> Standing:
        if settled.looks < self._draft.settings.looks_for_foul:
            return "settling"
        # The rule "none-left" means a misread: nobody can lay more tiles than the box has.
        unheard_of = any(broken.rule.id == "none-left" for broken in foul.verdict.violations)
        if unheard_of or not self._is_sure(reading, settled):
            # The tile may be misread: ask instead of calling a foul.
            if self._draft.waited(("foul", key(table)), self._draft.settings.ask_after_s):
                spots = sorted(reading.changed & settled.sure.keys())
                # Hexes are read by their colour, the first part of a tile's name.
                tile, sure = str(foul.move.tile), settled.sure
                too_many = [s for s in spots if unheard_of and tile.startswith(sure[s][0][0])]
                for spot in too_many or spots:
                    if unheard_of or sure[spot][1] < self._draft.settings.foul_at:
                        self._asker.ask_tile(spot, [sure[spot]])
            return "unsure"
        if up_to_a_word(self._match.game, self._match.position, foul.before):
            self._asker.ask_hand(foul.before, table)
            return "unsure"
        if self._doubts.pending:
            self._keeper.take_foul_back()
        if foul.before.moves:
            if self._is_otherwise(foul.before, table, picture):
                return "settled"
            self._keeper.accept(foul.before.moves, picture)
        shot = picture()
        self._keeper.call_foul(foul.move, foul.verdict.violations, table, shot)
        return "settled"

    def _clay_came(self, tables: list[Layout], picture: Picture) -> Standing | None:
        """Accept an announced foul if new clay shows that it is a drill; else return ``None``."""
        assert self._doubts.pending is not None
        if clay_seen(tables[0]) <= clay_seen(self._doubts.pending.layout):
            return None
        answers = [explain(self._match.game, self._match.position, table) for table in tables]
        rows = [row for answer in answers for row in answer.rows]
        return self._legal(rows, tables, 0, picture) if len(rows) == 1 else None

    def _undone_by(self, table: Layout) -> int:
        """Return how many of the last moves must be undone to get a table; 0 for none."""
        match = self._match
        for count in range(1, len(match.accepted) + 1):
            lying = match.layouts[-1 - count]
            if same(lying, table):
                gone = len(match.layout.placements()) - len(lying.placements())
                return count if gone <= self._draft.settings.most_taken_back else 0
        return 0

    def _restores_several(self, table: Layout) -> bool:
        """Say whether more than one spot of a table differs from the known layout."""
        return len(changed_spots(self._match.layout, table)) > 1

    def _is_turned_on(self, table: Layout) -> bool:
        """Say whether the only change is that the card laid last was turned.

        A rule may let the next player replace it by the same tile, but far more often players
        turn their own card.
        """
        changed = changed_spots(self._match.layout, table)
        if [move_at(self._match.now, spot) for spot in changed] != [len(self._match.accepted)]:
            return False
        (spot,) = changed
        before, after = contents(self._match.layout).get(spot), contents(table).get(spot)
        return before is not None and after is not None and before[0] == after[0]

    def _instead(
        self, table: Layout, reading: Reading, settled: Settled, picture: Picture
    ) -> Standing | None:
        """Handle moves that were taken back and replaced; ``None`` if that is not the case."""
        match = self._match
        lying, now = contents(match.layout), contents(table)
        if all(now.get(spot) == content for spot, content in lying.items()):
            return None
        # Without a new tile there is nothing that could be a foul.
        is_new = any(lying.get(spot) != content for spot, content in now.items())
        is_sure = is_new and self._is_sure(reading, settled)
        if last_laid(match.layouts) & set(table.placements()):
            # The last move still lies there, so no move was taken back: an older tile changed.
            return None
        for count in range(1, min(len(match.accepted), 8) + 1):
            before = contents(match.layouts[-1 - count])
            if any(now.get(spot) != content for spot, content in before.items()):
                continue
            found = explain(match.game, match.positions[-1 - count], table)
            if found.rows:
                self._keeper.undo(count, lambda: None)
                return self._legal(list(found.rows), [table], 0, picture)
            if is_sure and found.fouls and not found.fouls[0].before.moves:
                self._keeper.undo(count, lambda: None)
                return self._foul(found.fouls[0], table, reading, settled, picture)
            return None
        return None

    def _is_sure(self, reading: Reading, settled: Settled) -> bool:
        """Say whether the looks are confident and numerous enough to call a foul."""
        return (
            settled.looks >= self._draft.settings.looks_for_foul
            and reading.least_sure >= self._draft.settings.foul_at
        )

    def _late_clay(self, reading: Reading) -> None:
        """Correct the last tile if clay shows now that it was a drill."""
        if not self._match.accepted or not self._match.game.facts.several_boards:
            return
        shown = drill_shown(self._match, reading.layouts[0])
        if shown is not None:
            n, drilled = shown
            # Passes of stuck players after it are made anew, if they are still stuck.
            last = len(self._match.accepted)
            for number in range(last, n, -1):
                self._match.take_back(1, None, self._t)
                self._draft.say("taken-back", n=number)
            (one,) = self._match.correct(n, drilled, self._t)
            self._draft.say_verdict(n, one)
            self._keeper.go_on()

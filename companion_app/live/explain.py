"""Explains the difference of two tables: every row of moves that leads from one to the other.

Several moves may pass unseen while people lean over the table. Each changed place is one action,
and all orders of the actions that the rules allow are tried. Moves that leave no trace (a pass,
the announcement of the last round) are assumed where the rules allow them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from companion_app.live.places import Spot, spots_of
from engine.game import AnyGame, Change, Move, Verdict
from engine.infer import change_between
from engine.placement import Clay, Layout, Piece, Placement

MOST_ACTIONS = 5
"""Most changed places that are explained; with more, the order is not guessed but asked about."""
MOST_ROWS = 12
"""Most rows of moves that are searched; two or more are asked about anyway."""


@dataclass(frozen=True, slots=True)
class Row:
    """Moves in order, and the position that they lead to."""

    moves: tuple[Move, ...]
    position: Any


@dataclass(frozen=True, slots=True)
class Foul:
    """A legal row of moves, then one that breaks a rule."""

    before: Row
    move: Move
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Explanation:
    """The possible explanations of a changed table."""

    rows: tuple[Row, ...] = ()
    """Legal rows of moves that lead to the table."""
    fouls: tuple[Foul, ...] = ()
    """Fouls, each after as many legal moves as possible; only if there is no legal row."""
    asks_hand: tuple[Row, ...] = ()
    """Rows that are legal only if a player confirms a pass, or that they hold no own tile."""


def explain(game: AnyGame, position: Any, after: Layout) -> Explanation:
    """Return the moves that may have turned a position into a layout."""
    before = game.layout(position)
    change = change_between(before, after)
    actions = _actions(change)
    if not actions or len(actions) > MOST_ACTIONS:
        return Explanation()
    # Clay in a cell that already had clay was only moved or misread: it marks no new drill.
    marked = {(clay.board, clay.cell) for clay in before.clay}
    fresh = frozenset(c for c in change.laid.clay if (c.board, c.cell) not in marked)
    search = _Search(game, after, fresh)
    rows = search.rows(position, actions)
    silent = [row for row in rows if up_to_a_word(game, position, row) is None]
    if silent:
        return Explanation(tuple(_alike_once(game, silent)))
    if rows:
        return Explanation(asks_hand=tuple(_alike_once(game, rows)))
    return Explanation(fouls=tuple(search.fouls(position, actions)))


def up_to_a_word(game: AnyGame, position: Any, row: Row) -> Row | None:
    """Return the beginning of a row, up to the first tile that only a player's word explains.

    It assumes what only a player knows: a hand, or a pass by choice. That matters most for a pass
    in Carnival's last round, which is final. ``None`` if the row assumes nothing.
    """
    assumes = False
    for number, move in enumerate(row.moves, start=1):
        forced = move.do != "pass" or [m.do for m in game.legal_moves(position)] == ["pass"]
        assumes = assumes or bool(move.declares) or not forced
        position = game.apply(position, move)
        if assumes and move.tile is not None:
            return Row(row.moves[:number], position)
    return None


def _actions(change: Change) -> list[Change]:
    """Split a change into actions, one for each changed place."""
    groups: dict[tuple[Spot, ...], list[tuple[bool, Placement | Piece]]] = {}
    for laid, layout in ((True, change.laid), (False, change.lifted)):
        for placed in layout.placements():
            if not isinstance(placed, Clay):
                groups.setdefault(spots_of(placed), []).append((laid, placed))
    return [
        Change(
            Layout.of(*(placed for laid, placed in group if laid)),
            Layout.of(*(placed for laid, placed in group if not laid)),
        )
        for group in groups.values()
    ]


@dataclass
class _Search:
    game: AnyGame
    after: Layout
    clay: frozenset[Clay]

    def rows(self, position: Any, actions: list[Change]) -> list[Row]:
        return list(islice(self._orders(position, actions, ()), MOST_ROWS))

    def _orders(
        self, position: Any, actions: list[Change], done: tuple[Move, ...]
    ) -> Iterator[Row]:
        if not actions:
            yield Row(done, position)
            return
        for number, action in enumerate(actions):
            rest = actions[:number] + actions[number + 1 :]
            for row in self.one(position, action):
                yield from self._orders(row.position, rest, done + row.moves)

    def one(self, position: Any, action: Change) -> Iterator[Row]:
        """Yield the legal ways to do one action, including silent moves before it.

        The search ends with the first row of silent moves after which the action is legal.
        """
        for silent, reached in self._silences(position):
            legal = [m for m in self._readings(reached, action) if self._fits(reached, m, action)]
            plain = [move for move in legal if not move.declares]
            for move in plain or legal:
                yield Row((*silent, move), self.game.apply(reached, move))
            if legal:
                return

    def _readings(self, position: Any, action: Change) -> list[Move]:
        with_clay = replace(action, laid=replace(action.laid, clay=self.clay))
        return self.game.readings(position, with_clay)

    def _fits(self, position: Any, move: Move, action: Change) -> bool:
        if not self.game.judge(position, move).legal:
            return False
        made = change_between(
            self.game.layout(position), self.game.layout(self.game.apply(position, move))
        )
        return made.laid.cards == action.laid.cards and made.laid.pieces == action.laid.pieces

    def _silences(self, position: Any) -> Iterator[tuple[tuple[Move, ...], Any]]:
        """Yield rows of moves that leave no trace on the table, with the positions they lead to."""
        yield (), position
        game, hidden, reached = self.game, self.game.facts.hidden, position
        moves: tuple[Move, ...] = ()
        for _ in range(len(position.players)):
            passing = Move(reached.to_move, "pass")
            forced = [move.do for move in game.legal_moves(reached)] == ["pass"]
            if "finale" in game.facts.actions:
                announcing = Move(reached.to_move, "finale")
                if game.judge(reached, announcing).legal:
                    last = game.apply(reached, announcing)
                    yield (*moves, announcing), last
                    yield from self._passes(last, (*moves, announcing))
            if not (forced or hidden) or not game.judge(reached, passing).legal:
                return
            reached = game.apply(reached, passing)
            moves = (*moves, passing)
            yield moves, reached

    def _passes(
        self, position: Any, moves: tuple[Move, ...]
    ) -> Iterator[tuple[tuple[Move, ...], Any]]:
        for _ in range(len(position.players) - 1):
            passing = Move(position.to_move, "pass")
            if not self.game.judge(position, passing).legal:
                return
            position = self.game.apply(position, passing)
            moves = (*moves, passing)
            yield moves, position

    # --- fouls -----------------------------------------------------------------------------

    def fouls(self, position: Any, actions: list[Change]) -> list[Foul]:
        """Return the fouls after as many legal moves as possible, likeliest first."""
        layer = [(Row((), position), actions)]
        deepest = layer
        while layer:
            deepest = layer
            layer = [
                (Row(row.moves + more.moves, more.position), left[:i] + left[i + 1 :])
                for row, left in layer
                for i, action in enumerate(left)
                for more in self.one(row.position, action)
            ][:MOST_ROWS]
        found = [foul for row, left in deepest for foul in self._wrong(row, left)]
        # A foul of the player to move is likelier than one of a player whose turn it is not.
        found.sort(
            key=lambda foul: (
                foul.move.player != foul.before.position.to_move,
                len(foul.verdict.violations),
            )
        )
        return list({foul.move: foul for foul in reversed(found)}.values())[::-1]

    def _wrong(self, row: Row, left: list[Change]) -> Iterator[Foul]:
        # Forced passes of players who cannot move come before the foul is judged.
        before = row
        for _ in range(0 if self.game.facts.hidden else len(row.position.players) - 1):
            listed = self.game.legal_moves(before.position)
            if [m.do for m in listed] != ["pass"]:
                break
            passed = self.game.apply(before.position, listed[0])
            before = Row((*before.moves, listed[0]), passed)
        for action in left:
            for move in self._readings(row.position, action):
                verdict = self.game.judge(before.position, move)
                if not verdict.legal:
                    yield Foul(before, move, verdict)


def _alike_once(game: AnyGame, rows: list[Row]) -> list[Row]:
    """Return rows with different outcomes; of equivalent rows the one with the fewest moves."""
    kept: dict[object, Row] = {}
    for row in sorted(rows, key=lambda row: len(row.moves)):
        outcome = game.outcome(row.position)
        laid = frozenset(
            (m.player, m.do, m.tile, m.at, m.cells, m.board, m.origin, m.to, m.snake)
            for m in row.moves
        )
        key = (row.position.to_move, tuple(outcome.scores.items()), outcome.over, laid)
        kept.setdefault(key, row)
    return list(kept.values())

"""What may have happened between two tables: every row of moves that leads from one to the other.

Goes further than one or two moves, since people lean over a table for a minute: each changed
place is one action, and the actions are put in every order that the rules allow. What nobody can
see (a pass, the announcement of the last round) is supposed where the rules let it be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from companion_app.live.places import Spot, spots_of
from engine.game import AnyGame, Change, Move, Verdict
from engine.infer import change_between
from engine.placement import Clay, Layout, Piece, Placement

MOST_ACTIONS = 5
"""More changed places than that are asked about: no order of them is anybody's guess."""
MOST_ROWS = 12
"""So many rows of moves are listed; more than one is asked about anyway."""


@dataclass(frozen=True, slots=True)
class Row:
    """Moves in order, and the position they lead to."""

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
    """What a change of the table may have been."""

    rows: tuple[Row, ...] = ()
    """Legal ones, all of them leading to the table."""
    fouls: tuple[Foul, ...] = ()
    """Only where there is no legal row: as much as is legal, then the foul."""
    asks_hand: tuple[Row, ...] = ()
    """Rows that are legal only if a player says that he holds no own tile, or that he passed."""


def explain(game: AnyGame, position: Any, after: Layout) -> Explanation:
    """Say how a position may have become a layout."""
    before = game.layout(position)
    change = change_between(before, after)
    actions = _actions(change)
    if not actions or len(actions) > MOST_ACTIONS:
        return Explanation()
    # Clay that lies where some lay before was put down otherwise, or is read so: no drill is new.
    marked = {(clay.board, clay.cell) for clay in before.clay}
    fresh = frozenset(c for c in change.laid.clay if (c.board, c.cell) not in marked)
    search = _Search(game, after, fresh)
    rows = search.rows(position, actions)
    silent = [row for row in rows if not _needs_a_word(game, position, row)]
    if silent:
        return Explanation(tuple(_alike_once(game, silent)))
    if rows:
        return Explanation(asks_hand=tuple(_alike_once(game, rows)))
    return Explanation(fouls=tuple(search.fouls(position, actions)))


def _needs_a_word(game: AnyGame, position: Any, row: Row) -> bool:
    """Say whether a row supposes what only a player knows: his hand, or that he passed by choice.

    A pass of Carnival's last round most of all: it is final.
    """
    for move in row.moves:
        if move.declares or (
            move.do == "pass" and [listed.do for listed in game.legal_moves(position)] != ["pass"]
        ):
            return True
        position = game.apply(position, move)
    return False


def _actions(change: Change) -> list[Change]:
    """Return the changed places, each as a change of its own."""
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
        found: list[Row] = []
        for row in self._orders(position, actions, ()):
            found.append(row)
            if len(found) >= MOST_ROWS:
                break
        return found

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
        """Yield the legal ways to do one action, silent moves before it included.

        Fewer silent moves are always likelier than more, so only the fewest are yielded.
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
        made = change_between(self.game.layout(position),
                              self.game.layout(self.game.apply(position, move)))  # fmt: skip
        return made.laid.cards == action.laid.cards and made.laid.pieces == action.laid.pieces

    def _silences(self, position: Any) -> Iterator[tuple[tuple[Move, ...], Any]]:
        """Yield the rows of moves that leave no trace on the table, the shortest first."""
        yield (), position
        game, silent, reached = self.game, (), position
        hidden = game.facts.hidden
        moves: tuple[Move, ...] = silent
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
        """Return the fouls after as many legal moves as possible, the likeliest first."""
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
        # Whoever's turn it is acted first: his foul comes before what others did after it.
        found.sort(key=lambda foul: (foul.move.player != foul.before.position.to_move,
                                     len(foul.verdict.violations)))  # fmt: skip
        return list({foul.move: foul for foul in reversed(found)}.values())[::-1]

    def _wrong(self, row: Row, left: list[Change]) -> Iterator[Foul]:
        for action in left:
            for move in self._readings(row.position, action):
                # A move that stuck players' passes come before is judged after them.
                position = row.position
                passes: tuple[Move, ...] = ()
                if not self.game.facts.hidden:
                    for _ in range(len(position.players) - 1):
                        listed = self.game.legal_moves(position)
                        if [m.do for m in listed] != ["pass"]:
                            break
                        passes = (*passes, listed[0])
                        position = self.game.apply(position, listed[0])
                verdict = self.game.judge(position, move)
                if not verdict.legal:
                    yield Foul(Row(row.moves + passes, position), move, verdict)


def _alike_once(game: AnyGame, rows: list[Row]) -> list[Row]:
    """Return rows that lead to different games; of equal ones the first with fewest moves."""
    kept: dict[object, Row] = {}
    for row in sorted(rows, key=lambda row: len(row.moves)):
        outcome = game.outcome(row.position)
        laid = frozenset((m.player, m.do, m.tile, m.at, m.cells, m.board, m.origin, m.to, m.snake)
                         for m in row.moves)  # fmt: skip
        key = (row.position.to_move, tuple(outcome.scores.items()), outcome.over, laid)
        kept.setdefault(key, row)
    return list(kept.values())

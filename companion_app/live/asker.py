"""Asks players about unsure tiles, the order of moves, hands, who is next; each question once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion_app.live.doubts import Standing
from companion_app.live.draft import Part
from companion_app.live.explain import Row, up_to_a_word
from companion_app.live.likeness import cells_of, differ_by_tile, key
from companion_app.live.places import (
    NOBODY_KNOWS,
    Content,
    Sighting,
    Spot,
    beside,
    contents,
    spots_of,
)
from companion_app.live.questions import HALF_HIDDEN, is_half_hidden
from companion_app.live.settle import Settled
from companion_app.live.table import Reading, read_settled
from engine.game import Json
from engine.infer import change_between
from engine.placement import Layout
from engine.record import move_to_json


class Asker(Part):
    """Asks players what the camera cannot decide."""

    def doubtful(self, reading: Reading, settled: Settled) -> None:
        """Ask about tiles that have stayed unsure for a while."""
        groups: dict[object, list[Spot]] = {}
        for spot, belief in reading.doubts.items():
            if belief.why != "covered" and belief.guesses:
                # The cells of one hex tile share one belief and are asked about together.
                key = (spot[0], belief) if self._match.box.lattice == "hex" else spot
                groups.setdefault(key, []).append(spot)
        for spots in groups.values():
            first = min(spots)
            # If every look has the same single guess at a card, waiting will not help.
            steady = self._match.box.lattice == "square" and first in settled.steady
            wait_s = 0.0 if steady else self._draft.settings.ask_after_s
            if self._draft.waited(("doubt", first), wait_s):
                self.ask_tile(first, reading.doubts[first].guesses[:4], sorted(spots))

    def loose(self, loose: frozenset[Spot], settled: Settled) -> None:
        """Ask about hex cells that fit no tile, unless they lie next to something covered."""
        hidden = settled.covered | {s for s, b in settled.doubts.items() if b.why == "covered"}
        if beside(loose, hidden) or any(spot in self._doubts.answers for spot in loose):
            return
        if self._draft.waited(("loose", loose), self._draft.settings.ask_after_s):
            first = min(loose)
            content = settled.sure[first][0] if first in settled.sure else NOBODY_KNOWS
            guesses = [[content[0], 0.5], ["none", 0.5]]
            self._draft.ask(
                "tile",
                ("loose", loose),
                guesses,
                spot=first,
                choices={content[0]: content},
                cells=tuple(sorted(loose)),
            )

    def ask_tile(
        self,
        spot: Spot,
        guesses: Iterable[tuple[Content, float]],
        spots: Iterable[Spot] = (),
    ) -> None:
        """Ask which tile lies in a spot; ``spots`` are all the spots that the tile fills."""
        listed = list(guesses)
        choices: dict[str, Content] = {}
        for content, _ in listed:
            choices.setdefault(content[0], content)
        shown = [_guess(content, share) for content, share in listed]
        self._draft.ask(
            "tile", ("tile", spot), shown, spot=spot, choices=choices, cells=tuple(spots)
        )

    def ask_order(self, rows: list[Row], undo: int, table: Layout) -> None:
        """Ask which moves have led to a table, or whether some were taken back."""
        choices: dict[str, Any] = {str(i): row for i, row in enumerate(rows)}
        shown: list[Json] = [[move_to_json(move) for move in row.moves] for row in rows]
        if undo:
            choices[str(len(shown))] = undo
            shown.append("taken-back")
        about = "tile" if differ_by_tile(rows) else "order"
        self._draft.ask(
            about,
            ("order", key(table)),
            shown,
            choices=choices,
            cells=tuple(sorted(cells_of(rows))),
        )

    def ask_hand(self, row: Row, table: Layout) -> None:
        """Ask about a player's hand, or whether players passed, if a row of moves depends on it.

        One word is asked for at a time: the rest of the row is explained after the answer.
        """
        told = up_to_a_word(self._match.game, self._match.position, row)
        assert told is not None
        words = ("no-own-tile", "own-tile") if told.moves[-1].declares else ("pass", "foul")
        choices = {words[0]: told, words[1]: table}
        self._draft.ask(
            "hand",
            ("hand", key(table)),
            list(choices),
            choices=choices,
            cells=tuple(sorted(cells_of([told]))),
        )

    def ask_whether_lifted(self, hidden: list[Spot]) -> None:
        """Ask once whether the tile of a foul that stays covered has been lifted."""
        assert self._doubts.pending is not None
        spot = hidden[0]
        if spot not in self._doubts.answers and self._draft.waited(
            ("lifted", spot), self._draft.settings.puzzled_after_s
        ):
            self._ask_whether_there(spot, contents(self._doubts.pending.layout)[spot], hidden)

    def strange_table(self, look: Sighting) -> None:
        """Ask who is next on a table that does not match the known layout."""
        if all(belief.sure for belief in look.beliefs.values()):
            settled = Settled(1, {s: (b.best, 1.0) for s, b in look.beliefs.items()}, last=look)
            opening = self._match.layouts[0]
            reading = read_settled(
                settled,
                opening,
                self._match.box,
                {},
                self._match.game.facts.several_boards,
            )
            self._ask_next(reading.layouts[0])
        self._draft.withdraw_stale()

    def maybe_join(self, table: Layout, settled: Settled, least: int = 2) -> bool:
        """Ask who is next if the first table is a game in progress; return whether it is."""
        if self._match.accepted or self._match.start.midgame:
            return False
        laid = change_between(self._match.layout, table).laid.placements()
        if len(laid) < least:
            return False
        if not self._half_hidden(settled):
            self._ask_next(table)
        return True

    def _half_hidden(self, settled: Settled) -> bool:
        """Ask about half-covered tiles of a first table; return whether there are any.

        The hidden length of a tile under a cup is unknown, so the game waits until the cup is
        taken away or somebody says that all of the tile is in view.
        """
        look = settled.last
        hidden = {
            piece: frozenset(spots_of(piece))
            for piece in sorted(look.pieces)
            if not look.half_hidden.isdisjoint(spots_of(piece))
        }
        hidden = {
            piece: spots for piece, spots in hidden.items() if not spots <= self._doubts.whole
        }
        keys = {(HALF_HIDDEN, spots) for spots in hidden.values()}
        asked = filter(is_half_hidden, self._doubts.questions.values())
        self._draft.withdraw(question for question in asked if question.key not in keys)
        for piece, spots in hidden.items():
            if self._draft.waited((HALF_HIDDEN, spots), self._draft.settings.ask_after_s):
                self._draft.ask(
                    "tile",
                    (HALF_HIDDEN, spots),
                    [[piece.tile, 0.5]],
                    spot=min(spots),
                    cells=tuple(sorted(spots)),
                    choices={"hidden": True},
                )
        return bool(hidden)

    def _ask_next(self, table: Layout) -> None:
        players = list(self._match.start.players)
        self._draft.ask("next", ("next", key(table)), players, choices={"table": table})

    def puzzled(self, table: Layout, reading: Reading) -> Standing:
        """Ask about a table that no moves explain, once it has stayed for a while."""
        if self._draft.waited(("puzzled", key(table)), self._draft.settings.puzzled_after_s):
            lifted = sorted(reading.changed - contents(table).keys())
            lying = contents(self._match.layout)
            told_gone = {spot for spot, told in self._doubts.answers.items() if told is None}
            if len(reading.changed) == 1 and lifted and lifted[0] not in told_gone:
                self._ask_whether_there(lifted[0], lying[lifted[0]], ())
            else:
                self._ask_next(table)
        return "unsure"

    def _ask_whether_there(self, spot: Spot, content: Content, cells: Iterable[Spot]) -> None:
        guesses = [_guess(content, 0.5), ["none", 0.5]]
        self._draft.ask(
            "tile",
            ("gone", spot),
            guesses,
            spot=spot,
            choices={content[0]: content},
            cells=tuple(cells),
        )


def _guess(content: Content, share: float) -> list[Json]:
    """Return a guess in the form of the interface; turns are left out where they are 0."""
    tile, turns = content
    return [tile, round(share, 3), *([turns] if turns else [])]

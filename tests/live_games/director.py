"""The director: lets a planned game happen at a table, and has the umpire check every step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from companion_app.live.places import spots_of
from engine.placement import Clay, Layout, Piece, Placement
from models.lab.scenes.games.positions import Played
from models.lab.scenes.world.arrays import Random
from tests.live_games.plan import Act
from tests.live_games.tables import Table
from tests.live_games.umpire import Umpire
from vision.core.types import Frame

PAUSE_S = 0.8
"""How long the table lies still after a move at least."""
PATIENCE_S = 3.5
"""How long people wait for the referee when it has said nothing yet."""
NO_FRAMES_S = 30.0
LEAN_S, LEAN_LONG_S = 6.0, 60.0


@dataclass
class Director:
    """Plays the acts of one game."""

    umpire: Umpire
    table: Table
    one: Played
    rng: Random
    long_lean: bool = False
    joined: bool = False
    """Whether the game is taken up in its middle."""

    def play(self, acts: list[Act]) -> None:
        """Play all of them."""
        self.show(self.table.quiet(1.2))
        if self.joined:
            self._join()
        for act in acts:
            self.umpire.begin_act()
            if act.what == "told":
                self.umpire.told(self.one.moves[act.number], self.table.now_s)
            elif act.what == "foul":
                self.foul(act)
            else:
                self.move(act)

    def _join(self) -> None:
        """Wait until the referee has asked who is next: nobody plays on before."""
        umpire = self.umpire
        self.wait_until(lambda: umpire.match.start.midgame or umpire.asks_for_room)
        if umpire.asks_for_room:
            self.show(self.table.clear_away())
            self.wait_until(lambda: umpire.match.start.midgame)
        umpire.check_joined()

    def show(self, frames: Iterator[Frame]) -> None:
        """Let the referee see what happens."""
        for frame in frames:
            self.umpire.frame(frame)

    def lay(self, act: Act, *layouts: Layout, nudge: bool = False) -> float:
        """Let a hand lay the table; return when it has left."""
        # Whoever made the last move lays on when the game is over.
        mover = self.one.moves[min(act.number, len(self.one.moves) - 1)].player
        player = self.one.players.index(mover)
        self.umpire.lying = layouts[-1]
        self.show(self.table.visit(layouts, player, nudge))
        return self.table.hand_left_s

    def wait_until(self, true: Callable[[], bool]) -> None:
        """Let the table lie still, and longer where the referee needs time.

        Whoever reads that the picture is too bright, or too dark, dims the lamp or turns it up.
        """
        self.show(self.table.quiet(PAUSE_S))
        self._wait_for(true)
        if not true() and (wrong := self.umpire.wrong_light) is not None:
            self.show(self.table.light("dim" if wrong == "too-bright" else "bright"))
            self._wait_for(true)

    def _wait_for(self, true: Callable[[], bool]) -> None:
        until_s = self.table.now_s + PATIENCE_S
        while not true() and self.table.now_s < until_s:
            self.show(self.table.quiet(0.3))

    def foul(self, act: Act) -> None:
        """Lay something illegal, then lift it again."""
        assert act.other is not None
        before = self.one.layouts[act.number]
        self.umpire.fouling = True
        left_s = self.lay(act, act.other)
        referee = self.umpire.loop.referee
        self.wait_until(lambda: referee.doubts.pending is not None)
        self.umpire.check_foul(act.rules, act.disturbance, [left_s])
        self.umpire.fouling = False
        self.lay(act, before)
        self.wait_until(lambda: referee.doubts.pending is None)
        self.umpire.check_as_before(act.disturbance)

    def move(self, act: Act) -> None:
        """Make a move, or two at once, with something that goes on beside it."""
        before, after = self.one.layouts[act.number], self.one.layouts[act.number + act.moves]
        kind = act.disturbance
        self._before(kind, before, after)
        wanted = len(self.umpire.match.accepted) + act.moves

        def done() -> bool:
            return len(self.umpire.match.accepted) >= wanted

        if act.other is not None:
            self.lay(act, act.other)
            self.wait_until(done)
        left_s = []
        if kind == "late-clay":
            # Where only a drill is possible, the verdict does not wait for the clay.
            left_s.append(self.lay(act, replace(after, clay=before.clay)))
            self.show(self.table.quiet(0.3))
        left_s.append(self.lay(act, after, nudge=kind == "nudge"))
        if self._spoil(kind):
            left_s.append(self.table.now_s)
        self.wait_until(done)
        if kind == "take-back-one":
            left_s = [self._again(act, before, after)]
        elif kind == "take-back-several":
            left_s = [self._again(act, self.one.layouts[act.number - 1], before, after)]
        self.umpire.check_moves(act.moves, kind, left_s)
        if kind == "cup":
            self.show(self.table.cup_off())
            self.show(self.table.quiet(PAUSE_S))
            self.umpire.check_as_before(kind)

    def _again(self, act: Act, *layouts: Layout) -> float:
        """Take moves back, then make them again one by one."""
        left_s = 0.0
        for number, layout in enumerate(layouts):
            self.umpire.since_s = self.table.now_s
            self.umpire.lying_moves = act.number + 2 + number - len(layouts)
            left_s = self.lay(act, layout)
            wanted = len(self.umpire.match.accepted) + (1 if number else 1 - len(layouts))
            self.wait_until(self._has_accepted(wanted))
        self.umpire.lying_moves = inf
        return left_s

    def _has_accepted(self, wanted: int) -> Callable[[], bool]:
        return lambda: len(self.umpire.match.accepted) == wanted

    def _before(self, kind: str, before: Layout, after: Layout) -> None:
        table = self.table
        if kind == "bump":
            self.show(table.knock())
            self.show(table.quiet(1.5))
        elif kind in ("light", "dark", "sun", "hunting"):
            self.show(table.light(kind))
            self.show(table.quiet(PAUSE_S))
        elif kind == "lean":
            self.show(table.lean(LEAN_LONG_S if self.long_lean else LEAN_S))
            self.show(table.quiet(PAUSE_S))
        elif kind == "cup":
            self.show(table.cup_on(_out_of_the_way(before, after)))
            self.show(table.quiet(1.2))
        elif kind == "no-frames":
            table.wait(NO_FRAMES_S)
            self.umpire.loop.silence()
        elif kind == "killed":
            self.umpire.killed()

    def _spoil(self, kind: str) -> bool:
        """Let frames go wrong just when the hand has left; say whether they did."""
        if kind not in ("black-frames", "torn-frame", "other-size", "duplicates", "out-of-order"):
            return False
        frames = list(self.table.quiet(0.3))
        if kind in ("duplicates", "out-of-order"):
            order = (0, 0, 1, 1, 2) if kind == "duplicates" else (1, 0, 2)
            frames = [frames[i] for i in order]
        else:
            frames = [_spoilt(frame, kind) for frame in frames[: 1 if kind == "torn-frame" else 3]]
        self.show(iter(frames))
        return True


def _out_of_the_way(before: Layout, after: Layout) -> Placement | Piece:
    """Return a tile that stays, as far as can be from those that come and go."""
    stay = [p for p in before.placements() if p in set(after.placements())]
    things = [p for p in stay if not isinstance(p, Clay)]
    moving = set(before.placements()) ^ set(after.placements())
    spots = [s for p in moving if not isinstance(p, Clay) for s in spots_of(p)]

    def away(thing: Placement | Piece) -> float:
        return min(
            (
                100.0 * (a[0] != b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2])
                for a in spots_of(thing)
                for b in spots
            ),
            default=0.0,
        )

    return max(things, key=away)


def _spoilt(frame: Frame, kind: str) -> Frame:
    bgr = frame.bgr.copy()
    if kind == "black-frames":
        bgr[:] = 2
    elif kind == "torn-frame":
        half = bgr.shape[0] // 2
        bgr[half:] = bgr[: bgr.shape[0] - half][::-1]
    else:
        bgr = np.ascontiguousarray(bgr[::2, ::2])
    return Frame(bgr, frame.taken_at_s)

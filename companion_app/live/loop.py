"""The loop: frames in, looks settled, verdicts out. One frame at a time, no thread of its own.

Whoever drives it (``watch``, the page) gives it frames, silences and what players tell; it
answers by events. It sleeps nowhere and knows no clock but the frames' own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import hypot
from typing import Any, Protocol

from companion_app.live.align import aligner_for
from companion_app.live.covering import grown_outline, is_adrift, misses_board, with_covered
from companion_app.live.errors import StoreError
from companion_app.live.ground import Ground
from companion_app.live.hindrance import (
    CAMERA_LOST,
    NOT_KEPT,
    Hindrance,
    Lasting,
    at_the_table,
    newly_aside,
)
from companion_app.live.judging import JOINED_FROM
from companion_app.live.keepsake import PictureSettings, last_picture, packed, unpacked
from companion_app.live.match import Match
from companion_app.live.places import Point, Sighting, Spot, contents, largest_group
from companion_app.live.referee import Referee
from companion_app.live.referee_state import Event, RefereeSettings
from companion_app.live.settle import Settled, Settler, SettleSettings
from companion_app.live.states import Glimpse, Watcher, WatchSettings
from engine.placement import Layout
from vision import Bgr, Frame, TableState

log = logging.getLogger(__name__)
UNREADABLE = "A picture could not be read (the log says why); the game goes on with the next one."


class Lock(Protocol):
    """What a loop gives back while it reads."""

    def acquire(self) -> bool:
        """Take it."""

    def release(self) -> None:
        """Give it back."""


class Reader(Protocol):
    """Whatever reads a table state off a frame; may keep what speeds up the next one."""

    def read(self, frame: Frame, known: Layout) -> TableState:
        """Return what one frame shows; ``known`` lies on the table if nothing has happened."""
        ...

    def forget(self) -> None:
        """Drop everything kept: the camera hangs differently now."""
        ...

    def leave_out(self, outlines: Sequence[Any]) -> None:
        """Take no notice of tiles that lie there, as long as no other is laid at their side."""
        ...

    def doubt(self) -> None:
        """Look at everything once more, even if nothing seems to have changed: a hand was there."""
        ...

    def again(self, bgr: Bgr) -> TableState | None:
        """Read a kept picture by itself; ``None`` for a reader that cannot."""
        ...


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How the loop watches."""

    watch: WatchSettings = field(default_factory=WatchSettings)
    settle: SettleSettings = field(default_factory=SettleSettings)
    referee: RefereeSettings = field(default_factory=RefereeSettings)
    lost_after_s: float = 1.0
    """Without a frame for so long the camera is lost."""
    dark_after_s: float = 0.5
    """A single black frame is nothing."""
    idle_look_s: float = 0.5
    """How often a table on which nothing has changed is looked at all the same."""
    moved_share: float = 0.008
    """Tiles that have all moved by so much of the picture's width: the camera was knocked."""
    strange_after_s: float = 6.0
    """A table on which nothing lies as it is known is asked about after so long."""
    said_after_s: float = 4.0
    """What has kept the referee from a verdict for so long is said: before people wonder."""
    steady_s: float = 0.5
    """It must have been the same for so long: looks differ now and then."""
    picture: PictureSettings = field(default_factory=PictureSettings)


class LiveLoop:
    """Joins watcher, reader, settler and referee."""

    def __init__(
        self, match: Match, reader: Reader, emit: Callable[[Event], None],
        settings: LoopSettings | None = None, meanwhile: Lock | None = None,
    ) -> None:  # fmt: skip
        """Watch for a match.

        Args:
            match: the game.
            reader: reads frames.
            emit: is told what happens.
            settings: how it is watched.
            meanwhile: a lock that whoever drives the loop holds once; it is open while a frame is
                read, so that others can work.
        """
        self.settings = settings or LoopSettings()
        self.match = match
        self.reader = reader
        self.referee = Referee(match, emit, self.settings.referee, self._look_again)
        self.state = ""
        self.trouble: str | None = None
        """What could not be kept, in a sentence; ``None`` when all is well."""
        self.looks = 0
        self._emit, self._meanwhile = emit, meanwhile
        self._watcher = Watcher(self.settings.watch)
        kept = last_picture(match)
        if kept is not None:
            # A game that is taken up again: a hand may be over the table already.
            self._watcher.recall(kept)
        self._ground = Ground()
        self._then: Callable[[], None] = _nothing
        """What is left to do of the last look."""
        self._settler = Settler(self.settings.settle)
        self._aligner = aligner_for(match)
        self._outlines: dict[Spot, tuple[Point, ...]] = {}
        self._now_s = float("-inf")
        self._dark_since_s: float | None = None
        self._looked_s = float("-inf")
        self._settled: Settled | None = None
        self._quiet = False
        """Whether the settled table has been judged and nothing has changed since."""
        self._size: tuple[int, ...] | None = None
        self._jolted = False
        self._strange_since_s: float | None = None
        self._first_frame = True
        self._approached = False
        """Whether anybody has come near the table yet."""
        self._lasting = Lasting(self.settings.said_after_s, self.settings.steady_s)
        self._aside: tuple[int, tuple[Point, ...]] = (-1, ())
        """What lay aside when the last move was accepted, after the number of moves."""

    # --- driving ---------------------------------------------------------------------------

    def start(self, t: float = 0.0) -> None:
        """Say how it stands before the first frame."""
        self._become("looking", t, Hindrance("looking"))
        self.referee.start(t)

    def see(self, frame: Frame) -> None:
        """Take in one frame; old and doubled ones are passed over."""
        self._then()
        self._then = _nothing
        if frame.taken_at_s <= self._now_s:
            return
        gap_s = frame.taken_at_s - self._now_s
        self._now_s = frame.taken_at_s
        if gap_s > self.settings.lost_after_s:
            self._disturb()
        if frame.bgr.shape != self._size:
            if self._size is not None:
                self._lose_camera_place()
            self._size = frame.bgr.shape
        self._judge(frame, self._watcher.see(frame))
        self._first_frame = False
        self._say_what_lasts(frame.taken_at_s)

    def silence(self, t: float) -> None:
        """Take note that no frame has come until now."""
        if t - self._now_s > self.settings.lost_after_s:
            self._settler.moved()
            self._become("camera-lost", t, CAMERA_LOST)
            self._say_what_lasts(t)

    def tell(self, message: Mapping[str, Any], t: float | None = None) -> None:
        """Pass on what a player told.

        Raises:
            ToldError: it cannot be used; the message says why.
        """
        self.referee.tell(message, max(self._now_s, 0.0) if t is None else t)
        self._quiet = False

    @property
    def why(self) -> Hindrance | None:
        """What has kept the referee from a verdict for a while."""
        return self._lasting.said

    @property
    def outlines_px(self) -> Mapping[Spot, tuple[Point, ...]]:
        """Where in the picture what is believed to lie there was seen last."""
        return dict(self._outlines)

    @property
    def covered(self) -> frozenset[Spot]:
        """Known tiles that lie under something."""
        known = contents(self.match.layout)
        return frozenset(self._settled.covered & known.keys()) if self._settled else frozenset()

    @property
    def unsure(self) -> frozenset[Spot]:
        """Places whose tile nobody is sure of."""
        return frozenset(self._settled.doubts) if self._settled else frozenset()

    @property
    def aside(self) -> tuple[str, ...]:
        """Tiles that lie in the open beside the table, as far as they are known."""
        if self._settled is None:
            return ()
        return tuple(tile for tile, _ in self._settled.last.aside_px if tile in self.match.box)

    # --- one frame -------------------------------------------------------------------------

    def _judge(self, frame: Frame, glimpse: Glimpse) -> None:
        t = frame.taken_at_s
        if glimpse.dark:
            self._dark_since_s = t if self._dark_since_s is None else self._dark_since_s
            self._settler.moved()
            if t - self._dark_since_s >= self.settings.dark_after_s:
                self._disturb()
                self._become("too-dark", t, Hindrance("too-dark"))
            return
        self._dark_since_s = None
        if glimpse.jolt and not self._jolted:
            self._jolted = True
            # A knock too small to be told from the tiles may still have shifted every board.
            self.reader.forget()
        if not glimpse.still:
            # The first frame has none before it that it could be still against.
            self._approached = self._approached or not self._first_frame
            self._disturb()
            if glimpse.hand:
                self.reader.doubt()
                self._become("hand", t, Hindrance("hand"))
            elif self.state != "camera-moved":
                self._become("settling", t, Hindrance("moving"))
            return
        if glimpse.changed:
            self._quiet = False
        if self._quiet and t - self._looked_s < self.settings.idle_look_s:
            return
        self._look(frame, t)

    def _look(self, frame: Frame, t: float) -> None:
        self._looked_s = t
        self.looks += 1
        known = self._known()
        seen = self._read(frame, known)
        if seen is None:
            return
        table = self._without_stocks(seen, known)
        centres = dict(self._aligner.centres_px)
        sighting = self._aligner.sighting(table, known)
        if sighting is None:
            self._not_found(table, t)
            return
        if sighting.unmoored and is_adrift(self._with_covered(frame, sighting, known), known):
            self._aligner.centres_px = centres
            self._not_found(table, t)
            return
        self._strange_since_s = None
        if misses_board(sighting, known):
            # An arm may lie over it: when that has left, the board must be looked for.
            self.reader.forget()
        if self._has_moved(centres, sighting):
            self._camera_moved(sighting, frame)
        self._outlines.update(sighting.outlines_px)
        self._settler.add(self._with_covered(frame, sighting, known))
        self._settled = self._settler.settled(self._aligner.centres_px)
        if self._settled is None:
            if self.state not in ("looking", "camera-moved"):
                self._become("settling", t, Hindrance("moving"))
            return
        self._referee(self._settled, frame, t)

    def _read(self, frame: Frame, known: Layout) -> TableState | None:
        """Read a frame; one that breaks the reader must not end the evening."""
        try:
            if self._meanwhile is None:
                return self.reader.read(frame, known)
            self._meanwhile.release()
            try:
                return self.reader.read(frame, known)
            finally:
                self._meanwhile.acquire()
        except Exception:
            log.exception("a picture could not be read")
            self.trouble = UNREADABLE
            self.reader.forget()
            self._settler.moved()
            return None

    def _without_stocks(self, table: TableState, known: Layout) -> TableState:
        """Leave out what lies beside a bare table before anybody has come near it.

        Tiles that hang together are a game to be joined in its middle, and asked about.
        """
        fresh = not (self._approached or known.placements() or self.match.start.midgame)
        entries = (*table.tiles, *table.unsure, *table.aside)
        if not fresh or self.match.accepted or self.match.box.lattice != "square" or not entries:
            return table
        if largest_group([entry["at"] for entry in (*table.tiles, *table.unsure)]) >= JOINED_FROM:
            return table
        self.reader.leave_out([entry["outline"] for entry in entries])
        return replace(table, tiles=(), unsure=(), aside=())

    def _referee(self, settled: Settled, frame: Frame, t: float) -> None:
        try:
            standing = self.referee.look(settled, t, lambda: packed(
                frame, self._outlines.values(), self.settings.picture))  # fmt: skip
            self.trouble = None
        except StoreError as error:
            # Not on the disk is not accepted: the next look tries again.
            self.trouble = str(error)
            self._become("unsure", t, NOT_KEPT)
            return
        hindrance = at_the_table(self.referee, standing, settled)
        self._become(standing, t, hindrance or self._lies_aside(settled))
        self._jolted = False
        self._quiet = standing == "settled"
        if self._quiet:
            self._watcher.settle()
            lying = contents(self._known()).keys() | settled.last.outlines_px.keys()
            # What covers a tile reaches beyond it, and is not the bare table. One that was not seen
            # yet lies nobody knows where: it must not keep the rest from being learnt.
            if settled.covered.isdisjoint(lying & self._outlines.keys()):
                around = [o for s, o in self._outlines.items() if s in lying]
                # A verdict is on its way: what can wait is done before the next frame.
                self._then = partial(self._ground.learn, frame, around)

    def _lies_aside(self, settled: Settled) -> Hindrance | None:
        """Return that a tile was laid apart from the layout since the last move, if one was.

        Where cards are drawn by a roll they lie in the open before they are laid.
        """
        count = len(self.match.accepted)
        if self._aside[0] != count:
            self._aside = count, tuple(at for _, at in settled.last.aside_px)
        if "roll" in self.match.game.facts.actions or self.match.ended:
            return None
        return newly_aside(settled, self._aside[1], self.match.box)

    def _known(self) -> Layout:
        pending = self.referee.state.pending
        return pending.layout if pending else self.match.layout

    def _with_covered(self, frame: Frame, look: Sighting, known: Layout) -> Sighting:
        """Mark known tiles that are not seen, but whose place does not look bare either."""
        seen = list(set(look.outlines_px.values()))

        def is_bare(spot: Spot) -> bool | None:
            outline = self._outlines.get(spot)
            if outline is None:
                # A tile not seen since the camera was knocked may lie under something.
                return False if self._outlines else None
            return self._ground.is_bare(frame, outline, seen)

        def is_clear(spot: Spot) -> bool | None:
            around = grown_outline(look.outlines_px.get(spot, ()))
            return self._ground.is_bare(frame, around, seen) if around else None

        return with_covered(look, known, is_bare, is_clear)

    # --- disturbances ----------------------------------------------------------------------

    def _disturb(self) -> None:
        self._settler.moved()
        self._quiet = False
        self.referee.state.touch()

    def _lose_camera_place(self) -> None:
        self._disturb()
        self._watcher.forget()
        self._ground.forget()
        self._outlines.clear()
        self.reader.forget()

    def _has_moved(self, before: Mapping[Spot, Point], now: Sighting) -> bool:
        """Say whether all tiles have moved in the picture, and so the camera."""
        away = sorted(
            hypot(now.centres_px[s][0] - before[s][0], now.centres_px[s][1] - before[s][1])
            for s in now.centres_px.keys() & before.keys()
        )
        if len(away) < 2 or self._size is None:
            return False
        return away[len(away) // 4] > self.settings.moved_share * self._size[1]

    def _camera_moved(self, now: Sighting, frame: Frame) -> None:
        """Go on from the table itself: it has not changed, only the way it is seen."""
        old: list[Point] = []
        new: list[Point] = []
        for spot, outline in now.outlines_px.items():
            before = self._outlines.get(spot, ())
            if len(before) == len(outline):
                old += before
                new += outline
        self._disturb()
        # This frame was looked at, so no hand was in it.
        self._watcher.forget()
        self._watcher.settle()
        self._ground.follow(old, new, frame)
        self._outlines.clear()
        self.reader.forget()
        self._aligner.centres_px = dict(now.centres_px)
        self._become("camera-moved", frame.taken_at_s, Hindrance("camera-moved"))

    def _not_found(self, table: TableState, t: float) -> None:
        """Wait for the known table to come back; ask about another one that stays."""
        self._settler.moved()
        if self._strange_since_s is None:
            self._strange_since_s = t
        if t - self._strange_since_s > self.settings.strange_after_s and table.quality.ok:
            fresh = aligner_for(self.match).sighting(table, Layout())
            if fresh is not None:
                self.referee.strange_table(fresh, t)
        if self._jolted or self.match.box.lattice == "hex":
            # Boards that are read where they lay before a small knock show nothing as it is known.
            self.reader.forget()
        if self._jolted:
            self._become("camera-moved", t, Hindrance("camera-moved"))
        elif not table.quality.ok and any(a.what == "dark" for a in table.quality.advice):
            self._become("too-dark", t, Hindrance("too-dark"))
        else:
            self._become("unsure", t, Hindrance("other-table"))

    def _become(self, state: str, t: float, hindrance: Hindrance | None) -> None:
        # Looks that settle and looks that are unsure take turns while people wait for one verdict.
        self._lasting.note("unsure" if state == "settling" else state, hindrance, t)
        if state != self.state:
            self.state = state
            self._say_state(t)

    def _say_what_lasts(self, t: float) -> None:
        if self._lasting.news(t):
            self._say_state(t)

    def _say_state(self, t: float) -> None:
        said: Event = {"t": round(t, 3), "event": "state", "state": self.state}
        if self.why is not None:
            said["why"] = self.why.to_json()
        self._emit(said)

    def _look_again(self, jpeg: bytes) -> TableState | None:
        bgr = unpacked(jpeg)
        return None if bgr is None else self.reader.again(bgr)


__all__ = ["LiveLoop", "LoopSettings", "Reader"]


def _nothing() -> None:
    """Do nothing."""

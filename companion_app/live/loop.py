"""The live loop: reads frames, waits until looks agree, and emits verdicts as events.

It has no thread of its own and handles one frame at a time. The caller (``watch``, the eye)
passes in frames, silences and players' messages. It never sleeps and its only clock is the
frames' timestamps. Pictures are compared and read in the caller's thread; what they mean for the
game is judged by whoever owns it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import dist, hypot
from typing import Any, Protocol

import numpy as np

from companion_app.live.align import aligner_for
from companion_app.live.apart import SAME_PILE, SAME_PLACE, Entry, as_laid, is_near
from companion_app.live.covering import grown_outline, is_adrift, misses_board, with_covered
from companion_app.live.doubts import Event
from companion_app.live.errors import StoreError
from companion_app.live.ground import Ground
from companion_app.live.hindrance import (
    CAMERA_LOST,
    NOT_KEPT,
    SAME_PLACE_PX,
    TOO_BRIGHT,
    Hindrance,
    Lasting,
    at_the_table,
    newly_aside,
)
from companion_app.live.judging import JOINED_FROM
from companion_app.live.keepsake import last_picture, packed, unpacked
from companion_app.live.match import Match
from companion_app.live.places import Point, Sighting, Spot, contents, largest_group
from companion_app.live.referee import Referee
from companion_app.live.seats import Seats
from companion_app.live.settle import Settled, Settler
from companion_app.live.states import Glimpse, Watcher
from engine.placement import Layout
from vision import Bgr, Frame, TableState, tile_trouble

log = logging.getLogger(__name__)
UNREADABLE = "A picture could not be read (the log says why); the game goes on with the next one."
NOT_YET_SEEN: tuple[int, tuple[Point, ...]] = (-1, ())
"""What lay aside at which number of accepted moves, before anything was seen."""
LOST_AFTER_S = 1.0
"""Seconds without a frame after which the camera counts as lost."""
DARK_AFTER_S = 0.5
"""Seconds of dark frames before the table counts as too dark; one black frame does not."""
IDLE_LOOK_S = 0.5
"""Seconds between looks at a settled table on which nothing has changed."""
MOVED_SHARE = 0.008
"""Share of the picture's width by which three in four tiles move when the camera is knocked."""
STRANGE_AFTER_S = 6.0
"""Seconds after which a table that does not match the known layout is asked about."""


Owner = Callable[[Callable[[], Any]], Any]
"""Whoever owns the game: does what changes it, and returns what comes of it."""


class Reader(Protocol):
    """Reads a table state from a frame; may cache what speeds up the next read."""

    def read(self, frame: Frame) -> TableState:
        """Return what one frame shows."""
        ...

    def forget(self) -> None:
        """Drop all cached results: the camera has moved."""
        ...

    def leave_out(self, outlines: Sequence[Any]) -> None:
        """Ignore the tiles at these outlines until another tile is laid next to them."""
        ...

    def doubt(self) -> None:
        """Read every tile again, even where nothing seems changed: a hand was over the table."""
        ...

    def again(self, bgr: Bgr) -> TableState | None:
        """Read a kept picture without using the cache; ``None`` if the reader cannot."""
        ...


class LiveLoop:
    """Connects watcher, reader, settler and referee."""

    def __init__(
        self,
        match: Match,
        reader: Reader,
        emit: Callable[[Event], None],
        owner: Owner = lambda deed: deed(),
    ) -> None:
        """Set up the loop for one match.

        Args:
            match: the game.
            reader: reads frames.
            emit: called with every event.
            owner: does what changes the game.
        """
        self.match = match
        self.reader = reader
        self.referee = Referee(match, emit, look_again=self._look_again)
        self.state = ""
        self.trouble: str | None = None
        """What could not be read or saved, as a sentence; ``None`` when all is well."""
        self.looks = 0
        self.looked: Frame | None = None
        """The frame, without a hand, in which tiles were last seen at ``outlines_px``."""
        self._emit, self._owner = emit, owner
        self._watcher = Watcher()
        kept = last_picture(match)
        if kept is not None:
            # In a resumed game a hand may be over the table in the first frame already.
            self._watcher.recall(kept)
        self._ground = Ground()
        self._then: Callable[[], None] = _nothing
        """Work postponed from the last look until the next frame."""
        self._settler = Settler()
        self._aligner = aligner_for(match)
        self._outlines: dict[Spot, tuple[Point, ...]] = {}
        self._now_s = float("-inf")
        self._dark_since_s: float | None = None
        self._looked_s = float("-inf")
        self._settled: Settled | None = None
        self._seats = Seats(match.start.players)
        self._quiet = False
        """Whether the settled table has been judged and nothing has changed since."""
        self._size: tuple[int, ...] | None = None
        self._jolted = False
        self._strange_since_s: float | None = None
        self._first_frame = True
        self._approached = False
        """Whether anybody has come near the table yet."""
        self._lasting = Lasting()
        self._aside = NOT_YET_SEEN
        """The number of accepted moves, and what lay aside when the last one was accepted."""
        self._lay_aside: dict[Point, str] | None = None
        """Every tile that was seen aside at a settled table, by where it lay; ``None`` before."""

    # --- driving ---------------------------------------------------------------------------

    def start(self, t: float = 0.0) -> None:
        """Emit the state before the first frame."""
        self._become("looking", t, Hindrance("looking"))
        self.referee.start(t)

    def see(self, frame: Frame) -> None:
        """Process one frame; a frame no newer than the last one is skipped."""
        then, self._then = self._then, _nothing
        then()
        if frame.taken_at_s <= self._now_s:
            return
        if self._size not in (None, frame.bgr.shape):
            self._watcher.forget()
        glimpse = self._watcher.see(frame)
        if not self._owner(partial(self._is_worth_a_look, frame, glimpse)):
            return
        try:
            table = self.reader.read(frame)
        except Exception as error:  # noqa: BLE001 - logged in stumble, and the game goes on
            self._owner(partial(self.stumble, error))
        else:
            self._owner(partial(self._look, frame, table))

    def stumble(self, fault: Exception) -> None:
        """Say that a picture could not be read, and start to look at the table anew.

        The fault is logged for the first of such pictures in a row.
        """
        if self.trouble != UNREADABLE:
            log.error("a picture could not be read", exc_info=fault)
        self.trouble = UNREADABLE
        self.reader.forget()
        self._settler.moved()
        self._say_what_lasts(self.now_s)

    def silence(self) -> None:
        """Note that a frame was waited for in vain: the camera is lost."""
        t = self.now_s + LOST_AFTER_S
        self._settler.moved()
        self._become("camera-lost", t, CAMERA_LOST)
        self._say_what_lasts(t)

    def tell(self, message: Mapping[str, Any], t: float | None = None) -> None:
        """Pass a player's message on to the referee.

        Raises:
            ToldError: the message cannot be used; the error says why.
        """
        self.referee.tell(message, self.now_s if t is None else t)
        self._quiet = False

    @property
    def now_s(self) -> float:
        """The time of the newest frame; 0 before the first one."""
        return max(self._now_s, 0.0)

    @property
    def why(self) -> Hindrance | None:
        """What has kept the referee from a verdict for a while."""
        return self._lasting.said

    @property
    def outlines_px(self) -> Mapping[Spot, tuple[Point, ...]]:
        """By spot: the outline in the picture where its tile was last seen."""
        return dict(self._outlines)

    @property
    def covered(self) -> frozenset[Spot]:
        """Spots of known tiles that are covered."""
        known = contents(self.match.layout)
        return frozenset(self._settled.covered & known.keys()) if self._settled else frozenset()

    @property
    def unsure(self) -> frozenset[Spot]:
        """Spots whose tile is unsure."""
        return frozenset(self._settled.doubts) if self._settled else frozenset()

    @property
    def aside(self) -> tuple[str, ...]:
        """Tiles of the box that are seen aside."""
        if self._settled is None:
            return ()
        return tuple(tile for tile, _ in self._settled.last.aside_px if tile in self.match.box)

    # --- one frame -------------------------------------------------------------------------

    def _is_worth_a_look(self, frame: Frame, glimpse: Glimpse) -> bool:
        """Take in what a frame shows at a glimpse; say whether its tiles are to be read."""
        gap_s = frame.taken_at_s - self._now_s
        self._now_s = t = frame.taken_at_s
        if gap_s > LOST_AFTER_S:
            self._disturb()
        if self._size not in (None, frame.bgr.shape):
            self._lose_camera_place()
        self._size = frame.bgr.shape
        is_settled = self._takes_in(glimpse, t)
        self._first_frame = False
        if is_settled and (not self._quiet or t - self._looked_s >= IDLE_LOOK_S):
            self._looked_s = t
            self.looks += 1
            return True
        self._say_what_lasts(t)
        return False

    def _takes_in(self, glimpse: Glimpse, t: float) -> bool:
        """Take in a glimpse; say whether nothing stands in the way of a look."""
        if glimpse.dark:
            self._dark_since_s = t if self._dark_since_s is None else self._dark_since_s
            self._settler.moved()
            if t - self._dark_since_s >= DARK_AFTER_S:
                self._disturb()
                self._become("too-dark", t, Hindrance("too-dark"))
            return False
        self._dark_since_s = None
        self._seats.see(glimpse.hand, glimpse.reach)
        if glimpse.jolt and not self._jolted:
            self._jolted = True
            # A knock too small to show in the tiles' positions may still have shifted every board.
            self.reader.forget()
        if not glimpse.still:
            # The first frame never counts as still: there is no earlier one to compare it with.
            self._approached = self._approached or not self._first_frame
            self._disturb()
            if glimpse.hand:
                self.reader.doubt()
                self._become("hand", t, Hindrance("hand"))
            elif self.state != "camera-moved":
                self._become("settling", t, Hindrance("moving"))
            return False
        if glimpse.changed:
            self._quiet = False
        return True

    def _look(self, frame: Frame, table: TableState) -> None:
        """Take in what was read in a frame."""
        self._judge(frame, table)
        self._say_what_lasts(frame.taken_at_s)

    def _judge(self, frame: Frame, seen: TableState) -> None:
        t, known = frame.taken_at_s, self._known()
        table = self._as_laid(self._without_stocks(seen, known), frame, known)
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
            # An arm may cover the board: once it has left, the board must be searched for again.
            self.reader.forget()
        if self._has_moved(centres, sighting):
            self._camera_moved(sighting, frame)
        self._outlines.update(sighting.outlines_px)
        self.looked = frame
        self._settler.add(self._with_covered(frame, sighting, known))
        self._settled = self._settler.settled(self._aligner.centres_px)
        if self._settled is None:
            if self.state not in ("looking", "camera-moved"):
                self._become("settling", t, Hindrance("moving"))
            return
        self._referee(self._settled, frame, t)

    def _without_stocks(self, table: TableState, known: Layout) -> TableState:
        """Leave out stocks: single tiles that lie on the table before anybody has come near it.

        Connected tiles are kept: they may be a game in progress, which is asked about.
        """
        fresh = not (self._approached or known.placements() or self.match.start.midgame)
        entries = (*table.tiles, *table.unsure, *table.aside)
        if not fresh or self.match.accepted or self.match.box.lattice != "square" or not entries:
            return table
        if largest_group([entry["at"] for entry in (*table.tiles, *table.unsure)]) >= JOINED_FROM:
            return table
        self.reader.leave_out([entry["outline"] for entry in entries])
        return replace(table, tiles=(), unsure=(), aside=())

    def _as_laid(self, table: TableState, frame: Frame, known: Layout) -> TableState:
        """Tell cards that hands have laid apart from cards that lie aside.

        Games with rolls are exempt: there a drawn card lies aside before it is placed.
        """
        box, aside = self.match.box, self._lay_aside
        if box.lattice != "square" or aside is None:
            return table
        rolls = "roll" in self.match.game.facts.actions
        cards = contents(known)
        lying = [self._aligner.centres_px.get(spot) for spot in cards]
        in_play = [entry["outline"] for entry in (*table.tiles, *table.unsure)]

        def was_laid(entry: Entry) -> bool:
            outline = entry["outline"]
            if is_near(outline, lying, SAME_PLACE):
                return True
            # A card of a pile lies where another one lay before; a nudged card is off its cell.
            if rolls or is_near(outline, (*aside, *lying), SAME_PILE):
                return False
            return self._ground.is_bare(frame, outline, in_play) is False

        def lay_aside(entry: Entry) -> bool:
            places = [at for at, tile in aside.items() if tile == entry.get("tile")]
            outline = entry["outline"]
            return is_near(outline, places, SAME_PLACE) and not is_near(outline, lying, SAME_PLACE)

        def known_spot(entry: Entry) -> Spot | None:
            for (spot, (tile, _)), at in zip(cards.items(), lying, strict=True):
                if tile == entry.get("tile") and is_near(entry["outline"], [at], SAME_PLACE):
                    return spot
            return None

        return as_laid(table, box, was_laid, lay_aside, known_spot)

    def _referee(self, settled: Settled, frame: Frame, t: float) -> None:
        settled, before = replace(settled, hand=self._seats.whose), len(self.match.accepted)
        try:
            standing = self.referee.look(settled, t, lambda: packed(frame, self._outlines.values()))
            self.trouble = None
        except StoreError as error:
            # A move that is not on the disk is not accepted; the next look tries again.
            self.trouble = str(error)
            self._become("unsure", t, NOT_KEPT)
            return
        hindrance = at_the_table(self.referee, standing, settled)
        if standing != "settled" and hindrance and hindrance.what != "question":
            hindrance = self._too_bright(frame, settled) or hindrance
        elif standing == "settled" and self._is_burnt(frame, contents(self._known())):
            # A card that is laid here may look like nothing.
            hindrance = hindrance or TOO_BRIGHT
        self._become(standing, t, hindrance or self._lies_aside(settled))
        lying = set(contents(self._known()))
        if lying and lying.isdisjoint(settled.last.beliefs) and not self.referee.doubts.questions:
            # A reading that shows nothing of what lies there is not kept.
            self.reader.doubt()
        self._jolted = False
        self._quiet = standing == "settled"
        if self._quiet:
            self._seats.settle(one.move for one in self.match.accepted[before:])
            self._watcher.settle()
            self._note_aside(settled.last)
            lying |= settled.last.outlines_px.keys()
            # Whatever covers a tile also hides table around it, which must not be learnt as bare.
            # A covered tile with no known outline cannot be avoided and does not stop learning.
            if settled.covered.isdisjoint(lying & self._outlines.keys()):
                around = [o for s, o in self._outlines.items() if s in lying]
                # Postponed to the next frame, so that it does not delay the verdict.
                self._then = partial(self._ground.learn, frame, around)

    def _too_bright(self, frame: Frame, settled: Settled) -> Hindrance | None:
        """Return a hindrance if a tile that is not surely read is burnt white, else ``None``."""
        unread = (contents(self._known()).keys() | settled.doubts.keys()) - settled.sure.keys()
        return TOO_BRIGHT if any(self._is_burnt(frame, (spot,)) for spot in unread) else None

    def _is_burnt(self, frame: Frame, spots: Iterable[Spot]) -> bool:
        """Say whether all tiles in some spots, as far as they were seen, are burnt white."""
        outlines = [np.asarray(self._outlines[spot]) for spot in spots if spot in self._outlines]
        burnt = (tile_trouble(frame.bgr, outline) == "glare" for outline in outlines)
        return bool(outlines) and all(burnt)

    def _lies_aside(self, settled: Settled) -> Hindrance | None:
        """Return a hindrance if a tile was laid aside since the last move, else ``None``.

        Games with rolls are exempt: there a drawn card lies aside before it is placed.
        """
        count = len(self.match.accepted)
        if self._aside[0] != count:
            self._aside = count, tuple(at for _, at in settled.last.aside_px)
        if "roll" in self.match.game.facts.actions or self.match.ended:
            return None
        return newly_aside(settled, self._aside[1], self.match.box)

    def _known(self) -> Layout:
        pending = self.referee.doubts.pending
        return pending.layout if pending else self.match.layout

    def _with_covered(self, frame: Frame, look: Sighting, known: Layout) -> Sighting:
        """Mark known tiles as covered that are not seen but whose place does not look bare."""
        seen = list(set(look.outlines_px.values()))

        def is_bare(spot: Spot) -> bool | None:
            outline = self._outlines.get(spot)
            if outline is None:
                # A tile that was not seen since the camera was knocked may be covered.
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
        self.referee.touch()

    def _lose_camera_place(self) -> None:
        self._disturb()
        self._ground.forget()
        self._seats.turn((), ())
        self._outlines.clear()
        self._forget_aside()
        self.reader.forget()

    def _note_aside(self, look: Sighting) -> None:
        """Remember where tiles lie aside."""
        lay = self._lay_aside or {}
        for tile, at in look.aside_px:
            lay = {p: one for p, one in lay.items() if dist(p, at) > SAME_PLACE_PX} | {at: tile}
        self._lay_aside = lay

    def _forget_aside(self) -> None:
        """Forget where tiles lay aside: the camera has moved."""
        self._aside = NOT_YET_SEEN
        self._lay_aside = None

    def _has_moved(self, before: Mapping[Spot, Point], now: Sighting) -> bool:
        """Say whether three in four tiles have moved in the picture, so the camera has."""
        away = sorted(
            hypot(now.centres_px[s][0] - before[s][0], now.centres_px[s][1] - before[s][1])
            for s in now.centres_px.keys() & before.keys()
        )
        if len(away) < 2 or self._size is None:
            return False
        return away[len(away) // 4] > MOVED_SHARE * self._size[1]

    def _camera_moved(self, now: Sighting, frame: Frame) -> None:
        """Carry what is known over to the camera's new view; the table itself is unchanged."""
        old: list[Point] = []
        new: list[Point] = []
        for spot, outline in now.outlines_px.items():
            before = self._outlines.get(spot, ())
            if len(before) == len(outline):
                old += before
                new += outline
        self._disturb()
        # Only frames without a hand are read, so this one can be the new reference.
        self._watcher.forget()
        self._watcher.settle()
        self._seats.turn(old, new)
        moved = self._ground.follow(old, new, frame)
        # A tile that is not seen now may be covered, or whoever knocked the camera has lifted it.
        self._outlines = {s: moved(o) for s, o in self._outlines.items()} if moved else {}
        self.reader.forget()
        self._forget_aside()
        self._aligner.centres_px = dict(now.centres_px)
        self._become("camera-moved", frame.taken_at_s, Hindrance("camera-moved"))

    def _not_found(self, table: TableState, t: float) -> None:
        """Wait for the known table to come back; ask if a different one stays in view."""
        self._settler.moved()
        if self._strange_since_s is None:
            self._strange_since_s = t
        if t - self._strange_since_s > STRANGE_AFTER_S and table.quality.ok:
            fresh = aligner_for(self.match).sighting(table, Layout())
            if fresh is not None:
                self.referee.strange_table(fresh, t)
        if self._jolted or self.match.box.lattice == "hex":
            # After a small knock, boards read at their old position match nothing known.
            self.reader.forget()
        troubles = {a.what for a in table.quality.advice if not table.quality.ok}
        if self._jolted:
            self._become("camera-moved", t, Hindrance("camera-moved"))
        elif "dark" in troubles:
            self._become("too-dark", t, Hindrance("too-dark"))
        else:
            other = TOO_BRIGHT if "glare" in troubles else Hindrance("other-table")
            self._become("unsure", t, other)

    def _become(self, state: str, t: float, hindrance: Hindrance | None) -> None:
        # "settling" and "unsure" alternate while people wait for one verdict: time them as one.
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


def _nothing() -> None:
    """Do nothing."""

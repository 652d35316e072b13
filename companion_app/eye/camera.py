"""The camera over the table: which one is chosen, and its newest picture, with or without a game.

One source is open at a time. During a game its feeder owns the source; otherwise it is opened
while somebody views its picture, and closed soon after.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from calibration.errors import CalibrationError
from calibration.profile import Profile
from calibration.profile_file import load_profile
from companion_app.answers import InputError
from companion_app.boxes import box_on_the_table
from companion_app.eye.desk import Desk, Feeder
from companion_app.eye.phone import PhoneInbox
from companion_app.eye.recorded import RecordedGame, Script, shipped_script
from companion_app.eye.watching import Packed, Watched
from companion_app.home import profile_file
from companion_app.line.standing import kind_of
from companion_app.live.demo import DemoSource, DemoTable, demo_record, halfway
from companion_app.live.opening import open_source
from companion_app.live.reading import make_reader
from companion_app.refusal import Refusal
from engine.placement import Layout
from engine.record import Record
from engine.setfile import built_in_names
from vision import Frame, VisionError
from vision.sources import FrameSource
from vision.sources.newest import NewestFrames

IDLE_S = 20.0
"""Seconds after the last view at which the camera is closed."""
FIRST_FRAME_S = 25.0
"""Seconds to wait for a camera's first picture; the demo table is rendered in two seconds, with
several boards on a busy machine in ten."""
DEFAULT_GAME = "schlangennest"
SIZE_PX, LARGE_PX = (1280, 720), (1920, 1080)
"""Frame sizes of the demo table; several boards need the larger one for cells of 24 pixels."""


class TableCamera:
    """The chosen source, shared by the current game and the page."""

    def __init__(
        self,
        desk: Desk,
        name: str,
        home: Path,
        speed: float = 1.0,
        found: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self.desk = desk
        self.name = name
        self.round = 0
        """Number of the demo round; each round has another seed."""
        self.inbox = PhoneInbox()
        self._home = home
        self._speed = speed
        self._found = found
        self._started_with = name
        self._look: Look | None = None
        self._packed = Packed()
        self._lock = threading.Lock()

    @property
    def kind(self) -> str:
        """The kind of the chosen source."""
        return kind_of(self.name)

    @property
    def seed(self) -> int:
        """Seed of the demo table."""
        number = self.name.partition(":")[2]
        first = int(number) if self.kind == "demo" and number.isdecimal() else 1
        return first + self.round

    def sources(self) -> list[str]:
        """Return the sources that can be chosen: cameras found, a phone, the demo table."""
        return list(dict.fromkeys([*self._found(), self._started_with, self.name, "phone", "demo"]))

    def choose(self, name: str) -> None:
        """Switch to another source; a running game goes on with it.

        Raises:
            Refusal: the camera cannot be opened; a running game keeps the one that it has.
        """
        with self.or_as_before():
            self.release()
            self.name = name
            match = self.desk.match
            if match is not None and not match.ended:
                self.desk.feed(self.feeder(match.record()))

    @contextmanager
    def or_as_before(self) -> Iterator[None]:
        """Run a block that asks for a feeder; if it is refused, the current game is fed again."""
        name, was_fed = self.name, self.desk.is_fed
        try:
            yield
        except Refusal:
            self.name = name
            match = self.desk.match
            if was_fed and match is not None:
                with suppress(Refusal):
                    self.desk.feed(self.feeder(match.record(), patient=True))
            raise

    def profile_file(self) -> Path:
        """Return the file of this camera's profile."""
        return profile_file(self._home, self.name)

    def profile(self) -> Profile | None:
        """Return this camera's profile; ``None`` if it was not calibrated."""
        with suppress(CalibrationError):
            return load_profile(self.profile_file())
        return None

    # --- for a game ------------------------------------------------------------------------

    def feeder(self, record: Record, patient: bool = False) -> Feeder | None:
        """Return the feeder of a game: a camera, the demo table, or the recorded game.

        With ``patient``, a camera that is not plugged in is waited for; the page shows it as lost.

        Raises:
            Refusal: the camera cannot be opened.
        """
        self.release()
        # A camera can be opened only once, so the previous game's feeder must close it first.
        self.desk.stop_feeding()
        if self.kind == "recorded":
            return _recorded(record, self._speed)
        box = box_on_the_table(record)
        other_boards = box.extras != record.tile_set.extras
        if self.kind == "demo" and (box.name not in built_in_names() or other_boards):
            return None  # the demo table can render only the built-in boxes, with their own boards
        source = self._opened(record, patient)
        reader = make_reader(record.game, box, self.profile())
        return Watched(self.kind, source, reader, self.name)

    def _opened(self, record: Record, patient: bool = False) -> FrameSource:
        if self.kind == "demo":
            return DemoSource(record.game.facts.name, self.seed, self._speed, record=record)
        if self.kind == "phone":
            return self.inbox.source()
        try:
            return open_source(
                self.name, record.game.facts.name, speed=self._speed, patient=patient
            )
        except (InputError, VisionError) as error:
            raise Refusal(str(error), code="no-camera") from error

    # --- for the page ----------------------------------------------------------------------

    def frame(self, begun: Record | None = None) -> Frame | None:
        """Return the newest picture, from the current game or else from the camera itself.

        Args:
            begun: the game to come; the demo table shows such a game, half played.
        """
        another = self.kind == "demo" and begun is not None and not self._plays(begun)
        if self.desk.is_fed and not another:
            return self.desk.feeder.newest
        if self.kind == "recorded":
            return None
        if self.kind == "phone":
            return self.inbox.newest
        begun = begun or demo_record(DEFAULT_GAME)
        return self._looked((self.name, _key(begun)), lambda: self._idle(begun))

    def picture(self) -> bytes | None:
        """Return the newest picture as JPEG."""
        return self._packed.jpeg_of(self.frame())

    def release(self) -> None:
        """Close the camera if only the page uses it."""
        with self._lock:
            look, self._look = self._look, None
        if look is not None:
            look.close()

    def _plays(self, begun: Record) -> bool:
        match = self.desk.match
        return match is not None and match.box.name == begun.tile_set.name

    def _idle(self, begun: Record) -> FrameSource:
        if self.kind != "demo":
            return self._opened(begun)
        return self._demo_table(begun, halfway(begun, self.seed))

    def _demo_table(self, begun: Record, layout: Layout) -> DemoTable:
        name = begun.game.facts.name
        size_px = LARGE_PX if begun.game.facts.several_boards else SIZE_PX
        return DemoTable(name, layout, begun.start.players, self.seed, size_px)

    def _looked(self, what: object, opened: Callable[[], FrameSource]) -> Frame | None:
        with self._lock:
            if self._look is not None and (self._look.what != what or self._look.ended):
                self._look.close()
                self._look = None
            if self._look is None:
                self._look = Look(what, opened)
            look = self._look
        return look.frame()


class Look:
    """A source that is open while somebody views it; a stored one yields only its first frame."""

    def __init__(
        self,
        what: object,
        opened: Callable[[], FrameSource],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.what = what
        self.ended = False
        self.trouble: Exception | None = None
        self._clock = clock
        self._looked_s = clock()
        self._frame: Frame | None = None
        self._first = threading.Event()
        self._closed = threading.Event()
        self._opened = opened
        self._frames: NewestFrames | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def frame(self) -> Frame | None:
        """Return the newest frame, waiting for the first one.

        Raises:
            Refusal: the camera cannot be opened.
        """
        self._looked_s = self._clock()
        self._first.wait(FIRST_FRAME_S)
        if isinstance(self.trouble, Refusal):
            raise self.trouble
        return self._frame

    def close(self) -> None:
        """Close the source."""
        self._closed.set()
        if self._frames is not None:
            self._frames.close()
        self._thread.join(5)

    def _watch(self) -> None:
        try:
            source = self._opened()
            self._frames = NewestFrames(source)
            for frame in self._frames.frames():
                self._see(frame)
                # A stored source has no newest frame, so only its first one is read.
                if self._closed.is_set() or self._is_idle() or not source.live:
                    break
            self._frames.close()
            self.trouble = _told(self._frames.failure)
        except (Refusal, VisionError) as error:
            self.trouble = _told(error)
        finally:
            self._first.set()
            self.ended = self._frame is None or self._is_idle()

    def _see(self, frame: Frame | None) -> None:
        if frame is not None:
            self._frame = frame
        self._first.set()

    def _is_idle(self) -> bool:
        return self._clock() - self._looked_s > IDLE_S


def _told(error: Exception | None) -> Exception | None:
    """Return a camera's error as a refusal for the page; other errors unchanged."""
    return Refusal(str(error), code="no-camera") if isinstance(error, VisionError) else error


def _key(begun: Record) -> object:
    start = begun.start
    return begun.game.facts.name, begun.tile_set.name, start.players, str(dict(start.options))


def _recorded(record: Record, speed: float) -> Feeder | None:
    script: Script | None = shipped_script(record.game.facts.name)
    if script is None or script.record.start != record.start:
        return None
    same_box = script.record.tile_set.name == record.tile_set.name
    return RecordedGame(script, speed) if same_box else None

"""The command ``watch``: the live referee without a page; prints one event per line.

Standard input takes answers and what players tell, one JSON object per line. Stored frames are
read as fast as possible and none is skipped; a question about them pauses reading for
``ANSWER_WITHIN_S``, so that an answer comes before the game goes on.
"""

from __future__ import annotations

import argparse
import queue
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from companion_app.answers import ANSWERED, InputError, complain, print_json
from companion_app.boxes import box_for
from companion_app.cli.arguments import (
    Commands,
    add_game,
    between,
    games_in_words,
    new_parser,
    speed,
    told_options,
    told_players,
)
from companion_app.home import home_folder, set_folders
from companion_app.live.demo import DemoSource
from companion_app.live.errors import StoreError, StoreInUse, ToldError
from companion_app.live.loop import LiveLoop, Reader
from companion_app.live.match import Match
from companion_app.live.opening import open_source
from companion_app.live.store import Store
from companion_app.web.speech import Speech
from engine.asked import check_start
from engine.errors import RecordError
from engine.game import Json, Start
from engine.games import game_named
from engine.given import load_json
from engine.record import Record, record_to_json
from vision.sources import FrameSource
from vision.sources.newest import NewestFrames

Event = dict[str, Json]

_frames_a_second = between(float, 0.1, 240.0, "frames a second are a number from 0.1 to 240")
ANSWER_WITHIN_S = 2.0
"""How long a question about stored frames waits for an answer on standard input, in seconds."""


def add_watch_command(commands: Commands) -> None:
    """Add ``watch`` to the commands of ``snake-eye``."""
    parser = new_parser(
        commands,
        "watch",
        [
            "watch webcam:0 --game schlangennest --players blue,red",
            "watch video:evening.mp4 --game sssnake --players Ann,Ben --option rolls=trust",
            "watch demo:7 --game carnival --players yellow,black --speed 1",
        ],
        games_in_words(),
    )
    parser.description = "Referee a live game, one event a line; answers on standard input."
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="pi, webcam:0, video:FILE, folder:DIR or demo[:SEED]",
    )
    add_game(parser)
    parser.add_argument("--players", required=True, metavar="A,B", help="players in turn order")
    parser.add_argument(
        "--fps",
        type=_frames_a_second,
        metavar="F",
        help="frames a second of a folder or video, 0.1 to 240",
    )
    parser.add_argument(
        "--speed", type=speed, default=1e6, metavar="X", help="hastens the demo; 1 is real time"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the last game, also from files"
    )
    parser.add_argument("--new", action="store_true", help="begin a new game in any case")
    parser.add_argument("--json", action="store_true", help="events are JSON with or without it")
    parser.set_defaults(command=watch)


def watch(arguments: argparse.Namespace) -> int:
    """Watch a source until it ends; print every event."""
    game = game_named(arguments.game)
    box = box_for(game, arguments.set)
    players = told_players(game, arguments.players)
    record = Record(game, box, Start(players, told_options(game, arguments.option)))
    check_start(game, box, record.start, "--players")
    game.opening(record.start, box)
    source = open_source(arguments.source, game.facts.name, arguments.fps, arguments.speed, record)
    with ExitStack() as open_things:
        open_things.callback(source.close)
        store = open_things.enter_context(_store(stored=not source.live))
        match = _match(store, record, arguments, source.live)
        Watching(match, _reader(match), source, Told(sys.stdin), print_json).run()
    return ANSWERED


@contextmanager
def _store(*, stored: bool) -> Iterator[Store]:
    """Open the match store; stored frames get a temporary one while another process uses it."""
    try:
        store = Store(home_folder())
    except StoreInUse:
        if not stored:
            raise
        with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as aside:
            yield aside
        return
    with store:
        if store.damage is not None:
            text = f"lines that are lost: {store.damage.lines}"
            sys.stderr.write(f"snake-eye: the kept games were damaged; {text}\n")
        yield store


def _match(store: Store, record: Record, arguments: argparse.Namespace, live: bool) -> Match:
    """Return the unfinished game if game, box, players and options are the same; else a new one."""
    key = store.unfinished() if (live or arguments.resume) and not arguments.new else None
    match = None if key is None else _resumed(store, key, arguments.resume)
    if match is not None:
        begun = record_to_json(
            Record(match.game, match.box, Start(match.start.players, match.start.options))
        )
        if begun == record_to_json(record):
            return match
    return Match.begin(store, record)


def _resumed(store: Store, key: str, asked: bool) -> Match | None:
    """Return a kept game; an unreadable one is reported and left unchanged, ``asked`` it raises."""
    try:
        return Match.resume(store, key, set_folders())
    except StoreError as error:
        if asked:
            raise
        complain(str(error))
        return None


def _reader(match: Match) -> Reader:
    from companion_app.live.reading import make_reader

    return make_reader(match.game, match.box)


class Told:
    """A queue of lines from standard input, filled by a background thread."""

    def __init__(self, stream: IO[str]) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.ended = False
        threading.Thread(target=self._read, args=(stream,), name="told", daemon=True).start()

    def waiting(self, within_s: float = 0.0) -> Iterator[str]:
        """Yield the lines in the queue; wait at most ``within_s`` for the first."""
        while not self.ended:
            try:
                line = self._lines.get(timeout=within_s) if within_s else self._lines.get_nowait()
            except queue.Empty:
                return
            within_s = 0.0
            if line is None:
                self.ended = True
                return
            yield line

    def _read(self, stream: IO[str]) -> None:
        try:
            for line in stream:
                self._lines.put(line)
        except (OSError, ValueError):
            pass
        self._lines.put(None)


@dataclass
class Watching:
    """One run of ``watch``: feeds the live loop with frames and with lines of standard input."""

    match: Match
    reader: Reader
    source: FrameSource
    told: Told
    emit: Callable[[Event], None]
    answer_within_s: float = ANSWER_WITHIN_S
    _asked: set[int] = field(default_factory=set)

    def run(self) -> None:
        """Watch until the source ends."""
        loop = LiveLoop(self.match, self.reader, self._say)
        frames = NewestFrames(self.source)
        if isinstance(self.source, DemoSource):
            self.source.tell = lambda message: self._demo_told(loop, message)
        loop.start()
        self._listen(loop)
        for frame in frames.frames():
            if frame is not None:
                loop.see(frame)
            elif frames.live:
                loop.silence()
            self._listen(loop)
        if frames.failure is not None:
            raise InputError(f"the camera failed: {frames.failure}")

    def _say(self, event: Event) -> None:
        """Emit an event; the reason for a missing verdict gets its English sentence."""
        why = event.get("why")
        if isinstance(why, dict):
            event = {**event, "why": {**why, "text": Speech("en").page(f"why-{why['what']}")}}
        self.emit(event)

    def _listen(self, loop: LiveLoop) -> None:
        for line in self.told.waiting():
            self._take(loop, line)
        if self.source.live or isinstance(self.source, DemoSource):
            return
        # Stored frames can wait: take the answer to a new question before the next frame.
        while new := loop.referee.doubts.questions.keys() - self._asked:
            self._asked |= new
            for line in self.told.waiting(self.answer_within_s):
                self._take(loop, line)

    def _take(self, loop: LiveLoop, line: str) -> None:
        if not line.strip():
            return
        try:
            message: Any = load_json(line)
            if not isinstance(message, dict):
                raise ToldError("say one JSON object a line")
            loop.tell(message)
        except (ToldError, RecordError) as error:
            complain(str(error))

    def _demo_told(self, loop: LiveLoop, message: Any) -> None:
        try:
            loop.tell(message)
        except ToldError:
            # The demo announced a pass that the referee had already inferred.
            return

"""Transcripts of the referee: what it was shown and told, what it wrote in the log and said.

A transcript is recorded at the referee's edges and can be played to any referee that has the same
edges. ``first_difference`` names the first step at which the log, the events or the answer differ.
"""

from __future__ import annotations

import lzma
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion_app.games.play import Accepted
from companion_app.live.errors import LiveError
from companion_app.live.machine import MachineTurn
from companion_app.live.match import Match, Unwritten
from companion_app.live.places import Sighting
from companion_app.live.referee import Referee
from companion_app.live.settle import Settled
from companion_app.live.store import Store
from engine.record import move_to_json
from vision.core.tables import TableState
from vision.core.types import Quality

Json = dict[str, Any]
JPEG = b"jpeg"
SHARE_DIGITS, PIXEL_DIGITS = 4, 0
"""Digits that are kept of confidences and of places: more say nothing, and do not compress."""


class Step(msgspec.Struct, omit_defaults=True):
    """One thing that the referee was shown or told, and all that it led to."""

    do: str
    """``start look strange touch tell take-back undo again wants``."""
    t: float = 0.0
    given: Any = None
    """A look, a sighting, a message, a count, a move: what the step is about."""
    pictured: bool = False
    """Whether there was a picture of the look."""
    answer: Any = None
    """What the referee answered, or the name of the error that it refused with."""
    lines: list[tuple[str, Any]] = []
    """What it wrote in the log: kind and body."""
    events: list[Json] = []
    read_again: list[Any] = []
    """What kept pictures showed when they were read again, in the order in which it asked."""


class Session(msgspec.Struct):
    """All that one referee was shown, from a log on."""

    log: list[tuple[str, Any]]
    """The lines that were there before: kind and body."""
    steps: list[Step]


@dataclass(frozen=True)
class Difference:
    """Where a referee does something else than a transcript says."""

    session: int
    step: int
    what: str
    """``answer``, ``lines`` or ``events``."""
    wanted: Any
    got: Any


def write(file: Path, sessions: list[Session]) -> None:
    """Write a transcript, as small as it gets."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = msgspec.msgpack.encode(sessions)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 26}]
    file.write_bytes(lzma.compress(data, filters=filters))


def read(file: Path) -> list[Session]:
    """Read a transcript."""
    return msgspec.msgpack.decode(lzma.decompress(file.read_bytes()), type=list[Session])


# --- recording -----------------------------------------------------------------------------------


class Recorder:
    """Listens to every referee that is made while it is on."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self._of: dict[int, Session] = {}
        self._inside = False
        self._step = Step("start")

    def begin(self, referee: Referee, log: list[tuple[str, Any]]) -> None:
        """Begin the session of a new referee."""
        session = Session(log, [])
        self.sessions.append(session)
        self._of[id(referee)] = session

    def told(self, event: Json) -> None:
        """Note an event."""
        self._step.events.append(_plain(event))

    def wrote(self, kind: str, body: Mapping[str, Any]) -> None:
        """Note a line of the log."""
        self._step.lines.append((kind, _plain(dict(body))))

    def read_again(self, table: TableState | None) -> None:
        """Note what a kept picture has shown."""
        self._step.read_again.append(_plain(table))

    def note(self, referee: Referee, step: Step, do: Callable[[], Any]) -> Any:
        """Do what a step is, and note it with all that it leads to."""
        session = self._of.get(id(referee))
        if self._inside or session is None:
            return do()
        self._inside, self._step = True, step
        try:
            answer = do()
        except LiveError as error:
            step.answer = type(error).__name__
            raise
        else:
            step.answer = answer if isinstance(answer, str | bool) else None
            return answer
        finally:
            self._inside = False
            touched = session.steps and session.steps[-1].do == step.do == "touch"
            if not touched:
                session.steps.append(step)


@contextmanager
def recording() -> Iterator[Recorder]:
    """Record every referee that is made in the block."""
    recorder = Recorder()
    undo: list[Callable[[], None]] = []

    def wrap(owner: type, name: str, make: Callable[[Any], Any]) -> None:
        before = getattr(owner, name)
        undo.append(lambda: setattr(owner, name, before))
        setattr(owner, name, make(before))

    def step(make: Callable[..., Step]) -> Callable[[Any], Any]:
        def wrapped(before: Any) -> Any:
            def noted(self: Referee, *given: Any, **more: Any) -> Any:
                made = make(*given, **more)
                given = tuple(map(_rounded, given))
                return recorder.note(self, made, lambda: before(self, *given, **more))

            return noted

        return wrapped

    def init(before: Any) -> Any:
        def begun(
            self: Referee, match: Match, emit: Any, settings: Any = None, look_again: Any = None
        ) -> None:
            def said(event: Json) -> None:
                recorder.told(event)
                emit(event)

            def looked(jpeg: bytes) -> TableState | None:
                table = look_again(jpeg) if look_again is not None else None
                recorder.read_again(table)
                return table

            log = [(line.kind, _plain(dict(line.body))) for line in match.store.lines(match.key)]
            before(self, match, said, settings, looked)
            recorder.begin(self, log)

        return begun

    def write(before: Any) -> Any:
        def wrote(self: Store, lines: Iterable[Unwritten]) -> None:
            added = list(lines)
            for line, _ in added:
                recorder.wrote(line.kind, line.body)
            before(self, added)

        return wrote

    wrap(Referee, "__init__", init)
    wrap(Referee, "start", step(lambda t: Step("start", t)))
    wrap(Referee, "look", step(_look))
    wrap(Referee, "strange_table", step(lambda look, t: Step("strange", t, _plain(_rounded(look)))))
    wrap(Referee, "tell", step(lambda message, t: Step("tell", t, _plain(dict(message)))))
    wrap(Referee, "take_back", step(lambda count, t: Step("take-back", t, count)))
    wrap(Referee, "undo_told", step(lambda t: Step("undo", t)))
    wrap(Referee, "touch", step(lambda: Step("touch")))
    wrap(Referee, "wants", step(_wants))
    wrap(Referee, "accept_again", step(_again))
    wrap(Store, "write", write)
    try:
        yield recorder
    finally:
        for back in undo:
            back()


def _look(settled: Settled, t: float, picture: Callable[[], bytes | None] = lambda: None) -> Step:
    return Step("look", t, _plain(_rounded(settled)), picture() is not None)


def _wants(turn: MachineTurn | None) -> Step:
    given = turn and [turn.player, turn.move and move_to_json(turn.move)]
    return Step("wants", given=_plain(given))


def _again(one: Accepted, t: float) -> Step:
    return Step("again", t, [_plain(move_to_json(one.move)), one.overruled])


# --- comparing -----------------------------------------------------------------------------------


def first_difference(sessions: list[Session], folder: Path) -> Difference | None:
    """Show a transcript to the referee; return where it first does something else."""
    for number, session in enumerate(sessions):
        with Store(folder / str(number), clock=lambda: 0.0) as store:
            found = _difference(number, session, store)
        if found is not None:
            return found
    return None


def _difference(number: int, session: Session, store: Store) -> Difference | None:
    key = "game"
    for kind, body in session.log:
        pictures = {"after": JPEG} if kind in ("moves", "foul") else None
        store.append(key, kind, body, pictures)
    match = Match.resume(store, key)
    events: list[Json] = []
    shown: list[Any] = []

    def look_again(jpeg: bytes) -> TableState | None:
        del jpeg
        table = shown.pop(0)
        return None if table is None else _table(table)

    referee = Referee(match, events.append, look_again=look_again)
    known = len(session.log)
    for at, step in enumerate(session.steps):
        events.clear()
        shown[:] = step.read_again
        answer = _given(referee, step)
        lines = store.lines(key)[known:]
        known += len(lines)
        got = {
            "answer": answer,
            "lines": [(line.kind, _plain(dict(line.body))) for line in lines],
            "events": _plain(list(events)),
        }
        for what, is_now in got.items():
            if is_now != getattr(step, what):
                return Difference(number, at, what, getattr(step, what), is_now)
    return None


def _given(referee: Referee, step: Step) -> Any:
    """Show or tell the referee a step; return what it answers."""
    try:
        answer = _done(referee, step)
    except LiveError as error:
        return type(error).__name__
    return answer if isinstance(answer, str | bool) else None


def _done(referee: Referee, step: Step) -> Any:
    t, given, match = step.t, step.given, referee.match

    def look() -> str:
        settled = msgspec.convert(given, Settled)
        return referee.look(settled, t, lambda: JPEG if step.pictured else None)

    def again() -> None:
        move = match.parsed(given[0], "again")
        referee.accept_again(Accepted(move, (), given[1], 0), t)

    def wants() -> None:
        move = given and given[1] and match.parsed(given[1], "wants")
        referee.wants(given and MachineTurn(given[0], match.position, move))

    ways: dict[str, Callable[[], Any]] = {
        "start": lambda: referee.start(t),
        "look": look,
        "strange": lambda: referee.strange_table(msgspec.convert(given, Sighting), t),
        "touch": referee.touch,
        "tell": lambda: referee.tell(given, t),
        "take-back": lambda: referee.take_back(given, t),
        "undo": lambda: referee.undo_told(t),
        "again": again,
        "wants": wants,
    }
    return ways[step.do]()


def _table(written: Json) -> TableState:
    names = ("tiles", "unsure", "aside", "clay", "splits")
    tiles, unsure, aside, clay, splits = (tuple(written[name]) for name in names)
    quality = msgspec.convert(written["quality"], Quality)
    width, height = written["size_px"]
    return TableState((width, height), tiles, unsure, aside, clay, splits, quality)


# --- as plain data -------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Return a value as it comes back from a file."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value, enc_hook=dict))


def _rounded(value: Any) -> Any:
    """Return a look with fewer digits; anything else as it is."""
    if isinstance(value, Settled):
        return replace(
            value,
            sure={s: (content, _share(share)) for s, (content, share) in value.sure.items()},
            doubts={s: _belief(belief) for s, belief in value.doubts.items()},
            last=_rounded(value.last),
            known_px={s: _pixel(p) for s, p in value.known_px.items()},
        )
    if isinstance(value, Sighting):
        return replace(
            value,
            beliefs={s: _belief(belief) for s, belief in value.beliefs.items()},
            centres_px={s: _pixel(p) for s, p in value.centres_px.items()},
            outlines_px={},
            aside_px=tuple((tile, _pixel(p)) for tile, p in value.aside_px),
        )
    return value


def _belief(belief: Any) -> Any:
    return replace(belief, guesses=tuple((c, _share(share)) for c, share in belief.guesses))


def _share(share: float) -> float:
    return round(float(share), SHARE_DIGITS)


def _pixel(point: tuple[float, float]) -> tuple[float, float]:
    return round(float(point[0]), PIXEL_DIGITS), round(float(point[1]), PIXEL_DIGITS)


# --- tests as transcripts ------------------------------------------------------------------------


class _Tests:
    """A plugin that records the referees of every test, but for those that a test reaches into."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        with recording() as recorder:
            answer = yield
        for session in recorder.sessions:
            with tempfile.TemporaryDirectory() as folder, suppress(LiveError):
                if session.steps and first_difference([session], Path(folder)) is None:
                    self.sessions.append(session)
        return answer


def main(arguments: list[str]) -> int:
    """Record the referees of test files: ``python -m tests.kit.transcripts FOLDER TEST.py…``."""
    folder, *files = map(Path, arguments)
    for file in files:
        tests = _Tests()
        status = pytest.main(["-q", "-x", "-p", "no:cacheprovider", str(file)], plugins=[tests])
        if status:
            return int(status)
        write(folder / f"{file.stem}.xz", tests.sessions)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

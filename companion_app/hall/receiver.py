"""The hall's end of the line: verifies the messages of tables, stores them and answers.

Every process of a hall runs a receiver, and each table sends to one of them. Messages that arrive
during a transaction are stored together in the next one. A table that waits for news holds no
thread: its question rests here until there is a ruling, or for ``HOLD_S``.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from companion_app.hall.errors import BadMessageError, DatabaseError
from companion_app.hall.line.keys import HallKeys, public_from_text
from companion_app.hall.line.message import (
    ANSWER,
    HOLD_S,
    LARGEST_PICTURE,
    LINES,
    MARKS,
    PICTURE,
    WAIT,
    Batch,
    from_bytes,
    from_table,
    is_word,
    mark_of_line,
    opened,
    parse_batch,
    printable,
    signed,
    to_bytes,
    to_table,
    whole_number,
)
from companion_app.hall.store.arbiter_store import Decision, keep_answer, unanswered
from companion_app.hall.store.hall_store import LINE, HallStore, Health

log = logging.getLogger(__name__)
MOST_WAITING, MOST_WAITING_BYTES = 2000, 64 << 20
"""Messages queued for storing, and their bytes; any beyond are refused, and sent again."""
MOST_TOGETHER = 100
"""Messages that are taken from the queue and stored together."""
A_SECOND, AT_ONCE = 20.0, 280.0
"""Rate limit of one table (token bucket): tokens per second, and tokens at most: enough for a full
batch and the two largest pictures of a foul, which are sent together."""
SMALL_BYTES = 8192
"""A message costs one token, and one more for each full 8 KiB: a batch some 17, a picture 129."""
GATHER_S = 0.05
"""Seconds for which messages are collected before they are stored together."""
TICK_S = 0.5
"""Seconds between two looks for questions that were held long enough."""
MARKS_AT_ONCE = 500
HEALTH_BYTES = 2000
LARGEST_HEALTH = 10**12
"""The largest whole number in a table's health; metrics are floats, and a longer one is none."""
LONGEST_ANSWER = 500
UNKNOWN_S = 2.0
"""Seconds before an unknown table is looked up in the store again."""
MOST_UNKNOWN = 1000
PICTURE_NAMES = ("before", "after")
OK, MALFORMED, NO_MEMBER, TOO_MANY, NO_ROOM = 200, 400, 403, 429, 503
Answer = Callable[[int, bytes], None]
"""Takes status and body of an answer; only the first call counts."""


class NotTakenError(Exception):
    """A message is not taken; the status of HTTP says why."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


@dataclass(frozen=True, slots=True)
class Message:
    """A verified message that is queued for storing."""

    table: str
    kind: str
    body: bytes
    answer: Answer


@dataclass(slots=True)
class Held:
    """The question of a table that waits for news."""

    message: Message
    ask: str
    known: int
    """Number of the last ruling that the table has heard of."""
    until_s: float
    rulings: tuple[Decision, ...] = ()
    """Rulings that it has heard of but not answered; they are sent again at the end."""


class Receiver:
    """Receives, verifies and stores what tables send."""

    def __init__(
        self,
        store: HallStore,
        keys: HallKeys,
        added: Callable[[Mapping[str, str]], None] = lambda _games: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counts: Counter[str] = Counter()
        """Messages that were not taken, by outcome."""
        self._doors: tuple[str, ...] = ()
        self._store, self._keys, self._added, self._clock = store, keys, added, clock
        self._public: dict[str, Ed25519PublicKey] = {}
        """Keys of tables, by id; a table that is sent away leaves."""
        self._unknown_s: dict[str, float] = {}
        self._allowance: dict[str, tuple[float, float]] = {}
        self._queue: deque[Message] = deque()
        self._bytes = 0
        self._held: dict[str, Held] = {}
        """By table; touched by the storing thread alone."""
        self._ruled: set[str] = set()
        """Tables with a new ruling."""
        self._all_ruled = False
        self._news = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._store_all, name="receiver", daemon=True)

    def start(self) -> None:
        """Store and answer in the background from now on."""
        self._store.notices.listen(self._hear_change)
        self._thread.start()

    def close(self) -> None:
        """Stop; tables send again what was not answered, to another process or later."""
        with self._news:
            self._stopped = True
            self._news.notify_all()
        if self._thread.ident is not None:
            self._thread.join(10)

    # --- hearing ---------------------------------------------------------------------------

    def know_doors(self, doors: tuple[str, ...]) -> None:
        """Tell tables from now on where the processes of this hall take messages."""
        self._doors = doors

    def knows(self, table: str) -> bool:
        """Say whether a message of this table can be verified without asking the database."""
        return table in self._public

    def take(self, table: str, kind: str, message: bytes, answer: Answer) -> None:
        """Verify a message, queue it, and see to it that it is answered.

        Raises:
            NotTakenError: it is unsigned, of no member, over the rate limit, or there is no room.
        """
        try:
            waiting = Message(table, kind, self._checked(table, kind, message), answer)
        except BadMessageError as error:
            self._refuse(NO_MEMBER, f"a message was thrown away: {error}")
        except DatabaseError as error:
            log.warning("%s", error)
            self._refuse(NO_ROOM, "the database does not answer")
        with self._news:
            no_room = self._bytes + len(message) > MOST_WAITING_BYTES
            if self._stopped or no_room or len(self._queue) >= MOST_WAITING:
                self._refuse(NO_ROOM, "too many messages wait")
            self._queue.append(waiting)
            self._bytes += len(waiting.body)
            self._news.notify()

    def _refuse(self, status: int, why: str) -> NoReturn:
        self.counts[str(status)] += 1
        log.info("%s", why)
        raise NotTakenError(status)

    def _checked(self, table: str, kind: str, message: bytes) -> bytes:
        key = self._key_of(table)
        if key is None:
            raise BadMessageError("of a table that nobody let in")
        body = opened(key, from_table(self._keys.id, table, kind), message)
        if not self._is_allowed(table, 1 + len(message) // SMALL_BYTES):
            self._refuse(TOO_MANY, "too many of one table")
        return body

    def _key_of(self, table: str) -> Ed25519PublicKey | None:
        if table in self._public:
            return self._public[table]
        now_s = self._clock()
        if now_s - self._unknown_s.get(table, float("-inf")) < UNKNOWN_S:
            return None
        member = self._store.member(table)
        if member is None or member.revoked_s is not None:
            if len(self._unknown_s) >= MOST_UNKNOWN:
                self._unknown_s.clear()
            self._unknown_s[table] = now_s
            return None
        self._public[table] = public_from_text(member.public_key)
        return self._public[table]

    def _is_allowed(self, table: str, cost: int) -> bool:
        now_s = self._clock()
        left, then_s = self._allowance.get(table, (AT_ONCE, now_s))
        left = min(AT_ONCE, left + (now_s - then_s) * A_SECOND)
        allowed = left >= cost
        self._allowance[table] = (left - cost if allowed else left, now_s)
        return allowed

    def _hear_change(self, changed: frozenset[str]) -> None:
        """Take note of tables that were sent away, or for which an arbiter has ruled."""
        tables = {one.removeprefix(LINE) for one in changed if one.startswith(LINE)}
        if changed and not tables:
            return
        for table in tables or [*self._public]:
            self._public.pop(table, None)
            self._unknown_s.pop(table, None)
        with self._news:
            self._ruled |= tables
            self._all_ruled |= not changed
            self._news.notify()

    # --- storing ---------------------------------------------------------------------------

    def _store_all(self) -> None:
        while not self._stopped:
            with self._news:
                if not (self._queue or self._ruled or self._all_ruled):
                    self._news.wait(TICK_S)
            time.sleep(GATHER_S)
            with self._news:
                some = min(len(self._queue), MOST_TOGETHER)
                together = [self._queue.popleft() for _ in range(some)]
                self._bytes -= sum(len(one.body) for one in together)
                ruled = set(self._held) if self._all_ruled else self._ruled & set(self._held)
                self._ruled, self._all_ruled = set(), False
            try:
                self.store(together)
                self._tell_rulings(ruled)
            except DatabaseError as error:
                log.warning("%s", error)
                with self._news:
                    self._ruled |= ruled
                for message in together:
                    message.answer(NO_ROOM, b"")
                time.sleep(GATHER_S)
            self._end_held(self._clock())
        self._end_held(float("inf"))

    def store(self, together: Iterable[Message]) -> None:
        """Store messages and answer them.

        Raises:
            DatabaseError: the database does not answer; tables send again what was not answered.
        """
        batches: list[tuple[Message, Batch]] = []
        waits: list[tuple[Message, Health]] = []
        for message in together:
            try:
                if message.kind == LINES:
                    batches.append((message, parse_batch(message.table, message.body)))
                elif message.kind == WAIT:
                    waits.append((message, self._hold(message)))
                else:
                    self._store_other(message)
            except (BadMessageError, ValueError, RecursionError) as error:
                # Whatever one table sends, the messages of the others are stored.
                self.counts[str(MALFORMED)] += 1
                log.info("a message of table %s was thrown away: %s", message.table, error)
                message.answer(MALFORMED, b"")
        if batches:
            self._store_batches(batches)
        if waits:
            self._store.keep_health([health for _, health in waits])
            self._tell_rulings({message.table for message, _ in waits})

    def _store_batches(self, batches: list[tuple[Message, Batch]]) -> None:
        done = self._store.take_in([batch for _, batch in batches])
        taken = {(one.table, one.ask): one for one in done}
        for message, batch in batches:
            outcome = taken.get((batch.table, batch.ask))
            if outcome is None:
                message.answer(NO_MEMBER, b"")
            else:
                self._answer(message, {"ask": batch.ask, "acked": outcome.acked})
        if grown := {one.table: one.game for one in done if one.added}:
            self._added(grown)

    def _store_other(self, message: Message) -> None:
        head, _, picture = message.body.partition(b"\n")
        body = from_bytes(head)
        ask, answer = _ask(body), {}
        if message.kind == PICTURE:
            self._store_picture(message.table, body, picture)
        elif message.kind == MARKS:
            after = _number(body.get("after"))
            lines = self._store.texts_after(message.table, after, MARKS_AT_ONCE)
            answer = {"marks": [[number, mark_of_line(text)] for number, text in lines]}
        elif message.kind == ANSWER:
            keep_answer(
                self._store,
                message.table,
                _number(body.get("answers")),
                body.get("ok"),
                printable(str(body.get("text", "")))[:LONGEST_ANSWER],
            )
        self._answer(message, {"ask": ask, **answer})

    def _store_picture(self, table: str, body: Mapping[str, Any], jpeg: bytes) -> None:
        number, name = _number(body.get("number")), body.get("name")
        if name not in PICTURE_NAMES:
            raise BadMessageError("a picture of nothing")
        # Browsers get these bytes unchanged as image/jpeg, so they must be a JPEG.
        if len(jpeg) > LARGEST_PICTURE or not jpeg.startswith(b"\xff\xd8\xff"):
            raise BadMessageError("not a picture")
        self._store.keep_picture(table, number, str(name), jpeg)

    def _answer(self, message: Message, body: Mapping[str, Any]) -> None:
        purpose = to_table(self._keys.id, message.table)
        message.answer(OK, signed(self._keys.signing, purpose, to_bytes(body)))

    # --- tables that wait ------------------------------------------------------------------

    def _hold(self, message: Message) -> Health:
        """Hold a table's question, and return how the table is."""
        body = from_bytes(message.body)
        ask, known = _ask(body), _number(body.get("known"))
        health = _health(message.table, body)
        if (before := self._held.get(message.table)) is not None:
            self._end(before, ())
        self._held[message.table] = Held(message, ask, known, self._clock() + HOLD_S)
        return health

    def _tell_rulings(self, tables: set[str]) -> None:
        """Answer those of the tables that wait for which there is a new ruling."""
        if not (tables := tables & self._held.keys()):
            return
        rulings: dict[str, list[Decision]] = {table: [] for table in tables}
        for decision in unanswered(self._store, tables):
            rulings[decision.table].append(decision)
        for table, open_ in rulings.items():
            held = self._held[table]
            held.rulings = tuple(open_)
            if any(decision.ruling > held.known for decision in open_):
                self._end(held, held.rulings)

    def _end_held(self, now_s: float) -> None:
        for held in [one for one in self._held.values() if one.until_s <= now_s]:
            self._end(held, held.rulings)

    def _end(self, held: Held, rulings: Iterable[Decision]) -> None:
        del self._held[held.message.table]
        body = {"ask": held.ask, "rulings": [ruling(one) for one in rulings]}
        self._answer(held.message, {**body, "doors": list(self._doors)})


def ruling(decision: Decision) -> dict[str, Any]:
    """Return a decision as its table receives it."""
    return {"ruling": decision.ruling, "do": dict(decision.body)}


def _health(table: str, body: Mapping[str, Any]) -> Health:
    health = body.get("health")
    if not isinstance(health, dict):
        raise BadMessageError("nothing about its health")
    # Half a character, or a number like NaN, would break the pages that show it: neither can be
    # written like this, which refuses the message.
    if len(json.dumps(health, ensure_ascii=False, allow_nan=False).encode()) > HEALTH_BYTES:
        raise BadMessageError("too much about its health")
    if any(isinstance(value, int) and abs(value) > LARGEST_HEALTH for value in health.values()):
        raise BadMessageError("too large a number about its health")
    return Health(table, _number(body.get("n")), health)


def _ask(body: Mapping[str, Any]) -> str:
    ask = body.get("ask")
    if not is_word(ask):
        raise BadMessageError("a message that asks for no answer")
    return str(ask)


def _number(value: Any) -> int:
    if not whole_number(value):
        raise BadMessageError("not a number")
    return int(value)

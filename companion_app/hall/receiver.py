"""The hall's end of the line: verifies the messages of tables, stores them and answers.

Every process of a hall runs a receiver; the broker gives each message to one of them. Messages
that arrive during a transaction are stored together in the next one. A batch that cannot be stored
is not answered, so its table sends it again.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from companion_app.hall.errors import BadMessageError, DatabaseError
from companion_app.hall.line.broker import BrokerAddress
from companion_app.hall.line.keys import HALL, HallKeys, key_to_pem, public_from_text
from companion_app.hall.line.marks import mark_of_line
from companion_app.hall.line.message import (
    ANSWER,
    ASK,
    HEALTH,
    JOURNAL,
    LARGEST_PICTURE,
    MOST_BYTES,
    PICTURE,
    Batch,
    from_bytes,
    is_word,
    opened,
    parse_batch,
    printable,
    sender_of,
    signed,
    to_bytes,
    topic_to,
    whole_number,
)
from companion_app.hall.line.mqtt import KEEP_ALIVE_S, close_client, new_client
from companion_app.hall.store.arbiter_store import keep_answer
from companion_app.hall.store.hall_store import HallStore, Health

log = logging.getLogger(__name__)
MOST_WAITING = 2000
"""Messages queued for storing; any beyond that are dropped, and their tables resend them."""
MOST_TOGETHER = 100
"""Messages that are taken from the queue and stored together."""
A_SECOND, AT_ONCE = 20.0, 280.0
"""Rate limit of one table (token bucket): tokens per second, and tokens at most: enough for a full
batch and the two largest pictures of a foul, which are sent together."""
SMALL_BYTES = 8192
"""A message costs one token, and one more for each full 8 KiB: a batch some 17, a picture 129."""
GATHER_S = 0.05
"""Seconds for which messages are collected before they are stored together."""
MARKS_AT_ONCE = 500
HEALTH_BYTES = 2000
LARGEST_HEALTH = 10**12
"""The largest whole number in a table's health; metrics are floats, and a longer one is none."""
LONGEST_ANSWER = 500
UNKNOWN_S = 2.0
"""Seconds before an unknown table is looked up in the store again."""
MOST_UNKNOWN = 1000
PICTURE_NAMES = ("before", "after")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A verified message that is queued for storing."""

    table: str
    kind: str
    body: bytes


class Receiver:
    """Receives, verifies and stores what tables send."""

    def __init__(
        self,
        store: HallStore,
        keys: HallKeys,
        broker: BrokerAddress,
        added: Callable[[Mapping[str, str]], None] = lambda _games: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counts: Counter[str] = Counter()
        """Messages that were not taken, by outcome."""
        self._store, self._keys, self._broker, self._added = store, keys, broker, added
        self._clock = clock
        self._public: dict[str, Ed25519PublicKey] = {}
        """Keys by table id; never stale, as an id is its key's hash. The store refuses revoked."""
        self._unknown_s: dict[str, float] = {}
        self._allowance: dict[str, tuple[float, float]] = {}
        self._queue: deque[Waiting] = deque()
        self._news = threading.Condition()
        self._stopped = False
        own = Ed25519PrivateKey.generate()
        certificate = keys.certificate_pem(HALL, own.public_key())
        self._client = new_client(keys.authority_pem, certificate, key_to_pem(own))
        self._client.on_connect = self._connected
        self._client.on_message = self._heard
        self._thread = threading.Thread(target=self._store_all, name="receiver", daemon=True)

    def start(self) -> None:
        """Connect to the broker in the background, again whenever the connection is lost."""
        self._client.connect_async(self._broker.host, self._broker.port, KEEP_ALIVE_S)
        self._client.loop_start()
        self._thread.start()

    def close(self) -> None:
        """Disconnect; tables resend what was not answered, to another process or later."""
        close_client(self._client)
        with self._news:
            self._stopped = True
            self._news.notify_all()
        self._thread.join(10)

    @property
    def connected(self) -> bool:
        """Whether the broker is connected."""
        return bool(self._client.is_connected())

    def tell(self, table: str, body: Mapping[str, Any]) -> None:
        """Send a table a signed message, without waiting for its delivery."""
        topic = topic_to(self._keys.id, table)
        self._client.publish(topic, signed(self._keys.signing, topic, to_bytes(body)), qos=1)

    # --- hearing ---------------------------------------------------------------------------

    def _connected(self, client: Any, *_: object) -> None:
        topics = f"snake-eye-hall/{self._keys.id}/from/+/+"
        client.subscribe(f"$share/hall/{topics}", qos=1)

    def _heard(self, _client: object, _data: object, message: Any) -> None:
        try:
            waiting = self.checked(message.topic, message.payload)
        except BadMessageError as error:
            self.counts["refused"] += 1
            log.info("a message was thrown away: %s", error)
            return
        except DatabaseError as error:
            self.counts["unstored"] += 1
            log.warning("%s", error)
            return
        with self._news:
            if len(self._queue) >= MOST_WAITING:
                self.counts["dropped"] += 1
                return
            self._queue.append(waiting)
            self._news.notify()

    def checked(self, topic: str, message: bytes) -> Waiting:
        """Return a message after verifying that its table signed it.

        Raises:
            BadMessageError: it is too large, unsigned, of no member, or over the rate limit.
        """
        if len(message) > MOST_BYTES:
            raise BadMessageError("too large")
        table, kind = sender_of(self._keys.id, topic)
        key = self._key_of(table)
        if key is None:
            raise BadMessageError("of a table that nobody let in")
        if not self._is_allowed(table, 1 + len(message) // SMALL_BYTES):
            raise BadMessageError("too many of one table")
        return Waiting(table, kind, opened(key, topic, message))

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

    # --- storing ---------------------------------------------------------------------------

    def _store_all(self) -> None:
        while True:
            with self._news:
                while not self._queue and not self._stopped:
                    self._news.wait()
                if self._stopped:
                    return
            time.sleep(GATHER_S)
            with self._news:
                count = min(len(self._queue), MOST_TOGETHER)
                together = [self._queue.popleft() for _ in range(count)]
            try:
                self.take_in(together)
            except DatabaseError as error:
                self.counts["unstored"] += len(together)
                log.warning("%s", error)

    def take_in(self, together: list[Waiting]) -> None:
        """Store messages, and answer those that ask for it.

        Raises:
            DatabaseError: the database does not answer; tables resend what was not answered.
        """
        batches: list[Batch] = []
        healths: list[Health] = []
        for one in together:
            try:
                if one.kind == JOURNAL:
                    batches.append(parse_batch(one.table, one.body))
                elif one.kind == HEALTH:
                    healths.append(_health(one))
                else:
                    self._take_other(one)
            except (BadMessageError, ValueError, RecursionError) as error:
                # Whatever one table sends, the messages of the others are stored.
                self.counts["refused"] += 1
                log.info("a message of table %s was thrown away: %s", one.table, error)
        if batches:
            self._take_batches(batches)
        if healths:
            self._store.keep_health(healths)

    def _take_batches(self, batches: list[Batch]) -> None:
        taken = self._store.take_in(batches)
        for done in taken:
            self.tell(done.table, {"ask": done.ask, "acked": done.acked})
        if grown := {done.table: done.game for done in taken if done.added}:
            self._added(grown)

    def _take_other(self, one: Waiting) -> None:
        if one.kind == PICTURE:
            self._take_picture(one)
            return
        said = from_bytes(one.body)
        if one.kind == ASK:
            self._answer_marks(one.table, said)
        elif one.kind == ANSWER:
            keep_answer(
                self._store,
                one.table,
                _number(said.get("answers")),
                said.get("ok"),
                printable(str(said.get("text", "")))[:LONGEST_ANSWER],
            )

    def _take_picture(self, one: Waiting) -> None:
        head, _, jpeg = one.body.partition(b"\n")
        said = from_bytes(head)
        number, name, ask = _number(said.get("number")), said.get("name"), said.get("ask")
        if name not in PICTURE_NAMES or not is_word(ask):
            raise BadMessageError("a picture of nothing")
        # Browsers get these bytes unchanged as image/jpeg, so they must be a JPEG.
        if len(jpeg) > LARGEST_PICTURE or not jpeg.startswith(b"\xff\xd8\xff"):
            raise BadMessageError("not a picture")
        self._store.keep_picture(one.table, number, str(name), jpeg)
        if said.get("last") is True:
            self.tell(one.table, {"ask": ask, "pictured": number})

    def _answer_marks(self, table: str, said: Mapping[str, Any]) -> None:
        ask, after = said.get("ask"), _number(said.get("after"))
        if not is_word(ask):
            raise BadMessageError("a question without a mark")
        lines = self._store.texts_after(table, after, MARKS_AT_ONCE)
        self.tell(table, {"ask": ask, "marks": [[n, mark_of_line(text)] for n, text in lines]})


def _health(one: Waiting) -> Health:
    said = from_bytes(one.body)
    number = _number(said.pop("n", None))
    # Half a character, or a number like NaN, would break the pages that show it: neither can be
    # written like this, which refuses the message.
    if len(json.dumps(said, ensure_ascii=False, allow_nan=False).encode()) > HEALTH_BYTES:
        raise BadMessageError("too much about its health")
    if any(isinstance(value, int) and abs(value) > LARGEST_HEALTH for value in said.values()):
        raise BadMessageError("too large a number about its health")
    return Health(one.table, number, said)


def _number(value: Any) -> int:
    if not whole_number(value):
        raise BadMessageError("not a number")
    return int(value)

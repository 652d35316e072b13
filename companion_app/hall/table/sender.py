"""Sends the table's log to its hall.

One batch is in flight at a time. A batch without an acknowledgement is sent again with growing
delays, after the last line that the hall names, so that a restored hall gets all it has lost.
"""

from __future__ import annotations

import logging
import queue
import random
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion_app.hall.errors import BadMessageError
from companion_app.hall.line.keys import key_to_pem, public_from_text
from companion_app.hall.line.message import (
    ANSWER,
    BATCH_BYTES,
    HEALTH,
    JOURNAL,
    LARGEST_PICTURE,
    MOST_LINES,
    PICTURE,
    batch_to_bytes,
    from_bytes,
    opened,
    signed,
    to_bytes,
    topic_from,
    topic_to,
    whole_number,
)
from companion_app.hall.line.mqtt import KEEP_ALIVE_S, close_client, new_client
from companion_app.hall.table.journal import Journal
from companion_app.hall.table.membership import Membership, MembershipFiles, key_of
from companion_app.live.errors import StoreError
from companion_app.live.store import FILE

log = logging.getLogger(__name__)
LOOK_S = 0.05
"""Seconds between two polls of the log: half of what a phone needs to show a change."""
WAIT_S = 1.0
LONGEST_WAIT_S = 3.0
"""First and longest timeout for an answer; a hall that is back has everything within 5 s."""
HEALTH_S = 10.0
MOST_PICTURE_TRIES = 3
LIVES = 1 << 32
"""Message numbers that are reserved for one run of the sender."""
Health = Callable[[], Mapping[str, Any]]
Obey = Callable[[Mapping[str, Any], int], Mapping[str, Any]]
"""Carries out a ruling by its content and number; returns ``{"ok": …, "text": …}``."""


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A request in flight, and when its answer is overdue."""

    ask: str
    until_s: float


class Sender:
    """One table's connection to its hall."""

    def __init__(
        self,
        membership: Membership,
        files: MembershipFiles,
        journal: Journal,
        health: Health = dict,
        obey: Obey | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.member = membership
        self._files, self._journal, self._health, self._obey = files, journal, health, obey
        self._clock = clock
        self._key = key_of(membership)
        self._hall_key = public_from_text(membership.hall_key)
        self._topic = topic_to(membership.hall, membership.table)
        cursor = files.cursor()
        self.cursor = replace(cursor, life=cursor.life + 1)
        self._kept = cursor
        self._keep()
        self._sent = 0
        self._heard: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._under_way: UnderWay | None = None
        self._wait_s = WAIT_S
        self._greeted = False
        """Whether the hall has named its last line since the last connect or timeout."""
        self._mark: tuple[int, int] | None = None
        self._picture, self._picture_tries = 0, 0
        self._health_due_s = 0.0
        self._client = new_client(
            membership.authority, membership.certificate, key_to_pem(self._key)
        )
        self._client.on_connect = self._connected
        self._client.on_message = lambda *heard: self._heard.put(bytes(heard[2].payload))

    def start(self) -> None:
        """Connect to the broker in the background, again whenever the connection is lost."""
        self._client.connect_async(self.member.broker_host, self.member.broker_port, KEEP_ALIVE_S)
        self._client.loop_start()

    def close(self) -> None:
        """Disconnect; what was not acknowledged is sent after the next start."""
        self._keep()
        close_client(self._client)
        self._journal.close()

    def run(self, stop: threading.Event) -> None:
        """Send until told to stop."""
        while not stop.wait(LOOK_S):
            self.step()

    def step(self) -> None:
        """Do what is due: handle received messages, send new lines, resend overdue ones."""
        while not self._heard.empty():
            self._take(self._heard.get())
        if not self._client.is_connected():
            return
        now_s = self._clock()
        if now_s >= self._health_due_s:
            self._health_due_s = now_s + HEALTH_S
            self._send(HEALTH, {"n": self._number(), **self._health()}, qos=0)
        if self._under_way is not None:
            if now_s < self._under_way.until_s:
                return
            self._late()
        try:
            self._send_next(now_s)
        except StoreError as error:
            log.warning("%s", error)

    # --- sending ---------------------------------------------------------------------------

    def _send_next(self, now_s: float) -> None:
        mark = self._journal.mark()
        if self._greeted and mark == self._mark:
            return
        acked = self.cursor.acked
        lines = self._journal.after(acked, MOST_LINES, BATCH_BYTES) if self._greeted else []
        if lines or not self._greeted:
            ask = self._ask(now_s)
            self._publish(JOURNAL, batch_to_bytes(ask, acked, [text for _, text in lines]))
            return
        if pictures := self._journal.pictures_after(self.cursor.pictured, acked):
            self._send_pictures(pictures, now_s)
            return
        # Everything is sent; the file is read again when its mark changes.
        self._mark = mark

    def _send_pictures(self, pictures: list[tuple[int, str, bytes]], now_s: float) -> None:
        foul = pictures[0][0]
        self._picture_tries = self._picture_tries + 1 if foul == self._picture else 1
        self._picture = foul
        fit = [one for one in pictures if len(one[2]) <= LARGEST_PICTURE]
        if not fit or self._picture_tries > MOST_PICTURE_TRIES:
            # Skipped: lines must not wait for pictures that are too large or never acknowledged.
            self.cursor = replace(self.cursor, pictured=foul)
            return
        ask = self._ask(now_s)
        for count, (number, name, jpeg) in enumerate(fit, start=1):
            said = {"number": number, "name": name, "ask": ask, "last": count == len(fit)}
            self._publish(PICTURE, to_bytes(said) + b"\n" + jpeg)

    def _ask(self, now_s: float) -> str:
        self._under_way = UnderWay(secrets.token_hex(8), now_s + self._wait_s)
        return self._under_way.ask

    def _late(self) -> None:
        """Ask the hall for its last line again, with a growing, randomized timeout."""
        self._under_way = None
        self._wait_s = min(LONGEST_WAIT_S, self._wait_s * 1.5) * random.uniform(0.8, 1.0)
        self._greeted = False

    def _send(self, kind: str, body: Mapping[str, Any], qos: int = 1) -> None:
        self._publish(kind, to_bytes(body), qos)

    def _publish(self, kind: str, body: bytes, qos: int = 0) -> None:
        topic = topic_from(self.member.hall, self.member.table, kind)
        self._client.publish(topic, signed(self._key, topic, body), qos=qos)

    def _number(self) -> int:
        self._sent += 1
        return self.cursor.life * LIVES + self._sent

    # --- hearing ---------------------------------------------------------------------------

    def _connected(self, client: Any, *_: object) -> None:
        client.subscribe(self._topic, qos=1)
        self._greeted = False
        self._under_way = None
        self._wait_s = WAIT_S

    def _take(self, message: bytes) -> None:
        try:
            said = from_bytes(opened(self._hall_key, self._topic, message))
        except BadMessageError as error:
            log.warning("a message that is not the hall's: %s", error)
            return
        if "ruling" in said:
            self._rule(said)
        elif self._under_way is not None and said.get("ask") == self._under_way.ask:
            self._answered(said)

    def _answered(self, said: Mapping[str, Any]) -> None:
        self._under_way = None
        self._wait_s = WAIT_S
        acked, pictured = said.get("acked"), said.get("pictured")
        if whole_number(acked):
            assert isinstance(acked, int)
            self._greeted = True
            self._mark = None
            self.cursor = replace(self.cursor, acked=acked)
        if whole_number(pictured):
            assert isinstance(pictured, int)
            self.cursor = replace(self.cursor, pictured=pictured)
        self._keep()

    def _rule(self, said: Mapping[str, Any]) -> None:
        """Obey a ruling once, and answer it every time that it is sent."""
        number, do = said["ruling"], said.get("do")
        if not whole_number(number) or not isinstance(do, Mapping) or self._obey is None:
            return
        if number > self.cursor.ruled:
            # Stored before it is carried out: a power cut cannot make it happen twice.
            self.cursor = replace(self.cursor, ruled=number)
            self._keep()
            done = dict(self._obey(do, number))
        else:
            done = {"ok": None, "text": ""}
        self._send(ANSWER, {"n": self._number(), "answers": number, **done})

    def _keep(self) -> None:
        if self.cursor != self._kept:
            self._files.keep(self.cursor)
            self._kept = self.cursor


def send_log(home: Path, health: Health, obey: Obey, stop: threading.Event) -> None:
    """Send the log of a home until told to stop, or until the table has left its hall.

    Raises:
        HallError: what the table keeps of its hall is damaged.
    """
    files = MembershipFiles(home)
    if (membership := files.membership()) is None:
        return
    sender = Sender(membership, files, Journal(home / FILE), health, obey)
    sender.start()
    try:
        while not stop.wait(LOOK_S) and files.is_member(membership):
            sender.step()
    finally:
        sender.close()

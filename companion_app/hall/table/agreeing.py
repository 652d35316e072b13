"""Compares the table's log with the hall's, line by line, by marks that the hall has signed."""

from __future__ import annotations

import queue
import secrets
import sys
import threading
import time
from dataclasses import dataclass

from companion_app.hall.errors import BadMessageError, HallError
from companion_app.hall.line.keys import key_to_pem, public_from_text
from companion_app.hall.line.marks import mark_of_line
from companion_app.hall.line.message import (
    ASK,
    from_bytes,
    opened,
    signed,
    to_bytes,
    topic_from,
    topic_to,
)
from companion_app.hall.line.mqtt import KEEP_ALIVE_S, close_client, new_client
from companion_app.hall.table.journal import Journal
from companion_app.hall.table.membership import Membership, key_of


@dataclass(frozen=True, slots=True)
class Agreement:
    """The result of comparing the two logs."""

    lines: int
    """Number of lines that are the same on both sides."""
    differing: tuple[int, ...]
    missing: tuple[int, ...]
    """Numbers of lines that only one side has."""

    @property
    def ok(self) -> bool:
        """Whether both logs are the same."""
        return not self.differing and not self.missing


def compare(membership: Membership, journal: Journal, wait_s: float = 20.0) -> Agreement:
    """Compare table and hall line by line, by marks that the hall has signed.

    Raises:
        HallError: the hall does not answer.
    """
    ours = {
        number: mark_of_line(text)
        for number, text in journal.after(membership.since, sys.maxsize, sys.maxsize)
    }
    theirs: dict[int, str] = {}
    asking = _Asking(membership, wait_s)
    try:
        after = membership.since
        while page := asking.marks(after):
            theirs.update(page)
            after = max(page)
    finally:
        asking.close()
    both = ours.keys() & theirs.keys()
    differing = tuple(sorted(n for n in both if ours[n] != theirs[n]))
    return Agreement(
        len(both) - len(differing), differing, tuple(sorted(ours.keys() ^ theirs.keys()))
    )


class _Asking:
    """Asks the hall one question at a time."""

    def __init__(self, membership: Membership, wait_s: float) -> None:
        self._member, self._wait_s = membership, wait_s
        self._key, self._hall_key = key_of(membership), public_from_text(membership.hall_key)
        self._topic = topic_to(membership.hall, membership.table)
        self._heard: queue.Queue[bytes] = queue.Queue()
        self._ready = threading.Event()
        self._client = new_client(
            membership.authority, membership.certificate, key_to_pem(self._key)
        )
        self._client.on_connect = lambda client, *_: client.subscribe(self._topic, qos=1)
        self._client.on_subscribe = lambda *_: self._ready.set()
        self._client.on_message = lambda *heard: self._heard.put(bytes(heard[2].payload))
        self._client.connect_async(membership.broker_host, membership.broker_port, KEEP_ALIVE_S)
        self._client.loop_start()

    def marks(self, after: int) -> dict[int, str]:
        """Return the marks of the hall's next lines, by their numbers."""
        until_s = time.monotonic() + self._wait_s
        if not self._ready.wait(self._wait_s):
            raise HallError("the hall's broker does not answer; is the hall running?")
        ask = secrets.token_hex(8)
        topic = topic_from(self._member.hall, self._member.table, ASK)
        body = to_bytes({"ask": ask, "after": after})
        while time.monotonic() < until_s:
            self._client.publish(topic, signed(self._key, topic, body), qos=1)
            try:
                said = from_bytes(opened(self._hall_key, self._topic, self._heard.get(timeout=2)))
            except (queue.Empty, BadMessageError):
                continue
            if said.get("ask") == ask:
                return {int(number): str(mark) for number, mark in said["marks"]}
        raise HallError("the hall does not answer; is it running?")

    def close(self) -> None:
        close_client(self._client)

"""Sends the table's log to its hall, and hears from it.

Lines go one batch after the other, each after the last line that the hall has named, so that a
restored hall gets all it has lost. A second line waits at the hall for what the arbiter rules, and
tells on the way how the table is.
"""

from __future__ import annotations

import logging
import queue
import random
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from companion_app.games.kept import KeptGames
from companion_app.hall.errors import HallError, JoinError, NoAnswerError
from companion_app.hall.line.message import (
    ANSWER,
    BATCH_BYTES,
    HOLD_S,
    LARGEST_PICTURE,
    LINES,
    MOST_LINES,
    PICTURE,
    WAIT,
    whole_number,
)
from companion_app.hall.table.hall_line import ANSWER_S, MOST_DOORS, Doors, HallLine, is_door
from companion_app.hall.table.membership import Membership, MembershipFiles, with_door
from companion_app.live.errors import StoreError
from companion_app.live.store import FILE

log = logging.getLogger(__name__)
LOOK_S = 0.05
"""Seconds between two polls of the log: half of what a phone needs to show a change."""
PAUSE_S, LONGEST_PAUSE_S = 0.1, 3.0
"""First and longest pause after an answer that did not come; a hall that is back has everything
within 5 s."""
LOST_S = 60.0
"""Seconds without an answer after which the hall's page is asked where tables send to now."""
MOST_PICTURE_TRIES = 3
LIVES = 1 << 32
"""Message numbers that are reserved for one run of the sender."""
SHOWN = "foul"
"""The kind of line whose pictures go to the hall, for its arbiters."""
Health = Callable[[], Mapping[str, Any]]
Obey = Callable[[Mapping[str, Any], int], Mapping[str, Any]]
"""Carries out a ruling by its content and number; returns ``{"ok": …, "text": …}``."""


def pause_s(failures: int) -> float:
    """Return the seconds to wait after failures in a row: longer each time, and not all alike."""
    return min(LONGEST_PAUSE_S, PAUSE_S * 2.0 ** min(failures, 9)) * random.uniform(0.7, 1.0)


class Sender:
    """One table's connection to its hall: ``step`` sends, and a thread listens."""

    def __init__(
        self,
        membership: Membership,
        files: MembershipFiles,
        games: KeptGames,
        health: Health = dict,
        obey: Obey | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.member = membership
        self._files, self._games, self._health, self._obey = files, games, health, obey
        self._clock = clock
        cursor = files.cursor()
        self.cursor = replace(cursor, life=cursor.life + 1)
        self._on_disk = cursor
        self._keep()
        self._numbers = count(self.cursor.life * LIVES + 1)
        self._doors = Doors(membership, cursor.doors, clock)
        self._sending = HallLine(membership, self._doors)
        self._waiting = HallLine(membership, self._doors, HOLD_S + ANSWER_S)
        self._heard: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._greeted = False
        """Whether the hall has named its last line since it last did not answer."""
        self._mark: tuple[int, int] | None = None
        self._picture, self._picture_tries = 0, 0
        self._failures, self._pause_until_s = 0, 0.0
        self._answered_s = clock()
        self._stop = threading.Event()
        self._listener = threading.Thread(target=self._listen, name="hall news", daemon=True)

    def start(self) -> None:
        """Listen in the background from now on."""
        self._listener.start()

    def close(self) -> None:
        """Stop; what was not acknowledged is sent after the next start."""
        self._stop.set()
        self._waiting.hang_up()
        if self._listener.ident is not None:
            self._listener.join(5)
        self._sending.close()
        self._keep()
        self._games.close()

    def run(self, stop: threading.Event) -> None:
        """Send until told to stop."""
        while not stop.wait(LOOK_S):
            self.step()

    def step(self) -> None:
        """Do what is due: carry out rulings, then send what is new, and wait for the answer."""
        while not self._heard.empty():
            self._take(self._heard.get())
        if self._clock() < self._pause_until_s:
            return
        try:
            self._send_next()
        except StoreError as error:
            log.warning("%s", error)
        except HallError as error:
            log.info("%s", error)
            self._greeted = False
            self._pause_until_s = self._clock() + pause_s(self._failures)
            self._failures += 1

    @property
    def silence_s(self) -> float:
        """Seconds since the hall last answered, or since nothing more was to be asked."""
        return 0.0 if self._greeted else self._clock() - self._answered_s

    # --- sending ---------------------------------------------------------------------------

    def _send_next(self) -> None:
        mark = self._games.mark()
        if self._greeted and mark == self._mark:
            return
        acked = self.cursor.acked
        lines = self._games.after(acked, MOST_LINES, BATCH_BYTES) if self._greeted else []
        if lines or not self._greeted:
            batch = {"after": acked, "lines": [text for _, text in lines]}
            self._acknowledge(self._sending.ask(LINES, batch))
        elif pictures := self._games.pictures_after(self.cursor.pictured, acked, SHOWN):
            self._send_pictures(pictures)
        else:
            # Everything is sent; the file is read again when its mark changes.
            self._mark = mark

    def _acknowledge(self, answer: Mapping[str, Any]) -> None:
        acked = answer.get("acked")
        if not whole_number(acked):
            raise NoAnswerError("the hall does not say which lines it has")
        assert isinstance(acked, int)
        self._greeted, self._mark = True, None
        self._answered_s = self._clock()
        self._failures = 0
        self.cursor = replace(self.cursor, acked=acked)
        self._keep()

    def _send_pictures(self, pictures: list[tuple[int, str, bytes]]) -> None:
        foul = pictures[0][0]
        self._picture_tries = self._picture_tries + 1 if foul == self._picture else 1
        self._picture = foul
        if self._picture_tries <= MOST_PICTURE_TRIES:
            for number, name, jpeg in pictures:
                if len(jpeg) <= LARGEST_PICTURE:
                    self._sending.ask(PICTURE, {"number": number, "name": name}, jpeg)
        # Where they were tried too often, they are left out: lines must not wait for them.
        self.cursor = replace(self.cursor, pictured=foul)
        self._keep()

    # --- hearing ---------------------------------------------------------------------------

    def _listen(self) -> None:
        failures, known = 0, self.cursor.ruled
        while not self._stop.is_set():
            try:
                health = {"n": next(self._numbers), "health": dict(self._health())}
                answer = self._waiting.ask(WAIT, {**health, "known": known})
            except HallError as error:
                log.info("%s", error)
                self._stop.wait(pause_s(failures))
                failures += 1
                continue
            failures = 0
            self._heard.put(answer)
            for ruling in _rulings(answer):
                number = ruling.get("ruling")
                if isinstance(number, int):
                    known = max(known, number)
        self._waiting.close()

    def _take(self, answer: Mapping[str, Any]) -> None:
        """Take in what the hall said to the one who waited."""
        doors = answer.get("doors")
        if isinstance(doors, list) and doors != list(self.cursor.doors):
            doors = [door for door in doors if is_door(door)][:MOST_DOORS]
            self._doors.put(doors)
            self.cursor = replace(self.cursor, doors=tuple(doors))
            self._keep()
        for ruling in _rulings(answer):
            self._rule(ruling)

    def _rule(self, ruling: Mapping[str, Any]) -> None:
        """Obey a ruling once, and answer it every time that it comes."""
        number, do = ruling.get("ruling"), ruling.get("do")
        if not whole_number(number) or not isinstance(do, Mapping) or self._obey is None:
            return
        assert isinstance(number, int)
        if number > self.cursor.ruled:
            # Stored before it is carried out: a power cut cannot make it happen twice.
            self.cursor = replace(self.cursor, ruled=number)
            self._keep()
            outcome = dict(self._obey(do, number))
        else:
            outcome = {"ok": None, "text": ""}
        try:
            self._sending.ask(ANSWER, {"answers": number, **outcome})
        except HallError as error:
            # The hall sends a ruling again until it has an answer.
            log.info("%s", error)

    def _keep(self) -> None:
        if self.cursor != self._on_disk:
            self._files.keep(self.cursor)
            self._on_disk = self.cursor


def _rulings(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    rulings = answer.get("rulings")
    return [one for one in rulings if isinstance(one, dict)] if isinstance(rulings, list) else []


def send_log(home: Path, health: Health, obey: Obey, stop: threading.Event) -> None:
    """Send the log of a home until told to stop, or until the table has left its hall.

    Raises:
        HallError: what the table keeps of its hall is damaged, or it does not say where to send.
    """
    files = MembershipFiles(home)
    if (membership := files.membership()) is None:
        return
    if not membership.fingerprint:
        membership = with_door(membership)
        files.renew(membership)
    sender = Sender(membership, files, KeptGames(home / FILE), health, obey)
    sender.start()
    try:
        while not stop.wait(LOOK_S) and files.is_member(membership) and sender.silence_s < LOST_S:
            sender.step()
    finally:
        sender.close()
    if sender.silence_s >= LOST_S and files.is_member(membership):
        # It may take messages elsewhere by now, or have come back from a backup of 1.0.0.
        with suppress(JoinError):
            files.renew(with_door(membership))

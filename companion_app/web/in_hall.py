"""This table in its hall, a task of the page: the log is sent there, and rulings are carried out.

Nothing of the hall is loaded before this table has joined one.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from companion_app.help_orders import FOLDER, HELP_OFF, HELP_ON, JOINED, Order, keep_order
from companion_app.line.commands import EyeCommands, HallRuling
from companion_app.line.eye import EyeBrokenError
from companion_app.live.errors import LiveError
from companion_app.refusal import Refusal, refusal_of
from companion_app.web.context import Companion
from companion_app.web.speech import Speech

log = logging.getLogger(__name__)
LOOK_S = 1.0
"""Seconds between two looks whether this table has joined a hall."""
THERMOMETER = Path("/sys/class/thermal/thermal_zone0/temp")


class InHall:
    """A thread that sends the log of this table while it is in a hall."""

    def __init__(self, companion: Companion) -> None:
        self._companion = companion
        self._asked_s: dict[int, float] = {}
        """When each open question was first seen, by id (monotonic time)."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)

    def start(self) -> None:
        """Send in the background from now on."""
        self._thread.start()

    def close(self) -> None:
        """Stop; what was not acknowledged is sent after the next start."""
        self._stop.set()
        self._thread.join(5)

    def _run(self) -> None:
        home = self._companion.home
        while not self._stop.wait(LOOK_S):
            if not (home / FOLDER / JOINED).exists():
                continue
            try:
                from companion_app.hall.table.sender import send_log

                send_log(home, self.health, self.obey, self._stop)
            except Exception:
                # Whatever is wrong there, the page goes on, and sends again later.
                log.exception("nothing is sent to the hall now")
                self._stop.wait(LOOK_S * 10)

    def health(self) -> Mapping[str, Any]:
        """Return the table's health: machine, camera, and how long a question has been open."""
        report = {**_machine(self._companion.home), "camera": "no-page", "question_s": 0}
        try:
            now = self._companion.now()
        except (Refusal, EyeBrokenError, LiveError):
            return report
        now_s = time.monotonic()
        self._asked_s = {
            number: self._asked_s.get(number, now_s)
            for number in (shown.question["id"] for shown in now.standing.questions)
        }
        longest_s = max((now_s - since_s for since_s in self._asked_s.values()), default=0.0)
        return {
            **report,
            "camera": now.standing.seeing,
            "source": now.standing.kind,
            "question_s": round(longest_s),
        }

    def obey(self, do: Mapping[str, Any], number: int) -> Mapping[str, Any]:
        """Carry out a ruling; return what the arbiter hears of it."""
        try:
            self.carry_out(do, number)
        except Exception as error:
            refusal = refusal_of(error)
            if refusal is None:
                log.exception("a ruling could not be carried out")
            code = "broken" if refusal is None else refusal.code
            return {"ok": False, "text": Speech("en").page(f"error-{code}", n=0, address="")}
        return {"ok": True, "text": ""}

    def carry_out(self, do: Mapping[str, Any], number: int) -> None:
        """Carry out a ruling of the hall's arbiter, which needs no PIN; the log has it, too.

        Raises:
            Refusal: the table has played on, or there is nothing to be done.
        """
        if do.get("what") in (HELP_OFF, HELP_ON):
            self._order_help(do, number)
            return
        try:
            ruling = msgspec.convert({"key": None, **do, "ruling": number}, HallRuling)
        except msgspec.ValidationError as error:
            raise Refusal("an unknown ruling") from error
        self._companion.eye.ask(EyeCommands.obey, ruling)

    def _order_help(self, do: Mapping[str, Any], number: int) -> None:
        """Switch hints and the machine's help off or on; a running game logs it as a ruling."""
        from companion_app.hall.table.membership import MembershipFiles

        member, about = MembershipFiles(self._companion.home).membership(), do.get("order")
        if member is None:
            return
        order = Order(
            number,
            do["what"] == HELP_ON,
            member.table,
            dict(about) if isinstance(about, Mapping) else {},
        )
        if not keep_order(self._companion.home, order):
            return
        self._companion.hub.publish({"event": "settings"})
        match = self._companion.now().match
        if match is not None:
            ruling = HallRuling(str(do["what"]), match.key, number)
            self._companion.eye.ask(EyeCommands.obey, ruling)


def _machine(home: Path) -> dict[str, Any]:
    disk = shutil.disk_usage(home if home.exists() else "/")
    report: dict[str, Any] = {"disk_free_mb": disk.free >> 20, "version": "", "degrees": None}
    with suppress(metadata.PackageNotFoundError):
        report["version"] = metadata.version("snake-eye")
    with suppress(OSError, ValueError):
        report["degrees"] = int(THERMOMETER.read_text(encoding="ascii")) // 1000
    return report

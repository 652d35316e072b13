"""The sender's client for the table's own page: reads the table's health, delivers rulings.

Requests go to the loopback address and time out after ``ANSWER_S``; a page that does not answer is
reported as such.
"""

from __future__ import annotations

import base64
import http.client
import json
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from companion_app.home import home_folder

ANSWER_S = 3.0
LOOK_S = 5.0
THERMOMETER = Path("/sys/class/thermal/thermal_zone0/temp")
LONGEST = 1 << 20


class OwnPage:
    """The page of this table."""

    def __init__(self, address: str, clock: Callable[[], float] = time.monotonic) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._clock = clock
        self._asked_s: dict[str, float] = {}
        """When each open question was first seen, by id (monotonic time)."""
        self._newest: Mapping[str, Any] = {}

    def watch(self, stop: threading.Event) -> None:
        """Poll the table's health until told to stop, so that ``newest`` never blocks."""
        while not stop.is_set():
            self._newest = self.health()
            stop.wait(LOOK_S)

    def newest(self) -> Mapping[str, Any]:
        """Return the table's health as of the last poll."""
        return self._newest

    def health(self) -> Mapping[str, Any]:
        """Return the table's health: machine, camera, and how long a question has been open."""
        said = {**_machine(), "camera": "no-page", "question_s": 0}
        try:
            state = self._ask("GET", "/api/state?lang=en")
        except (OSError, ValueError, http.client.HTTPException):
            return said
        now_s = self._clock()
        open_ = {str(one.get("id")) for one in state.get("questions", ())}
        self._asked_s = {id_: self._asked_s.get(id_, now_s) for id_ in open_}
        longest_s = max((now_s - since_s for since_s in self._asked_s.values()), default=0.0)
        return {
            **said,
            "camera": str(state.get("seeing", {}).get("state", "")),
            "source": str(state.get("source", {}).get("kind", "")),
            "question_s": round(longest_s),
        }

    def obey(self, message: bytes) -> Mapping[str, Any]:
        """Deliver a ruling to the page, which verifies its signature; return the outcome."""
        body = json.dumps({"message": base64.b64encode(message).decode()})
        try:
            answer = self._ask("POST", "/api/hall/ruling", body)
        except (OSError, ValueError, http.client.HTTPException):
            return {"ok": False, "text": "the table's page does not answer"}
        if "error" in answer:
            return {"ok": False, "text": str(answer["error"].get("text", ""))}
        return {"ok": True, "text": ""}

    def _ask(self, method: str, path: str, body: str | None = None) -> dict[str, Any]:
        line = http.client.HTTPConnection(self._host, self._port, timeout=ANSWER_S)
        try:
            headers = {}
            if body is not None:
                line.request("GET", "/api/me")
                greeting = line.getresponse()
                token = json.loads(greeting.read(LONGEST))["token"]
                cookie = (greeting.getheader("Set-Cookie") or "").split(";")[0]
                headers = {
                    "Content-Type": "application/json",
                    "X-Snake-Eye": token,
                    "Cookie": cookie,
                }
            line.request(method, path, body, headers)
            said = json.loads(line.getresponse().read(LONGEST))
        finally:
            line.close()
        if not isinstance(said, dict):
            raise ValueError("not an answer of the page")
        return said


def _machine() -> dict[str, Any]:
    disk = shutil.disk_usage(home_folder() if home_folder().exists() else "/")
    said: dict[str, Any] = {"disk_free_mb": disk.free >> 20}
    try:
        said["version"] = metadata.version("snake-eye")
    except metadata.PackageNotFoundError:
        said["version"] = ""
    try:
        said["degrees"] = int(THERMOMETER.read_text(encoding="ascii")) // 1000
    except (OSError, ValueError):
        said["degrees"] = None
    return said

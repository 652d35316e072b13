"""Phones over HTTP, as they come to the page of a table or of a hall."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from contextlib import suppress
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import urlsplit

PATIENCE_S = 60.0
JSON = "application/json"


class Answer(NamedTuple):
    """What the page said."""

    status: int
    data: bytes
    headers: Message


class Guest:
    """A phone with its cookie, and with an address of its own, as far as loopback has some."""

    def __init__(self, where: int | str, address: str = "127.0.0.1") -> None:
        """Come to a page: at a port of this machine, or at a URL."""
        parts = urlsplit(where if isinstance(where, str) else f"http://127.0.0.1:{where}")
        self._where, self._address = (str(parts.hostname), int(parts.port or 80)), address
        self._cookie = ""
        self._token = self.get("/api/me")["token"]

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        kind: str = JSON,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Ask for something; a body is bytes, or becomes JSON, and goes with the phone's token."""
        sent = {"Cookie": self._cookie} if self._cookie else {}
        if body is not None:
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent |= {"Content-Type": kind, "X-Snake-Eye": self._token}
        line = http.client.HTTPConnection(
            *self._where, timeout=PATIENCE_S, source_address=(self._address, 0)
        )
        try:
            line.request(method, path, body, {**sent, **(headers or {})})
            answer = line.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or ():
                self._cookie = cookie.split(";")[0]
            return Answer(answer.status, answer.read(), answer.headers)
        finally:
            line.close()

    def be_host(self, pin: str) -> Guest:
        """Show the PIN."""
        status, said, _ = self.ask("POST", "/api/login", {"pin": pin})
        assert status == 200, said
        return self

    def get(self, path: str) -> Any:
        """Return the JSON of an address."""
        status, said, _ = self.ask("GET", path)
        assert status == 200, said
        return json.loads(said)

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        """Have something done; return the status and the JSON of the answer."""
        status, said, _ = self.ask("POST", path, body)
        return status, json.loads(said)


class Phone:
    """Listens to the events of a page."""

    def __init__(self, where: int | str, after: int | None = None) -> None:
        """Call the page; it repeats first what it said after an event of that number."""
        parts = urlsplit(where if isinstance(where, str) else f"http://127.0.0.1:{where}")
        self._line = http.client.HTTPConnection(
            str(parts.hostname), int(parts.port or 80), timeout=PATIENCE_S
        )
        asked = {} if after is None else {"Last-Event-ID": str(after)}
        self._line.request("GET", "/api/events", headers=asked)
        self.answer = self._line.getresponse()
        self.last_id: int | None = None
        """The number of the last event that was read."""

    def hear(self, name: str) -> Any:
        """Return what the next event of a name says."""
        event = ""
        while line := self.answer.readline().decode():
            key, _, said = line.strip().partition(": ")
            if key == "id":
                self.last_id = int(said)
            elif key == "event":
                event = said
            elif key == "data" and event == name:
                return json.loads(said)
        raise AssertionError("the line was cut")

    def is_cut(self) -> bool:
        """Read to the end of the line."""
        with suppress(OSError, http.client.HTTPException):
            while self.answer.readline():
                pass
        self._line.close()
        return True

    def close(self) -> None:
        """Hang up."""
        self.answer.close()
        self._line.close()

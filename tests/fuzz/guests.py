"""A page with a game on it, and guests of every role who ask anything of any route."""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from flask.testing import FlaskClient

from tests.companion_app.web.conftest import Guest, Played, playthrough

ROLES = ("nobody", "seat", "host")
METHODS = ("GET", "POST", "DELETE")
HEAVY = (
    "/api/print",
    "/api/teach",
    "/api/camera",
    "/api/score",
    "/api/events",
    "/api/sheet",
    "/api/learn",
)
"""What goes to workers or streams without end: its bounds have tests of their own, and one of these
takes as long as a thousand others."""
KINDS = ("application/json", "text/plain", "image/jpeg", "multipart/form-data; boundary=x")
ANEW_AFTER = 3000
"""So many requests later the page and its game are made anew."""


class Guests:
    """Whoever is in the room."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="fuzz-routes-"))
        self._asked = 0
        self._begin()
        atexit.register(self.close)

    def close(self) -> None:
        """Send everybody home."""
        self.table.desk.close()
        self.table.store.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _begin(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        self.table = Played(self._folder)
        record = playthrough("schlangennest_two_players")
        self.table.begin(record)
        self.table.play(record, 4)
        self.guests: dict[str, Guest] = {
            "nobody": self.table.guest(),
            "seat": self.table.seat("blue"),
            "host": self.table.host(),
        }
        rules = self.table.app.url_map.iter_rules()
        self.routes = sorted(
            (rule.rule, tuple(sorted(rule.methods or ())))
            for rule in rules
            if not rule.rule.startswith(HEAVY)
        )

    def ask(self, data: bytes) -> None:
        """Ask one thing: role, route and method by the first bytes, the rest is what is sent."""
        if len(data) < 3:
            return
        self._asked += 1
        if self._asked % ANEW_AFTER == 0:
            self.close()
            self._begin()
        guest = self.guests[ROLES[data[0] % len(ROLES)]]
        rule, methods = self.routes[data[1] % len(self.routes)]
        method = METHODS[data[2] % len(METHODS)]
        if method not in methods and data[2] < 200:
            method = next((known for known in METHODS if known in methods), "GET")
        answer = self._sent(guest, method, rule, data)
        assert answer.status_code != 500, f"{method} {rule}: {answer.get_data(as_text=True)[:300]}"
        assert answer.status_code < 600
        answer.close()
        # Limits are for guests in a hurry; time passes here.
        self.table.time_s += 30

    def _sent(self, guest: Guest, method: str, rule: str, data: bytes) -> Any:
        rest = data[3:]
        head, _, body = rest.partition(b"\0")
        words = head.decode("utf-8", "replace")
        client: FlaskClient = guest.client
        path = _filled(rule, words)
        headers = {"X-Snake-Eye": guest.token}
        if method == "GET":
            return client.get(path, query_string=words, headers=headers)
        kind = KINDS[data[2] // 3 % len(KINDS)] if data[2] > 100 else KINDS[0]
        return client.open(
            path, method=method, data=body or rest, content_type=kind, headers=headers
        )


def _filled(rule: str, words: str) -> str:
    """Return an address of a route: what it leaves open is filled with what was sent."""
    word = quote(words[:40], safe="") or "x"
    number = str(len(words))
    return re.sub("<(int:)?[^>]*>", lambda open_: number if open_[1] else word, rule)

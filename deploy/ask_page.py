"""Asks the page for an update, or how the last one went, as the host's phone does.

``python ask_page.py PORT update``, or ``result done|failed``; run by ``test-deploy.sh``. It writes
a new PIN to the service's settings, so it must run as the service's user.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from companion_app.web.serving.page_file import SettingsFile


def main(port: str, what: str, wanted: str = "") -> int:
    """Request an update, or compare the last result with ``wanted``; return 0 on success."""
    kept = Path(os.environ["SNAKE_EYE_HOME"]) / "page.json"
    phone = Phone(f"http://127.0.0.1:{port}")
    phone.ask("/api/login", {"pin": SettingsFile(kept).new_pin()})
    if what == "update":
        return 0 if phone.ask("/api/update", {}).get("wanted") else 1
    return 0 if phone.ask("/api/update")["result"] == wanted else 1


class Phone:
    """An HTTP client with cookie and token, as a phone has them."""

    def __init__(self, url: str) -> None:
        self._url = url
        jar = urllib.request.HTTPCookieProcessor(CookieJar())
        self._open = urllib.request.build_opener(jar).open
        self._token = ""
        self._token = self.ask("/api/me")["token"]

    def ask(self, path: str, body: Any = None) -> dict[str, Any]:
        """Return the page's answer, also where it refuses."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-Snake-Eye": self._token}
        request = urllib.request.Request(self._url + path, data, headers)
        try:
            with self._open(request, timeout=30) as answer:
                said: dict[str, Any] = json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            said = json.loads(refused.read())
            sys.stderr.write(f"the page refuses: {said}\n")
        return said


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

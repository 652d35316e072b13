"""A real browser, and a page of its own for every test, served on the loopback address."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion_app.web.serving.web_server import Server
from tests.browser.chromium import Browser, Page, program
from tests.companion_app.web.conftest import Played, script

PHONE, LYING, DESKTOP, TV = (390, 844), (844, 390), (1440, 900), (1920, 1080)


MOST_SHIFT = 0.02
"""What may move on the page over a whole game, as browsers measure it."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return a Chromium for all tests."""
    if program() is None:
        pytest.skip("there is no Chromium here")
    pytest.importorskip("websocket", reason="websocket-client, which drives Chromium, is missing")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        chromium = Browser(Path(folder))
        yield chromium
        chromium.close()


class Served(Played):
    """A desk that is served."""

    def __init__(self, folder: Path, browser: Browser) -> None:
        super().__init__(folder)
        self._folder = folder
        self._browser = browser
        self.server = Server(self.app, "127.0.0.1", 0)
        self.server.start()
        self.url = f"http://127.0.0.1:{self.server.port}"
        self.pages: list[Page] = []

    def open(
        self,
        path: str = "/",
        size: tuple[int, int] = PHONE,
        dark: bool = False,
        host: bool = False,
        language: str = "en",
        worker: bool = False,
    ) -> Page:
        """Open a page on a phone of its own; with a worker it keeps every file for bad days."""
        page = self._browser.page(*size, dark=dark)
        self.pages.append(page)
        if not worker:
            page.without_worker()
        if language != "en":
            page.ask("Network.setCookie", name="language", value=language, url=self.url)
        page.go(self.url + path)
        if host:
            page.js(
                "import('/static/ui.js').then((ui) => ui.post('/api/login', {pin: '424242'})"
                ".then(() => ui.loadMe()))"
                ".then(() => document.dispatchEvent(new Event('host')))"
            )
        return page

    def away(self) -> None:
        """Go down as a box does that is switched off."""
        self.desk.close()
        self.server.close()
        self.store.close()

    def back(self) -> None:
        """Start again where it was, with the games that are kept; none is on yet."""
        Played.__init__(self, self._folder)
        self.server = Server(self.app, "127.0.0.1", self.server.port)
        self.server.start()

    def close(self) -> None:
        """Stop serving; no page may have seen an error."""
        errors = [error for page in self.pages for error in page.errors]
        for page in self.pages:
            page.close()
        self.desk.close()
        self.server.close()
        self.store.close()
        assert errors == []


@pytest.fixture
def served(tmp_path: Path, browser: Browser) -> Iterator[Served]:
    """Return a served desk; console errors fail the test."""
    table = Served(tmp_path, browser)
    yield table
    table.close()


__all__ = ["DESKTOP", "LYING", "MOST_SHIFT", "PHONE", "TV", "Served", "script"]

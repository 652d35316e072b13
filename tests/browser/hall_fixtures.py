"""A hall for the tests in a browser, and what opens its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import Browser, Page


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[object]:
    """Return a hall of test."""
    if not all(find_spec(name) for name in ("sqlalchemy", "alembic", "psycopg", "cryptography")):
        pytest.skip("the extra `hall` is not installed")
    from tests.companion_app.hall.test_hall_page import running_hall

    yield from running_hall(tmp_path)


@pytest.fixture
def opened(browser: Browser, hall) -> Iterator[Callable[[str], Page]]:
    """Return what opens the hall's page on a phone of its own."""
    pages: list[Page] = []

    def new(path: str, width: int = 390, height: int = 844) -> Page:
        pages.append(browser.page(width, height))
        pages[-1].go(f"http://127.0.0.1:{hall.port}{path}")
        return pages[-1]

    yield new
    for page in pages:
        page.close()


@pytest.fixture
def tournament(hall) -> Callable[..., Any]:
    """Return what makes a tournament with its players, who have come or not."""
    from tests.companion_app.hall.test_tournament_evening import Evening

    def made(*names: str, here: bool = True, **settings: Any) -> Evening:
        evening = Evening(hall, **settings)
        for number, name in enumerate(names, start=1):
            evening.do("add-player", name=name)
            if here:
                evening.do("check-in", player=f"p{number}")
        return evening

    return made

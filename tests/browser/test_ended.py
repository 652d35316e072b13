"""A browser of a test ends with its test, and all that it began."""

import os
from pathlib import Path

import pytest

from tests.browser import chromium
from tests.browser.chromium import Browser, program, wait_until


@pytest.fixture
def wrapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Browser) -> Path:
    """Let what is found be a script that waits for Chromium, as some systems have it."""
    del browser
    script = tmp_path / "chromium"
    script.write_text(f'#!/bin/sh\n"{program()}" "$@"\n:\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(chromium, "program", lambda: str(script))
    return tmp_path


def group_of(number: int) -> list[str]:
    """Return the states of the processes of a group that still run."""
    texts = (words(path) for path in Path("/proc").glob("[0-9]*/stat"))
    fields = (text.rpartition(")")[2].split() for text in texts if text)
    return [state for state, _, group, *_ in fields if int(group) == number and state != "Z"]


def test_nothing_of_a_browser_is_left_when_it_is_closed(wrapped):
    browser = Browser(wrapped / "profile")
    group = os.getpgid(browser.process.pid)
    assert len(group_of(group)) > 1

    browser.close()

    wait_until(lambda: not group_of(group))


def test_nothing_is_left_of_a_browser_that_does_not_answer(wrapped, monkeypatch):
    def silent(url: str) -> None:
        raise OSError(f"no line to {url}")

    monkeypatch.setattr(chromium, "_line", silent)

    with pytest.raises(OSError, match="no line"):
        Browser(wrapped / "profile")

    wait_until(lambda: not using(wrapped / "profile"))


def using(folder: Path) -> list[Path]:
    """Return the processes that were told of a folder."""
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(folder) in words(path)]


def words(path: Path) -> str:
    """Return what a process was called with; nothing where it has ended meanwhile."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""

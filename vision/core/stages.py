"""Marks the stages that a table can be read without: each can be left out, counted and watched.

``stage`` says what comes out instead when one is left out. Whoever wants to know what every stage
does reads inside ``watched_by``; nothing is watched otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")

STAGES: list[str] = []
"""Every stage that is marked, in the order of their files being read."""


class Watcher(Protocol):
    """Somebody who watches a table being read."""

    def leaves_out(self, stage: str) -> bool:
        """Say whether a stage is to be left out."""
        ...

    def saw(self, stage: str, made: object, given: object) -> None:
        """Take note of what came out of a stage, and what would have without it."""
        ...


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Have every stage of what is read inside the block watched."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


def stage(
    name: str, without: Callable[..., Any]
) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Mark a function as a stage.

    Args:
        name: by which it is left out and told of.
        without: returns what comes out when it is left out; takes what the function takes.
    """

    def marked(work: Callable[Given, Made]) -> Callable[Given, Made]:
        STAGES.append(name)

        @wraps(work)
        def run(*given: Given.args, **named: Given.kwargs) -> Made:
            watcher = _watcher.get()
            if watcher is None:
                return work(*given, **named)
            plain: Made = without(*given, **named)
            made = plain if watcher.leaves_out(name) else work(*given, **named)
            watcher.saw(name, made, plain)
            return made

        return run

    return marked


def shown(name: str, made: object) -> None:
    """Show whoever watches what came out of a part that nothing can be read without."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.saw(name, made, None)

"""Marks optional stages of reading a table, which a watcher can skip, count and inspect.

The decorator ``stage`` names the fallback result of a skipped stage. Stages are only watched while
code runs inside ``watched_by``.
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
"""Names of all optional stages, in the order in which their modules were imported."""


class Watcher(Protocol):
    """Observes the stages of reading a table, and may skip some."""

    def leaves_out(self, stage: str) -> bool:
        """Say whether to skip a stage."""
        ...

    def saw(self, stage: str, made: object, given: object) -> None:
        """Record the result of a stage, and the fallback result that skipping it gives."""
        ...


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Let a watcher observe every stage that runs inside the block."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


def stage(
    name: str, without: Callable[..., Any]
) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Mark a function as an optional stage.

    Args:
        name: the stage's name, for skipping and reporting it.
        without: returns the fallback result of a skipped stage; has the function's parameters.
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
    """Report the result of a mandatory step to the current watcher, if there is one."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher.saw(name, made, None)

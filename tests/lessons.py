"""Short lessons: boxes that are learnt from a tenth of the variants of their tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from companion_app.hands.pool import Hands
from companion_app.hands.work import LEARN, Work

VARIANTS = 4


@contextmanager
def short_lessons() -> Iterator[None]:
    """Learn from fewer variants of each tile; tiles drawn for tests are told apart by them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("models.teaching.fit.MOST_VARIED", VARIANTS)
        yield


class ShortLessons:
    """Hands whose worker gives short lessons."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands

    def do(self, work: Work, call: Callable[..., Any], *args: Any, **more: Any) -> Any:
        """Run a function in the worker and return its result."""
        if work is LEARN:
            return self._hands.do(work, _learnt_short, call, *args, **more)
        return self._hands.do(work, call, *args, **more)


def _learnt_short(call: Callable[..., Any], *args: Any) -> Any:
    with short_lessons():
        return call(*args)

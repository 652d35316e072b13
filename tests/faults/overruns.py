"""Work that overruns every limit of the hands, again and again: the next work is always done."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from companion_app.hands.errors import HandLost, TooLong, TooMuch
from companion_app.hands.pool import Hands
from companion_app.hands.work import Work
from tests.companion_app.hands import heavy

SHORT, USUAL = Work("short", seconds=0.5), Work("usual")
FAULTS: tuple[tuple[type[Exception], Work, Callable[..., Any], tuple[int, ...]], ...] = (
    (TooLong, SHORT, heavy.never_ends, ()),
    (TooLong, SHORT, heavy.never_listens, ()),
    (TooMuch, USUAL, heavy.uses, (500,)),
    (TooMuch, USUAL, heavy.asks_for, (4000,)),
    (HandLost, USUAL, heavy.dies, ()),
)


@dataclass
class Overrun:
    """What a series of overruns came to."""

    tried: int = 0
    wrong: list[str] = field(default_factory=list)


def overrun(seed: int, count: int) -> Overrun:
    """Give the hands so much work that overruns a limit, and something to do after each."""
    chance, told = random.Random(seed), Overrun()
    with Hands() as hands:
        for _ in range(count):
            due, work, call, told_to = chance.choice(FAULTS)
            told.tried += 1
            try:
                hands.do(work, call, *told_to)
                told.wrong.append(f"{call.__name__} was done")
            except Exception as error:  # noqa: BLE001 - any other than the one due is a find
                if not isinstance(error, due):
                    told.wrong.append(f"{call.__name__}: {type(error).__name__}")
            if hands.do(USUAL, heavy.add, 2, 3) != 5:
                told.wrong.append(f"after {call.__name__} nothing was done")
    return told

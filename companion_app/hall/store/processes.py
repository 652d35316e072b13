"""The processes of one hall and where they take messages; tables hear of it, and go to others."""

from __future__ import annotations

from collections.abc import Callable

from companion_app.hall.store.hall_store import HallStore
from companion_app.listening import reachable_host, written

BEGINNING = "door:"
EVERY_S, FRESH_S = 10.0, 35.0
"""Seconds between two signs of life of a process, and for which one counts."""


class Processes:
    """One process among the others of its hall."""

    def __init__(
        self, store: HallStore, host: str, port: int, tell: Callable[[tuple[str, ...]], None]
    ) -> None:
        self._store, self._tell = store, tell
        self._own = written(reachable_host(host), port)
        self._due_s = 0.0

    def look(self) -> None:
        """Give a sign of life, and see which processes have given one of late."""
        now_s = self._store.clock()
        if now_s < self._due_s:
            return
        self._due_s = now_s + EVERY_S
        self._store.keep_fact(BEGINNING + self._own, f"{now_s:.0f}")
        signs = self._store.facts_like(BEGINNING)
        fresh = [name for name, at_s in signs.items() if float(at_s) > now_s - FRESH_S]
        self._store.forget_facts(sorted({*signs} - {*fresh}))
        self._tell(tuple(sorted(name.removeprefix(BEGINNING) for name in fresh)))

"""Event streams without a server: the loop runs while a piece is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from companion_app.web.serving.streams import Begin, Bell, Bells


class Heard(Iterator[str]):
    """The pieces of one stream. Close it."""

    def __init__(self, begin: Begin) -> None:
        self._loop = asyncio.new_event_loop()
        self._pieces = begin(Bell(Bells(self._loop)))

    def __next__(self) -> str:
        return self._loop.run_until_complete(anext(self._pieces)).decode()

    def close(self) -> None:
        """Stop listening."""
        if not self._loop.is_closed():
            self._loop.run_until_complete(self._pieces.aclose())
            self._loop.close()

    def __enter__(self) -> Heard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

"""The error by which a tournament refuses an event; its sentence is in the catalogues."""

from __future__ import annotations

from companion_app.hall.tournament.words import say


class TournamentError(Exception):
    """Something that cannot be done now; the message says what to do instead, in English."""

    def __init__(self, code: str, **names: object) -> None:
        super().__init__(say("en", f"error-{code}", **names))
        self.code = code
        self.names = names

    def in_words(self, language: str) -> str:
        """Return the sentence in another language."""
        return say(language, f"error-{self.code}", **self.names)

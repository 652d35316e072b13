"""Sentences about tournaments in the five languages of the catalogues."""

from __future__ import annotations

from companion_app.web.speech import catalogue
from engine.wording import in_form


def say(language: str, key: str, **names: object) -> str:
    """Return a sentence of the part ``tournament`` of a language's catalogue, filled in."""
    sentence = catalogue(language)["tournament"][key]
    return in_form(sentence, language, names).format(**names)

"""The sentences of `doctor`, translated into the guest's language.

Doctor writes English. A catalogue holds translations under ``doctor``, keyed by the English
template with names in braces for what is filled in. A sentence without one stays English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from companion_app.web.speech import catalogue
from engine.wording import Sentence, in_form

FIELD = re.compile(r"\\\{(\w+)\\\}")
"""A name in braces, in a template that went through ``re.escape``."""
JOINED = " and "


def in_words(text: str, language: str) -> str:
    """Return a sentence of doctor in a language."""
    for pattern, other in _sentences(language):
        found = pattern.fullmatch(text)
        if found:
            said = in_form(other, language, found.groupdict())
            return said.format(**{k: _part(v, language) for k, v in found.groupdict().items()})
    return text


def _part(text: str, language: str) -> str:
    """Return a filled-in value; parts that are doctor's own words are translated too."""
    words: Mapping[str, str] = catalogue(language).get("doctor", {})
    return ", ".join(str(words.get(part, part)) for part in text.split(JOINED))


@cache
def _sentences(language: str) -> tuple[tuple[re.Pattern[str], Sentence], ...]:
    """Return a pattern and translation for each template, the most specific template first."""
    words: Mapping[str, Sentence] = catalogue(language).get("doctor", {})
    order = sorted(words, key=lambda english: -len(re.sub(r"\{\w+\}", "", english)))
    return tuple(
        (re.compile(FIELD.sub(r"(?P<\1>.+)", re.escape(english))), words[english])
        for english in order
    )

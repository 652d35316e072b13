"""Fills in sentences: names in braces, tiles in words, and plural forms."""

from __future__ import annotations

from collections.abc import Mapping

Sentence = str | Mapping[str, str]
"""A sentence with ``{names}``, or its plural forms by CLDR category for the number ``{n}``."""

FORMS: Mapping[str, tuple[str, ...]] = {
    "en": ("one", "other"),
    "de": ("one", "other"),
    "fr": ("one", "other"),
    "cs": ("one", "few", "other"),
    "ru": ("one", "few", "many"),
}
"""The CLDR plural categories of whole numbers in each language."""

TILE_NAMES = frozenset({"tile", "card", "what", "lying"})
"""The placeholders for tiles, which are put in words; others may hold a person's name."""


def plural_form(language: str, count: int) -> str:
    """Return the CLDR plural category of a number: ``one``, ``few``, ``many`` or ``other``."""
    if language == "ru":
        if count % 10 == 1 and count % 100 != 11:
            return "one"
        return "few" if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14) else "many"
    if language == "cs":
        return "one" if count == 1 else "few" if count in (2, 3, 4) else "other"
    return "one" if count == 1 or (language == "fr" and count == 0) else "other"


def in_form(sentence: Sentence, language: str, names: Mapping[str, object]) -> str:
    """Return a sentence; of a sentence with plural forms, the one for its ``n``."""
    if isinstance(sentence, str):
        return sentence
    return sentence[plural_form(language, int(str(names["n"])))]


def in_english(sentence: Sentence, names: Mapping[str, str]) -> str:
    """Return the English sentence, filled in; ``blue/curve`` becomes ``blue curve``."""
    words = {
        name: value.replace("/", " ").replace("double-", "double ") if name in TILE_NAMES else value
        for name, value in names.items()
    }
    said = in_form(sentence, "en", names).format(**words)
    return said[:1].upper() + said[1:] if in_form(sentence, "en", names)[:1] == "{" else said

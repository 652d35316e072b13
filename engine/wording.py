"""How a sentence is filled: names in braces, tiles in words, and the form that a number takes."""

from __future__ import annotations

from collections.abc import Mapping

Sentence = str | Mapping[str, str]
"""A sentence with ``{names}``; where it counts something, its forms for the number ``{n}``."""

FORMS: Mapping[str, tuple[str, ...]] = {
    "en": ("one", "other"),
    "de": ("one", "other"),
    "fr": ("one", "other"),
    "cs": ("one", "few", "other"),
    "ru": ("one", "few", "many"),
}
"""The forms that whole numbers take in each language, as CLDR has them."""

TILE_NAMES = frozenset({"tile", "card", "what", "lying"})
"""The names that stand for tiles; any other may be a person's, and stays as it is."""


def plural_form(language: str, count: int) -> str:
    """Return the form of a counted sentence: ``one``, ``few``, ``many`` or ``other``."""
    if language == "ru":
        if count % 10 == 1 and count % 100 != 11:
            return "one"
        return "few" if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14) else "many"
    if language == "cs":
        return "one" if count == 1 else "few" if count in (2, 3, 4) else "other"
    return "one" if count == 1 or (language == "fr" and count == 0) else "other"


def in_form(sentence: Sentence, language: str, names: Mapping[str, object]) -> str:
    """Return a sentence, of a counted one the form for its ``n``."""
    if isinstance(sentence, str):
        return sentence
    return sentence[plural_form(language, int(str(names["n"])))]


def in_english(sentence: Sentence, names: Mapping[str, str]) -> str:
    """Return a sentence filled in English: ``blue/curve`` is said ``blue curve``."""
    words = {
        name: value.replace("/", " ").replace("double-", "double ") if name in TILE_NAMES else value
        for name, value in names.items()
    }
    said = in_form(sentence, "en", names).format(**words)
    return said[:1].upper() + said[1:] if in_form(sentence, "en", names)[:1] == "{" else said

"""What the referees say in English: data in ``english.json``, in the form of the other languages.

``rules`` has by game (or ``common``) and code the rule, the sentence for a foul, and that sentence
in special cases; ``printed`` says in playing order where each rule of a game is printed. Headings
are those of the game's rulebook; rulings are numbered as in ``RULINGS.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from engine.game import Reason, Rule, Summary

T = TypeVar("T")


class Codes(Generic[T]):
    """Sentences as attributes by their codes: ``say.NOT_YOUR_TURN`` is ``not-your-turn``."""

    def __init__(self, by_code: Mapping[str, T]) -> None:
        vars(self).update({c.upper().replace("-", "_"): said for c, said in by_code.items()})

    def __getattr__(self, name: str) -> T:
        """Refuse a code without words."""
        raise AttributeError(f"{name} has no words in english.json; known: {', '.join(vars(self))}")

    def __iter__(self) -> Iterator[T]:
        """Go through what is said, in its order."""
        yield from vars(self).values()


@cache
def english() -> Mapping[str, Any]:
    """Return the English words: summary, printed, rules, reasons and options."""
    file = Path(__file__).with_name("english.json")
    words: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return words


@cache
def rules_of(game: str) -> Codes[Rule]:
    """Return the rules of a game, in playing order."""
    known = english()["rules"]["common"] | english()["rules"][game]
    printed = english()["printed"][game].items()
    return Codes({code: _rule(code, source, *known[code]) for code, source in printed})


def summary_of(game: str) -> Summary:
    """Return a game in four answers."""
    return Summary(**english()["summary"][game])


def options_of(game: str) -> Mapping[str, str]:
    """Return what each option of a game changes, by its name."""
    options: Mapping[str, str] = english()["options"][game]
    return options


def _rule(code: str, source: str, text: str, *more: Any) -> Rule:
    return Rule(code, text, source, *more)


why = Codes({code: Reason(code, says) for code, says in english()["reasons"].items()})
"""The reasons for points of all games."""

"""Says things in the guest's language: page words, rule sentences, tiles, moves, options.

A catalogue is a JSON file in ``companion_app/locales``. The sentences of the rules are English in
the engine; the other languages have theirs under ``rules``, by game and rule id, first under the
game's own name, then under ``common``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from engine.game import Move, Rule, ScoreLine, Violation
from engine.placement import Piece, Placement

LANGUAGES = ("en", "de", "fr", "ru", "cs")
FIELD = re.compile(r"a field of (\d+) x (\d+)")
CARDS = re.compile(r"(\d+) cards?( is| are)?")
SNAKE = re.compile(r"the (\w+) snake")
SOURCE_WORD = re.compile(r"[a-z]+")
PLAYER_PARAMS = ("player", "turn", "due", "snake")
OF_A_COLOUR = re.compile(r"\{player\} (?:snakes?|tile|hex)\b")
"""English says "the blue snake"; "the Anna snake" would be nobody's English."""


class Speech:
    """One language, and what the people at the table are called."""

    def __init__(self, language: str, names: Mapping[str, str] | None = None) -> None:
        self.language = language
        self._words = catalogue(language)
        self._names = names or {}

    def page(self, key: str, **params: object) -> str:
        """Return a text of the page; the key itself where there is none."""
        text: str = self._words["page"].get(key, key)
        return text.format(**params) if params else text

    # --- people and tiles ------------------------------------------------------------------

    def player(self, player: str) -> str:
        """Return what a player is called: his name, else his colour in words."""
        name = self._names.get(player)
        if name:
            return name
        word = self.colour(player)
        return word[:1].upper() + word[1:]

    def colour(self, colour: str) -> str:
        """Return a colour in words; other names stay as they are."""
        return str(self._words["colours"].get(colour, colour))

    def tile(self, tile: str) -> str:
        """Return a tile in words: ``blue curve``."""
        first, *rest = tile.split("/")
        if first in self._words["colours"] and rest:
            return self._coloured(self.colour(first), self._shape(rest))
        return self._shape([first, *rest])

    def _shape(self, parts: Sequence[str]) -> str:
        shapes = self._words["shapes"]
        whole = "/".join(parts)
        if whole in shapes:
            return str(shapes[whole])
        if parts[0].isdigit():
            path = f" ({parts[1]})" if len(parts) > 1 else ""
            return self.page("hex-tile", n=parts[0]) + path
        return " ".join(str(shapes.get(part, part)) for part in parts)

    def _coloured(self, colour: str, shape: str) -> str:
        return str(self._words["page"]["tile-of-colour"].format(colour=colour, shape=shape))

    def lying(self, placed: Placement | Piece) -> str:
        """Return a lying tile with its place, for those who have the table read to them."""
        if isinstance(placed, Piece):
            first = placed.cells[0]
            return self.page("tile-at", tile=self.tile(placed.tile), x=first[0], y=first[1])
        return self.page("tile-at", tile=self.tile(placed.tile), x=placed.at[0], y=placed.at[1])

    # --- verdicts and scores ---------------------------------------------------------------

    def rule(self, game: str, rule: Rule) -> str:
        """Return the sentence of a rule."""
        return self._sentences(game, rule)[0]

    def violation(self, game: str, violation: Violation) -> str:
        """Return the sentence of a broken rule."""
        text, says = self._sentences(game, violation.rule)
        return self._filled(says or text, violation.params)

    def why(self, line: ScoreLine) -> str:
        """Return the reason for points."""
        says = self._words.get("reasons", {}).get(line.reason.id, line.reason.says)
        return self._filled(says, line.params)

    def source(self, source: str) -> str:
        """Return where a rule stands; headings of the printed rules stay as they are printed."""
        words: Mapping[str, str] = self._words.get("source", {})
        parts = source.split("; ")
        for number, part in enumerate(parts):
            if words and part[:1].isupper():
                parts[number] = f"«{part}»"
                continue
            book, comma, heading = part.partition(", ")
            said = SOURCE_WORD.sub(lambda m: words.get(m[0], m[0]), book)
            if book != "rulebook" or heading.startswith(("step", "contents")):
                heading = SOURCE_WORD.sub(lambda m: words.get(m[0], m[0]), heading)
            elif words and heading:
                heading = f"«{heading}»"
            parts[number] = said + comma + heading
        return "; ".join(parts)

    def option(self, game: str, name: str, text: str) -> str:
        """Return what an option changes, in words."""
        return str(self._words.get("options", {}).get(game, {}).get(name, text))

    def _sentences(self, game: str, rule: Rule) -> tuple[str, str]:
        rules = self._words.get("rules", {})
        # The game on several floors says what the game on one board says, and more.
        for book in (game, "snekagon" if game == "snekagon5g" else game, "common"):
            if rule.id in rules.get(book, {}):
                text, *says = rules[book][rule.id]
                return text, says[0] if says else ""
        return rule.text, rule.says

    def _filled(self, text: str, params: Mapping[str, str]) -> str:
        named = PLAYER_PARAMS if OF_A_COLOUR.search(text) is None else ()
        said = text.format(**{k: self._param(k, value, named) for k, value in params.items()})
        begins = text[:1].isupper() or text.startswith("{")
        return said[:1].upper() + said[1:] if begins else said

    def _param(self, name: str, value: str, named: Sequence[str]) -> str:
        """Return a word of a sentence: a name for a person, else what the value is called."""
        # Where snakes have colours, a player may have two of them: a colour says which.
        of_a_colour = name == "snake" and value in self._words["colours"]
        if name in named and value in self._names and not of_a_colour:
            return self._names[value]
        for glue in ("and", "or"):
            parts = value.split(f" {glue} ")
            if len(parts) > 1:
                return f" {self.page(f'list-{glue}')} ".join(
                    self._param(name, part, named) for part in parts
                )
        return self._phrase(value) or self._thing(value)

    def _phrase(self, value: str) -> str | None:
        """Return what the engine says in English words, where it is such a phrase."""
        if self.language == "en":
            return value if CARDS.fullmatch(value) else None
        if sized := FIELD.fullmatch(value):
            return self.page("field-of", a=sized[1], b=sized[2])
        if cards := CARDS.fullmatch(value):
            return self.cards(int(cards[1]))
        if snake := SNAKE.fullmatch(value):
            return self.page("snake-of", colour=self.colour(snake[1]))
        return dict(self._words["phrases"]).get(value)

    def _thing(self, value: str) -> str:
        """Return a tile or a colour in words; anything else as it is."""
        if "/" in value:
            return self.tile(value)
        words = value.split(" ")
        if len(words) > 1 and words[-1] == "log":
            return self.tile("log/" + words[0])
        if len(words) > 1 and words[0] in self._words["colours"]:
            return self._coloured(self.colour(words[0]), self._shape(words[1:]))
        if value in self._words["colours"]:
            return self.colour(value)
        return " ".join(str(self._words["shapes"].get(word, word)) for word in words)

    def cards(self, count: int) -> str:
        """Return so many cards, with the word in its right form."""
        return str(self._words["cards"][plural(self.language, count)].format(n=count))

    def seen(self, seeing: str) -> str:
        """Return a state of the camera in words."""
        return self.page(f"seeing-{seeing}")

    def why_not(self, what: str) -> str:
        """Return what keeps the referee from a verdict, and what to do about it."""
        return self.page(f"why-{what}")

    # --- moves -----------------------------------------------------------------------------

    def move(self, move: Move, coloured: bool) -> str:
        """Return a move as a line of the score sheet."""
        who = self.player(move.player)
        tile = move.tile
        if tile and coloured and tile.startswith(f"{move.player}/"):
            tile = tile.partition("/")[2]
        del coloured
        said = self.page(
            f"move-{move.do}",
            player=who, tile=self.tile(tile) if tile else "", value=move.value or "",
        )  # fmt: skip
        return said[:1].upper() + said[1:]


def plural(language: str, count: int) -> str:
    """Return the form of a counted word: ``one``, ``few`` or ``many``."""
    if language == "ru":
        if count % 10 == 1 and count % 100 != 11:
            return "one"
        return "few" if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14) else "many"
    if language == "cs":
        return "one" if count == 1 else "few" if count in (2, 3, 4) else "many"
    return "one" if count == 1 or (language == "fr" and count == 0) else "many"


@cache
def catalogue(language: str) -> Mapping[str, Any]:
    """Return the words of a language."""
    file = files("companion_app") / "locales" / f"{language}.json"
    words: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return words


def best_language(wanted: str | None, accepted: Sequence[str]) -> str:
    """Return the language asked for, else the first one that the browser reads."""
    for language in (wanted or "", *accepted):
        short = language.split("-")[0].lower()
        if short in LANGUAGES:
            return short
    return "en"

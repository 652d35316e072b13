"""Sentences in the guest's language: page texts, rules, tiles, moves, options.

A catalogue is a JSON file in ``companion_app/locales``; what the referees say in English is in
``engine/english.json``, in the same form. Rules are under ``rules``, by game (or ``common``) and
rule id: the rule, the sentence for a foul, and that sentence in special cases. A sentence with a
count has one text for each plural form of its language, chosen by ``{n}``. Snakes are declined:
``{colour.gen}`` is the genitive, "of the blue snake".
"""

from __future__ import annotations

import json
import re
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

from companion_app.live.places import tiles_of
from companion_app.web.rows import board_side, where
from engine.game import Json, Move, Rule, ScoreLine, Summary, Violation
from engine.placement import Layout, Piece, Placement
from engine.sentences import english
from engine.tiles import TileSet
from engine.wording import Sentence, in_form

LANGUAGES = ("en", "de", "fr", "ru", "cs")
PLAYER_PARAMS = ("player", "turn", "due", "snake")
LIST_PARAMS = ("one", "other", "others", "snakes", "colour", "due")
"""Parameters that may hold several names, joined in English: ``red, yellow and green``."""
GLUE = re.compile(r"(, | and | or )")
VOWELS = "AEIOUYÀÂÉÈÊËÎÏÔÛaeiouyàâéèêëîïôû"
"""First letters before which French elides: ``d'Anna``, but ``de Ben``."""
GLUE_WORDS = {" and ": "list-and", " or ": "list-or"}


class Word(str):
    """A sentence parameter with grammatical forms as attributes, for ``str.format``.

    ``{colour}`` is "blue", ``{colour.gen}`` is "of the blue snake".
    """

    forms: Mapping[str, str]

    @classmethod
    def with_forms(cls, said: str, forms: Mapping[str, str]) -> Word:
        """Return a word with its forms."""
        word = cls(said)
        word.forms = forms
        return word

    def __getattr__(self, form: str) -> str:
        """Return a form of the word; the word itself where it has no such form."""
        return self.forms.get(form, str(self))


class Speech:
    """Sentences in one language, with the names of the people at the table."""

    def __init__(self, language: str, names: Mapping[str, str] | None = None) -> None:
        self.language = language
        self._words = catalogue(language)
        self._names = names or {}

    def page(self, key: str, **params: object) -> str:
        """Return a text of the page; the key itself where there is none."""
        text = in_form(self._words["page"].get(key, key), self.language, params)
        return text.format(**params) if params else text

    # --- people and tiles ------------------------------------------------------------------

    def player(self, player: str) -> str:
        """Return a player's name, else the colour in words."""
        name = self._names.get(player)
        if name:
            return name
        word = self.colour(player)
        return word[:1].upper() + word[1:]

    def colour(self, colour: str) -> str:
        """Return a colour in words; a value that is no colour is returned unchanged."""
        return str(self._words["colours"].get(colour, colour))

    def tile(self, tile: str) -> str:
        """Return a tile in words: ``blue curve``."""
        first, *rest = tile.split("/")
        if first in self._words["colours"] and rest:
            return self._coloured(first, rest)
        return self._shape([first, *rest])

    def _shape(self, parts: Sequence[str]) -> str:
        shapes = self._words["shapes"]
        whole = "/".join(parts)
        if whole in shapes:
            return str(shapes[whole])
        if parts[0].isdigit():
            return self._bent(self.page("hex-tile", n=parts[0]), parts)
        return " ".join(str(shapes.get(part, part)) for part in parts)

    def _bent(self, tile: str, parts: Sequence[str]) -> str:
        """Return a hex tile with its bend; tiles of one or two hexes have none."""
        if len(parts) == 1:
            return tile
        return f"{tile}, {self._words['bends'].get(parts[1], parts[1])}"

    def _coloured(self, colour: str, parts: Sequence[str]) -> str:
        """Return a tile with its colour, in agreement with the shape's gender."""
        own = self._words["adjectives"].get(colour, {})
        said = own.get(self._gender(parts[0]), self.colour(colour))
        if parts[0].isdigit():
            tile = self.page("hex-tile-of-colour", colour=said, n=parts[0])
            return self._bent(tile, parts)
        return self.page("tile-of-colour", colour=said, shape=self._shape(parts))

    def labels(self, layout: Layout, box: TileSet) -> Callable[[Placement | Piece], str]:
        """Return a function that describes a tile with its place, for screen readers."""
        lying = tiles_of(layout)
        side = board_side(box)

        def label(one: Placement | Piece) -> str:
            place = where(one, lying, side)
            tile = self.tile(one.tile)
            said = self.page("tile-at", tile=tile, row=place.row, column=place.column)
            return said if place.board is None else f"{self.page('board')} {place.board}: {said}"

        return label

    def move_in_place(
        self, move: Move, coloured: bool, layouts: tuple[Layout, Layout], box: TileSet
    ) -> str:
        """Return a move with the place of what was laid, from the layouts before and after it."""
        before, after = layouts
        lying, side = tiles_of(after), board_side(box)
        parts = [self.move(move, coloured)]
        if move.snake is not None and move.snake != move.player:
            parts.append(self.player(move.snake))
        for one in lying:
            if one not in before.placements():
                place = where(one, lying, side)
                if place.board is not None:
                    parts.append(f"{self.page('board')} {place.board}")
                parts.append(self.page("cell-at", row=place.row, column=place.column))
        return " · ".join(parts)

    # --- verdicts and scores ---------------------------------------------------------------

    def summary(self, game: str, summary: Summary) -> Mapping[str, str]:
        """Return the summary of a game's rules: goal, turn, end and scoring."""
        said: Mapping[str, str] = self._words["summary"].get(game, asdict(summary))
        return said

    def rule(self, game: str, rule: Rule) -> str:
        """Return the sentence of a rule."""
        return self._sentences(game, rule).text

    def violation(self, game: str, violation: Violation) -> str:
        """Return the sentence of a broken rule."""
        rule = self._sentences(game, violation.rule)
        says = rule.cases.get(violation.case) or rule.says or rule.text
        return self._filled(says, violation.params)

    def why(self, line: ScoreLine) -> str:
        """Return the reason for points."""
        says = self._words["reasons"].get(line.reason.id, line.reason.says)
        return self._filled(says, line.params)

    def source(self, source: str) -> str:
        """Return the source of a rule; headings of the printed rules are not translated."""
        words: Mapping[str, str] = self._words["source"]
        space = "\u00a0" if self.language == "fr" else ""
        kinds = [part.partition(" ")[0].rstrip(",s") for part in source.split("; ")]
        headings = next((p for p in source.split("; ") if p.startswith("rulebook, ")), "")
        places = [
            f"{words['step']} {number}" if number else f"«{space}{heading}{space}»"
            for heading in headings.split(", ")[1:]
            for number in [heading.removeprefix("step ") if heading.startswith("step ") else ""]
        ]
        said = [f"{words['rulebook']}{space}: {', '.join(places)}"] if places else []
        return "; ".join(said + [words[kind] for kind in ("option", "ruling") if kind in kinds])

    def option(self, game: str, name: str, text: str) -> str:
        """Return the description of an option; ``text`` where there is no translation."""
        return str(self._words["options"].get(game, {}).get(name, text))

    def option_question(self, name: str) -> str:
        """Return the question that an option answers; its name where nobody has put it yet."""
        return self._page_or(f"opt-{name}", name)

    def option_value(self, name: str, value: Json) -> str:
        """Return what a value of an option is called; as it is written where it has no words."""
        written = value if isinstance(value, str) else json.dumps(value)
        return self._page_or(f"option-{name}-{written}", written)

    def _page_or(self, key: str, otherwise: str) -> str:
        return self.page(key) if key in self._words["page"] else otherwise

    def _sentences(self, game: str, rule: Rule) -> Rule:
        """Return a rule in this language; a rule without a translation stays English."""
        rules = self._words["rules"]
        for book in (game, "common"):
            if rule.id in rules.get(book, {}):
                text, *more = rules[book][rule.id]
                return Rule(rule.id, text, rule.source, *more)
        return rule

    def _filled(self, sentence: Sentence, params: Mapping[str, str]) -> str:
        text = in_form(sentence, self.language, params)
        said = text.format(**{name: self._param(name, value) for name, value in params.items()})
        begins = text[:1].isupper() or text.startswith("{")
        return said[:1].upper() + said[1:] if begins else said

    def _param(self, name: str, value: str) -> Word:
        """Return a sentence parameter: a person's name, else the value in words."""
        # A player may have two coloured snakes: then the colour says which one is meant.
        of_a_colour = name == "snake" and value in self._words["colours"]
        if name in PLAYER_PARAMS and not of_a_colour and self._is_a_name(value):
            said = self.player(value)
            return Word.with_forms(said, {"de": ("d'" if said[0] in VOWELS else "de ") + said})
        parts = GLUE.split(value) if name in LIST_PARAMS else [value]
        if len(parts) == 1:
            forms = (self._words[part].get(value, {}) for part in ("adjectives", "snakes"))
            return Word.with_forms(self._thing(value), dict(ChainMap(*forms)))
        words = [self._glued(part) or self._param(name, part) for part in parts]
        known = {form for word in words if isinstance(word, Word) for form in word.forms}
        whole = {form: "".join(getattr(word, form, word) for word in words) for form in known}
        return Word.with_forms("".join(words), whole)

    def _is_a_name(self, value: str) -> bool:
        """Say whether a value is one player's name, not several joined ones."""
        return value in self._names or GLUE.search(value) is None

    def _glued(self, part: str) -> str | None:
        """Return the translated conjunction or comma between two names; ``None`` for a name."""
        if part in GLUE_WORDS:
            return f" {self.page(GLUE_WORDS[part])} "
        return part if part == ", " else None

    def _thing(self, value: str) -> str:
        """Return a tile or a colour in words; any other value word by word, where known."""
        if "/" in value:
            return self.tile(value)
        words = value.split(" ")
        if len(words) > 1 and words[-1] == "log":
            return self.tile("log/" + words[0])
        if len(words) > 1 and words[0] in self._words["colours"]:
            return self._coloured(words[0], words[1:])
        if value in self._words["colours"]:
            return self.colour(value)
        return " ".join(str(self._words["shapes"].get(word, word)) for word in words)

    # --- moves -----------------------------------------------------------------------------

    def move(self, move: Move, coloured: bool) -> str:
        """Return a move as a line of the score sheet."""
        tile = (move.tile or "").removeprefix(f"{move.player}/" if coloured else "")
        said = self.page(
            f"move-{move.do}",
            player=self.player(move.player),
            tile=self.tile(tile) if tile else "",
            value=move.value or "",
        )
        return said[:1].upper() + said[1:]

    def laid(self, move: Move, coloured: bool) -> str:
        """Return a placed or replaced tile as a sentence; other moves as on the score sheet."""
        if move.tile is None or move.do not in ("place", "replace"):
            return self.move(move, coloured)
        tile = self._after_verb(move.tile.removeprefix(f"{move.player}/" if coloured else ""))
        said = self.page(f"laid-{move.do}", player=self.player(move.player), tile=tile)
        return said[:1].upper() + said[1:]

    def _after_verb(self, tile: str) -> str:
        """Return a tile with its article, in the grammatical case that "lay" requires.

        A catalogue has under ``laying`` a form for each gender, one for words that begin with a
        vowel, and regular expressions for the endings that change.
        """
        forms: Mapping[str, Any] = self._words["laying"]
        name, comma, rest = self.tile(tile).partition(",")
        for ending, other in forms.get("endings", {}).items():
            name = re.sub(ending, other, name)
        first, _, of_colour = tile.partition("/")
        shape = of_colour if first in self._words["colours"] and of_colour else tile
        form = forms.get("vowel") if name[0] in "aeiou" else None
        form = form or forms[self._gender(shape.partition("/")[0])]
        return str(form).format(tile=name) + comma + rest

    def _gender(self, shape: str) -> str:
        return str(self._words["genders"].get("hex" if shape.isdigit() else shape, "m"))


@cache
def catalogue(language: str) -> Mapping[str, Any]:
    """Return the words of a language."""
    file = files("companion_app") / "locales" / f"{language}.json"
    words: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {**english(), **words} if language == "en" else words


def best_language(wanted: str | None, accepted: Sequence[str]) -> str:
    """Return the language asked for, else the first one that the browser reads."""
    for language in (wanted or "", *accepted):
        short = language.split("-")[0].lower()
        if short in LANGUAGES:
            return short
    return "en"

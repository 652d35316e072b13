"""Every language says everything, and none has English left over."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import asdict
from pathlib import Path
from string import Formatter

import pytest

import companion_app
from companion_app.web.speech import LANGUAGES, Speech, best_language, catalogue
from engine.game import Rule, ScoreLine, Violation
from engine.games import GAMES
from engine.record import find_set, parse_record
from engine.referee import replay
from engine.sentences import rules_of, why
from engine.wording import FORMS, Sentence
from tests.companion_app.web.conftest import PLAYTHROUGHS

HOME = Path(companion_app.__file__).parent
OTHERS = [code for code in LANGUAGES if code != "en"]
ENGLISH = re.compile(
    r"\b(the|is|are|of|and|or|snake|snakes|card|cards|move|moves|blue|yellow|green|black|"
    r"straight|curve|head|log|gift|trouble|must|not|here|this|that|lay|laid|with|game)\b"
)
"""Words of our sentences that are words of no other language here."""
SAME = {
    "Snake Eye",
    "Photo {n}",
    "PIN",
    "{player}: {tile}",
    "live",
    "BG Stats",
    "violet",
    "orange",
    "turquoise",
    "diamant",
    "Pause",
    "{colour} {shape}",
    "Orange",
    "Pages",
    "Table",
    "Name",
    "{n} point",
    "Points",
    "Table {number}",
}


def english_in(text: str) -> list[str]:
    return [*ENGLISH.findall(re.sub(r"\{[\w.]+\}|Snake Eye", "", text))]


def forms(sentence: Sentence) -> list[str]:
    """Return what a sentence may say: itself, or its forms for different numbers."""
    return [sentence] if isinstance(sentence, str) else list(sentence.values())


def fields(sentence: Sentence) -> set[str]:
    """Return the names that a sentence fills in; ``{colour.gen}`` is a form of ``colour``."""
    return {
        name.partition(".")[0]
        for text in forms(sentence)
        for _, name, _, _ in Formatter().parse(text)
        if name
    }


def has_the_forms_of(language: str, sentence: Sentence) -> bool:
    return isinstance(sentence, str) or set(FORMS[language]) <= set(sentence)


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("part", ["page", "colours", "shapes", "bends", "source"])
def test_no_word_is_missing_or_left_over(language, part):
    english, other = catalogue("en")[part], catalogue(language)[part]

    assert set(other) == set(english)
    for key, text in english.items():
        assert fields(other[key]) == fields(text), key
        assert has_the_forms_of(language, other[key]), key


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_of_the_page_is_still_english(language):
    english, other = catalogue("en")["page"], catalogue(language)["page"]

    same = {k for k, text in english.items() if other[k] == text and forms(text)[0] not in SAME}
    words = {k: text for k, text in other.items() if english_in(" ".join(forms(text)))}
    assert same == set()
    assert words == {}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("game", list(GAMES))
def test_every_rule_and_option_is_said_in_every_language(language, game):
    speech = Speech(language)
    facts = GAMES[game].facts
    for rule in facts.rules:
        said = speech._sentences(game, rule)
        assert said.text != rule.text, rule.id
        assert set(said.cases) == set(rule.cases), rule.id
        pairs = [(said.text, rule.text), (said.says, rule.says)]
        for other, english in [*pairs, *((said.cases[k], rule.cases[k]) for k in rule.cases)]:
            assert bool(other) == bool(english), rule.id
            assert not english_in(" ".join(forms(other))), rule.id
            assert fields(other) <= fields(english), rule.id
            assert has_the_forms_of(language, other), rule.id
        assert not english_in(re.sub("«[^»]*»", "", speech.source(rule.source)))
    summary = speech.summary(game, facts.summary)
    assert list(summary) == ["goal", "turn", "end", "scoring"]
    assert not set(summary.values()) & set(asdict(facts.summary).values())
    assert not english_in(" ".join(summary.values()))
    for option in facts.options:
        assert speech.option(game, option.name, "") != ""


@pytest.mark.parametrize("language", OTHERS)
def test_every_reason_for_points_is_said_in_every_language(language):
    assert set(catalogue(language)["reasons"]) == {reason.id for reason in why}
    for reason in why:
        said = catalogue(language)["reasons"][reason.id]
        assert not english_in(" ".join(forms(said))), reason.id
        assert fields(said) <= fields(reason.says), reason.id
        assert has_the_forms_of(language, said), reason.id


@pytest.mark.parametrize("language", OTHERS)
def test_fouls_and_scores_of_whole_games_leave_no_english_over(language):
    speech = Speech(language, {"a": "Anna", "b": "Ben"})
    seen = set()
    for file in sorted(PLAYTHROUGHS.glob("*.json")):
        for game in json.loads(file.read_text(encoding="utf-8"))["games"]:
            if "record" not in game:
                continue
            record = parse_record(game["record"])
            played = replay(record)
            name = record.game.facts.name
            for violation in (v for broken in played.verdicts for v in broken or ()):
                said = speech.violation(name, violation)
                seen.add(violation.rule.id)
                assert not english_in(said), (violation.rule.id, said)
                assert "{" not in said
            for lines in record.game.outcome(played.position).lines.values():
                for line in lines:
                    assert not english_in(speech.why(line)), line
    assert len(seen) > 30


def test_people_are_named_and_snakes_are_called_by_their_colour():
    speech = Speech("en", {"blue": "Anna", "red": "Ben"})
    blue = {"player": "blue", "turn": "red", "colour": "blue"}

    turn = speech.violation("snekagon", Violation(rules_of("snekagon").NOT_YOUR_TURN, params=blue))
    touch = speech.violation(
        "snekagon", Violation(rules_of("snekagon").TOUCHES_ITSELF, params=blue)
    )
    part = speech.why(ScoreLine(1, why.PART, params={"colour": "grey", "snake": "blue"}))

    assert turn == "It is Ben's turn, not Anna's."
    assert touch == "The tile touches the blue snake in a second place, and not end to end."
    assert part == "a grey part of the blue snake"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tile_has_a_name(language):
    speech = Speech(language)
    for game in GAMES.values():
        for tile in find_set(game, None).counts:
            said = speech.tile(tile)
            assert said
            assert language == "en" or not english_in(said), tile


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["snekagon", "snekagon5g"])
def test_no_two_hex_tiles_of_a_box_have_one_name(language, game):
    tiles = list(find_set(GAMES[game], None).counts)
    said = [Speech(language).tile(tile) for tile in tiles]

    assert sorted(set(said)) == sorted(said)


@pytest.mark.parametrize(
    ("language", "tile", "said"),
    [
        ("en", "red/4/00", "red tile of 4, straight"),
        ("en", "1", "tile of 1"),
        ("en", "red/4/0+", "red tile of 4, bent at one end"),
        ("de", "red/4/0+", "rotes 4er-Plättchen, an einem Ende geknickt"),
        ("fr", "green/4/+-", "tuile verte de 4 cases, en zigzag"),
        ("cs", "red/4/++", "červený dílek ze 4 polí, do oblouku"),
        ("cs", "1", "dílek z 1 pole"),
        ("ru", "red/2", "красный тайл из 2 клеток"),
        ("ru", "violet/5/0++", "фиолетовый тайл из 5 клеток, закрученный с одного конца"),
    ],
)
def test_hex_tile_is_called_by_what_one_sees(language, tile, said):
    assert Speech(language).tile(tile) == said


def test_every_word_that_the_page_asks_for_is_there():
    known = set(catalogue("en")["page"])
    asked = set()
    for file in (HOME / "static").glob("*.js"):
        asked |= set(re.findall(r"""\bt\("([^"]+)"\s*[,)]""", file.read_text(encoding="utf-8")))
    for file in (HOME / "web").glob("*.py"):
        asked |= set(re.findall(r"""\.page\("([^"]+)"[,)]""", file.read_text(encoding="utf-8")))
    asked |= set(re.findall(r"words\['([^']+)'\]", (HOME / "templates/index.html").read_text()))

    assert asked - known == set()


def test_every_error_code_has_a_sentence():
    codes = set()
    for file in (*(HOME / "web").rglob("*.py"), HOME / "hands" / "errors.py"):
        codes |= set(re.findall(r"""code = "([a-z-]+)"|code="([a-z-]+)\"""", file.read_text()))
    for file in (HOME.parent / "engine").rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "RecordError":
                codes |= {
                    (code.value, "") for code in call.args[2:] if isinstance(code, ast.Constant)
                }
    said = {f"error-{a or b}" for a, b in codes}

    assert "error-frame-gap" in said
    assert said - set(catalogue("en")["page"]) == set()


@pytest.mark.parametrize(
    ("language", "count", "said"),
    [
        ("en", 1, "1 card is missing to close Ann's snake"),
        ("de", 2, "Der Schlange von Ann fehlen 2 Karten zum Schließen"),
        ("fr", 1, "Il manque 1 carte pour fermer le serpent d'Ann"),
        ("cs", 3, "K uzavření hada hráče Ann chybějí 3 karty"),
        ("cs", 5, "K uzavření hada hráče Ann chybí 5 karet"),
        ("ru", 21, "Чтобы замкнуть змею игрока Ann, не хватает 21 карты"),
        ("ru", 12, "Чтобы замкнуть змею игрока Ann, не хватает 12 карт"),
    ],
)
def test_counted_sentence_has_the_form_of_its_number(language, count, said):
    line = ScoreLine(-count, why.MISSING, params={"snake": "a", "n": str(count)})

    assert Speech(language, {"a": "Ann"}).why(line) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "de",
            "Die blaue Schlange ist kein geschlossener Ring,"
            " darum bleibt diese Karte, wie sie liegt.",
        ),
        (
            "fr",
            "Le serpent bleu ne forme pas une boucle fermée\u00a0:"
            " cette carte reste comme elle est.",
        ),
        ("cs", "Modrý had není uzavřený kruh, proto tato karta zůstane, jak leží."),
        ("ru", "Синяя змея не замкнута в кольцо, поэтому карта остаётся как лежит."),
    ],
)
def test_snake_is_declined_as_its_language_does(language, said):
    violation = Violation(rules_of("schlangennest").NO_LOOP, params={"colour": "blue"})

    assert Speech(language).violation("schlangennest", violation) == said


def test_list_of_snakes_is_joined_as_its_language_does():
    violation = Violation(
        rules_of("schlangennest").THREE_AT_ONE_PLACE, params={"snakes": "red, yellow and green"}
    )

    assert Speech("de").violation("schlangennest", violation) == (
        "Drei oder mehr Schlangen erreichen diesen leeren Platz: Rot, Gelb und Grün."
    )


def test_source_names_the_headings_and_no_place_in_our_own_rulings():
    source = "rulebook, step 6, Конец игры; rulings 3 and 4"

    assert Speech("en").source(source) == (
        "rulebook: step 6, «Конец игры»; our reading of the rules"
    )
    assert Speech("de").source("option rolls") == "nach Absprache"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_one_form_counts_things(language):
    page = catalogue(language)["page"]
    counting = {
        key
        for key, text in page.items()
        if isinstance(text, str) and re.search(r"\{n\} [^\W\d](?!\w* \{of\})", text)
    }

    # The pips of a die; the number of a photo.
    assert counting <= {"roll-is", "teach-mark-in"}


@pytest.mark.parametrize(
    ("language", "count", "said"),
    [
        ("en", 1, "1 picture deleted."),
        ("en", 3, "3 pictures deleted."),
        ("de", 1, "1 Bild gelöscht."),
        ("fr", 0, "0 photo effacée."),
        ("cs", 2, "2 snímky smazány."),
        ("cs", 5, "5 snímků smazáno."),
        ("ru", 21, "Удалён 21 снимок."),
        ("ru", 3, "Удалено 3 снимка."),
        ("ru", 11, "Удалено 11 снимков."),
    ],
)
def test_number_and_noun_agree(language, count, said):
    assert Speech(language).page("wiped", n=count) == said


def test_language_is_asked_for_or_the_browsers():
    assert best_language("de", ["fr"]) == "de"
    assert best_language(None, ["pt-BR", "cs-CZ", "en"]) == "cs"
    assert best_language("xx", []) == "en"


def test_rule_without_a_translation_is_said_in_english():
    assert Speech("de").rule("schlangennest", Rule("new-rule", "Be kind.", "x")) == "Be kind."

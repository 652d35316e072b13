"""Every sentence of a tournament exists in all five languages."""

import re
from pathlib import Path
from string import Formatter

import pytest

import companion_app.hall.tournament
from companion_app.hall.tournament.settings import TIE_BREAKS
from companion_app.web.speech import LANGUAGES, catalogue
from engine.wording import FORMS

HOME = Path(companion_app.hall.tournament.__file__).parent


def forms(sentence):
    return [sentence] if isinstance(sentence, str) else list(sentence.values())


def fields(sentence):
    return {name for text in forms(sentence) for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_missing_or_left_over(language):
    english, other = catalogue("en")["tournament"], catalogue(language)["tournament"]

    assert other.keys() == english.keys()
    for key, sentence in english.items():
        assert fields(other[key]) == fields(sentence), key
        assert isinstance(other[key], str) or set(other[key]) == set(FORMS[language]), key


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_no_sentence_is_still_english(language):
    english, other = catalogue("en")["tournament"], catalogue(language)["tournament"]
    # The same word in both languages.
    same = {"print-table", "print-points", "print-place", "print-sign"}

    assert {key for key in english if other[key] == english[key]} <= same


def test_everything_that_is_refused_has_its_sentence():
    source = "".join(file.read_text(encoding="utf-8") for file in HOME.glob("*.py"))
    codes = set(re.findall(r'TournamentError\(\s*"([a-z-]+)"', source))
    said = catalogue("en")["tournament"]

    assert {f"error-{code}" for code in codes} == {key for key in said if key.startswith("error-")}
    assert {f"break-{name}" for name in TIE_BREAKS} <= said.keys()
    assert {f"short-{name}" for name in TIE_BREAKS} <= said.keys()

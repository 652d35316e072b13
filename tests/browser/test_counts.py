"""Numbers and nouns agree: the page and the server choose the same form in every language."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from companion_app.web.speech import LANGUAGES, Speech, catalogue
from engine.wording import plural_form
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser

COUNTS = (0, 1, 2, 3, 5, 11, 14, 21, 22, 101)
WITH = {"name": "ropes", "sure": 97, "unsure": 2, "colour": "x", "of": 9, "player": "Anna"}


def test_browser_knows_the_same_forms(served):
    page = served.open("/")
    forms = page.js(
        f"Object.fromEntries({json.dumps(LANGUAGES)}.map((language) => [language, "
        "[...Array(200).keys()].map((n) => new Intl.PluralRules(language).select(n))]))"
    )

    assert forms == {
        language: [plural_form(language, count) for count in range(200)] for language in LANGUAGES
    }


def test_page_counts_as_the_server_does(served):
    page = served.open("/")
    for language in LANGUAGES:
        page_words = catalogue(language)["page"]
        keys = [key for key, text in page_words.items() if not isinstance(text, str)]
        speech = Speech(language)

        said = page.js(
            f"import('/static/ui.js').then((ui) => ui.loadWords({json.dumps(language)}).then(() => "
            f"{json.dumps(keys)}.map((key) => {json.dumps(COUNTS)}.map((n) => "
            f"ui.t(key, {{ ...{json.dumps(WITH)}, n }})))))"
        )

        assert said == [[speech.page(key, n=n, **WITH) for n in COUNTS] for key in keys], language


def test_one_point_is_not_points(served):
    record = playthrough("sssnake_evening")
    served.begin(record)
    page = served.open("/")
    for move in record.moves:
        served.lay(move)
        state = served.guest().get("/api/state")
        if -1 in state["scores"].values():
            break
    wanted = "−1 point"

    page.wait(
        "[...document.querySelectorAll('.points')].map((e) => e.getAttribute('aria-label'))"
        f".includes({json.dumps(wanted)})"
    )


def test_dates_are_written_as_where_the_browser_is(served):
    page = served.open("/")
    told = "import('/static/ui.js').then((ui) => ui.when(Date.UTC(2026, 10, 9, 12) / 1000))"
    said = {}
    for languages in ("en-US,en", "en-GB,en", "en", "de-AT,de"):
        agent = page.js("navigator.userAgent")
        page.ask("Network.setUserAgentOverride", userAgent=agent, acceptLanguage=languages)
        page.go(served.url + "/")
        said[languages] = page.js(told).split(", ")[0]

    assert said == {
        "en-US,en": "Nov 9",
        "en-GB,en": "9 Nov 2026",
        "en": "9 Nov 2026",
        "de-AT,de": "09.11.2026",
    }


def test_stock_counts_only_colours_that_somebody_plays(served):
    record = playthrough("snekagon5g_five_players")
    two = record.start.players[:2]
    served.begin(replace(record, start=replace(record.start, players=two)))
    page = served.open("/")
    box = record.tile_set
    counts = [n for name, n in box.counts.items() if box[name].colour in (None, *two)]

    assert page.text(".stock summary") == f"Left in the box: {sum(counts)}"
    assert sum(counts) < sum(box.counts.values())

"""The guide: both languages have all of it, its links lead somewhere, its words are the page's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion_app.web.guide import CHAPTERS, CONTENTS, LANGUAGES, chapter
from engine.games import GAMES
from engine.record import find_set

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
STATIC = ROOT / "companion_app" / "static"
TEXTS = {
    (code, name): (DOCS / code / f"{name}.md").read_text(encoding="utf-8")
    for code in LANGUAGES
    for name in CHAPTERS
}
QUESTIONS = ("tile", "roll", "order", "hand", "next")
"""What the referee may ask about; DESIGN promises these names."""
LEAST_PX, WIDE_PX, CARD_MM, CELL_MM = 24, 1920, 45, 19
SEES_WIDE, SEES_DEEP = 1.3, 0.75
"""What a camera module 3 sees, as shares of its height over the table."""


def words_of(code: str) -> set[str]:
    """Return all that the page may say in a language."""

    def spread(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for inner in value.values():
                yield from spread(inner)

    file = ROOT / "companion_app/locales" / f"{code}.json"
    return set(spread(json.loads(file.read_text(encoding="utf-8"))["page"]))


def anchors(text: str) -> list[str]:
    return re.findall(r'<a id="([\w-]+)"></a>', text)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_chapter_is_written_and_no_other(code):
    assert {file.stem for file in (DOCS / code).glob("*.md")} == set(CHAPTERS)
    assert all(TEXTS[code, name].startswith("# ") for name in CHAPTERS)


@pytest.mark.parametrize("code", LANGUAGES)
def test_contents_list_every_chapter_by_its_title_in_reading_order(code):
    listed = re.findall(r"^\d+\. \[(.+)\]\((.+)\.md\)$", TEXTS[code, CONTENTS], re.MULTILINE)

    assert listed == [(chapter(code, name).title, name) for name in CHAPTERS if name != CONTENTS]


@pytest.mark.parametrize("name", CHAPTERS)
def test_languages_have_the_same_sections_and_pictures(name):
    english, german = TEXTS["en", name], TEXTS["de", name]

    assert anchors(english) == anchors(german)
    assert english.count("\n## ") == german.count("\n## ")
    assert re.findall(r"pictures/([\w-]+)", english) == re.findall(r"pictures/([\w-]+)", german)


@pytest.mark.parametrize(("code", "name"), TEXTS)
def test_links_and_pictures_lead_somewhere(code, name):
    for target in re.findall(r"\]\(([^)#:]+)[^)]*\)", TEXTS[code, name]):
        assert (DOCS / code / target).is_file(), target


@pytest.mark.parametrize(("code", "name"), TEXTS)
def test_what_is_in_italics_is_a_word_of_the_page(code, name):
    named = re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", TEXTS[code, name])

    assert [word for word in named if word not in words_of(code)] == []


def test_places_that_the_page_links_to_are_there():
    scripts = "".join(file.read_text(encoding="utf-8") for file in STATIC.glob("*.js"))
    linked = re.findall(r'guideLink\("([\w-]+)"', scripts)

    assert set(linked) == {"camera", "printing", "phone", "own-boxes", "trouble"}
    assert set(linked) <= set(CHAPTERS)
    assert "guideLink(`unsure#${question.about}`)" in scripts
    assert set(QUESTIONS) <= set(anchors(TEXTS["en", "unsure"]))


def test_every_game_has_its_section_and_size():
    assert anchors(TEXTS["en", "games"]) == [
        "schlangennest",
        "snekagon",
        "snekagon5g",
        "sssnake",
        "carnival",
    ]
    assert set(anchors(TEXTS["en", "games"])) == set(GAMES)
    squares = {
        find_set(game, None).pitch_mm
        for game in GAMES.values()
        if find_set(game, None).lattice == "square"
    }
    assert squares == {CARD_MM}


@pytest.mark.parametrize("code", LANGUAGES)
def test_distances_are_those_of_the_camera(code):
    rows = re.findall(
        r"^\| (\d+) cm \| (\d+) × (\d+) cm \| (\d+) \| (\d+)(.*) \|$",
        TEXTS[code, "camera"],
        re.MULTILINE,
    )

    assert len(rows) == 5
    for *numbers, note in rows:
        height, wide, deep, card, cell = map(int, numbers)
        px_per_mm = WIDE_PX / (SEES_WIDE * height * 10)
        assert wide == round(SEES_WIDE * height)
        assert abs(deep - SEES_DEEP * height) <= 0.5
        assert card == round(CARD_MM * px_per_mm)
        assert abs(cell - CELL_MM * px_per_mm) < 1
        assert bool(note) == (cell < LEAST_PX)


def test_guide_is_served_in_the_guests_language(played):
    client = played.guest().client

    assert client.get("/guide").headers["Location"] == "/guide/en/README.md"
    assert client.get("/guide/unsure?lang=de").headers["Location"] == "/guide/de/unsure.md"
    assert client.get("/guide/unsure?lang=cs").headers["Location"] == "/guide/en/unsure.md"


@pytest.mark.parametrize(("code", "name"), TEXTS)
def test_chapter_is_a_page_with_its_links_and_pictures(played, code, name):
    client = played.guest().client

    html = client.get(f"/guide/{code}/{name}.md").get_data(as_text=True)

    assert f'<html lang="{code}">' in html
    assert f"<h1>{chapter(code, name).title}</h1>" in html
    assert "style=" not in html
    assert all(f' id="{place}">' in html for place in anchors(TEXTS[code, name]))
    for picture in re.findall(r'src="\.\./pictures/([^"]+)"', html):
        answer = client.get(f"/guide/pictures/{picture}")
        assert (answer.status_code, answer.mimetype) == (200, "image/webp")


@pytest.mark.parametrize(
    "path",
    [
        "/guide/no-such",
        "/guide/en/no-such.md",
        "/guide/fr/unsure.md",
        "/guide/pictures/x.webp",
        "/guide/pictures/manifest.webp",
        "/guide/en/..%2fglossary.md",
    ],
)
def test_what_is_no_chapter_is_not_found(played, path):
    assert played.guest().client.get(path).status_code == 404


def test_rulings_are_a_page_that_rules_and_guide_lead_to(played):
    client = played.guest().client
    html = client.get("/engine/RULINGS.md").get_data(as_text=True)
    listed = client.get("/api/games").get_json()["games"]

    places = [f"{g['game']}-{n}" for g in listed for rule in g["rules"] for n in rule["rulings"]]
    assert len(set(places)) >= 30
    assert all(f'id="{place}"' in html for place in (*places, *GAMES))
    assert "style=" not in html
    for code in LANGUAGES:
        assert re.findall(r"RULINGS\.md#(\w+)", TEXTS[code, "games"]) == list(GAMES)

"""Exports: safe for spreadsheets, and without the names of those who asked."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion_app.hall.tournament.exports import bg_stats, results_csv, safe_cell, standings_csv
from companion_app.hall.tournament.printing import pairings_page, slips_page, standings_page
from companion_app.hall.tournament.view import shown
from companion_app.web.speech import LANGUAGES
from tests.tournaments.evening import ARBITER, Evening

EVIL = ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", "<script>alert(1)</script>", '"a","b"']


@pytest.fixture(scope="module")
def evening():
    evening = Evening({"size": 3, "game": "sssnake", "rounds": 2, "name": "<b>Club</b>"})
    for name in EVIL:
        evening.enter(name, nickname=name, group="=2+2")
    evening.round(1)
    evening.begin(2)
    return evening


def rows(text: str) -> list[list[str]]:
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_no_cell_with_a_name_is_a_formula(evening):
    for text in (standings_csv(evening.now), results_csv(evening.now, staff=True)):
        for row in rows(text)[1:]:
            for cell in row:
                assert not cell.startswith(("=", "+", "@", "\t"))
                assert not cell.startswith("-") or cell[1:].isdigit()


@given(st.text(max_size=20))
def test_no_text_begins_like_a_formula_once_it_is_safe(text):
    assert not safe_cell(text).startswith(("\t", "\r", "\n"))
    assert not safe_cell(text).lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))


def test_a_score_below_zero_stays_a_number():
    evening = Evening({"size": 3, "game": "sssnake"}, 3)
    evening.begin()
    evening.finish(evening.tables[0], -1, -3, None)

    assert [row[4] for row in rows(results_csv(evening.now))[1:]] == ["-1", "-3", ""]


def test_standings_have_every_player_and_tie_break(evening):
    head, *lines = rows(standings_csv(evening.now))

    assert head == ["rank", "player", "group", "points", "share", "score", "played"]
    assert len(lines) == len(EVIL)


def test_board_game_stats_gets_a_play_for_every_table_that_was_played(evening):
    plays = bg_stats(evening.now, "club-1")

    assert len(plays) == 2
    assert plays == bg_stats(evening.now, "club-1")
    scores = plays[0]["plays"][0]["playerScores"]
    assert [score["seatOrder"] for score in scores] == [1, 2, 3]
    assert [score["startPlayer"] for score in scores] == [True, False, False]
    json.dumps(plays)


@pytest.mark.parametrize("language", LANGUAGES)
def test_printed_pages_hold_every_name_and_run_nothing(evening, language):
    round_ = evening.now.rounds[-1]
    pages = [
        pairings_page(evening.now, round_, language),
        slips_page(evening.now, round_, language),
        standings_page(evening.now, language),
    ]

    for page in pages:
        assert f'<html lang="{language}">' in page
        assert "<script" not in page
        assert "<b>Club" not in page
        assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 1


def test_a_bye_is_printed():
    pytest.importorskip("rustworkx", reason="the extra `hall` is not installed")
    evening = Evening({"size": 2, "game": "snekagon"}, 3)
    evening.begin()

    assert "Bye: " in pairings_page(evening.now, evening.now.rounds[0], "en")


def test_an_erased_name_is_in_no_export():
    evening = Evening({"size": 4})
    for name in ("Zoë Quux", "Ann", "Ben", "Cay"):
        evening.enter(name)
    evening.round(1)
    evening.do("erase-player", ARBITER, player="p1")
    now, round_ = evening.now, evening.now.rounds[0]

    for text in (
        standings_csv(now, staff=True),
        results_csv(now, staff=True),
        json.dumps(bg_stats(now, "k", staff=True)),
        pairings_page(now, round_, "en"),
        slips_page(now, round_, "en"),
        standings_page(now, "en"),
        json.dumps(shown(now, 0.0, staff=True), ensure_ascii=False),
    ):
        assert "Zoë" not in text
        assert "Quux" not in text


def test_what_is_public_has_no_full_name_and_no_word_of_the_staff():
    evening = Evening({"size": 4})
    evening.enter("Zoë Quux", person="member 77")

    text = json.dumps(shown(evening.now, 0.0), ensure_ascii=False)

    assert "Quux" not in text
    assert "member 77" not in text
    assert "Zoë Q." in text


def test_printed_standings_name_the_last_round_that_was_started():
    evening = Evening({"size": 4, "rounds": 2}, 4)
    evening.round(1)
    evening.pair(2)

    assert "Standings after round 1" in standings_page(evening.now, "en")
    evening.do("start-round")
    assert "Standings after round 2" in standings_page(evening.now, "en")


def test_names_on_the_wall_stand_where_people_look_for_them():
    evening = Evening({"size": 4})
    for name in ("Zoe", "Özlem", "anna", "Otto"):
        evening.enter(name)
    evening.begin()

    page = pairings_page(evening.now, evening.now.rounds[0], "de").partition("Wo sitze ich?")[2]
    order = sorted(("Zoe", "Özlem", "anna", "Otto"), key=page.index)
    assert order == ["anna", "Otto", "Özlem", "Zoe"]

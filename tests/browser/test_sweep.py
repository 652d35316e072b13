"""Everything that opens is opened on every view, and nothing lies wrongly then."""

from __future__ import annotations

import pytest

from companion_app.eye.camera import TableCamera
from companion_app.games.entries import Names
from companion_app.hall.demo import Player
from companion_app.web.lessons.photo_reading import read_photo
from tests.browser.boxes import faults
from tests.browser.chromium import wait_until
from tests.browser.conftest import PHONE
from tests.browser.hall_fixtures import hall, opened
from tests.browser.screens import AN_HOUR_S, NAMES, Doings, stages
from tests.browser.sweeping import IN_ALL_WORDS, prepare, swept
from tests.browser.test_tournament import signed_in
from tests.companion_app.web.conftest import playthrough

__all__ = ["hall", "opened"]
pytestmark = pytest.mark.browser


def swept_in_all(served, *paths):
    found = []
    for language, screens in IN_ALL_WORDS:
        page = served.open("/", PHONE, host=True, language=language)
        prepare(page)
        page.go(served.url + "/")
        found += [f"{language} {fault}" for path in paths for fault in swept(page, path, screens)]
    return found


def staged(served, wanted):
    """Set the table as ``screens`` sets it; return the views of that stage."""
    return next(views for stage, views in stages(served) if stage == wanted)


@pytest.mark.parametrize("stage", ["nothing", "foul", "five-players", "carnival", "question"])
def test_table_lies_well_with_everything_open(served, stage):
    views = staged(served, stage)

    assert swept_in_all(served, *views) == []


def test_end_of_a_game_lies_well_with_everything_open(served):
    views = staged(served, "over")
    replay = views[-1]

    assert swept_in_all(served, "/", "/tv", replay) == []


def test_pages_lie_well_with_everything_open(served, tmp_path):
    views = staged(served, "over")
    for play in ("snekagon5g_five_players", "carnival_two_players"):
        record = playthrough(play)
        served.begin(record, NAMES)
        served.play(record, 6)

    assert swept_in_all(served, *views[1:-2], "/alone") == []


def test_what_people_bring_about_lies_well(served, tmp_path):
    served.companion.read_photo = read_photo
    found = []
    for language, screens in IN_ALL_WORDS:
        page = served.open("/", PHONE, host=True, language=language)
        for name, view, do in Doings(served, tmp_path).all():
            served.time_s += AN_HOUR_S
            page.go(served.url + view)
            do(page)
            for width, height in screens:
                page.sized(width, height)
                found += [f"{name} in {language}: {fault}" for fault in faults(page, width)]
        page.errors.clear()  # the phone that the test stands for has no picture

    assert not found, "\n".join(found)


def test_game_that_waits_lies_well(served, tmp_path):
    served.look_through(TableCamera(served.desk, "demo", tmp_path))
    served.host().post("/api/new", {"game": "snekagon", "players": ["red", "green"]})

    assert swept_in_all(served, "/") == []


@pytest.fixture
def evening(hall):
    """Return a round of a tournament beside a table at which a foul lies."""
    from tests.companion_app.hall.test_tournament_evening import Evening

    hall.process.keeper.foul_s = 0.0
    player = Player(hall.table("Anna-Katharina's table at the window").store, 2, "snekagon")
    player.step().note(Names({"red": NAMES["blue"], "green": "Ben"}))
    match = player.step()
    move = match.accepted[0].move
    match.foul(move, match.game.judge(match.position, move).violations, 0.0)
    evening = Evening(hall)
    evening.enter()
    for number in range(1, 10):
        evening.do("check-in", player=f"p{number}")
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    wait_until(lambda: evening.director.get("/api/arbiter")["alerts"])
    return evening


def test_hall_lies_well_with_everything_open(opened, hall, evening):
    url, round_ = f"http://127.0.0.1:{hall.port}", f"/tournament/{evening.id}"
    page = opened("/arbiter")
    signed_in(page, hall)
    page.go(f"{url}{round_}/me")
    page.fill("input.code", evening.whole()["codes"]["p1"])
    page.click("form button")
    page.wait("document.querySelector('#my-table')")
    prepare(page)

    own = ("", "/director", "/me", "/tv")
    paths = ("/", "/tv", f"/table/{hall.tables[0].id}", "/arbiter", "/tournaments")
    found = []
    for language, screens in IN_ALL_WORDS:
        page.ask("Network.setCookie", name="language", value=language, url=url)
        page.go(f"{url}/")
        for path in (*paths, *(round_ + part for part in own)):
            found += [f"{language} {fault}" for fault in swept(page, path, screens)]

    assert not found, "\n".join(found)

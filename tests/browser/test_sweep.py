"""Everything that opens is opened on every view, and nothing lies wrongly then."""

from __future__ import annotations

import pytest

from companion_app.eye.camera import TableCamera
from companion_app.games.entries import Names
from companion_app.hall.demo import Player
from tests.browser.conftest import PHONE
from tests.browser.hall_fixtures import hall, opened
from tests.browser.screens import NAMES, stages
from tests.browser.sweeping import prepare, swept
from tests.browser.test_tournament import signed_in
from tests.companion_app.web.conftest import playthrough

__all__ = ["hall", "opened"]
pytestmark = pytest.mark.browser

LANGUAGES = ("de", "ru")
"""Those with the longest words."""


def swept_in_all(served, language, *paths):
    page = served.open("/", PHONE, host=True, language=language)
    prepare(page)
    page.go(served.url + "/")
    return [fault for path in paths for fault in swept(page, path)]


def staged(served, wanted):
    """Set the table as ``screens`` sets it; return the views of that stage."""
    return next(views for stage, views in stages(served) if stage == wanted)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("stage", ["nothing", "foul", "five-players", "carnival", "question"])
def test_table_lies_well_with_everything_open(served, stage, language):
    views = staged(served, stage)

    assert swept_in_all(served, language, *views) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_end_of_a_game_lies_well_with_everything_open(served, language):
    views = staged(served, "over")
    replay = views[-1]

    assert swept_in_all(served, language, "/", "/tv", replay) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_lie_well_with_everything_open(served, tmp_path, language):
    views = staged(served, "over")
    for play in ("snekagon5g_five_players", "carnival_two_players"):
        record = playthrough(play)
        served.begin(record, NAMES)
        served.play(record, 6)

    assert swept_in_all(served, language, *views[1:-2], "/alone") == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_game_that_waits_lies_well(served, tmp_path, language):
    served.look_through(TableCamera(served.desk, "demo", tmp_path))
    served.host().post("/api/new", {"game": "snekagon", "players": ["red", "green"]})

    assert swept_in_all(served, language, "/") == []


def test_hall_lies_well(opened, hall):
    table = hall.table("Anna-Katharina's table at the window")
    match = Player(table.store, 2, "snekagon").step()
    match.note(Names({"red": NAMES["blue"], "green": "Ben"}))
    page = opened("/arbiter")
    signed_in(page, hall)
    prepare(page)
    page.go(f"http://127.0.0.1:{hall.port}/")

    paths = ("/", f"/table/{table.id}", "/arbiter", "/tournaments")
    found = [fault for path in paths for fault in swept(page, path)]

    assert not found, "\n".join(found)

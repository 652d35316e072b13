"""Everything that opens is opened on every view, and nothing lies wrongly then."""

from __future__ import annotations

import pytest

from tests.browser.boxes import faults
from tests.browser.conftest import PHONE
from tests.browser.screens import NAMES
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser

SCREENS = ((360, 740), (390, 844), (1440, 900))


@pytest.mark.parametrize("path", ["/", "/tv"])
@pytest.mark.parametrize("play", ["schlangennest_four_players", "snekagon5g_five_players"])
def test_score_opens_in_its_own_place(served, play, path):
    record = playthrough(play)
    served.begin(record, NAMES)
    served.play(record, 30)
    page = served.open(path, PHONE, host=True, language="de")
    page.click(".player")
    page.wait("document.querySelector('.lines li')")

    for size in SCREENS:
        page.sized(*size)
        assert faults(page, size[0]) == [], size

"""Settings are checked before they can spoil an evening."""

import json

import pytest

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.points import rows
from companion_app.hall.tournament.settings import read_settings, write_settings


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_every_size_of_table_has_settings_that_work(size):
    settings = read_settings({"size": size, "game": "snekagon5g"})

    assert set(range(settings.fewest, settings.most + 1)) <= rows(settings).keys()
    assert read_settings(json.loads(json.dumps(write_settings(settings)))) == settings


def test_own_points_are_taken():
    settings = read_settings({"points": "own", "own_points": [[4, 2, 0], ["7/2", 2, 1, 0]]})

    assert [float(n) for n in rows(settings)[4]] == [3.5, 2, 1, 0]


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ({"sise": 4}, "“sise”"),
        ({"rounds": 0}, "“rounds”"),
        ({"rounds": True}, "“rounds”"),
        ({"game": "chess"}, "“game”"),
        ({"game": "snekagon"}, "Snekagon is for 2 to 2 players"),
        ({"points": "own"}, "no points set for a table of 3"),
        ({"points": "own", "own_points": [[1, 2, 3]]}, "“own_points”"),
        ({"points": "own", "own_points": [["1/0", 1, 0]]}, "“own_points”"),
        ({"tie_breaks": ["luck"]}, "“tie_breaks”"),
        ({"bye_points": "a lot"}, "“bye_points”"),
        ({"rated": "yes"}, "“rated”"),
        ([], "“settings”"),
    ],
)
def test_a_setting_that_cannot_be_is_named(written, complaint):
    with pytest.raises(TournamentError) as error:
        read_settings(written)

    assert complaint in str(error.value)

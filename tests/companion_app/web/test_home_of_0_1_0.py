"""A home of version 0.1.0 is taken over whole: games, settings, boxes, the host's phone, all else.

``tests/home_of_0_1_0/make.py`` says how that version itself made it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask.sessions import SecureCookieSessionInterface

from calibration.profile_file import load_profile
from companion_app.backup import make_backup
from companion_app.eye.corrections import Corrections
from companion_app.eye.desk import Desk
from companion_app.live.match import Match
from companion_app.live.store import Store
from companion_app.restore import restore_backup
from companion_app.settings import load_settings
from companion_app.web.app import create_app
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.sessions import Sessions
from engine.record import record_to_json
from engine.setfile import load_set
from models.teaching.shelf import listed, refused
from models.teaching.store import read_kept
from tests.companion_app.web.conftest import HANDS
from tests.near import near_companion
from vision import find_taught

MADE = Path(__file__).parents[2] / "home_of_0_1_0"
EXPECTED: dict[str, Any] = json.loads((MADE / "expected.json").read_text(encoding="utf-8"))
KINDS = {"fox", "owl"}


@pytest.fixture
def home(tmp_path) -> Path:
    return Path(shutil.copytree(MADE / "home", tmp_path / "home"))


def games_in(home: Path) -> dict[str, Any]:
    with Store(home) as store:
        assert store.salvaged is None
        return {key: record_to_json(Match.resume(store, key).record()) for key in store.games()}


def page_of(home: Path, store: Store) -> Any:
    """Return a browser that still has the cookie of the host of before."""
    desk = Desk(store, set_folders=(home / "sets",))
    settings = SettingsFile(home / "page.json", pin_cost=2)
    companion, _ = near_companion(
        desk, settings, hands=HANDS, sessions=Sessions(home / "sessions.json")
    )
    app = create_app(companion)
    client = app.test_client()
    name, _, value = EXPECTED["cookie"].partition("=")
    # The same words under the same signature, as of today: a cookie ends after a month.
    signer = SecureCookieSessionInterface().get_signing_serializer(app)
    assert signer is not None
    client.set_cookie(name, signer.dumps(signer.loads(value)))
    return client


def test_games_are_there_move_by_move(home):
    assert games_in(home) == {EXPECTED["key"]: EXPECTED["record"]}
    assert len(EXPECTED["record"]["moves"]) >= 6


def test_settings_of_the_page_are_there_and_the_pin_is_a_hash_from_now_on(home):
    settings = SettingsFile(home / "page.json", pin_cost=2)

    now = settings.now
    assert (now.secret, now.pin_number, now.pictures_mb) == tuple(EXPECTED["page"].values())
    assert not now.players_answer
    assert settings.is_pin(EXPECTED["pin"])
    assert settings.made_pin is None
    assert EXPECTED["pin"] not in (home / "page.json").read_text()


def test_settings_file_is_read(home):
    settings = load_settings(home / "snake-eye.toml")

    assert (settings.game, settings.port) == ("sssnake", 8181)


def test_taught_box_reads_its_tiles_and_can_be_taught_further(home):
    box = find_taught("ropes", (home / "sets",))

    assert box is not None
    assert box.reader is not None
    assert set(box.tile_set.kinds) == KINDS
    assert {one["name"] for one in listed(home / "sets")} == {"ropes"}
    assert refused(home / "sets") == {}
    kept = read_kept(home / "sets", "ropes")
    assert kept is not None
    assert set(kept[0].examples.tiles) == KINDS


def test_own_set_file_is_a_box(home):
    assert load_set("garden-hose", (home / "sets",)).game == "sssnake"


def test_corrections_and_the_camera_profile_are_there(home):
    kept = Corrections(home / "corrections")

    assert [one["tile"] for one in kept.listed()] == ["blue/curve"]
    picture = kept.picture("schlangennest-000001.jpg")
    assert picture is not None
    decoded = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    assert decoded.shape == (32, 32, 3)
    profile = load_profile(home / "profiles/webcam-0.json")
    assert profile.light is not None
    assert profile.size_px == (1280, 720)


def test_phone_of_the_host_stays_host_and_sees_the_game(home):
    with Store(home) as store:
        client = page_of(home, store)

        me = client.get("/api/me").get_json()
        shown = client.get(f"/api/games/{EXPECTED['key']}").get_json()

        assert me["host"]
        assert len(shown["moves"]) == len(EXPECTED["record"]["moves"])


def test_backup_of_that_home_is_restored_with_nothing_left_out(home, tmp_path):
    make_backup(home, tmp_path / "b.zip")

    restored = restore_backup(tmp_path / "new", tmp_path / "b.zip", with_secrets=True)

    assert restored.left_out == ()
    assert games_in(tmp_path / "new") == {EXPECTED["key"]: EXPECTED["record"]}
    assert SettingsFile(tmp_path / "new/page.json", pin_cost=2).is_pin(EXPECTED["pin"])

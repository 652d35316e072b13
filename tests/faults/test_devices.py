"""Faults around the game: camera unplugged, models damaged or of another box, settings wrong."""

import json
import shutil
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from companion_app.doctor import model_checks
from companion_app.eye.camera import TableCamera
from companion_app.live import opening
from companion_app.live.demo import demo_record
from companion_app.live.loop import LiveLoop
from companion_app.live.match import Match
from companion_app.live.store import Store
from companion_app.settings import _RULES, Settings, SettingsError, parse_settings
from engine.game import Start
from engine.games import game_named
from engine.placement import Layout
from engine.record import Record, find_set
from models.lab.scenes.games.positions import played
from tests.faults.scripted import Announced, lost_moves
from tests.live_games.scripted import Moment, ScriptedCamera, ScriptedReader
from vision.core.files import TRAINED
from vision.sources.webcam import WebcamSource

# --- The camera ---


class Cable:
    """A camera whose cable can be pulled; it shows the moment that it is given."""

    def __init__(self, camera: ScriptedCamera) -> None:
        self.camera = camera
        self.plugged = True
        self.moment: Moment | None = None
        self.shot_s = 0.0

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return self.plugged

    def read(self) -> tuple[bool, Any]:
        if not self.plugged or self.moment is None:
            return False, None
        frame = self.camera.shoot(self.moment)
        self.shot_s = frame.taken_at_s
        return True, frame.bgr

    def set(self, what: int, value: float) -> bool:
        return True

    def release(self) -> None:
        pass


@pytest.mark.parametrize("seed", [4, 9])
def test_camera_unplugged_in_mid_game_is_said_and_no_move_is_lost(tmp_path, seed):
    one = played("schlangennest", "train", "random", seed)
    game = game_named("schlangennest")
    box = find_set(game, None)
    camera = ScriptedCamera(box, tuple(dict.fromkeys(one.layouts)))
    cable, announced, states = Cable(camera), Announced(), []

    def heard(event):
        announced.hear(event)
        if event["event"] == "state":
            states.append(event["state"])

    with Store(tmp_path) as store:
        match = Match.begin(store, Record(game, box, Start(one.players)))
        loop = LiveLoop(match, ScriptedReader(camera), heard)
        frames = WebcamSource(
            0, open_camera=lambda _: cable, sleep=camera.wait, clock=lambda: cable.shot_s
        ).frames()
        loop.start()

        def shows(layout, looks=12):
            cable.moment = Moment(layout)
            for _ in range(looks):
                frame = next(frames)
                if frame is None:
                    loop.silence()
                else:
                    loop.see(frame)

        shows(one.layouts[0])
        shows(one.layouts[1])
        cable.plugged = False
        shows(one.layouts[2], looks=4)
        assert states[-1] == "camera-lost"
        cable.plugged = True
        shows(one.layouts[2])
        shows(one.layouts[3])

    assert states[-1] == "settled"
    assert len(announced.moves) == 3
    assert lost_moves(tmp_path, announced) == 0


def test_camera_missing_at_the_start_is_said_on_the_page_and_seen_when_it_is_plugged_in(
    played, monkeypatch, tmp_path
):
    one = demo_record("schlangennest")
    cable = Cable(ScriptedCamera(one.tile_set, (Layout(),)))
    cable.plugged, cable.moment = False, Moment(Layout())
    found_again = partial(
        WebcamSource, open_camera=lambda _: cable, sleep=lambda _s: time.sleep(0.01)
    )
    monkeypatch.setattr(opening, "WebcamSource", found_again)
    camera = TableCamera(played.desk, "webcam:0", tmp_path)

    played.desk.begin(one, {}, camera.feeder(one, patient=True))
    assert seen_soon(played, lambda state: state == "camera-lost")
    cable.plugged = True

    assert seen_soon(played, lambda state: state != "camera-lost")
    assert camera.frame() is not None


def seen_soon(played, is_so) -> bool:
    for _ in range(1000):
        if is_so(played.guest().get("/api/state")["seeing"]["state"]):
            return True
        time.sleep(0.01)
    return False


# --- Models ---

MODEL_FILES = sorted(path.name for path in TRAINED.iterdir() if path.suffix != ".md")
HARMS = {"reader.npz": ("gone", "empty", "cut-off", "one-byte", "garbage")}
"""All kinds of harm to the smallest file; the others are checked by the same few lines."""
HARMED = [(f, h) for f in MODEL_FILES if f[-4:] != "json" for h in HARMS.get(f, ("one-byte",))]
HARMED_MANIFESTS = [(f, h) for f in MODEL_FILES if f[-4:] == "json" for h in ("gone", "list")]


def harmed(path: Path, harm: str) -> None:
    data = path.read_bytes()
    if harm == "gone":
        path.unlink()
        return
    middle = len(data) // 2
    path.write_bytes(
        {
            "empty": b"",
            "cut-off": data[:middle],
            "garbage": b"\x80\x04" + b"x" * 500,
            "one-byte": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
            "list": b"[1, 2]",
        }[harm]
    )


@pytest.fixture
def trained(tmp_path):
    return Path(shutil.copytree(TRAINED, tmp_path / "trained"))


@pytest.mark.parametrize(("file", "harm"), HARMED)
def test_damaged_model_is_refused_by_its_name(trained, file, harm):
    harmed(trained / file, harm)

    faults = [check for check in model_checks(trained) if check.ok is False]

    assert faults
    for check in faults:
        assert file in check.values["text"]
        assert check.fix


@pytest.mark.parametrize(("file", "harm"), HARMED_MANIFESTS)
def test_damaged_manifest_is_refused_by_its_name(trained, file, harm):
    harmed(trained / file, harm)

    faults = [check for check in model_checks(trained) if check.ok is False]

    assert faults
    assert all(file in check.values["text"] for check in faults)


def test_model_of_another_box_is_refused(trained):
    path = trained / "reader.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["boxes"]["sssnake"] = manifest["boxes"]["carnival"]
    path.write_text(json.dumps(manifest), encoding="utf-8")

    (fault,) = [check for check in model_checks(trained) if check.ok is False]

    assert fault.name == "model sssnake"
    assert "prints of sssnake" in fault.values["text"]


def test_model_for_other_tiles_of_the_same_name_is_refused(trained):
    path = trained / "reader.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["boxes"]["sssnake"]["set_hash"] = "0" * 16
    path.write_text(json.dumps(manifest), encoding="utf-8")

    (fault,) = [check for check in model_checks(trained) if check.ok is False]

    assert fault.name == "model sssnake"


# --- Settings: every setting with every kind of wrong value ---

WRONG = ("pi", '"a text"', "true", "-1", "1e9", "[]", "{}", "2026-01-01", "'", '"\\q"', "")


def _is_a(kind, rule) -> bool:
    return type(getattr(Settings(), rule.field)) is kind


def _takes_any(rule) -> bool:
    return _is_a(str, rule) and rule.is_good("a text")


@pytest.mark.parametrize("rule", _RULES, ids=lambda rule: f"{rule.section}.{rule.key}")
def test_every_setting_names_the_line_of_every_kind_of_mistake(rule):
    for wrong in WRONG:
        text = f"# a comment\n\n[{rule.section}]\n{rule.key} = {wrong}\n"
        if (_is_a(bool, rule) and wrong == "true") or (wrong == '"a text"' and _takes_any(rule)):
            continue
        with pytest.raises(SettingsError) as caught:
            parse_settings(text.encode())
        assert all(mistake.startswith("line 4: ") for mistake in caught.value.mistakes), wrong

"""Doctor: every fault is shown once, in plain words, with what to do about it."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from companion_app.answers import ANSWERED, NO, InputError
from companion_app.cli.main import build_parser
from companion_app.doctor import diagnose, is_running
from companion_app.doctor_camera import Seen, camera_checks, look
from companion_app.doctor_machine import Finding, Machine, read_temperature, read_throttled
from companion_app.live.store import Store
from companion_app.web.doctor_words import report
from companion_app.web.serving.page_file import SettingsFile
from vision.classify.taught import wanted
from vision.core.files import TRAINED
from vision.sources import FrameSource, SourceError
from vision.sources.pi_camera import CameraFacts

NOW_S = 1_800_000_000.0


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a machine on which all is well."""
    return Machine(
        home=tmp_path,
        free_bytes=lambda _: 20 << 30,
        temperature_c=lambda: 50.0,
        throttled=lambda: 0,
        now_s=lambda: NOW_S,
        clock_is_set=lambda: True,
        addresses=lambda: ("192.0.2.7",),
        has_mdns=lambda: True,
        hostname=lambda: "snake-eye",
    )


def table(*, blur_px: float = 0.0, light: float = 1.0) -> np.ndarray:
    """Return a picture full of printed cards."""
    rng = np.random.default_rng(7)
    picture = np.full((720, 960, 3), (60, 90, 120), np.uint8)
    for x in range(20, 900, 70):
        for y in range(20, 660, 70):
            cv2.rectangle(picture, (x, y), (x + 60, y + 60), (235, 235, 235), -1)
            colour = [int(value) for value in rng.integers(0, 200, 3)]
            cv2.circle(picture, (x + 30, y + 30), 18, colour, 5)
    if blur_px:
        picture = cv2.GaussianBlur(picture, (0, 0), blur_px).astype(np.uint8)
    return np.asarray(np.clip(picture * light, 0, 255), np.uint8)


def named(checks: list[Finding], name: str) -> SimpleNamespace:
    """Return a check of a name, in English."""
    (check,) = [check for check in report(checks)["checks"] if check["name"] == name]
    return SimpleNamespace(**check)


# --- The machine ---


def test_all_is_well_on_a_good_machine(machine):
    checks = diagnose(machine, Seen("webcam:0", table()))

    assert [check for check in checks if check.ok is False] == []
    assert report(checks)["ok"] is True


def test_answer_has_the_promised_keys(machine):
    answer = report(diagnose(machine, Seen("")))

    assert set(answer) == {"ok", "checks"}
    for check in answer["checks"]:
        assert set(check) == {"name", "ok", "code", "text", "fix"}
        assert check["ok"] in (True, False, None)
        assert check["text"].endswith(".")


def test_everything_promised_is_looked_at(machine):
    names = {check.name.split()[0] for check in diagnose(machine, Seen(""))}

    assert names >= {
        "settings",
        "camera",
        "focus",
        "light",
        "lens",
        "disk",
        "games",
        "temperature",
        "power",
        "clock",
        "network",
        "versions",
        "model",
    }


@pytest.mark.parametrize(
    ("change", "name", "ok", "words"),
    [
        ({"free_bytes": lambda _: 50 << 20}, "disk", False, "Only 50 MB are free."),
        ({"free_bytes": lambda _: 500 << 20}, "disk", True, "500 MB are free."),
        ({"temperature_c": lambda: 84.6}, "temperature", False, "is at 85 °C"),
        ({"temperature_c": lambda: None}, "temperature", None, "does not report"),
        ({"throttled": lambda: 0x1}, "power", False, "Right now the power supply is too weak."),
        ({"throttled": lambda: 0x8}, "power", False, "it is too hot"),
        ({"throttled": lambda: 0x50000}, "power", True, "earlier it has slowed down and the power"),
        ({"throttled": lambda: None}, "power", None, "Only a Raspberry Pi"),
        ({"now_s": lambda: 0.0}, "clock", False, "is wrong: it says 1970-01-01 00:00 UTC"),
        ({"clock_is_set": lambda: False}, "clock", None, "was not set automatically"),
        ({"addresses": lambda: ()}, "network", False, "phones cannot reach it"),
        ({"has_mdns": lambda: False}, "network", True, "at 192.0.2.7."),
        ({}, "network", True, "at 192.0.2.7 and as snake-eye.local."),
    ],
)
def test_machine_is_judged(machine, change, name, ok, words):
    check = named(diagnose(replace(machine, **change), Seen("")), name)

    assert check.ok is ok
    assert words in check.text
    assert check.ok is not False or check.fix


def test_clock_behind_the_newest_game_is_a_fault(machine, tmp_path):
    with Store(tmp_path) as store:
        store.append("g", "started", {})

    check = named(diagnose(replace(machine, now_s=lambda: 1_760_000_000.0), Seen("")), "clock")

    assert check.ok is False


def test_damaged_games_are_a_fault(machine, tmp_path):
    (tmp_path / "games/g").mkdir(parents=True)
    (tmp_path / "games/g/log").write_bytes(b"\xff" * 5000 + b"\n")

    check = named(diagnose(machine, Seen("")), "games")

    assert check.ok is False
    assert "restore a backup" in check.fix


def test_games_are_counted(machine, tmp_path):
    with Store(tmp_path) as store:
        store.append("g1", "started", {})
        store.append("g2", "started", {})

        assert named(diagnose(machine, Seen("")), "games").text == "2 games are kept."


def test_mistake_in_the_settings_is_named(machine, tmp_path, monkeypatch):
    (tmp_path / "s.toml").write_text("[page]\nport = 0\n", encoding="utf-8")
    monkeypatch.setenv("SNAKE_EYE_SETTINGS", str(tmp_path / "s.toml"))

    check = named(diagnose(machine, Seen("")), "settings")

    assert check.ok is False
    assert "line 2: page.port is 0" in check.text


def test_broken_set_of_an_owner_is_a_fault(machine, tmp_path):
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets/mine.toml").write_text("what", encoding="utf-8")

    assert named(diagnose(machine, Seen("")), "set mine").ok is False


def test_broken_reader_of_an_owners_box_is_a_fault(machine, tmp_path):
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets/mine.json").write_text('{"format": "another"}', encoding="utf-8")

    check = named(diagnose(machine, Seen("")), "set mine")

    assert check.ok is False
    assert "mine.json" in check.text


def test_a_taught_board_that_is_not_read_any_more_is_told_by_name(machine, tmp_path):
    (tmp_path / "sets").mkdir()
    manifest = wanted("tin") | {"board": True, "game": "snekagon5g"}
    (tmp_path / "sets/tin.json").write_text(json.dumps(manifest), encoding="utf-8")

    check = named(diagnose(machine, Seen("")), "set tin")

    assert (check.ok, check.fix) == (False, "")
    assert check.text == (
        "tin is a taught board of Snekagon 5G, which is not read any more: play with printed "
        "boards; its files stay as they are."
    )


def test_every_trained_model_is_looked_at_by_its_name(machine):
    checks = report(diagnose(machine, Seen("")))["checks"]
    said = " ".join(check["text"] for check in checks if check["ok"])
    files = [path.name for path in TRAINED.iterdir() if path.suffix in (".npz", ".onnx")]

    assert len(files) >= 7
    for file in files:
        # The finder and its quick copy have one manifest, which loading checks both by.
        assert ("detector.json" if file.startswith("detector") else file) in said


def test_temperature_and_power_are_read_where_a_pi_tells_them(tmp_path):
    (tmp_path / "thermal_zone0").mkdir()
    (tmp_path / "thermal_zone0/type").write_text("cpu-thermal\n")
    (tmp_path / "thermal_zone0/temp").write_text("48312\n")
    (tmp_path / "get_throttled").write_text("50005\n")

    assert read_temperature(tmp_path) == 48.312
    assert read_throttled(tmp_path / "get_throttled") == 0x50005


# --- The camera ---


def of_picture(bgr: np.ndarray, facts: CameraFacts | None = None) -> dict[str, bool | None]:
    return {check.name: check.ok for check in camera_checks(Seen("pi", bgr, facts), wanted=True)}


def test_good_picture_is_well():
    assert of_picture(table()) == {"camera": True, "focus": True, "light": True, "lens": True}


def test_dark_table_is_a_fault_of_light():
    said = of_picture(table(light=0.1))

    assert (said["light"], said["lens"]) == (False, None)


def test_glaring_table_is_a_fault_of_light():
    assert of_picture(np.full((480, 640, 3), 255, np.uint8))["light"] is False


def test_blurred_picture_is_a_fault_of_focus():
    assert of_picture(table(blur_px=9))["focus"] is False


def test_camera_that_could_not_focus_says_so():
    facts = CameraFacts("imx708", "RGB888", (960, 720), (4608, 2592), True, focused=False)

    assert of_picture(table(), facts)["focus"] is False


def test_bare_table_leaves_focus_open():
    assert of_picture(np.full((480, 640, 3), 120, np.uint8))["focus"] is None


def test_smear_on_the_lens_is_found_where_it_is():
    smeared = table()
    smeared[480:, 600:] = table(blur_px=8)[480:, 600:]

    check = named(camera_checks(Seen("pi", smeared), wanted=True), "lens")

    assert check.ok is False
    assert check.text == "The picture looks smeared below right."


def test_camera_that_is_missing_is_a_fault_only_when_asked_for():
    assert named(camera_checks(Seen(""), wanted=True), "camera").ok is False
    assert named(camera_checks(Seen(""), wanted=False), "camera").ok is None


def test_camera_that_cannot_be_opened_says_why():
    def broken(_name: str) -> FrameSource:
        raise SourceError("there is no camera webcam:3; plug one in")

    seen = look("webcam:3", broken)

    assert named(camera_checks(seen, wanted=True), "camera").text == (
        "There is no camera webcam:3; plug one in."
    )


def test_camera_in_use_is_no_fault():
    assert named(camera_checks(Seen("pi", in_use=True), wanted=True), "camera").ok is None


def test_running_companion_is_noticed(tmp_path):
    with Store(tmp_path):
        assert is_running(tmp_path)

    assert not is_running(tmp_path)


# --- The command ---


def run(*arguments: str) -> int:
    parsed = build_parser(arguments[0]).parse_args(arguments)
    status: int = parsed.command(parsed)
    return status


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(3):
        cv2.imwrite(str(folder / f"{number}.png"), table())
    return folder


def test_doctor_answers_in_json(capsys, pictures, tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "home"))

    status = run("doctor", "--json", "--source", f"folder:{pictures}")

    answer = json.loads(capsys.readouterr().out)
    checks = {check["name"]: check["ok"] for check in answer["checks"]}
    assert (checks["camera"], checks["focus"], checks["light"]) == (True, True, True)
    assert status == (ANSWERED if answer["ok"] else NO)


def test_doctor_says_that_the_running_companion_waits_for_its_camera(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))

    with Store(tmp_path):
        run("doctor", "--source", "webcam:93")

    assert "There is no camera webcam:93; it is waited for." in capsys.readouterr().out


def test_doctor_finds_a_fault_and_says_no(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "home"))

    assert run("doctor", "--source", "folder:/nowhere") == NO
    assert "FAULT  camera:" in capsys.readouterr().out


@pytest.mark.parametrize("asked", [["--out", "help.zip"], ["--with-picture"]])
def test_doctor_writes_no_file_and_says_what_to_send(asked, tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))

    with pytest.raises(InputError, match="doctor --json"):
        run("doctor", *asked)


def test_backup_and_restore_by_command(capsys, tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("SNAKE_EYE_HOME", str(home))
    with Store(home) as store:
        store.append("g", "started", {})

    assert run("backup", "--json", str(tmp_path / "b.zip")) == ANSWERED
    assert run("restore", "--json", str(tmp_path / "b.zip")) == ANSWERED

    made, restored = map(json.loads, capsys.readouterr().out.splitlines())
    assert made["files"] == restored["files"] == 1
    assert restored["kept"] == f"{home}.before-restore-1"
    with Store(home) as store:
        assert [line.kind for line in store.lines("g")] == ["started"]


def test_another_pin_is_shown_once_and_never_the_one_before(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))

    assert (run("pin", "--json"), list(tmp_path.iterdir())) == (NO, [])
    assert run("pin", "--json", "--new") == ANSWERED
    assert run("pin", "--json") == NO

    _, made, unsaid = map(json.loads, capsys.readouterr().out.splitlines())
    assert SettingsFile(tmp_path / "page.json").is_pin(made["host_pin"])
    assert unsaid == {"host_pin": None}

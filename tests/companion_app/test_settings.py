"""The settings file: the shipped one is the defaults, and every kind of mistake has its line."""

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion_app.live.opening import pi_source
from companion_app.settings import Settings, SettingsError, load_settings, parse_settings
from vision.sources.pi_camera import PiCameraSettings

SHIPPED = Path(__file__).parents[2] / "deploy/snake-eye.toml"


def mistakes(text: str | bytes) -> tuple[str, ...]:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(SettingsError) as caught:
        parse_settings(data)
    return caught.value.mistakes


def test_shipped_file_is_the_defaults():
    assert load_settings(SHIPPED) == Settings()


def test_shipped_file_shows_every_setting():
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()

    shown = [line for line in lines if "=" in line and not line.startswith("#")]

    assert len(shown) == len(fields(Settings))


def test_what_is_set_is_taken():
    settings = parse_settings(
        b'[camera]\nsource = "webcam:2"\nframes_a_second = 10\n[page]\nport = 80'
    )

    assert settings == Settings(source="webcam:2", frames_a_second=10.0, port=80)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[camera]\nsource = pi\n", "line 2: Invalid value, at column 10; text needs quotes"),
        ("[camera\n", "line 1: Expected ']' at the end of a table declaration"),
        ("[page]\nport = 1\nport = 2\n", "line 3: Cannot overwrite a value"),
        ("[page]\nport =", "line 2: Invalid value"),
        ("[pgae]\nport = 1\n", "line 1: there is no section [pgae]; the sections are [camera]"),
        ("port = 8080\n", "line 1: port is outside of every section"),
        ("\n[page]\nprot = 1\n", "line 3: [page] has no setting prot; it has host, port, https"),
        ('[page]\nport = "8080"\n', "line 2: page.port is '8080', not a whole number"),
        ("[page]\nport = true\n", "line 2: page.port is true, not a whole number"),
        ("[page]\nport = 8080.5\n", "line 2: page.port is 8080.5, not a whole number"),
        ("[page]\nport = 70000\n", "line 2: page.port is 70000; write a number from 1 to 65535"),
        ("[page]\nhttps = 1\n", "line 2: page.https is 1, not true or false"),
        ('[page]\nhost = "home"\n', "line 2: page.host is 'home'; write an address"),
        ("[camera]\nframes_a_second = nan\n", "line 2: camera.frames_a_second is nan; write"),
        ("[camera]\nframes_a_second = inf\n", "line 2: camera.frames_a_second is inf; write"),
        ('[camera]\nsource = "webcam:"\n', "line 2: camera.source is 'webcam:'; write"),
        ('[game]\nname = "chess"\n', "line 2: game.name is 'chess'; write \"\" or one of"),
        ("[log]\nlevel = []\n", "line 2: log.level is [], not text in quotes"),
        ("page = 3\n", "line 1: page is outside of every section"),
        ("page.port = 0\n", "line 1: page.port is 0; write a number from 1 to 65535"),
        ("[[page]]\nport = 1\n", "line 1: page is outside of every section"),
        ("[page]\nhttps = true\nhttps_port = 8080\n", "line 3: port and https_port are the same"),
        (b'[log]\nlevel = "\xff"\n', "line 2: is not UTF-8 text"),
        ("\x00", "line 1: "),
    ],
)
def test_mistake_is_named_with_its_line(text, said):
    (mistake,) = mistakes(text)

    assert mistake.startswith(said)


@pytest.mark.parametrize("key", ["user", "password"])
def test_secret_that_is_no_text_is_named_without_its_value(key):
    assert mistakes(f"[mqtt]\n{key} = 12345678\n") == (
        f"line 2: mqtt.{key} is not text in quotes; write text",
    )


def test_all_mistakes_are_named_at_once():
    text = '[log]\nlevel = 1\n[page]\nport = 0\nhots = ""\n'

    assert [mistake.split(":")[0] for mistake in mistakes(text)] == ["line 2", "line 4", "line 5"]


def test_file_that_was_named_must_be_there(tmp_path):
    with pytest.raises(SettingsError, match="is missing"):
        load_settings(tmp_path / "none.toml")


def test_without_a_file_the_defaults_hold(tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))
    monkeypatch.delenv("SNAKE_EYE_SETTINGS", raising=False)

    assert load_settings() == Settings()


def test_folder_in_place_of_the_file_is_said(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read: Is a directory"):
        load_settings(tmp_path)


def test_file_that_is_far_too_large_is_not_read(tmp_path):
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * 100_000)

    with pytest.raises(SettingsError, match="larger than 64 KB"):
        load_settings(large)


def test_camera_is_used_as_the_settings_say():
    camera = pi_source(parse_settings(b"[camera]\nnumber = 1\nlongest_px = 1280\n"))

    assert (camera.settings.number, camera.settings.longest_px) == (1, 1280)
    assert pi_source(Settings()).settings == PiCameraSettings()


@given(st.text(alphabet="[]=\".'{}#\n abpagehostport1-", max_size=60))
def test_any_text_is_settings_or_a_named_mistake(text):
    try:
        parse_settings(text.encode())
    except SettingsError as error:
        assert error.mistakes

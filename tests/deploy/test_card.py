"""A card starts by itself: what `make card` writes for cloud-init holds no password and no PIN."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion_app.cli.main import main
from companion_app.web.serving.page_file import SettingsFile
from tests.deploy.test_scripts import DEPLOY

ANSWERS = ("IEEE", "password", "DE", "de", "anna", "long enough")


def make(folder: Path, *answers: str) -> subprocess.CompletedProcess[str]:
    (folder / "snake-eye_1.1.0_arm64.deb").touch()
    command = [sys.executable, str(DEPLOY / "make_card.py"), str(folder)]
    text = "\n".join(answers) + "\n"
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_card_holds_hashes_alone_and_its_pin_lets_the_host_in(tmp_path, monkeypatch):
    made = make(tmp_path, *ANSWERS)

    (pin,) = re.findall(r"Host PIN, shown this once: ([0-9]{6})", made.stdout)
    first, data = (tmp_path / "user-data").read_text().split("\n", 1)
    told, network = json.loads(data), (tmp_path / "network-config").read_text()
    assert first == "#cloud-config"
    # The example of IEEE 802.11 for a key made of "IEEE" and "password".
    assert "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e" in network
    assert "long enough" not in data + network
    assert pin not in re.sub("[0-9a-f]{32,}", "", data + network)
    assert told["locale"] == "de_DE.UTF-8"
    assert "/boot/firmware/snake-eye_1.1.0_arm64.deb" in told["runcmd"][1][2]

    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))
    assert main(told["runcmd"][2][1:]) == 0
    assert SettingsFile(tmp_path / "page.json").is_pin(pin)


@pytest.mark.parametrize(
    ("at", "answer", "sentence"),
    [
        (1, "short", "Its password: 8 to 63 letters"),
        (2, "Germany", "Country, such as DE: two capital letters"),
        (3, "nl", "Language: one of en, de, es, fr, ru"),
        (4, "Anna", "Login name for updates: small letters, at most 31"),
    ],
)
def test_answer_that_no_card_can_hold_is_refused_and_nothing_is_written(
    tmp_path, at, answer, sentence
):
    made = make(tmp_path, *ANSWERS[:at], answer, *ANSWERS[at + 1 :])

    assert (made.returncode, made.stderr.strip()) == (1, sentence)
    assert not (tmp_path / "user-data").exists()


def test_hash_that_is_none_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))

    assert main(["pin", "--hash", "135790"]) == 2
    assert "not the hash of a PIN" in capsys.readouterr().err

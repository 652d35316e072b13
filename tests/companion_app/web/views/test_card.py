"""A host can always come in: by a card, by a paired phone, or from the machine itself."""

from __future__ import annotations

import json
import re
from typing import Any

import cv2
import numpy as np
import pytest

from companion_app.answers import ANSWERED, BAD_INPUT
from companion_app.cli.main import main
from companion_app.web.card import LENGTH, drawn_card, some_code
from companion_app.web.serving.page_file import SettingsFile


def scanned(svg: str) -> str:
    """Return what a phone reads from a drawn card, by drawing its lines."""
    (path,) = re.findall(r'class="qrline"[^>]*? d="([^"]+)"', svg)
    grid = np.full((80, 80), 255, np.uint8)
    x = y = 0.0
    for kind, told in re.findall(r"([Mmh])([^Mmh]+)", path):
        given = [float(n) for n in re.findall(r"-?[\d.]+", told)]
        if kind == "h":
            grid[int(y) + 4, int(x) + 4 : int(x + given[0]) + 4] = 0
            x += given[0]
        else:
            x, y = (given[0], given[1]) if kind == "M" else (x + given[0], y + given[1])
    for fold in (4, 6, 9):
        large = cv2.resize(grid, None, fx=fold, fy=fold, interpolation=cv2.INTER_NEAREST)
        # Each detector finds codes that the other misses.
        for detector in (cv2.QRCodeDetectorAruco(), cv2.QRCodeDetector()):
            if text := detector.detectAndDecode(large)[0]:
                return str(text)
    return ""


def code_on(svg: str) -> str:
    """Return the code in the address on a card."""
    address, _, code = scanned(svg).partition("#card=")
    assert address.startswith("http")
    return code


def made_card(host: Any) -> str:
    return code_on(host.post("/api/card", {"make": True}).get_json()["svg"])


# --- The card ---


def test_phone_that_scanned_the_card_is_host(played):
    guest, card = played.guest(), made_card(played.host())

    assert guest.post("/api/login", {"card": card}).status_code == 200
    assert guest.get("/api/me")["host"]


def test_new_card_and_forgetting_make_the_old_one_invalid(played):
    host = played.host()
    old = made_card(host)
    new = made_card(host)

    assert played.guest().post("/api/login", {"card": old}).status_code == 403
    assert played.guest().post("/api/login", {"card": new}).status_code == 200
    assert host.post("/api/card", {"forget": True}).status_code == 200
    assert played.guest().post("/api/login", {"card": new}).status_code == 403
    assert not host.get("/api/me")["card"]


@pytest.mark.parametrize("odd", ["", "A" * LENGTH, "ß", "x" * 5000, "' OR 1"])
def test_no_other_code_makes_a_host(played, odd):
    assert played.guest().post("/api/login", {"card": odd}).status_code == 403
    made_card(played.host())
    assert played.guest().post("/api/login", {"card": odd}).status_code == 403


def test_of_the_card_only_a_hash_is_kept(played):
    code = made_card(played.host())

    for file in played.store.path.parent.rglob("*"):
        assert not file.is_file() or code.encode() not in file.read_bytes()


def test_only_the_host_makes_a_card(played):
    assert played.guest().post("/api/card", {"make": True}).status_code == 403
    assert played.seat().post("/api/card", {"make": True}).status_code == 403


def test_words_on_the_card_are_text():
    svg = drawn_card(some_code(), "http://pi/", "<script>", "a & b")

    assert "<script>" not in svg
    assert "a &amp; b" in svg


def test_command_makes_a_card_for_its_owner_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))
    out = tmp_path / "card.svg"

    assert main(["card", "--out", str(out), "--json"]) == ANSWERED
    code, settings = code_on(out.read_text()), SettingsFile(tmp_path / "page.json")
    assert settings.is_card(code)
    assert out.stat().st_mode & 0o077 == 0
    assert main(["card", "--out", str(out)]) == BAD_INPUT
    assert settings.is_card(code)
    assert main(["card", "--forget"]) == ANSWERED
    assert not settings.is_card(code)
    assert json.loads(capsys.readouterr().out.splitlines()[0]) == {"card": str(out)}


@pytest.mark.parametrize("command", [["pin", "--new"], ["card", "--forget"]])
def test_settings_that_cannot_be_read_are_told_in_a_sentence(
    tmp_path, monkeypatch, capsys, command
):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))
    (tmp_path / "page.json").mkdir()

    assert main(command) == BAD_INPUT
    assert "page.json cannot be used: Is a directory" in capsys.readouterr().err


# --- Guessing hinders nobody but the guesser ---


def test_forty_wrong_pins_from_many_addresses_keep_no_host_out(played, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(played.store.path.parent))
    paired = played.host()
    card = made_card(paired)
    statuses = []
    for number in range(40):
        guesser = played.guest()
        guesser.client.environ_base["REMOTE_ADDR"] = f"192.168.1.{10 + number % 5}"
        statuses.append(guesser.post("/api/login", {"pin": f"{number:06d}"}).status_code)

    assert statuses.count(403) == 25
    assert statuses.count(429) == 15
    assert paired.get("/api/me")["host"], "a paired phone"
    assert played.guest().post("/api/login", {"card": card}).status_code == 200, "the card scanned"
    assert played.host().get("/api/me")["host"], "the PIN from another address"
    slowed = played.guest()
    slowed.client.environ_base["REMOTE_ADDR"] = "192.168.1.10"
    assert slowed.post("/api/login", {"pin": "424242"}).status_code == 429, "only the guesser waits"
    new = SettingsFile(played.store.path.parent / "page.json", pin_cost=2).new_pin()
    assert slowed.post("/api/login", {"pin": new}).status_code == 200, "a new PIN from the machine"

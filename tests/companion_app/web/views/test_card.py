"""A host can always come in: by a card, by a paired phone, or from the machine itself."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import pytest
import segno

from companion_app.answers import ANSWERED, BAD_INPUT
from companion_app.cli.main import main
from companion_app.web.card import LENGTH, codes_in, drawn_card, some_code
from companion_app.web.serving.limits import FREE_GUESSES
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.views import at_table as card_view

SIZE_PX = (1280, 720)


def pasted(
    table: np.ndarray, code: str, middle: tuple[int, int], side: int, degrees: float
) -> None:
    """Lay a QR code on a table, turned, as a camera sees it."""
    modules = np.array(
        [
            [0 if dark else 255 for dark in row]
            for row in segno.make_qr(code, error="m", boost_error=False).matrix
        ],
        np.uint8,
    )
    paper = cv2.resize(np.pad(modules, 4, constant_values=255), (400, 400), interpolation=0)
    spin = cv2.getRotationMatrix2D((200, 200), degrees, side / 400)
    spin[:, 2] += np.array(middle) - 200
    finer = 3
    drawn, shape = (
        cv2.resize(
            cv2.warpAffine(one, spin * finer, [finer * n for n in SIZE_PX]),
            SIZE_PX,
            interpolation=cv2.INTER_AREA,
        )
        for one in (paper, np.full_like(paper, 255))
    )
    share = shape[..., None] / 255
    table[:] = (table * (1 - share) + (drawn * 0.8 + 20)[..., None] * share).astype(np.uint8)


@lru_cache(maxsize=1)
def bare_picture() -> bytes:
    """Return the table with nothing on it."""
    return picture()


def picture(*codes: str) -> bytes:
    """Return a table of many colours with codes lying on it, a metre wide, as a JPEG."""
    rng = np.random.default_rng(3)
    rough = rng.integers(80, 200, (18, 32, 3), dtype=np.uint8)
    table = cv2.resize(rough, SIZE_PX, interpolation=cv2.INTER_CUBIC)
    for number, code in enumerate(codes):
        pasted(table, code, (340 + 300 * number, 360), 130, 17.0 + 30 * number)
    noisy = np.clip(table + rng.normal(0, 4, table.shape), 0, 255).astype(np.uint8)
    return bytes(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 75])[1].tobytes())


class Camera:
    """A camera over a table on which somebody lays things."""

    name = "webcam:0"

    def __init__(self) -> None:
        self.shows = bare_picture()
        self.looks = 0

    def picture(self) -> bytes:
        self.looks += 1
        return self.shows


@pytest.fixture
def camera(played, monkeypatch) -> Camera:
    made = Camera()
    played.look_through(made)
    monkeypatch.setattr(card_view, "SAME_S", 0.0)
    return made


def code_on(svg: str, number: int = 0) -> str:
    """Return what is read from a code of a drawn card, by drawing its lines."""
    path = re.findall(r'class="qrline"[^>]*? d="([^"]+)"', svg)[number]
    grid = np.full((80, 80), 255, np.uint8)
    x = y = 0.0
    for kind, told in re.findall(r"([Mmh])([^Mmh]+)", path):
        given = [float(n) for n in re.findall(r"-?[\d.]+", told)]
        if kind == "h":
            grid[int(y) + 4, int(x) + 4 : int(x + given[0]) + 4] = 0
            x += given[0]
        else:
            x, y = (given[0], given[1]) if kind == "M" else (x + given[0], y + given[1])
    large = cv2.resize(grid, None, fx=4, fy=4, interpolation=cv2.INTER_NEAREST)
    (text,) = codes_in(bytes(cv2.imencode(".png", large)[1].tobytes()))
    return text


def phone_code(guest: Any) -> str:
    return code_on(guest.client.get("/api/card.svg").get_data(as_text=True))


def made_card(host: Any) -> str:
    return code_on(host.post("/api/card", {"make": True}).get_json()["svg"])


# --- The card ---


def test_card_and_phone_side_by_side_under_the_camera_make_a_host(played, camera):
    card, guest = made_card(played.host()), played.guest()
    assert guest.post("/api/login/card").get_json()["error"]["code"] == "card-not-seen"

    camera.shows = picture(card, phone_code(guest))

    assert guest.post("/api/login/card").status_code == 200
    assert guest.get("/api/me")["host"]


def test_other_phone_that_asks_while_the_card_lies_there_gains_nothing(played, camera):
    card, guest, thief = made_card(played.host()), played.guest(), played.guest()
    phone_code(thief)
    camera.shows = picture(card, phone_code(guest))

    assert thief.post("/api/login/card").status_code == 403
    assert not thief.get("/api/me")["host"]
    assert guest.post("/api/login/card").status_code == 200


def test_phone_code_without_the_card_is_no_guess_and_makes_no_host(played, camera, monkeypatch):
    monkeypatch.setattr(card_view, "SAME_S", 3600.0)
    made_card(played.host())
    guest = played.guest()
    camera.shows = picture(phone_code(guest))

    answers = {guest.post("/api/login/card").status_code for _ in range(FREE_GUESSES + 1)}

    assert answers == {403}
    assert guest.be_host().get("/api/me")["host"]


def test_looks_for_the_card_are_shared(played, camera, monkeypatch):
    monkeypatch.setattr(card_view, "SAME_S", 3600.0)
    made_card(played.host())

    for _ in range(5):
        played.guest().post("/api/login/card")

    assert camera.looks == 1


def test_phone_that_scanned_the_card_is_host(played):
    guest, card = played.guest(), made_card(played.host())

    assert guest.post("/api/login", {"card": card}).status_code == 200
    assert guest.get("/api/me")["host"]


def test_small_code_on_the_card_opens_the_page_with_the_card(played):
    svg = played.host().post("/api/card", {"make": True}).get_json()["svg"]

    assert code_on(svg, 1) == f"http://pi/#card={code_on(svg)}"


def test_new_card_and_forgetting_make_the_old_one_invalid(played):
    host = played.host()
    old = made_card(host)
    new = made_card(host)

    assert played.guest().post("/api/login", {"card": old}).status_code == 403
    assert played.guest().post("/api/login", {"card": new}).status_code == 200
    assert host.post("/api/card", {"forget": True}).status_code == 200
    assert played.guest().post("/api/login", {"card": new}).status_code == 403
    assert played.guest().post("/api/login/card").get_json()["error"]["code"] == "no-card"
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


def test_forty_wrong_pins_from_many_addresses_keep_no_host_out(played, camera, monkeypatch):
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
    phone = played.guest()
    camera.shows = picture(card, phone_code(phone))
    assert phone.post("/api/login/card").status_code == 200, "the card under the camera"
    assert played.guest().post("/api/login", {"card": card}).status_code == 200, "the card scanned"
    assert played.host().get("/api/me")["host"], "the PIN from another address"
    slowed = played.guest()
    slowed.client.environ_base["REMOTE_ADDR"] = "192.168.1.10"
    assert slowed.post("/api/login", {"pin": "424242"}).status_code == 429, "only the guesser waits"
    new = SettingsFile(played.store.path.parent / "page.json", pin_cost=2).new_pin()
    assert slowed.post("/api/login", {"pin": new}).status_code == 200, "a new PIN from the machine"

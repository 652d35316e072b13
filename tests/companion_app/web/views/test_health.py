"""The health view: the same as doctor in every language."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion_app.doctor import diagnose
from companion_app.doctor_camera import Seen
from companion_app.doctor_machine import AS_WRITTEN, Finding, Machine
from companion_app.version import version
from companion_app.web.doctor_words import report
from companion_app.web.speech import LANGUAGES, catalogue
from vision.sources.pi_camera import CameraFacts

OTHERS = [code for code in LANGUAGES if code != "en"]
NOW_S = 1_800_000_000.0
APP = Path(__file__).parents[4] / "companion_app"


def picture(light: float = 1.0, blur_px: float = 0.0, *, smear: bool = False) -> np.ndarray:
    rng = np.random.default_rng(7)
    bgr = np.full((720, 960, 3), (60, 90, 120), np.uint8)
    for x in range(20, 900, 70):
        for y in range(20, 660, 70):
            cv2.rectangle(bgr, (x, y), (x + 60, y + 60), (235, 235, 235), -1)
            cv2.circle(bgr, (x + 30, y + 30), 18, [int(v) for v in rng.integers(0, 200, 3)], 5)
    if smear:
        bgr[:360, :480] = cv2.GaussianBlur(bgr[:360, :480], (0, 0), 9)
    if blur_px:
        bgr = cv2.GaussianBlur(bgr, (0, 0), blur_px).astype(np.uint8)
    return np.asarray(np.clip(bgr * light, 0, 255), np.uint8)


def everything_doctor_finds(home, monkeypatch) -> list[Finding]:
    """Return what doctor finds on machines good and bad, with cameras good and bad."""
    good = Machine(
        home=home,
        free_bytes=lambda _: 20 << 30,
        temperature_c=lambda: 50.0,
        throttled=lambda: 0,
        now_s=lambda: NOW_S,
        clock_is_set=lambda: True,
        addresses=lambda: ("192.0.2.7",),
        has_mdns=lambda: True,
        hostname=lambda: "snake-eye",
    )
    changes: list[dict[str, Any]] = [
        {},
        {"free_bytes": lambda _: 50 << 20},
        {"free_bytes": lambda _: 500 << 20},
        {"temperature_c": lambda: 84.0},
        {"temperature_c": lambda: None},
        {"throttled": lambda: 0x5},
        {"throttled": lambda: 0x50000},
        {"throttled": lambda: None},
        {"now_s": lambda: 0.0},
        {"clock_is_set": lambda: False},
        {"addresses": lambda: ()},
        {"has_mdns": lambda: False},
    ]
    unfocused = CameraFacts("imx708", "RGB888", (960, 720), (4608, 2592), True, focused=False)
    seen = [
        Seen(""),
        Seen("pi", lost=True),
        *(
            Seen("pi", bgr)
            for bgr in (
                picture(),
                picture(light=0.08),
                picture(light=6.0),
                picture(blur_px=9.0),
                picture(smear=True),
                np.full((720, 960, 3), 90, np.uint8),
            )
        ),
        Seen("pi", picture(), unfocused),
    ]
    checks = [c for change in changes for c in diagnose(replace(good, **change), seen[0])]
    checks += [c for one in seen for c in diagnose(good, one)]
    (home / "sets").mkdir(exist_ok=True)
    (home / "sets/mine.toml").write_text("what", encoding="utf-8")
    (home / "s.toml").write_text("[page]\nport = 0\n", encoding="utf-8")
    monkeypatch.setenv("SNAKE_EYE_SETTINGS", str(home / "s.toml"))
    checks += diagnose(good, seen[0])
    (home / "games/x").mkdir(parents=True, exist_ok=True)
    (home / "games/x/log").write_bytes(b"no line\n")
    checks += diagnose(good, seen[0])
    return checks


def test_every_sentence_of_doctor_is_said_in_every_language(tmp_path, monkeypatch):
    checks = everything_doctor_finds(tmp_path, monkeypatch)
    known = [check for check in checks if check.code != AS_WRITTEN]
    places = re.compile(rf"{tmp_path}|Snake Eye|line \d+: .*|: [a-z/].*")
    english = re.compile(r"\b(the|is|are|of|and|or|it|was|with)\b", re.IGNORECASE)

    assert len({code for check in known for code in (check.code, check.fix)}) > 40
    for language in OTHERS:
        said = report(known, language)["checks"]
        texts = [check[key] for check in said for key in ("text", "fix")]
        assert [text for text in texts if english.search(places.sub("", text))] == []
        assert catalogue(language)["doctor"].keys() == catalogue("en")["doctor"].keys()


def test_no_sentence_of_doctor_is_without_use():
    sources = "".join(path.read_text("utf-8") for path in APP.glob("doctor*.py"))
    corners = {"above-left", "above-right", "below-left", "below-right"}

    assert {code for code in catalogue("en")["doctor"] if f'"{code}"' not in sources} == corners


def test_page_shows_what_doctor_says(played):
    shown = played.guest().get("/api/health")

    told = report(diagnose(Machine(played.store.path.parent), Seen("")))
    assert [check["name"] for check in shown["checks"]] == [c["name"] for c in told["checks"]]
    assert all(check["title"] for check in shown["checks"])
    assert shown["version"] == version()
    german = played.guest().get("/api/health?lang=de")
    assert "Platz auf der Karte" in [check["title"] for check in german["checks"]]

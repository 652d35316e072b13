"""``read`` and ``calibrate`` as they are called: arguments, answers, statuses, sentences."""

import argparse
import os
import sys
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest

from calibration.profile import Profile
from calibration.profile_file import load_profile, save_profile
from tests.calibration.drawn import VIEWS, seen, sheet_in
from vision.core.request import ReadRequest
from vision.core.tables import TableState
from vision.core.types import Advice, Quality
from vision.intake.picture import Picture

RNG = np.random.default_rng(4)


@pytest.fixture
def reader(monkeypatch):
    """Put a reader in place that remembers what it was asked, and answers what it is told to."""
    asked: list[tuple[Picture, ReadRequest]] = []
    answer = {"quality": Quality()}

    def read_table(picture: Picture, request: ReadRequest) -> TableState:
        asked.append((picture, request))
        tile = {"tile": "blue/curve", "at": (0, 1), "turns": 1, "confidence": 0.9987654}
        return TableState(
            picture.size_px,
            (tile,),
            quality=answer["quality"],
            game=request.game,
            set_name=request.set_name,
        )

    module = ModuleType("vision.read")
    module.read_table = read_table  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vision.read", module)
    return argparse.Namespace(asked=asked, answer=answer)


def photo(path: Path, *, grey: bool = False) -> Path:
    pixels = RNG.integers(0, 255, (120, 160, 3), np.uint8)
    assert cv2.imwrite(str(path), pixels[..., 0] if grey else pixels)
    return path


# --- read ---


def test_a_mistyped_photo_is_told_though_the_last_drawing_is_there(run, tmp_path):
    drawing = photo(tmp_path / "seen.png")

    ran = run("read", tmp_path / "tabel.jpg", "--game", "carnival", "--out", drawing)

    assert ran.status == 2
    assert "tabel.jpg" in ran.err


def test_picture_becomes_one_table_state(run, reader, tmp_path):
    name = photo(tmp_path / "table.png")

    ran = run("read", name, "--game", "schlangennest", "--json")

    assert (ran.status, ran.err) == (0, "")
    (table,) = ran.documents
    assert table["file"] == str(name)
    assert (table["size"], table["game"], table["set"]) == ([160, 120], *["schlangennest"] * 2)
    assert table["tiles"] == [
        {"tile": "blue/curve", "at": [0, 1], "turns": 1, "confidence": 0.9988}
    ]


def test_several_pictures_are_one_line_each_and_a_bad_one_does_not_stop_them(run, reader, tmp_path):
    good, bad = photo(tmp_path / "a.png"), tmp_path / "b.png"
    bad.write_bytes(b"not a picture")

    ran = run("read", good, bad, tmp_path / "none.jpg", good, "--shape", "square", "--json")

    assert ran.status == 2
    assert [sorted(doc) == ["error", "file"] for doc in ran.documents] == [False, True, True, False]
    assert ran.documents[1]["file"] == str(bad)
    assert len(ran.err.splitlines()) == 2


def test_single_bad_picture_is_one_sentence(run, reader, tmp_path):
    bad = tmp_path / "b.png"
    bad.write_bytes(b"")

    ran = run("read", bad, "--shape", "square", "--json")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"snake-eye: {bad} is empty\n"


def test_picture_that_is_not_good_enough_is_answered_with_no(run, reader, tmp_path):
    reader.answer["quality"] = Quality(False, (Advice("dark", "It is too dark."),))

    ran = run("read", photo(tmp_path / "a.png"), "--game", "sssnake", "--json")

    assert ran.status == 1
    assert ran.documents[0]["quality"]["advice"][0]["box"] == [0, 0, 160, 120]


@pytest.mark.parametrize(("what", "status"), [("--game=schlangennest", 1), ("--shape=square", 0)])
def test_grey_picture_says_that_it_cannot_tell_colours(run, reader, tmp_path, what, status):
    ran = run("read", photo(tmp_path / "a.png", grey=True), what, "--json")

    assert ran.status == status
    assert "no colours" in ran.documents[0]["quality"]["advice"][0]["text"]


def test_words_for_people(run, reader, tmp_path):
    ran = run("read", photo(tmp_path / "a.png"), "--game", "schlangennest")

    assert ran.status == 0
    assert "1 tile, 0 unsure, 0 aside" in ran.out
    assert "blue/curve at [0, 1], turns 1" in ran.out


def test_request_holds_what_was_asked(run, reader, tmp_path):
    profile = tmp_path / "profile.json"
    save_profile(Profile((320, 240)), profile)
    name = photo(tmp_path / "a.png")

    run("read", name, "--set", "carnival", "--grid", "5x7", "--profile", profile)
    run("read", name, "--shape", "hex")

    (_, first), (_, second) = reader.asked
    assert (first.shape, first.game, first.set_name) == ("square", "carnival", "carnival")
    assert first.grid == (5, 7)
    assert first.profile.size_px == (160, 120)
    assert (second.shape, second.tile_set, second.grid, second.profile) == ("hex", None, None, None)


def test_profile_of_another_camera_is_named_with_the_picture(run, reader, tmp_path):
    save_profile(Profile((1920, 1080)), tmp_path / "profile.json")
    name = photo(tmp_path / "a.png")

    ran = run("read", name, "--shape", "square", "--profile", tmp_path / "profile.json")

    assert ran.status == 2
    assert ran.err.startswith(f"snake-eye: {name}: the profile was made for pictures of 1920")


# --- calibrate ---


def sheet_photos(folder: Path, count: int = 6) -> Path:
    folder.mkdir()
    for number, view in enumerate(VIEWS[:count]):
        cv2.imwrite(str(folder / f"{number}.png"), (seen(view) * 0.85).astype(np.uint8))
    return folder


def test_photos_of_the_sheet_become_a_profile(run, tmp_path):
    folder = sheet_photos(tmp_path / "photos")
    (folder / "notes.txt").write_text("kitchen table")

    ran = run("calibrate", "--photos", folder, "--out", tmp_path / "profile.json", "--json")

    assert (ran.status, ran.err) == (0, "")
    (answer,) = ran.documents
    assert (answer["used"], answer["pictures"]) == (6, 6)
    assert 0 < answer["rms_px"] < 0.3
    assert np.shape(answer["matrix"]) == (3, 3)
    assert len(answer["distortion"]) == 5
    profile = load_profile(tmp_path / "profile.json")
    assert profile.table is not None
    assert profile.light is not None
    assert profile.reference is not None
    last = sheet_in(seen(VIEWS[5]))
    ends_mm = np.array([profile.mm(last.seen_px)[[0, -1]], last.board[[0, -1], :2]])
    found, true = np.linalg.norm(np.diff(ends_mm, axis=1), axis=2).ravel()
    assert found == pytest.approx(true, rel=0.02)


def test_folder_source_is_the_same_as_photos(run, tmp_path):
    folder = sheet_photos(tmp_path / "photos", 2)

    ran = run("calibrate", "--source", f"folder:{folder}", "--out", tmp_path / "p.json", "--json")

    assert ran.status == 0
    assert ran.documents[0]["used"] == 2
    assert "few pictures" in ran.documents[0]["notes"][0]


def test_pictures_that_do_not_help_are_named(run, tmp_path):
    folder = sheet_photos(tmp_path / "photos", 5)
    photo(folder / "8.png")
    (folder / "9.jpg").write_bytes(b"broken")
    cv2.imwrite(str(folder / "7.png"), cv2.resize(seen(VIEWS[0]), (1440, 1080)))

    ran = run("calibrate", "--photos", folder, "--out", tmp_path / "p.json", "--json")

    (answer,) = ran.documents
    assert (answer["used"], answer["pictures"]) == (5, 8)
    why = {one["file"]: one["why"] for one in answer["left_out"]}
    assert "is no picture" in why["9.jpg"]
    assert "not seen" in why["8.png"]
    assert why["7.png"] == "it has 1440 x 1080 pixels, the others 960 x 720"


def test_table_is_not_taken_from_another_picture_than_the_last(run, tmp_path):
    folder = sheet_photos(tmp_path / "photos", 5)
    photo(folder / "9.png")

    ran = run("calibrate", "--photos", folder, "--out", tmp_path / "p.json", "--json")

    (answer,) = ran.documents
    profile = load_profile(tmp_path / "p.json")
    assert (ran.status, answer["used"], answer["table"], answer["light"]) == (0, 5, False, False)
    assert answer["notes"][-1].startswith("the last picture could not be used")
    assert (profile.table, profile.light, profile.reference) == (None, None, None)


def test_photos_without_the_pattern_are_answered_with_no(run, tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    photo(folder / "a.png")

    ran = run("calibrate", "--photos", folder, "--out", tmp_path / "p.json", "--json")

    assert ran.status == 1
    assert ran.documents[0]["used"] == 0
    assert ran.documents[0]["rms_px"] is None
    assert ran.err.count("\n") == 1
    assert "shows the calibration sheet" in ran.err
    assert not (tmp_path / "p.json").exists()


def test_words_of_calibrate_for_people(run, tmp_path):
    ran = run(
        "calibrate", "--photos", sheet_photos(tmp_path / "photos", 5), "--out", tmp_path / "p.json"
    )

    assert "pictures used: 5 of 5" in ran.out
    assert "written" in ran.out


def test_profile_that_cannot_be_written_is_status_2(run, tmp_path):
    folder = sheet_photos(tmp_path / "photos", 1)

    ran = run("calibrate", "--photos", folder, "--out", folder / "0.png" / "p.json", "--json")

    assert (ran.status, ran.out) == (2, "")
    assert "cannot be written" in ran.err


def test_opencvs_left_photos_give_opencvs_error(run, tmp_path):
    shared = Path(os.environ.get("SNAKE_EYE_SHARED", "missing")) / "photos/calibration"
    if not shared.is_dir():
        pytest.skip("SNAKE_EYE_SHARED names no folder with OpenCV's chessboard photos")
    folder = tmp_path / "left"
    folder.mkdir()
    for path in shared.glob("left[01]*.jpg"):
        (folder / path.name).write_bytes(path.read_bytes())

    out = tmp_path / "p.json"
    ran = run(*f"calibrate --photos {folder} --pattern chessboard:9x6 --out {out} --json".split())

    (answer,) = ran.documents
    assert (ran.status, answer["used"], answer["pictures"]) == (0, 13, 13)
    assert answer["rms_px"] == pytest.approx(0.409, rel=0.02)


# --- what was seen, over the photo


def test_what_was_seen_is_written_over_the_photo(run, reader, tmp_path):
    name, out = photo(tmp_path / "a.png"), tmp_path / "seen.png"

    ran = run("read", name, "--game", "schlangennest", "--out", out, "--json")

    assert ran.status == 0
    assert ran.documents[0]["tiles"]
    picture, seen = cv2.imread(str(name)), cv2.imread(str(out))
    assert picture is not None and seen is not None
    assert seen.shape == picture.shape
    assert (seen != picture).any()


@pytest.mark.parametrize("ending", [".jpg", ".JPEG", ".webp"])
def test_the_picture_of_what_was_seen_may_have_any_usual_ending(run, reader, tmp_path, ending):
    out = tmp_path / f"seen{ending}"

    assert run("read", photo(tmp_path / "a.png"), "--shape", "square", "--out", out).status == 0
    assert cv2.imread(str(out)) is not None


def test_the_picture_of_what_was_seen_is_refused_where_it_cannot_be(run, reader, tmp_path):
    one, two = photo(tmp_path / "a.png"), photo(tmp_path / "b.png")
    before = one.read_bytes()
    for arguments, said in (
        ((one, "--out", tmp_path / "x.pdf"), "a picture ends with one of"),
        ((one, two, "--out", tmp_path / "x.png"), "one picture at a time"),
        ((one, "--out", one), "is the photo itself"),
        ((one, "--out", tmp_path / "no" / "x.png"), "cannot be written"),
    ):
        ran = run("read", *arguments, "--shape", "square")
        assert (ran.status, ran.out) == (2, "")
        assert said in ran.err
    assert one.read_bytes() == before

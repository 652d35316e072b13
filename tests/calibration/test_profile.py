import json
import os

import numpy as np
import pytest

from calibration.errors import ProfileError
from calibration.profile import Light, Profile, TablePlane
from calibration.profile_file import load_profile, save_profile
from tests.calibration.drawn import SIZE_PX, TRUE_LENS, VIEWS

TABLE = TablePlane(np.linalg.inv(VIEWS[0].straight_from_mm(TRUE_LENS)), "sheet", 0.2)
REFERENCE = np.random.default_rng(2).integers(0, 255, (360, 480), np.uint8)
FULL = Profile(SIZE_PX, TRUE_LENS, TABLE, Light((200.0, 220.0, 230.0), (0.1, -0.2)), REFERENCE)
CENTRE = np.array([[480.0, 360.0], [100, 80]])


def test_profile_comes_back_as_it_was_saved(tmp_path):
    save_profile(FULL, tmp_path / "new" / "profile.json")

    loaded = load_profile(tmp_path / "new" / "profile.json")

    assert loaded.size_px == SIZE_PX
    assert loaded.lens is not None
    assert loaded.lens.matrix.tolist() == TRUE_LENS.matrix.tolist()
    assert loaded.lens.distortion.tolist() == TRUE_LENS.distortion.tolist()
    assert loaded.light == FULL.light
    assert loaded.reference is not None
    assert np.array_equal(loaded.reference, REFERENCE)
    assert loaded.mm(CENTRE) == pytest.approx(FULL.mm(CENTRE))


def test_empty_profile_comes_back(tmp_path):
    save_profile(Profile((640, 480)), tmp_path / "profile.json")

    loaded = load_profile(tmp_path / "profile.json")

    assert (loaded.lens, loaded.table, loaded.light, loaded.reference) == (None,) * 4
    assert loaded.straight_px(CENTRE) == pytest.approx(CENTRE)
    with pytest.raises(ProfileError, match="does not know the table"):
        loaded.mm(CENTRE)


def test_saving_leaves_the_old_profile_or_the_new_one(tmp_path, monkeypatch):
    path = tmp_path / "profile.json"
    save_profile(Profile((640, 480)), path)
    before = path.read_bytes()

    def no_space(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(ProfileError, match="No space left"):
        save_profile(FULL, path)

    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["profile.json"]


def test_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(ProfileError, match=r"file/profile\.json cannot be written"):
        save_profile(FULL, tmp_path / "file" / "profile.json")


def test_saved_profile_is_small(tmp_path):
    save_profile(FULL, tmp_path / "profile.json")

    assert (tmp_path / "profile.json").stat().st_size < 300_000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'{"format": "snake-eye/profile", "version": NaN}', "not JSON"),
        (b"[]", "is no profile"),
        (b'{"format": "snake-eye/record"}', "is no profile"),
        (b" " * 2_000_000, "too large"),
    ],
)
def test_file_that_is_no_profile_is_an_error(tmp_path, data, words):
    (tmp_path / "profile.json").write_bytes(data)

    with pytest.raises(ProfileError, match=words):
        load_profile(tmp_path / "profile.json")


def test_missing_profile_is_an_error(tmp_path):
    with pytest.raises(ProfileError, match="calibrate"):
        load_profile(tmp_path / "profile.json")
    with pytest.raises(ProfileError, match="cannot be read"):
        load_profile(tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p.update(version=2), "version 2"),
        (lambda p: p.update(size_px=[0, 480]), "size_px"),
        (lambda p: p.update(size_px="large"), "size_px"),
        (lambda p: p.update(size_px=[1e9, 1e9]), "size_px"),
        (lambda p: p.update(colour="red"), "colour"),
        (lambda p: p["lens"].update(matrix=[[1, 2], [3, 4]]), "matrix"),
        (lambda p: p["lens"].update(matrix=[[0, 0, 0]] * 3), "matrix"),
        (lambda p: p["lens"].update(distortion=[0, 0, 0, 0, 1e300]), "distortion"),
        (lambda p: p["lens"].pop("used"), "used"),
        (lambda p: p["lens"].update(rms_px="good"), "rms_px"),
        (lambda p: p.update(lens=[1]), "lens"),
        (lambda p: p["table"].update(mm_from_px=[[1, 2, 3], [2, 4, 6], [0, 0, 1]]), "mm_from_px"),
        (lambda p: p["light"].update(white_bgr=[0, 0, 0]), "white_bgr"),
        (lambda p: p.update(reference_png="@@@"), "reference_png"),
        (lambda p: p.update(reference_png="aGVsbG8="), "reference_png"),
        (lambda p: p.update(reference_png=7), "reference_png"),
    ],
)
def test_wrong_value_is_named(tmp_path, change, words):
    path = tmp_path / "camera.json"
    save_profile(FULL, path)
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))

    with pytest.raises(ProfileError, match=words) as raised:
        load_profile(path)

    assert str(raised.value).startswith(str(path))


def test_profile_fits_pictures_of_another_resolution():
    double = FULL.for_size((1920, 1440))

    assert double.mm((CENTRE + 0.5) * 2 - 0.5) == pytest.approx(FULL.mm(CENTRE), abs=1e-6)
    assert FULL.for_size(SIZE_PX) is FULL


def test_profile_of_another_shape_is_refused():
    with pytest.raises(ProfileError, match="960 x 720 pixels, and this one has 1920 x 1080"):
        FULL.for_size((1920, 1080))

import os
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.errors import PatternError
from calibration.lens import assumed_lens, learn_lens
from calibration.pattern import Pattern, parse_pattern
from calibration.sheet import Sighting, find_sheet
from tests.calibration.drawn import SIZE_PX, TRUE_LENS, VIEWS, View, seen, sheet_in

REFERENCE_RMS_PX = 0.409


def sightings(views=VIEWS):
    return [sheet_in(seen(view)) for view in views]


def chessboards(side: str):
    shared = os.environ.get("SNAKE_EYE_SHARED")
    folder = Path(shared or "missing") / "photos/calibration"
    if not folder.is_dir():
        pytest.skip("SNAKE_EYE_SHARED names no folder with OpenCV's chessboard photos")
    pattern = parse_pattern("chessboard:9x6")
    photos = sorted(folder.glob(f"{side}[01]*.jpg"))
    return [pattern.find(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)) for path in photos]


def test_opencvs_own_photos_give_opencvs_own_error():
    found = chessboards("left")

    fit = learn_lens(found, (640, 480))

    assert len(found) == 13
    assert all(fit.used)
    assert fit.lens.rms_px == pytest.approx(REFERENCE_RMS_PX, rel=0.02)
    assert fit.lens.matrix[0, 0] == pytest.approx(536.07, abs=1)
    assert fit.lens.matrix[0, 2] == pytest.approx(342.37, abs=1)
    assert fit.lens.matrix[1, 2] == pytest.approx(235.54, abs=1)


def test_lens_is_learnt_from_the_printed_sheet():
    fit = learn_lens(sightings(), SIZE_PX)

    assert all(fit.used)
    assert fit.notes == ()
    assert fit.lens.rms_px == pytest.approx(0, abs=0.3)
    assert fit.lens.matrix == pytest.approx(TRUE_LENS.matrix, abs=6)
    # What counts is where points go, not the coefficients, which share the work between them.
    grid = np.array([[x, y] for x in (100.0, 480, 860) for y in (80.0, 360, 640)])
    assert np.abs(fit.lens.straight_px(grid) - TRUE_LENS.straight_px(grid)).max() < 4


def test_picture_that_contradicts_the_others_is_left_out():
    bent = sheet_in(seen(VIEWS[2]))
    curl = 12 * np.sin(bent.board[:, 1] / 40)
    found = [*sightings(), Sighting(bent.seen_px + np.column_stack([curl, -curl]), bent.board)]

    fit = learn_lens(found, SIZE_PX)

    assert fit.used == (True,) * 8 + (False,)
    assert fit.lens.rms_px == pytest.approx(0, abs=0.3)
    assert (fit.lens.used, fit.lens.pictures) == (8, 9)


def test_wrong_corners_of_one_picture_do_not_count():
    picture = seen(VIEWS[0])
    good = find_sheet(picture)

    assert good is not None
    assert len(good.board) == 24
    # A hand over a third of the sheet leaves the rest of it.
    picture[:, 560:] = 128
    covered = find_sheet(picture)
    assert covered is not None
    assert 8 <= len(covered.board) < 24


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_few_pictures_give_a_plain_lens_and_say_so(count):
    fit = learn_lens(sightings(VIEWS[:count]), SIZE_PX)

    assert fit.lens.matrix[0, 0] == pytest.approx(760, rel=0.15)
    assert "few pictures" in fit.notes[0]
    assert not count < 3 or not fit.lens.distortion.any()


def test_sheet_that_was_never_tilted_gives_an_assumed_focal_length():
    flat = [View((0, 0), turn, 400) for turn in (0, 90)]

    fit = learn_lens(sightings(flat), SIZE_PX)

    assert fit.lens.matrix[0, 0] == assumed_lens(SIZE_PX).matrix[0, 0]
    assert "flat to the camera" in fit.notes[0]


def test_no_sighting_is_an_error():
    with pytest.raises(PatternError, match="no picture shows"):
        learn_lens([], SIZE_PX)


@pytest.mark.parametrize("picture", [np.zeros((480, 640)), np.full((480, 640), 255)])
def test_blank_picture_shows_no_pattern(picture):
    blank = picture.astype(np.uint8)

    assert Pattern().find(blank) is None
    assert Pattern((9, 6)).find(blank) is None


def test_sheet_in_a_large_picture_is_found_among_all_its_pixels():
    small = sheet_in(seen(VIEWS[1]))
    large = sheet_in(cv2.resize(seen(VIEWS[1]), None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC))

    assert len(large.board) == 24
    assert np.abs((large.seen_px + 0.5) / 3 - 0.5 - small.seen_px).max() < 0.3


def test_pattern_names_are_read():
    assert parse_pattern("sheet") == Pattern()
    assert parse_pattern("chessboard:9x6") == Pattern((9, 6))


@pytest.mark.parametrize(
    "text", ["", "chessboard", "chessboard:9", "chessboard:0x6", "chessboard:99x6", "charuco:5x7"]
)
def test_pattern_of_no_kind_is_an_error(text):
    with pytest.raises(PatternError, match=r"pattern|cannot be used"):
        parse_pattern(text)


def test_points_that_the_lens_bends_are_straightened():
    points = np.array([[10.0, 20.0], [480, 360], [900, 700]])
    rays = np.column_stack([points, np.ones(3)]) @ np.linalg.inv(TRUE_LENS.matrix).T
    bent, _ = cv2.projectPoints(
        rays, np.zeros(3), np.zeros(3), TRUE_LENS.matrix, TRUE_LENS.distortion
    )

    assert TRUE_LENS.straight_px(np.asarray(bent, np.float64)) == pytest.approx(points, abs=1e-2)
    plain = replace(TRUE_LENS, distortion=np.zeros(5))
    assert plain.straight_px(points) == pytest.approx(points)

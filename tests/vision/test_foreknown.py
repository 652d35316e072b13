"""What a profile spares and helps."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.profile import Light, Profile, TablePlane
from engine.setfile import built_in_set
from vision.foreknown import expected_wide_px, in_white_light
from vision.request import ReadRequest

NEST = built_in_set("schlangennest")
TWO_PX_A_MM = TablePlane(np.diag([0.5, 0.5, 1.0]), "sheet")


def asked(table: TablePlane | None = TWO_PX_A_MM) -> ReadRequest:
    return ReadRequest("square", NEST, None, Profile((1000, 800), table=table))


def test_width_of_tiles_follows_from_the_table_plane():
    assert expected_wide_px(asked()) == pytest.approx(2 * NEST.pitch_mm)


def test_in_a_picture_decoded_at_a_half_tiles_are_half_as_wide():
    assert expected_wide_px(asked(), scale=2.0) == pytest.approx(NEST.pitch_mm)


def test_without_a_plane_nothing_is_known():
    assert expected_wide_px(asked(None)) is None
    assert expected_wide_px(ReadRequest("square", NEST)) is None


def test_white_paper_loses_the_colour_of_the_light():
    yellow = np.full((1, 64, 64, 3), (120, 180, 200), np.uint8)
    profile = Profile((1000, 800), light=Light((120.0, 180.0, 200.0)))

    white = in_white_light(yellow, profile)

    assert np.ptp(white.astype(int), axis=3).max() <= 1


def test_a_light_without_blue_is_not_believed():
    patches = np.full((1, 64, 64, 3), 90, np.uint8)

    assert in_white_light(patches, Profile((9, 9), light=Light((1.0, 200.0, 200.0)))) is patches

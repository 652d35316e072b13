"""What a profile spares and helps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.profile import Lens, Light, Profile, TablePlane
from engine.setfile import built_in_set
from models.lab.scenes.scene import Scene, make_scene
from vision.core.request import (
    READ_WIDE_PX,
    ReadRequest,
    expected_wide_px,
    in_white_light,
    pixels_enough,
)
from vision.detect.detect import QUICK, detect_tiles
from vision.detect.network import TileMaps, TileNetwork
from vision.intake.picture import WORKING_PIXELS
from vision.read import read_table

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


@pytest.mark.parametrize(("wide", "reduce"), [(1.9, 1), (2.1, 2), (4.2, 4), (30.0, 4)])
def test_pixels_that_tiles_do_not_need_are_not_decoded(wide, reduce):
    px_a_mm = wide * READ_WIDE_PX / NEST.pitch_mm
    plane = TablePlane(np.diag([1 / px_a_mm, 1 / px_a_mm, 1.0]), "sheet")

    assert pixels_enough(asked(plane)) == 1000 * 800 / reduce**2


def test_without_a_plane_all_pixels_are_decoded():
    assert pixels_enough(asked(None)) == WORKING_PIXELS


def test_white_paper_loses_the_colour_of_the_light():
    yellow = np.full((1, 64, 64, 3), (120, 180, 200), np.uint8)
    profile = Profile((1000, 800), light=Light((120.0, 180.0, 200.0)))

    white = in_white_light(yellow, profile)

    assert np.ptp(white.astype(int), axis=3).max() <= 1


def test_a_light_without_blue_is_not_believed():
    patches = np.full((1, 64, 64, 3), 90, np.uint8)

    assert in_white_light(patches, Profile((9, 9), light=Light((1.0, 200.0, 200.0)))) is patches


# --- A table seen by a camera that is known ---


class CountedNetwork(TileNetwork):
    """The network, with how often it has looked."""

    looks = 0

    def look(self, *picture, **options) -> TileMaps:
        self.looks += 1
        return super().look(*picture, **options)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return make_scene(31000, "held-out", "schlangennest", (1280, 720))


def profile_of(scene: Scene, higher: float = 1.0) -> Profile:
    """What calibration learns of a scene's camera; or learnt when it hung at another height."""
    size, camera = tuple(scene.truth["size"]), scene.truth["camera"]
    lens = Lens(size, np.array(camera["matrix"]), np.array(camera["distortion"]))
    mm_from_px = np.linalg.inv(np.array(camera["px_from_mm"]))
    return Profile(size, lens, TablePlane(np.diag([higher, higher, 1.0]) @ mm_from_px, "sheet"))


def test_tiles_of_a_known_width_need_a_single_look(scene):
    network = CountedNetwork()
    wide = expected_wide_px(ReadRequest("square", NEST, None, profile_of(scene)))

    found = detect_tiles(scene.bgr, "square", network=network, settings=QUICK, wide_px=wide)

    assert network.looks == 1
    assert len(found.found) >= len(scene.truth["tiles"])


@pytest.mark.parametrize("higher", [0.4, 1.0, 2.5])
def test_table_is_read_all_the_same_where_the_camera_was_moved_since(scene, higher):
    request = ReadRequest("square", NEST, None, profile_of(scene, higher))

    state = read_table(scene.bgr, request)
    without = read_table(scene.bgr, replace(request, profile=None))

    for one in (state, without):
        laid = sorted(str(entry["tile"]) for entry in (*one.tiles, *one.unsure))
        assert laid == sorted(tile["tile"] for tile in scene.truth["tiles"])

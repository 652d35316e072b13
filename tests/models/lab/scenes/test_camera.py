"""A pixel and the place it looks at belong together."""

import cv2
import numpy as np
import pytest

from models.lab.scenes.camera.camera import Camera, lens, looking_at


def camera(focal=900.0, shift=-0.16, elevation=55.0, size=(640, 480)):
    rotation, position = looking_at((20.0, -30.0), 700.0, elevation, 33.0, 1.5)
    width, height = size
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    return Camera(size, matrix, lens(shift, focal, size, 0.0005), rotation, position)


def test_points_are_projected_as_opencv_does_it():
    eye = camera()
    points = np.random.default_rng(1).uniform(-90, 90, (50, 3)) * (1, 1, 0.1)
    rvec, _ = cv2.Rodrigues(eye.rotation)
    tvec = -eye.rotation @ (eye.position_mm * (1, 1, -1))
    wanted, _ = cv2.projectPoints(points * (1, 1, -1), rvec, tvec, eye.matrix, eye.distortion)

    assert eye.project(points) == pytest.approx(wanted.reshape(-1, 2), abs=1e-6)


@pytest.mark.parametrize("focal", [320.0, 900.0])
@pytest.mark.parametrize("shift", [-0.16, 0.0, 0.07])
def test_ray_of_a_pixel_meets_the_table_where_that_pixel_sees_it(focal, shift):
    eye = camera(focal, shift, elevation=70.0)
    pixels = np.random.default_rng(2).integers(0, (640, 480), (60, 2))
    rays = eye.rays[pixels[:, 1], pixels[:, 0]].astype(float)
    places = cv2.perspectiveTransform(rays.reshape(-1, 1, 2), eye.flat_from_ray()).reshape(-1, 2)

    assert eye.project_flat(places) == pytest.approx(pixels, abs=0.05)


def test_straight_from_above_the_middle_of_the_picture_is_the_place_looked_at():
    eye = camera(elevation=90.0, shift=0.0)

    assert eye.project_flat(np.array([[20.0, -30.0]]))[0] == pytest.approx([319.5, 239.5], abs=0.01)


def test_what_lies_far_outside_is_not_folded_back_into_the_picture():
    eye = camera(focal=320.0)
    far = eye.project_flat(np.array([[x, y] for x in (-3000, 3000) for y in (-3000, 3000)]))
    inside = (far >= 0).all(axis=1) & (far < (640, 480)).all(axis=1)

    assert not inside.any()


def test_homography_is_the_projection_without_the_lens():
    eye = camera(shift=0.0)
    place = np.array([[40.0, 25.0]])
    through = cv2.perspectiveTransform(place.reshape(-1, 1, 2), eye.px_from_mm()).reshape(-1, 2)

    assert through == pytest.approx(eye.project_flat(place), abs=0.2)

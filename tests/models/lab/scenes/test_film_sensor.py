import numpy as np
import pytest

from models.lab.scenes.camera.develop import Developer, FilmSensor
from models.lab.scenes.settings import SensorSettings
from models.lab.scenes.splits import rng_of

PLAIN = SensorSettings(
    noise=1.0,
    blur_px=0.0,
    motion_px=0.0,
    motion_deg=0.0,
    white_balance=1.0,
    balance_error=(1.0, 1.0, 1.0),
    vignette=0.0,
    contrast=0.2,
    saturation=1.0,
    sharpen=0.0,
    jpeg_quality=90,
)
SIZE_PX = (160, 120)


def half_dark(dark=0.3, bright=0.7):
    root = np.full((SIZE_PX[1], SIZE_PX[0], 3), dark, np.float32)
    root[:, SIZE_PX[0] // 2 :] = bright
    return root


def frame(sensor, root, number=0, gain=1.0):
    film = FilmSensor(sensor, 1.0, SIZE_PX)
    return film.frame(film.held(root), rng_of("film sensor", number), gain).astype(float)


@pytest.mark.parametrize("noise", [0.5, 1.0, 2.0])
def test_frame_is_as_bright_and_as_noisy_as_a_photograph(noise):
    sensor = SensorSettings(**{**fields(), "noise": noise})
    photograph = Developer(sensor, 1.0).finished(half_dark(), rng_of("photo")).astype(float)
    filmed = frame(sensor, half_dark())

    for part in (slice(10, 70), slice(90, 150)):
        assert filmed[:, part].mean() == pytest.approx(photograph[:, part].mean(), abs=1.0)
        assert filmed[:, part].std() == pytest.approx(photograph[:, part].std(), rel=0.15)


def fields():
    return {name: getattr(PLAIN, name) for name in SensorSettings.__slots__}


def test_noise_is_fresh_in_every_frame_and_none_where_the_sensor_has_none():
    quiet = SensorSettings(**{**fields(), "noise": 0.0})

    assert (frame(PLAIN, half_dark(), 1) != frame(PLAIN, half_dark(), 2)).any()
    assert (frame(quiet, half_dark(), 1) == frame(quiet, half_dark(), 2)).all()


def test_exposure_and_sharpening_do_what_they_say():
    quiet = SensorSettings(**{**fields(), "noise": 0.0})
    sharp = SensorSettings(**{**fields(), "noise": 0.0, "sharpen": 0.8})
    edge = SIZE_PX[0] // 2

    assert frame(quiet, half_dark(), gain=0.02).mean() < 0.3 * frame(quiet, half_dark()).mean()
    assert frame(sharp, half_dark())[60, edge, 1] > frame(quiet, half_dark())[60, edge, 1] + 5
    # Light that would overflow 16 bits is white, and less than none is black.
    assert frame(sharp, half_dark(0.0, 9.0))[60, [5, -5], 1].tolist() == [0, 255]

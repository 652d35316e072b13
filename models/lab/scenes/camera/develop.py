"""From colours and shadows to a photograph: light, exposure, lens and sensor."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from models.lab.scenes.camera.camera import COARSE_PX
from models.lab.scenes.camera.canvas import Canvas
from models.lab.scenes.settings import LightSettings, SensorSettings
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Random, f32, not_below

NOISE_PX = 512
KEPT_PX = 2_500_000
"""Largest picture whose noise is cached; for larger ones it takes too much memory."""
GREY = 0.2
"""Mean brightness that exposure aims for, in linear light."""
HIGHLIGHT = 0.88
"""Upper limit of exposure for the 99.5 % quantile of brightness, in linear light."""
PHOTON_NOISE = 0.012
"""Standard deviation of the square root of light at noise 1: ISO 800 on a small sensor, about."""
SHARPEN_PX = 1.2
STEPS = 32
"""Steps of a film's 16-bit light per 8-bit level: fine enough for noise of half a level."""
MOST = 3.9
"""Largest square root of light that fits into 16 bits; from 1 on a picture is white."""
LUMA = np.array([0.0722, 0.7152, 0.2126])


@lru_cache(maxsize=1)
def _linear() -> Array:
    return f32(_linear_of(np.arange(256) / 255))


def _linear_of(srgb: Array) -> Array:
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


@lru_cache(maxsize=1)
def _noise_bank() -> Array:
    """Return noise as cameras leave it: slightly smoothed, weaker in colour than in brightness."""
    rng = rng_of("sensor noise")
    noise = rng.standard_normal((NOISE_PX, NOISE_PX, 3), dtype=np.float32)
    noise = 0.65 * noise + 0.35 * noise.mean(axis=2, keepdims=True) * 1.7
    soft = cv2.GaussianBlur(noise, (0, 0), 0.6, borderType=cv2.BORDER_REFLECT)
    return np.asarray(soft / soft.std(), np.float32)


@lru_cache(maxsize=2)
def _kept_grain(height: int, width: int) -> Array:
    return _laid_out(_noise_bank(), height, width)


def _laid_out(noise: Array, height: int, width: int) -> Array:
    """Return noise tiled to more than a picture's size, so that any window of it can be cut."""
    across, down = width // NOISE_PX + 2, height // NOISE_PX + 2
    return np.asarray(cv2.repeat(noise, down, across))


@lru_cache(maxsize=64)
def _tone_curve(contrast: float) -> Array:
    """Return the camera's tone curve over the square root of linear light, in 256 steps."""
    x = (np.arange(256) / 255) ** 2
    y = np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.power(np.maximum(x, 1e-9), 1 / 2.4) - 0.055)
    bent = y * y * (3 - 2 * y)
    return np.asarray(np.round(255 * (y + contrast * (bent - y))), np.uint8)


def kelvin_bgr(kelvin: float) -> Array:
    """Return the colour of a black body as linear blue, green, red, green being 1."""
    t = kelvin / 100
    red = 255.0 if t <= 66 else 329.7 * (t - 60) ** -0.1332
    green = 99.47 * np.log(t) - 161.12 if t <= 66 else 288.12 * (t - 60) ** -0.0755
    blue = 255.0 if t >= 66 else 138.52 * np.log(max(t - 10, 1)) - 305.04
    linear = _linear_of(np.clip(np.array([blue, green, red]) / 255, 0.01, 1))
    return np.asarray(linear / linear[1])


def light_on(canvas: Canvas, light: LightSettings, vignette: float) -> Array:
    """Return the light at each pixel, from the lamp's distance and the lens's vignette."""
    camera = canvas.camera
    places = np.clip(camera.table_places, -3000, 3000)
    turn = np.radians(light.azimuth_deg)
    lamp = np.array([np.cos(turn), np.sin(turn)]) * 450
    near = np.exp(-(((places - f32(lamp)) / 700) ** 2).sum(axis=2) * 0.5)
    field = 1 - light.unevenness * 0.55 + light.unevenness * 0.9 * near
    ys = np.linspace(-1, 1, places.shape[0])[:, None]
    xs = np.linspace(-1, 1, places.shape[1])[None, :]
    field = field * (1 - vignette * (xs * xs + ys * ys) / 2)
    return camera.enlarged(field.astype(np.float32))


def radiance(canvas: Canvas, light: LightSettings, vignette: float) -> Array:
    """Return linear blue, green, red of the scene before exposure and sensor."""
    linear = cv2.LUT(canvas.albedo, _linear())
    shadow = light.ambient + (1 - light.ambient) * (np.arange(256) / 255)
    lit = cv2.LUT(canvas.lit, shadow.astype(np.float32))
    lit = cv2.multiply(lit, light_on(canvas, light, vignette))
    linear = cv2.multiply(linear, cv2.merge([lit, lit, lit]))
    if canvas.shine.max() > 0:
        shine = canvas.shine
        linear = cv2.add(linear, cv2.merge([shine, shine, shine]))
    return linear


def gain_for(linear: Array, light: LightSettings, sensor: SensorSettings) -> Array:
    """Return the camera's colour matrix: the light's colour, white balance and exposure."""
    small = linear[::COARSE_PX, ::COARSE_PX]
    tint = kelvin_bgr(light.kelvin) ** (1 - sensor.white_balance) * np.array(sensor.balance_error)
    bright = np.minimum(small, 1.0) @ (LUMA * tint)
    # The power keeps dark tables dark and white ones bright instead of making both grey; the
    # highlight limit keeps white card from burning out.
    gain = (GREY / max(float(bright.mean()), 0.02)) ** 0.7
    gain = light.level * min(gain, HIGHLIGHT / max(float(np.quantile(bright, 0.995)), 0.02))
    matrix = sensor.saturation * np.eye(3) + (1 - sensor.saturation) * LUMA[None, :]
    return f32(matrix * tint[None, :] * gain)


def _noise_boost(sensor: SensorSettings, level: float) -> float:
    """Return the standard deviation of the noise in the square root of the light."""
    return float(PHOTON_NOISE * sensor.noise * (1 / max(level, 0.2)) ** 0.5)


class Developer:
    """One camera's processing from linear light to an 8-bit picture.

    Noise is added to the square root of the light, where the shot noise of photons is equally
    strong everywhere.
    """

    def __init__(self, sensor: SensorSettings, level: float) -> None:
        self._sensor, self._noise = sensor, _noise_boost(sensor, level)

    def root(self, linear: Array) -> Array:
        """Return the square root of the blurred light."""
        return np.asarray(cv2.sqrt(not_below(_blurred(linear, self._sensor), 0.0)))

    def finished(self, root: Array, rng: Random) -> Array:
        """Return the picture, in BGR order, with fresh noise."""
        sensor = self._sensor
        if sensor.noise:
            root = _with_noise(root, self._noise, rng)
        curve = _tone_curve(round(sensor.contrast, 2))
        eight = cv2.LUT(cv2.convertScaleAbs(not_below(root, 0.0), alpha=255), curve)
        if sensor.sharpen:
            soft = cv2.GaussianBlur(eight, (0, 0), SHARPEN_PX)
            eight = cv2.addWeighted(eight, 1 + sensor.sharpen, soft, -sensor.sharpen, 0)
        return eight

    @staticmethod
    def linear_of(bgr: Array) -> Array:
        """Return 8-bit colours as linear light."""
        return cv2.LUT(np.ascontiguousarray(bgr), _linear())


class FilmSensor:
    """One camera's conversion from the square root of light to 8-bit frames."""

    def __init__(self, sensor: SensorSettings, level: float, size_px: tuple[int, int]) -> None:
        self._sharpen = sensor.sharpen
        self._curve = _tone_curve(round(sensor.contrast, 2))
        noise = _noise_bank() * np.float32(_noise_boost(sensor, level))
        # The noise is sharpened like the picture.
        self._grain = _laid_out(self.held(noise), *size_px[::-1]) if sensor.noise else None

    def held(self, root: Array) -> Array:
        """Return the square root of light as it is stored: sharpened, in 16 bits."""
        if self._sharpen:
            soft = cv2.GaussianBlur(root, (0, 0), SHARPEN_PX)
            root = cv2.addWeighted(root, 1 + self._sharpen, soft, -self._sharpen, 0)
        return in_steps(np.clip(root, -1.0, MOST)).astype(np.int16)

    def frame(self, held: Array, rng: Random, gain: float = 1.0) -> Array:
        """Return a frame, in BGR order, with fresh noise; ``gain`` scales the exposure."""
        height, width = held.shape[:2]
        bright = gain**0.5 / STEPS
        if self._grain is None:
            eight = cv2.convertScaleAbs(not_below(held, 0.0), alpha=bright)
        else:
            x, y = (int(v) for v in rng.integers(0, NOISE_PX, 2))
            grain = self._grain[y : y + height, x : x + width]
            eight = cv2.addWeighted(held, bright, grain, 1 / STEPS, 0, dtype=cv2.CV_8U)
        return np.asarray(cv2.LUT(eight, self._curve))


def in_steps(root: Array) -> Array:
    """Return the square root of light in units of the 16-bit steps, not rounded."""
    return np.asarray(root * np.float32(255 * STEPS))


@lru_cache(maxsize=2)
def film_sensor(sensor: SensorSettings, level: float, size_px: tuple[int, int]) -> FilmSensor:
    """Return a camera's sensor, from a cache of two, since tiling the noise is slow."""
    return FilmSensor(sensor, level, size_px)


def packed(bgr: Array, quality: int) -> bytes:
    """Return a picture as a JPEG file."""
    good, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not good:
        raise ValueError(f"a picture of shape {bgr.shape} cannot be written as JPEG")
    return bytes(data)


def unpacked(data: bytes) -> Array:
    """Return the picture in a JPEG file."""
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError("these bytes are no JPEG file")
    return picture


def _blurred(linear: Array, sensor: SensorSettings) -> Array:
    # Larger pictures come from larger sensors: the same lens blurs more of their pixels.
    scale = max(1.0, linear.shape[1] / 1280) ** 0.5
    picture = linear
    sigma = sensor.blur_px * scale
    if sigma > 0.25:
        picture = cv2.GaussianBlur(picture, (0, 0), sigma)
    length = round(sensor.motion_px * scale)
    if length > 1:
        kernel = np.zeros((length + 2, length + 2), np.float32)
        middle = (length + 1) / 2
        turn = np.radians(sensor.motion_deg)
        step = np.array([np.cos(turn), np.sin(turn)]) * length / 2
        a, b = np.round([middle - step, middle + step]).astype(int)
        cv2.line(kernel, a.tolist(), b.tolist(), 1.0, 1)
        picture = cv2.filter2D(picture, -1, kernel / kernel.sum())
    return picture


def _with_noise(picture: Array, boost: float, rng: Random) -> Array:
    height, width = picture.shape[:2]
    x, y = (int(v) for v in rng.integers(0, NOISE_PX, 2))
    kept = height * width <= KEPT_PX
    grain = _kept_grain(height, width) if kept else _laid_out(_noise_bank(), height, width)
    return cv2.scaleAdd(grain[y : y + height, x : x + width], boost, picture)

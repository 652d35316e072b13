"""Every form that a camera may give, written out by hand and read back."""

import cv2
import numpy as np
import pytest

from vision.sources.pi_pixels import FORMATS, PixelError, StreamLayout, bgr_from_buffer

WIDTH, HEIGHT, PADDING = 32, 20, 16
COLOURS = [(200, 40, 30), (30, 180, 60), (40, 50, 210), (128, 128, 128)]


def striped() -> np.ndarray:
    """Return upright stripes of four colours, each 8 pixels wide."""
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for number, colour in enumerate(COLOURS):
        picture[:, number * 8 : number * 8 + 8] = colour
    return picture


def yuv(bgr: np.ndarray, *, full_range: bool = True, rec709: bool = False) -> list[np.ndarray]:
    """Return brightness and colours by the definition of the standards, unrounded sizes."""
    red_part, blue_part = (0.2126, 0.0722) if rec709 else (0.299, 0.114)
    blue, green, red = (bgr[..., channel].astype(float) for channel in range(3))
    bright = red_part * red + (1 - red_part - blue_part) * green + blue_part * blue
    u, v = (blue - bright) / (2 - 2 * blue_part), (red - bright) / (2 - 2 * red_part)
    if not full_range:
        bright, u, v = 16 + bright * 219 / 255, u * 224 / 255, v * 224 / 255
    planes = (bright, u + 128, v + 128)
    return [np.clip(plane.round(), 0, 255).astype(np.uint8) for plane in planes]


def rows(plane: np.ndarray, padding: int) -> bytes:
    """Return rows of bytes, each followed by what no picture has."""
    flat = plane.reshape(len(plane), -1)
    return b"".join(row.tobytes() + b"\xab" * padding for row in flat)


def written(bgr: np.ndarray, name: str, **standard: bool) -> bytes:
    """Return a buffer of a form, its rows padded."""
    letters = {"B": 0, "G": 1, "R": 2}
    if name.endswith(("888", "8888")):
        # Named from the highest byte down.
        in_memory = reversed(name.rstrip("8"))
        channels = [
            bgr[..., letters[letter]] if letter in letters else np.full(bgr.shape[:2], 7, np.uint8)
            for letter in in_memory
        ]
        return rows(np.stack(channels, axis=-1), PADDING)
    bright, u, v = yuv(bgr, **standard)
    if name in ("NV12", "NV21"):
        pair = (u, v) if name == "NV12" else (v, u)
        pairs = np.stack([plane[::2, ::2] for plane in pair], axis=-1)
        return rows(bright, PADDING) + rows(pairs, PADDING)
    if name in ("YUV420", "YVU420"):
        first, second = (u, v) if name == "YUV420" else (v, u)
        halves = [rows(plane[::2, ::2], PADDING // 2) for plane in (first, second)]
        return rows(bright, PADDING) + b"".join(halves)
    parts = {"U": u[:, ::2], "V": v[:, ::2]}
    brights = [bright[:, ::2], bright[:, 1::2]]
    planes = [brights.pop(0) if letter == "Y" else parts[letter] for letter in name]
    return rows(np.stack(planes, axis=-1), PADDING)


def layout(name: str, **standard: bool) -> StreamLayout:
    bytes_a_pixel = {"888": 3, "8888": 4}.get(
        name.lstrip("XRGB"), 2 if name[-2:] in ("YV", "VY", "UY", "YU") else 1
    )
    return StreamLayout(name, (WIDTH, HEIGHT), WIDTH * bytes_a_pixel + PADDING, **standard)


def middles(bgr: np.ndarray) -> list[tuple[int, ...]]:
    """Return the colour in the middle of each stripe, where no neighbour bleeds in."""
    return [tuple(int(value) for value in bgr[HEIGHT // 2, n * 8 + 4]) for n in range(4)]


@pytest.mark.parametrize("name", sorted(FORMATS - {"R8", "MJPEG"}))
def test_every_form_gives_the_same_colours(name):
    read = bgr_from_buffer(np.frombuffer(written(striped(), name), np.uint8), layout(name))

    assert read.shape == (HEIGHT, WIDTH, 3)
    np.testing.assert_allclose(middles(read), COLOURS, atol=3)


@pytest.mark.parametrize("full_range", [True, False])
@pytest.mark.parametrize("rec709", [True, False])
def test_colours_are_decoded_by_the_standard_they_are_coded_in(full_range, rec709):
    standard = {"full_range": full_range, "rec709": rec709}
    data = np.frombuffer(written(striped(), "NV12", **standard), np.uint8)

    read = bgr_from_buffer(data, layout("NV12", **standard))

    np.testing.assert_allclose(middles(read), COLOURS, atol=4)


def test_form_called_rgb888_is_blue_first():
    data = np.frombuffer(striped().tobytes(), np.uint8)

    read = bgr_from_buffer(data, StreamLayout("RGB888", (WIDTH, HEIGHT), WIDTH * 3))

    np.testing.assert_array_equal(read, striped())
    assert not np.shares_memory(read, data)


def test_grey_camera_gives_grey_pictures():
    grey = np.arange(WIDTH * HEIGHT, dtype=np.uint8).reshape(HEIGHT, WIDTH)

    read = bgr_from_buffer(
        np.frombuffer(rows(grey, 4), np.uint8), StreamLayout("R8", (WIDTH, HEIGHT), WIDTH + 4)
    )

    np.testing.assert_array_equal(read[..., 2], grey)


def test_jpeg_of_a_camera_is_unpacked():
    _, data = cv2.imencode(".jpg", striped())

    read = bgr_from_buffer(data, StreamLayout("MJPEG", (WIDTH, HEIGHT), 0))

    assert read.shape == (HEIGHT, WIDTH, 3)


def test_torn_jpeg_is_said():
    with pytest.raises(PixelError, match="cannot be opened"):
        bgr_from_buffer(np.zeros(40, np.uint8), StreamLayout("MJPEG", (WIDTH, HEIGHT), 0))


def test_unknown_form_is_named():
    with pytest.raises(PixelError, match="as SRGGB10, which Snake Eye does not know"):
        bgr_from_buffer(np.zeros(4000, np.uint8), StreamLayout("SRGGB10", (WIDTH, HEIGHT), 64))


@pytest.mark.parametrize("name", ["RGB888", "NV12", "YUV420", "YUYV"])
def test_buffer_that_is_too_short_is_refused(name):
    with pytest.raises(PixelError, match="too short"):
        bgr_from_buffer(np.zeros(300, np.uint8), layout(name))

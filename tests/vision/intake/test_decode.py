"""What becomes of pixels: turned, laid on white, shrunk, and what is said of damaged ones."""

import io
import struct
import sys
import zlib
from importlib.util import find_spec

import numpy as np
import pillow_heif
import pytest
from PIL import Image

from vision.core.errors import PictureError
from vision.intake import decode as decoding
from vision.intake.decode import ROWS_AT_A_TIME, Header, decode, looks_grey, read_header
from vision.intake.picture import picture_file

DAMAGED = "shot.jpg is a damaged {} picture; copy it again from the camera"


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def opened(data: bytes, reduce: int = 1) -> np.ndarray:
    return decode(data, read_header(data), "shot.jpg", reduce)


def refusal(data: bytes, header: Header | None = None, reduce: int = 1) -> str:
    with pytest.raises(PictureError) as raised:
        decode(data, header or read_header(data), "shot.jpg", reduce)
    return str(raised.value)


def noise(width: int = 61, height: int = 47, channels: int = 3) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, (height, width, channels), np.uint8)


def with_turn(value: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = value
    return exif.tobytes()


def heic(picture: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    pillow_heif.from_pillow(picture).save(buffer, quality=100, chroma=444, **options)
    return buffer.getvalue()


# --- Turns ---

TURNED = {
    1: lambda p: p,
    2: lambda p: p[:, ::-1],
    3: lambda p: p[::-1, ::-1],
    4: lambda p: p[::-1],
    5: lambda p: p.transpose(1, 0, 2),
    6: lambda p: p.transpose(1, 0, 2)[:, ::-1],
    7: lambda p: p.transpose(1, 0, 2)[::-1, ::-1],
    8: lambda p: p.transpose(1, 0, 2)[::-1],
}


@pytest.mark.parametrize("orientation", TURNED)
def test_every_turn_moves_every_pixel_to_its_place(orientation):
    rgb = noise()
    data = saved(Image.fromarray(rgb), "PNG", exif=with_turn(orientation))

    seen = opened(data)

    assert seen.dtype == np.uint8
    assert np.array_equal(seen, TURNED[orientation](rgb)[..., ::-1])


# --- Transparency ---


def on_white(rgba: np.ndarray) -> np.ndarray:
    share = rgba[..., 3:].astype(float) / 255
    return rgba[..., 2::-1] * share + 255 * (1 - share)


@pytest.mark.parametrize("height", [1 + 2 * ROWS_AT_A_TIME, 40])
@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_half_transparent_pixels_are_mixed_with_white(kind, height):
    rgba = noise(70, height, 4)
    options = {"lossless": True, "exact": True} if kind == "WEBP" else {}

    seen = opened(saved(Image.fromarray(rgba), kind, **options))

    assert seen.dtype == np.uint8
    assert np.abs(seen - on_white(rgba)).max() <= 1


def test_half_transparent_heic_is_mixed_with_white_blue_first():
    rgba = np.full((64, 64, 4), (200, 100, 20, 128), np.uint8)

    seen = opened_heic(heic(Image.fromarray(rgba)))

    assert np.abs(seen[30, 30].astype(int) - (137, 177, 227)).max() <= 4


def opened_heic(data: bytes, reduce: int = 1) -> np.ndarray:
    return opened(data, reduce)


def test_palette_with_transparency_and_cmyk_come_blue_first():
    rgba = np.zeros((40, 50, 4), np.uint8)
    rgba[:, :25] = (250, 120, 10, 255)
    palette = Image.fromarray(rgba).quantize(4)
    cmyk = Image.new("CMYK", (50, 40), (255, 0, 128, 0))

    seen = opened(saved(palette, "PNG"))
    printed = opened(saved(cmyk, "JPEG", quality=100))

    assert seen[20, 5].tolist() == [10, 120, 250]
    assert seen[20, 45].tolist() == [255, 255, 255]
    assert np.abs(printed[20, 20].astype(int) - (127, 255, 0)).max() <= 3


def png16_with_a_transparent_shade(value: int) -> bytes:
    rows = b"".join(b"\0" + struct.pack(">H", value) * 40 for _ in range(40))
    body = struct.pack(">IIBBBBB", 40, 40, 16, 0, 0, 0, 0)
    chunks = ((b"IHDR", body), (b"tRNS", b"\0\7"), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


@pytest.mark.parametrize(
    ("deep", "shallow"), [(0, 0), (256, 0), (257, 1), (40_000, 155), (65_535, 255)]
)
def test_sixteen_bits_of_grey_become_eight(deep, shallow):
    seen = opened(png16_with_a_transparent_shade(deep))

    assert seen.dtype == np.uint8
    assert seen.shape == (40, 40, 3)
    assert set(seen.ravel().tolist()) == {shallow}


# --- Shrinking ---


@pytest.mark.parametrize("reduce", [2, 4, 8])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "palette", "cmyk", "WEBP", "HEIC"])
def test_sides_are_a_whole_part_rounded_up(kind, reduce):
    picture = Image.fromarray(np.full((67, 101, 3), (200, 60, 30), np.uint8))
    if kind == "HEIC":
        seen = opened_heic(heic(picture), reduce)
    else:
        stored = {"palette": picture.quantize(4), "cmyk": picture.convert("CMYK")}
        form = {"palette": "PNG", "cmyk": "JPEG"}.get(kind, kind)
        seen = opened(saved(stored.get(kind, picture), form), reduce)

    assert seen.shape == (-(-67 // reduce), -(-101 // reduce), 3)
    assert seen.dtype == np.uint8
    assert np.abs(seen[4, 4].astype(int) - (30, 60, 200)).max() <= 6


@pytest.mark.parametrize("reduce", [2, 4])
@pytest.mark.parametrize("kind", ["PNG", "WEBP", "HEIC"])
def test_shrunk_pixel_is_the_mean_of_what_it_stands_for(kind, reduce):
    stripes = np.zeros((64, 64, 3), np.uint8)
    stripes[:, ::reduce] = 200
    picture = Image.fromarray(stripes)
    if kind == "HEIC":
        seen = opened_heic(heic(picture), reduce)
    else:
        seen = opened(saved(picture, kind, lossless=True), reduce)

    assert np.abs(seen[5:10, 5:10].astype(int) - 200 // reduce).max() <= 3


def test_turned_picture_is_shrunk_by_its_own_sides():
    data = saved(Image.fromarray(noise(101, 66)), "JPEG", exif=with_turn(6))

    assert opened(data, 2).shape == (51, 33, 3)


# --- Grey ---


def test_grey_heic_has_three_channels():
    grey = heic(Image.fromarray(noise()[..., 0]))

    seen = opened_heic(grey)

    assert seen.shape == (47, 61, 3)
    assert seen.dtype == np.uint8
    assert looks_grey(seen)


def painted(share: float, spread: int = 200, size: tuple[int, int] = (100, 100)) -> np.ndarray:
    bgr = np.full((*size, 3), 100, np.uint8)
    bgr.reshape(-1, 3)[: round(share * size[0] * size[1]), 1] = 100 + spread - 100 * (spread > 150)
    return bgr


@pytest.mark.parametrize("channel", [0, 1, 2])
@pytest.mark.parametrize("value", [96, 104])
def test_one_channel_apart_makes_colour(channel, value):
    bgr = np.full((50, 50, 3), 100, np.uint8)
    bgr[..., channel] = value
    assert not looks_grey(bgr)
    bgr[..., channel] = 100 + (3 if value > 100 else -3)
    assert looks_grey(bgr)


def test_one_coloured_pixel_in_a_thousand_is_still_grey():
    assert looks_grey(painted(0.001))
    assert not looks_grey(painted(0.0011))


@pytest.mark.parametrize(
    ("size", "down", "across"),
    [
        ((1200, 1600), 10, 10),
        ((240, 320), 2, 2),
        ((239, 319), 1, 1),
        ((32, 320), 1, 2),
        ((240, 32), 2, 1),
        ((1210, 1610), 10, 10),
    ],
)
def test_colour_is_looked_for_in_at_least_120_rows_of_160_pixels(size, down, across):
    grey_where_looked = np.full((*size, 3), (0, 100, 200), np.uint8)
    grey_where_looked[::down, ::across] = 100
    assert looks_grey(grey_where_looked)

    coloured_in_every_fourth = np.full((*size, 3), 100, np.uint8)
    coloured_in_every_fourth[down :: 2 * down, across :: 2 * across, 0] = 0
    assert not looks_grey(coloured_in_every_fourth)


def test_heic_of_ten_bits_is_scaled_to_eight():
    deep = np.full((64, 64, 3), (51_200, 25_600, 5_120), np.uint16)
    buffer = io.BytesIO()
    pillow_heif.encode("RGB;16", (64, 64), deep.tobytes(), buffer, quality=100, chroma=444)

    seen = opened_heic(buffer.getvalue())

    assert seen.dtype == np.uint8
    assert np.abs(seen[30, 30].astype(int) - (20, 100, 200)).max() <= 3


# --- Damage ---


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_other_size_than_the_header_says_is_damage(kind):
    data = saved(Image.fromarray(noise()), kind)
    name = read_header(data).kind

    for size in ((61, 46), (60, 47), (62, 47)):
        assert refusal(data, Header(name, size)) == DAMAGED.format(name)


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("RGB", "JPEG"),
        ("RGB", "PNG"),
        ("P", "PNG"),
        ("CMYK", "JPEG"),
        ("RGBA", "PNG"),
        ("RGB", "WEBP"),
        ("RGBA", "WEBP"),
    ],
)
def test_pixels_that_are_missing_are_said_by_name_and_kind(mode, kind):
    picture = Image.fromarray(noise(200, 150))
    picture = picture.quantize(64) if mode == "P" else picture.convert(mode)
    whole = saved(picture, kind)
    header = read_header(whole)

    assert refusal(whole[: len(whole) // 2], header) == DAMAGED.format(header.kind)


def test_damaged_heic_is_said_by_name():
    data = heic(Image.fromarray(noise(64, 48)))

    with pytest.raises(PictureError) as raised:
        picture_file(data[:40], "shot.jpg")
    assert str(raised.value) == "shot.jpg is a damaged HEIC picture; copy it again from the phone"
    said = refusal(data[: len(data) // 2], Header("HEIC", (64, 48)))
    assert said == DAMAGED.format("HEIC")


def test_data_of_another_kind_than_the_header_says_are_damage():
    """Pillow would open many kinds; only those that were checked are."""
    gif = saved(Image.fromarray(noise()), "GIF")

    assert refusal(gif, Header("PNG", (61, 47), colours="palette")) == DAMAGED.format("PNG")
    assert refusal(gif[:30], Header("JPEG", (61, 47))) == DAMAGED.format("JPEG")
    assert refusal(b"", Header("JPEG", (61, 47))) == DAMAGED.format("JPEG")


def test_picture_that_does_not_fit_in_memory_is_said(monkeypatch):
    def full(*_args, **_options):
        raise MemoryError

    monkeypatch.setattr(decoding, "_pillow_pixels", full)

    said = refusal(saved(Image.fromarray(noise()), "PNG"))

    assert said == "shot.jpg does not fit in memory; save it smaller"


def test_decoder_that_fails_loudly_means_damage():
    assert refusal(b"x", Header("WebP", (61, 47))) == DAMAGED.format("WebP")


# --- What the decoder of JPEGs says ---


def extraneous(count: int) -> bytes:
    """Return a JPEG with bytes that belong to no pixel before its end."""
    return saved(Image.fromarray(noise()), "JPEG")[:-2] + b"\x55" * count + b"\xff\xd9"


def test_few_bytes_too_many_are_no_damage_and_many_are():
    plain = opened(saved(Image.fromarray(noise()), "JPEG"))

    assert np.array_equal(opened(extraneous(7)), plain)
    assert np.array_equal(opened(extraneous(1000)), plain)
    if find_spec("simplejpeg"):
        assert refusal(extraneous(3000)) == DAMAGED.format("JPEG")


def test_pictures_of_both_decoders_of_jpegs_are_alike(monkeypatch):
    data = saved(Image.fromarray(noise(163, 117)), "JPEG", quality=90)
    seen = [opened(data, reduce).astype(int) for reduce in (1, 2, 4, 8)]
    monkeypatch.setitem(sys.modules, "simplejpeg", None)

    by_pillow = [opened(data, reduce) for reduce in (1, 2, 4, 8)]

    for one, other in zip(seen, by_pillow, strict=True):
        assert one.shape == other.shape
        assert np.abs(one - other).max() <= 1


def test_nothing_is_said_on_standard_error(capfd):
    opened(extraneous(7))
    refusal(saved(Image.fromarray(noise()), "JPEG")[:-400] + b"\xff\xd9")

    assert capfd.readouterr() == ("", "")

"""Pictures as people have them: every kind that is read, and every kind that is refused."""

import io
import os
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pillow_heif
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from vision.core.errors import PictureError
from vision.intake import picture as pictures
from vision.intake.decode import Header, HeaderError, exif_orientation, read_header
from vision.intake.picture import MOST_PIXELS, NO_COLOURS, PictureFile, load_picture, picture_file

MOST_MEMORY_MB = 250
WIDTH, HEIGHT = 96, 64


def table_rgb(width: int = WIDTH, height: int = HEIGHT) -> Image.Image:
    """Draw four corners of four colours, so that every turn and mirroring shows."""
    pixels = np.full((height, width, 3), 200, np.uint8)
    pixels[: height // 2, : width // 2] = (220, 30, 30)
    pixels[: height // 2, width // 2 :] = (30, 180, 40)
    pixels[height // 2 :, : width // 2] = (30, 40, 210)
    return Image.fromarray(pixels)


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    if kind == "HEIF":
        pillow_heif.from_pillow(picture).save(buffer, quality=90, **options)
    else:
        picture.save(buffer, kind, **options)
    return buffer.getvalue()


def bgr_of(picture: Image.Image) -> np.ndarray:
    return np.asarray(picture.convert("RGB"))[..., ::-1].astype(int)


def decoded(data: bytes, name: str = "table") -> np.ndarray:
    return picture_file(data, name).decode().bgr


def difference(seen: np.ndarray, expected: Image.Image) -> float:
    return float(np.abs(seen.astype(int) - bgr_of(expected)).mean())


def png(width: int, height: int, *, bits: int = 8, colour: int = 0, rows: bytes = b"") -> bytes:
    """Write a PNG by hand, so that it may lie about itself."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


def huge_files() -> dict[str, bytes]:
    """Return files of a few kB that ask for 200 megapixels."""
    jpeg = bytearray(encoded(table_rgb(), "JPEG"))
    frame = jpeg.index(b"\xff\xc0")
    jpeg[frame + 5 : frame + 9] = struct.pack(">HH", 10_000, 20_000)
    webp = bytearray(encoded(table_rgb(), "WEBP", lossless=True))
    start = webp.index(b"VP8L") + 9
    webp[start : start + 4] = struct.pack("<I", 16_000 | 12_500 << 14)
    heic = bytearray(encoded(table_rgb(), "HEIF"))
    size = heic.index(b"ispe") + 8
    heic[size : size + 8] = struct.pack(">II", 20_000, 10_000)
    return {
        "jpeg": bytes(jpeg),
        "png": png(20_000, 10_000, rows=bytes(1_000_000)),
        "png of 2 gigapixels": png(60_000, 60_000, bits=16, colour=6),
        "webp": bytes(webp),
        "heic": bytes(heic),
    }


def broken_files() -> dict[str, bytes]:
    """Return files that no camera wrote, by what is wrong with them."""
    jpeg, a_png = encoded(table_rgb(), "JPEG", quality=95), encoded(table_rgb(), "PNG")
    webp, heic = encoded(table_rgb(), "WEBP"), encoded(table_rgb(), "HEIF")
    noise = np.random.default_rng(6).integers(0, 255, (240, 320, 3), np.uint8)
    lost = bytearray(encoded(Image.fromarray(noise), "JPEG"))
    lost[len(lost) // 2 : len(lost) * 3 // 4] = bytes(len(lost) * 3 // 4 - len(lost) // 2)
    flipped = bytearray(a_png)
    flipped[a_png.index(b"IDAT") + 10] ^= 0x55
    return {
        "nothing": b"",
        "one byte": b"\xff",
        "half a jpeg": jpeg[: len(jpeg) // 2],
        "jpeg without its end": jpeg[:-2],
        "jpeg header": jpeg[:20],
        # Without simplejpeg, in an environment older than the locks, nobody says what is lost.
        **({"jpeg with a hole": bytes(lost)} if find_spec("simplejpeg") else {}),
        "half a png": a_png[: len(a_png) // 2],
        "png with a changed byte": bytes(flipped),
        "half a webp": webp[: len(webp) // 2],
        "half a heic": heic[: len(heic) // 2],
        "heic header": heic[:24],
        "text": b"Dear Anna, the snakes are loose.\n" * 40,
        "zeros": bytes(5000),
        "gif": encoded(table_rgb(), "GIF"),
        "bmp": encoded(table_rgb(), "BMP"),
        "tiff": encoded(table_rgb(), "TIFF"),
        "pdf": b"%PDF-1.7\n",
        "mp4": struct.pack(">I4s4sI", 24, b"ftyp", b"isom", 512) + b"isommp41" + bytes(99),
        "tiny": encoded(table_rgb(8, 8), "PNG"),
        "jpeg of a thousand passes": jpeg[:-2] + b"\xff\xda\0\2" * 1000 + b"\xff\xd9",
    }


def moving_files() -> dict[str, bytes]:
    other = table_rgb().rotate(180)
    more = {"save_all": True, "append_images": [other], "duration": 100}
    return {
        "png": encoded(table_rgb(), "PNG", **more),
        "webp": encoded(table_rgb(), "WEBP", **more),
        "heic": struct.pack(">I4s4sI", 24, b"ftyp", b"hevc", 0) + b"msf1hevc" + bytes(99),
    }


# --- What is read ---


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "HEIF"])
def test_each_kind_is_read_blue_first(kind):
    picture = picture_file(encoded(table_rgb(), kind), "table").decode()

    assert picture.size_px == (WIDTH, HEIGHT)
    assert picture.bgr.dtype == np.uint8
    assert picture.notes == ()
    assert difference(picture.bgr, table_rgb()) < 6


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_exif_orientation_is_obeyed(kind, orientation):
    picture = table_rgb()
    exif = Image.Exif()
    exif[0x0112] = orientation
    upright = table_rgb()
    upright.getexif()[0x0112] = orientation
    upright = ImageOps.exif_transpose(upright)

    seen = picture_file(encoded(picture, kind, exif=exif.tobytes()), "table")

    assert seen.size_px == upright.size
    assert difference(seen.decode().bgr, upright) < 6


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_heic_is_turned_upright_once(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = table_rgb()
    upright = table_rgb()
    upright.getexif()[0x0112] = orientation
    upright = ImageOps.exif_transpose(upright)

    seen = picture_file(encoded(picture, "HEIF", exif=exif.tobytes()), "table")

    assert seen.size_px == upright.size
    assert difference(seen.decode().bgr, upright) < 6


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_grey_picture_says_that_it_cannot_tell_colours(kind):
    picture = picture_file(encoded(table_rgb().convert("L"), kind), "table").decode()

    assert picture.grey
    assert picture.notes == (NO_COLOURS,)
    assert picture.bgr.shape == (HEIGHT, WIDTH, 3)


def test_grey_picture_saved_as_colour_is_known_as_grey():
    grey = table_rgb().convert("L").convert("RGB")

    assert picture_file(encoded(grey, "JPEG", quality=70), "table").decode().grey
    assert picture_file(encoded(grey, "HEIF"), "table").decode().grey


def test_cmyk_is_converted():
    cmyk = encoded(table_rgb().convert("CMYK"), "JPEG", quality=95)

    assert difference(decoded(cmyk), table_rgb()) < 12


def test_palette_is_converted():
    assert difference(decoded(encoded(table_rgb().quantize(8), "PNG")), table_rgb()) < 3


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "HEIF"])
def test_transparency_is_laid_on_white(kind):
    picture = table_rgb().convert("RGBA")
    picture.putalpha(
        Image.fromarray(np.repeat(np.array([[0] * 48 + [255] * 48], np.uint8), HEIGHT, 0))
    )

    seen = decoded(encoded(picture, kind))

    assert seen[:, :40].min() > 240
    assert np.abs(seen[:, 56:].astype(int) - bgr_of(table_rgb())[:, 56:]).mean() < 8


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_sixteen_bits_are_scaled_to_eight(channels):
    deep = np.linspace(0, 65535, WIDTH, dtype=np.uint16)[None].repeat(HEIGHT, 0)
    if channels > 1:
        deep = np.dstack([deep] * channels)
        deep[..., 0] //= 2
    if channels == 4:
        deep[..., 3] = 65535
    _, data = cv2.imencode(".png", deep)

    seen = decoded(data.tobytes())

    assert seen[0, -1].tolist()[1:] == [255, 255]
    assert abs(int(seen[0, WIDTH // 2, 2]) - 128) <= 2


def test_sixteen_bit_grey_with_a_transparent_shade_is_scaled():
    rows = b"".join(b"\0" + struct.pack(">H", 40_000) * 64 for _ in range(64))
    data = png(64, 64, bits=16, rows=rows)
    shade = b"tRNS" + struct.pack(">H", 7)
    chunk = struct.pack(">I", 2) + shade + struct.pack(">I", zlib.crc32(shade))
    at = data.index(b"IDAT") - 4

    assert abs(int(decoded(data[:at] + chunk + data[at:])[5, 5, 0]) - 155) <= 1


def test_kind_is_told_by_content_not_by_name(tmp_path):
    path = tmp_path / "table.jpg"
    path.write_bytes(encoded(table_rgb(), "PNG"))

    assert load_picture(path).size_px == (WIDTH, HEIGHT)


def test_large_jpeg_is_decoded_at_a_half_and_finer_on_demand():
    data = encoded(table_rgb(640, 480), "JPEG", quality=95)

    picture = picture_file(data, "table").decode(most_pixels=100_000)

    assert (picture.bgr.shape, picture.scale) == ((240, 320, 3), 2)
    assert picture.size_px == (640, 480)
    assert picture.finer().bgr.shape == (480, 640, 3)
    assert picture.finer().finer().scale == 1


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "HEIF"])
@pytest.mark.parametrize("most_pixels", [12_000, 2_400, 480, 120])
def test_odd_sizes_are_reduced_in_every_kind(kind, most_pixels):
    picture = picture_file(encoded(table_rgb(163, 117), kind), "table").decode(most_pixels)

    assert picture.size_px == (163, 117)
    assert picture.bgr.shape[0] * picture.bgr.shape[1] < 3 * most_pixels
    whole = picture.whole_px(np.array([[0.0, 0.0]]) - 0.5)
    assert whole.tolist() == [[-0.5, -0.5]]
    assert picture.bgr[3, 3].tolist() == pytest.approx([30, 30, 220], abs=14)


def test_points_go_to_the_whole_picture_and_back():
    data = encoded(table_rgb(640, 480), "JPEG")
    picture = picture_file(data, "table").decode(most_pixels=30_000)
    corners = np.array([[0.0, 0.0], [159.0, 119.0]])

    whole = picture.whole_px(corners)

    assert whole.tolist() == [[1.5, 1.5], [637.5, 477.5]]
    assert np.allclose(picture.own_px(whole), corners)


def test_bytes_after_the_end_of_a_jpeg_do_no_harm():
    moving_photo = encoded(table_rgb(), "JPEG") + b"ftypmp42" + bytes(5000)

    assert decoded(moving_photo).shape == (HEIGHT, WIDTH, 3)


# --- What is refused ---


@pytest.mark.parametrize("case", broken_files())
def test_broken_file_gets_one_sentence(case, capfd):
    with pytest.raises(PictureError, match=r"^holiday/\S+\.jpg ") as raised:
        picture_file(broken_files()[case], "holiday/table.jpg").decode()

    assert "\n" not in str(raised.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("case", moving_files())
def test_animated_picture_is_refused(case):
    with pytest.raises(PictureError, match="animated; give a still picture"):
        picture_file(moving_files()[case], "table")


@pytest.mark.parametrize("case", huge_files())
def test_huge_picture_is_refused(case):
    with pytest.raises(PictureError, match=r"megapixels|damaged"):
        picture_file(huge_files()[case], "table")


def test_file_that_is_no_file_gets_one_sentence(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    cases = {
        tmp_path / "missing.jpg": "there is no file",
        tmp_path / "folder": "is a folder",
        tmp_path / "pipe": "is a pipe or a device",
        "/dev/null": "is a pipe or a device",
        "a\0b": "is no file name",
        "x" * 5000: "cannot be read",
        tmp_path / "folder" / "x" / "y": "there is no file",
    }

    for path, words in cases.items():
        with pytest.raises(PictureError, match=words):
            load_picture(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission_gets_one_sentence(tmp_path):
    path = tmp_path / "table.png"
    path.write_bytes(encoded(table_rgb(), "PNG"))
    path.chmod(0)

    with pytest.raises(PictureError, match="may not be read"):
        load_picture(path)


def test_file_name_of_any_bytes_can_be_printed(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.jpg"

    with pytest.raises(PictureError) as raised:
        load_picture(os.fsdecode(path))

    assert str(raised.value).encode("utf-8")


def test_bombs_are_refused_in_bounded_memory(tmp_path):
    bombs = {**huge_files(), **broken_files()}
    # A file of 200 kB that unpacks to 200 MB, in a picture that declares an honest size.
    bombs["png that unpacks to more"] = png(64, 64, rows=bytes(200_000_000))
    for number, data in enumerate(bombs.values()):
        (tmp_path / f"{number}.jpg").write_bytes(data)
    with (tmp_path / "sparse.jpg").open("wb") as sparse:
        sparse.truncate(5 << 30)
    script = """
import sys
from pathlib import Path
from vision.core.errors import PictureError
from vision.intake.picture import load_picture
refused = 0
for path in Path(sys.argv[1]).iterdir():
    try:
        load_picture(path)
    except PictureError:
        refused += 1
# ru_maxrss would count the process that started this one as well.
status = Path("/proc/self/status").read_text()
print(refused, int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""
    root = Path(__file__).parents[3]

    ran = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    refused, peak_mb = map(int, ran.stdout.split())

    assert ran.stderr == ""
    assert refused >= len(bombs)
    assert peak_mb < MOST_MEMORY_MB


def test_progressive_jpeg_counts_what_its_decoder_must_hold():
    plain = read_header(encoded(table_rgb(), "JPEG"))
    progressive = read_header(encoded(table_rgb(), "JPEG", progressive=True, subsampling=0))

    assert plain.kept_bytes == 0
    assert progressive.kept_bytes == 2 * 3 * WIDTH * HEIGHT


def test_phones_of_50_megapixels_are_read():
    assert MOST_PIXELS > 8160 * 6144


# --- Properties ---


@given(st.binary(max_size=200))
def test_exif_of_any_bytes_is_some_orientation(tail):
    assert 1 <= exif_orientation(b"II*\0" + tail) <= 8
    assert 1 <= exif_orientation(tail) <= 8


@given(st.sampled_from(["JPEG", "PNG", "WEBP", "HEIF"]), st.data())
def test_damage_anywhere_ends_in_a_picture_or_a_sentence(kind, data):
    good = bytearray(encoded(table_rgb(), kind))
    for _ in range(3):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(1, len(good)))

    try:
        picture = picture_file(bytes(good[:end]), "table").decode()
    except PictureError as error:
        assert "\n" not in str(error)
    else:
        assert picture.bgr.ndim == 3


@given(st.sampled_from([b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF0000WEBP"]), st.binary())
def test_header_of_any_bytes_is_read_or_refused(start, rest):
    try:
        header = read_header(start + rest)
    except HeaderError:
        return
    assert header.kind in ("JPEG", "PNG", "WebP")


def test_picture_file_keeps_its_bytes_out_of_messages():
    file = picture_file(encoded(table_rgb(), "PNG"), "table")

    assert isinstance(file, PictureFile)
    assert len(repr(file)) < 300


# --- What is said ---


def refused(data: bytes) -> str:
    with pytest.raises(PictureError) as raised:
        picture_file(data, "holiday/table.jpg")
    return str(raised.value)


def test_size_is_refused_in_words_below_and_above_what_is_read():
    assert refused(png(31, 500)) == (
        "holiday/table.jpg is only 31 x 500 pixels; a table needs 640 x 480"
    )
    assert refused(png(500, 31)) == (
        "holiday/table.jpg is only 500 x 31 pixels; a table needs 640 x 480"
    )
    assert picture_file(png(32, 32), "x").size_px == (32, 32)
    assert refused(png(10_100, 5_001)) == (
        "holiday/table.jpg has 51 megapixels; at most 50 are read from such a file, "
        "12 are plenty: save it smaller"
    )
    assert picture_file(png(10_100, 5_000), "x").size_px == (10_100, 5_000)


@pytest.mark.parametrize("colour", [3, 4, 6])
def test_palette_and_transparency_are_read_up_to_16_megapixels(colour):
    assert picture_file(png(16_500, 1_000, colour=colour), "x").size_px == (16_500, 1_000)
    assert refused(png(16_500, 1_001, colour=colour)) == (
        "holiday/table.jpg has 17 megapixels; at most 16 are read from such a file, "
        "12 are plenty: save it smaller"
    )


def passes(width: int, height: int) -> bytes:
    """Return the beginning of a JPEG in passes without reduced colours: six bytes a pixel."""
    frame = struct.pack(">BBHBHHB", 0xFF, 0xC2, 17, 8, height, width, 3)
    return b"\xff\xd8" + frame + b"\0\x11\0" * 3 + b"\xff\xda\0\2\xff\xd9"


def test_picture_in_passes_is_refused_where_its_decoder_would_fill_the_memory():
    assert picture_file(passes(33_333, 1_000), "x").header.kept_bytes == 199_998_000
    assert picture_file(passes(50_000, 500), "x").header.kept_bytes == 150_000_000
    assert refused(passes(33_334, 1_000)) == (
        "holiday/table.jpg has 33 megapixels stored in passes, more than fits in memory: "
        "save it smaller, or not progressive"
    )


def test_heic_is_as_large_as_its_decoder_says():
    data = encoded(table_rgb(), "HEIF")

    assert picture_file(data, "x").header == Header("HEIC", (WIDTH, HEIGHT))
    assert refused(encoded(table_rgb(16, 64), "HEIF")).endswith("640 x 480")


def test_file_larger_than_any_phone_writes_is_refused_in_words(tmp_path, monkeypatch):
    path = tmp_path / "table.jpg"
    data = encoded(table_rgb(), "PNG")
    path.write_bytes(data)
    monkeypatch.setattr(pictures, "LARGEST_FILE_BYTES", len(data))
    assert load_picture(path).size_px == (WIDTH, HEIGHT)
    assert picture_file(data, "x").size_px == (WIDTH, HEIGHT)
    with path.open("ab") as file:
        file.write(b"x")
    said = "is larger than 0 MB; save the picture smaller"

    with pytest.raises(PictureError, match=f"^{path} {said}$"):
        load_picture(path)
    assert refused(data + b"x") == f"holiday/table.jpg {said}"
    monkeypatch.setattr(pictures, "LARGEST_FILE_BYTES", 80 << 20)
    assert str(pictures._too_large("x")) == "x is larger than 80 MB; save the picture smaller"


def test_file_that_grows_while_it_is_read_is_not_read_for_ever(tmp_path, monkeypatch):
    path = tmp_path / "table.jpg"
    path.write_bytes(b"x" * 100)
    small = path.stat()
    path.write_bytes(b"x" * 5000)
    monkeypatch.setattr(pictures, "LARGEST_FILE_BYTES", 1000)
    monkeypatch.setattr("vision.intake.picture.os.fstat", lambda _: small)

    assert len(pictures._read_bytes(path)) == 1001


def test_each_file_that_is_no_picture_is_told_in_a_whole_sentence(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")

    def said(path):
        with pytest.raises(PictureError) as raised:
            load_picture(path)
        return str(raised.value)

    assert said(tmp_path) == f"{tmp_path} is a folder; give the pictures in it"
    assert said(tmp_path / "x.jpg") == f"there is no file {tmp_path / 'x.jpg'}"
    assert said(tmp_path / "pipe") == f"{tmp_path / 'pipe'} is a pipe or a device; give a file"
    assert said("a\0b") == "'a\\x00b' is no file name"
    assert said("x" * 5000) == f"{'x' * 5000} cannot be read: File name too long"
    (tmp_path / "text").write_text("x")
    assert said(tmp_path / "text").startswith(f"{tmp_path / 'text'} is no picture; ")

    def refuses(error):
        def opened(*_):
            raise error

        monkeypatch.setattr("vision.intake.picture.os.open", opened)

    refuses(PermissionError(13, "no"))
    assert said("x.jpg") == "x.jpg may not be read; change its permissions"
    refuses(OSError("the card is gone"))
    assert said("x.jpg") == "x.jpg cannot be read: the card is gone"


def test_name_of_whatever_bytes_is_shown():
    assert pictures.shown(os.fsdecode(b"a\xff.jpg")) == "a\ufffd.jpg"
    assert pictures.shown("Tisch-ä.jpg") == "Tisch-ä.jpg"


@pytest.mark.parametrize(
    ("most", "scale"),
    [
        (640 * 480, 1),
        (640 * 480 - 1, 2),
        (320 * 240, 2),
        (320 * 240 - 1, 4),
        (160 * 120, 4),
        (160 * 120 - 1, 8),
        (1, 8),
    ],
)
def test_picture_is_reduced_no_more_than_asked(tmp_path, most, scale):
    data = encoded(table_rgb(640, 480), "JPEG")
    (tmp_path / "x.jpg").write_bytes(data)

    assert picture_file(data, "x").decode(most).scale == scale
    assert load_picture(tmp_path / "x.jpg", most_pixels=most).scale == scale


def test_finer_picture_has_as_many_pixels_as_asked():
    small = picture_file(encoded(table_rgb(640, 480), "JPEG"), "x").decode(1)

    assert small.finer(320 * 240).scale == 2
    assert small.finer().scale == 1
    whole = small.finer()
    assert whole.finer() is whole
    bare = pictures.Picture(small.bgr, small.size_px)
    assert bare.finer() is bare
    assert (bare.grey, bare.notes, bare.source) == (False, (), None)


def test_points_of_narrow_pictures_are_stretched_side_by_side():
    narrow = pictures.Picture(np.zeros((10, 40, 3), np.uint8), (80, 40))

    assert narrow.whole_px(np.array([[0, 0], [39, 9]])).tolist() == [[0.5, 1.5], [78.5, 37.5]]
    assert narrow.own_px(np.array([[0.5, 1.5], [78.5, 37.5]])).tolist() == [[0, 0], [39, 9]]
    assert narrow.own_px(np.array([[1, 2]])).tolist() == [[0.25, 0.125]]


def test_points_in_single_precision_lose_nothing_on_the_way():
    picture = pictures.Picture(np.zeros((10, 10, 3), np.uint8), (30, 30))
    single: Any = np.array([[4095.9998, 1 / 3]], np.float32)

    assert np.array_equal(picture.whole_px(single), picture.whole_px(single.astype(float)))
    assert np.array_equal(picture.own_px(single), picture.own_px(single.astype(float)))


def test_colour_picture_carries_no_note_and_its_file():
    file = picture_file(encoded(table_rgb(), "PNG"), "x")
    picture = file.decode()

    assert (picture.grey, picture.notes, picture.source) == (False, (), file)
    assert picture.size_px == (WIDTH, HEIGHT)
    assert (file.name, len(file.data) > 100) == ("x", True)


def test_picture_stored_as_grey_is_grey_whatever_its_pixels():
    file = picture_file(encoded(table_rgb(), "PNG"), "x")
    told = replace(file, header=replace(file.header, colours="grey")).decode()

    assert (told.grey, told.notes) == (True, (NO_COLOURS,))

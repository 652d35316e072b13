"""What a picture file says about itself before it is decoded, and each refusal."""

import io
import struct

import pytest
from PIL import Image

from vision.core.errors import PictureError
from vision.intake.decode import (
    ANIMATED,
    AVIF,
    MOST_SCANS,
    MOST_TAGS,
    MOVING_HEIC,
    NO_END,
    OTHER_KINDS,
    READ,
    STILL_HEIC,
    Header,
    HeaderError,
    decode,
    exif_orientation,
    read_header,
)

NO_PICTURE = "is cut short or damaged: no picture follows its header"


def refusal(data: bytes) -> str:
    with pytest.raises(HeaderError) as raised:
        read_header(data)
    return str(raised.value)


def saved(kind: str, mode: str = "RGB", **options: object) -> bytes:
    """Return a picture of 64 x 48 in some colour."""
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), (200, 60, 30)).convert(mode).save(buffer, kind, **options)
    return buffer.getvalue()


# --- EXIF ---


def entry(tag: int, kind: int, value: int, order: str = "<") -> bytes:
    return struct.pack(order + "HHIHH", tag, kind, 1, value, 0)


def tiff(*entries: bytes, order: str = "<", at: int = 8, count: int | None = None) -> bytes:
    start = b"II*\0" if order == "<" else b"MM\0*"
    many = len(entries) if count is None else count
    head = (start + struct.pack(order + "I", at)).ljust(at, b"\0")
    return head + struct.pack(order + "H", many) + b"".join(entries)


def turn(value: int, order: str = "<") -> bytes:
    return entry(0x0112, 3, value, order)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("value", range(1, 9))
def test_turn_is_read_in_either_byte_order(order, value):
    assert exif_orientation(tiff(turn(value, order), order=order)) == value


@pytest.mark.parametrize("value", [0, 9, 90, 65535])
def test_turn_that_does_not_exist_is_upright(value):
    assert exif_orientation(tiff(turn(value))) == 1


def test_turn_is_found_behind_other_entries_and_wherever_the_list_begins():
    others = [entry(tag, 3, 6) for tag in (0x010F, 0x0111, 0x0113, 0xFFFF, 0x8769)]

    assert exif_orientation(tiff(*others, turn(6), entry(0x011A, 3, 4))) == 6
    assert exif_orientation(tiff(turn(8), at=40)) == 8
    assert exif_orientation(tiff(*others)) == 1


def test_first_turn_counts_even_where_it_makes_no_sense():
    assert exif_orientation(tiff(turn(3), turn(6))) == 3
    assert exif_orientation(tiff(entry(0x0112, 4, 6), turn(6))) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"II*\0",
        b"II*\0\x08\0\0",
        b"JUNK\x08\0\0\0\1\0" + turn(6),
        tiff(turn(6))[:21],
        b"II*\0" + struct.pack("<I", 4_000_000_000),
        b"MM\0*\0\0\0\0",
        struct.pack("<4sI", b"II*\0", 7) + b"\1",
        b"II*\0\x08\0\0\0",
        b"II*\0\x08\0\0\0\1",
    ],
)
def test_exif_that_is_cut_short_or_something_else_is_upright(data):
    assert exif_orientation(data) == 1


def test_list_that_ends_right_behind_its_count_is_empty():
    assert exif_orientation(tiff(count=0)) == 1
    assert exif_orientation(tiff(count=3)) == 1


def test_list_may_say_more_entries_than_it_has():
    assert exif_orientation(tiff(entry(1, 3, 4), turn(5), count=65535)) == 5
    assert exif_orientation(tiff(entry(1, 3, 4), count=65535)) == 1


def test_entries_are_looked_at_up_to_a_number_no_phone_reaches():
    filler = [entry(1, 3, 4)] * (MOST_TAGS - 1)

    assert exif_orientation(tiff(*filler, turn(5))) == 5
    assert exif_orientation(tiff(*filler, entry(1, 3, 4), turn(5))) == 1


# --- Size, colours, passes ---


@pytest.mark.parametrize(
    ("kind", "mode", "colours"),
    [
        ("JPEG", "RGB", "colour"),
        ("JPEG", "L", "grey"),
        ("JPEG", "CMYK", "cmyk"),
        ("PNG", "RGB", "colour"),
        ("PNG", "L", "grey"),
        ("PNG", "1", "grey"),
        ("PNG", "P", "palette"),
        ("PNG", "LA", "alpha"),
        ("PNG", "RGBA", "alpha"),
        ("WebP", "RGB", "colour"),
        ("WebP", "RGBA", "alpha"),
    ],
)
def test_header_tells_size_and_colours(kind, mode, colours):
    transparent = {"lossless": True} if kind == "WebP" else {}
    data = saved(kind, "LA" if mode == "LA" else mode, **transparent)
    if kind == "WebP" and mode == "RGBA":
        see_through = Image.new("RGBA", (64, 48), (9, 9, 9, 100))
        buffer = io.BytesIO()
        see_through.save(buffer, "WEBP")
        data = buffer.getvalue()

    assert read_header(data) == Header(kind, (64, 48), 1, colours, 0)


def test_transparent_shade_makes_a_png_transparent():
    assert read_header(saved("PNG", transparency=(200, 60, 30))).colours == "alpha"
    assert read_header(saved("PNG", "L", transparency=9)).colours == "alpha"
    assert read_header(saved("PNG", "P", transparency=0)).colours == "palette"


@pytest.mark.parametrize(
    ("subsampling", "kept"), [(0, 2 * 64 * 48 * 3), (1, 2 * 64 * 48 * 4 // 2), (2, 64 * 48 * 3)]
)
def test_jpeg_in_passes_says_what_its_decoder_must_hold(subsampling, kept):
    options = {"subsampling": subsampling}

    assert read_header(saved("JPEG", progressive=True, **options)).kept_bytes == kept
    assert read_header(saved("JPEG", **options)).kept_bytes == 0


SCAN, END = b"\xff\xda\0\2", b"\xff\xd9"


def test_passes_are_counted_up_to_a_number_only_attacks_reach():
    data = saved("JPEG")[:-2]
    too_many = "is damaged: it is stored in too many passes"

    assert read_header(data + SCAN * (MOST_SCANS - 1) + END).kind == "JPEG"
    assert refusal(data + SCAN * MOST_SCANS + END) == too_many
    # An end that is said in a remark between passes hides none.
    remark = b"\xff\xfe\0\4" + END
    assert refusal(data + remark + SCAN * MOST_SCANS + END) == too_many
    # What looks like a pass in a remark, or in a film behind the picture, is none.
    in_remark = b"\xff\xfe" + struct.pack(">H", 402) + b"\xff\xda" * 200
    assert read_header(data[:2] + in_remark + data[2:] + END).kind == "JPEG"
    film = b"\0\0\0\x18ftypmp42" + SCAN * 200
    assert read_header(data + END + film).kind == "JPEG"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WebP"])
def test_picture_that_ends_too_early_is_refused_wherever_it_ends(kind):
    whole = saved(kind, quality=95)

    assert read_header(whole + b"more").kind == kind
    for length in range(12, len(whole)):
        try:
            header = read_header(whole[:length])
        except HeaderError as error:
            assert str(error) in (NO_PICTURE, NO_END)
        else:
            with pytest.raises(PictureError):
                decode(whole[:length], header, "x", 1)
    assert refusal(whole[:-3]) == NO_END


def test_end_in_a_remark_or_a_picture_in_small_is_not_the_end():
    small = saved("JPEG")
    whole = saved("JPEG", comment=small)

    assert read_header(whole).size_px == (64, 48)
    assert refusal(whole[:-2]) == NO_END


@pytest.mark.parametrize("kind", ["PNG", "WebP"])
def test_animated_picture_is_refused(kind):
    frames = [Image.new("RGB", (64, 48), colour) for colour in ("red", "blue")]
    buffer = io.BytesIO()
    frames[0].save(buffer, kind, save_all=True, append_images=frames[1:])

    assert refusal(buffer.getvalue()) == ANIMATED


def test_phone_that_keeps_a_second_picture_for_light_is_read():
    first, second = (Image.new("RGB", (64, 48), colour) for colour in ("red", "blue"))
    buffer = io.BytesIO()
    first.save(buffer, "MPO", save_all=True, append_images=[second])

    seen = decode(buffer.getvalue(), read_header(buffer.getvalue()), "x", 1)

    assert seen[20, 20, 2] > 240


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WebP"])
def test_turn_is_in_the_exif_of_every_kind(kind):
    assert read_header(saved(kind, exif=b"Exif\0\0" + tiff(turn(6)))).orientation == 6
    assert read_header(saved(kind, exif=b"Exif\0\0" + tiff(turn(6))[:-1])).orientation == 1


# --- HEIC ---


def ftyp(major: bytes, *compatible: bytes, length: int | None = None) -> bytes:
    body = b"ftyp" + major + bytes(4) + b"".join(compatible)
    return struct.pack(">I", len(body) + 4 if length is None else length) + body


DAMAGED = "is a damaged HEIC picture; copy it again from the phone"


@pytest.mark.parametrize("brand", sorted(STILL_HEIC))
def test_still_heic_is_left_to_its_decoder(brand):
    assert refusal(ftyp(brand, b"mif1", b"heic")) == DAMAGED


@pytest.mark.parametrize("brand", sorted(MOVING_HEIC))
def test_moving_heic_is_refused(brand):
    assert refusal(ftyp(brand, b"mif1")) == ANIMATED


@pytest.mark.parametrize("brand", sorted(AVIF))
def test_avif_is_refused_whether_it_is_the_first_brand_or_another(brand):
    said = f"is an AVIF picture; {READ}"

    assert refusal(ftyp(brand)) == said
    assert refusal(ftyp(b"mif1", brand)) == said
    assert refusal(ftyp(b"mif1", b"miaf", b"heic", brand)) == said
    assert refusal(ftyp(b"mif1", brand, b"miaf", b"heic")) == said
    assert refusal(ftyp(b"mif1", brand, length=4_000_000_000)) == said


def test_brands_end_with_their_box():
    whole = ftyp(b"heic", b"mif1")

    assert refusal(whole + b"avif") == DAMAGED
    # A box may say that it is shorter than its own beginning.
    assert refusal(ftyp(b"heic", b"avif", length=0)) == DAMAGED
    assert refusal(ftyp(b"heic", length=4_000_000_000)) == DAMAGED


def test_letters_of_two_brands_are_no_brand():
    assert refusal(ftyp(b"heic", b"xxav", b"ifxx")) == DAMAGED


def test_brands_are_looked_at_for_512_bytes():
    filler = [b"mif1"] * ((512 - 16) // 4)

    assert refusal(ftyp(b"heic", *filler, b"avif")) == DAMAGED
    assert refusal(ftyp(b"heic", *filler[1:], b"avif")) == f"is an AVIF picture; {READ}"


def test_version_between_the_brands_is_no_brand():
    data = struct.pack(">I4s4s4s", 16, b"ftyp", b"heic", b"avif")

    assert refusal(data) == DAMAGED


@pytest.mark.parametrize("brand", [b"isom", b"mp42", b"qt  ", b"HEIC", b""])
def test_other_box_is_a_video_or_no_picture(brand):
    assert refusal(ftyp(brand)) == f"is a video or no picture; {READ}"


# --- Other files ---


def test_empty_file_is_said_to_be_empty():
    assert refusal(b"") == "is empty"


@pytest.mark.parametrize(("start", "name"), OTHER_KINDS)
def test_kind_that_is_not_read_is_named(start, name):
    assert refusal(start + bytes(40)) == f"is {name}; {READ}"
    assert refusal(b" " + start) == f"is no picture; {READ}"


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b"\xff\xd8",
        b"\x89PNG\r\n\x1a",
        b"RIFF\0\0\0\0WAVE",
        b"Riff\0\0\0\0WEBP",
        b"RIFF\0\0\0\0WEB",
        b"\0\0\0\x18ftyq",
        b"Dear Anna",
        bytes(100),
    ],
)
def test_anything_else_is_no_picture(data):
    assert refusal(data) == f"is no picture; {READ}"

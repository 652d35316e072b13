"""What a picture file may say about itself, byte by byte: sizes, turns, colours, each refusal."""

import struct

import pytest

from vision.intake.headers import (
    AVIF,
    MOST_SCANS,
    MOST_SEGMENTS,
    MOST_TAGS,
    MOVING_HEIC,
    OTHER_KINDS,
    STILL_HEIC,
    Header,
    HeaderError,
    exif_orientation,
    read_header,
)

NO_PICTURE = "is cut short or damaged: no picture follows its header"
NO_END = "is cut short: the end of the picture is missing"
ANIMATED = "is animated; give a still picture"
READ = "JPEG, PNG, WebP and HEIC pictures are read"


def refusal(data: bytes) -> str:
    with pytest.raises(HeaderError) as raised:
        read_header(data)
    return str(raised.value)


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
    assert exif_orientation(tiff(entry(1, 3, 4), turn(5), count=1)) == 1


def test_entries_are_looked_at_up_to_a_number_no_phone_reaches():
    filler = [entry(1, 3, 4)] * (MOST_TAGS - 1)

    assert exif_orientation(tiff(*filler, turn(5))) == 5
    assert exif_orientation(tiff(*filler, entry(1, 3, 4), turn(5))) == 1


# --- JPEG ---


def segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def frame(
    width: int = 640,
    height: int = 480,
    factors: tuple[int, ...] = (0x22, 0x11, 0x11),
    marker: int = 0xC0,
) -> bytes:
    parts = b"".join(bytes([number, factor, 0]) for number, factor in enumerate(factors))
    return segment(marker, struct.pack(">BHHB", 8, height, width, len(factors)) + parts)


SCAN = segment(0xDA, b"\1\0\0\0\0\0")
END = b"\xff\xd9"


def jpeg(*segments: bytes, scan: bytes = SCAN + b"pixels", end: bytes = END) -> bytes:
    return b"\xff\xd8" + b"".join(segments) + scan + end


@pytest.mark.parametrize(
    ("factors", "colours"),
    [
        ((0x11,), "grey"),
        ((0x22, 0x11, 0x11), "colour"),
        ((0x11,) * 4, "cmyk"),
    ],
)
def test_jpeg_tells_size_and_colours(factors, colours):
    assert read_header(jpeg(frame(40_000, 50_000, factors))) == Header(
        "JPEG", (40_000, 50_000), 1, colours, 0
    )


@pytest.mark.parametrize("count", [0, 2, 5, 200])
def test_jpeg_of_other_channels_is_damaged(count):
    said = refusal(jpeg(frame(factors=(0x11,) * count)))

    assert said == f"is damaged: a JPEG with {count} colour channels"


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_jpeg_frame_must_hold_every_channel_it_names(channels):
    body = frame(factors=(0x11,) * channels)[4:]

    assert read_header(jpeg(segment(0xC0, body))).kind == "JPEG"
    said = refusal(jpeg(segment(0xC0, body[:-1])))
    assert said == f"is damaged: a JPEG with {channels} colour channels"


@pytest.mark.parametrize("length", range(6))
def test_jpeg_frame_without_its_size_is_no_picture(length):
    assert refusal(jpeg(segment(0xC0, bytes(length)))) == NO_PICTURE


def test_jpeg_frame_that_ends_behind_its_size_names_its_channels():
    assert refusal(jpeg(segment(0xC0, bytes(6)))) == "is damaged: a JPEG with 0 colour channels"


@pytest.mark.parametrize("marker", [*range(0xC0, 0xD0)])
def test_every_marker_of_a_frame_is_one_and_no_other(marker):
    data = jpeg(frame(marker=marker))

    if marker in (0xC4, 0xC8, 0xCC):
        assert refusal(data) == NO_PICTURE
    else:
        assert read_header(data).size_px == (640, 480)


@pytest.mark.parametrize("marker", [0xBF, 0xD0, 0xFE])
def test_markers_beside_those_of_frames_are_none(marker):
    assert refusal(jpeg(segment(marker, frame()[4:]))) == NO_PICTURE


@pytest.mark.parametrize(
    ("marker", "factors", "kept"),
    [
        (0xC0, (0x22, 0x11, 0x11), 0),
        (0xC1, (0x22, 0x11, 0x11), 0),
        (0xC2, (0x22, 0x11, 0x11), 2 * 640 * 480 * 6 // 4),
        (0xC2, (0x11, 0x11, 0x11), 2 * 640 * 480 * 3),
        (0xC2, (0x21, 0x11, 0x11), 2 * 640 * 480 * 4 // 2),
        (0xC2, (0x41, 0x12, 0x11), 2 * 640 * 480 * 7 // 8),
        (0xC2, (0x31,), 2 * 640 * 480),
        (0xC2, (0x13,), 2 * 640 * 480),
        (0xC2, (0x00,), 0),
        (0xC9, (0x11,) * 4, 2 * 640 * 480 * 4),
    ],
)
def test_jpeg_in_passes_says_what_its_decoder_must_hold(marker, factors, kept):
    header = read_header(jpeg(frame(factors=factors, marker=marker)))

    assert header.kept_bytes == kept
    assert isinstance(header.kept_bytes, int)


def test_jpeg_without_a_scan_or_without_a_frame_is_no_picture():
    assert refusal(jpeg(frame(), scan=b"")) == NO_PICTURE
    assert refusal(jpeg(frame(), scan=b"", end=b"")) == NO_PICTURE
    assert refusal(jpeg()) == NO_PICTURE
    assert refusal(jpeg(scan=b"")) == NO_PICTURE
    assert refusal(b"\xff\xd8\xff") == NO_PICTURE


def test_frame_counts_only_before_the_scan():
    assert refusal(jpeg(scan=SCAN + b"pixels" + frame())) == NO_PICTURE


def test_jpeg_must_end_behind_its_scan():
    assert refusal(jpeg(frame(), end=b"")) == NO_END
    # An end inside of a remark, or of a picture in small, is not the end of this one.
    assert refusal(jpeg(segment(0xFE, END), frame(), end=b"")) == NO_END
    assert read_header(jpeg(frame(), scan=SCAN)).kind == "JPEG"
    assert read_header(jpeg(frame(), end=END + b"more" + END)).kind == "JPEG"


def test_passes_are_counted_up_to_a_number_only_attacks_reach():
    assert read_header(jpeg(frame(), scan=SCAN + SCAN * MOST_SCANS)).kind == "JPEG"
    said = refusal(jpeg(frame(), scan=SCAN + SCAN * (MOST_SCANS + 1)))
    assert said == "is damaged: it is stored in too many passes"
    # What looks like a pass in a remark is none.
    remark = segment(0xFE, b"\xff\xda" * (MOST_SCANS + 1))
    assert read_header(jpeg(remark, frame(), scan=SCAN)).kind == "JPEG"


def test_film_behind_a_motion_photo_has_no_passes():
    film = b"\0\0\0\x18ftypmp42" + b"\xff\xda" * (MOST_SCANS + 1)

    assert read_header(jpeg(frame(), end=END + film)).kind == "JPEG"


def test_end_that_is_said_in_a_remark_between_passes_hides_none():
    scan = SCAN + segment(0xFE, END) + SCAN * (MOST_SCANS + 1)

    assert refusal(jpeg(frame(), scan=scan)) == "is damaged: it is stored in too many passes"


@pytest.mark.parametrize(
    "among",
    [
        b"\xff\0",
        b"\xff\1",
        b"\xff\xff\0",
        *(bytes([0xFF, 0xD0 + n]) for n in range(8)),
    ],
)
def test_what_lies_among_pixels_ends_no_pass(among):
    assert read_header(jpeg(frame(), scan=SCAN + among + b"pixels")).kind == "JPEG"
    assert refusal(jpeg(frame(), scan=SCAN + among + b"pixels", end=b"")) == NO_END


def test_jpeg_turn_is_in_its_first_exif_segment():
    exif = segment(0xE1, b"Exif\0\0" + tiff(turn(6)))

    assert read_header(jpeg(exif, frame())).orientation == 6
    assert read_header(jpeg(frame(), exif)).orientation == 6
    other = segment(0xE1, b"Exif\0\0" + tiff(turn(3)))
    assert read_header(jpeg(exif, other, frame())).orientation == 6
    upright = segment(0xE1, b"Exif\0\0" + tiff(turn(1)))
    assert read_header(jpeg(upright, exif, frame())).orientation == 6


def test_other_segments_turn_nothing():
    wrong = [segment(0xE2, b"Exif\0\0" + tiff(turn(6))), segment(0xE1, b"http:/" + tiff(turn(6)))]

    assert read_header(jpeg(*wrong, frame())).orientation == 1


def test_exif_ends_with_its_segment():
    # The turn lies behind the end of the segment, in the next one.
    cut = b"Exif\0\0" + tiff(count=1)
    behind = jpeg(segment(0xE1, cut), segment(0xFE, turn(6)), frame())

    assert read_header(behind).orientation == 1
    whole = b"Exif\0\0" + tiff(turn(6))
    short = jpeg(segment(0xE1, whole[:-1]), whole[-1:], frame())
    assert refusal(short) == NO_PICTURE
    longer = struct.pack(">BBH", 0xFF, 0xE1, len(whole) + 1) + whole
    assert refusal(jpeg(longer, frame())) == NO_PICTURE


def test_last_byte_of_exif_is_in_its_segment_and_the_next_is_not():
    whole = b"Exif\0\0" + tiff(entry(1, 3, 4), turn(6))
    cut = whole[:-1]
    segment_of_cut = segment(0xE1, cut)
    # A byte of filling follows, which would complete the entry.
    assert read_header(jpeg(segment(0xE1, whole), frame())).orientation == 6
    assert read_header(jpeg(segment_of_cut, b"\xff", frame())).orientation == 1


@pytest.mark.parametrize("filling", [1, 2, 3, 50])
def test_filling_before_a_marker_is_passed_over(filling):
    assert read_header(jpeg(b"\xff" * filling + frame(), b"\xff" * filling)).size_px == (640, 480)


def test_segments_are_as_long_as_they_say():
    assert read_header(jpeg(segment(0xFE, b"\xff" * 60_000), frame())).size_px == (640, 480)
    assert read_header(jpeg(segment(0xFE, b""), frame())).size_px == (640, 480)
    for length in (0, 1):
        assert refusal(jpeg(b"\xff\xfe" + struct.pack(">H", length), frame())) == NO_PICTURE


def test_byte_between_segments_is_damage():
    assert refusal(jpeg(segment(0xFE, b"remark"), b"\0", frame())) == NO_PICTURE


def test_scan_may_be_the_last_that_is_there():
    # A segment of four bytes at the very end is still one.
    assert refusal(b"\xff\xd8" + frame() + b"\xff\xda\0\2") == NO_END
    assert refusal(b"\xff\xd8" + frame() + b"\xff\xda\0") == NO_PICTURE


def test_segments_are_followed_up_to_a_number_no_camera_reaches():
    remark = segment(0xFE, b"")

    assert refusal(jpeg(remark * MOST_SEGMENTS, frame())) == NO_PICTURE
    assert read_header(jpeg(remark * (MOST_SEGMENTS - 2), frame())).kind == "JPEG"


# --- PNG ---


def chunk(name: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I4s", len(body), name) + body + b"sums"


def ihdr(width: int = 640, height: int = 480, colour: int = 2) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0))


IEND = chunk(b"IEND")


def png(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(
    ("colour", "told"),
    [
        (0, "grey"),
        (2, "colour"),
        (3, "palette"),
        (4, "alpha"),
        (6, "alpha"),
    ],
)
def test_png_tells_size_and_colours(colour, told):
    data = png(ihdr(3_000_000_000, 4_000_000_000, colour), chunk(b"IDAT", b"pixels"), IEND)

    assert read_header(data) == Header("PNG", (3_000_000_000, 4_000_000_000), 1, told, 0)


@pytest.mark.parametrize("colour", [1, 5, 7, 255])
def test_png_of_other_colours_is_damaged(colour):
    said = refusal(png(ihdr(colour=colour), IEND))

    assert said == f"is damaged: colour type {colour} is unknown in PNG"


@pytest.mark.parametrize(("colour", "told"), [(0, "alpha"), (2, "alpha"), (3, "palette")])
def test_transparent_shade_makes_a_png_transparent(colour, told):
    assert read_header(png(ihdr(colour=colour), chunk(b"tRNS", b"\0\7"), IEND)).colours == told
    assert read_header(png(ihdr(colour=2), chunk(b"gAMA", b"\0\7"), IEND)).colours == "colour"


def test_png_begins_with_its_header_and_ends_with_its_end():
    whole = png(ihdr(), chunk(b"IDAT", b"pixels"), IEND)

    assert refusal(png(chunk(b"IDAT", bytes(20)), ihdr(), IEND)) == NO_PICTURE
    for length in range(8, 33):
        assert refusal(whole[:length]) == NO_PICTURE
    for length in range(33, len(whole)):
        assert refusal(whole[:length]) == NO_END
    assert read_header(whole).kind == "PNG"


def test_nothing_behind_the_end_of_a_png_counts():
    behind = png(ihdr(), IEND, chunk(b"acTL"), chunk(b"eXIf", tiff(turn(6))), b"more")

    assert read_header(behind).orientation == 1


def test_animated_png_is_refused():
    assert refusal(png(ihdr(), chunk(b"acTL", bytes(8)), IEND)) == ANIMATED


def test_png_turn_is_in_its_exif_chunk():
    data = png(ihdr(), chunk(b"eXIf", tiff(turn(6))), IEND)

    assert read_header(data).orientation == 6
    # The sum of the chunk would complete the entry.
    cut = png(ihdr(), chunk(b"eXIf", tiff(turn(6))[:-1]), IEND)
    assert read_header(cut).orientation == 1
    twice = png(ihdr(), chunk(b"eXIf", tiff(turn(6))), chunk(b"eXIf", tiff(turn(8))), IEND)
    assert read_header(twice).orientation == 8


def test_exif_of_png_and_webp_is_looked_at_for_64_kb():
    fits, beyond = tiff(turn(6), at=65536 - 14), tiff(turn(6), at=65536 - 13)

    assert read_header(png(ihdr(), chunk(b"eXIf", fits), IEND)).orientation == 6
    assert read_header(png(ihdr(), chunk(b"eXIf", beyond), IEND)).orientation == 1
    assert read_header(webp(lossy(), riff(b"EXIF", fits))).orientation == 6
    assert read_header(webp(lossy(), riff(b"EXIF", beyond))).orientation == 1


def test_png_chunk_longer_than_the_file_ends_it():
    long = struct.pack(">I4s", 0xFFFFFFF0, b"tEXt")

    assert refusal(png(ihdr(), long, IEND)) == NO_END
    for length in (1, 4, 40):
        cut = png(ihdr(), struct.pack(">I4s", length, b"IEND") + b"sums")
        assert refusal(cut) == NO_END


def test_png_chunks_are_followed_up_to_a_number_no_camera_reaches():
    assert refusal(png(ihdr(), chunk(b"IDAT") * MOST_SEGMENTS, IEND)) == NO_END
    assert read_header(png(ihdr(), chunk(b"IDAT") * (MOST_SEGMENTS - 2), IEND)).kind == "PNG"


# --- WebP ---


def riff(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def lossy(width: int = 640, height: int = 480) -> bytes:
    return riff(b"VP8 ", b"frame!" + struct.pack("<HH", width, height))


def lossless(width: int = 640, height: int = 480, alpha: int = 0, rest: bytes = bytes(5)) -> bytes:
    bits = (width - 1) | (height - 1) << 14 | alpha << 28
    return riff(b"VP8L", b"\x2f" + struct.pack("<I", bits) + rest)


def webp(*chunks: bytes, more: int = 0) -> bytes:
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body) + more) + body


def test_webp_tells_its_size():
    assert read_header(webp(lossy(16_000, 12_345))) == Header("WebP", (16_000, 12_345))
    assert read_header(webp(lossless(16_001, 12_345))) == Header("WebP", (16_001, 12_345))
    assert read_header(webp(lossless(1, 16_384))).size_px == (1, 16_384)
    assert read_header(webp(lossless(16_384, 1))).size_px == (16_384, 1)


def test_upper_bits_of_a_webp_size_ask_for_a_stretch_and_are_no_size():
    assert read_header(webp(lossy(0x4000 | 640, 0xC000 | 480))).size_px == (640, 480)


@pytest.mark.parametrize(
    ("alpha", "colours"), [(0, "colour"), (1, "alpha"), (2, "colour"), (8, "colour"), (9, "alpha")]
)
def test_webp_without_loss_says_whether_it_is_transparent(alpha, colours):
    assert read_header(webp(lossless(alpha=alpha))).colours == colours


def test_webp_with_a_chunk_of_transparency_is_transparent():
    assert read_header(webp(riff(b"ALPH", b"shades"), lossy())).colours == "alpha"
    assert read_header(webp(lossy(), riff(b"ALPH", b""))).colours == "alpha"


@pytest.mark.parametrize("name", [b"ANIM", b"ANMF"])
def test_animated_webp_is_refused(name):
    assert refusal(webp(lossy(), riff(name, b"frames"))) == ANIMATED


def test_webp_without_a_picture_is_damaged():
    assert refusal(webp(riff(b"VP8X", bytes(10)))) == "is damaged: it holds no picture"
    assert refusal(webp(riff(b"vp8 ", bytes(10)))) == "is damaged: it holds no picture"


def test_webp_that_is_cut_short_is_refused():
    assert refusal(webp()) == NO_PICTURE
    assert refusal(webp(b"VP8 \0\0\0")) == NO_PICTURE
    assert refusal(webp(lossy(), more=1)) == NO_END
    assert refusal(webp(lossy(), more=0xFFFFFF00)) == NO_END
    assert read_header(webp(lossy()) + b"more").kind == "WebP"
    for length in range(10):
        assert refusal(webp(riff(b"VP8 ", bytes(length)))) == NO_PICTURE
        assert refusal(webp(riff(b"VP8L", bytes(length)))) == NO_PICTURE
    assert read_header(webp(lossless(rest=bytes(5)))).kind == "WebP"
    assert refusal(webp(lossless(rest=bytes(4)))) == NO_PICTURE


@pytest.mark.parametrize("length", [5000, 0xFFFFFFF0])
def test_webp_chunk_longer_than_the_file_ends_with_it(length):
    open_end = b"VP8 " + struct.pack("<I", length) + b"frame!" + struct.pack("<HH", 640, 480)

    assert read_header(webp(open_end)).size_px == (640, 480)
    assert refusal(webp(open_end[:-1])) == NO_PICTURE


def test_webp_chunks_of_odd_length_are_filled_up():
    odd = riff(b"ICCP", b"abc")

    assert read_header(webp(odd, lossy())).size_px == (640, 480)
    assert refusal(webp(odd[:-1], lossy())) == "is damaged: it holds no picture"


def test_first_picture_of_a_webp_counts():
    assert read_header(webp(lossy(640, 480), lossless(800, 600))).size_px == (640, 480)


@pytest.mark.parametrize("start", [b"", b"Exif\0\0"])
def test_webp_turn_is_in_its_exif_chunk(start):
    exif = riff(b"EXIF", start + tiff(turn(6)))

    assert read_header(webp(lossy(), exif)).orientation == 6
    assert read_header(webp(exif, lossy())).orientation == 6
    other = riff(b"XMP ", start + tiff(turn(6)))
    assert read_header(webp(lossy(), other)).orientation == 1
    cut = riff(b"EXIF", (start + tiff(turn(6)))[:-1])
    assert read_header(webp(lossy(), cut)).orientation == 1


def test_webp_chunks_are_followed_up_to_a_number_no_camera_reaches():
    filler = riff(b"XXXX", b"") * MOST_SEGMENTS

    assert refusal(webp(filler, lossy())) == "is damaged: it holds no picture"
    assert read_header(webp(filler[8:], lossy())).kind == "WebP"


# --- HEIC ---


def ftyp(major: bytes, *compatible: bytes, length: int | None = None) -> bytes:
    body = b"ftyp" + major + bytes(4) + b"".join(compatible)
    return struct.pack(">I", len(body) + 4 if length is None else length) + body


@pytest.mark.parametrize("brand", sorted(STILL_HEIC))
def test_still_heic_is_read_and_its_decoder_asked_for_its_size(brand):
    assert read_header(ftyp(brand, b"mif1", b"heic")) == Header("HEIC", (0, 0), 1, "colour", 0)


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

    assert read_header(whole + b"avif").kind == "HEIC"
    # A box may say that it is shorter than its own beginning.
    assert read_header(ftyp(b"heic", b"avif", length=0)).kind == "HEIC"
    assert read_header(ftyp(b"heic", length=4_000_000_000)).kind == "HEIC"


def test_letters_of_two_brands_are_no_brand():
    assert read_header(ftyp(b"heic", b"xxav", b"ifxx")).kind == "HEIC"


def test_brands_are_looked_at_for_512_bytes():
    filler = [b"mif1"] * ((512 - 16) // 4)

    assert read_header(ftyp(b"heic", *filler, b"avif")).kind == "HEIC"
    assert refusal(ftyp(b"heic", *filler[1:], b"avif")) == f"is an AVIF picture; {READ}"


def test_version_between_the_brands_is_no_brand():
    data = struct.pack(">I4s4s4s", 16, b"ftyp", b"heic", b"avif")

    assert read_header(data).kind == "HEIC"


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

import os
from pathlib import Path

import pytest

from vision.intake.decode import LONGEST_TALK_BYTES, decoder_talk, says_damaged


def test_what_decoders_say_is_kept_and_the_rest_goes_on(capfd):
    with decoder_talk() as talk:
        os.write(2, b"Corrupt JPEG data: premature end of data segment\nwater on the table!\n")

    assert talk == ["Corrupt JPEG data: premature end of data segment"]
    assert capfd.readouterr().err == "water on the table!\n"


def test_standard_error_comes_back_after_a_failure(capfd):
    with pytest.raises(ValueError, match="broken"), decoder_talk():
        raise ValueError("broken")
    os.write(2, b"back\n")

    assert capfd.readouterr().err == "back\n"


@pytest.mark.parametrize(
    ("line", "damaged"),
    [
        ("Corrupt JPEG data: premature end of data segment", True),
        ("Corrupt JPEG data: bad Huffman code", True),
        ("Corrupt JPEG data: 7 extraneous bytes before marker 0xd9", False),
        ("Corrupt JPEG data: 1024 extraneous bytes before marker 0xd9", False),
        ("Corrupt JPEG data: 1025 extraneous bytes before marker 0xd9", True),
        ("Corrupt JPEG data: 70000 extraneous bytes before marker 0xd9", True),
        ("libpng error: IDAT: CRC error", True),
        ("libpng warning: iCCP: known incorrect sRGB profile", False),
        ("libpng warning: tEXt: CRC error", False),
        ("Warning: unknown JFIF revision number 2.01", False),
    ],
)
def test_damage_is_told_from_remarks(line, damaged):
    assert says_damaged([line]) is damaged
    assert says_damaged([]) is False


def test_damage_behind_a_remark_is_damage():
    assert says_damaged(["libpng warning: tEXt: CRC error", "libpng error: IDAT: CRC error"])
    assert says_damaged(["7 extraneous bytes", "Premature end of JPEG file"])


@pytest.mark.parametrize("word", ["Corrupt", "premature", "INVALID", "inconsistent", "Error"])
def test_each_word_for_damage_is_known(word):
    assert says_damaged([f"{word} data"])


def test_lines_come_in_order_without_their_ends(capfd):
    with decoder_talk() as talk:
        os.write(2, b"libpng error: one\n\n  Premature end \nmine\nlibpng: \xff\nlast")

    assert talk == ["libpng error: one", "Premature end", "libpng: \ufffd"]
    assert capfd.readouterr().err == "mine\nlast"


def test_talk_is_kept_up_to_its_longest(capfd):
    with decoder_talk() as talk:
        os.write(2, b"jpeg\n" + b"x" * (LONGEST_TALK_BYTES - 5) + b"yz")

    assert talk == ["jpeg"]
    assert capfd.readouterr().err == "x" * (LONGEST_TALK_BYTES - 5)


def test_nothing_is_open_afterwards():
    before = set(Path("/proc/self/fd").iterdir())
    for _ in range(3):
        with decoder_talk():
            pass

    assert set(Path("/proc/self/fd").iterdir()) == before


def test_closed_standard_error_hinders_nobody(monkeypatch):
    def closed(_):
        raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr("vision.intake.decode.os.dup", closed)
    with decoder_talk() as talk:
        pass
    assert talk == []


def test_talk_is_kept_in_memory_so_that_a_full_disk_does_no_harm(monkeypatch, capfd):
    def full():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with decoder_talk() as talk:
        os.write(2, b"jpeg: bad\nmine\n")

    assert talk == ["jpeg: bad"]
    assert capfd.readouterr().err == "mine\n"


def test_talk_is_kept_in_a_file_where_there_is_none_in_memory(monkeypatch, capfd):
    monkeypatch.delattr(os, "memfd_create")
    with decoder_talk() as talk:
        os.write(2, b"jpeg: bad\nmine\n")

    assert talk == ["jpeg: bad"]
    assert capfd.readouterr().err == "mine\n"

import os

import pytest

from vision.intake.silence_decoders import decoder_talk, says_damaged


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

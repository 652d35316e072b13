import pytest

from engine.draw.palette import KNOWN, PATTERNS, coat
from engine.setfile import built_in_names, built_in_set
from engine.tiles import GREY


@pytest.mark.parametrize("name", built_in_names())
def test_every_colour_of_a_box_has_its_own_pattern(name):
    colours = built_in_set(name).colours
    patterns = [coat(colour, colours).pattern for colour in colours]

    assert len(set(patterns)) == len(patterns)
    assert set(patterns) <= set(PATTERNS)


def test_neutral_grey_has_no_pattern():
    assert coat(GREY).pattern == "plain"


def test_a_colour_never_heard_of_always_looks_the_same():
    assert coat("mauve", ("mauve", "teal")) == coat("mauve", ("mauve", "teal"))


def test_two_colours_never_heard_of_differ_in_hue_and_pattern():
    names = ("mauve", "teal", "ochre", "red")
    coats = [coat(name, names) for name in names]

    assert len({one.base for one in coats}) == 4
    assert len({one.pattern for one in coats}) == 4
    assert coats[3] == KNOWN["red"]

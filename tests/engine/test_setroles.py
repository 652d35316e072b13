"""A mistake in an owner's Carnival box is named with its line."""

import pytest

from engine.errors import SetError
from engine.setfile import BUILT_IN_FOLDER, parse_set

TEXT = (BUILT_IN_FOLDER / "carnival.toml").read_text(encoding="utf-8")
LOG = 'role = "log"\nstrands = [{ edges = "WE" }]'
SORE = 'role = "sore"\nstrands = [{ edges = "WN", colour = "own" }]'


def mistake(right, wrong):
    """Return what is said of the box with one thing changed, and the line that is named."""
    assert right in TEXT
    text = TEXT.replace(right, wrong, 1)
    with pytest.raises(SetError) as caught:
        parse_set(text, "mine.toml")
    said = str(caught.value)
    number = int(said.removeprefix("mine.toml, line ").split(":")[0])
    return said, text.splitlines()[number - 1].strip()


@pytest.mark.parametrize(
    ("right", "wrong", "line", "says"),
    [
        ('role = "knot"', 'role = "knott"', 'role = "knott"', "must be one of plain, diamond"),
        ('role = "gift"', "", "[[tile]]", "not missing"),
        (SORE, SORE.replace(', colour = "own"', ""), 'strands = [{ edges = "WN" }]', "own"),
        (LOG, f"points = 1\n{LOG}", "points = 1", "a log has no points"),
        (LOG, 'role = "log"', 'role = "log"', "a log has one strand with two edges"),
        ('"WE" }, { edges = "NS"', '"WN" }, { edges = "ES"', "strands = ", "two straight strands"),
        ('role = "gift"', f"{LOG.replace('log', 'gift')}", "strands = ", "a gift has no strands"),
        ('name = "gift"', 'name = "gift"\ncolours = "each"', "colours = ", "belongs to no player"),
        ('cap = "head"', 'cap = "tail"', "strands = ", 'a head has cap = "head"'),
        ('points = -2\nrole = "trouble"', 'role = "trouble"', 'role = "trouble"', "costs points"),
        ('    { edge = "W", name = "red" },\n', "", "exits = [", "one exit for each of"),
        ('"house"\ncount = 1', '"house"\ncount = 2', "count = 2", "there is only one house"),
        ('points = 3\nrole = "hat"', 'role = "house"', "[[tile]]", "role house, but there are 2"),
        ("diamond_points = 4", "diamond_points = 4.5", "diamond_points = 4.5", "whole number"),
        ('"black", "red"]', '"black", "pink"]', "colours = [", "of this game are yellow"),
        ('role = "hat"', 'role = "hat"\nexits = [{ edge = "N", name = "red" }]', "exits", "house"),
    ],
)
def test_a_mistake_is_named_with_its_line(right, wrong, line, says):
    said, named = mistake(right, wrong)

    assert says in said
    assert named.startswith(line)


def test_a_tile_of_a_colour_without_colours_is_named():
    said, named = mistake(
        'name = "head"\ncolours = "each"\ncount = 1\npoints = 1\nrole = "head"\n'
        'strands = [{ edges = "W", colour = "own", cap = "head" }]',
        'name = "head"\nrole = "head"\nstrands = [{ edges = "W", cap = "head" }]',
    )

    assert "a head tile belongs to a colour" in said
    assert named == 'role = "head"'


def test_a_box_without_a_house_is_no_box():
    start = TEXT.index('[[tile]]\nname = "house"')
    end = TEXT.index('[[tile]]\nname = "gift"')

    with pytest.raises(SetError, match="one tile with the role house, but there are 0"):
        parse_set(TEXT[:start] + TEXT[end:], "mine.toml")


def test_other_games_have_no_such_roles():
    for name in ("schlangennest", "sssnake", "snekagon", "snekagon5g"):
        text = (BUILT_IN_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
        assert parse_set(text, f"{name}.toml").game == name

"""Set files: what is in the boxes, and a line for every mistake an owner can make."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import SetError
from engine.setfile import BUILT_IN_FOLDER, built_in_names, built_in_set, load_set, parse_set

NEST = (BUILT_IN_FOLDER / "schlangennest.toml").read_text(encoding="utf-8")
MINE = NEST.replace('name = "schlangennest"', 'name = "mine"', 1)


@pytest.mark.parametrize(
    ("name", "tiles"),
    [("schlangennest", 72), ("snekagon", 16), ("snekagon5g", 50), ("sssnake", 124)],
)
def test_a_box_has_as_many_tiles_as_the_rulebook_says(name, tiles):
    assert sum(built_in_set(name).counts.values()) == tiles


def test_every_game_has_a_box_of_its_own_name():
    assert built_in_names() == ("carnival", "schlangennest", "snekagon", "snekagon5g", "sssnake")
    for name in built_in_names():
        assert built_in_set(name).name == built_in_set(name).game == name


def test_a_card_is_listed_with_as_many_turns_as_it_looks_different():
    nest, sssnake = built_in_set("schlangennest"), built_in_set("sssnake")

    assert [nest[f"blue/{shape}"].period for shape in ("straight", "curve", "tail")] == [2, 4, 4]
    assert [sssnake[tile].period for tile in ("crossing", "double-curve")] == [1, 2]


def test_an_owners_set_is_found_before_the_built_in_one(tmp_path):
    own = NEST.replace("count = 9", "count = 8")
    (tmp_path / "schlangennest.toml").write_text(own, encoding="utf-8")

    assert load_set("schlangennest", [tmp_path])["blue/curve"].count == 8
    assert built_in_set("schlangennest")["blue/curve"].count == 9


@pytest.mark.parametrize(
    ("file", "name"), [("schlangennest", "my-box"), ("my-box", "schlangennest")]
)
def test_a_set_is_called_as_its_file_is(tmp_path, file, name):
    own = NEST.replace('name = "schlangennest"', f'name = "{name}"', 1)
    (tmp_path / f"{file}.toml").write_text(own, encoding="utf-8")

    with pytest.raises(SetError, match=rf"^{file}\.toml: name: is .{name}., but must .*{file}"):
        load_set(file, [tmp_path])


@pytest.mark.parametrize("name", ["nothing", "../schlangennest", "", "A", "x" * 99])
def test_a_set_that_is_not_there_is_told(name):
    with pytest.raises(SetError):
        load_set(name, ())


REFUSED = json.loads((Path(__file__).parent / "refusals.json").read_text("utf-8"))
MISTAKES = REFUSED["set files"] | {
    "5,000 digits": ("count = 9", "count = " + "9" * 5000, "a number has too many digits"),
    "4,000 digits": ("count = 9", "count = " + "9" * 4000, "line 19: count: must be a whole"),
    "a title of 5 MB": ('"Schlangennest"', f'"{"x" * 5_000_000}"', "line 4: title: may have"),
    "a deep value": ("format = 1", "format = " + "[" * 5000 + "]" * 5000, "too many brackets"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_line(mistake):
    before, after, said = MISTAKES[mistake]
    text = NEST.replace(before, after, 1)
    assert text != NEST

    with pytest.raises(SetError) as error:
        parse_set(text, "mine.toml")
    assert "mine.toml" in str(error.value)
    assert said in str(error.value)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("cells", ["true", "[]", "[[0]]"])
def test_cells_that_are_none_are_refused_on_a_hex_tile_too(cells):
    hexes = (BUILT_IN_FOLDER / "snekagon.toml").read_text(encoding="utf-8")
    text = hexes.replace("path =", f"cells = {cells}\npath =", 1)

    with pytest.raises(SetError, match="cells: must be a list of cells"):
        parse_set(text, "mine.toml")


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"\xff\xfe", "line 1: this is not UTF-8"), (b"#" * (1 << 20) + b"#", "more than 1024 KB")],
)
def test_a_file_that_is_no_set_file_is_told(tmp_path, data, said):
    (tmp_path / "mine.toml").write_bytes(data)

    with pytest.raises(SetError, match=r"mine\.toml") as error:
        load_set("mine", [tmp_path])
    assert said in str(error.value)


def test_a_mark_of_the_byte_order_is_passed_over(tmp_path):
    (tmp_path / "mine.toml").write_bytes(b"\xef\xbb\xbf" + MINE.encode())

    assert load_set("mine", [tmp_path])["blue/curve"].count == 9


def test_a_box_is_made_once_until_its_file_changes(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(MINE, encoding="utf-8")
    first = load_set("mine", [tmp_path])
    assert load_set("mine", [tmp_path]) is first

    file.write_text(MINE.replace("count = 9", "count = 8"), encoding="utf-8")
    assert load_set("mine", [tmp_path])["blue/curve"].count == 8


def test_a_file_that_was_refused_is_not_read_again_until_it_changes(tmp_path, monkeypatch):
    file = tmp_path / "mine.toml"
    file.write_text(MINE.replace("count = 9", "count = []"), encoding="utf-8")
    with pytest.raises(SetError, match="count") as first:
        load_set("mine", [tmp_path])

    with monkeypatch.context() as patched:
        patched.setattr("engine.setfile.load_toml", lambda text: pytest.fail("it is read again"))
        with pytest.raises(SetError) as again:
            load_set("mine", [tmp_path])
    file.write_text(MINE, encoding="utf-8")

    assert str(again.value) == str(first.value)
    assert load_set("mine", [tmp_path])["blue/curve"].count == 9

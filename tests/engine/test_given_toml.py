"""TOML of others is refused where it is too deep, and otherwise read as Python reads it."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.given_toml import MOST_NESTED, MOST_PARTS, MOST_PIECES, TomlError, load_toml
from engine.setfile import BUILT_IN_FOLDER

KEY = ".".join("a" * (MOST_PARTS + 1))
REFUSED = {
    "a key of 30,000 parts": ("a." * 30_000 + "b = 1", "line 1: a key has more than 8 parts"),
    "a table of so many": (f"x = 1\n[{KEY}]", "line 2: a key has more"),
    "a list of tables of so many": (f"[[{KEY}]]", "a key has more"),
    "a key in braces": (f"x = {{{KEY} = 1}}", "a key has more"),
    "quoted parts": (".".join(['"a"', "'b'"] * MOST_PARTS) + " = 1", "a key has more"),
    "parts set apart": (" . ".join("a" * 30) + " = 1", "a key has more"),
    "after a text": (f'x = """a""""\ny = [""]\n{KEY} = 1', "line 3: a key has more"),
    "lists in lists": ("x = " + "[" * 100_000, "line 1: too many brackets inside each other"),
    "lists in lists, closed": ("x = " + "[" * 99 + "]" * 99, "too many brackets inside each other"),
    "braces in braces": ("x = " + "{a = " * 99 + "1" + "}" * 99, "too many brackets inside"),
    "many tables": ("".join(f"[t{n}]\n" for n in range(MOST_PIECES + 1)), "more than 20000"),
    "many in a list": ("x = [" + "1," * (MOST_PIECES + 1) + "]", "more than 20000"),
    "many digits": ("x = " + "9" * 5000, "a number has too many digits"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_too_deep_is_refused_with_its_line(name):
    text, said = REFUSED[name]

    with pytest.raises(TomlError) as error:
        load_toml(text)

    assert said in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        'x = "a.b.c.d.e.f.g.h.i.j.[[[[[{{{{"',
        "x = 'a.b.c.d.e.f.g.h.i.j.[[[[['",
        'x = """\na.b.c.d.e.f.g.h.i.j\\"\n""""',
        "x = '''\na.b.c.d.e.f.g.h.i.j'\n'''",
        "# a.b.c.d.e.f.g.h.i.j.[[[[",
        'x = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5] # "',
        ".".join("a" * MOST_PARTS) + " = 1",
        "x = " + "[" * MOST_NESTED + "]" * MOST_NESTED,
    ],
)
def test_what_lies_in_texts_and_comments_counts_for_nothing(text):
    assert load_toml(text) == tomllib.loads(text)


def test_boxes_that_come_with_the_program_are_far_from_every_bound():
    for path in BUILT_IN_FOLDER.glob("*.toml"):
        text = path.read_text(encoding="utf-8")
        assert sum(text.count(piece) for piece in "[{.,") < MOST_PIECES / 50


def parts_and_depth(value, parts=0):
    """Return how many tables, or how many lists, lie inside each other."""
    if isinstance(value, dict):
        return max([parts, *(parts_and_depth(one, parts + 1) for one in value.values())])
    if isinstance(value, list):
        return max([parts, *(parts_and_depth(one, parts) for one in value)])
    return parts


PIECES = ['"', '"""', "'", "'''", "\\", "\n", "#", " ", "=", ",", "[", "]", "x", "y = ", '= ""']


@given(st.lists(st.sampled_from([*PIECES, f"{KEY} = 1\n"]), max_size=14).map("".join))
def test_no_quote_hides_a_long_key(text):
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    if parts_and_depth(parsed) > MOST_PARTS:
        with pytest.raises(TomlError):
            load_toml(text)
    else:
        assert load_toml(text) == parsed

"""Layouts in one line of text."""

from __future__ import annotations

import pytest

from engine.errors import NotationError
from engine.notation import read_layout, write_layout
from engine.placement import Clay, Layout, Piece, Placement


def test_a_line_names_tiles_cells_and_turns():
    layout = read_layout("blue/curve@0,0^1 red/straight@-1,2")

    assert layout == Layout.of(
        Placement("blue/curve", (0, 0), 1), Placement("red/straight", (-1, 2), 0)
    )
    assert write_layout(layout) == "red/straight@-1,2 blue/curve@0,0^1"


def test_hex_pieces_boards_and_clay_are_written_too():
    text = "red/3/+@0,0+1,0+1,1#2 clay/open@1,1>NW#2"
    layout = read_layout(text, "hex")

    assert layout.pieces == {Piece("red/3/+", ((0, 0), (1, 0), (1, 1)), 2)}
    assert layout.clay == {Clay(2, (1, 1), "open", "NW")}
    assert write_layout(layout) == text


@pytest.mark.parametrize("word", ["blue/curve", "a@x,0", "a@0,0^4", "@0,0", "a@1"])
def test_a_word_that_cannot_be_read_is_named(word):
    with pytest.raises(NotationError, match="cannot read"):
        read_layout(word)

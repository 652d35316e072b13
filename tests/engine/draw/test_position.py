import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.draw import layout_drawing
from engine.draw.ends import open_ends
from engine.draw.ring import ring_places
from engine.placement import Clay, Layout, Piece, Placement
from engine.setfile import built_in_names, built_in_set

NEST = built_in_set("schlangennest")
SSSNAKE = built_in_set("sssnake")
CARNIVAL = built_in_set("carnival")
FIVE_G = built_in_set("snekagon5g")
RED_MARK = "#d3122a"


def draw_layout(tile_set, layout, **more):
    return layout_drawing(tile_set, layout, **more).svg()


def labels(svg):
    return [node.text for node in ET.fromstring(svg).iter() if node.tag.endswith("}text")]


@pytest.mark.parametrize("name", built_in_names())
def test_an_empty_table_is_a_drawing_too(name):
    ET.fromstring(draw_layout(built_in_set(name), Layout()))


@given(
    st.lists(
        st.builds(
            Placement,
            st.sampled_from([*NEST.kinds, "no/such"]),
            st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
            st.integers(0, 3),
        ),
        max_size=12,
    )
)
@settings(max_examples=20, deadline=None)
def test_any_cards_become_the_same_sound_xml_every_time(cards):
    svg = draw_layout(NEST, Layout.of(*cards), players=("blue", "red"))
    root = ET.fromstring(svg)
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    used = set(re.findall(r'href="#([^"]+)"', svg)) | set(re.findall(r"url\(#([^)]+)\)", svg))

    assert svg == draw_layout(NEST, Layout.of(*reversed(cards)), players=("blue", "red"))
    assert len(ids) == len(set(ids))
    assert used == set(ids)


def test_a_tile_is_written_once_however_often_it_lies():
    cards = [Placement("blue/curve", (x, 0), x % 4) for x in range(8)]
    svg = draw_layout(NEST, Layout.of(*cards), ends=())

    assert svg.count("<use ") == 8
    assert len(svg) < 1.5 * len(draw_layout(NEST, Layout.of(cards[0]), ends=()))


def test_broken_rules_are_marked_red():
    layout = Layout.of(Placement("blue/curve", (0, 0)))

    assert RED_MARK not in draw_layout(NEST, layout)
    assert RED_MARK in draw_layout(NEST, layout, marked=[(0, 0)])


def test_each_private_field_has_its_players_name():
    layout = Layout.of(Placement("big/1", (0, 0), 0, 0), Placement("big/2", (0, 0), 0, 1))

    assert labels(draw_layout(SSSNAKE, layout, players=("Anna", "Ben"))) == ["Anna", "Ben"]


def test_marks_of_one_field_do_not_show_on_another():
    layout = Layout.of(Placement("big/1", (0, 0), 0, 0), Placement("big/2", (0, 0), 0, 1))
    first = draw_layout(SSSNAKE, layout, marked=[(0, 5, 0)])
    second = draw_layout(SSSNAKE, layout, marked=[(1, 5, 0)])

    assert first.count(RED_MARK) == second.count(RED_MARK) > 0
    assert first != second


def test_names_cannot_break_out_of_the_drawing():
    names = ('<script>"&', "a\x00b]]>")
    svg = draw_layout(SSSNAKE, Layout(), players=names, title="<b>&\x01")

    assert labels(svg) == ["<b>&", '<script>"&', "ab]]>"]


def test_cards_that_lie_far_apart_are_drawn_without_a_grid():
    layout = Layout.of(*(Placement("blue/curve", (x, x)) for x in (0, 10**9)))

    assert len(draw_layout(NEST, layout)) < 100_000


def test_ends_of_coloured_snakes_are_found_and_free_grey_is_left_alone():
    layout = Layout.of(Placement("blue/straight", (0, 0)))

    assert open_ends(NEST, layout) == (((0, 0), 1), ((0, 0), 3))


def test_ends_run_through_grey_strands():
    layout = Layout.of(Placement("blue/straight", (0, 0)), Placement("red/straight", (1, 0), 1))

    assert ((1, 0), 1) in open_ends(NEST, layout)
    assert ((0, 0), 1) not in open_ends(NEST, layout)


def test_a_big_card_has_a_head_end_and_a_tail_end():
    layout = Layout.of(Placement("big/1", (0, 0), 0, 2), Placement("curve", (2, 0), 3, 2))

    assert open_ends(SSSNAKE, layout) == (((2, 0, 0), 3), ((2, 2, 0), 2))


def test_a_house_has_an_end_for_each_colour_until_a_snake_starts_there():
    layout = Layout.of(Placement("house", (0, 0)), Placement("yellow/corner", (0, -1), 2))
    ends = open_ends(CARNIVAL, layout)

    assert {end for end in ends if end[0] == (0, 0)} == {((0, 0), 1), ((0, 0), 2), ((0, 0), 3)}
    assert {end for end in ends if end[0] == (0, -1)} == {((0, -1), 1)}


def five_floors(*more):
    return Layout.of(
        Piece("blue/2", ((0, 0), (1, 0)), 0),
        Piece("blue/2", ((1, 0), (2, 0)), 1),
        Clay(0, (1, 0), "open", "W"),
        Clay(1, (1, 0), "open", "E"),
        *more,
    )


def test_there_are_as_many_boards_as_players():
    players = ("blue", "red", "yellow", "green", "violet")
    svg = draw_layout(FIVE_G, five_floors(), players=players)

    assert [text for text in labels(svg) if text.startswith("board")] == [
        f"board {n}" for n in range(1, 6)
    ]


def test_drills_between_floors_are_read_off_the_clay():
    line = 'stroke="#3b2a1a"'
    without_clay = Layout(pieces=five_floors().pieces)

    assert draw_layout(FIVE_G, five_floors(), players=("blue", "red", "green")).count(line) == 1
    assert draw_layout(FIVE_G, without_clay, players=("blue", "red", "green")).count(line) == 0
    told = draw_layout(FIVE_G, without_clay, drills=[((0, 1, 0), (1, 1, 0))])
    assert told.count(line) == 1


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_boards_in_a_ring_do_not_overlap_and_run_clockwise(count):
    size = (220.0, 190.0)
    places = ring_places(count, size)

    for i, (x, y) in enumerate(places):
        for other in places[i + 1 :]:
            assert (
                abs(x - other[0]) >= size[0]
                or abs(y - other[1]) >= size[1]
                or ((x - other[0]) ** 2 + (y - other[1]) ** 2 >= size[0] ** 2)
            )
    area = sum(
        a[0] * b[1] - a[1] * b[0] for a, b in zip(places, places[1:] + places[:1], strict=True)
    )
    assert area >= 0


def test_eyes_of_the_game_can_differ_from_the_boxs():
    drawn = {draw_layout(FIVE_G, Layout(), eyes=eyes) for eyes in (None, (), [(0, 0)])}

    assert len(drawn) == 3

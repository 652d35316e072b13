import pytest

from engine.draw import all_faces, face
from engine.draw.strands import strand_spine
from engine.lattice import SQUARE_STEPS
from engine.setfile import built_in_names, built_in_set, parse_set

OWN = """
format = 1
name = "attic"
game = "none-we-know"
lattice = "square"
colours = ["mauve", "teal"]
[[tile]]
name = "straight/+2"
colours = "each"
count = 3
points = 2
strands = [{ edges = "NS", colour = "own" }]
[[tile]]
name = "wizard"
role = "no-such-role"
[[tile]]
name = "ell"
cells = [[0, 0], [1, 0], [1, 1]]
[[tile]]
name = "apart"
cells = [[0, 0], [1, 1]]
"""


@pytest.mark.parametrize("name", built_in_names())
def test_every_tile_has_a_front_and_a_back_in_its_count(name):
    tile_set = built_in_set(name)
    counts = {(one.tile, one.side): count for one, count in all_faces(tile_set)}

    for kind in tile_set.kinds.values():
        assert counts[kind.name, "front"] == counts[kind.name, "back"] == kind.count


@pytest.mark.parametrize("name", ["schlangennest", "sssnake", "carnival"])
def test_strands_leave_by_the_middle_of_their_sides_at_right_angles(name):
    for kind in built_in_set(name).kinds.values():
        for strand in kind.strands:
            line = strand_spine(strand)
            dx, dy = SQUARE_STEPS[strand.edges[0]]
            assert line.at(0) == pytest.approx((22.5 * dx, 22.5 * dy))
            assert line.heading(0) == pytest.approx((-dx, -dy), abs=0.03)


def test_a_card_of_another_size_is_the_same_card_enlarged():
    tile_set = built_in_set("schlangennest")
    big = face(tile_set, tile_set["red/curve"], pitch_mm=60)

    assert big.size_mm == (60, 60)
    assert big.origin_mm == (30, 30)


def test_a_card_of_two_cells_is_twice_as_wide_and_counts_from_its_first_cell():
    tile_set = built_in_set("sssnake")
    big = face(tile_set, tile_set["big/1"])

    assert big.size_mm == (90, 45)
    assert big.outline_mm == ((0, 0), (90, 0), (90, 45), (0, 45))
    assert big.origin_mm == (22.5, 22.5)


def test_four_big_cards_differ():
    tile_set = built_in_set("sssnake")

    assert len({face(tile_set, tile_set[f"big/{n}"]).items for n in (1, 2, 3, 4)}) == 4


def test_an_owners_tiles_are_drawn_whatever_they_are():
    tile_set = parse_set(OWN, "attic.toml")
    drawn = {one.tile: one for one, _ in all_faces(tile_set) if one.side == "front"}

    assert drawn["mauve/straight/+2"].items != drawn["teal/straight/+2"].items
    assert len(drawn["ell"].outline_mm) == 6
    assert drawn["apart"].outline_mm == ((0, 0), (90, 0), (90, 90), (0, 90))


def test_a_face_that_has_an_up_shows_it_and_no_other_does():
    tile_set = built_in_set("carnival")
    with_mark = {
        kind.name
        for kind in tile_set.kinds.values()
        if "M-19.9 -16.3L-17.9 -19.7L-15.9 -16.3Z" in _svg_of(tile_set, kind)
    }

    assert "house" in with_mark and "red/corner" in with_mark and "red/head" in with_mark
    assert all(tile_set[name].period == 4 for name in with_mark)
    assert "gift" not in with_mark and "red/straight" not in with_mark


def _svg_of(tile_set, kind):
    from engine.draw import svg

    return svg(face(tile_set, kind).items, (0, 0, 45, 45))

"""Routes: following strands, and the fewest cards that join two ends."""

import random

import pytest

from engine.lattice import SQUARE_STEPS, Cell, E, N, S, W, opposite, square_neighbour
from engine.routes import BLANK, EXIT, cells_passed, run_on, shortest_route
from engine.setfile import built_in_set
from engine.snakes import card

BOX = built_in_set("sssnake")
WALL: tuple[int, ...] = (BLANK,) * 4
DRAWN: dict[str, tuple[int, ...]] = {
    "#": WALL,
    "-": card(BOX["straight"], 0).across,
    "|": card(BOX["straight"], 1).across,
    "+": card(BOX["crossing"], 0).across,
    "/": card(BOX["double-curve"], 0).across,
    "\\": card(BOX["double-curve"], 1).across,
}


def field(*rows):
    """Return the taken cells of a drawing: ``.`` is empty, ``#`` blank, the rest are strands."""
    return {
        (x, y): DRAWN[sign]
        for y, row in enumerate(rows)
        for x, sign in enumerate(row)
        if sign != "."
    }


def test_snake_runs_on_through_strands_to_the_next_empty_cell():
    assert run_on(field("--/.", "..|.", "...."), ((0, 0), W)) == ((2, -1), S)


def test_snake_stops_at_a_blank_edge():
    assert run_on(field("--|"), ((0, 0), W)) == ((2, 0), W)


def test_cells_passed_leave_out_the_one_it_stops_at():
    assert list(cells_passed(field("--|"), ((0, 0), W))) == [(0, 0), (1, 0)]


def test_ends_that_face_one_cell_miss_one_card():
    assert shortest_route({}, [(3, 4)], [(3, 4)]) == ((3, 4),)


def test_route_goes_round_what_lies_in_between():
    route = shortest_route(field(".#.", ".#.", "..."), [(0, 0)], [(2, 0)])

    assert route is not None
    assert len(route) == 5
    assert (route[0], route[-1]) == ((0, 0), (2, 0))


def test_free_strands_on_the_way_cost_nothing():
    assert shortest_route(field(".+++.", "#####"), [(0, 0)], [(4, 0)]) == ((0, 0), (4, 0))


def test_double_curve_leads_round_its_corner():
    across = field("#.#", "./.", "###")

    assert shortest_route(across, [(1, 0)], [(0, 1)]) == ((1, 0), (0, 1))


def test_strand_that_ends_at_a_blank_edge_leads_nowhere():
    across = field("#####", "#.+##", "##|.#", "##.##", "#####")

    assert shortest_route(across, [(1, 1)], [(3, 2)]) is None


def test_end_in_a_full_room_is_unreachable():
    assert shortest_route(field("###", "#.#", "###"), [(1, 1)], [(9, 9)]) is None


@pytest.mark.parametrize("far", [10**6, 10**12])
def test_stray_card_far_away_costs_no_time(far):
    across = field("###", "#.#", "###") | {(far, far): WALL}

    assert shortest_route(across, [(1, 1)], [(-1, -1)]) is None


def walled(wide, high, chance, taken):
    """Return a small room of random cards with two ways in, and where its two ends stand."""
    across: dict[Cell, tuple[int, ...]] = {
        (x, y): WALL
        for x in range(-1, wide + 1)
        for y in range(-1, high + 1)
        if not (0 <= x < wide and 0 <= y < high)
    }
    for cell in [(x, y) for x in range(wide) for y in range(high)]:
        if chance.random() < taken:
            across[cell] = DRAWN[chance.choice("#-|++//\\\\")]
    sides = [((x, y), edge) for x in range(wide) for y, edge in ((0, N), (high - 1, S))]
    sides += [((x, y), edge) for y in range(high) for x, edge in ((0, W), (wide - 1, E))]
    doors = chance.sample(sides, 2)
    for cell, edge in doors:
        outside = square_neighbour(cell, edge)
        edges = list(across[outside])
        edges[opposite(edge)] = EXIT
        across[outside] = tuple(edges)
    return across, [run_on(across, door) for door in doors]


def fewest_cards(across, start, goal):
    """Try every way of laying cards, double ones too; return the fewest cells that are filled."""
    best = None

    def walk(cell, edge, crossed):
        nonlocal best
        for out in range(4):
            if (cell, out) in crossed or out == edge:
                continue
            now = crossed | {(cell, edge), (cell, out)}
            filled = len({at for at, _ in now})
            if best is not None and filled >= best:
                continue
            if (cell, out) == goal:
                best = filled
                continue
            dx, dy = SQUARE_STEPS[out]
            beyond, met = run_on(across, ((cell[0] + dx, cell[1] + dy), opposite(out)))
            if beyond not in across and (beyond, met) not in now:
                walk(beyond, met, now)

    walk(start[0], start[1], frozenset())
    return best


@pytest.mark.parametrize(
    ("wide", "high", "taken", "tries"), [(3, 3, 0.3, 2_000), (4, 3, 0.4, 1_000), (5, 4, 0.5, 500)]
)
def test_missing_cards_agree_with_an_exhaustive_search(wide, high, taken, tries):
    chance = random.Random(wide * high)
    lengths = set()
    for _ in range(tries):
        across, (start, goal) = walled(wide, high, chance, taken)
        if start[0] in across or goal[0] in across:
            continue
        route = shortest_route(across, [start[0]], [goal[0]])

        assert (None if route is None else len(route)) == fewest_cards(across, start, goal)
        lengths.add(route and len(route))

    assert {None, 1, 2, 3, 4} <= lengths

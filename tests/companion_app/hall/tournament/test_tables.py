"""Three to five at a table: checked against every seating of small fields."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from companion_app.hall.tournament.ahead import after, seat_ahead
from companion_app.hall.tournament.past import Past, meetings
from companion_app.hall.tournament.tables import repeats, seat_tables
from companion_app.hall.tournament.two import Paired

NOBODY: frozenset[frozenset[str]] = frozenset()


def everything(players: Sequence[str], sizes: Sequence[int]) -> Iterator[list[tuple[str, ...]]]:
    if not sizes:
        yield []
        return
    for table in combinations(players, sizes[0]):
        left = [player for player in players if player not in table]
        for rest in everything(left, sizes[1:]):
            yield [table, *rest]


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Past], tuple[int, ...]]:
    sizes = draw(st.sampled_from([(4, 4), (3, 3), (4, 3), (3, 3, 3), (5, 4)]))
    pasts = [Past(f"p{n}") for n in range(sum(sizes))]
    chance = Random(draw(st.integers(0, 10_000)))
    for _ in range(draw(st.integers(0, 3))):
        order = chance.sample([past.player for past in pasts], len(pasts))
        tables = []
        for size in sizes:
            tables.append(tuple(order[:size]))
            order = order[size:]
        pasts = list(after(pasts, Paired(tuple(tables)), max(sizes)))
    return pasts, sizes


@settings(max_examples=40, deadline=None)
@given(histories(), st.integers(0, 100))
def test_the_search_finds_the_fewest_meetings_again_of_all_seatings(history, seed):
    pasts, sizes = history
    met = meetings(pasts)
    # Where nobody has sat anywhere, no seat is out of balance and meetings alone decide.
    rested = [Past(past.player, met=past.met) for past in pasts]

    found = seat_tables(rested, sizes, max(sizes), NOBODY, Random(seed))

    def squares(tables):
        return sum(met.get(frozenset(p), 0) ** 2 for t in tables for p in combinations(t, 2))

    best = min(squares(tables) for tables in everything([p.player for p in pasts], sizes))
    assert squares(found.tables) == best
    assert sorted(map(len, found.tables)) == sorted(sizes)


def test_eight_at_two_tables_meet_again_as_seldom_as_can_be_in_four_rounds():
    pasts, chance, again = [Past(f"p{n}") for n in range(8)], Random(4), []
    for left in range(4, 0, -1):
        found = seat_ahead(pasts, (4, 4), 4, NOBODY, left, chance)
        again.append(repeats(found.tables, meetings(pasts)))
        pasts = list(after(pasts, found, 4))

    assert again == [0, 4, 8, 12]


@settings(max_examples=10, deadline=None)
@given(st.integers(6, 26), st.integers(0, 1000))
def test_every_seat_is_had_as_often_as_the_others_to_within_one(count, seed):
    chance = Random(seed)
    sizes = [4] * (count // 4) if count % 4 == 0 else [3] * (count // 3)
    pasts = [Past(f"p{n}") for n in range(sum(sizes))]
    for _ in range(4):
        found = seat_tables(pasts, sizes, max(sizes), NOBODY, chance)
        pasts = list(after(pasts, found, max(sizes)))

    for past in pasts:
        had = past.seats[: max(sizes)]
        assert max(had) - min(had) <= 1


def test_equals_sit_together():
    pasts = [Past(f"p{n}", Fraction(5 * (n % 2))) for n in range(8)]

    tables = seat_tables(pasts, (4, 4), 4, NOBODY, Random(2)).tables

    assert {frozenset(table) for table in tables} == {
        frozenset({"p0", "p2", "p4", "p6"}),
        frozenset({"p1", "p3", "p5", "p7"}),
    }


def test_forbidden_pairs_sit_apart():
    pasts = [Past(f"p{n}") for n in range(9)]
    forbidden = frozenset(
        [frozenset({"p0", "p1"}), frozenset({"p1", "p2"}), frozenset({"p0", "p2"})]
    )

    tables = seat_tables(pasts, (3, 3, 3), 3, forbidden, Random(1)).tables

    assert not any(pair <= set(table) for pair in forbidden for table in tables)


def test_nobody_sits_at_a_short_table_twice_while_others_have_not():
    pasts, chance = [Past(f"p{n}") for n in range(15)], Random(3)
    for _ in range(3):
        found = seat_tables(pasts, (4, 4, 4, 3), 4, NOBODY, chance)
        pasts = list(after(pasts, found, 4))

    assert max(past.short for past in pasts) == 1


def test_a_single_table_needs_no_search():
    found = seat_tables([Past(f"p{n}") for n in range(4)], (4,), 4, NOBODY, Random(1))

    assert sorted(found.tables[0]) == ["p0", "p1", "p2", "p3"]

"""Two at a table: checked against every possible pairing of small fields."""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion_app.hall.tournament.ahead import after
from companion_app.hall.tournament.past import Past, meetings
from companion_app.hall.tournament.tables import repeats
from companion_app.hall.tournament.two import pair_two

pytest.importorskip("rustworkx", reason="the extra `hall` is not installed")

NOBODY: frozenset[frozenset[str]] = frozenset()


def field(count: int, **more: dict[str, object]) -> list[Past]:
    return [Past(f"p{n}", **{key: one[f"p{n}"] for key, one in more.items()}) for n in range(count)]  # type: ignore[arg-type]


def everything(players: list[str]) -> Iterator[list[tuple[str, str]]]:
    if len(players) < 2:
        yield []
        return
    first, *others = players
    for other in others:
        for rest in everything([one for one in others if one != other]):
            yield [(first, other), *rest]


@st.composite
def histories(draw: st.DrawFn) -> list[Past]:
    count = draw(st.sampled_from([4, 6, 8]))
    pairs = [frozenset((f"p{a}", f"p{b}")) for a in range(count) for b in range(a)]
    met = {pair: draw(st.integers(0, 2)) for pair in pairs}
    return [
        Past(
            player := f"p{n}",
            Fraction(draw(st.integers(0, 4))),
            {next(iter(pair - {player})): times for pair, times in met.items() if player in pair},
        )
        for n in range(count)
    ]


@settings(max_examples=60, deadline=None)
@given(histories(), st.integers(0, 100))
def test_no_pairing_has_fewer_meetings_again(pasts, seed):
    met = meetings(pasts)

    found = pair_two(pasts, NOBODY, 1, Random(seed))

    def squares(tables):
        return sum(met.get(frozenset(table), 0) ** 2 for table in tables)

    best = min(squares(tables) for tables in everything([past.player for past in pasts]))
    assert squares(found.tables) == best


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([4, 5, 6, 7, 8]), st.integers(0, 1000))
def test_a_small_field_plays_everybody_against_everybody_before_anybody_meets_again(count, seed):
    chance = Random(seed)
    rounds = count - 1 if count % 2 == 0 else count
    pasts, again = field(count), 0
    for left in range(rounds, 0, -1):
        found = pair_two(pasts, NOBODY, left, chance)
        again += repeats(found.tables, meetings(pasts))
        seated = after(pasts, found, 2)
        free = [past for past in pasts if past.player in found.byes]
        pasts = [
            *seated,
            *(Past(p.player, p.score, p.met, p.seats, p.shares, p.byes + 1) for p in free),
        ]

    assert again == 0
    assert all(past.byes <= 1 for past in pasts)


def test_the_bye_goes_to_the_last_who_had_none_and_was_there():
    pasts = [
        Past("first", Fraction(3)),
        Past("second", Fraction(2)),
        Past("third", Fraction(1)),
        Past("had one", Fraction(0), byes=1),
        Past("came late", Fraction(0), missed=1),
    ]

    assert pair_two(pasts, NOBODY, 1, Random(1)).byes == ("third",)


def test_equals_meet():
    pasts = [Past(name, Fraction(score)) for name, score in zip("abcd", (2, 0, 2, 0), strict=True)]

    tables = pair_two(pasts, NOBODY, 1, Random(3)).tables

    assert {frozenset(table) for table in tables} == {frozenset("ac"), frozenset("bd")}


def test_a_forbidden_pair_is_not_made_though_it_costs_a_meeting_again():
    pasts = [Past("a", met={"c": 1}), Past("b"), Past("c", met={"a": 1}), Past("d")]
    forbidden = frozenset([frozenset("ab"), frozenset("ad")])

    tables = pair_two(pasts, forbidden, 1, Random(1)).tables

    assert {frozenset(table) for table in tables} == {frozenset("ac"), frozenset("bd")}


def test_two_who_must_not_meet_and_are_alone_are_both_free():
    found = pair_two([Past("a"), Past("b")], frozenset([frozenset("ab")]), 1, Random(1))

    assert found.tables == ()
    assert sorted(found.byes) == ["a", "b"]


@settings(max_examples=10, deadline=None)
@given(st.integers(10, 30), st.integers(0, 1000))
def test_starts_and_seconds_never_differ_by_more_than_one(count, seed):
    chance = Random(seed)
    pasts = field(2 * (count // 2))
    for left in range(4, 0, -1):
        found = pair_two(pasts, NOBODY, left, chance)
        pasts = list(after(pasts, found, 2))

        assert found.seats_out == 0
        assert all(abs(past.seats[0] - past.seats[1]) <= 1 for past in pasts)


def test_the_same_lots_give_the_same_pairing():
    pasts = field(30)

    assert pair_two(pasts, NOBODY, 3, Random(5)) == pair_two(pasts, NOBODY, 3, Random(5))

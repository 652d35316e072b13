"""How many tables of which size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion_app.hall.tournament.sizes import table_sizes


@pytest.mark.parametrize(
    ("players", "sizes"),
    [
        (4, (4,)),
        (6, (3, 3)),
        (7, (4, 3)),
        (8, (4, 4)),
        (9, (3, 3, 3)),
        (11, (4, 4, 3)),
        (5, (4,)),
        (2, ()),
    ],
)
def test_tables_of_four_else_three_as_at_the_championship(players, sizes):
    assert table_sizes(players, 4, 3, 4) == sizes


@given(st.integers(0, 300), st.integers(2, 5), st.integers(0, 3), st.integers(0, 3))
def test_nobody_is_left_out_who_fits_in(players, wanted, less, more):
    fewest, most = max(2, wanted - less), min(5, wanted + more)

    sizes = table_sizes(players, wanted, fewest, most)

    assert all(fewest <= size <= most for size in sizes)
    left = players - sum(sizes)
    fits = [n for n in range(players + 1) if any(t * fewest <= n <= t * most for t in range(n + 1))]
    assert left == players - max(fits)


def test_a_size_out_of_its_limits_is_refused():
    with pytest.raises(ValueError, match="not between"):
        table_sizes(8, 4, 5, 5)

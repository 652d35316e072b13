"""One process killed, one call of the disk failing, some work out of bounds: all goes on."""

import pytest

from tests.faults import io_errors, one_by_one, overruns


@pytest.mark.parametrize("who", one_by_one.WHO)
def test_process_that_is_killed_alone_takes_no_move_and_no_other_with_it(tmp_path, who):
    table = one_by_one.Killing(tmp_path / "home", who, seed=3)

    table.live(0, kills=1)

    assert table.notes == []
    assert table.tally.tried == 1
    assert table.tally.lost == 0


@pytest.mark.skipif(bool(io_errors.why_not()), reason=io_errors.why_not())
def test_io_error_at_calls_of_the_store_is_refused_in_words_and_loses_nothing():
    told = io_errors.fail_at_calls("recorded", moves=3, first=2, step=9)

    assert told.calls > 60
    assert told.tried > 20
    assert told.refused > 5
    assert told.wrong == []
    assert told.lost == 0


def test_work_out_of_bounds_is_stopped_and_the_next_is_done():
    assert overruns.overrun(seed=1, count=4).wrong == []

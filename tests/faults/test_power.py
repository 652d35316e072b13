"""Nothing announced is lost: power cut at every moment, on a layer that forgets, and on ext4."""

import pytest

from tests.faults import block_cut, power_cut
from tests.faults.scripted import written_game


@pytest.mark.parametrize("game", ["recorded", "snekagon_seven_turns"])
def test_power_cut_after_any_write_loses_nothing_announced(game):
    ops = power_cut.played_on_a_forgetful_disk(written_game(game), 2000, 4)

    told = power_cut.cut_everywhere(ops)

    assert told.tried == 4 * len(ops)
    assert told.accepted > 100
    assert told.lost == 0


def test_layer_finds_a_store_that_does_not_wait_for_the_disk():
    ops = power_cut.played_on_a_forgetful_disk(written_game("recorded"), 2000, 4)
    hasty = [op for op in ops if op.what != "sync"]

    assert power_cut.cut_everywhere(hasty, ways=["forgotten"]).lost > 0


def test_layer_finds_a_store_that_forgets_the_name_of_a_log():
    ops = power_cut.played_on_a_forgetful_disk(written_game("recorded"), 2000, 4)
    nameless = [op for op in ops if op.what != "sync" or op.path.name == "log"]

    assert power_cut.cut_everywhere(nameless, ways=["forgotten"]).lost > 0


def test_power_cut_on_a_real_file_system_loses_nothing():
    if not block_cut.can_mount():
        pytest.skip("wants root, a loop device and ext4")

    told = block_cut.cut_under_a_running_game(seed=1, count=3)

    assert told.tried == 3
    assert told.lost == 0

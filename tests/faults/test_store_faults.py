"""Nothing announced is lost: killed, without room, damaged, with a clock that jumps."""

import random

import pytest

from companion_app.live.errors import StoreFull
from companion_app.live.store import Store
from tests.faults import damage, full_disk, full_disk_page, kills
from tests.faults.companion import Companion, Phone
from tests.faults.forgetful import ForgetfulDisk
from tests.faults.scripted import Announced, Player, lost_moves, written_game


def test_kill_at_random_moments_loses_nothing_announced(tmp_path):
    table = kills.Table(tmp_path / "home", seed=5)
    for number in range(3):
        table.live_and_be_killed(number)

    assert table.notes == []
    assert table.tally.tried == 3
    assert table.tally.lost == 0


def test_next_life_goes_on_with_every_move_that_was_announced(tmp_path):
    first = Companion(tmp_path, "--speed", "60")
    assert first.ready()
    phone = Phone(first.url, Announced())
    assert phone.wait_for(lambda: len(phone.announced.moves) >= 5)
    first.kill()
    phone.end()

    second = Companion(tmp_path, "--speed", "0.01")
    assert second.ready()
    key = second.get("api/state")["key"]
    moves = second.get(f"api/games/{key}/record.json")["moves"]
    second.kill()

    announced = phone.announced.moves
    assert moves[: len(announced)] == [announced[n] for n in sorted(announced)]


@pytest.mark.parametrize("game", ["recorded", "sssnake_evening"])
def test_disk_full_at_every_write_is_said_and_loses_nothing(game):
    space = full_disk.own_space()
    if space is None:
        pytest.skip("a small file system of its own wants root, or name spaces for everybody")

    told = full_disk.play_on_a_full_disk(space, game, moves=6)

    assert told.refused > 30
    assert told.said_wrongly == ""
    assert told.accepted >= 6
    assert told.lost == 0


def test_write_that_fails_is_never_announced(tmp_path):
    chance, announced = random.Random(1), Announced()
    refused = 0
    full = ForgetfulDisk(tmp_path, refuse=lambda number: number > 4 and chance.random() < 0.6)
    with full, Store(tmp_path) as store:
        player = Player(store, written_game("recorded"), announced.hear)
        while move := next(player.due(12), None):
            try:
                player.lay(move)
            except StoreFull:
                refused += 1
                assert len(announced.moves) == len(player.match.accepted)

    assert refused > 5
    assert lost_moves(tmp_path, announced) == 0


def test_damaged_file_of_games_is_put_aside_and_loses_nothing():
    with damage.played_home("recorded", 8) as (home, announced):
        told = damage.damage_again_and_again(home, announced, range(54))

    assert told.by_kind == dict.fromkeys(damage.KINDS, 6)
    assert told.changed == 0
    assert told.not_kept == 0
    assert told.lost == 0


def test_clock_that_jumps_changes_no_order(tmp_path):
    chance, announced = random.Random(3), Announced()
    clocks = [0.0, -5e9, 4e12, 1.7e9, 1.7e9 - 86_400]
    with Store(tmp_path, clock=lambda: chance.choice(clocks)) as store:
        Player(store, written_game("recorded"), announced.hear).play(12)

    assert lost_moves(tmp_path, announced) == 0
    with Store(tmp_path) as store:
        times = [line.at_s for line in store.lines("game")]
        assert times != sorted(times)


def test_second_companion_says_that_the_games_are_open(tmp_path):
    first = Companion(tmp_path, "--speed", "4")
    assert first.ready()
    second = Companion(tmp_path)
    assert not second.ready()
    assert second.process.wait(30) == 2
    assert second.process.stderr is not None
    said = second.process.stderr.read()
    phone = Phone(first.url, Announced())
    went_on = phone.wait_for(lambda: len(phone.announced.moves) >= 2)
    first.kill()
    phone.end()
    second.kill()

    assert said.count("\n") == 1
    assert "another Snake Eye has the games" in said
    assert went_on
    assert lost_moves(tmp_path, phone.announced) == 0


def test_every_request_on_a_full_disk_is_done_or_refused_whole_and_deleting_works():
    space = full_disk.own_space()
    if space is None:
        pytest.skip("a small file system of its own wants root, or name spaces for everybody")

    walked = full_disk_page.walk_on_a_full_disk(space)

    assert walked.asked >= 35
    assert walked.refused >= 8
    assert walked.broken == []
    assert walked.half == []
    assert walked.not_deleted == []

"""Carnival by example: logs and what they replace, crossing logs, and the discard."""

from engine.game import Move
from tests.engine.games.carnival_positions import (
    GAME,
    broken,
    in_turn,
    lay,
    opening,
    played,
    swap,
    table,
)

YELLOW = "yellow/straight@0,-1^1 yellow/straight@0,-2^1"

# --- logs in place of tiles


def test_a_log_in_place_of_a_tile_keeps_the_connections():
    position = table("yellow/corner@0,-1^2 yellow/straight@1,-1")

    assert broken(position, swap("log/corner@0,-1^2")) == []
    assert broken(position, swap("log/corner@0,-1^3")) == ["connection-lost"]
    assert broken(position, swap("log/straight@0,-1^1")) == ["wrong-shape"]


def test_a_log_may_turn_the_free_exit_only():
    position = table("yellow/straight@0,-1^1 yellow/corner@0,-2^2")

    assert broken(position, swap("log/corner@0,-2^3")) == []
    assert broken(position, swap("log/corner@0,-2^0")) == ["connection-lost"]


def test_a_lying_log_is_turned_by_another_log():
    position = table("yellow/straight@0,-1^1 log/corner@0,-2^2")
    turned = played(position, swap("log/corner@0,-2^3"))

    assert turned.snakes["yellow"].faces == (-1, -2)


def test_a_turned_log_may_not_join_another_snake():
    before = "yellow/corner@0,-1^3 violet/corner@1,0 violet/corner@1,-1^3"

    assert broken(table(before), swap("log/corner@0,-1^2")) == ["two-snakes-joined"]
    assert broken(table(before), swap("log/corner@0,-1^3")) == []


def test_a_snake_tile_in_place_of_a_log_may_turn_the_free_exit_too():
    position = table("yellow/straight@0,-1^1 log/corner@0,-2^2")

    assert broken(position, swap("yellow/corner@0,-2^3")) == []
    assert broken(position, swap("yellow/sore@0,-2^2", "yellow")) == []
    assert broken(position, swap("yellow/straight@0,-2^1")) == ["wrong-shape"]
    assert broken(position, swap("violet/corner@0,-2^2")) == ["wrong-colour"]


def test_nothing_but_a_log_replaces_a_snake_tile():
    position = table(YELLOW)

    assert broken(position, swap("yellow/straight@0,-1^1")) == ["not-a-replacement"]
    assert broken(position, swap("gift@0,-1")) == ["not-a-replacement"]
    assert broken(position, swap("log/straight@0,-5^1")) == ["nothing-to-replace"]


def test_the_rulebooks_crossing_log_lets_both_snakes_go_on():
    """Black lies across yellow's way; a crossing log lets yellow pass under it."""
    black = (
        "black/corner@0,1 black/corner@-1,1^1 black/straight@-1,0^1 black/straight@-1,-1^1"
        " black/corner@-1,-2^2 black/straight@0,-2"
    )
    position = table(f"yellow/straight@0,-1^1 {black}", players=("yellow", "violet", "black"))
    assert GAME.inspect(position) == ()
    assert position.snakes["yellow"].is_blocked

    after = played(position, swap("log/crossing@0,-2"))
    assert after.snakes["yellow"].faces == (0, -3)
    assert after.snakes["black"].faces == (1, -2)


def test_a_snake_may_run_through_its_own_crossing_log():
    loop = (
        "yellow/straight@0,-1^1 yellow/straight@0,-2^1 yellow/corner@0,-3^2 yellow/corner@1,-3^3"
        " yellow/corner@1,-2"
    )
    position = table(loop)
    assert position.snakes["yellow"].is_blocked

    after = played(position, swap("log/crossing@0,-2"))
    assert after.snakes["yellow"].faces == (-1, -2)
    assert GAME.inspect(after) == ()


def test_the_free_strand_of_a_crossing_log_is_run_through_later():
    crossing = "yellow/straight@0,-1^1 log/crossing@0,-2 violet/corner@1,0 violet/straight@1,-1^1"
    position = table(crossing, turn="violet")

    after = played(position, lay("violet/corner@1,-2^3", "violet"))
    assert after.snakes["violet"].faces == (-1, -2)
    assert after.snakes["yellow"].faces == (0, -3)


def test_a_crossing_log_grows_two_snakes_at_once_but_joins_none():
    """Violet's end meets the side of the place that yellow's end points at."""
    before = "yellow/straight@0,-1^1 violet/corner@1,0 violet/straight@1,-1^1 violet/corner@1,-2^3"
    after = played(table(before), lay("log/crossing@0,-2"))

    assert after.snakes["yellow"].faces == (0, -3)
    assert after.snakes["violet"].faces == (-1, -2)


def test_a_crossing_log_may_not_join_two_snakes():
    between = (
        "yellow/corner@0,-1^2 black/corner@0,1^2 black/corner@1,1"
        " violet/straight@1,0 violet/corner@2,0 violet/corner@2,-1^3"
    )
    position = table(between)
    assert position.snakes["yellow"].faces == position.snakes["violet"].faces == (1, -1)

    assert broken(position, lay("log/crossing@1,-1")) == ["two-snakes-joined"]


def test_a_crossing_log_stays():
    position = table("yellow/straight@0,-1^1 log/crossing@0,-2")

    assert broken(position, swap("log/straight@0,-2^1")) == ["not-replaceable"]
    assert broken(position, swap("log/crossing@0,-2")) == ["not-replaceable"]


# --- the box and the pile


def test_a_tile_can_be_laid_as_often_as_the_box_has_it():
    position = table("yellow/diamond@0,-1^1 yellow/diamond@0,-2^1")

    assert broken(position, lay("yellow/diamond@0,-3^1")) == ["none-left"]


def test_a_replaced_tile_waits_in_the_discard():
    laid = in_turn(opening(), "yellow/knot@0,-1^1", "-", "-", "yellow/knot@0,-2^1")
    swapped = played(laid, swap("log/straight@0,-2^1"))

    assert dict(swapped.supply.discard) == {"yellow/knot": 1}
    assert broken(swapped, lay("yellow/knot@0,-3^1", "violet")) == ["none-left"]


def all_pass(position, times):
    for _ in range(times):
        position = played(position, Move(position.to_move, "pass"))
    return position


def test_the_discard_comes_back_when_the_pile_is_used_up():
    laid = in_turn(opening(), "yellow/knot@0,-1^1", "-", "-", "yellow/knot@0,-2^1")
    swapped = played(laid, swap("log/straight@0,-2^1"))
    pile = swapped.supply.pile

    assert pile == 88 + 4 + 4 + 4 + 4 + 4 + 3 + 4 - 16 - 5
    assert "none-left" in broken(all_pass(swapped, pile), lay("yellow/knot@0,-3^1", "red"))
    back = all_pass(swapped, pile + 1)
    assert back.supply.reshuffles == 1
    assert broken(back, lay("yellow/knot@0,-3^1", back.to_move)) == []


def test_from_the_second_reshuffle_on_replaced_tiles_leave_the_game():
    position = in_turn(opening(), "yellow/knot@0,-1^1", "-", "-", "yellow/knot@0,-2^1")
    for tile in ("log/straight", "yellow/straight"):
        position = played(position, swap(f"{tile}@0,-2^1", position.to_move))
        position = all_pass(position, position.supply.pile + 1)
    assert position.supply.reshuffles == 2

    position = played(position, swap("log/crossing@0,-1", position.to_move))
    assert dict(position.supply.gone) == {"yellow/knot": 1}
    position = all_pass(position, 8)
    assert broken(position, lay("yellow/knot@0,-3^1", position.to_move)) == []
    position = played(position, lay("yellow/knot@0,-3^1", position.to_move))
    assert broken(position, lay("yellow/knot@0,-4^1", position.to_move)) == ["none-left"]


def test_a_game_taken_up_in_its_middle_knows_nothing_of_the_discard():
    position = table("yellow/knot@0,-1^1 yellow/knot@0,-2^1")
    swapped = played(position, swap("log/straight@0,-2^1"))

    assert broken(swapped, lay("yellow/knot@0,-3^1", "violet")) == []


def test_who_holds_nothing_that_fits_passes():
    position = opening()

    assert broken(position, Move("yellow", "pass")) == []
    assert broken(position, Move("red", "pass")) == ["not-your-turn"]

"""Every kind of tile against everything that may lie in a cell: the page holds, both agree."""

import pytest

from engine.record import layout_to_json, move_to_json
from tests.engine.games.carnival_table import (
    BOX,
    FOUR,
    GAME,
    PAGE,
    PARTS,
    TILES,
    page,
    position_for,
    tries,
    verdict,
)
from tests.naive.carnival import NaiveCarnival

CASES = [(place, tile) for places in PARTS.values() for place in places for tile in TILES.values()]


def test_the_page_says_what_the_rules_say():
    written = PAGE.read_text(encoding="utf-8")

    assert written == page(), "write it anew: python -m tests.engine.games.carnival_table"


def test_every_kind_of_the_box_is_in_the_table():
    roles = {BOX[tile].role for tile in TILES.values()}
    assert roles == {kind.role for kind in BOX.kinds.values()}

    shapes = {BOX[tile].shape for tile in TILES.values() if BOX[tile].colour}
    assert shapes == {kind.shape for kind in BOX.of_colour("yellow")}


def test_every_kind_that_can_lie_in_a_cell_is_in_the_table():
    lying = set()
    for place in (place for places in PARTS.values() for place in places):
        position = position_for(place, "gift")
        if place.cell in position.cards:
            lying.add(position.cards[place.cell].kind.role)

    assert lying == {kind.role for kind in BOX.kinds.values()}


def test_no_case_is_unhandled():
    rules = {rule.id for rule in GAME.facts.rules}
    for place, tile in CASES:
        answer, _, ids = verdict(place, tile).partition(": ")
        assert answer.startswith("yes") or (answer == "no" and set(ids.split(", ")) <= rules)


@pytest.mark.parametrize("part", PARTS)
def test_the_naive_referee_allows_the_same(part):
    for place in PARTS[part]:
        for tile in TILES.values():
            position = position_for(place, tile)
            naive = NaiveCarnival(list(FOUR), {}, layout_to_json(GAME.layout(position)))
            if BOX[tile].role in ("head", "hat"):
                naive.phase = f"{BOX[tile].role}s"
            naive.turn = "yellow"
            for move in tries(place, tile):
                legal = GAME.judge(position, move).legal
                assert legal == naive.is_legal(move_to_json(move)), (place.name, move)
